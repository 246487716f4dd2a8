/* kernel_flux - the flow of a kernel that is 0 in given columns: a small system of equations,
   solved exactly. */
#include "cone/kernel.h"

#include <stdlib.h>
#include <string.h>

/* Holds equations of the n basis columns that run, in reduced echelon form. */
struct flux_equations {
    int n, rank;
    int *basis;       /* [n]: k of the kernel's basis */
    int *pivot;       /* [rank] */
    rd_int128 *value; /* [rank + 1][n] */
};

static rd_int128 *equation_row(const struct flux_equations *q, int row)
{
    return q->value + (int64_t)row * q->n;
}

static bool is_plus_or_minus_1(rd_int128 x)
{
    return x == 1 || x == -1;
}

/* Divides two numbers by what they share, unless one of them is 1 or -1, as most are. */
static void divide_by_shared(rd_int128 *a, rd_int128 *b)
{
    const rd_int128 common =
        is_plus_or_minus_1(*a) || is_plus_or_minus_1(*b) ? 1 : rd_sparse_gcd128(*a, *b);
    if (common == 1)
        return;
    *a /= common;
    *b /= common;
}

/* Divides a row by what its numbers share. */
static void shorten_equation(rd_int128 *row, int n)
{
    rd_int128 common = 0;
    for (int i = 0; i < n && common != 1; i++)
        common = row[i] != 0 ? rd_sparse_gcd128(common, row[i]) : common;
    for (int i = 0; i < n && common > 1; i++)
        row[i] /= common;
}

/* Sets *sum to a times_a - b times_b; false if that does not fit. Products of 64 bits, which most
   are, always fit. */
static inline bool subtract_multiples(rd_int128 *sum, rd_int128 a, rd_int128 times_a, rd_int128 b,
                                      rd_int128 times_b)
{
    rd_int128 one, two;
    if (rd_sparse_fits(a) && rd_sparse_fits(times_a) && rd_sparse_fits(b) &&
        rd_sparse_fits(times_b)) {
        *sum = (rd_int128)(int64_t)a * (int64_t)times_a - (rd_int128)(int64_t)b * (int64_t)times_b;
        return true;
    }
    return !__builtin_mul_overflow(a, times_a, &one) && !__builtin_mul_overflow(b, times_b, &two) &&
           !__builtin_sub_overflow(one, two, sum);
}

/* Takes a multiple of one row from another, so that its pivot becomes 0 there. Numbers above 48
   bits are made small again. */
static bool subtract_equation(const struct flux_equations *q, int to, int from)
{
    rd_int128 *const x = equation_row(q, to), sizes = 0;
    const rd_int128 *const y = equation_row(q, from);
    const int pivot = q->pivot[from];
    if (x[pivot] == 0)
        return true;
    rd_int128 times = y[pivot], factor = x[pivot];
    divide_by_shared(&times, &factor);
    for (int i = 0; i < q->n; i++) {
        if (!subtract_multiples(&x[i], x[i], times, y[i], factor))
            return false;
        sizes |= x[i] < 0 ? -x[i] : x[i];
    }
    if (sizes >> 48 != 0)
        shorten_equation(x, q->n);
    return true;
}

/* Takes the row of the kernel of a column that does not run. */
static bool take_kernel_row(struct flux_equations *q, const struct rd_kernel *k, int column)
{
    rd_int128 *const x = equation_row(q, q->rank);
    for (int i = 0; i < q->n; i++)
        x[i] = k->value[(int64_t)column * k->n_basis + q->basis[i]];
    for (int r = 0; r < q->rank; r++)
        if (!subtract_equation(q, q->rank, r))
            return false;
    int pivot = 0;
    while (pivot < q->n && x[pivot] == 0)
        pivot++;
    if (pivot == q->n)
        return true;
    q->pivot[q->rank] = pivot;
    for (int r = 0; r < q->rank; r++)
        if (!subtract_equation(q, r, q->rank))
            return false;
    q->rank++;
    return true;
}

/* Sets x[i] of the basis columns that run to integers: one free, the others follow. */
static bool read_solution(const struct flux_equations *q, rd_int128 *x)
{
    rd_int128 least = 1;
    int free_one = 0;
    for (int r = 0; r < q->rank; r++) /* pivots may be in any order */
        x[q->pivot[r]] = 1;
    while (free_one < q->n && x[free_one] != 0)
        free_one++;
    if (q->rank != q->n - 1 || free_one == q->n)
        return false;
    for (int r = 0; r < q->rank; r++) {
        rd_int128 at = equation_row(q, r)[q->pivot[r]], other = equation_row(q, r)[free_one],
                  shared = least;
        divide_by_shared(&at, &other);
        divide_by_shared(&at, &shared);
        if (__builtin_mul_overflow(least, at < 0 ? -at : at, &least))
            return false;
    }
    x[free_one] = least;
    for (int r = 0; r < q->rank; r++) {
        rd_int128 at = equation_row(q, r)[q->pivot[r]], other = equation_row(q, r)[free_one];
        divide_by_shared(&at, &other);
        if (__builtin_mul_overflow(-other, is_plus_or_minus_1(at) ? least * at : least / at,
                                   &x[q->pivot[r]]))
            return false;
    }
    return true;
}

/* Sets above / below to the flow of a column, in lowest terms. */
static bool sum(const struct flux_equations *q, const struct rd_kernel *k, int column,
                const rd_int128 *x, rd_int128 *above, rd_int128 *below)
{
    *above = 0;
    for (int i = 0; i < q->n; i++) {
        rd_int128 more;
        const rd_int128 value = k->value[(int64_t)column * k->n_basis + q->basis[i]];
        if (__builtin_mul_overflow(x[i], value, &more) ||
            __builtin_add_overflow(*above, more, above))
            return false;
    }
    *below = k->denominator[column];
    divide_by_shared(above, below);
    return true;
}

/* Sets the flows of all columns, multiplied so that all are integers, and the smallest ones. */
static bool expand_flux(const struct flux_equations *q, const struct rd_kernel *k,
                        const signed char *way, const rd_int128 *x, rd_int128 *flux)
{
    rd_int128 above = 0, below = 1, least = 1;
    int sign = 0;
    for (int i = 0; i < k->n; i++) {
        if (way[i] == 0)
            continue;
        if (!sum(q, k, i, x, &above, &below) ||
            __builtin_mul_overflow(least, below / rd_sparse_gcd128(least, below), &least))
            return false;
        if (sign == 0 && above != 0)
            sign = (above < 0) == (way[i] < 0) ? 1 : -1;
    }
    for (int i = 0; i < k->n; i++) {
        flux[i] = 0;
        if (way[i] == 0)
            continue;
        sum(q, k, i, x, &above, &below);
        if (__builtin_mul_overflow(above, least / below * sign, &flux[i]))
            return false;
    }
    shorten_equation(flux, k->n);
    return true;
}

bool rd_kernel_flux(const struct rd_kernel *k, const signed char *way, rd_int128 *flux,
                    struct rd_error *e)
{
    struct flux_equations q = {0};
    const size_t n = (size_t)k->n_basis + 1;
    q.basis = malloc(n * sizeof *q.basis);
    q.pivot = malloc(n * sizeof *q.pivot);
    bool ok = q.basis && q.pivot;
    for (int b = 0; ok && b < k->n_basis; b++)
        if (way[k->basis[b]] != 0)
            q.basis[q.n++] = b;
    q.value = calloc(((size_t)q.n + 2) * ((size_t)q.n + 1), sizeof *q.value);
    rd_int128 *const x = calloc((size_t)q.n + 1, sizeof *x);
    ok = (ok && q.value && x) || rd_fail_memory(e, "out of memory for a result");
    ok = ok && q.n > 0;
    for (int i = 0; ok && i < k->n && q.rank < q.n - 1; i++)
        ok = way[i] != 0 || k->basis_of[i] >= 0 || take_kernel_row(&q, k, i);
    ok = ok && read_solution(&q, x) && expand_flux(&q, k, way, x, flux);
    free(q.basis);
    free(q.pivot);
    free(q.value);
    free(x);
    return ok;
}
