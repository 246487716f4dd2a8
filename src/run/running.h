/* running - the events in a simulation that runs; separate from run.h, which is for users of a
   run. */
#ifndef RD_RUN_RUNNING_H
#define RD_RUN_RUNNING_H

#include "run/run.h"

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

#endif
