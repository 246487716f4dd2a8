/* file_lock - a file that one living process holds. The operating system releases it when the
   process ends for any reason. */
#ifndef RD_BASE_FILE_LOCK_H
#define RD_BASE_FILE_LOCK_H

#include <stdbool.h>

/* Creates the file at path and locks it. Returns a descriptor for rd_lock_drop, or -1 and sets
   errno: EAGAIN if another process holds the lock; ENOENT if the file or its directory was removed.
   A file system without locks grants the lock to every process. */
int rd_lock_take(const char *path);
/* Removes the file and releases the lock. */
void rd_lock_drop(int lock, const char *path);

/* Returns whether another process holds the lock; changes nothing. The process that holds the lock
   must not call it: POSIX would release the lock when the descriptor is closed. */
bool rd_lock_is_held(const char *path);

#endif
