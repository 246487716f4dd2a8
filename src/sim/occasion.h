/* occasion - the start, an event or an edit, with the time and the values that its expressions read
   in each run. A header of its own, since counts and individuals are placed in different files. */
#ifndef RD_SIM_OCCASION_H
#define RD_SIM_OCCASION_H

#include "kernels/core/rng.h"
#include "model/model.h"

struct rd_occasion {
    const struct rd_event *event; /* NULL: the start */
    int number;                   /* of the event; an edit: the number of events */
    bool is_edit;                 /* a program changes the state, by what `event` has */
    double time;                  /* unless times is given */
    uint32_t step;                /* unless firings is given; of an edit, its number */
    const double *times;          /* [run]; or NULL */
    const int64_t *firings; /* [run]: earlier firings of the event in the run; NULL: it is due at
                               set times */
    const double *value;    /* parameters of run r are value[r * value_stride] and following */
    int64_t value_stride;
    const int64_t *total; /* totals of run r are total[r * n_totals] and following; or NULL */
    int64_t n_totals;
};

static inline double rd_occasion_time(const struct rd_occasion *o, int64_t run)
{
    return o->times ? o->times[run] : o->time;
}

static inline const double *rd_occasion_value(const struct rd_occasion *o, int64_t run)
{
    return o->value + run * o->value_stride;
}

static inline const int64_t *rd_occasion_total(const struct rd_occasion *o, int64_t run)
{
    return o->total ? o->total + run * o->n_totals : NULL;
}

/* Returns the stream of an entry of an event or edit; part 0 draws voxels, and part 1 individuals.
   Each firing of a conditional event has streams of its own. */
static inline struct rd_stream rd_occasion_stream(const struct rd_occasion *o, uint64_t seed,
                                                  int64_t first_run, int64_t run, uint32_t part,
                                                  int64_t entry)
{
    const int64_t item = (int64_t)o->number << 16 | entry;
    if (o->is_edit)
        return rd_stream_of(seed, first_run + run, o->step, RD_FOR_EDIT, part, entry);
    return o->firings ? rd_stream_of(seed, first_run + run, (uint32_t)o->firings[run],
                                     RD_FOR_CONDITION, part, item)
                      : rd_stream_of(seed, first_run + run, o->step, RD_FOR_EVENT, part, item);
}

#endif
