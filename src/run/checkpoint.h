/* checkpoint - all that a run is between two steps, to a tape and from it. It does not depend on
   the machine: who lives stands in the order of the list, sums over the stripes are added up. */
#ifndef RD_RUN_CHECKPOINT_H
#define RD_RUN_CHECKPOINT_H

#include "result/files/checkpoint_file.h"
#include "run/run.h"

/* To a tape that is written; faults must have been looked for, and lineage given away. Or from one
   that is read, into a simulator that was just opened. False with a sentence, the tape's or the
   machine's. */
bool rd_checkpoint_pass(struct rd_checkpoint_file *t, struct rd_sim *s, struct rd_run_position *now,
                        struct rd_error *e);

#endif
