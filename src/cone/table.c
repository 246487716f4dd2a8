/* table - the rows of the double-description method: what is processed as bits, the rest as
   integers. */
#include "cone/table.h"

#include <stdlib.h>
#include <string.h>

static size_t bytes_per_value(const struct rd_row_table *t)
{
    return t->is_wide ? sizeof(rd_int128) : sizeof(int64_t);
}

int64_t rd_table_bytes(const struct rd_row_table *t, int64_t n)
{
    return n * ((int64_t)sizeof *t->set * t->n_words + (int64_t)bytes_per_value(t) * t->n_left);
}

bool rd_table_open(struct rd_row_table *t, int64_t n)
{
    t->n = n;
    t->set = calloc((size_t)n * (size_t)t->n_words + 1, sizeof *t->set);
    t->value = calloc((size_t)n * (size_t)t->n_left + 1, bytes_per_value(t));
    return t->set && t->value;
}

uint64_t *rd_table_set(const struct rd_row_table *t, int64_t row)
{
    return t->set + row * t->n_words;
}

static rd_int128 value_in_row(const struct rd_row_table *t, int64_t row, int left)
{
    const int64_t at = row * t->n_left + left;
    return t->is_wide ? ((const rd_int128 *)t->value)[at] : ((const int64_t *)t->value)[at];
}

int rd_table_sign(const struct rd_row_table *t, int64_t row, int left)
{
    const rd_int128 value = value_in_row(t, row, left);
    return (value > 0) - (value < 0);
}

bool rd_table_put(const struct rd_row_table *t, int64_t row, int left, rd_int128 value)
{
    const int64_t at = row * t->n_left + left;
    if (t->is_wide)
        ((rd_int128 *)t->value)[at] = value;
    else if (value <= t->limit && value >= -t->limit)
        ((int64_t *)t->value)[at] = (int64_t)value;
    else
        return false;
    return true;
}

void rd_table_copy(const struct rd_row_table *to, int64_t row, const struct rd_row_table *from,
                   int64_t from_row, int without)
{
    const size_t width = bytes_per_value(from);
    const char *const source =
        (const char *)from->value + (size_t)from_row * (size_t)from->n_left * width;
    char *const target = (char *)to->value + (size_t)row * (size_t)to->n_left * width;
    memcpy(rd_table_set(to, row), rd_table_set(from, from_row),
           (size_t)from->n_words * sizeof *from->set);
    memcpy(target, source, (size_t)without * width);
    memcpy(target + (size_t)without * width, source + ((size_t)without + 1) * width,
           (size_t)(from->n_left - without - 1) * width);
}

/* Sets *sum to a times_a + b times_b; false if that does not fit. */
static bool add_multiples(rd_int128 *sum, rd_int128 a, rd_int128 times_a, rd_int128 b,
                          rd_int128 times_b)
{
    rd_int128 one, two;
    return !__builtin_mul_overflow(a, times_a, &one) && !__builtin_mul_overflow(b, times_b, &two) &&
           !__builtin_add_overflow(one, two, sum);
}

bool rd_table_combine(const struct rd_row_table *to, int64_t row, const struct rd_row_table *from,
                      int64_t a, int64_t b, int without)
{
    rd_int128 times_a = value_in_row(from, b, without), times_b = value_in_row(from, a, without);
    const rd_int128 shared = rd_sparse_gcd128(times_a, times_b);
    times_a = (times_a < 0 ? -times_a : times_a) / shared;
    times_b = (times_b < 0 ? -times_b : times_b) / shared;
    for (int w = 0; w < to->n_words; w++)
        rd_table_set(to, row)[w] = rd_table_set(from, a)[w] | rd_table_set(from, b)[w];
    rd_int128 common = 0, value;
    for (int i = 0; i < from->n_left && common != 1; i++) {
        if (!add_multiples(&value, value_in_row(from, a, i), times_a, value_in_row(from, b, i),
                           times_b))
            return false;
        common = rd_sparse_gcd128(common, value);
    }
    for (int i = 0, k = 0; i < from->n_left; i++) {
        if (!add_multiples(&value, value_in_row(from, a, i), times_a, value_in_row(from, b, i),
                           times_b))
            return false;
        if (i != without && !rd_table_put(to, row, k++, common > 1 ? value / common : value))
            return false;
    }
    return true;
}

void rd_table_close(struct rd_row_table *t)
{
    free(t->set);
    free(t->value);
    t->set = NULL;
    t->value = NULL;
    t->n = 0;
}
