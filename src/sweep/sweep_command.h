/* sweep_command - `rdsim sweep`: does what the options select. A header of its own: main.c needs
   only this. */
#ifndef RD_SWEEP_SWEEP_COMMAND_H
#define RD_SWEEP_SWEEP_COMMAND_H

#include "command_line/options.h"

/* Does what the options select, and returns the exit status: 0, 1, or 75 if tasks were stopped and
   can continue. command: the whole command line, for histories. */
int rd_sweep_run_command(const struct rd_options *o, const char *command, FILE *out,
                         struct rd_error *e);

#endif
