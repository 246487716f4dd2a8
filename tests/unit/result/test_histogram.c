/* test_histogram - quantiles compared with sorting: exact for small numbers, approximate for large
   ones, and independent of order. */
#include "probability.h"
#include "result/statistics/histogram.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 1000 };

static int compare(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

/* Returns the least x of n sorted numbers for which at least a fraction q of them is <= x. */
static int64_t quantile_of(const int64_t *sorted, int n, double q)
{
    int i = 0;
    while (i < n - 1 && (double)(i + 1) / n < q - 1e-12)
        i++;
    return sorted[i];
}

/* Checks the quantiles of n numbers from LOW to below LOW + WIDTH; the histogram has been used and
   cleared before. */
static void assert_quantiles(int64_t low, int64_t width, int n, double error)
{
    static const double q[] = {0, 0.001, 0.05, 0.25, 0.5, 0.55, 0.75, 0.95, 0.999, 1};
    struct rd_error e = {0};
    struct rd_histogram h = {0};
    struct rd_stream s = stream_of("assert_quantiles", (int)(low % 1000) + n);
    int64_t number[MOST];
    assert_true(rd_histogram_add(&h, 5000000, &e) && rd_histogram_add(&h, 7, &e));
    rd_histogram_clear(&h);
    for (int i = 0; i < n; i++) {
        number[i] = low + (int64_t)(((uint64_t)rd_word(&s) << 31) % (uint64_t)width);
        assert_true(rd_histogram_add(&h, number[i], &e));
    }
    qsort(number, (size_t)n, sizeof *number, compare);
    for (size_t i = 0; i < sizeof q / sizeof *q; i++) {
        const double expected = (double)quantile_of(number, n, q[i]);
        const double seen = (double)rd_histogram_quantile(&h, q[i]);
        if (!(fabs(seen - expected) <= error * expected))
            fail_msg("from %lld, %d numbers: the %g quantile is %.17g, not %.17g", (long long)low,
                     n, q[i], seen, expected);
    }
    rd_histogram_free(&h);
}

static void small_numbers_are_exact(void **state)
{
    (void)state;
    for (int n = 1; n <= MOST; n = 3 * n + 1) {
        assert_quantiles(0, 1, n, 0);
        assert_quantiles(0, 30, n, 0);
        assert_quantiles(1000, 1048, n, 0);
    }
}

static void large_numbers_are_approximate(void **state)
{
    (void)state;
    for (int64_t low = 2048; low < INT64_MAX / 4; low *= 5) {
        assert_quantiles(low, low, MOST, 1.0 / 2048);
        assert_quantiles(low, 1, 3, 0); /* all numbers are equal, so the quantile is exact */
    }
    assert_quantiles(0, INT64_C(1) << 60, MOST, 1.0 / 2048);
}

static void quantiles_are_middles_of_bins(void **state)
{
    (void)state;
    struct rd_error e = {0};
    struct rd_histogram h = {0};
    for (int64_t i = 8192; i < 8200; i++) /* one bin of eight; one number on either side */
        assert_true(rd_histogram_add(&h, i, &e));
    assert_true(rd_histogram_add(&h, 0, &e) && rd_histogram_add(&h, 10000, &e));
    assert_int_equal(rd_histogram_quantile(&h, 0.5), 8195);
    assert_int_equal(rd_histogram_quantile(&h, 0.2), 8195);
    assert_int_equal(rd_histogram_quantile(&h, 0.1), 0);
    assert_int_equal(rd_histogram_quantile(&h, 1), 10000);
    rd_histogram_free(&h);
}

/* Checks that the quantile k / n of n different numbers is exactly number k, even if k / n * n is
   rounded up. */
static void quantiles_at_fractions_are_exact(void **state)
{
    (void)state;
    for (int n = 1; n <= MOST; n += n < 110 ? 1 : 89) {
        struct rd_error e = {0};
        struct rd_histogram h = {0};
        for (int i = 1; i <= n; i++)
            assert_true(rd_histogram_add(&h, i, &e));
        for (int k = 1; k <= n; k++)
            assert_int_equal(rd_histogram_quantile(&h, (double)k / n), k);
        rd_histogram_free(&h);
    }
}

int test_histogram(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(small_numbers_are_exact),
                                       cmocka_unit_test(large_numbers_are_approximate),
                                       cmocka_unit_test(quantiles_at_fractions_are_exact),
                                       cmocka_unit_test(quantiles_are_middles_of_bins)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
