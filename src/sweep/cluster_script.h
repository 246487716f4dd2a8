/* cluster_script - `rdsim sweep --slurm`, --pbs and --sge: a script, and the folder that it needs.
 */
#ifndef RD_SWEEP_CLUSTER_SCRIPT_H
#define RD_SWEEP_CLUSTER_SCRIPT_H

#include "command_line/options.h"
#include "sweep/sweep.h"

/* Prints the script that the options name, and makes the folder of what its jobs print. */
bool rd_script_write(FILE *out, const struct rd_sweep *s, const struct rd_sweep_options *how,
                     struct rd_error *e);

#endif
