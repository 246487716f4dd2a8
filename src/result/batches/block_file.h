/* block_file - a file of blocks, one behind the other, to which blocks are only added: what
   earlier batches of runs leave for the last one. */
#ifndef RD_RESULT_BATCHES_BLOCK_FILE_H
#define RD_RESULT_BATCHES_BLOCK_FILE_H

#include "base/error.h"

#include <stdint.h>

/* Describes the header before each block: its kind and place, the number of bytes behind the
   header, and their checksum. */
struct rd_block {
    int64_t kind, batch, number, bytes;
    uint64_t sum;
};

/* Describes a file of blocks. It is closed if file = -1. */
struct rd_block_file {
    char *path; /* owned */
    int file;
    int64_t end;           /* end of the last block */
    struct rd_block block; /* the current block, and where it begins */
    int64_t begin;
};

/* Receives each block, and where its bytes are. Returns false with a message if the block is not
   valid. */
typedef bool rd_block_file_see(void *to, const struct rd_block *block, int64_t at,
                               struct rd_error *e);

/* Opens an empty file, or one that exists already. */
bool rd_block_file_open(struct rd_block_file *l, const char *path, bool is_there,
                        struct rd_error *e);
/* Continues, at its end, a file that is open under this descriptor; path is for messages. */
bool rd_block_file_take(struct rd_block_file *l, const char *path, int file, struct rd_error *e);
void rd_block_file_close(struct rd_block_file *l);

/* Begins a block, and sets *at to where its bytes will be. The caller adds as many bytes as the
   header states, and then ends the block. */
void rd_block_file_begin(struct rd_block_file *l, const struct rd_block *block, int64_t *at);
bool rd_block_file_end(struct rd_block_file *l, struct rd_error *e);
bool rd_block_file_add(struct rd_block_file *l, const void *from, int64_t n, struct rd_error *e);
/* Reads n bytes at *at, and moves *at behind them. */
bool rd_block_file_read(const struct rd_block_file *l, void *to, int64_t n, int64_t *at,
                        struct rd_error *e);

/* Restores the file to the length `end`: checks all blocks up to there against their checksums,
   and passes each to `see`. */
bool rd_block_file_cut(struct rd_block_file *l, int64_t end, rd_block_file_see *see, void *to,
                       struct rd_error *e);
/* Cuts the file behind its last block of this kind before which all blocks are whole. Sets *n to
   the number of blocks of the kind that are left. */
bool rd_block_file_cut_behind(struct rd_block_file *l, int64_t kind, int64_t *n,
                              struct rd_error *e);
/* Returns the length of the file; -1 with a message. */
int64_t rd_block_file_length(const struct rd_block_file *l, struct rd_error *e);
/* Returns false, with the message that the file is another one. */
bool rd_block_file_refuse(const struct rd_block_file *l, struct rd_error *e);
/* Writes all of the file to the disk (fsync). */
bool rd_block_file_sync(const struct rd_block_file *l, struct rd_error *e);

#endif
