/* supports - the signed supports of vectors: which columns are not 0, and which are negative. */
#include "cone/supports.h"

#include "base/hash.h"

#include <stdlib.h>
#include <string.h>

void rd_supports_begin(struct rd_supports *s, int n_columns)
{
    *s = (struct rd_supports){.n_columns = n_columns, .n_words = (n_columns + 63) / 64};
}

static size_t bytes_of(const struct rd_supports *s)
{
    return 2 * (size_t)s->n_words * sizeof *s->set;
}

static uint64_t *support_of(const struct rd_supports *s, int64_t support)
{
    return s->set + 2 * (int64_t)s->n_words * support;
}

uint64_t *rd_supports_add(struct rd_supports *s, struct rd_error *e)
{
    if (s->n == s->room) {
        const int64_t room = s->room + s->room / 4 + 256;
        uint64_t *const set = realloc(s->set, (size_t)room * bytes_of(s));
        if (!set) {
            rd_fail(e, "there is no memory for %lld vectors", (long long)room);
            return NULL;
        }
        s->set = set;
        s->room = room;
    }
    uint64_t *const set = support_of(s, s->n++);
    memset(set, 0, bytes_of(s));
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

static int length_of(const uint64_t *set, int n_words)
{
    int length = 0;
    for (int w = 0; w < n_words; w++)
        length += __builtin_popcountll(set[w]);
    return length;
}

int rd_supports_length(const struct rd_supports *s, int64_t support)
{
    return length_of(support_of(s, support), s->n_words);
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

/* A support to be sorted. */
struct key {
    const uint64_t *set;
    int n_words, length;
};

/* Compares by length; then the set that has the first column in which they differ comes first;
   then positive comes before negative. */
static int compare(const void *one, const void *other)
{
    const struct key *const a = one, *const b = other;
    if (a->length != b->length)
        return a->length < b->length ? -1 : 1;
    for (int w = 0; w < 2 * a->n_words; w++) {
        const uint64_t differ = a->set[w] ^ b->set[w];
        if (differ == 0)
            continue;
        const bool has = (a->set[w] & (differ & (~differ + 1))) != 0;
        return has == (w < a->n_words) ? -1 : 1;
    }
    return 0;
}

bool rd_supports_sort(struct rd_supports *s, struct rd_error *e)
{
    struct key *const key = malloc((size_t)s->n * sizeof *key + 1);
    uint64_t *const sorted = malloc((size_t)s->n * bytes_of(s) + 1);
    if (!key || !sorted) {
        free(key);
        free(sorted);
        return rd_fail(e, "there is no memory to sort %lld vectors", (long long)s->n);
    }
    for (int64_t i = 0; i < s->n; i++)
        key[i] = (struct key){support_of(s, i), s->n_words, rd_supports_length(s, i)};
    if (s->n > 1)
        qsort(key, (size_t)s->n, sizeof *key, compare);
    int64_t n = 0;
    for (int64_t i = 0; i < s->n; i++)
        if (i == 0 || compare(&key[i - 1], &key[i]) != 0)
            memcpy(sorted + 2 * (int64_t)s->n_words * n++, key[i].set, bytes_of(s));
    free(key);
    free(s->set);
    s->set = sorted;
    s->room = s->n;
    s->n = n;
    return true;
}

void rd_supports_keep(struct rd_supports *s, const bool *keeps)
{
    int64_t n = 0;
    for (int64_t i = 0; i < s->n; i++)
        if (keeps[i])
            memmove(support_of(s, n++), support_of(s, i), bytes_of(s));
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
