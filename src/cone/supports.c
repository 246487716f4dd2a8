/* supports - the signed supports of vectors: which columns are not 0, and which are negative. */
#include "cone/supports.h"

#include "base/hash.h"

#include <stdlib.h>
#include <string.h>

void rd_supports_begin(struct rd_supports *s, int n_columns)
{
    *s = (struct rd_supports){.n_columns = n_columns, .n_words = (n_columns + 63) / 64};
}

static size_t bytes_of_support(const struct rd_supports *s)
{
    return 2 * (size_t)s->n_words * sizeof *s->set;
}

static uint64_t *support_of(const struct rd_supports *s, int64_t support)
{
    return s->set + 2 * (int64_t)s->n_words * support;
}

int64_t rd_supports_bytes(const struct rd_supports *s)
{
    return (int64_t)bytes_of_support(s) + 2 * (int64_t)sizeof(uint32_t);
}

bool rd_supports_reserve(struct rd_supports *s, int64_t n, struct rd_error *e)
{
    const int64_t capacity = s->n + n;
    uint64_t *const set =
        capacity < UINT32_MAX ? realloc(s->set, (size_t)capacity * bytes_of_support(s) + 1) : NULL;
    if (!set)
        return rd_fail_memory(e, "out of memory for %lld vectors", (long long)capacity);
    s->set = set;
    s->capacity = capacity;
    return true;
}

uint64_t *rd_supports_add(struct rd_supports *s, struct rd_error *e)
{
    if (s->n == s->capacity && !rd_supports_reserve(s, s->capacity / 4 + 256, e))
        return NULL;
    uint64_t *const set = support_of(s, s->n++);
    memset(set, 0, bytes_of_support(s));
    return set;
}

void rd_supports_put(const struct rd_supports *s, uint64_t *set, int column, bool is_negative)
{
    const uint64_t bit = UINT64_C(1) << (column % 64);
    set[column / 64] |= bit;
    if (is_negative)
        set[s->n_words + column / 64] |= bit;
}

bool rd_supports_has(const struct rd_supports *s, int64_t support, int column)
{
    return support_of(s, support)[column / 64] >> (column % 64) & 1;
}

bool rd_supports_is_negative(const struct rd_supports *s, int64_t support, int column)
{
    return support_of(s, support)[s->n_words + column / 64] >> (column % 64) & 1;
}

int rd_supports_length(const struct rd_supports *s, int64_t support)
{
    int length = 0;
    for (int w = 0; w < s->n_words; w++)
        length += __builtin_popcountll(support_of(s, support)[w]);
    return length;
}

void rd_supports_turn(const struct rd_supports *s, uint64_t *set, const bool *is_reversible)
{
    int first = -1;
    for (int r = 0; r < s->n_columns; r++) {
        if (!(set[r / 64] >> (r % 64) & 1))
            continue;
        if (!is_reversible[r])
            return;
        first = first < 0 ? r : first;
    }
    if (first < 0 || !(set[s->n_words + first / 64] >> (first % 64) & 1))
        return;
    for (int w = 0; w < s->n_words; w++)
        set[s->n_words + w] ^= set[w];
}

/* Compares supports of one length: that which has the first column in which they differ comes
   first; then positive comes before negative. */
static int compare_supports(const struct rd_supports *s, uint32_t a, uint32_t b)
{
    const uint64_t *const one = support_of(s, a), *const other = support_of(s, b);
    for (int w = 0; w < 2 * s->n_words; w++) {
        const uint64_t differ = one[w] ^ other[w];
        if (differ == 0)
            continue;
        const bool has = (one[w] & (differ & (~differ + 1))) != 0;
        return has == (w < s->n_words) ? -1 : 1;
    }
    return 0;
}

/* Merges two sorted halves. */
static void merge_halves(const struct rd_supports *s, const uint32_t *from, int64_t half, int64_t n,
                         uint32_t *to)
{
    for (int64_t i = 0, k = half; i < half || k < n;)
        *to++ = k == n || (i < half && compare_supports(s, from[i], from[k]) <= 0) ? from[i++]
                                                                                   : from[k++];
}

/* Sorts supports of one length by merging ever longer parts; more has room for as many. */
static void sort_part(const struct rd_supports *s, uint32_t *order, int64_t n, uint32_t *more)
{
    uint32_t *from = order, *to = more;
    for (int64_t half = 1; half < n; half *= 2) {
        for (int64_t i = 0; i < n; i += 2 * half)
            merge_halves(s, from + i, half < n - i ? half : n - i,
                         2 * half < n - i ? 2 * half : n - i, to + i);
        uint32_t *const was = from;
        from = to;
        to = was;
    }
    if (from != order)
        memcpy(order, from, (size_t)n * sizeof *order);
}

/* Sets order to the supports by length; begin[length] to where those of a length begin. */
static void sort_lengths(const struct rd_supports *s, uint32_t *order, int64_t *begin)
{
    for (int64_t i = 0; i < s->n; i++)
        begin[rd_supports_length(s, i) + 1]++;
    for (int length = 0; length <= s->n_columns; length++)
        begin[length + 1] += begin[length];
    for (int64_t i = 0; i < s->n; i++)
        order[begin[rd_supports_length(s, i)]++] = (uint32_t)i;
    for (int length = s->n_columns; length > 0; length--)
        begin[length] = begin[length - 1];
    begin[0] = 0;
}

/* Moves the supports to their places, cycle by cycle; spare has room for one. */
static void move_supports(struct rd_supports *s, uint32_t *order, uint64_t *spare)
{
    for (int64_t i = 0; i < s->n; i++) {
        int64_t at = i;
        memcpy(spare, support_of(s, i), bytes_of_support(s));
        for (int64_t from = order[at]; from != i; from = order[at]) {
            memcpy(support_of(s, at), support_of(s, from), bytes_of_support(s));
            order[at] = (uint32_t)at;
            at = from;
        }
        memcpy(support_of(s, at), spare, bytes_of_support(s));
        order[at] = (uint32_t)at;
    }
}

/* Removes supports that are equal to the one before. */
static void drop_equal(struct rd_supports *s)
{
    int64_t n = 0;
    for (int64_t i = 0; i < s->n; i++)
        if (n == 0 || memcmp(support_of(s, n - 1), support_of(s, i), bytes_of_support(s)) != 0)
            memmove(support_of(s, n++), support_of(s, i), bytes_of_support(s));
    s->n = n;
}

bool rd_supports_sort(struct rd_supports *s, struct rd_error *e)
{
    uint32_t *const order = malloc(2 * (size_t)s->n * sizeof *order + 1);
    int64_t *const begin = calloc((size_t)s->n_columns + 2, sizeof *begin);
    uint64_t *const spare = malloc(bytes_of_support(s) + 1);
    const bool ok = order && begin && spare;
    if (ok) {
        sort_lengths(s, order, begin);
        for (int length = 0; length <= s->n_columns; length++)
            sort_part(s, order + begin[length], begin[length + 1] - begin[length], order + s->n);
        move_supports(s, order, spare);
        drop_equal(s);
    }
    free(order);
    free(begin);
    free(spare);
    return ok || rd_fail_memory(e, "out of memory for sorting %lld vectors", (long long)s->n);
}

void rd_supports_keep(struct rd_supports *s, const bool *keeps)
{
    int64_t n = 0;
    for (int64_t i = 0; i < s->n; i++)
        if (keeps[i])
            memmove(support_of(s, n++), support_of(s, i), bytes_of_support(s));
    s->n = n;
}

uint64_t rd_supports_hash(const struct rd_supports *s)
{
    uint64_t hash = RD_HASH_OF_NOTHING;
    for (int64_t i = 0; i < s->n; i++)
        for (int w = 0; w < 2 * s->n_words; w++) {
            unsigned char byte[8];
            for (int k = 0; k < 8; k++)
                byte[k] = (unsigned char)(support_of(s, i)[w] >> (8 * k));
            hash = rd_hash_on(hash, byte, sizeof byte);
        }
    return hash;
}

void rd_supports_free(struct rd_supports *s)
{
    free(s->set);
    *s = (struct rd_supports){0};
}
