/* significance - compares the means and variances of two ensembles. */
#include "result/statistics/significance.h"

#include "kernels/core/real.h"

#include <math.h>
#include <stdlib.h>

static double square(double x)
{
    return x * x;
}

double rd_tails(double z)
{
    return erfc(fabs(z) / sqrt(2.0));
}

double rd_deviate(double probability)
{
    double low = 0.0, high = 40.0; /* rd_tails(40) is 0 */
    for (int i = 0; i < 60; i++) {
        const double middle = (low + high) / 2.0;
        *(rd_tails(middle) > probability ? &low : &high) = middle;
    }
    return low;
}

static double pooled_variance(const struct rd_moments *a, const struct rd_moments *b)
{
    return ((a->n - 1.0) * a->variance + (b->n - 1.0) * b->variance) / (a->n + b->n - 2.0);
}

/* Returns the deviate of two ensembles that are constant, but differ. If both had the same
   distribution, all runs of a had one value and all of b another with at most this probability. */
static double deviate_of_constants(const struct rd_moments *a, const struct rd_moments *b)
{
    const double n = a->n + b->n;
    return rd_deviate(2.0 * rd_exp(a->n * rd_log(a->n / n) + b->n * rd_log(b->n / n)));
}

/* Returns the normal deviate with the same tails as Student's t with n degrees of freedom. */
static double deviate_of_t(double t, double n)
{
    const double z = (8.0 * n + 1.0) / (8.0 * n + 3.0) * sqrt(n * rd_log1p(t * t / n));
    return t < 0.0 ? -z : z;
}

struct rd_contrast rd_contrast_means(const struct rd_moments *a, const struct rd_moments *b)
{
    const double by = a->mean - b->mean;
    const double of_a = a->variance / a->n, of_b = b->variance / b->n, own = of_a + of_b;
    const double pooled = pooled_variance(a, b) * (1.0 / a->n + 1.0 / b->n);
    if (own <= 0.0)
        return (struct rd_contrast){0.0,
                                    by == 0.0 ? 0.0 : copysign(deviate_of_constants(a, b), by)};
    const double freedom =
        own > pooled ? square(own) / (square(of_a) / (a->n - 1.0) + square(of_b) / (b->n - 1.0))
                     : a->n + b->n - 2.0;
    const double error = sqrt(fmax(own, pooled));
    return (struct rd_contrast){error, deviate_of_t(by / error, freedom)};
}

/* Returns the pooled kurtosis. */
static double kurtosis(const struct rd_moments *a, const struct rd_moments *b, double variance)
{
    const double n = a->n + b->n, mean = (a->n * a->mean + b->n * b->mean) / n;
    const double fourth = (a->n * a->fourth + b->n * b->fourth) / n;
    if (!isnan(fourth))
        return fmax(2.0, fourth / square(variance * (n - 2.0) / n));
    const double excess = mean > 0.0 ? fmax(0.0, variance - mean) / square(mean) : 0.0;
    return 3.0 + 1.0 / variance + 6.0 * excess;
}

struct rd_contrast rd_contrast_variances(const struct rd_moments *a, const struct rd_moments *b)
{
    const double variance = pooled_variance(a, b);
    if (variance <= 0.0)
        return (struct rd_contrast){0.0, 0.0};
    const double k = kurtosis(a, b, variance);
    const double of_a = (k - (a->n - 3.0) / (a->n - 1.0)) / a->n;
    const double of_b = (k - (b->n - 3.0) / (b->n - 1.0)) / b->n;
    const double own = square(a->variance) * of_a + square(b->variance) * of_b;
    const double error = sqrt(fmax(own, square(variance) * (of_a + of_b)));
    return (struct rd_contrast){error, (a->variance - b->variance) / error};
}

/* Holds a deviate and its place. */
struct ranked {
    double size;
    int64_t at;
};

static int compare_sizes(const void *a, const void *b)
{
    const double x = ((const struct ranked *)a)->size, y = ((const struct ranked *)b)->size;
    return (x < y) - (x > y);
}

int64_t rd_holm(const double *z, int64_t n, double level, bool *differs, struct rd_error *e)
{
    struct ranked *const ranked = calloc((size_t)n + 1, sizeof *ranked);
    if (!ranked) {
        rd_fail(e, "out of memory for %lld comparisons", (long long)n);
        return -1;
    }
    for (int64_t i = 0; i < n; i++) {
        ranked[i] = (struct ranked){fabs(z[i]), i};
        differs[i] = false;
    }
    qsort(ranked, (size_t)n, sizeof *ranked, compare_sizes);
    int64_t found = 0;
    while (found < n && rd_tails(ranked[found].size) <= level / (double)(n - found))
        differs[ranked[found++].at] = true;
    free(ranked);
    return found;
}
