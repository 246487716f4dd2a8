/* statistics - mean, variance, covariance and range over runs. Sums are 128-bit integers, so the
   order of runs or batches does not change a bit of them; floating point appears once, at the
   end. */
#ifndef RD_RESULT_STATISTICS_STATISTICS_H
#define RD_RESULT_STATISTICS_STATISTICS_H

#include "base/error.h"

#include <stdint.h>

/* Defines the type of sums, which wrap modulo 2^128. Only deviations from the mean must fit: below
   2^49 in 2^28 runs. */
__extension__ typedef unsigned __int128 rd_u128;

struct rd_sum {
    rd_u128 sum, square;
    int64_t min, max;
};

/* Holds sums of n quantities, each with one value per run. */
struct rd_statistics {
    int64_t n, runs;
    struct rd_sum *of; /* owned, [n] */
    rd_u128 *product;  /* owned, [n][n] sums of products, upper half; NULL if not requested */
};

bool rd_statistics_make(struct rd_statistics *t, int64_t n, bool pairs, struct rd_error *e);
void rd_statistics_clear(struct rd_statistics *t); /* removes all runs */
void rd_statistics_free(struct rd_statistics *t);

/* Adds one run: its n values, which must not be negative. */
void rd_statistics_add(struct rd_statistics *t, const int64_t *value);
void rd_statistics_add_counts(struct rd_statistics *t, const int32_t *value);
/* Adds the n sums of the runs of another batch. */
void rd_sums_add(struct rd_sum *to, const struct rd_sum *from, int64_t n);

double rd_statistics_mean(const struct rd_statistics *t, int64_t i);
/* Return the unbiased value (divided by runs - 1). They return NAN for one run, and if the sums
   may not fit in 128 bits: for more than 2^48 molecules in each of many runs. */
double rd_statistics_variance(const struct rd_statistics *t, int64_t i);
double rd_statistics_covariance(const struct rd_statistics *t, int64_t i, int64_t j);

#endif
