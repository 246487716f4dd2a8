/* rank_test - whether two rows of the double-description method are adjacent. The rank modulo a
   prime is never above the rank, so that nullity 1 modulo the prime is a proof. */
#include "cone/rank_test.h"

#include "kernels/core/portable.h"

#include <stdlib.h>
#include <string.h>

/* Gives the two largest primes below 2^31, as differences from it. */
static const uint64_t below[RD_RANK_PRIMES] = {1, 19};

static uint64_t prime_of(uint64_t less)
{
    return (UINT64_C(1) << 31) - less;
}

/* Makes a number smaller that stays the same modulo the prime. It adds 19 times a number by shifts:
   wide registers have no fast product of 64 bits. */
static inline uint64_t fold_modulo(uint64_t x, uint64_t less)
{
    const uint64_t high = x >> 31;
    return (x & 0x7fffffff) + (less == 1 ? high : (high << 4) + (high << 1) + high);
}

/* Returns the residues of a kernel's values, NULL if there is no memory. */
static uint32_t *take_residues(const struct rd_kernel *k, uint64_t less)
{
    const int64_t n = (int64_t)k->n * k->n_basis, prime = (int64_t)prime_of(less);
    uint32_t *const residue = malloc(((size_t)n + 1) * sizeof *residue);
    for (int64_t i = 0; residue && i < n; i++) {
        const int64_t rest = (int64_t)(k->value[i] % prime);
        residue[i] = (uint32_t)(rest < 0 ? rest + prime : rest);
    }
    return residue;
}

bool rd_rank_test_open(struct rd_rank_test *t, const struct rd_kernel *k, const int *bit,
                       const bool *is_reversible, int n_words)
{
    const size_t n = (size_t)k->n + 1;
    *t = (struct rd_rank_test){.n_basis = k->n_basis, .n_words = n_words, .current = -1};
    for (int i = 0; i < RD_RANK_PRIMES; i++)
        t->residue[i] = take_residues(k, below[i]);
    t->column = malloc(n * sizeof *t->column);
    t->word = malloc(n * sizeof *t->word);
    t->mask = malloc(n * sizeof *t->mask);
    t->basis_word = malloc(n * sizeof *t->basis_word);
    t->basis_mask = malloc(n * sizeof *t->basis_mask);
    if (!t->residue[0] || !t->residue[1] || !t->column || !t->word || !t->mask || !t->basis_word ||
        !t->basis_mask)
        return false;
    for (int b = 0; b < k->n_basis; b++) {
        const int column = k->basis[b];
        t->basis_word[b] = bit[column] / 64;
        t->basis_mask[b] = UINT64_C(1) << (bit[column] % 64);
        t->basis_mask[b] |= is_reversible[column] ? t->basis_mask[b] << 1 : 0;
    }
    return true;
}

void rd_rank_test_process(struct rd_rank_test *t, const int *bit, const bool *is_reversible)
{
    const int column = t->current, at = t->n_rows++;
    t->column[at] = column;
    t->word[at] = bit[column] / 64;
    t->mask[at] = UINT64_C(1) << (bit[column] % 64);
    t->mask[at] |= is_reversible[column] ? t->mask[at] << 1 : 0;
}

enum { LANES = 8, SMALL = 64 };

/* Holds rows in echelon form. Each has room for `stride` entries, a multiple of LANES; those
   behind the first n are 0, so that loops have no remainder. */
struct echelon {
    int n, stride, rank;
    int pivot[RD_BASIS_MOST];
    uint32_t lead[RD_BASIS_MOST]; /* the value of each row in its pivot */
    uint32_t *row;                /* [rank][stride] */
};

/* Takes a row; its entries are below the prime, so that the sum of two products is below 2^63. */
static inline void take_echelon_row(struct echelon *h, uint32_t *x, uint64_t less)
{
    const uint32_t prime = (uint32_t)prime_of(less);
    for (int r = 0; r < h->rank; r++) {
        const uint32_t at = x[h->pivot[r]];
        if (at == 0)
            continue;
        const uint32_t factor = prime - at, lead = h->lead[r];
        const uint32_t *const row = h->row + r * h->stride;
        for (int from = 0; from < h->stride; from += LANES)
            for (int i = from; i < from + LANES; i++) {
                const uint32_t y = (uint32_t)fold_modulo(
                    fold_modulo((uint64_t)lead * x[i] + (uint64_t)factor * row[i], less), less);
                x[i] = y < y - prime ? y : y - prime;
            }
    }
    int pivot = 0;
    while (pivot < h->n && x[pivot] == 0)
        pivot++;
    if (pivot == h->n)
        return;
    memcpy(h->row + h->rank * h->stride, x, (size_t)h->stride * sizeof *x);
    h->lead[h->rank] = x[pivot];
    h->pivot[h->rank++] = pivot;
}

/* Lists the basis columns that are in a union; returns how many. No branch depends on a bit, which
   would be mispredicted. */
static inline int list_basis(const struct rd_rank_test *t, const uint64_t *together, int *basis)
{
    int n = 0;
    for (int b = 0; b < t->n_basis; b++) {
        basis[n] = b;
        n += (together[t->basis_word[b]] & t->basis_mask[b]) != 0;
    }
    return n;
}

/* Lists the columns that are not in a union, of those that are processed beyond the basis, and the
   one that is processed now; returns how many. */
static inline int list_zeros(const struct rd_rank_test *t, const uint64_t *together, int *column)
{
    int n = 1;
    column[0] = t->current;
    for (int r = 0; r < t->n_rows; r++) {
        column[n] = t->column[r];
        n += (together[t->word[r]] & t->mask[r]) == 0;
    }
    return n;
}

static inline bool has_nullity_1(const struct rd_rank_test *t, const uint64_t *together,
                                 const uint32_t *residues, uint64_t less)
{
    int basis[RD_BASIS_MOST + 1], column[RD_COLUMNS_MOST + 1];
    uint32_t x[RD_BASIS_MOST + LANES], small[SMALL * SMALL];
    struct echelon h; /* to set its lists to 0 would take longer than all that follows */
    const int k = list_basis(t, together, basis), n = list_zeros(t, together, column);
    h.n = k;
    h.stride = (k + LANES - 1) / LANES * LANES;
    h.rank = 0;
    h.row = small;
    if (k > SMALL && !(h.row = malloc((size_t)k * (size_t)h.stride * sizeof *h.row)))
        return false;
    for (int r = 0; r < n && h.rank < k - 1 && h.rank + n - r >= k - 1; r++) {
        const uint32_t *const residue = residues + (int64_t)column[r] * t->n_basis;
        for (int i = 0; i < k; i++)
            x[i] = residue[basis[i]];
        for (int i = k; i < h.stride; i++)
            x[i] = 0;
        take_echelon_row(&h, x, less);
    }
    if (h.row != small)
        free(h.row);
    return h.rank >= k - 1;
}

RD_WIDE bool rd_rank_test_is_adjacent(const struct rd_rank_test *t, const uint64_t *together,
                                      int prime)
{
    return prime == 0 ? has_nullity_1(t, together, t->residue[0], below[0])
                      : has_nullity_1(t, together, t->residue[1], below[1]);
}

void rd_rank_test_close(struct rd_rank_test *t)
{
    for (int i = 0; i < RD_RANK_PRIMES; i++)
        free(t->residue[i]);
    free(t->column);
    free(t->word);
    free(t->mask);
    free(t->basis_word);
    free(t->basis_mask);
    *t = (struct rd_rank_test){0};
}
