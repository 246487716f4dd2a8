/* counts_by_host - counts that the host reads and writes; separate because backend_cpu.c has no
   room for them. */
#ifndef RD_CPU_COUNTS_BY_HOST_H
#define RD_CPU_COUNTS_BY_HOST_H

#include "kernels/core/backend.h"

static bool cpu_gather(rd_machine *m, int32_t *to, const int32_t *from, const int64_t *index,
                       int64_t n, struct rd_error *e)
{
    (void)m;
    (void)e;
    for (int64_t i = 0; i < n; i++)
        to[i] = from[index[i]];
    return true;
}

static bool cpu_scatter(rd_machine *m, int32_t *to, const int32_t *from, const int64_t *index,
                        int64_t n, struct rd_error *e)
{
    (void)m;
    (void)e;
    for (int64_t i = 0; i < n; i++)
        to[index[i]] = from[i];
    return true;
}

static bool cpu_get_marks(rd_machine *m, uint8_t *to, const int32_t *from, int64_t n, int32_t low,
                          int32_t high, struct rd_error *e)
{
    (void)m;
    (void)e;
    for (int64_t i = 0; i < n; i++)
        to[i] = from[i] >= low && from[i] <= high;
    return true;
}

#endif
