/* limit - the longest step whose splitting error is small, and what limits it. */
#ifndef RD_PLAN_LIMIT_H
#define RD_PLAN_LIMIT_H

#include "plan/plan.h"

struct rd_limit {
    double step;       /* INFINITY: the stretch between two outputs is one step */
    const char *place; /* file:line of the limiting entry; NULL: no single line limits the step */
    char why[256];     /* the end of a message: "D tau / h^2 = 1/6 for 'A' along x" */
};

/* Limits in one step: the probability of reaction per combination of reactants in one voxel; and
   the mean number of events of a first-order reaction per molecule. */
#define RD_REACTION_ODDS_MOST 0.25
#define RD_ALONE_MOST         0.5

/* Returns whether the channel's rate is a constant: the same in each voxel, or its mean on a
   surface. */
bool rd_limit_knows(const struct rd_channel *c, const struct rd_reaction *r);

/* Returns the limit for the present rates of the plan. It depends only on the configuration and the
   time. */
struct rd_limit rd_limit_of(const struct rd_plan *p);

#endif
