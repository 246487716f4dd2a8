/* print_sweep - prints the table of a sweep's tasks, and scripts that submit them to a cluster as
   an array of jobs. */
#ifndef RD_SWEEP_PRINT_SWEEP_H
#define RD_SWEEP_PRINT_SWEEP_H

#include "sweep/sweep.h"

#include <stdio.h>

/* Prints a line for each task: its numbers, varied values, seed and result. */
bool rd_sweep_print(FILE *out, const struct rd_sweep *s, struct rd_error *e);

enum rd_queueing_system { RD_QUEUE_SLURM, RD_QUEUE_PBS, RD_QUEUE_SGE, RD_N_QUEUES };

struct rd_script_options {
    const char *program; /* the command that starts rdsim in a job */
    const char *memory;  /* memory of a job, as "500M" */
    const char *folder;  /* folder for the output of jobs; it must exist when they are submitted */
    int64_t per_job;     /* number of tasks of a job */
};

/* Prints a script for that queueing system. */
void rd_sweep_script(FILE *out, const struct rd_sweep *s, enum rd_queueing_system queue,
                     const struct rd_script_options *o);

#endif
