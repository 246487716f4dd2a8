/* arena - allocates arrays in one block of memory, first fit. */
#include "kernels/core/arena.h"

#include <string.h>

size_t rd_arena_padded(size_t bytes)
{
    return (bytes / RD_ARENA_ALIGNED + 1) * RD_ARENA_ALIGNED;
}

char *rd_arena_place(char *block, size_t *at, size_t bytes)
{
    char *const here = block ? block + *at : NULL;
    *at += rd_arena_padded(bytes);
    return here;
}

/* Returns the gap before span i. */
static struct rd_span gap_before(const struct rd_arena *a, int i)
{
    return (struct rd_span){i > 0 ? a->taken[i - 1].end : 0,
                            i < a->n ? a->taken[i].begin : a->bytes};
}

void *rd_arena_take(struct rd_arena *a, size_t bytes)
{
    const size_t capacity = rd_arena_padded(bytes);
    if (a->n == RD_ARENA_MOST || capacity < bytes)
        return NULL;
    for (int i = 0; i <= a->n; i++) {
        const struct rd_span gap = gap_before(a, i);
        if (gap.end - gap.begin < capacity)
            continue;
        memmove(&a->taken[i + 1], &a->taken[i], (size_t)(a->n - i) * sizeof *a->taken);
        a->taken[i] = (struct rd_span){gap.begin, gap.begin + capacity};
        a->n++;
        return a->at + gap.begin;
    }
    return NULL;
}

bool rd_arena_give(struct rd_arena *a, const void *p)
{
    for (int i = 0; i < a->n; i++) {
        if (a->at + a->taken[i].begin != (const char *)p)
            continue;
        a->n--;
        memmove(&a->taken[i], &a->taken[i + 1], (size_t)(a->n - i) * sizeof *a->taken);
        return true;
    }
    return false;
}
