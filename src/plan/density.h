/* density - how many molecules a cell of a species' home is expected to hold at the start: what
   the choice of the step may know of the state. */
#ifndef RD_DENSITY_H
#define RD_DENSITY_H

#include "plan.h"

/* mean[species] in canonical order, from counts, densities and values of `initial`; what comes
   from an earlier result is not counted. Faults are left to rd_place_start. */
bool rd_density_take(const struct rd_plan *p, double *mean, struct rd_error *e);

#endif
