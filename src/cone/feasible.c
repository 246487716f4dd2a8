/* feasible - which columns of a compressed system can run. The echelon form of the kernel is a
   dictionary of the simplex method (Chvatal, Linear Programming, 1983): the columns of the basis
   are free to choose, the others follow. All right sides are 0. So a column can run exactly if its
   flow has no largest value, and otherwise that value is 0. Bland's rule ends each search. */
#include "cone/feasible.h"

#include <stdlib.h>
#include <string.h>

/* Holds the equations of a basis: denominator[row] * flow(basic[row]) = sum over i of
   value[row][i] * flow(chosen[i]). */
struct dictionary {
    int n_rows, n;
    int *basic, *chosen; /* columns of the kernel */
    rd_int128 *value, *denominator;
    rd_int128 *next_value, *next_denominator; /* what a pivot makes, until it fits */
    const bool *is_reversible;
    enum rd_feasible *state;
    int64_t *effort;
};

static rd_int128 value_in_dictionary(const struct dictionary *d, int row, int at)
{
    return d->value[(int64_t)row * d->n + at];
}

static bool open_dictionary(struct dictionary *d, const struct rd_kernel *k)
{
    const size_t n_rows = (size_t)(k->n - k->n_basis), n = (size_t)k->n_basis;
    d->n = k->n_basis;
    d->basic = malloc((n_rows + 1) * sizeof *d->basic);
    d->chosen = malloc((n + 1) * sizeof *d->chosen);
    d->value = malloc((n_rows * n + 1) * sizeof *d->value);
    d->next_value = malloc((n_rows * n + 1) * sizeof *d->value);
    d->denominator = malloc((n_rows + 1) * sizeof *d->denominator);
    d->next_denominator = malloc((n_rows + 1) * sizeof *d->denominator);
    if (!d->basic || !d->chosen || !d->value || !d->next_value || !d->denominator ||
        !d->next_denominator)
        return false;
    for (int i = 0; i < d->n; i++)
        d->chosen[i] = k->basis[i];
    for (int column = 0; column < k->n; column++) {
        if (k->basis_of[column] >= 0)
            continue;
        for (int i = 0; i < d->n; i++)
            d->value[(int64_t)d->n_rows * d->n + i] = k->value[(int64_t)column * d->n + i];
        d->denominator[d->n_rows] = k->denominator[column];
        d->basic[d->n_rows++] = column;
    }
    return true;
}

static void close_dictionary(struct dictionary *d)
{
    free(d->basic);
    free(d->chosen);
    free(d->value);
    free(d->next_value);
    free(d->denominator);
    free(d->next_denominator);
}

/* Divides a row and its denominator by what they share. */
static void shorten_fractions(rd_int128 *row, int n, rd_int128 *denominator)
{
    rd_int128 common = *denominator;
    for (int i = 0; i < n && common != 1; i++)
        common = row[i] != 0 ? rd_sparse_gcd128(common, row[i]) : common;
    for (int i = 0; i < n && common > 1; i++)
        row[i] /= common;
    *denominator /= common;
}

/* Solves the pivot's row for what it was chosen for. */
static void solve_pivot_row(struct dictionary *d, int pivot, int at)
{
    rd_int128 *const row = d->next_value + (int64_t)pivot * d->n;
    const bool is_negative = row[at] < 0;
    const rd_int128 divisor = is_negative ? -row[at] : row[at];
    row[at] = -d->denominator[pivot];
    for (int i = 0; i < d->n; i++)
        row[i] = is_negative ? row[i] : -row[i];
    d->next_denominator[pivot] = divisor;
    shorten_fractions(row, d->n, &d->next_denominator[pivot]);
}

/* Puts the pivot's row into another one; false if a number does not fit. */
static bool substitute(struct dictionary *d, int row, int pivot, int at)
{
    rd_int128 *const to = d->next_value + (int64_t)row * d->n;
    const rd_int128 *const from = d->next_value + (int64_t)pivot * d->n;
    const rd_int128 below = d->next_denominator[pivot];
    const rd_int128 common = rd_sparse_gcd128(to[at], below);
    const rd_int128 times = below / common, factor = to[at] / common;
    to[at] = 0;
    for (int i = 0; i < d->n; i++) {
        rd_int128 one, two;
        if (__builtin_mul_overflow(to[i], times, &one) ||
            __builtin_mul_overflow(from[i], factor, &two) ||
            __builtin_add_overflow(one, two, &to[i]))
            return false;
    }
    if (__builtin_mul_overflow(d->denominator[row], times, &d->next_denominator[row]))
        return false;
    shorten_fractions(to, d->n, &d->next_denominator[row]);
    return true;
}

/* Exchanges a basic column and a chosen one. Returns false, with nothing changed, if that does
   not fit. */
static bool exchange_columns(struct dictionary *d, int pivot, int at)
{
    const size_t n_rows = (size_t)d->n_rows, n = (size_t)d->n;
    memcpy(d->next_value, d->value, n_rows * n * sizeof *d->value);
    memcpy(d->next_denominator, d->denominator, n_rows * sizeof *d->denominator);
    *d->effort -= d->n_rows;
    solve_pivot_row(d, pivot, at);
    for (int row = 0; row < d->n_rows; row++) {
        if (row == pivot || value_in_dictionary(d, row, at) == 0)
            continue;
        *d->effort -= d->n;
        if (!substitute(d, row, pivot, at))
            return false;
    }
    rd_int128 *const value = d->value, *const denominator = d->denominator;
    const int column = d->basic[pivot];
    d->value = d->next_value;
    d->next_value = value;
    d->denominator = d->next_denominator;
    d->next_denominator = denominator;
    d->basic[pivot] = d->chosen[at];
    d->chosen[at] = column;
    return true;
}

/* Returns the row of the first column that becomes negative if a chosen one moves in a direction,
   -1 if none does. */
static int find_blocking(const struct dictionary *d, int at, int direction)
{
    int found = -1;
    *d->effort -= d->n_rows;
    for (int row = 0; row < d->n_rows; row++)
        if (!d->is_reversible[d->basic[row]] && value_in_dictionary(d, row, at) * direction < 0 &&
            (found < 0 || d->basic[row] < d->basic[found]))
            found = row;
    return found;
}

/* Marks what runs if one chosen column runs alone. */
static void mark_ray(const struct dictionary *d, int at)
{
    d->state[d->chosen[at]] = RD_FEASIBLE_YES;
    for (int row = 0; row < d->n_rows; row++)
        if (value_in_dictionary(d, row, at) != 0)
            d->state[d->basic[row]] = RD_FEASIBLE_YES;
}

/* Returns in which direction a chosen column raises the flow of another column times sign, 0 if in
   none. row: that of the other column, -1 if it is chosen itself. */
static int direction_of(const struct dictionary *d, int column, int row, int at, int sign)
{
    const rd_int128 value = row >= 0 ? value_in_dictionary(d, row, at) : d->chosen[at] == column;
    const int direction = value == 0 ? 0 : value > 0 ? sign : -sign;
    return direction < 0 && !d->is_reversible[d->chosen[at]] ? 0 : direction;
}

/* Raises the flow of a column times sign: returns whether it can be above 0. */
static enum rd_feasible raise_column(struct dictionary *d, int column, int sign)
{
    while (*d->effort > 0) {
        int row = d->n_rows - 1, best = -1, pivot = -1;
        while (row >= 0 && d->basic[row] != column)
            row--;
        for (int at = 0; at < d->n; at++) {
            const int direction = direction_of(d, column, row, at, sign);
            if (direction == 0)
                continue;
            const int blocking = find_blocking(d, at, direction);
            if (blocking < 0) {
                mark_ray(d, at);
                return RD_FEASIBLE_YES;
            }
            if (best < 0 || d->chosen[at] < d->chosen[best]) {
                best = at;
                pivot = blocking;
            }
        }
        if (best < 0)
            return RD_FEASIBLE_NO;
        if (!exchange_columns(d, pivot, best))
            return RD_FEASIBLE_OPEN;
    }
    return RD_FEASIBLE_OPEN;
}

bool rd_feasible_find(enum rd_feasible *state, const struct rd_kernel *k, const bool *is_reversible,
                      int64_t *effort, struct rd_error *e)
{
    struct dictionary d = {.is_reversible = is_reversible, .state = state, .effort = effort};
    const bool ok = open_dictionary(&d, k);
    for (int i = 0; i < k->n; i++)
        state[i] = RD_FEASIBLE_OPEN;
    for (int i = 0; ok && i < k->n; i++) {
        if (state[i] == RD_FEASIBLE_YES)
            continue;
        enum rd_feasible found = raise_column(&d, i, 1);
        if (found != RD_FEASIBLE_YES && is_reversible[i]) {
            const enum rd_feasible back = raise_column(&d, i, -1);
            found = back > found ? back : found;
        }
        state[i] = found;
    }
    close_dictionary(&d);
    return ok || rd_fail_memory(e, "out of memory for %d columns", k->n);
}
