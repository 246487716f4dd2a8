/* rank_test - whether two rows of the double-description method are adjacent. The rank modulo a
   prime is never above the rank, so that nullity 1 modulo the prime is a proof. */
#include "cone/rank_test.h"

#include "kernels/core/portable.h"

#include <stdlib.h>
#include <string.h>

#define PRIME ((UINT64_C(1) << 31) - 1)

static uint64_t fold(uint64_t x)
{
    return (x & PRIME) + (x >> 31);
}

static uint64_t reduce(uint64_t x)
{
    x = fold(fold(x));
    return x >= PRIME ? x - PRIME : x;
}

bool rd_rank_test_open(struct rd_rank_test *t, const struct rd_kernel *k, const int *bit,
                       const bool *is_reversible, int n_words)
{
    const size_t n = (size_t)k->n + 1;
    *t = (struct rd_rank_test){.n_basis = k->n_basis, .n_words = n_words, .current = -1};
    t->residue = malloc(n * ((size_t)k->n_basis + 1) * sizeof *t->residue);
    t->column = malloc(n * sizeof *t->column);
    t->word = malloc(n * sizeof *t->word);
    t->mask = malloc(n * sizeof *t->mask);
    t->basis_word = malloc(n * sizeof *t->basis_word);
    t->basis_mask = malloc(n * sizeof *t->basis_mask);
    if (!t->residue || !t->column || !t->word || !t->mask || !t->basis_word || !t->basis_mask)
        return false;
    for (int64_t i = 0; i < (int64_t)k->n * k->n_basis; i++) {
        const int64_t rest = k->value[i] % (int64_t)PRIME;
        t->residue[i] = (uint32_t)(rest < 0 ? rest + (int64_t)PRIME : rest);
    }
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

/* Rows in echelon form. */
struct echelon {
    int n, rank;
    int pivot[RD_BASIS_MOST];
    uint32_t lead[RD_BASIS_MOST]; /* the value of each row in its pivot */
    uint32_t *row;                /* [rank][n] */
};

/* Takes a row; its entries are below 2^31. An entry stays below 2^31 + 2 as long as it is not
   reduced, so that the sum of two products is below 2^63. */
static void take(struct echelon *h, uint64_t *x)
{
    const int n = h->n;
    for (int r = 0; r < h->rank; r++) {
        const uint64_t at = reduce(x[h->pivot[r]]);
        if (at == 0)
            continue;
        const uint32_t factor = (uint32_t)(PRIME - at), lead = h->lead[r];
        const uint32_t *const row = h->row + r * n;
        for (int i = 0; i < n; i++)
            x[i] = fold(fold((uint64_t)lead * (uint32_t)x[i] + (uint64_t)factor * row[i]));
    }
    int pivot = 0;
    while (pivot < n && (x[pivot] = reduce(x[pivot])) == 0)
        pivot++;
    if (pivot == n)
        return;
    uint32_t *const row = h->row + h->rank * n;
    for (int i = 0; i < n; i++)
        row[i] = (uint32_t)reduce(x[i]);
    h->lead[h->rank] = row[pivot];
    h->pivot[h->rank++] = pivot;
}

RD_WIDE bool rd_rank_test_is_adjacent(const struct rd_rank_test *t, const uint64_t *together)
{
    int basis[RD_BASIS_MOST], k = 0;
    uint64_t x[RD_BASIS_MOST];
    for (int b = 0; b < t->n_basis; b++)
        if (together[t->basis_word[b]] & t->basis_mask[b])
            basis[k++] = b;
    uint32_t small[64 * 64];
    struct echelon h; /* to set its lists to 0 would take longer than all that follows */
    h.n = k;
    h.rank = 0;
    h.row = small;
    if (k > 64 && !(h.row = malloc((size_t)k * (size_t)k * sizeof *h.row)))
        return false;
    for (int r = -1; r < t->n_rows && h.rank < k - 1 && h.rank + t->n_rows - r >= k - 1; r++) {
        if (r >= 0 && together[t->word[r]] & t->mask[r])
            continue;
        const uint32_t *const residue =
            t->residue + (int64_t)(r < 0 ? t->current : t->column[r]) * t->n_basis;
        for (int i = 0; i < k; i++)
            x[i] = residue[basis[i]];
        take(&h, x);
    }
    if (h.row != small)
        free(h.row);
    return h.rank >= k - 1;
}

void rd_rank_test_close(struct rd_rank_test *t)
{
    free(t->residue);
    free(t->column);
    free(t->word);
    free(t->mask);
    free(t->basis_word);
    free(t->basis_mask);
    *t = (struct rd_rank_test){0};
}
