/* sort_cpu - sorts pairs by counting. A list of individuals is nearly sorted: one pass by the whole
   key reads and writes almost in order, in the list and in the table of places. If the list has no
   order, or the table would be much larger than it, tables of narrow digits are used, which stay in
   the cache. */
#include "kernels/cpu/sort_cpu.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Sets limits of the method. PLACES_A_PAIR is measured: more places for each pair and share cost as
   much as two more passes. */
enum { PLACES_A_PAIR = 4, LOOKS = 1024, CHUNK_LEAST = 1024, SAMPLES_A_SHARE = 4 };

static uint32_t mask_of(int width)
{
    return (uint32_t)((UINT64_C(1) << width) - 1);
}

/* Returns whether neighbours are less than an eighth of the mask apart, on average. Without order
   they are a third of the keys apart, and these fill more than half of the mask. */
static bool are_keys_nearly_sorted(const uint32_t *key, int64_t n, uint32_t mask)
{
    const int64_t stride = n / LOOKS + 1;
    int64_t looks = 0, apart = 0;
    for (int64_t i = 1; i < n; i += stride) {
        const int64_t rise = (int64_t)(key[i] & mask) - (int64_t)(key[i - 1] & mask);
        apart += rise < 0 ? -rise : rise;
        looks++;
    }
    return apart <= looks * (int64_t)(mask / 8);
}

bool rd_sort_suits_one_pass(const uint32_t *key, int64_t n, int bits, int n_shares)
{
    return INT64_C(1) << bits <= PLACES_A_PAIR * n_shares * n &&
           are_keys_nearly_sorted(key, n, mask_of(bits));
}

void rd_sort_open(struct rd_sort *s, int shift, int width, int n_shares)
{
    const int64_t chunks = n_shares == 1 ? 1 : RD_SORT_CHUNKS;
    const int64_t per_chunk = (s->n + chunks - 1) / chunks;
    s->per_chunk = per_chunk > CHUNK_LEAST ? per_chunk : CHUNK_LEAST;
    s->shift = shift;
    s->mask = mask_of(width);
}

int64_t rd_sort_chunks(const struct rd_sort *s)
{
    return (s->n + s->per_chunk - 1) / s->per_chunk;
}

static int64_t end_of_chunk(const struct rd_sort *s, int64_t chunk)
{
    const int64_t end = (chunk + 1) * s->per_chunk;
    return end < s->n ? end : s->n;
}

static inline uint32_t digit_of(const struct rd_sort *s, int64_t i)
{
    return s->from.key[i] >> s->shift & s->mask;
}

void rd_sort_look(const struct rd_sort *s, int64_t chunk)
{
    uint32_t low = 0, high = s->mask;
    if (rd_sort_chunks(s) > 1) { /* a single chunk is for all shares */
        low = s->mask;
        high = 0;
        const int64_t end = end_of_chunk(s, chunk);
        for (int64_t i = chunk * s->per_chunk; i < end; i++) {
            const uint32_t digit = digit_of(s, i);
            low = digit < low ? digit : low;
            high = digit > high ? digit : high;
        }
    }
    s->chunk[chunk] = (struct rd_sort_chunk){low, high};
}

static int order_by_key(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

void rd_sort_divide(const struct rd_sort *s, struct rd_sort_share *share, int n_shares)
{
    uint32_t sample[RD_SORT_SHARES * SAMPLES_A_SHARE] = {0};
    const int n = n_shares * SAMPLES_A_SHARE;
    assert(n_shares <= RD_SORT_SHARES && n_shares <= s->n);
    for (int i = 0; i < n; i++)
        sample[i] = digit_of(s, s->n * i / n);
    qsort(sample, (size_t)n, sizeof *sample, order_by_key);
    for (int k = 0; k < n_shares; k++) {
        share[k].first = k == 0 ? 0 : share[k - 1].end;
        share[k].end =
            k == n_shares - 1 ? (uint64_t)s->mask + 1 : sample[(k + 1) * SAMPLES_A_SHARE];
    }
}

/* Counts the pairs of a chunk that belong to the share. If all do, `width` is a constant that every
   digit passes, and the test is compiled away. */
static inline int64_t count_chunk(const struct rd_sort *s, int64_t c, uint64_t first,
                                  uint64_t width)
{
    const int64_t end = end_of_chunk(s, c);
    int64_t n = 0;
    for (int64_t i = c * s->per_chunk; i < end; i++) {
        const uint32_t digit = digit_of(s, i);
        if (digit - first < width) {
            s->place[digit]++;
            n++;
        }
    }
    return n;
}

static inline void put_chunk(const struct rd_sort *s, int64_t c, uint64_t first, uint64_t width)
{
    const int64_t end = end_of_chunk(s, c);
    for (int64_t i = c * s->per_chunk; i < end; i++) {
        const uint32_t digit = digit_of(s, i);
        if (digit - first < width) {
            const uint32_t to = s->place[digit]++;
            s->to.key[to] = s->from.key[i];
            s->to.value[to] = s->from.value[i];
        }
    }
}

enum overlap { NONE, SOME, ALL };

static enum overlap overlap_of(const struct rd_sort_chunk *c, const struct rd_sort_share *share)
{
    if (c->high < share->first || c->low >= share->end)
        return NONE;
    return c->low >= share->first && c->high < share->end ? ALL : SOME;
}

#define EVERY_DIGIT 0, UINT64_C(1) << 32

void rd_sort_count(const struct rd_sort *sort, struct rd_sort_share *share)
{
    const struct rd_sort s = *sort; /* a copy, which no store to the table can change */
    const uint64_t first = share->first, width = share->end - first;
    int64_t n = 0;
    memset(s.place + first, 0, width * sizeof *s.place);
    for (int64_t c = 0; c < rd_sort_chunks(&s); c++) {
        const enum overlap overlap = overlap_of(&s.chunk[c], share);
        if (overlap == ALL)
            n += count_chunk(&s, c, EVERY_DIGIT);
        else if (overlap == SOME)
            n += count_chunk(&s, c, first, width);
    }
    share->n = n;
}

static void count_to_place(uint32_t *place, const struct rd_sort_share *share, int64_t start)
{
    uint32_t next = (uint32_t)start;
    for (uint64_t digit = share->first; digit < share->end; digit++) {
        const uint32_t n = place[digit];
        place[digit] = next;
        next += n;
    }
}

void rd_sort_put(const struct rd_sort *sort, const struct rd_sort_share *share, int64_t start)
{
    const struct rd_sort s = *sort;
    const uint64_t first = share->first, width = share->end - first;
    count_to_place(s.place, share, start);
    for (int64_t c = 0; c < rd_sort_chunks(&s); c++) {
        const enum overlap overlap = overlap_of(&s.chunk[c], share);
        if (overlap == ALL)
            put_chunk(&s, c, EVERY_DIGIT);
        else if (overlap == SOME)
            put_chunk(&s, c, first, width);
    }
}
