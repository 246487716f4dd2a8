/* law_draw - tests every sampler against its distribution: chi-square, moments and the ends of the
   support. Its parameters lie on both sides of each change of method. */
#include "distribution.h"
#include "kernels/core/draw.h"
#include "probability.h"

#include <stdlib.h>

enum { SAMPLES = 100000 };

/* Holds a distribution: binomial with n and p, or Poisson with mean p if n is 0. */
struct draw_law {
    double n, p;
};

static double mean_of(const struct draw_law *l)
{
    return l->n > 0 ? l->n * l->p : l->p;
}

static double variance_of(const struct draw_law *l)
{
    return l->n > 0 ? l->n * l->p * (1 - l->p) : l->p;
}

/* Returns f(k) / f(k - 1). */
static double ratio(const void *of, double k)
{
    const struct draw_law *const l = of;
    return l->n > 0 ? (l->n - k + 1) / k * (l->p / (1 - l->p)) : l->p / k;
}

static int64_t draw_of(const struct draw_law *l, struct rd_stream *s)
{
    return l->n > 0 ? rd_binomial(s, (int64_t)l->n, l->p) : rd_poisson(s, l->p);
}

/* Returns the probabilities of all relevant values: 9 standard deviations on both sides and 40
   more. The caller frees f. */
static struct table table_of(const struct draw_law *l)
{
    const double mean = floor(mean_of(l)), reach = 9 * sqrt(variance_of(l)) + 40;
    const double last = l->n > 0 ? fmin(l->n, mean + reach) : mean + reach;
    return table_of_ratios((int64_t)fmax(0, mean - reach), (int64_t)last, (int64_t)mean, ratio, l);
}

/* Returns the counts of draws, by their index in the table. */
static int64_t *counts_of(const struct draw_law *l, const struct table *t, struct rd_stream *s)
{
    int64_t *count = calloc((size_t)t->length, sizeof *count);
    assert_non_null(count);
    for (int i = 0; i < SAMPLES; i++) {
        const int64_t place = draw_of(l, s) - t->first;
        assert_true(place >= 0 && place < t->length);
        count[place]++;
    }
    return count;
}

/* Checks mean and variance of the values from index begin to end, conditional on this range. */
static void check_moments(const struct table *t, const int64_t *count, int64_t begin, int64_t end)
{
    double weight = 0, mean = 0, n = 0, sum = 0;
    for (int64_t i = begin; i < end; i++) {
        weight += t->f[i];
        mean += t->f[i] * (double)(i - begin);
        n += (double)count[i];
    }
    if (n < 400)
        return;
    mean /= weight;
    double second = 0, fourth = 0, squares = 0;
    for (int64_t i = begin; i < end; i++) {
        const double d = (double)(i - begin) - mean;
        second += t->f[i] / weight * d * d;
        fourth += t->f[i] / weight * d * d * d * d;
        sum += (double)count[i] * d;
        squares += (double)count[i] * d * d;
    }
    if (n * second < 400)
        return; /* nearly always the same value: check_rare tests the number of others */
    assert_deviation("mean", sum / sqrt(n * second));
    if (fourth > 1.0001 * second * second)
        assert_deviation("variance", (squares / n - second) / sqrt((fourth - second * second) / n));
}

/* Checks the number of draws that are not the likeliest value: at most 5 standard deviations and 5
   more than expected. */
static void check_rare(const struct table *t, const int64_t *count)
{
    int64_t likeliest = 0;
    for (int64_t i = 1; i < t->length; i++)
        if (t->f[i] > t->f[likeliest])
            likeliest = i;
    const double others = SAMPLES * (1 - t->f[likeliest]);
    const double seen = (double)(SAMPLES - count[likeliest]);
    assert_true(fabs(seen - others) <= 5 * sqrt(others) + 5);
}

static void check_law(const struct draw_law *l, struct rd_stream s)
{
    const struct table t = table_of(l);
    int64_t *count = counts_of(l, &t, &s);
    const int64_t middle = (int64_t)mean_of(l) - t.first + 1;
    table_check_shape(&t, count, SAMPLES); /* if all but one are rare, check_rare tests them */
    check_rare(&t, count);
    check_moments(&t, count, 0, t.length);
    check_moments(&t, count, 0, middle);
    check_moments(&t, count, middle, t.length);
    free(count);
    free(t.f);
}

/* Uses 10^5 draws each, which detect an error of 0.016 standard deviations in the mean, or of 2 %
   in the variance. */
static void law_binomial(void **state)
{
    (void)state;
    static const double n[] = {1, 2, 7, 30, 1e3, 1e5, 16777217, 2147483647};
    static const double p[] = {1e-9, 1e-4, 0.01, 0.3, 0.5, 0.7, 0.99, 1 - 1e-7};
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 8; j++)
            check_law(&(struct draw_law){n[i], p[j]}, stream_of(__func__, i * 8 + j));
}

/* Tests both sides of the change from inversion to rejection. */
static void law_binomial_at_the_threshold(void **state)
{
    (void)state;
    static const double n[] = {20, 21, 40, 1000, 1e6}, mean[] = {9.99, 10, 10.01, 11};
    for (int i = 0; i < 5; i++)
        for (int j = 0; j < 4; j++)
            check_law(&(struct draw_law){n[i], mean[j] / n[i]}, stream_of(__func__, i * 4 + j));
}

/* Tests n beyond the tables: the first four moments are those of a normal distribution, with 10^5
   draws each. */
static void law_binomial_of_huge_n(void **state)
{
    (void)state;
    struct rd_stream s = stream_of(__func__, 0);
    const double n = (double)(RD_BINOMIAL_END - 1), p[] = {1e-6, 0.2, 0.5, 0.8};
    for (int j = 0; j < 4; j++) {
        double sum[5] = {0};
        for (int i = 0; i < SAMPLES; i++) {
            const double k = (double)rd_binomial(&s, RD_BINOMIAL_END - 1, p[j]);
            const double d = (k - n * p[j]) / sqrt(n * p[j] * (1 - p[j]));
            for (int power = 1; power <= 4; power++)
                sum[power] += pow(d, power) / SAMPLES;
        }
        const double root = sqrt(SAMPLES);
        assert_deviation("mean", sum[1] * root);
        assert_deviation("variance", (sum[2] - 1) * root / sqrt(2));
        assert_deviation("skewness", sum[3] * root / sqrt(15));
        assert_deviation("kurtosis", (sum[4] - 3) * root / sqrt(96));
    }
}

static void law_poisson(void **state)
{
    (void)state;
    static const double mean[] = {1e-6, 0.1, 1, 9.99, 10, 10.01, 30, 1e4, 1e8};
    for (int i = 0; i < 9; i++)
        check_law(&(struct draw_law){0, mean[i]}, stream_of(__func__, i));
}

/* Uses 4 10^6 draws, of which 180 exceed 10. */
static void law_exponential(void **state)
{
    (void)state;
    enum { N = 4000000, BINS = 40 };
    struct rd_stream s = stream_of(__func__, 0);
    int64_t seen[BINS] = {0};
    double expected[BINS], sum = 0, squares = 0, excess = 0, beyond = 0;
    for (int i = 0; i < N; i++) {
        const double x = rd_exponential(&s);
        seen[x < 10 ? (int)(4 * x) : BINS - 1]++;
        sum += x - 1;
        squares += (x - 1) * (x - 1);
        beyond += x > 10;
        excess += x > 10 ? x - 10 : 0;
    }
    for (int i = 0; i < BINS; i++)
        expected[i] = N * (exp(-i / 4.0) - (i < BINS - 1 ? exp(-(i + 1) / 4.0) : 0));
    assert_deviation("shape", chi_square_deviate(seen, expected, BINS));
    assert_deviation("mean", sum / sqrt(N));
    assert_deviation("variance", (squares / N - 1) * sqrt(N / 8.0));
    assert_deviation("beyond 10", (beyond - N * exp(-10)) / sqrt(N * exp(-10)));
    assert_deviation("excess over 10", (excess - beyond) / sqrt(beyond));
}

static void law_normal(void **state)
{
    (void)state;
    enum { N = 1000000, BINS = 32 };
    struct rd_stream s = stream_of(__func__, 0);
    int64_t seen[BINS] = {0};
    double expected[BINS], sum[5] = {0}, last = 0, lag = 0;
    for (int i = 0; i < N; i++) {
        const double x = rd_normal(&s);
        seen[(int)fmax(0, fmin(BINS - 1, floor(4 * x) + BINS / 2))]++;
        for (int power = 1; power <= 4; power++)
            sum[power] += pow(x, power) / N;
        lag += x * last;
        last = x;
    }
    for (int i = 0; i < BINS; i++) {
        const double low = i > 0 ? (i - 16) / 4.0 : -INFINITY;
        const double high = i < BINS - 1 ? (i - 15) / 4.0 : INFINITY;
        expected[i] = N * (erf(high / sqrt(2)) - erf(low / sqrt(2))) / 2;
    }
    assert_deviation("shape", chi_square_deviate(seen, expected, BINS));
    assert_deviation("mean", sum[1] * sqrt(N));
    assert_deviation("variance", (sum[2] - 1) * sqrt(N / 2.0));
    assert_deviation("skewness", sum[3] * sqrt(N / 15.0));
    assert_deviation("kurtosis", (sum[4] - 3) * sqrt(N / 96.0));
    assert_deviation("lag", lag / sqrt(N));
}

/* Uses bins of neighbours, and of equal remainder after division by 15. If no product were drawn
   again, some remainders would be 4/3 as likely as others for 3 2^61 and 5 2^60. */
static void law_below(void **state)
{
    (void)state;
    enum { BINS = 15 };
    static const uint64_t end[] = {15,
                                   16,
                                   30,
                                   1000003,
                                   (UINT64_C(1) << 32) + 1,
                                   UINT64_C(3) << 61,
                                   UINT64_C(5) << 60,
                                   UINT64_C(1) << 63};
    for (int i = 0; i < 8; i++) {
        struct rd_stream s = stream_of(__func__, i);
        const uint64_t width = end[i] / BINS + (end[i] % BINS > 0);
        int64_t near[BINS] = {0}, rest[BINS] = {0};
        double near_expected[BINS], rest_expected[BINS];
        for (int j = 0; j < SAMPLES; j++) {
            const uint64_t x = rd_below(&s, end[i]);
            assert_true(x < end[i]);
            near[x / width]++;
            rest[x % BINS]++;
        }
        const double each = SAMPLES / (double)end[i];
        for (uint64_t j = 0; j < BINS; j++) {
            const uint64_t first = j * width, left = end[i] > first ? end[i] - first : 0;
            near_expected[j] = each * (double)(left < width ? left : width);
            rest_expected[j] = each * (double)((end[i] - j + BINS - 1) / BINS);
        }
        const int n_near = (int)((end[i] + width - 1) / width);
        assert_deviation("neighbours", chi_square_deviate(near, near_expected, n_near));
        assert_deviation("rests", chi_square_deviate(rest, rest_expected, BINS));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(law_binomial),
        cmocka_unit_test(law_binomial_at_the_threshold),
        cmocka_unit_test(law_binomial_of_huge_n),
        cmocka_unit_test(law_poisson),
        cmocka_unit_test(law_exponential),
        cmocka_unit_test(law_normal),
        cmocka_unit_test(law_below),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
