/* probability - helpers for tests of random numbers: a seed from a test's name, and deviations in
   standard errors. A test with fewer than 1000 comparisons fails by chance less than once in 1000
   seeds. */
#ifndef RD_PROBABILITY_H
#define RD_PROBABILITY_H

#include "kernels/core/rng.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define PROBABILITY_Z_MOST 5.0

/* Computes an FNV-1a hash (Fowler, Noll, Vo) with 64 bits: a start value, then one step per
   value. */
#define PROBABILITY_HASH_START UINT64_C(14695981039346656037)

static inline uint64_t hash_step(uint64_t hash, uint64_t value)
{
    return (hash ^ value) * UINT64_C(1099511628211);
}

static inline uint64_t seed_of(const char *name)
{
    uint64_t hash = PROBABILITY_HASH_START;
    for (const char *c = name; *c != '\0'; c++)
        hash = hash_step(hash, (unsigned char)*c);
    return hash % RD_SEED_END;
}

static inline struct rd_stream stream_of(const char *name, int64_t item)
{
    return rd_stream_of(seed_of(name), 0, 0, RD_FOR_START, 0, item);
}

/* Fails unless z, a deviation in standard errors, is below PROBABILITY_Z_MOST in magnitude. */
static inline void assert_deviation(const char *what, double z)
{
    if (!(fabs(z) < PROBABILITY_Z_MOST))
        fail_msg("%s: %.2f standard errors off", what, z);
}

/* Returns Pearson's chi-square over bins as a normal deviate (Wilson and Hilferty 1931). */
static inline double chi_square_deviate(const int64_t *seen, const double *expected, int n_bins)
{
    double sum = 0;
    for (int i = 0; i < n_bins; i++) {
        const double d = (double)seen[i] - expected[i];
        sum += d * d / expected[i];
    }
    const double freedom = n_bins - 1, width = 2 / (9 * freedom);
    return (cbrt(sum / freedom) - (1 - width)) / sqrt(width);
}

#endif
