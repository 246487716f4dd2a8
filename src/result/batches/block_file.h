/* block_file - a file of blocks, one behind the other, that only grows: what earlier batches of
   runs leave for the last one. */
#ifndef RD_RESULT_BATCHES_BLOCK_FILE_H
#define RD_RESULT_BATCHES_BLOCK_FILE_H

#include "base/error.h"

#include <stdint.h>

/* What stands before each block: what it is, the bytes behind this, and their checksum. */
struct rd_block {
    int64_t kind, batch, number, bytes;
    uint64_t sum;
};

/* Closed is file = -1. */
struct rd_log {
    char *path; /* owned */
    int file;
    int64_t end;           /* of the last block */
    struct rd_block block; /* at hand, and where it begins */
    int64_t begin;
};

/* Is told each block, and where its bytes are; false with a sentence: it cannot be. */
typedef bool rd_log_see(void *to, const struct rd_block *block, int64_t at, struct rd_error *e);

/* An empty file, or one that is there already. */
bool rd_log_open(struct rd_log *l, const char *path, bool is_there, struct rd_error *e);
void rd_log_close(struct rd_log *l);

/* A block begins; as many bytes as it says are to be added, and then it ends. Gives where they will
   be. */
void rd_log_begin(struct rd_log *l, const struct rd_block *block, int64_t *at);
bool rd_log_end(struct rd_log *l, struct rd_error *e);
bool rd_log_add(struct rd_log *l, const void *from, int64_t n, struct rd_error *e);
/* n bytes at *at, which moves behind them. */
bool rd_log_read(const struct rd_log *l, void *to, int64_t n, int64_t *at, struct rd_error *e);

/* It is as it was when it ended there: all blocks up to there are told, and are what was written.
 */
bool rd_log_cut(struct rd_log *l, int64_t end, rd_log_see *see, void *to, struct rd_error *e);
/* False with the sentence that it is another file. */
bool rd_log_refuse(const struct rd_log *l, struct rd_error *e);
/* All of it is on the disk. */
bool rd_log_sync(const struct rd_log *l, struct rd_error *e);

#endif
