/* print_sweep - a sweep on paper: the table of its tasks, and scripts that submit them to a cluster
   as an array of jobs. */
#ifndef RD_SWEEP_PRINT_SWEEP_H
#define RD_SWEEP_PRINT_SWEEP_H

#include "sweep/sweep.h"

#include <stdio.h>

/* A line for each task: its numbers, what is varied, its seed, its result. */
bool rd_sweep_print(FILE *out, const struct rd_sweep *s, struct rd_error *e);

enum rd_queue { RD_QUEUE_SLURM, RD_QUEUE_PBS, RD_QUEUE_SGE, RD_N_QUEUES };

struct rd_script_options {
    const char *program; /* how rdsim is called there */
    const char *memory;  /* of a job, as "500M" */
    const char *folder;  /* what jobs print goes there; it must exist when they are submitted */
    int64_t per_job;     /* tasks of a job */
};

/* A script for that queueing system. */
void rd_sweep_script(FILE *out, const struct rd_sweep *s, enum rd_queue queue,
                     const struct rd_script_options *o);

#endif
