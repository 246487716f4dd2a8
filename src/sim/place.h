/* place - puts molecules into voxels and removes them, at the start and at events.

   This is done on the host, so that all back ends begin with the same bytes. */
#ifndef RD_SIM_PLACE_H
#define RD_SIM_PLACE_H

#include "plan/plan.h"
#include "sim/host_counts.h"
#include "sim/occasion.h"
#include "sim/placement.h"

/* Adds all of `initial` to the counts, which are 0 before. Returns false with
   a message on failure, also if a run would have more individuals than its maximum. If runs fail
   separately, such a run is refused instead; its counts and placements are then incomplete. */
bool rd_place_start(const struct rd_plan *p, const double *value, struct rd_host_counts *counts,
                    struct rd_placements *placements, struct rd_error *e);
/* Takes and adds what the event of the occasion takes and adds. Fails and refuses as rd_place_start
   does. */
bool rd_place_event(const struct rd_plan *p, const struct rd_occasion *o,
                    struct rd_host_counts *counts, struct rd_placements *placements,
                    struct rd_error *e);

#endif
