/* harvest - the results of a sweep in one file. */
#ifndef RD_HARVEST_H
#define RD_HARVEST_H

#include "sweep.h"

/* Collects all results into the file at path; refuses while some are not complete. command: of
   the file's history. */
bool rd_harvest(const struct rd_sweep *s, const char *path, bool force, const char *command,
                struct rd_error *e);

#endif
