/* forecast - looks ahead over the whole timeline without simulating: how many steps, how long, what
   limits them; and finds what events would set that cannot be, before the first step. */
#ifndef RD_PLAN_FORECAST_H
#define RD_PLAN_FORECAST_H

#include "plan/limit.h"

struct rd_outlook {
    int64_t n_steps;
    double first, shortest, longest; /* steps */
    struct rd_limit limit;           /* at the start */
};

/* Leaves the plan with the rates of the start and probabilities for the first step. */
bool rd_outlook_take(struct rd_outlook *o, struct rd_plan *p, struct rd_error *e);

#endif
