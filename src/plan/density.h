/* density - the expected number of molecules per voxel at the start, over the voxels in which a
   species lives. The choice of the time step uses it. */
#ifndef RD_PLAN_DENSITY_H
#define RD_PLAN_DENSITY_H

#include "plan/plan.h"

/* Fills mean[species] in canonical order from all entries of `initial`. An earlier result counts
   with the mean over its runs, so that all runs of an ensemble get the same step. An expression
   that is negative or not finite counts as 0; rd_place_start reports it. Fails if an earlier result
   cannot be read. */
bool rd_density_take(const struct rd_plan *p, double *mean, struct rd_error *e);

#endif
