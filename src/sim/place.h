/* place - puts molecules into voxels: at the start, and at events. On the host, so that both back
   ends begin with the same bytes. */
#ifndef RD_SIM_PLACE_H
#define RD_SIM_PLACE_H

#include "plan/plan.h"
#include "sim/placement.h"

/* All of `initial` added to count[species][voxel] (canonical order; zero before). False also where
   a run would have more individuals than it may; but the roster may refuse runs, of which count and
   arrivals have a part. */
bool rd_place_start(const struct rd_plan *p, const double *value, int32_t *count,
                    struct rd_roster *roster, struct rd_error *e);
/* What event number i removes and adds at time t, in the step with that number;
   likewise. */
bool rd_place_event(const struct rd_plan *p, const double *value, int i, double t, uint32_t step,
                    int32_t *count, struct rd_roster *roster, struct rd_error *e);

#endif
