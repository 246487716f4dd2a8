/* zeros - arrays over voxels in which most numbers are 0; its own file because the tuned versions
   of react, hop and tally use it. */
#ifndef RD_CPU_ZEROS_H
#define RD_CPU_ZEROS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* Sets the numbers that are tested at once, which fit in the first cache. */
enum { RD_ZEROS_BLOCK = 1024 };

/* Returns whether one of n numbers is not 0. There is no branch at each, so that the compiler can
   use wide registers. */
static inline bool rd_has_any(const int32_t *x, int64_t n)
{
    int32_t any = 0;
    for (int64_t i = 0; i < n; i++)
        any |= x[i];
    return any != 0;
}

/* Sets n numbers to 0. Reading zeros takes less time than writing them. */
static inline void rd_clear_numbers(int32_t *x, int64_t n)
{
    for (int64_t at = 0; at < n; at += RD_ZEROS_BLOCK) {
        const int64_t rest = n - at < RD_ZEROS_BLOCK ? n - at : RD_ZEROS_BLOCK;
        if (rd_has_any(x + at, rest))
            memset(x + at, 0, (size_t)rest * sizeof *x);
    }
}

#endif
