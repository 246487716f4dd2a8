/* export_command - what `rdsim export` does, by the options; separate because main.c only calls
   commands. */
#ifndef RD_APP_EXPORT_COMMAND_H
#define RD_APP_EXPORT_COMMAND_H

#include "command_line/options.h"

/* Writes the configuration as SBML to a new file, or to out. Adds notes on parts without effect.
   Returns false with messages. */
bool rd_export_command(const struct rd_options *o, FILE *out, struct rd_error *notes,
                       struct rd_error *e);

#endif
