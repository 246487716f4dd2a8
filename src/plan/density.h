/* density - how many molecules a voxel of a species' home is expected to hold at the start: what
   the choice of the step follows from. */
#ifndef RD_PLAN_DENSITY_H
#define RD_PLAN_DENSITY_H

#include "plan/plan.h"

/* Fills mean[species] in canonical order, from all entries of `initial`; of an earlier result, the
   mean over its runs, so that the step is the same for any run of an ensemble. An expression that
   is negative or not finite counts as 0: rd_place_start reports it. Fails if an earlier result
   cannot be read. */
bool rd_density_take(const struct rd_plan *p, double *mean, struct rd_error *e);

#endif
