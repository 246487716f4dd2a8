/* modes_command - what `rdsim modes` does, by the options. */
#ifndef RD_MODES_COMMAND_H
#define RD_MODES_COMMAND_H

#include "command_line/options.h"

/* Prints to out what the options select. *is_partial: the memory was not enough for all modes,
   which e says too. notes: what a user should know about a model of another program. Returns false
   with a message. */
bool rd_modes_command(const struct rd_options *o, FILE *out, bool *is_partial,
                      struct rd_error *notes, struct rd_error *e);

#endif
