/* block_file - a file of blocks, one behind the other, to which blocks are only added. The
   header of a block is written when the block ends. */
#define _POSIX_C_SOURCE 200809L
#include "result/batches/block_file.h"

#include "base/file.h"
#include "base/hash.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool rd_block_file_open(struct rd_block_file *l, const char *path, bool is_there,
                        struct rd_error *e)
{
    *l = (struct rd_block_file){.path = strdup(path), .file = -1};
    if (!l->path)
        return rd_fail(e, "out of memory for batches of runs");
    l->file = is_there ? rd_file_reopen(path) : rd_file_create(path);
    return l->file >= 0 ||
           rd_fail(e, "%s: cannot be opened for the data of earlier batches of runs: %s", path,
                   strerror(errno));
}

bool rd_block_file_take(struct rd_block_file *l, const char *path, int file, struct rd_error *e)
{
    *l = (struct rd_block_file){.path = strdup(path), .file = file};
    l->end = l->path ? rd_block_file_length(l, e) : -1;
    return l->end >= 0 || rd_fail(e, "%s: cannot be continued", path);
}

void rd_block_file_close(struct rd_block_file *l)
{
    if (l->file >= 0)
        close(l->file);
    free(l->path);
    *l = (struct rd_block_file){.file = -1};
}

static bool write_at(const struct rd_block_file *l, const void *from, int64_t n, int64_t at,
                     struct rd_error *e)
{
    return rd_file_write_at(l->file, from, (size_t)n, at) ||
           rd_fail(e, "%s: cannot be written: %s", l->path, strerror(errno));
}

void rd_block_file_begin(struct rd_block_file *l, const struct rd_block *block, int64_t *at)
{
    l->block = *block;
    l->block.sum = 0;
    l->begin = l->end;
    *at = l->end += (int64_t)sizeof *block;
}

bool rd_block_file_add(struct rd_block_file *l, const void *from, int64_t n, struct rd_error *e)
{
    if (!write_at(l, from, n, l->end, e))
        return false;
    l->block.sum = rd_hash_on(l->block.sum, from, (size_t)n);
    l->end += n;
    return true;
}

bool rd_block_file_end(struct rd_block_file *l, struct rd_error *e)
{
    assert(l->end == l->begin + (int64_t)sizeof l->block + l->block.bytes);
    return write_at(l, &l->block, sizeof l->block, l->begin, e);
}

bool rd_block_file_read(const struct rd_block_file *l, void *to, int64_t n, int64_t *at,
                        struct rd_error *e)
{
    const int64_t done = rd_file_read_at(l->file, to, (size_t)n, *at);
    *at += n;
    return done == n || rd_fail(e, "%s: cannot be read: %s", l->path,
                                done < 0 ? strerror(errno) : "it ends too early");
}

/* Returns whether the bytes of the block, which begin at `at`, have the right checksum. */
static bool is_block_whole(const struct rd_block_file *l, const struct rd_block *block, int64_t at,
                           struct rd_error *e)
{
    unsigned char byte[4096];
    uint64_t sum = 0;
    for (int64_t left = block->bytes; left > 0;) {
        const int64_t n = left < (int64_t)sizeof byte ? left : (int64_t)sizeof byte;
        if (!rd_block_file_read(l, byte, n, &at, e))
            return false;
        sum = rd_hash_on(sum, byte, (size_t)n);
        left -= n;
    }
    return sum == block->sum || rd_block_file_refuse(l, e);
}

bool rd_block_file_refuse(const struct rd_block_file *l, struct rd_error *e)
{
    return rd_fail(
        e, "%s: does not belong to the earlier batches of runs; begin again with --force", l->path);
}

bool rd_block_file_cut(struct rd_block_file *l, int64_t end, rd_block_file_see *see, void *to,
                       struct rd_error *e)
{
    struct stat about;
    struct rd_block block;
    if (fstat(l->file, &about) != 0 || about.st_size < end)
        return rd_fail(e, "%s: is shorter than at its checkpoint; begin again with --force",
                       l->path);
    for (int64_t at = 0; at < end; at += block.bytes) {
        if (!rd_block_file_read(l, &block, sizeof block, &at, e))
            return false;
        if (block.bytes < 0 || block.bytes > end - at)
            return rd_block_file_refuse(l, e);
        if (!is_block_whole(l, &block, at, e) || !see(to, &block, at, e))
            return false;
    }
    l->end = end;
    return true;
}

int64_t rd_block_file_length(const struct rd_block_file *l, struct rd_error *e)
{
    struct stat about;
    if (fstat(l->file, &about) == 0)
        return about.st_size;
    rd_fail(e, "%s: cannot be read: %s", l->path, strerror(errno));
    return -1;
}

bool rd_block_file_cut_behind(struct rd_block_file *l, int64_t kind, int64_t *n, struct rd_error *e)
{
    const int64_t length = rd_block_file_length(l, e);
    struct rd_error ignored = {0}; /* a block that is not whole ends the search */
    struct rd_block block;
    l->end = *n = 0;
    for (int64_t at = 0; rd_block_file_read(l, &block, sizeof block, &at, &ignored) &&
                         block.bytes >= 0 && block.bytes <= length - at &&
                         is_block_whole(l, &block, at, &ignored);) {
        at += block.bytes;
        *n += block.kind == kind;
        l->end = block.kind == kind ? at : l->end;
    }
    rd_error_free(&ignored);
    return length >= 0 && (ftruncate(l->file, l->end) == 0 ||
                           rd_fail(e, "%s: cannot be cut: %s", l->path, strerror(errno)));
}

bool rd_block_file_sync(const struct rd_block_file *l, struct rd_error *e)
{
    return fsync(l->file) == 0 || rd_fail(e, "%s: cannot be written: %s", l->path, strerror(errno));
}
