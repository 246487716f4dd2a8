/* test_significance - tests of comparisons of means and variances against known values, of how
   often they find a difference that is none, and of Holm's correction. */
#include "result/statistics/significance.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void assert_close(double v, double expected, double by)
{
    if (!(fabs(v - expected) <= by))
        fail_msg("%.10g is not %.10g", v, expected);
}

/* Tests that the values are those of scipy.stats.ttest_ind_from_stats, as normal deviates. */
static void means_have_the_deviates_of_student(void **state)
{
    (void)state;
    struct rd_moments a = {20, 10, 9, NAN}, b = {50, 12.5, 4, NAN};
    struct rd_contrast c = rd_contrast_means(&a, &b); /* Welch's error is the larger one */
    assert_close(c.error, sqrt(9.0 / 20 + 4.0 / 50), 1e-12);
    assert_close(c.z, -3.0899, 0.01);
    c = rd_contrast_means(&b, &a);
    assert_close(c.z, 3.0899, 0.01);
    a.variance = 4;
    b.variance = 9;
    c = rd_contrast_means(&a, &b); /* the pooled error is */
    assert_close(c.z, -3.2794, 0.01);
}

static void constants_differ_if_there_are_enough(void **state)
{
    (void)state;
    const struct rd_moments few[2] = {{2, 5, 0, 0}, {2, 6, 0, 0}};
    const struct rd_moments many[2] = {{500, 5, 0, 0}, {500, 6, 0, 0}};
    assert_close(rd_contrast_means(&few[0], &few[1]).z, -rd_deviate(2.0 / 16), 1e-9);
    assert_close(rd_contrast_means(&few[0], &few[0]).z, 0, 0);
    assert_true(rd_contrast_means(&many[1], &many[0]).z > 8);
    assert_close(rd_contrast_variances(&many[1], &many[0]).error, 0, 0);
}

/* Tests the error sqrt(2 sigma^4 (1/(n-1) + 1/(m-1))) for the fourth moment of a normal
   distribution, and that of a negative binomial one if it is unknown. */
static void variances_have_the_error_of_the_fourth_moment(void **state)
{
    (void)state;
    const double v = 3, n = 400;
    struct rd_moments a = {n, 10, v, 3 * v * v}, b = a;
    struct rd_contrast c = rd_contrast_variances(&a, &b);
    assert_close(c.z, 0, 0);
    assert_close(c.error, v * sqrt(4 / n), 0.01 * c.error);
    a = (struct rd_moments){n, 10, 3.6, 3 * 3.6 * 3.6};
    assert_close(rd_contrast_variances(&a, &b).z, 1.7906876, 1e-6);
    a = b = (struct rd_moments){n, 10, 110, NAN}; /* geometric: kurtosis 9 + 1/110 */
    assert_close(rd_contrast_variances(&a, &b).error, 110 * sqrt(2 * 8.0 / n), 0.2);
    a = b = (struct rd_moments){n, 0.5, 0.25, 0.0625}; /* kurtosis 1 counts as 2 */
    assert_close(rd_contrast_variances(&a, &b).error, 0.25 * sqrt(2 / n), 1e-3);
}

/* Returns a number from 0 to 1, from a generator of its own (xorshift64*). */
static double draw(uint64_t *s)
{
    *s ^= *s >> 12;
    *s ^= *s << 25;
    *s ^= *s >> 27;
    return (double)((*s * UINT64_C(2685821657736338717)) >> 11) * 0x1p-53;
}

static int64_t draw_poisson(uint64_t *s, double mean)
{
    int64_t n = -1;
    for (double product = 1; product > exp(-mean); n++)
        product *= draw(s);
    return n;
}

enum test_kind { SWITCH, RARE_EVENT, POISSON, BURST, N_KINDS };

static double draw_value(uint64_t *s, enum test_kind kind)
{
    switch (kind) {
    case SWITCH:
        return draw(s) < 0.5;
    case RARE_EVENT:
        return draw(s) < 0.03 ? (double)draw_poisson(s, 20) : 0;
    case POISSON:
        return (double)draw_poisson(s, 0.3);
    default:
        return (double)draw_poisson(s, -8 * log(1 - draw(s)));
    }
}

static struct rd_moments draw_moments(uint64_t *s, enum test_kind kind, int n, bool with_fourth)
{
    double value[2000];
    struct rd_moments m = {.n = n, .fourth = with_fourth ? 0 : (double)NAN};
    for (int i = 0; i < n; i++)
        m.mean += (value[i] = draw_value(s, kind)) / n;
    for (int i = 0; i < n; i++) {
        m.variance += (value[i] - m.mean) * (value[i] - m.mean) / (n - 1);
        m.fourth += pow(value[i] - m.mean, 4) / n;
    }
    return m;
}

/* Tests that |z| is above 3 not much more often than in 0.27 % of comparisons, for distributions
   far from the normal one, equal and unequal numbers of runs, and known and unknown fourth moments:
   at most 14 of 2000 (the probability of more is 7e-4 at 5.4). Each of these was seen to fail: an
   error without the pooled one, a kurtosis of 3 for bursts, and no least kurtosis for a switch. */
static void equal_samples_rarely_differ(void **state)
{
    (void)state;
    enum { TRIALS = 2000, MOST = 14 };
    static const int runs[][2] = {{30, 30}, {100, 100}, {30, 600}};
    uint64_t s = UINT64_C(0x7465737473696e67);
    for (int kind = 0; kind < N_KINDS; kind++)
        for (int i = 0; i < 3; i++)
            for (int known = 0; known < 2; known++) {
                int n_means = 0, n_variances = 0;
                for (int trial = 0; trial < TRIALS; trial++) {
                    const struct rd_moments a =
                        draw_moments(&s, (enum test_kind)kind, runs[i][0], known);
                    const struct rd_moments b =
                        draw_moments(&s, (enum test_kind)kind, runs[i][1], known);
                    n_means += fabs(rd_contrast_means(&a, &b).z) > 3;
                    n_variances += fabs(rd_contrast_variances(&a, &b).z) > 3;
                }
                if (n_means > MOST || n_variances > MOST)
                    fail_msg("kind %d, runs %d, known %d: %d means and %d variances", kind, i,
                             known, n_means, n_variances);
            }
}

static void tails_and_deviates_are_inverse(void **state)
{
    (void)state;
    assert_close(rd_deviate(1e-3), 3.2905267315, 1e-8);
    assert_close(rd_deviate(1e-3 / 16), 4.0031675714, 1e-8);
    assert_close(rd_deviate(1e-9), 6.1094102048, 1e-8);
    assert_close(rd_tails(rd_deviate(0.3)), 0.3, 1e-12);
    assert_close(rd_deviate(0), 40, 3); /* no more tails in a double */
}

static void holm_tests_one_after_the_other(void **state)
{
    (void)state;
    struct rd_error e = {0};
    bool differs[4];
    /* 0.001/4, 0.001/3, 0.001/2, 0.001 are |z| of 3.66, 3.59, 3.48, 3.29 */
    const double z[4] = {3.4, -9, 0.5, 3.6};
    assert_int_equal(rd_holm(z, 4, 1e-3, differs, &e), 2);
    assert_true(differs[1] && differs[3] && !differs[0] && !differs[2]);
    const double none[4] = {3.6, -3.6, 3.6, 3.6};
    assert_int_equal(rd_holm(none, 4, 1e-3, differs, &e), 0);
    const double all[4] = {3.3, -3.5, 3.6, 3.7};
    assert_int_equal(rd_holm(all, 4, 1e-3, differs, &e), 4);
    assert_int_equal(rd_holm(all, 0, 1e-3, differs, &e), 0);
}

int test_significance(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(means_have_the_deviates_of_student),
        cmocka_unit_test(constants_differ_if_there_are_enough),
        cmocka_unit_test(variances_have_the_error_of_the_fourth_moment),
        cmocka_unit_test(equal_samples_rarely_differ),
        cmocka_unit_test(tails_and_deviates_are_inverse),
        cmocka_unit_test(holm_tests_one_after_the_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
