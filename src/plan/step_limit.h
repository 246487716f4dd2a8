/* step_limit - the longest step whose splitting error is small, what limits it, and the steps of a
   whole run. */
#ifndef RD_PLAN_STEP_LIMIT_H
#define RD_PLAN_STEP_LIMIT_H

#include "plan/plan.h"

struct rd_step_limit {
    double step;       /* INFINITY: the stretch between two outputs is one step */
    const char *place; /* file:line of the limiting entry; NULL: no single line limits the step */
    char why[256];     /* the end of a message: "D tau / h^2 = 1/6 for 'A' along x" */
};

/* Returns the limit for the present rates of the plan that holds without time.step. It depends only
   on the configuration and the time. */
struct rd_step_limit rd_step_limit_automatic(const struct rd_plan *p);
/* Returns the same, or time.step if the configuration has it. */
struct rd_step_limit rd_step_limit_of(const struct rd_plan *p);

/* Returns the longest step in which molecules in one voxel have a probability of at most 1/4 to
   react by this reaction (canonical number), of second order or more. */
double rd_step_limit_by_encounters(const struct rd_plan *p, int32_t reaction);

/* Returns whether the channel's rate is a constant: the same in each voxel, or its mean on a
   surface. */
bool rd_step_limit_knows(const struct rd_channel *c, const struct rd_reaction *r);

/* Describes the steps of a run. */
struct rd_forecast {
    int64_t n_steps;
    double first, shortest, longest; /* lengths of steps */
    struct rd_step_limit limit;      /* the limit at the start */
    double least;                    /* the least limit, as events change it */
};

/* Goes through the whole timeline without simulating, and finds impossible settings of events.
   Leaves the plan with the rates of the start and the probabilities of the first step. */
bool rd_forecast_take(struct rd_forecast *o, struct rd_plan *p, struct rd_error *e);

#endif
