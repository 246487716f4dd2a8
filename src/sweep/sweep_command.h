/* sweep_command - `rdsim sweep`: what the command line asks of a sweep. */
#ifndef RD_SWEEP_SWEEP_COMMAND_H
#define RD_SWEEP_SWEEP_COMMAND_H

#include "command_line/options.h"

/* Does it, and gives the exit status: 0, 1, or 75 where tasks were stopped that will go on.
   command: the whole line, for histories. */
int rd_sweep_obey(const struct rd_options *o, const char *command, FILE *out, struct rd_error *e);

#endif
