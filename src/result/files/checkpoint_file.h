/* checkpoint_file - a file of named records that nobody sees until it is whole, and that is read
   only if no byte of it has changed. One function can list what is on a tape for both directions.
   Knows files, not what is on them. */
#ifndef RD_RESULT_FILES_CHECKPOINT_FILE_H
#define RD_RESULT_FILES_CHECKPOINT_FILE_H

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

/* Zero-initialised is closed. After a failure, which is told once, nothing more happens, and what
   would be read is left alone. */
struct rd_checkpoint_file {
    bool is_read;
    bool failed;
    int fd;
    char *path, *temporary; /* owned: where it is seen, and where it is until then */
    struct rd_error *e;
    int64_t length;       /* bytes so far; of a read one, those of records that are to come */
    int64_t left;         /* of the record at hand */
    uint64_t lane[4];     /* the checksum so far */
    unsigned char *block; /* owned: bytes on their way */
    size_t at, n;         /* in the block: the next byte, and how many there are */
};

/* What goes wrong from now on is told to e, which must live as long. */
bool rd_checkpoint_file_create(struct rd_checkpoint_file *t, const char *temporary,
                               const char *path, struct rd_error *e);
/* Reads it all once: it must have an end, and the checksum that was written. */
bool rd_checkpoint_file_open(struct rd_checkpoint_file *t, const char *path, struct rd_error *e);
/* A written one gets its name, if all is good; of a read one there must be nothing left, if all is
   good. Closes in any case. */
bool rd_checkpoint_file_close(struct rd_checkpoint_file *t, bool good);

/* The record that comes next has this name and so many bytes, which a read one says itself. */
bool rd_checkpoint_file_begin(struct rd_checkpoint_file *t, const char *name, int64_t *bytes);
/* The next n bytes of it, to the tape or from it. */
bool rd_checkpoint_file_bytes(struct rd_checkpoint_file *t, void *at, size_t n);
/* A whole record, of just n bytes. */
bool rd_checkpoint_file_record(struct rd_checkpoint_file *t, const char *name, void *at, size_t n);
/* What was read cannot be: "PATH: the fact". */
bool rd_checkpoint_file_refuse(struct rd_checkpoint_file *t, const char *fact);

#endif
