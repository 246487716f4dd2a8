/* reaction_odds - how fast molecules react that are alone in a voxel, which limits the step. */
#ifndef RD_PLAN_REACTION_ODDS_H
#define RD_PLAN_REACTION_ODDS_H

#include "plan/plan.h"

/* Returns the propensity of the reaction (canonical number) in a voxel that holds only the
   molecules that it takes, with the present rates of the plan. Of an expression it is the highest
   over the voxels at t = 0; 0 if the expression sums over individuals, or if the model has changing
   fields or mean positions, whose values are not known before the run. */
double rd_reaction_odds(const struct rd_plan *p, int32_t reaction);

#endif
