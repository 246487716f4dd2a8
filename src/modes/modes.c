/* modes - a set of elementary flux modes: which reactions each one uses, and in which direction. */
#include "modes/modes.h"

#include "base/hash.h"

#include <stdlib.h>
#include <string.h>

void rd_modes_begin(struct rd_modes *m, int n_reactions)
{
    *m = (struct rd_modes){.n_reactions = n_reactions, .n_words = (n_reactions + 63) / 64};
}

static size_t bytes_of(const struct rd_modes *m)
{
    return 2 * (size_t)m->n_words * sizeof *m->set;
}

static uint64_t *mode_of(const struct rd_modes *m, int64_t mode)
{
    return m->set + 2 * (int64_t)m->n_words * mode;
}

uint64_t *rd_modes_add(struct rd_modes *m, struct rd_error *e)
{
    if (m->n == m->room) {
        const int64_t room = m->room + m->room / 4 + 256;
        uint64_t *const set = realloc(m->set, (size_t)room * bytes_of(m));
        if (!set) {
            rd_fail(e, "there is no memory for %lld modes", (long long)room);
            return NULL;
        }
        m->set = set;
        m->room = room;
    }
    uint64_t *const set = mode_of(m, m->n++);
    memset(set, 0, bytes_of(m));
    return set;
}

void rd_modes_put(const struct rd_modes *m, uint64_t *set, int reaction, bool is_backward)
{
    const uint64_t bit = UINT64_C(1) << (reaction % 64);
    set[reaction / 64] |= bit;
    if (is_backward)
        set[m->n_words + reaction / 64] |= bit;
}

bool rd_modes_has(const struct rd_modes *m, int64_t mode, int reaction)
{
    return mode_of(m, mode)[reaction / 64] >> (reaction % 64) & 1;
}

bool rd_modes_is_backward(const struct rd_modes *m, int64_t mode, int reaction)
{
    return mode_of(m, mode)[m->n_words + reaction / 64] >> (reaction % 64) & 1;
}

static int length_of(const uint64_t *set, int n_words)
{
    int length = 0;
    for (int w = 0; w < n_words; w++)
        length += __builtin_popcountll(set[w]);
    return length;
}

int rd_modes_length(const struct rd_modes *m, int64_t mode)
{
    return length_of(mode_of(m, mode), m->n_words);
}

void rd_modes_turn(const struct rd_modes *m, uint64_t *set, const bool *is_reversible)
{
    int first = -1;
    for (int r = 0; r < m->n_reactions; r++) {
        if (!(set[r / 64] >> (r % 64) & 1))
            continue;
        if (!is_reversible[r])
            return;
        first = first < 0 ? r : first;
    }
    if (first < 0 || !(set[m->n_words + first / 64] >> (first % 64) & 1))
        return;
    for (int w = 0; w < m->n_words; w++)
        set[m->n_words + w] ^= set[w];
}

/* A mode to be sorted. */
struct key {
    const uint64_t *set;
    int n_words, length;
};

/* Compares by length; then the set that has the first reaction in which they differ comes first;
   then forward comes before backward. */
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

bool rd_modes_sort(struct rd_modes *m, struct rd_error *e)
{
    struct key *const key = malloc((size_t)m->n * sizeof *key + 1);
    uint64_t *const sorted = malloc((size_t)m->n * bytes_of(m) + 1);
    if (!key || !sorted) {
        free(key);
        free(sorted);
        return rd_fail(e, "there is no memory to sort %lld modes", (long long)m->n);
    }
    for (int64_t i = 0; i < m->n; i++)
        key[i] = (struct key){mode_of(m, i), m->n_words, rd_modes_length(m, i)};
    if (m->n > 1)
        qsort(key, (size_t)m->n, sizeof *key, compare);
    int64_t n = 0;
    for (int64_t i = 0; i < m->n; i++)
        if (i == 0 || compare(&key[i - 1], &key[i]) != 0)
            memcpy(sorted + 2 * (int64_t)m->n_words * n++, key[i].set, bytes_of(m));
    free(key);
    free(m->set);
    m->set = sorted;
    m->room = m->n;
    m->n = n;
    return true;
}

void rd_modes_keep(struct rd_modes *m, const bool *keeps)
{
    int64_t n = 0;
    for (int64_t i = 0; i < m->n; i++)
        if (keeps[i])
            memmove(mode_of(m, n++), mode_of(m, i), bytes_of(m));
    m->n = n;
}

uint64_t rd_modes_hash(const struct rd_modes *m)
{
    uint64_t hash = RD_HASH_OF_NOTHING;
    for (int64_t i = 0; i < m->n; i++)
        for (int w = 0; w < 2 * m->n_words; w++) {
            unsigned char byte[8];
            for (int k = 0; k < 8; k++)
                byte[k] = (unsigned char)(mode_of(m, i)[w] >> (8 * k));
            hash = rd_hash_on(hash, byte, sizeof byte);
        }
    return hash;
}

void rd_modes_free(struct rd_modes *m)
{
    free(m->set);
    *m = (struct rd_modes){0};
}
