/* file - opens, creates, compares, locks and renames regular files, and makes folders. */
#define _GNU_SOURCE /* for locks of open files */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* ---- opening ---- */

const char *rd_file_clause(unsigned mode)
{
    return S_ISREG(mode)    ? NULL
           : S_ISDIR(mode)  ? "it is a folder, not a regular file"
           : S_ISLNK(mode)  ? "it is a symbolic link, not a regular file"
           : S_ISFIFO(mode) ? "it is a FIFO, not a regular file"
           : S_ISSOCK(mode) ? "it is a socket, not a regular file"
                            : "it is a device, not a regular file";
}

bool rd_file_make_folder(const char *path)
{
    struct stat about;
    const bool is_made = mkdir(path, 0777) == 0;
    const int why = errno;
    const bool is_there =
        !is_made && why == EEXIST && stat(path, &about) == 0 && S_ISDIR(about.st_mode);
    errno = why;
    return is_made || is_there;
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
int rd_file_open(const char *path, const char **why)
{
    struct stat about;
    if (stat(path, &about) == 0 && !S_ISREG(about.st_mode))
        return close_for(-1, why, rd_file_clause(about.st_mode));
    const int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
    if (fd < 0 || fstat(fd, &about) != 0)
        return close_for(fd, why, strerror(errno));
    return S_ISREG(about.st_mode) ? fd : close_for(fd, why, rd_file_clause(about.st_mode));
}

FILE *rd_file_open_stream(const char *path, const char **why)
{
    const int fd = rd_file_open(path, why);
    FILE *const file = fd >= 0 ? fdopen(fd, "rb") : NULL;
    if (fd >= 0 && !file)
        close_for(fd, why, strerror(errno));
    return file;
}

FILE *rd_file_open_text(const char *path, const char **why)
{
    if (strcmp(path, "/dev/stdin") != 0 && strncmp(path, "/dev/fd/", 8) != 0)
        return rd_file_open_stream(path, why);
    FILE *const file = fopen(path, "rb");
    if (!file)
        *why = strerror(errno);
    return file;
}

int rd_file_create(const char *path)
{
    if (unlink(path) != 0 && errno != ENOENT)
        return -1;
    return open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
}

int rd_file_reopen(const char *path)
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

/* ---- reading and writing ---- */

int64_t rd_file_read_at(int fd, void *to, size_t n, int64_t at)
{
    size_t done = 0;
    while (done < n) {
        const ssize_t more = pread(fd, (char *)to + done, n - done, (off_t)at + (off_t)done);
        if (more < 0 && errno != EINTR)
            return -1;
        if (more == 0)
            break;
        done += more > 0 ? (size_t)more : 0;
    }
    return (int64_t)done;
}

bool rd_file_write_at(int fd, const void *from, size_t n, int64_t at)
{
    for (size_t done = 0; done < n;) {
        const ssize_t more =
            pwrite(fd, (const char *)from + done, n - done, (off_t)at + (off_t)done);
        if (more == 0)
            errno = ENOSPC;
        if (more == 0 || (more < 0 && errno != EINTR))
            return false;
        done += more > 0 ? (size_t)more : 0;
    }
    return true;
}

/* ---- names ---- */

static bool is_same_file(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

bool rd_file_is_same(const char *a, const char *b)
{
    struct stat of_a, of_b;
    return stat(a, &of_a) == 0 && stat(b, &of_b) == 0 && is_same_file(&of_a, &of_b);
}

/* Synchronises the directory of path. It ignores errors: some file systems cannot do this, and
   there is no alternative. */
static void sync_directory(const char *path)
{
    const char *const slash = strrchr(path, '/');
    char *const directory = slash ? strdup(path) : strdup(".");
    if (!directory)
        return;
    if (slash)
        directory[slash - path + (slash == path)] = 0;
    const int fd = open(directory, O_RDONLY | O_DIRECTORY);
    free(directory);
    if (fd < 0)
        return;
    fsync(fd);
    close(fd);
}

bool rd_file_check_place(const char *path, struct rd_error *e)
{
    struct stat about;
    char place[PATH_MAX + 2] = ".";
    const char *const slash = strrchr(path, '/');
    if (slash)
        snprintf(place, PATH_MAX, "%.*s", slash > path ? (int)(slash - path) : 1, path);
    if (stat(place, &about) != 0 && errno == ENOENT)
        return rd_fail(e, "%s: there is no folder '%s'; create it", path, place);
    const size_t length = strlen(place);
    memcpy(place + length, "/", 2); /* so that a file is no folder */
    if (access(place, W_OK | X_OK) == 0)
        return true;
    place[length] = 0;
    return rd_fail(e, "%s: cannot be written in '%s': %s; name a file elsewhere", path, place,
                   strerror(errno));
}

bool rd_file_fail_to_write(const char *path, int failure, struct rd_error *e)
{
    if (failure == ENOMEM)
        return rd_fail(e, "%s: cannot be written: out of memory", path);
    return rd_fail(e, "%s: cannot be written: %s; make room there, or name a file elsewhere", path,
                   strerror(failure));
}

bool rd_file_close_new(FILE *out, const char *path, struct rd_error *e)
{
    const bool is_written = !ferror(out);
    if (fclose(out) == 0 && is_written)
        return true;
    rd_file_fail_to_write(path, errno, e);
    unlink(path);
    return false;
}

/* Refuses symbolic links: a rename replaces the link itself, not the file that it leads to. */
bool rd_file_may_publish(const char *path, bool force, const char *or_else, struct rd_error *e)
{
    struct stat about;
    char to[PATH_MAX] = "";
    if (readlink(path, to, sizeof to - 1) > 0)
        return rd_fail(e,
                       "%s: is a symbolic link to '%s', and is not replaced; name the file itself",
                       path, to);
    if (stat(path, &about) != 0)
        return true; /* an error in the path is reported when the file is created */
    if (!force)
        return rd_fail(e, "%s: exists; use --force to replace it%s", path, or_else);
    return S_ISREG(about.st_mode) ||
           rd_fail(e, "%s: is not a regular file, and is not replaced; name another file", path);
}

bool rd_file_publish(const char *temporary, const char *path, struct rd_error *e)
{
    if (rename(temporary, path) != 0) {
        rd_fail(e, "%s: cannot be renamed to %s: %s", temporary, path, strerror(errno));
        unlink(temporary);
        return false;
    }
    sync_directory(path);
    return true;
}

/* ---- locks: record locks of an open file, so that two runs of one process exclude each other ----
 */

/* Sets or tests a lock of the open file, or of the process if the system has no others. */
static int lock_record(int fd, int of_file, int of_process, struct flock *whole)
{
    const int done = fcntl(fd, of_file, whole);
    return done == 0 || errno != EINVAL ? done : fcntl(fd, of_process, whole);
}

/* Returns whether the path still leads to the open file: its last owner may have removed it. */
static bool is_file_there(int lock, const char *path)
{
    struct stat a, b;
    return fstat(lock, &a) == 0 && lstat(path, &b) == 0 && is_same_file(&a, &b);
}

int rd_file_lock(const char *path)
{
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    const int lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666);
    if (lock < 0)
        return -1;
    const bool taken = lock_record(lock, F_OFD_SETLK, F_SETLK, &whole) == 0;
    const bool held = !taken && (errno == EACCES || errno == EAGAIN);
    if (!held && is_file_there(lock, path))
        return lock;
    close(lock);
    errno = held ? EAGAIN : ENOENT;
    return -1;
}

void rd_file_unlock(int lock, const char *path)
{
    unlink(path);
    close(lock);
}

bool rd_file_is_locked(const char *path)
{
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    const int lock = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (lock < 0)
        return false;
    const bool held =
        lock_record(lock, F_OFD_GETLK, F_GETLK, &whole) == 0 && whole.l_type != F_UNLCK;
    close(lock);
    return held;
}

bool rd_file_hold(int fd)
{
    enum { TRIES = 200 };
    const struct timespec pause = {.tv_nsec = 50000000};
    for (int i = 0; i < TRIES; i++) {
        if (flock(fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK)
            return true;
        nanosleep(&pause, NULL);
    }
    return false;
}
