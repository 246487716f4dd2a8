/* memory - ends a command that only prints if an allocation fails. */
#include "base/memory.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

enum { WRONG = 2 };

/* Is static since memory belongs to the process, not to an object. */
static bool is_enabled;

void *rd_memory_need(void *allocated)
{
    if (allocated)
        return allocated;
    fputs("rdsim: out of memory; use a machine with more memory\n", stderr);
    _Exit(WRONG); /* other threads may still run, and what is printed is incomplete */
}

void *rd_memory_guard(void *allocated)
{
    return is_enabled ? rd_memory_need(allocated) : allocated;
}

void rd_memory_guard_enable(void)
{
    is_enabled = true;
}
