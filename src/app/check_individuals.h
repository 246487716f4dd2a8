/* check_individuals - the part of `rdsim check` about individuals. */
#ifndef RD_APP_CHECK_INDIVIDUALS_H
#define RD_APP_CHECK_INDIVIDUALS_H

#include "plan/plan.h"

#include <stdio.h>

/* Prints the maximum number and the rules of an individual species, by its number in the file. */
void rd_check_individuals(FILE *out, const struct rd_plan *p, int species);
/* Prints the individuals that a reaction takes and makes; nothing if there are none. */
void rd_check_fates(FILE *out, const struct rd_plan *p, int32_t channel);
/* Returns the bytes of one snapshot of one run with the maximum numbers of individuals, without
   lineage. */
double rd_check_row_bytes(const struct rd_model *m);
/* Prints warnings if the automatic step does not depend on the hop rates of individuals. */
void rd_check_own_hop_rates(FILE *out, const struct rd_plan *p);

#endif
