/* parts_folder - the directory OUT.parts as a place that can be trusted: a directory, not a link to
   one, that belongs to the user and holds nothing but regular files of its own.

   Every file that is written in it is created anew (O_EXCL, O_NOFOLLOW), and every file is removed
   relative to a descriptor of the directory itself. So a link that appears after the check leads to
   a failure, never to another file. HDF5 opens by name only what it reads. */
#ifndef RD_RESULT_FILES_PARTS_FOLDER_H
#define RD_RESULT_FILES_PARTS_FOLDER_H

#include "base/error.h"

#include <dirent.h>

/* Refuses a path that is there but is no directory of the user's own. */
bool rd_store_folder_check(const char *path, struct rd_error *e);
/* Opens a directory, not through a link; NULL and errno on failure. */
DIR *rd_store_folder_open(const char *path);
/* Refuses an entry that is not a regular file with one name and the directory's owner. path: of
   the directory, for the message. */
bool rd_store_folder_check_entry(DIR *directory, const char *path, const char *name,
                                 struct rd_error *e);
/* Removes a file from the directory, if it is there. */
void rd_store_folder_remove(const char *path, const char *name);

#endif
