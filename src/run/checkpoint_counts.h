/* checkpoint_counts - the counts in a checkpoint; its own header since checkpoint.h is for users of
   whole checkpoints. */
#ifndef RD_RUN_CHECKPOINT_COUNTS_H
#define RD_RUN_CHECKPOINT_COUNTS_H

#include "result/files/checkpoint_file.h"
#include "sim/sim.h"

/* Writes the counts of all species to the file, or reads them into the simulator. Returns false
   with a message on failure. */
bool rd_checkpoint_counts(struct rd_checkpoint_file *t, struct rd_sim *s, struct rd_error *e);

#endif
