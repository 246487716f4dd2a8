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

/* Returns the limit for the present rates of the plan. It depends only on the configuration and the
   time. */
struct rd_step_limit rd_step_limit_of(const struct rd_plan *p);

/* Adds a remark for each reaction whose rate is an expression and that is too fast for a step of
   that length, with the present rates of the plan: the automatic step follows from constant rates
   only. Does nothing if the configuration sets the step. */
void rd_step_limit_warn(const struct rd_plan *p, double step, struct rd_error *remarks);

/* The steps of a run. */
struct rd_forecast {
    int64_t n_steps;
    double first, shortest, longest; /* lengths of steps */
    struct rd_step_limit limit;      /* the limit at the start */
};

/* Goes through the whole timeline without simulating, and finds impossible settings of events.
   Leaves the plan with the rates of the start and the probabilities of the first step. */
bool rd_forecast_take(struct rd_forecast *o, struct rd_plan *p, struct rd_error *e);

#endif
