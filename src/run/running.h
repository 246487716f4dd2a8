/* running - the events in a simulation that runs; separate from run.h, which is for users of a
   run. */
#ifndef RD_RUN_RUNNING_H
#define RD_RUN_RUNNING_H

#include "run/run.h"
#include "sim/occasion.h"
#include "sim/placement.h"

/* Computes the rates for new parameters. The next stretch makes new tables. */
bool rd_running_rates(struct rd_running *r);
/* Places the initial molecules. If that is impossible in any run, the configuration is at fault,
   and e->wrong is set. */
bool rd_running_start(struct rd_running *r);
/* Applies the events that are due now, first those at set times, then those on conditions. */
bool rd_running_events(struct rd_running *r);
/* Applies the events whose conditions became true in step j of the stretch, and all that follow
   from them at the same time. In the exact solver also completes the steps that they
   interrupted. */
bool rd_running_conditions(struct rd_running *r, int64_t j);
/* Does that for the moment in which a step from `from` to `end` has made conditions true; at a
   division of the timeline both are now. */
bool rd_running_fire_due(struct rd_running *r, double from, double end);
/* Returns whether an edit changes counted molecules in listed voxels only, and few of them. */
bool rd_running_is_scattered(const struct rd_running *r, const struct rd_occasion *o);
/* Applies such an edit: reads, changes and writes the counts of these voxels alone. The placements
   name the runs that take part. Sets is_broken as rd_run_edit does. */
bool rd_running_scatter(struct rd_running *r, const struct rd_occasion *o,
                        struct rd_placements *placements);
/* Applies the event of the occasion in all runs but those that are out: [run], or NULL. */
bool rd_running_fire(struct rd_running *r, const struct rd_occasion *o, const uint8_t *is_out);

#endif
