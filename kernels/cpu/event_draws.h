/* event_draws - the random numbers of the events of one voxel, drawn many events ahead; for the two
   versions of the direct method. */
#ifndef RD_CPU_EVENT_DRAWS_H
#define RD_CPU_EVENT_DRAWS_H

#include "kernels/cpu/philox_simd.h"
#include "kernels/passes/reactions/react.h"

/* Holds the time of a voxel and the random numbers of its next events. */
struct rd_event_draws {
    double left;             /* time until the end of the pass */
    struct rd_stream stream; /* of the voxel; its counter is the draw of the next event */
    int n_ahead, at_ahead;   /* numbers drawn ahead, and those of them that are used */
    double time_u[RD_BUNCH], wait[RD_BUNCH], aim_u[RD_BUNCH]; /* wait: the logarithm of time_u */
};

/* Draws the random numbers of the next event, or of many if so many events are expected. */
void rd_event_draws_fill(struct rd_event_draws *x, double expected);

/* Begins the events of a voxel. */
static inline void rd_event_draws_begin(struct rd_event_draws *x, const struct rd_ssa *ssa)
{
    x->left = ssa->left;
    x->stream = ssa->event;
    x->n_ahead = x->at_ahead = 0;
}

/* Returns the time that is left after the next event, or a number that is not positive if no event
   follows; `sum` is the sum of all propensities. */
static inline double rd_left_after_event(struct rd_event_draws *x, double sum)
{
    if (x->at_ahead == x->n_ahead)
        rd_event_draws_fill(x, sum * x->left);
    const double u = x->time_u[x->at_ahead], left = x->left + x->wait[x->at_ahead] / sum;
    return rd_is_quiet(sum, u, x->left) ? 0.0 : left;
}

/* Returns the number in (0, 1) that selects the reaction of the next event. */
static inline double rd_event_selector(const struct rd_event_draws *x)
{
    return x->aim_u[x->at_ahead];
}

/* Goes on to the event after the next one. */
static inline void rd_event_draws_advance(struct rd_event_draws *x, double left)
{
    x->left = left;
    x->at_ahead++;
    x->stream.counter[0]++;
}

#endif
