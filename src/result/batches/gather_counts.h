/* gather_counts - the rows of counts of all batches of runs at one time: those of earlier batches
   out of a file of blocks, and behind them those of the last batch. */
#ifndef RD_RESULT_BATCHES_GATHER_COUNTS_H
#define RD_RESULT_BATCHES_GATHER_COUNTS_H

#include "result/batches/block_file.h"
#include "result/format/snapshot.h"

/* Holds rows that were gathered. A zero-initialised struct has none. */
struct rd_gathered_counts {
    struct rd_sparse_counts counts; /* points into the arrays */
    int64_t *row_count;             /* owned, like the others: [run] */
    int64_t *voxel;
    int32_t *species, *count;
    int64_t n_runs, runs_capacity, capacity;
};

void rd_gathered_counts_free(struct rd_gathered_counts *g);

/* Returns the bytes that the rows of the first n_runs runs of a snapshot take in a block. */
int64_t rd_gathered_counts_bytes(const struct rd_snapshot *now, int64_t n_runs);
bool rd_gathered_counts_put(struct rd_block_file *l, const struct rd_snapshot *now, int64_t n_runs,
                            struct rd_error *e);

/* Clears the list. rd_gathered_counts_get appends the rows of a batch out of the file, from *at on,
   and moves *at behind them; rd_gathered_counts_add appends those of a snapshot. */
void rd_gathered_counts_begin(struct rd_gathered_counts *g);
bool rd_gathered_counts_get(struct rd_gathered_counts *g, const struct rd_block_file *l,
                            int64_t n_runs, int64_t *at, struct rd_error *e);
bool rd_gathered_counts_add(struct rd_gathered_counts *g, const struct rd_snapshot *now,
                            int64_t n_runs, struct rd_error *e);
/* Returns all that was gathered; it is valid until the next change. */
const struct rd_sparse_counts *rd_gathered_counts_all(struct rd_gathered_counts *g);

#endif
