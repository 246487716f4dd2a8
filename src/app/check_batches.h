/* check_batches - which runs of an ensemble would be simulated at once, and why not all. */
#ifndef RD_APP_CHECK_BATCHES_H
#define RD_APP_CHECK_BATCHES_H

#include "sim/sim.h"

/* A line of text, or "" where all go at once or nobody knows; with so many runs asked for at once,
   0: as many as fit. */
void rd_check_batches(char *text, size_t bytes, struct rd_plan *p, const struct rd_machine_of *how,
                      int64_t at_once);

#endif
