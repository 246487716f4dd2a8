/* arena - one block of memory that holds many arrays. It uses addresses only, since the host may be
   unable to read the memory. Each array takes the first gap that is large enough. */
#ifndef RD_CORE_ARENA_H
#define RD_CORE_ARENA_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Gives the alignment of each array in bytes, which suits every type, and the most arrays. */
enum { RD_ARENA_ALIGNED = 256, RD_ARENA_MOST = 256 };

struct rd_span {
    size_t begin, end;
};

/* Describes the block and its arrays. A zero-initialised arena has no room. */
struct rd_arena {
    char *at;
    size_t bytes;
    struct rd_span taken[RD_ARENA_MOST]; /* by address */
    int n;
};

/* Returns the bytes that an array of `bytes` occupies; an empty one also has its own address. */
size_t rd_arena_padded(size_t bytes);
/* Returns the address of an array at offset *at of a block, and advances *at behind it. If the
   block is NULL, it only counts the bytes. */
char *rd_arena_place(char *block, size_t *at, size_t bytes);
/* Returns the address of a new array; NULL if no gap is large enough or there are RD_ARENA_MOST. */
void *rd_arena_take(struct rd_arena *a, size_t bytes);
/* Releases the array; returns false if it is not in the arena. */
bool rd_arena_give(struct rd_arena *a, const void *p);

#ifdef __cplusplus
}
#endif

#endif
