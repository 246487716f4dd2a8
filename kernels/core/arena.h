/* arena - one block of memory that many arrays stand in, known by its addresses alone: it may be
   where the host cannot look. Each array stands in the first gap that it fits in. */
#ifndef RD_CORE_ARENA_H
#define RD_CORE_ARENA_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Every array begins where anything may. */
enum { RD_ARENA_ALIGNED = 256, RD_ARENA_MOST = 256 };

struct rd_span {
    size_t begin, end;
};

/* Zero-initialised has no room. */
struct rd_arena {
    char *at;
    size_t bytes;
    struct rd_span taken[RD_ARENA_MOST]; /* in their order */
    int n;
};

/* What so many bytes take in it: nothing, too, is somewhere. */
size_t rd_arena_padded(size_t bytes);
/* NULL: there is no gap as large. */
void *rd_arena_take(struct rd_arena *a, size_t bytes);
/* False: it is not from there. */
bool rd_arena_give(struct rd_arena *a, const void *p);

#ifdef __cplusplus
}
#endif

#endif
