/* checkpoint_file - a file of named records that becomes visible when it is complete, and that is
   read only if its checksum is right.
   The same functions write and read records, so one function can list the contents for both
   directions. This module handles files, not the meaning of their contents. */
#ifndef RD_RESULT_FILES_CHECKPOINT_FILE_H
#define RD_RESULT_FILES_CHECKPOINT_FILE_H

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

/* Holds an open checkpoint file; a zero-initialised struct is closed. After a failure, which is
   reported once, no more is read or written, and the caller's variables are not changed. */
struct rd_checkpoint_file {
    bool is_read;
    bool failed;
    int fd;
    char *path, *temporary; /* owned: the final path, and the path until then */
    struct rd_error *e;
    int64_t length;       /* bytes written so far; when reading, bytes of the records to come */
    int64_t left;         /* bytes left of the current record */
    uint64_t lane[4];     /* the checksum so far */
    unsigned char *block; /* owned: buffer for reading and writing */
    size_t at, n;         /* in the buffer: the next byte, and the number of bytes */
};

/* Creates the file. Later errors are reported to e, which must live as long as the file is open. */
bool rd_checkpoint_file_create(struct rd_checkpoint_file *t, const char *temporary,
                               const char *path, struct rd_error *e);
/* Opens the file and reads all of it once: it must have an end and the right checksum. */
bool rd_checkpoint_file_open(struct rd_checkpoint_file *t, const char *path, struct rd_error *e);
/* Closes the file in any case. If good, a written file gets its final name, and a read file must
   have no records left. Otherwise a written file is removed. */
bool rd_checkpoint_file_close(struct rd_checkpoint_file *t, bool good);

/* Begins the next record, with its name and length in bytes. When reading, sets *bytes to the
   length in the file. */
bool rd_checkpoint_file_begin(struct rd_checkpoint_file *t, const char *name, int64_t *bytes);
/* Writes the next n bytes of the record, or reads them. */
bool rd_checkpoint_file_bytes(struct rd_checkpoint_file *t, void *at, size_t n);
/* Writes or reads a whole record of exactly n bytes. */
bool rd_checkpoint_file_record(struct rd_checkpoint_file *t, const char *name, void *at, size_t n);
/* Rejects what was read, with the message "PATH: fact". Returns false. */
bool rd_checkpoint_file_refuse(struct rd_checkpoint_file *t, const char *fact);

#endif
