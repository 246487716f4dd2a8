/* test_theory - tests of the mathematics of the physics tests against closed forms and published
   numbers. */
#include "theory.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const double pi = 3.14159265358979323846;

static void assert_near(double found, double expected, double most)
{
    if (!(fabs(found - expected) <= most))
        fail_msg("%.17g instead of %.17g", found, expected);
}

/* Returns the probability of i given j on n voxels with reflecting ends:

   sum_k w_k cos(pi k(j+1/2)/n) cos(pi k(i+1/2)/n) exp(-4 r t sin^2(pi k/2n)), w_0 = 1/n, else
   2/n. */
static double cosines(int n, int j, int i, double spread)
{
    double sum = 1.0 / n;
    for (int k = 1; k < n; k++)
        sum += 2.0 / n * cos(pi * k * (j + 0.5) / n) * cos(pi * k * (i + 0.5) / n) *
               exp(-4 * spread * pow(sin(pi * k / (2.0 * n)), 2));
    return sum;
}

static void test_walk_reflects(void **state)
{
    (void)state;
    struct theory_walk w = {.size = {5, 4, 1}};
    theory_set_rates(&w, 0, 1, 0, 0.5);
    theory_set_rates(&w, 1, 0.3, 0, 0.7);
    double m[20 + THEORY_FACES] = {0};
    m[2 * 5 + 3] = 1;
    theory_walk_on(&w, 0.25, m);
    for (int site = 0; site < 20; site++)
        assert_near(m[site],
                    cosines(5, 3, site % 5, 0.25 / 0.25) *
                        cosines(4, 2, site / 5, 0.3 * 0.25 / 0.49),
                    1e-13);
}

/* Tests a walk from site 2 of 9 with absorbing ends: survivors at t = 1, 3, 6, 12; a share of
   (n-i)/(n+1) leaves to the left. */
static void test_walk_absorbs(void **state)
{
    (void)state;
    const struct theory_walk w = {.size = {9, 1, 1}, .rate = {1, 1}, .pass = {1, 1}};
    static const double time[] = {1, 2, 3, 6}, left[] = {95.4277, 77.1355, 56.8673, 31.5604};
    double m[9 + THEORY_FACES] = {[2] = 100};
    for (int k = 0; k < 4; k++) {
        theory_walk_on(&w, time[k], m);
        assert_near(100 - m[9] - m[10], left[k], 6e-5);
    }
    theory_walk_on(&w, 500, m);
    assert_near(m[9], 70, 1e-9);
    assert_near(m[10], 30, 1e-9);
}

/* Tests the morphogen: 40 voxels of length 25, D = 100, a source of 0.3 per voxel and time in the
   first 8 voxels, decay 0.001. */
static void test_walk_with_source_and_decay(void **state)
{
    (void)state;
    static const double source[40] = {.3, .3, .3, .3, .3, .3, .3, .3};
    static const double early[] = {90.2727, 89.4110, 87.6799, 85.0647};
    static const double late[] = {129.8147, 128.8327, 126.8625};
    struct theory_walk w = {.size = {40, 1, 1}, .decay = .001, .source = source};
    theory_set_rates(&w, 0, 100, 0, 25);
    double m[40 + THEORY_FACES] = {0};
    theory_walk_on(&w, 600, m);
    for (int i = 0; i < 4; i++)
        assert_near(m[i], early[i], 6e-5);
    theory_walk_on(&w, 1200, m);
    for (int i = 0; i < 3; i++)
        assert_near(m[i], late[i], 6e-5);
}

/* Tests a square of n x n voxels with a reservoir of 10 below y = 0; the other faces absorb. The
   steady state is sum_m c_m sin(m pi (i+1)/(n+1)) sinh(a_m (n-j)) / sinh(a_m (n+1)) with cosh a_m =
   2 - cos(m pi/(n+1)) and c_m = 20/(n+1) sum_i sin(m pi (i+1)/(n+1)). */
static void test_walk_with_inlet(void **state)
{
    (void)state;
    enum { N = 7 };
    double source[N * N] = {0}, m[N * N + THEORY_FACES] = {0};
    struct theory_walk w = {
        .size = {N, N, 1}, .rate = {1, 1, 1, 1}, .pass = {1, 1, 1, 1}, .source = source};
    theory_add_inlet(&w, 2, 10, source);
    theory_walk_on(&w, 200, m);
    for (int site = 0; site < N * N; site++) {
        double sum = 0;
        for (int k = 1; k <= N; k++) {
            const double angle = pi * k / (N + 1), a = acosh(2 - cos(angle));
            double c = 0;
            for (int i = 1; i <= N; i++)
                c += 20.0 / (N + 1) * sin(i * angle);
            sum += c * sin((site % N + 1) * angle) * sinh(a * (N - site / N)) / sinh(a * (N + 1));
        }
        assert_near(m[site], sum, 1e-10);
    }
}

static void test_walk_in_a_region_that_wraps(void **state)
{
    (void)state;
    /* a ring of 4 without voxel 1: 2 - 3 - 0 is a line of three */
    static const bool is_home[] = {true, false, true, true};
    const struct theory_walk w = {
        .size = {4, 1, 1}, .rate = {2, 2}, .pass = {-1, -1}, .is_home = is_home};
    double m[4 + THEORY_FACES] = {[2] = 1};
    theory_walk_on(&w, 0.4, m);
    assert_near(m[2], cosines(3, 0, 0, 0.8), 1e-13);
    assert_near(m[3], cosines(3, 0, 1, 0.8), 1e-13);
    assert_near(m[0], cosines(3, 0, 2, 0.8), 1e-13);
    assert_near(m[1], 0, 0);
}

static void test_rates(void **state)
{
    (void)state;
    struct theory_walk w = {.size = {1, 1, 1}};
    theory_set_rates(&w, 1, 0.6, 0.8, 0.5);
    assert_near(w.rate[2], 1.6, 1e-15);
    assert_near(w.rate[3], 3.2, 1e-15);
    theory_set_rates(&w, 1, 0.1, -3, 0.5);
    assert_near(w.rate[2], 6, 1e-15);
    assert_near(w.rate[3], 0, 1e-15);
}

static void test_expm(void **state)
{
    (void)state;
    /* two states with rates a and b: p00 = (b + a e^{-(a+b)t}) / (a + b) */
    const double q[] = {-3, 3, 5, -5};
    double p[4];
    theory_expm(q, 2, 0.7, p);
    assert_near(p[0], (5 + 3 * exp(-5.6)) / 8, 1e-14);
    assert_near(p[3], (3 + 5 * exp(-5.6)) / 8, 1e-14);
    theory_expm(q, 2, 0, p);
    assert_near(p[0], 1, 0);
    assert_near(p[1], 0, 0);
    const double turn[] = {0, 1, -1, 0};
    theory_expm(turn, 2, pi / 3, p);
    assert_near(p[0], 0.5, 1e-14);
    assert_near(p[1], sqrt(0.75), 1e-14);
}

static void test_deviates(void **state)
{
    (void)state;
    assert_near(theory_normal_tail(5), 2.866515718791939e-07, 1e-18);
    assert_near(theory_deviate(2.866515718791939e-07), 5, 1e-9);
    assert_near(theory_deviate(0.9), 0, 1e-12);
    /* P(X >= 4) for mean 1; P(X <= 1) for mean 6 */
    assert_near(theory_poisson_deviate(4, 1),
                theory_deviate(1 - exp(-1) * (1 + 1 + 1.0 / 2 + 1.0 / 6)), 1e-9);
    assert_near(theory_poisson_deviate(1, 6), -theory_deviate(exp(-6) * 7), 1e-9);
    assert_near(theory_poisson_deviate(0, 1e-9), 0, 1e-12);
    assert_true(isinf(theory_poisson_deviate(1, 0)));
    assert_near(theory_poisson_deviate(1e8 + 3e4, 1e8), 3, 1e-9);
    assert_near(theory_binomial_deviate(9, 10, 0.5), theory_deviate(11.0 / 1024), 1e-9);
    assert_near(theory_binomial_deviate(1, 10, 0.5), -theory_deviate(11.0 / 1024), 1e-9);
    assert_near(theory_binomial_deviate(10, 10, 1), 0, 0);
    assert_true(isinf(theory_binomial_deviate(9, 10, 1)));
    /* upper 1 % point of chi-square with 10 degrees of freedom: 23.209 */
    assert_near(theory_chi_square_deviate(23.209, 10), theory_deviate(0.01), 0.01);
}

int test_theory(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_walk_reflects),
        cmocka_unit_test(test_walk_absorbs),
        cmocka_unit_test(test_walk_with_source_and_decay),
        cmocka_unit_test(test_walk_with_inlet),
        cmocka_unit_test(test_walk_in_a_region_that_wraps),
        cmocka_unit_test(test_rates),
        cmocka_unit_test(test_expm),
        cmocka_unit_test(test_deviates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
