/* reaction_odds - checks the step against reactions whose rate is an expression. It uses the
   probability that molecules which just met react, and the rate of first-order reactions. The
   automatic step follows from constant rates only. */
#ifndef RD_PLAN_REACTION_ODDS_H
#define RD_PLAN_REACTION_ODDS_H

#include "plan/plan.h"

/* Adds a remark for each reaction that is too fast for a step of that length, with the present
   rates of the plan. Does nothing if the configuration sets the step. */
void rd_reaction_odds_report(const struct rd_plan *p, double step, struct rd_error *remarks);

#endif
