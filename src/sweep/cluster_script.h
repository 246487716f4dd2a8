/* cluster_script - `rdsim sweep --slurm`, --pbs and --sge: prints a script and makes its folder. */
#ifndef RD_SWEEP_CLUSTER_SCRIPT_H
#define RD_SWEEP_CLUSTER_SCRIPT_H

#include "command_line/options.h"
#include "sweep/sweep.h"

/* Prints the script that the options select, and makes the folder for the output of its jobs. */
bool rd_script_write(FILE *out, const struct rd_sweep *s, const struct rd_sweep_options *how,
                     struct rd_error *e);

#endif
