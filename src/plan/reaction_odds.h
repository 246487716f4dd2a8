/* reaction_odds - how often molecules that just met react, or a lone one does, where an expression
   says it: the automatic step follows from numbers, and does not know. */
#ifndef RD_PLAN_REACTION_ODDS_H
#define RD_PLAN_REACTION_ODDS_H

#include "plan/plan.h"

/* For the rates that the plan has now. Adds a remark for each reaction that a step of that length
   takes in too coarse a way; nothing where the configuration gives the step. */
void rd_meeting_report(const struct rd_plan *p, double step, struct rd_error *remarks);

#endif
