/* failing - a disk that is bad, for a program that is run with it as LD_PRELOAD. Calls that change
   files are numbered from 1: from number FAIL_FROM on FAIL_COUNT of them fail as if the disk were
   full, each takes SLOW_US microseconds, and a file TOLD is told how many there were. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static atomic_long n_calls;

static long number_in(const char *variable)
{
    const char *const text = getenv(variable);
    return text ? atol(text) : 0;
}

/* Counts a call; whether it is one of those that fail. */
static bool fails(void)
{
    const long call = atomic_fetch_add(&n_calls, 1) + 1, from = number_in("FAIL_FROM");
    usleep((useconds_t)number_in("SLOW_US"));
    if (from == 0 || call < from || call >= from + number_in("FAIL_COUNT"))
        return false;
    errno = ENOSPC;
    return true;
}

/* Pipes and terminals are no disk. */
static bool is_file(int fd)
{
    struct stat about;
    return fstat(fd, &about) == 0 && S_ISREG(about.st_mode);
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

ssize_t write(int fd, const void *from, size_t n)
{
    return is_file(fd) && fails() ? -1 : REAL(write)(fd, from, n);
}

ssize_t pwrite(int fd, const void *from, size_t n, off_t at)
{
    return is_file(fd) && fails() ? -1 : REAL(pwrite)(fd, from, n, at);
}

int ftruncate(int fd, off_t length)
{
    return is_file(fd) && fails() ? -1 : REAL(ftruncate)(fd, length);
}

int fsync(int fd)
{
    return fails() ? -1 : REAL(fsync)(fd);
}

int rename(const char *from, const char *to)
{
    return fails() ? -1 : REAL(rename)(from, to);
}

int mkdir(const char *path, mode_t mode)
{
    return fails() ? -1 : REAL(mkdir)(path, mode);
}

int open(const char *path, int flags, ...)
{
    va_list more;
    va_start(more, flags);
    const mode_t mode = flags & O_CREAT ? va_arg(more, mode_t) : 0;
    va_end(more);
    return flags & O_CREAT && fails() ? -1 : REAL(open)(path, flags, mode);
}

__attribute__((destructor)) static void tell(void)
{
    FILE *const out = getenv("TOLD") ? fopen(getenv("TOLD"), "w") : NULL;
    if (out) {
        fprintf(out, "%ld\n", atomic_load(&n_calls));
        fclose(out);
    }
}
