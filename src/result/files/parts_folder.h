/* parts_folder - checks of the directory OUT.parts: it must be a directory, not a link to one,
   that belongs to the user and holds only regular files of its own.
   Every file that is written in it is created anew (O_EXCL, O_NOFOLLOW), and every file is
   removed relative to a descriptor of the directory itself. So a link that appears after the
   check leads to a failure, never to another file. HDF5 opens by name only what it reads. */
#ifndef RD_RESULT_FILES_PARTS_FOLDER_H
#define RD_RESULT_FILES_PARTS_FOLDER_H

#include "base/error.h"

#include <dirent.h>

/* Checks that a path is free, or is a directory that belongs to the user. */
bool rd_store_folder_check(const char *path, struct rd_error *e);
/* Opens a directory, not through a link. Returns NULL and sets errno on failure. */
DIR *rd_store_folder_open(const char *path);
/* Checks that an entry is a regular file with one name (hard link) and the directory's owner.
   path is that of the directory, for the message. */
bool rd_store_folder_check_entry(DIR *directory, const char *path, const char *name,
                                 struct rd_error *e);
/* Removes a file from the directory. Returns whether it is removed. */
bool rd_store_folder_remove(const char *path, const char *name);

#endif
