/* collect_sweep - collects the results of a sweep in one file. */
#ifndef RD_SWEEP_COLLECT_SWEEP_H
#define RD_SWEEP_COLLECT_SWEEP_H

#include "command_line/options.h"
#include "sweep/sweep.h"

/* Collects the results into the file at path. If some are incomplete, refuses with a message for
   each state; with --partial it collects the others and records which are missing. command: for the
   history of the file. */
bool rd_collect_sweep(const struct rd_sweep *s, const char *path, const struct rd_options *o,
                      const char *command, struct rd_error *e);

#endif
