/* forecast - computes the number and the lengths of all steps of a run, and what limits them,
   without simulating. It finds impossible settings of events before the first step. */
#ifndef RD_PLAN_FORECAST_H
#define RD_PLAN_FORECAST_H

#include "plan/limit.h"

struct rd_forecast {
    int64_t n_steps;
    double first, shortest, longest; /* lengths of steps */
    struct rd_limit limit;           /* the limit at the start */
};

/* Computes the outlook over the whole timeline. Leaves the plan with the rates of the start and the
   probabilities of the first step. */
bool rd_forecast_take(struct rd_forecast *o, struct rd_plan *p, struct rd_error *e);

#endif
