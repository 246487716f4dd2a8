/* scheduler - the tasks of a sweep, several at a time, until all are done; and how far they are. */
#ifndef RD_SWEEP_SCHEDULER_H
#define RD_SWEEP_SCHEDULER_H

#include "base/progress.h"
#include "sweep/worker.h"

/* Runs the tasks first ... last, jobs of them at a time: those that are complete are left out,
   those that were interrupted go on, those that failed are left out unless how->retry. A signal of
   the terminal or the system is passed on to them, and ends it once they have stopped. Gives the
   exit status: 0 all done, 1 some failed, 75 some were stopped and go on when this is called again;
   and a sentence for each that failed. */
int rd_scheduler_run(const struct rd_sweep *s, int64_t first, int64_t last, int jobs,
                     const struct rd_scheduler_run *how, enum rd_progress_kind progress,
                     struct rd_error *e);

/* Prints what each task has come to, and the sums. Gives whether all are complete. */
bool rd_scheduler_print(FILE *out, const struct rd_sweep *s, struct rd_error *e);

#endif
