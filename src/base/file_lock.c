/* file_lock - a file that one living process holds, by a POSIX record lock. */
#define _POSIX_C_SOURCE 200809L
#include "base/file_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

/* Returns whether the path still leads to the open file: its last owner may have removed it. */
static bool is_there(int lock, const char *path)
{
    struct stat a, b;
    return fstat(lock, &a) == 0 && lstat(path, &b) == 0 && a.st_dev == b.st_dev &&
           a.st_ino == b.st_ino;
}

int rd_lock_take(const char *path)
{
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    const int lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666);
    if (lock < 0)
        return -1;
    const bool taken = fcntl(lock, F_SETLK, &whole) == 0;
    const bool held = !taken && (errno == EACCES || errno == EAGAIN);
    if (!held && is_there(lock, path))
        return lock;
    close(lock);
    errno = held ? EAGAIN : ENOENT;
    return -1;
}

void rd_lock_drop(int lock, const char *path)
{
    unlink(path);
    close(lock);
}

bool rd_lock_is_held(const char *path)
{
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    const int lock = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (lock < 0)
        return false;
    const bool held = fcntl(lock, F_GETLK, &whole) == 0 && whole.l_type != F_UNLCK;
    close(lock);
    return held;
}
