/* file_lock - a file that one living process holds. The system lets go of it when the process
   ends, however it ends. */
#ifndef RD_BASE_FILE_LOCK_H
#define RD_BASE_FILE_LOCK_H

#include <stdbool.h>

/* Makes the file at path and holds it: a number for rd_lock_drop. Otherwise -1 and errno: EAGAIN,
   another process holds it; ENOENT, its directory went. A file system without locks gives it to
   anyone. */
int rd_lock_take(const char *path);
/* Lets go of it and removes it. */
void rd_lock_drop(int lock, const char *path);

/* Whether another process holds it; touches nothing. Not to be asked by the one that does: POSIX
   would take it away. */
bool rd_lock_is_held(const char *path);

#endif
