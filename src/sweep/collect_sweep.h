/* collect_sweep - the results of a sweep in one file. */
#ifndef RD_SWEEP_COLLECT_SWEEP_H
#define RD_SWEEP_COLLECT_SWEEP_H

#include "command_line/options.h"
#include "sweep/sweep.h"

/* Collects the results into the file at path. If some are not complete, refuses in a sentence for
   each state; --partial collects the others, and the file says which are missing. command: of the
   file's history. */
bool rd_collect_sweep(const struct rd_sweep *s, const char *path, const struct rd_options *o,
                      const char *command, struct rd_error *e);

#endif
