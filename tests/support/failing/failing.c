/* failing - simulates a failing disk for a program that runs with it as LD_PRELOAD. Calls that
   change files are numbered from 1, for each kind. From number FAIL_FROM of FAIL_KIND on,
   FAIL_COUNT calls fail as if the disk were full. The program is killed just before call number
   KILL_AT, counted over all kinds. If KILL_AFTER names a file, the call that gives a file this name
   has number 0. Each call takes SLOW_US microseconds. The numbers of calls of each kind are written
   to the file CALLS. A file MEMINFO replaces the machine's /proc/meminfo. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define KINDS(K)     K(write) K(pwrite) K(ftruncate) K(fsync) K(fsync_folder) K(rename) K(mkdir) K(open)
#define NUMBER(kind) NUMBER_##kind,
#define NAME(kind)   #kind,
enum { KINDS(NUMBER) N_KINDS };
static const char *const name[N_KINDS] = {KINDS(NAME)};

static atomic_long n_calls[N_KINDS], n_all;
static atomic_bool is_named;

static long number_in(const char *variable)
{
    const char *const text = getenv(variable);
    return text ? atol(text) : 0;
}

/* Counts a call; kills the program before the chosen one. */
static void count(void)
{
    if (getenv("KILL_AFTER") && !atomic_load(&is_named))
        return;
    const long at = atomic_fetch_add(&n_all, 1) + 1;
    if (at == number_in("KILL_AT"))
        raise(SIGKILL);
}

/* Counts a call; returns whether it is one of those that fail. */
static bool fails(int kind)
{
    const char *const wanted = getenv("FAIL_KIND");
    const long call = atomic_fetch_add(&n_calls[kind], 1) + 1, from = number_in("FAIL_FROM");
    count();
    usleep((useconds_t)number_in("SLOW_US"));
    if (!wanted || strcmp(wanted, name[kind]) != 0 || call < from ||
        call - from >= number_in("FAIL_COUNT"))
        return false;
    errno = ENOSPC;
    return true;
}

/* Returns whether fd is a regular file; pipes and terminals are no disk. */
static bool is_file(int fd)
{
    struct stat about;
    return fstat(fd, &about) == 0 && S_ISREG(about.st_mode);
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

ssize_t write(int fd, const void *from, size_t n)
{
    return is_file(fd) && fails(NUMBER_write) ? -1 : REAL(write)(fd, from, n);
}

ssize_t pwrite(int fd, const void *from, size_t n, off_t at)
{
    return is_file(fd) && fails(NUMBER_pwrite) ? -1 : REAL(pwrite)(fd, from, n, at);
}

int ftruncate(int fd, off_t length)
{
    return is_file(fd) && fails(NUMBER_ftruncate) ? -1 : REAL(ftruncate)(fd, length);
}

int fsync(int fd)
{
    return fails(is_file(fd) ? NUMBER_fsync : NUMBER_fsync_folder) ? -1 : REAL(fsync)(fd);
}

int rename(const char *from, const char *to)
{
    const int status = fails(NUMBER_rename) ? -1 : REAL(rename)(from, to);
    if (getenv("KILL_AFTER") && strcmp(to, getenv("KILL_AFTER")) == 0)
        atomic_store(&is_named, true);
    return status;
}

int mkdir(const char *path, mode_t mode)
{
    return fails(NUMBER_mkdir) ? -1 : REAL(mkdir)(path, mode);
}

int open(const char *path, int flags, ...)
{
    va_list more;
    va_start(more, flags);
    const mode_t mode = flags & O_CREAT ? va_arg(more, mode_t) : 0;
    va_end(more);
    if (getenv("MEMINFO") && strcmp(path, "/proc/meminfo") == 0)
        path = getenv("MEMINFO");
    return flags & O_CREAT && fails(NUMBER_open) ? -1 : REAL(open)(path, flags, mode);
}

int unlink(const char *path)
{
    count();
    return REAL(unlink)(path);
}

int unlinkat(int directory, const char *path, int flags)
{
    count();
    return REAL(unlinkat)(directory, path, flags);
}

int rmdir(const char *path)
{
    count();
    return REAL(rmdir)(path);
}

__attribute__((destructor)) static void print_calls(void)
{
    FILE *const out = getenv("CALLS") ? fopen(getenv("CALLS"), "w") : NULL;
    for (int kind = 0; out && kind < N_KINDS; kind++)
        fprintf(out, "%s %ld\n", name[kind], atomic_load(&n_calls[kind]));
    if (out && getenv("KILL_AT"))
        fprintf(out, "all %ld\n", atomic_load(&n_all));
    if (out)
        fclose(out);
}
