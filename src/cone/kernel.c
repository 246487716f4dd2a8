/* kernel - the nullspace of a compressed system, by elimination without fractions in 128 bits. */
#include "cone/kernel.h"

#include <stdlib.h>
#include <string.h>

/* Holds rows of numbers, each without a common divisor. */
struct matrix {
    int n_rows, n;
    rd_int128 *value;
    int *pivot; /* [n_rows]: the column, -1: not yet chosen */
};

/* Returns the number by which the matrix divides a column: what its values share. A column has a
   value unless it is a loop, which is in no kernel. */
static int64_t divisor_of(const struct rd_core_column *x)
{
    const int64_t content = rd_sparse_content(&x->net);
    return content > 0 ? content : 1;
}

static rd_int128 *matrix_row(const struct matrix *m, int row)
{
    return m->value + (int64_t)row * m->n;
}

static void shorten_row(rd_int128 *row, int n)
{
    rd_int128 common = 0;
    for (int i = 0; i < n && common != 1; i++)
        common = rd_sparse_gcd128(common, row[i]);
    for (int i = 0; i < n && common > 1; i++)
        row[i] /= common;
}

/* Fills in the rows that some column changes. */
static bool fill_matrix(struct matrix *m, const struct rd_core_column *column, int n, int n_rows)
{
    int *const row = malloc(((size_t)n_rows + 1) * sizeof *row);
    if (!row)
        return false;
    memset(row, -1, ((size_t)n_rows + 1) * sizeof *row);
    m->n = n;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < column[i].net.n; k++) {
            int *const at = &row[column[i].net.entry[k].at];
            *at = *at >= 0 ? *at : m->n_rows++;
        }
    m->value = calloc((size_t)m->n_rows * (size_t)m->n + 1, sizeof *m->value);
    m->pivot = malloc(((size_t)m->n_rows + 1) * sizeof *m->pivot);
    for (int i = 0; m->value && i < n; i++) {
        const int64_t divisor = divisor_of(&column[i]);
        for (int k = 0; k < column[i].net.n; k++)
            matrix_row(m, row[column[i].net.entry[k].at])[i] =
                column[i].net.entry[k].value / divisor;
    }
    free(row);
    for (int r = 0; m->value && m->pivot && r < m->n_rows; r++) {
        shorten_row(matrix_row(m, r), m->n);
        m->pivot[r] = -1;
    }
    return m->value && m->pivot;
}

/* Takes a multiple of the pivot's row from another row, so that the column becomes 0. */
static bool subtract_pivot_row(struct matrix *m, int row, int pivot, int column)
{
    rd_int128 *const to = matrix_row(m, row);
    const rd_int128 *const from = matrix_row(m, pivot);
    const rd_int128 common = rd_sparse_gcd128(to[column], from[column]);
    const rd_int128 times = from[column] / common, factor = to[column] / common;
    for (int i = 0; i < m->n; i++) {
        rd_int128 one, two;
        if (__builtin_mul_overflow(to[i], times, &one) ||
            __builtin_mul_overflow(from[i], factor, &two) ||
            __builtin_sub_overflow(one, two, &to[i]))
            return false;
    }
    shorten_row(to, m->n);
    return true;
}

static int count_entries(const struct matrix *m, int row)
{
    int n = 0;
    for (int i = 0; i < m->n; i++)
        n += matrix_row(m, row)[i] != 0;
    return n;
}

/* Makes a column the pivot of the shortest row that has it and is free; *is_pivot: there is one. */
static bool eliminate_column(struct matrix *m, int column, bool *is_pivot)
{
    int best = -1, best_count = 0;
    for (int r = 0; r < m->n_rows; r++) {
        const int n = m->pivot[r] < 0 && matrix_row(m, r)[column] != 0 ? count_entries(m, r) : 0;
        if (n == 0 || (best >= 0 && n >= best_count))
            continue;
        best = r;
        best_count = n;
    }
    *is_pivot = best >= 0;
    for (int r = 0; best >= 0 && r < m->n_rows; r++)
        if (r != best && matrix_row(m, r)[column] != 0 && !subtract_pivot_row(m, r, best, column))
            return false;
    if (best >= 0)
        m->pivot[best] = column;
    return true;
}

/* Reads the basis off the eliminated matrix. The caller has set the denominators to the divisors of
   the columns. */
static bool read_off_basis(struct rd_kernel *k, const struct matrix *m, struct rd_error *e)
{
    bool fits = true;
    k->value = calloc((size_t)k->n * (size_t)k->n_basis + 1, sizeof *k->value);
    if (!k->value)
        return rd_fail_memory(e, "out of memory for %d columns", k->n);
    for (int b = 0; b < k->n_basis; b++)
        k->value[(int64_t)k->basis[b] * k->n_basis + b] = 1;
    for (int r = 0; r < m->n_rows; r++) {
        const int column = m->pivot[r];
        if (column < 0)
            continue;
        const rd_int128 divisor = matrix_row(m, r)[column];
        fits = fits &&
               !__builtin_mul_overflow(k->denominator[column], divisor < 0 ? -divisor : divisor,
                                       &k->denominator[column]);
        for (int b = 0; b < k->n_basis; b++) {
            const rd_int128 value = matrix_row(m, r)[k->basis[b]];
            k->value[(int64_t)column * k->n_basis + b] = divisor < 0 ? value : -value;
        }
    }
    return fits;
}

bool rd_kernel_make(struct rd_kernel *k, const struct rd_core_column *column, int n, int n_rows,
                    struct rd_error *e)
{
    struct matrix m = {0};
    *k = (struct rd_kernel){.n = n};
    k->basis = malloc(((size_t)n + 1) * sizeof *k->basis);
    k->basis_of = malloc(((size_t)n + 1) * sizeof *k->basis_of);
    k->denominator = malloc(((size_t)n + 1) * sizeof *k->denominator);
    bool ok = (k->basis && k->basis_of && k->denominator && fill_matrix(&m, column, n, n_rows)) ||
              rd_fail_memory(e, "out of memory for %d columns", n);
    /* reversible columns are chosen first as pivots, so that few are in the basis */
    for (int pass = 0; ok && pass < 2; pass++)
        for (int i = 0; ok && i < n; i++) {
            bool is_pivot = false;
            if (column[i].is_reversible != (pass == 0))
                continue;
            ok = eliminate_column(&m, i, &is_pivot);
            k->denominator[i] = divisor_of(&column[i]);
            k->basis_of[i] = is_pivot ? -1 : k->n_basis;
            if (!is_pivot)
                k->basis[k->n_basis++] = i;
        }
    ok = ok && read_off_basis(k, &m, e);
    free(m.value);
    free(m.pivot);
    return ok;
}

bool rd_kernel_is_zero(const struct rd_kernel *k, int column)
{
    for (int b = 0; b < k->n_basis; b++)
        if (k->value[(int64_t)column * k->n_basis + b] != 0)
            return false;
    return true;
}

/* Returns whether a * d = b * c, and that this could be computed. */
static bool is_proportion(rd_int128 a, rd_int128 b, rd_int128 c, rd_int128 d)
{
    rd_int128 one, two;
    return !__builtin_mul_overflow(a, d, &one) && !__builtin_mul_overflow(b, c, &two) && one == two;
}

bool rd_kernel_ratio(const struct rd_kernel *k, int i, int j, int64_t *above, int64_t *below)
{
    const rd_int128 *const a = k->value + (int64_t)i * k->n_basis;
    const rd_int128 *const b = k->value + (int64_t)j * k->n_basis;
    int first = 0;
    while (first < k->n_basis && a[first] == 0 && b[first] == 0)
        first++;
    if (first == k->n_basis || a[first] == 0 || b[first] == 0)
        return false;
    for (int m = first; m < k->n_basis; m++)
        if ((a[m] == 0) != (b[m] == 0) || !is_proportion(a[m], b[m], a[first], b[first]))
            return false;
    const rd_int128 values = rd_sparse_gcd128(a[first], b[first]);
    const rd_int128 denominators = rd_sparse_gcd128(k->denominator[i], k->denominator[j]);
    rd_int128 one, two;
    if (__builtin_mul_overflow(a[first] / values, k->denominator[j] / denominators, &one) ||
        __builtin_mul_overflow(b[first] / values, k->denominator[i] / denominators, &two))
        return false;
    const rd_int128 common = rd_sparse_gcd128(one, two);
    one /= common;
    two /= common;
    *above = (int64_t)one;
    *below = (int64_t)two;
    return rd_sparse_fits(one) && rd_sparse_fits(two);
}

void rd_kernel_free(struct rd_kernel *k)
{
    free(k->basis);
    free(k->basis_of);
    free(k->value);
    free(k->denominator);
    *k = (struct rd_kernel){0};
}
