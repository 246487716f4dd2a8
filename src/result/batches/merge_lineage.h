/* merge_lineage - births and deaths of all batches of runs in the order that they would have had if
   all had gone at once: by turn, then by batch. Those of earlier batches come out of a log. */
#ifndef RD_RESULT_BATCHES_MERGE_LINEAGE_H
#define RD_RESULT_BATCHES_MERGE_LINEAGE_H

#include "result/batches/block_file.h"
#include "result/format/snapshot.h"

/* NULL is closed. */
typedef struct rd_merge rd_merge;

bool rd_merge_open(rd_merge **m, int64_t n_batches, struct rd_error *e);
void rd_merge_close(rd_merge *m);

/* n more of the batch stand in the log. */
bool rd_merge_note(rd_merge *m, int64_t batch, int64_t at, int64_t n, struct rd_error *e);
/* These of the last batch are to be merged with them; they must live until all are. */
void rd_merge_add(rd_merge *m, const struct rd_life *life, int64_t n);
/* The next rows, at most so many, of turns before this one; gives how many, 0 at the end, or -1
   with a sentence. */
int64_t rd_merge_next(rd_merge *m, const struct rd_log *l, int64_t order_key, struct rd_life *to,
                      int64_t most, struct rd_error *e);

#endif
