/* gather_individuals - the individuals of all batches of runs at one time: those of earlier
   batches out of a file of blocks, and behind them those of the last batch. */
#ifndef RD_RESULT_BATCHES_GATHER_INDIVIDUALS_H
#define RD_RESULT_BATCHES_GATHER_INDIVIDUALS_H

#include "result/batches/block_file.h"
#include "result/format/snapshot.h"

/* Collects the individuals of all batches; NULL is closed. */
typedef struct rd_gather rd_gather;

bool rd_gather_open(rd_gather **g, const struct rd_model *m, struct rd_error *e);
void rd_gather_close(rd_gather *g);

/* Returns the bytes that the individuals of a snapshot take in a block, in the first n_runs
   runs. */
int64_t rd_gather_bytes(const struct rd_snapshot *now, const struct rd_model *m, int64_t n_runs);
bool rd_gather_put(struct rd_block_file *l, const struct rd_snapshot *now, const struct rd_model *m,
                   int64_t n_runs, struct rd_error *e);

/* Clears the list of individuals. rd_gather_get appends those of a batch out of the file, from
 *at on, and moves *at behind them; rd_gather_add appends those of a snapshot. */
void rd_gather_begin(rd_gather *g);
bool rd_gather_get(rd_gather *g, const struct rd_block_file *l, int64_t n_runs, int64_t *at,
                   struct rd_error *e);
bool rd_gather_add(rd_gather *g, const struct rd_snapshot *now, int64_t n_runs, struct rd_error *e);
/* Sets the individuals of the snapshot to all that were gathered; they are valid until the next
   rd_gather_begin. */
void rd_gather_give(rd_gather *g, struct rd_snapshot *to);

#endif
