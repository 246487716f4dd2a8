/* limit - the longest step that is right, and what limits it. */
#ifndef RD_PLAN_LIMIT_H
#define RD_PLAN_LIMIT_H

#include "plan/plan.h"

struct rd_limit {
    double step;       /* INFINITY: the stretch between two outputs is one step */
    const char *place; /* file:line of what limits it; NULL: no one line does */
    char why[256];     /* a sentence's end: "D tau / h^2 = 1/6 for 'A' along x" */
};

/* The probability per combination of reactants that meet in a voxel, and how often a molecule
   reacts alone, in a step. */
#define RD_MEETING_MOST 0.25
#define RD_ALONE_MOST   0.5

/* For the rates that the plan has now. A function of the configuration and the time only. */
struct rd_limit rd_limit_of(const struct rd_plan *p);

#endif
