/* sort_cpu - sorts pairs (key, value) on the CPU: by counting, digit by digit, in shares that
   threads may process at the same time. It starts no threads and allocates no memory. */
#ifndef RD_CPU_SORT_CPU_H
#define RD_CPU_SORT_CPU_H

#include <stdbool.h>
#include <stdint.h>

enum { RD_SORT_CHUNKS = 4096, RD_SORT_SHARES = 256, RD_SORT_DIGIT = 11 };

struct rd_pairs {
    uint32_t *key, *value;
};

/* Holds the range of digits in a chunk of the list; shares of other digits skip the chunk. */
struct rd_sort_chunk {
    uint32_t low, high;
};

/* Holds a share: the pairs whose digits are first <= digit < end, and their number. */
struct rd_sort_share {
    uint64_t first, end;
    int64_t n;
};

/* Describes one pass: it sorts `from` into `to` by the digit (key >> shift) & mask, and keeps the
   order of equal digits. */
struct rd_sort {
    struct rd_pairs from, to;
    int64_t n, per_chunk;
    int shift;
    uint32_t mask;
    uint32_t *place; /* [mask + 1]: number of pairs with the digit; then place of the next one */
    struct rd_sort_chunk *chunk; /* [RD_SORT_CHUNKS] */
};

/* Returns whether one pass by all bits, in so many shares, is faster than three by a third of them
   each, in one share. */
bool rd_sort_suits_one_pass(const uint32_t *key, int64_t n, int bits, int n_shares);

/* Begins a pass, which is: open, look at every chunk, divide, count every share, put every share
   behind those before it. */
void rd_sort_open(struct rd_sort *s, int shift, int width, int n_shares);
int64_t rd_sort_chunks(const struct rd_sort *s);
void rd_sort_look(const struct rd_sort *s, int64_t chunk);
/* Divides the digits into shares of about the same size, if the list is nearly sorted. */
void rd_sort_divide(const struct rd_sort *s, struct rd_sort_share *share, int n_shares);
void rd_sort_count(const struct rd_sort *s, struct rd_sort_share *share);
void rd_sort_put(const struct rd_sort *s, const struct rd_sort_share *share, int64_t start);

#endif
