/* plain_file - opens and creates regular files. */
#define _POSIX_C_SOURCE 200809L
#include "base/plain_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char *rd_plain_clause(unsigned mode)
{
    return S_ISREG(mode)    ? NULL
           : S_ISDIR(mode)  ? "it is a folder, not a regular file"
           : S_ISLNK(mode)  ? "it is a symbolic link, not a regular file"
           : S_ISFIFO(mode) ? "it is a FIFO, not a regular file"
           : S_ISSOCK(mode) ? "it is a socket, not a regular file"
                            : "it is a device, not a regular file";
}

static int close_for(int fd, const char **why, const char *reason)
{
    if (fd >= 0)
        close(fd);
    *why = reason;
    return -1;
}

/* Checks the kind before it opens the file, since opening rewinds a tape drive; and again after,
   since the name may lead to another file by then. */
int rd_plain_open(const char *path, const char **why)
{
    struct stat about;
    if (stat(path, &about) == 0 && !S_ISREG(about.st_mode))
        return close_for(-1, why, rd_plain_clause(about.st_mode));
    const int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
    if (fd < 0)
        return close_for(fd, why, strerror(errno));
    if (fstat(fd, &about) != 0)
        return close_for(fd, why, strerror(errno));
    return S_ISREG(about.st_mode) ? fd : close_for(fd, why, rd_plain_clause(about.st_mode));
}

FILE *rd_plain_read(const char *path, const char **why)
{
    const int fd = rd_plain_open(path, why);
    FILE *const file = fd >= 0 ? fdopen(fd, "rb") : NULL;
    if (fd >= 0 && !file)
        close_for(fd, why, strerror(errno));
    return file;
}

int rd_plain_create(const char *path)
{
    if (unlink(path) != 0 && errno != ENOENT)
        return -1;
    return open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
}

int rd_plain_reopen(const char *path)
{
    struct stat about;
    const int fd = open(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
    if (fd < 0)
        return -1;
    const bool is_known = fstat(fd, &about) == 0;
    if (is_known && S_ISREG(about.st_mode) && about.st_nlink == 1)
        return fd;
    const int fault = is_known ? EINVAL : errno;
    close(fd);
    errno = fault;
    return -1;
}
