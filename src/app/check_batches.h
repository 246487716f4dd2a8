/* check_batches - batches of runs that an ensemble would need, and the reason. */
#ifndef RD_APP_CHECK_BATCHES_H
#define RD_APP_CHECK_BATCHES_H

#include "sim/sim.h"

/* Writes a line of text, or "" if all runs form one batch or their number is unknown. at_once is
   the requested number of runs in a batch; 0: as many as fit. */
void rd_check_batches(char *text, size_t bytes, struct rd_plan *p, const struct rd_machine_of *how,
                      int64_t at_once);

#endif
