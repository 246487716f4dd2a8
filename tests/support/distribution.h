/* distribution - a table of probabilities from the ratios of neighbours, and a test of counts
   against it. */
#ifndef RD_DISTRIBUTION_H
#define RD_DISTRIBUTION_H

#include <stdbool.h>
#include <stdint.h>

/* Holds the probabilities of first, ..., first + length - 1. The caller frees f. */
struct table {
    double *f;
    int64_t first, length;
};

/* Returns f(k) / f(k - 1). */
typedef double ratio_of(const void *of, double k);

/* Makes the probabilities of first to last, starting from the value middle between them. */
struct table table_of_ratios(int64_t first, int64_t last, int64_t middle, ratio_of *ratio,
                             const void *of);

/* Tests counts, by their index in the table, by chi-square over about 40 bins of equal probability
   with at least 20 expected each. Returns false if there are fewer than two bins; then nothing is
   tested. */
bool table_check_shape(const struct table *t, const int64_t *count, int64_t n_samples);

#endif
