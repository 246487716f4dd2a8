/* host_memory - reads the free memory from files of the kernel and from limits of the process. */
#define _POSIX_C_SOURCE 200809L
#include "kernels/cpu/host_memory.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* Returns the number after the word in a small file of the kernel; -1 if it is not there. */
static int64_t number_in(const char *path, const char *word)
{
    char text[4096];
    const int file = open(path, O_RDONLY);
    if (file < 0)
        return -1;
    const ssize_t length = read(file, text, sizeof text - 1);
    close(file);
    if (length <= 0)
        return -1;
    text[length] = 0;
    const char *at = strstr(text, word);
    if (!at)
        return -1;
    at += strlen(word);
    char *end;
    const int64_t number = strtoll(at, &end, 10);
    return end == at ? -1 : number;
}

/* Returns the bytes that the process may still allocate (ulimit -v), less those that threads and
   libraries will take; -1 if there is no limit. */
static int64_t left_to_process(int n_threads)
{
    enum { LIBRARIES = 24 << 20, STACK = 8 << 20, OTHERS = 2 };
    struct rlimit space, stack;
    const int64_t pages = number_in("/proc/self/statm", "");
    if (getrlimit(RLIMIT_AS, &space) != 0 || space.rlim_cur == RLIM_INFINITY || pages < 0)
        return -1;
    const bool has_stack = getrlimit(RLIMIT_STACK, &stack) == 0 && stack.rlim_cur != RLIM_INFINITY;
    const int64_t one = has_stack ? (int64_t)stack.rlim_cur : STACK;
    const int64_t threads = n_threads - 1 + OTHERS;
    const int64_t left = (int64_t)space.rlim_cur - pages * sysconf(_SC_PAGESIZE) - LIBRARIES;
    return left > threads * one ? left - threads * one : 0;
}

static int64_t lower_limit(int64_t a, int64_t b)
{
    return a < 0 || (b >= 0 && b < a) ? b : a;
}

int64_t rd_host_memory(int n_threads)
{
    int64_t free_bytes = number_in("/proc/meminfo", "MemAvailable:");
    if (free_bytes > 0)
        free_bytes *= 1024;
    const int64_t limit = number_in("/sys/fs/cgroup/memory.max", "");
    const int64_t taken = number_in("/sys/fs/cgroup/memory.current", "");
    if (limit > 0 && taken >= 0)
        free_bytes = lower_limit(free_bytes, limit > taken ? limit - taken : 0);
    return lower_limit(free_bytes, left_to_process(n_threads));
}
