/* statistics - mean, variance, covariance and range over runs, from 128-bit integer sums. */
#include "result/statistics/statistics.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

__extension__ typedef __int128 i128;

bool rd_statistics_make(struct rd_statistics *t, int64_t n, bool pairs, struct rd_error *e)
{
    const size_t size = (size_t)n;
    *t = (struct rd_statistics){.n = n, .of = calloc(size + 1, sizeof *t->of)};
    if (pairs && size <= SIZE_MAX / sizeof *t->product / (size + 1))
        t->product = calloc(size * size + 1, sizeof *t->product);
    if (!t->of || (pairs && !t->product)) {
        rd_statistics_free(t);
        return rd_fail(e, "out of memory for the statistics of %lld quantities", (long long)n);
    }
    rd_statistics_clear(t);
    return true;
}

void rd_statistics_clear(struct rd_statistics *t)
{
    t->runs = 0;
    for (int64_t i = 0; i < t->n; i++)
        t->of[i] = (struct rd_sum){.min = INT64_MAX, .max = INT64_MIN};
    if (t->product)
        memset(t->product, 0, (size_t)(t->n * t->n) * sizeof *t->product);
}

void rd_statistics_free(struct rd_statistics *t)
{
    free(t->of);
    free(t->product);
    *t = (struct rd_statistics){0};
}

static void add_to_sum(struct rd_sum *s, int64_t value)
{
    const rd_u128 v = (rd_u128)value;
    s->sum += v;
    s->square += v * v;
    s->min = value < s->min ? value : s->min;
    s->max = value > s->max ? value : s->max;
}

void rd_statistics_add(struct rd_statistics *t, const int64_t *value)
{
    t->runs++;
    for (int64_t i = 0; i < t->n; i++)
        add_to_sum(&t->of[i], value[i]);
    if (!t->product)
        return;
    for (int64_t i = 0; i < t->n; i++)
        for (int64_t j = i + 1; j < t->n; j++)
            t->product[i * t->n + j] += (rd_u128)value[i] * (rd_u128)value[j];
}

void rd_statistics_add_counts(struct rd_statistics *t, const int32_t *value)
{
    assert(!t->product);
    t->runs++;
    for (int64_t i = 0; i < t->n; i++)
        add_to_sum(&t->of[i], value[i]);
}

void rd_sums_add(struct rd_sum *to, const struct rd_sum *from, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        to[i].sum += from[i].sum;
        to[i].square += from[i].square;
        to[i].min = from[i].min < to[i].min ? from[i].min : to[i].min;
        to[i].max = from[i].max > to[i].max ? from[i].max : to[i].max;
    }
}

double rd_statistics_mean(const struct rd_statistics *t, int64_t i)
{
    return (double)t->of[i].sum / (double)t->runs;
}

/* Returns x / runs rounded to the nearest integer; *rest is the remainder, at most runs / 2 in
   size. */
static i128 divide_rounded(i128 x, int64_t runs, int64_t *rest)
{
    i128 whole = x / runs;
    *rest = (int64_t)(x % runs);
    if (*rest > runs / 2) {
        *rest -= runs;
        whole++;
    } else if (*rest < -(runs / 2)) {
        *rest += runs;
        whole--;
    }
    return whole;
}

/* Returns the covariance from sums. p, q are the means rounded to integers, and a, b the sums of
   n - p, m - q. The sum of (n - p)(m - q) is exact modulo 2^128; minus a b / runs, it is the sum
   about the true means. The integer part of that difference is taken before any rounding, so
   there is no cancellation. */
static double covariance(rd_u128 sum_n, rd_u128 sum_m, rd_u128 product, int64_t runs)
{
    int64_t a, b, rest;
    const rd_u128 p = (rd_u128)divide_rounded((i128)sum_n, runs, &a);
    const rd_u128 q = (rd_u128)divide_rounded((i128)sum_m, runs, &b);
    const rd_u128 centred = product - p * sum_m - q * sum_n + (rd_u128)runs * p * q;
    const i128 whole = (i128)centred - divide_rounded((i128)a * b, runs, &rest);
    return ((double)whole - (double)rest / (double)runs) / (double)(runs - 1);
}

/* Returns whether the sum of (n - p)(m - q) is certainly below 2^126: by the ranges it is at
   most a quarter of runs * range * range (Popoviciu, Mathematica 9, 129, 1935). */
static bool fits_sum(const struct rd_statistics *t, int64_t i, int64_t j)
{
    const double n = (double)t->of[i].max - (double)t->of[i].min;
    const double m = (double)t->of[j].max - (double)t->of[j].min;
    return (double)t->runs * n * m / 4.0 < 0x1p126;
}

double rd_statistics_variance(const struct rd_statistics *t, int64_t i)
{
    const struct rd_sum *const s = &t->of[i];
    return t->runs < 2 || !fits_sum(t, i, i) ? (double)NAN
                                             : covariance(s->sum, s->sum, s->square, t->runs);
}

double rd_statistics_covariance(const struct rd_statistics *t, int64_t i, int64_t j)
{
    assert(t->product);
    if (i == j || t->runs < 2)
        return rd_statistics_variance(t, i);
    if (!fits_sum(t, i, j))
        return (double)NAN;
    const rd_u128 product = t->product[i < j ? i * t->n + j : j * t->n + i];
    return covariance(t->of[i].sum, t->of[j].sum, product, t->runs);
}
