/* scheduler - runs the tasks of a sweep, several at a time, and prints their states. */
#ifndef RD_SWEEP_SCHEDULER_H
#define RD_SWEEP_SCHEDULER_H

#include "base/progress.h"
#include "sweep/worker.h"

/* Runs the tasks first ... last, `jobs` of them at a time. Skips complete tasks, resumes
   interrupted ones, and skips failed ones unless how->retry. Forwards signals of the terminal or
   the system to the tasks, and returns once they have stopped. Returns the exit status: 0 all done,
   1 some failed, 75 some were stopped and continue with the next call. Reports each failed task. */
int rd_scheduler_run(const struct rd_sweep *s, int64_t first, int64_t last, int jobs,
                     const struct rd_scheduler_run *how, enum rd_progress_kind progress,
                     struct rd_error *e);

/* Prints the state of each task, and the number of tasks in each state. Returns whether all are
   complete. */
bool rd_scheduler_print(FILE *out, const struct rd_sweep *s, struct rd_error *e);

#endif
