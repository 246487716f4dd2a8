/* merge_lineage - merges the births and deaths of all batches of runs into the order that they
   would have if all runs had been simulated together: by order key, then by batch. Those of
   earlier batches come out of files of blocks. */
#ifndef RD_RESULT_BATCHES_MERGE_LINEAGE_H
#define RD_RESULT_BATCHES_MERGE_LINEAGE_H

#include "result/batches/block_file.h"
#include "result/format/snapshot.h"

/* Merges the lineages of all batches; NULL is closed. */
typedef struct rd_merge rd_merge;

bool rd_merge_open(rd_merge **m, int64_t n_batches, struct rd_error *e);
void rd_merge_close(rd_merge *m);

/* Records that n more rows of the batch stand in its file. */
bool rd_merge_note(rd_merge *m, int64_t batch, int64_t at, int64_t n, struct rd_error *e);
/* Adds rows of the last batch for merging; they must stay valid until all of them are merged. */
void rd_merge_add(rd_merge *m, const struct rd_life *life, int64_t n);
/* Copies the next rows with order keys below this one: at most `most`. Those of batch i stand in
   the file l[i % n_files]. Returns their number, 0 at the end, or -1 with a message. */
int64_t rd_merge_next(rd_merge *m, const struct rd_block_file *l, int n_files, int64_t order_key,
                      struct rd_life *to, int64_t most, struct rd_error *e);

#endif
