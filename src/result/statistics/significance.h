/* significance - compares the means and variances of two ensembles, in standard errors; and decides
   which of many comparisons differ. */
#ifndef RD_RESULT_STATISTICS_SIGNIFICANCE_H
#define RD_RESULT_STATISTICS_SIGNIFICANCE_H

#include "base/error.h"

#include <stdint.h>

/* Holds the moments of one number over the runs of an ensemble. */
struct rd_moments {
    double n; /* runs */
    double mean;
    double variance; /* unbiased */
    double fourth;   /* mean fourth power of the deviations from the mean; NAN: unknown */
};

/* Describes the difference of two ensembles, a less b. */
struct rd_contrast {
    double error; /* standard error if both have the same distribution; 0: both are constant */
    double z;     /* difference in errors, as a deviate of the standard normal distribution */
};

/* Compares two means. The error is the larger one of Welch's and the pooled one: the first is too
   small if a few runs lack a rare event, the second if a few runs have larger deviations. Student's
   t becomes a normal deviate by Wallace's approximation (Ann. Math. Stat. 30, 1121, 1959). */
struct rd_contrast rd_contrast_means(const struct rd_moments *a, const struct rd_moments *b);

/* Compares two variances with Layard's error from the pooled fourth moment (J. Am. Stat. Assoc. 68,
   195, 1973), or from each ensemble's own variance if that is larger. A kurtosis below 2 counts as
   2: that of a species which switches between two states is known too well. An unknown one is that
   of a negative binomial distribution with the same mean and variance. */
struct rd_contrast rd_contrast_variances(const struct rd_moments *a, const struct rd_moments *b);

/* Returns the probability that a standard normal deviate is at least so far from 0. */
double rd_tails(double z);
/* Returns the deviate with this probability, the inverse of rd_tails. */
double rd_deviate(double probability);

/* Sets differs[i] for each of n deviates that differ from 0 at the level for all n together (Holm,
   Scand. J. Stat. 6, 65, 1979). Returns their number, or -1 with a message. */
int64_t rd_holm(const double *z, int64_t n, double level, bool *differs, struct rd_error *e);

#endif
