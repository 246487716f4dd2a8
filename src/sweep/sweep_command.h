/* sweep_command - `rdsim sweep`: what the options select. */
#ifndef RD_SWEEP_SWEEP_COMMAND_H
#define RD_SWEEP_SWEEP_COMMAND_H

#include "base/progress.h"
#include "command_line/options.h"
#include "sweep/worker.h"

/* Does what the options select, and returns the exit status: 0, 1, or 75 if tasks were stopped and
   can continue. command: the whole command line, for histories. */
int rd_sweep_run_command(const struct rd_options *o, const char *command, FILE *out,
                         struct rd_error *e);

/* Runs the tasks first ... last, `jobs` of them at a time. Skips complete tasks, resumes
   interrupted ones, and skips failed ones unless how->retry. Forwards signals of the terminal or
   the system to the tasks, and returns once they have stopped. Returns the exit status: 0 all done,
   1 some failed, 75 some were stopped and continue with the next call. Reports each failed task. */
int rd_scheduler_run(const struct rd_sweep *s, int64_t first, int64_t last, int jobs,
                     const struct rd_scheduler_options *how, enum rd_progress_kind progress,
                     struct rd_error *e);

/* Prints the state of each task, and the number of tasks in each state. Returns whether all are
   complete. */
bool rd_scheduler_print(FILE *out, const struct rd_sweep *s, struct rd_error *e);

/* Collects the results into the file at path. If some are incomplete, refuses with a message for
   each state; with --partial it collects the others and records which are missing. command: for the
   history of the file. */
bool rd_collect_sweep(const struct rd_sweep *s, const char *path, const struct rd_options *o,
                      const char *command, struct rd_error *e);

enum rd_queueing_system { RD_QUEUE_SLURM, RD_QUEUE_PBS, RD_QUEUE_SGE, RD_N_QUEUES };

struct rd_script_options {
    const char *program; /* the command that starts rdsim in a job */
    const char *memory;  /* memory of a job, as "500M" */
    const char *folder;  /* folder for the output of jobs; it must exist when they are submitted */
    int64_t per_job;     /* number of tasks of a job */
};

/* Prints a script for that queueing system (cluster_script.c). */
void rd_script_print(FILE *out, const struct rd_sweep *s, enum rd_queueing_system queue,
                     const struct rd_script_options *o);
/* Prints the script that the options select, and makes the folder for the output of its jobs. */
bool rd_script_write(FILE *out, const struct rd_sweep *s, const struct rd_sweep_options *how,
                     struct rd_error *e);

#endif
