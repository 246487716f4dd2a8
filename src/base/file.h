/* file - opens, creates, compares, locks and renames regular files.
   A name in a configuration, in a result or in a folder may lead to a FIFO, a device or a link:
   reading one may never end, and writing through one may destroy another file. */
#ifndef RD_BASE_FILE_H
#define RD_BASE_FILE_H

#include "base/error.h"

#include <stdint.h>
#include <stdio.h>

/* Opens a regular file for reading; never waits. Returns its descriptor, or -1 and in *why the
   reason as a clause: "it is a FIFO, not a regular file". The clause stays valid until the next
   call. */
int rd_file_open(const char *path, const char **why);
/* Does the same for stdio; NULL on failure. */
FILE *rd_file_open_stream(const char *path, const char **why);
/* Does the same, and also opens standard input and <(COMMAND) of a shell, which may be pipes. */
FILE *rd_file_open_text(const char *path, const char **why);
/* Creates an empty file, open for reading and writing, in place of whatever has this name: an
   earlier file, link or FIFO is removed, not followed. Returns -1 and sets errno on failure. */
int rd_file_create(const char *path);
/* Opens an existing file for reading and writing, not through a link; refuses what is not a regular
   file or has other names (hard links). Returns -1 and sets errno on failure. */
int rd_file_reopen(const char *path);

/* Reads n bytes at a place. Returns their number, which is less only at the end of the file; or -1
   and sets errno. */
int64_t rd_file_read_at(int fd, void *to, size_t n, int64_t at);
/* Writes n bytes at a place. Returns false and sets errno on failure. */
bool rd_file_write_at(int fd, const void *from, size_t n, int64_t at);

/* Returns what is wrong with a file of this kind (st_mode), as a clause; NULL for a regular
   file. */
const char *rd_file_clause(unsigned mode);
/* Makes a folder, if there is none of this name. Returns false and sets errno on failure. */
bool rd_file_make_folder(const char *path);
/* Returns whether both paths lead to one file; false if one of them leads to none. */
bool rd_file_is_same(const char *a, const char *b);

/* Returns whether the folder of path exists and files can be made in it, or false with a message.
 */
bool rd_file_check_place(const char *path, struct rd_error *e);
/* Adds the message that the file cannot be written for this reason (errno). Returns false. */
bool rd_file_fail_to_write(const char *path, int failure, struct rd_error *e);
/* Closes a new file. One that was not written in full is removed, with a message. */
bool rd_file_close_new(FILE *out, const char *path, struct rd_error *e);
/* Returns whether a file may get the name `path`, or false with a message. An existing file is
   replaced only if force is set, and only if it is a regular file. or_else ends the message about
   force. */
bool rd_file_may_publish(const char *path, bool force, const char *or_else, struct rd_error *e);
/* Renames the file so that the new name survives a power cut; removes the temporary file on
   failure. */
bool rd_file_publish(const char *temporary, const char *path, struct rd_error *e);

/* A lock file is one that one run holds. The operating system releases it when the process ends for
   any reason, and the processes that it has forked. */

/* Creates the file at path and locks it. Returns a descriptor for rd_file_unlock, or -1 and sets
   errno: EAGAIN if another run holds the lock; ENOENT if the file or its directory was removed.
   A file system without locks grants the lock to every process. */
int rd_file_lock(const char *path);
/* Removes the file and releases the lock. */
void rd_file_unlock(int lock, const char *path);
/* Returns whether a run holds the lock; changes nothing. */
bool rd_file_is_locked(const char *path);

/* Waits, at most 10 s, until no other process holds the open file, and then holds it until all
   descriptors of it are closed, also those of processes that this one starts. Returns false if
   another process still holds it. A file system without locks lets every process hold it. */
bool rd_file_hold(int fd);

#endif
