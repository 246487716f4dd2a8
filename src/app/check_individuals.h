/* check_individuals - what `rdsim check` tells of individuals. */
#ifndef RD_APP_CHECK_INDIVIDUALS_H
#define RD_APP_CHECK_INDIVIDUALS_H

#include "plan/plan.h"

#include <stdio.h>

/* Of an individual species, by its number in the file: how many there may be, and their rules. */
void rd_check_individuals(FILE *out, const struct rd_plan *p, int species);
/* Who of them a reaction takes and makes; nothing where nobody is told apart. */
void rd_check_fates(FILE *out, const struct rd_plan *p, int32_t channel);
/* What as many individuals as there may be take in one snapshot of one run, without lineage. */
double rd_check_row_bytes(const struct rd_model *m);
/* Where the automatic step does not know how fast they move. */
void rd_check_hop_rate(FILE *out, const struct rd_plan *p);

#endif
