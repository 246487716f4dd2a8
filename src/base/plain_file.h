/* plain_file - opens and creates regular files. A name in a configuration, in a result or in a
   folder may lead to a FIFO, a device or a link: reading one may never end, and writing through
   one may destroy another file. */
#ifndef RD_BASE_PLAIN_FILE_H
#define RD_BASE_PLAIN_FILE_H

#include "base/error.h"

#include <stdio.h>

/* Opens a regular file for reading; never waits. Returns its descriptor, or -1 and in *why the
   reason as a clause: "it is a FIFO, not a regular file". The clause stays valid until the next
   call. */
int rd_plain_open(const char *path, const char **why);
/* Does the same as rd_plain_open, for stdio; NULL on failure. */
FILE *rd_plain_read(const char *path, const char **why);

/* Creates an empty file, open for reading and writing, in place of whatever has this name: an
   earlier file, link or FIFO is removed, not followed. Returns -1 and sets errno on failure. */
int rd_plain_create(const char *path);
/* Opens an existing file for reading and writing, not through a link; refuses what is not a regular
   file or has other names (hard links). Returns -1 and sets errno on failure. */
int rd_plain_reopen(const char *path);

/* Returns what is wrong with a file of this kind (st_mode), as a clause; NULL for a regular
   file. */
const char *rd_plain_clause(unsigned mode);

#endif
