/* check_rates - what `rdsim check` prints about the effective rates of reactions of two
   molecules. */
#ifndef RD_APP_CHECK_RATES_H
#define RD_APP_CHECK_RATES_H

#include "plan/plan.h"

#include <stdio.h>

/* Prints the effective rate of each reaction of two molecules of which one moves, or why it is not
   known. */
void rd_check_rates(FILE *out, const struct rd_plan *p);
/* Warns about reactions whose effective rate is below 90 % of their rate. */
void rd_check_slow_pairs(FILE *out, const struct rd_plan *p);
/* Prints the same as elements of a JSON list. */
void rd_check_rates_json(FILE *out, const struct rd_plan *p);

#endif
