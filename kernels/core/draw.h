/* draw - random numbers of all distributions that the passes need, from the words of a stream. The
   methods, their order of words and the thresholds between them belong to the stream version. */
#ifndef RD_CORE_DRAW_H
#define RD_CORE_DRAW_H

#include "kernels/core/real.h"
#include "kernels/core/rng.h"

/* If the mean (of the rarer outcome) is below this, binomial and Poisson numbers are drawn by
   inversion, otherwise by transformed rejection (Hoermann, J. Stat. Comput. Simul. 46 (1993) 101
   and Insurance: Math. Econ. 12 (1993) 39: BTRS and PTRS, both designed for means of 10 and
   more). */
#define RD_INVERT_BELOW 10.0

/* Sets the largest number that inversion considers: below a mean of 10 the probability of more is
   less than 1e-80. */
enum { RD_INVERT_MOST = 128 };

/* Gives the largest mean of a Poisson number, and one more than the largest n of a binomial number:
   up to these limits counts are exact as doubles. */
#define RD_POISSON_MOST 1e15
#define RD_BINOMIAL_END (INT64_C(1) << 52)

/* Returns an exponential number with mean 1. */
RD_FN double rd_exponential(struct rd_stream *s)
{
    return -rd_log(rd_uniform(s));
}

/* Returns a normal number with mean 0 and variance 1 (Box and Muller 1958). It discards the second
   number of the pair, so that every number takes one call. */
RD_FN double rd_normal(struct rd_stream *s)
{
    const double two_pi = 4 * RD_HALF_PI_1;
    const double radius = rd_sqrt(2 * rd_exponential(s));
    return radius * rd_cos(two_pi * rd_uniform(s));
}

/* Returns the high word of a b = high 2^64 + low. */
RD_FN uint64_t rd_wide_product(uint64_t a, uint64_t b, uint64_t *low)
{
    const uint64_t a_low = (uint32_t)a, a_high = a >> 32;
    const uint64_t b_low = (uint32_t)b, b_high = b >> 32;
    const uint64_t cross = a_high * b_low + (a_low * b_low >> 32);
    const uint64_t middle = a_low * b_high + (uint32_t)cross;
    *low = a * b;
    return a_high * b_high + (cross >> 32) + (middle >> 32);
}

/* Returns a uniform number in 0 ... n - 1 without bias, for 1 <= n <= 2^63 (Lemire, ACM Trans.
   Model. Comput. Simul. 29 (2019) 3). It draws again if the low part of the product is below 2^64
   mod n. */
RD_FN uint64_t rd_below(struct rd_stream *s, uint64_t n)
{
    assert(n > 0);
    for (;;) {
        const uint64_t high_word = rd_word(s);
        const uint64_t word = high_word << 32 | rd_word(s);
        uint64_t low;
        const uint64_t high = rd_wide_product(word, n, &low);
        if (low >= n || low >= (0 - n) % n)
            return high;
    }
}

/* Returns the number k <= most that u, uniform in (0, 1), selects from the probabilities f(0), f(k)
   = f(k - 1) (a + b / k). It returns -1 if rounding left u above the sum of all probabilities. */
RD_FN int64_t rd_inverse(double u, double f0, double a, double b, int64_t most)
{
    double f = f0;
    for (int64_t k = 0; k <= most; k++) {
        if (u < f)
            return k;
        u -= f;
        f *= a + b / (double)(k + 1);
    }
    return -1;
}

/* Returns such a number. It draws until a uniform number selects one (the first fails about once in
   10^15). */
RD_FN int64_t rd_invert(struct rd_stream *s, double f0, double a, double b, int64_t most)
{
    int64_t k;
    do
        k = rd_inverse(rd_uniform(s), f0, a, b, most);
    while (k < 0);
    return k;
}

/* Holds the parameters of transformed rejection: k = floor((2 a / (1/2 - |u|) + b) u + centre), for
   u uniform in (-1/2, 1/2), has nearly the required distribution. An independent v uniform in (0,
   1) is tested against f(k) (a / (1/2 - |u|)^2 + b) / top. */
struct rd_hat {
    double a, b, centre, top;
    double squeeze; /* v up to this needs no test if 1/2 - |u| >= 0.07 */
};

/* Computes a proposal from v and `more`, both uniform in (0, 1): k, and the height v top / (a /
   (1/2 - |u|)^2 + b), with u = more - 1/2. It returns true if k needs no test; otherwise f(k) must
   not be below the height. */
RD_FN bool rd_proposal(const struct rd_hat *h, double v, double more, double *k, double *height)
{
    const double u = more - 0.5;
    const double margin = u < 0 ? 0.5 + u : 0.5 - u;
    *k = rd_floor((2 * h->a / margin + h->b) * u + h->centre);
    *height = v * h->top / (h->a / (margin * margin) + h->b);
    return margin >= 0.07 && v <= h->squeeze;
}

/* Draws v and `more`, and computes their proposal. */
RD_FN bool rd_propose(struct rd_stream *s, const struct rd_hat *h, double *k, double *height)
{
    const double v = rd_uniform(s);
    return rd_proposal(h, v, rd_uniform(s), k, height);
}

/* Returns x log(x / m) + m - x for x = m + d, without its cancellation near d = 0 (the deviance;
   after Loader 2000): with t = d / m and s = t / (2 + t) it is m (s t + (1 + t) (2 atanh s - 2
   s)). */
RD_FN double rd_deviance(double m, double d)
{
    const double t = d / m;
    if (t < -0.29 || t > 0.41)
        return (m + d) * rd_log1p(t) - d;
    const double s = t / (2 + t);
    return m * (s * (t + (1 + t) * rd_atanh_tail(s * s)));
}

/* Returns log Gamma(x) - ((x - 1/2) log x - x + log(2 pi) / 2) for x = 1, 2, ..., with an error
   below 1e-11. It uses Stirling's series for x >= 8; smaller x are raised by g(x) - g(x + 1) = (x +
   1/2) log(1 + 1/x) - 1. */
RD_FN double rd_stirling_rest(double x)
{
    double rest = 0;
    for (; x < 8; x++) {
        const double s = 1 / (2 * x + 1);
        rest += rd_atanh_tail(s * s) / 2;
    }
    const double z = 1 / (x * x);
    return rest + (1.0 / 12 - z * (1.0 / 360 - z * (1.0 / 1260 - z * (1.0 / 1680)))) / x;
}

/* Returns the logarithm of the probability of k out of n, up to a constant. With x = k + 1 and y =
   n - k + 1, Stirling's formula needs no special case at k = 0 and k = n. */
RD_FN double rd_binomial_shape(double n, double p, double k)
{
    const double x = k + 1, y = n - k + 1;
    const double d = x - (n + 2) * p;
    return rd_log(x * y) / 2 - rd_deviance((n + 2) * p, d) - rd_deviance((n + 2) * (1 - p), -d) -
           rd_stirling_rest(x) - rd_stirling_rest(y);
}

/* Returns the parameters for a binomial number (BTRS). */
RD_FN struct rd_hat rd_binomial_hat(double n, double p)
{
    const double deviation = rd_sqrt(n * p * (1 - p));
    const double b = 1.15 + 2.53 * deviation;
    const struct rd_hat h = {.a = -0.0873 + 0.0248 * b + 0.01 * p,
                             .b = b,
                             .centre = n * p + 0.5,
                             .top = (2.83 + 5.1 / b) * deviation,
                             .squeeze = 0.92 - 4.2 / b};
    return h;
}

/* Returns whether the probability of k reaches the height, in units of that of the mode. */
RD_FN bool rd_binomial_reaches(double n, double p, double k, double height)
{
    const double mode = rd_floor((n + 1) * p);
    return k >= 0 && k <= n &&
           rd_log(height) <= rd_binomial_shape(n, p, k) - rd_binomial_shape(n, p, mode);
}

/* Returns a binomial number for p <= 1/2 and n p >= RD_INVERT_BELOW. */
RD_FN int64_t rd_binomial_many(struct rd_stream *s, double n, double p)
{
    const struct rd_hat h = rd_binomial_hat(n, p);
    for (;;) {
        double k, height;
        if (rd_propose(s, &h, &k, &height) || rd_binomial_reaches(n, p, k, height))
            return (int64_t)k;
    }
}

/* Returns the binomial number that u selects, or -1, for p <= 1/2 and n p < RD_INVERT_BELOW. */
RD_FN int64_t rd_binomial_inverse(double u, int64_t n, double p)
{
    const double size = (double)n, odds = p / (1 - p);
    const int64_t most = n < RD_INVERT_MOST ? n : RD_INVERT_MOST;
    return rd_inverse(u, rd_exp(size * rd_log1p(-p)), -odds, (size + 1) * odds, most);
}

/* Returns a binomial number for p <= 1/2. */
RD_FN int64_t rd_binomial_rare(struct rd_stream *s, int64_t n, double p)
{
    int64_t k;
    if ((double)n * p >= RD_INVERT_BELOW)
        return rd_binomial_many(s, (double)n, p);
    do
        k = rd_binomial_inverse(rd_uniform(s), n, p);
    while (k < 0);
    return k;
}

/* Returns the number of successes in n trials of probability p, for n < RD_BINOMIAL_END. It takes
   no word if the result is certain. */
RD_FN int64_t rd_binomial(struct rd_stream *s, int64_t n, double p)
{
    assert(n < RD_BINOMIAL_END);
    if (n <= 0 || !(p > 0))
        return 0;
    if (p >= 1)
        return n;
    return p <= 0.5 ? rd_binomial_rare(s, n, p) : n - rd_binomial_rare(s, n, 1 - p);
}

/* Returns the probability that a word is below `below`, given that it is not below `from`. */
RD_FN double rd_part_of_words(uint32_t from, uint32_t below)
{
    return ((double)below - from) / (4294967296.0 - from);
}

/* Returns how many of n words are below `below`, given that none is below `from`. */
RD_FN int64_t rd_share(struct rd_stream *s, int64_t n, uint32_t from, uint32_t below)
{
    return rd_binomial(s, n, rd_part_of_words(from, below));
}

/* Returns log(mean sqrt(2 pi) P), where P is the probability of k. */
RD_FN double rd_poisson_shape(double mean, double k)
{
    const double x = k + 1;
    return rd_log(x) / 2 - rd_deviance(mean, x - mean) - rd_stirling_rest(x);
}

/* Returns the parameters for a Poisson number. Hoermann's 1.1239 and 0.9277 leave the hat up to 0.5
   % below the distribution, and the squeeze up to 0.004 above it, in places (a scan of means from
   10 to 3000); a change of 0.01 in each corrects both. */
RD_FN struct rd_hat rd_poisson_hat(double mean)
{
    const double sqrt_two_pi = 0x1.40d931ff62706p+1;
    const double b = 0.931 + 2.53 * rd_sqrt(mean);
    const struct rd_hat h = {.a = -0.059 + 0.02483 * b,
                             .b = b,
                             .centre = mean + 0.43,
                             .top = (1.1339 + 1.1328 / (b - 3.4)) * mean * sqrt_two_pi,
                             .squeeze = 0.9177 - 3.6224 / (b - 2)};
    return h;
}

/* Returns a Poisson number for mean >= RD_INVERT_BELOW. */
RD_FN int64_t rd_poisson_many(struct rd_stream *s, double mean)
{
    const struct rd_hat h = rd_poisson_hat(mean);
    for (;;) {
        double k, height;
        if (rd_propose(s, &h, &k, &height))
            return (int64_t)k;
        if (k >= 0 && k < (double)RD_BINOMIAL_END && rd_log(height) <= rd_poisson_shape(mean, k))
            return (int64_t)k;
    }
}

/* Returns a Poisson number for mean <= RD_POISSON_MOST; it takes no word if the mean is 0. */
RD_FN int64_t rd_poisson(struct rd_stream *s, double mean)
{
    assert(mean <= RD_POISSON_MOST);
    if (!(mean > 0))
        return 0;
    if (mean >= RD_INVERT_BELOW)
        return rd_poisson_many(s, mean);
    return rd_invert(s, rd_exp(-mean), 0, mean, RD_INVERT_MOST);
}

#endif
