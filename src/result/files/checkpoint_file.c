/* checkpoint_file - a file of named records: a header of 16 bytes, the records, their length and
   their checksum. Numbers are in the byte order of the machine, which the header identifies. */
#define _POSIX_C_SOURCE 200809L
#include "result/files/checkpoint_file.h"

#include "base/file.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Sets the bytes that are read or written at a time, a multiple of STRIDE, the bytes that are
   summed at a time. */
enum { BLOCK = 1 << 20, STRIDE = 32 };

enum { NAME = 16 };

/* Describes the header of a record. */
struct label {
    char name[NAME];
    int64_t bytes;
};

/* Gives the header of the file. The number after the name identifies the byte order and the
   format. */
static const struct head {
    char name[8];
    uint64_t format;
} head = {"rdsimckp", UINT64_C(0x0102030405060001)};

struct file_tail {
    int64_t length; /* of all before it */
    uint64_t sum;
};

/* Mixes a word into a checksum. The function is one to one in both arguments, so a change of one
   word always changes the sum. The four lanes are for speed. */
static uint64_t mixed(uint64_t sum, uint64_t word)
{
    const uint64_t x = (sum ^ word) * UINT64_C(0x9e3779b97f4a7c15); /* odd: 2^64 / golden ratio */
    return x << 29 | x >> 35;
}

static void add_block(uint64_t lane[4], const unsigned char *bytes, size_t n)
{
    assert(n % STRIDE == 0);
    for (size_t i = 0; i < n; i += STRIDE) {
        uint64_t word[4];
        memcpy(word, bytes + i, sizeof word);
        for (int k = 0; k < 4; k++)
            lane[k] = mixed(lane[k], word[k]);
    }
}

static uint64_t checksum_of(const uint64_t lane[4], int64_t length)
{
    uint64_t sum = (uint64_t)length;
    for (int k = 0; k < 4; k++)
        sum = mixed(sum, lane[k]);
    return sum;
}

static bool refuse_checkpoint(struct rd_checkpoint_file *t, const char *what, const char *why)
{
    if (!t->failed)
        rd_fail(t->e, "%s: %s%s", t->path, what, why);
    t->failed = true;
    return false;
}

bool rd_checkpoint_file_refuse(struct rd_checkpoint_file *t, const char *fact)
{
    return refuse_checkpoint(t, fact, "");
}

static bool begin_checkpoint(struct rd_checkpoint_file *t, const char *path, const char *temporary,
                             struct rd_error *e)
{
    *t =
        (struct rd_checkpoint_file){.fd = -1, .e = e, .path = strdup(path), .block = malloc(BLOCK)};
    t->temporary = temporary ? strdup(temporary) : NULL;
    if (t->path && t->block && (t->temporary || !temporary))
        return true;
    rd_checkpoint_file_close(t, false);
    return rd_fail(e, "%s: out of memory for a checkpoint", path);
}

/* Reads up to n bytes from the file. Returns their number, or -1. */
static ssize_t fetch_bytes(int fd, void *to, size_t n)
{
    size_t done = 0;
    while (done < n) {
        const ssize_t more = read(fd, (char *)to + done, n - done);
        if (more < 0 && errno == EINTR)
            continue;
        if (more < 0)
            return -1;
        if (more == 0)
            break;
        done += (size_t)more;
    }
    return (ssize_t)done;
}

static bool drain_bytes(struct rd_checkpoint_file *t, const void *from, size_t n)
{
    for (const char *next = from; n > 0 && !t->failed;) {
        const ssize_t done = write(t->fd, next, n);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0) {
            refuse_checkpoint(t, "cannot be written: ", strerror(done < 0 ? errno : ENOSPC));
            break;
        }
        next += done;
        n -= (size_t)done;
    }
    return !t->failed;
}

/* Writes the block and adds it to the checksum; it is full, or the last one. */
static bool write_block(struct rd_checkpoint_file *t)
{
    const size_t padded = (t->at + STRIDE - 1) / STRIDE * STRIDE;
    memset(t->block + t->at, 0, padded - t->at);
    add_block(t->lane, t->block, padded);
    t->length += (int64_t)t->at;
    const bool good = drain_bytes(t, t->block, t->at);
    t->at = 0;
    return good;
}

static bool read_checkpoint_block(struct rd_checkpoint_file *t)
{
    const ssize_t n = fetch_bytes(t->fd, t->block, BLOCK);
    t->at = 0;
    t->n = n > 0 ? (size_t)n : 0;
    return n > 0 || refuse_checkpoint(t, "cannot be read: ",
                                      n < 0 ? strerror(errno) : "it is shorter than before");
}

/* Writes n bytes to the file or reads them, regardless of records. */
static bool pass(struct rd_checkpoint_file *t, void *at, size_t n)
{
    unsigned char *next = at;
    while (n > 0 && !t->failed) {
        if (t->is_read && t->at == t->n && !read_checkpoint_block(t))
            break;
        const size_t capacity = (t->is_read ? t->n : BLOCK) - t->at;
        const size_t now = n < capacity ? n : capacity;
        if (t->is_read)
            memcpy(next, t->block + t->at, now);
        else
            memcpy(t->block + t->at, next, now);
        t->at += now;
        next += now;
        n -= now;
        if (!t->is_read && t->at == BLOCK)
            write_block(t);
    }
    return !t->failed;
}

bool rd_checkpoint_file_create(struct rd_checkpoint_file *t, const char *temporary,
                               const char *path, struct rd_error *e)
{
    if (!begin_checkpoint(t, path, temporary, e))
        return false;
    struct head first = head;
    t->fd = rd_file_create(temporary);
    if (t->fd < 0)
        refuse_checkpoint(t, "cannot be written: ", strerror(errno));
    return pass(t, &first, sizeof first) || rd_checkpoint_file_close(t, false);
}

/* Adds the file up to its tail, which has this length, to the checksum, block by block. */
static bool add_file_to_checksum(struct rd_checkpoint_file *t, int64_t length)
{
    for (int64_t left = length; left > 0;) {
        const size_t n = left < BLOCK ? (size_t)left : BLOCK;
        const size_t padded = (n + STRIDE - 1) / STRIDE * STRIDE;
        if (fetch_bytes(t->fd, t->block, n) != (ssize_t)n)
            return false;
        memset(t->block + n, 0, padded - n);
        add_block(t->lane, t->block, padded);
        left -= (int64_t)n;
    }
    return true;
}

static bool check_head(struct rd_checkpoint_file *t, int64_t size)
{
    struct head first;
    if (size < (int64_t)sizeof first || fetch_bytes(t->fd, &first, sizeof first) != sizeof first ||
        memcmp(first.name, head.name, sizeof first.name) != 0)
        return refuse_checkpoint(t, "is not a checkpoint", "");
    return first.format == head.format ||
           refuse_checkpoint(t, "has another format, or the byte order of another machine", "");
}

static bool check_whole_file(struct rd_checkpoint_file *t)
{
    struct stat about;
    struct file_tail last;
    if (fstat(t->fd, &about) != 0 || !S_ISREG(about.st_mode))
        return refuse_checkpoint(t, "is not a regular file", "");
    const int64_t length = (int64_t)about.st_size - (int64_t)sizeof last;
    if (!check_head(t, about.st_size))
        return false;
    if (length < (int64_t)sizeof head || lseek(t->fd, 0, SEEK_SET) < 0 ||
        !add_file_to_checksum(t, length) || fetch_bytes(t->fd, &last, sizeof last) != sizeof last ||
        last.length != length)
        return refuse_checkpoint(t, "is incomplete: it has no end", "");
    if (last.sum != checksum_of(t->lane, length))
        return refuse_checkpoint(t, "is damaged: its checksum is wrong", "");
    t->length = length - (int64_t)sizeof head;
    return lseek(t->fd, sizeof head, SEEK_SET) >= 0 ||
           refuse_checkpoint(t, "cannot be read: ", strerror(errno));
}

bool rd_checkpoint_file_open(struct rd_checkpoint_file *t, const char *path, struct rd_error *e)
{
    if (!begin_checkpoint(t, path, NULL, e))
        return false;
    t->is_read = true;
    t->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
    if (t->fd < 0)
        refuse_checkpoint(t, "cannot be read: ", strerror(errno));
    return (!t->failed && check_whole_file(t)) || rd_checkpoint_file_close(t, false);
}

/* Writes the tail, syncs the file and renames it. */
static bool finish_checkpoint(struct rd_checkpoint_file *t)
{
    if (!write_block(t))
        return false;
    const struct file_tail last = {t->length, checksum_of(t->lane, t->length)};
    if (!drain_bytes(t, &last, sizeof last))
        return false;
    if (fsync(t->fd) != 0)
        return refuse_checkpoint(t, "cannot be written: ", strerror(errno));
    const int fd = t->fd;
    t->fd = -1;
    if (close(fd) != 0)
        return refuse_checkpoint(t, "cannot be written: ", strerror(errno));
    return rd_file_publish(t->temporary, t->path, t->e);
}

bool rd_checkpoint_file_close(struct rd_checkpoint_file *t, bool good)
{
    good = good && !t->failed;
    if (good && t->is_read)
        good = t->length == 0 || refuse_checkpoint(t, "has more records than a checkpoint", "");
    else if (good)
        good = finish_checkpoint(t);
    if (t->path && t->fd >= 0)
        close(t->fd);
    if (!good && t->temporary)
        unlink(t->temporary);
    free(t->path);
    free(t->temporary);
    free(t->block);
    *t = (struct rd_checkpoint_file){0};
    return good;
}

bool rd_checkpoint_file_begin(struct rd_checkpoint_file *t, const char *name, int64_t *bytes)
{
    struct label label = {.bytes = *bytes};
    char wanted[NAME] = {0};
    assert(strlen(name) < NAME && (t->is_read || (t->left == 0 && *bytes >= 0)));
    memcpy(wanted, name, strlen(name));
    memcpy(label.name, wanted, NAME);
    if (t->is_read && (t->left != 0 || t->length < (int64_t)sizeof label))
        return refuse_checkpoint(t, "is not a checkpoint of this program: it ends before ", name);
    if (!pass(t, &label, sizeof label))
        return false;
    if (t->is_read) {
        t->length -= (int64_t)sizeof label;
        if (memcmp(label.name, wanted, NAME) != 0 || label.bytes < 0 || label.bytes > t->length)
            return refuse_checkpoint(t, "is not a checkpoint of this program: it has no ", name);
    }
    t->left = *bytes = label.bytes;
    return true;
}

bool rd_checkpoint_file_bytes(struct rd_checkpoint_file *t, void *at, size_t n)
{
    if (!t->failed && (int64_t)n > t->left)
        return refuse_checkpoint(t, "is not a checkpoint of this program: a record is too short",
                                 "");
    if (!pass(t, at, n))
        return false;
    t->left -= (int64_t)n;
    t->length -= t->is_read ? (int64_t)n : 0;
    return true;
}

bool rd_checkpoint_file_record(struct rd_checkpoint_file *t, const char *name, void *at, size_t n)
{
    int64_t bytes = (int64_t)n;
    if (!rd_checkpoint_file_begin(t, name, &bytes))
        return false;
    return bytes == (int64_t)n
               ? rd_checkpoint_file_bytes(t, at, n)
               : refuse_checkpoint(t, "belongs to another model: it differs in ", name);
}
