/* checkpoint - writes the state of a run between two steps to a checkpoint file, or reads it.

   The file does not depend on the machine: individuals stand in the order of the list, and the sums
   over stripes are added up. */
#ifndef RD_RUN_CHECKPOINT_H
#define RD_RUN_CHECKPOINT_H

#include "result/files/checkpoint_file.h"
#include "run/run.h"

/* Writes the state to an open checkpoint file, or reads it from one into a simulator that was just
   opened. Before writing, the faults must have been checked and the lineage handed over (n_lives =
   0). Returns false with a message about the file or the machine. */
bool rd_checkpoint_pass(struct rd_checkpoint_file *t, struct rd_sim *s, struct rd_run_position *now,
                        struct rd_error *e);

#endif
