/* batch_faults - the faulted runs of batches that other processes simulate, in the blocks that end
   these batches. */
#ifndef RD_RESULT_BATCHES_BATCH_FAULTS_H
#define RD_RESULT_BATCHES_BATCH_FAULTS_H

#include "result/batches/block_file.h"
#include "result/format/snapshot.h"

/* Holds faulted runs of any batches; a zero-initialised struct is empty. */
struct rd_batch_faults {
    struct rd_faulted *faulted; /* owned, with the texts */
    int64_t n;
};

/* Writes the block, whose kind and batch are given, with n faulted runs. */
bool rd_batch_faults_put(struct rd_block_file *l, const struct rd_block *as,
                         const struct rd_faulted *faulted, int64_t n, struct rd_error *e);
/* Adds the faulted runs of such a block, whose bytes are at `at`. */
bool rd_batch_faults_get(struct rd_batch_faults *f, const struct rd_block_file *l,
                         const struct rd_block *block, int64_t at, struct rd_error *e);
void rd_batch_faults_free(struct rd_batch_faults *f);

#endif
