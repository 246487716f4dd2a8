/* test_real - tests of the elementary functions against libm in long double, of their special
   cases, and that every compiler gives the same bytes. */
#include "kernels/core/real.h"
#include "probability.h"

#include <float.h>

enum { SAMPLES = 100000 };

/* Lists how arguments are distributed between low and high: uniformly, or with a uniform logarithm
   (if both are above 0). */
enum real_spread { EVEN, BY_RATIO };

struct real_range {
    enum real_spread spread;
    double low, high;
};

static double argument(struct rd_stream *s, struct real_range r)
{
    const double u = rd_uniform(s);
    if (r.spread == EVEN)
        return r.low + (r.high - r.low) * u;
    return (double)expl(logl(r.low) + (logl(r.high) - logl(r.low)) * u);
}

/* Returns |got - exact| in units of the spacing of doubles there. */
static double error_in_ulp(double got, long double exact)
{
    const double size = fabs((double)exact);
    const double spacing = nextafter(size, INFINITY) - size;
    return (double)fabsl((got - exact) / spacing);
}

static void check_one(const char *name, double x, double got, long double exact, double limit)
{
    if (fabsl(exact) >= DBL_MAX)
        return;
    const double error = error_in_ulp(got, exact);
    if (!(error <= limit))
        fail_msg("%s(%a) = %a is %.2f ulp off", name, x, got, error);
}

struct function {
    const char *name;
    double (*ours)(double);
    long double (*exact)(long double);
    double limit; /* in ulp */
    struct real_range range[5];
};

static const struct function functions[] = {
    {"exp", rd_exp, expl, 1, {{EVEN, -746, 710}, {EVEN, -1, 1}, {BY_RATIO, 1e-320, 1}}},
    {"expm1",
     rd_expm1,
     expm1l,
     2,
     {{EVEN, -45, 710}, {EVEN, -2, 2}, {BY_RATIO, 1e-320, 1}, {EVEN, -1e-3, 1e-3}}},
    {"log",
     rd_log,
     logl,
     1,
     {{BY_RATIO, 0x1p-1074, DBL_MAX},
      {EVEN, 0, 2},
      {EVEN, 0.99, 1.01},
      {BY_RATIO, 0x1p-1074, DBL_MIN}}},
    {"log1p",
     rd_log1p,
     log1pl,
     1,
     {{EVEN, -1, 2}, {BY_RATIO, 1e-320, DBL_MAX}, {EVEN, -1e-3, 1e-3}, {EVEN, -1, -0.999}}},
    {"log10", rd_log10, log10l, 1, {{BY_RATIO, 0x1p-1074, DBL_MAX}, {EVEN, 0.99, 1.01}}},
    {"sqrt", rd_sqrt, sqrtl, 0.51, {{BY_RATIO, 0x1p-1074, DBL_MAX}}},
    {"sin", rd_sin, sinl, 1, {{EVEN, -8, 8}, {BY_RATIO, 1e-320, 1}, {EVEN, -2e6, 2e6}}},
    {"cos", rd_cos, cosl, 1, {{EVEN, -8, 8}, {BY_RATIO, 1e-320, 1}, {EVEN, -2e6, 2e6}}},
    {"tanh", rd_tanh, tanhl, 3, {{EVEN, -25, 25}, {EVEN, -1, 1}, {BY_RATIO, 1e-300, 1}}},
};

static void test_errors_in_ulp(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        const struct function *f = &functions[i];
        struct rd_stream s = stream_of(__func__, (int64_t)i);
        for (const struct real_range *r = f->range; r->high > r->low; r++)
            for (int j = 0; j < SAMPLES; j++) {
                const double x = argument(&s, *r);
                check_one(f->name, x, f->ours(x), f->exact(x), f->limit);
            }
    }
}

/* Tests multiples of pi/2, where sin or cos vanish. The remainder comes from the parts of pi/2
   after its first double; together the parts have more digits than a long double. */
static void test_multiples_of_pi(void **state)
{
    (void)state;
    for (int n = -1000000; n <= 1000000; n += 13) {
        const double x = n * RD_HALF_PI_1;
        const double got = n % 2 ? rd_cos(x) : rd_sin(x);
        check_one("sin or cos", x, got, n % 2 ? cosl(x) : sinl(x), 2);
    }
}

/* Tests angles up to the largest, and NaN beyond it. Long doubles resolve arguments of this size to
   1e-7. */
static void test_large_angles(void **state)
{
    (void)state;
    struct rd_stream s = stream_of(__func__, 0);
    for (int i = 0; i < SAMPLES; i++) {
        const double x = argument(&s, (struct real_range){EVEN, -RD_ANGLE_MOST, RD_ANGLE_MOST});
        assert_true(fabsl(rd_sin(x) - sinl(x)) < 1e-15L && fabsl(rd_cos(x) - cosl(x)) < 1e-15L);
    }
    assert_true(rd_is_finite(rd_sin(RD_ANGLE_MOST)));
    assert_true(isnan(rd_sin(nextafter(RD_ANGLE_MOST, INFINITY))));
    assert_true(isnan(rd_cos(-INFINITY)) && isnan(rd_sin(NAN)));
}

static bool same(double a, double b)
{
    return (isnan(a) && isnan(b)) || (a == b && signbit(a) == signbit(b));
}

/* Tests the special cases of annex F of C; signs of zero agree with it except where x is -0. */
static void test_edges(void **state)
{
    (void)state;
    static const double edge[] = {
        0,   1,    -1,      -2,        2,       INFINITY, -INFINITY, NAN,      DBL_MAX, -DBL_MAX,
        1e4, -1e4, DBL_MIN, 0x1p-1074, 0x1p-52, -0x1p-52, 709.7827,  709.7828, -745.1,  -745.2};
    for (size_t i = 0; i < sizeof edge / sizeof *edge; i++) {
        const double x = edge[i];
        for (size_t j = 0; j < 6; j++) {
            const struct function *f = &functions[j];
            const double want = (double)f->exact(x), got = f->ours(x);
            if (isfinite(want) && want != 0)
                check_one(f->name, x, got, f->exact(x), f->limit);
            else if (!same(got, want))
                fail_msg("%s(%g) = %g, not %g", f->name, x, got, want);
        }
    }
    assert_true(rd_tanh(INFINITY) == 1 && rd_tanh(-INFINITY) == -1 && isnan(rd_tanh(NAN)));
    assert_true(rd_log10(0) == -INFINITY && isnan(rd_log10(-1)));
}

static void test_log10_of_powers_of_ten(void **state)
{
    (void)state;
    double power = 1;
    for (int n = 0; n <= 22; n++, power *= 10)
        assert_true(rd_log10(power) == n);
}

/* Tests for relative errors up to 1e-15; the documented limit is 1e-14. */
static void test_pow(void **state)
{
    (void)state;
    const struct {
        struct real_range x, y;
    } area[] = {{{BY_RATIO, 1e-5, 1e5}, {EVEN, -60, 60}},
                {{BY_RATIO, 0x1p-1074, DBL_MAX}, {EVEN, -2, 2}},
                {{EVEN, 0.99, 1.01}, {EVEN, -7e4, 7e4}},
                {{EVEN, 0, 10}, {EVEN, -3, 3}}};
    for (size_t i = 0; i < sizeof area / sizeof *area; i++) {
        struct rd_stream s = stream_of(__func__, (int64_t)i);
        for (int j = 0; j < SAMPLES; j++) {
            const double x = argument(&s, area[i].x), y = argument(&s, area[i].y);
            const double got = rd_pow(x, y);
            const long double exact = powl(x, y);
            if (exact > DBL_MAX || exact < DBL_MIN)
                continue;
            if (!(fabsl(got - exact) <= 1e-15L * exact))
                fail_msg("pow(%a, %a) = %a is %Lg off", x, y, got, (got - exact) / exact);
        }
    }
}

static void test_whole_powers_are_exact(void **state)
{
    (void)state;
    for (int base = -20; base <= 20; base++) {
        double power = 1;
        for (int n = 0; fabs(power) < 0x1p53; n++, power *= base) {
            assert_true(rd_pow(base, n) == power);
            assert_true(base == 0 || rd_pow(base, -n) == 1 / power);
            if (n == 64)
                break;
        }
    }
    for (int n = -1074; n <= 1023; n++)
        assert_true(rd_pow(2, n) == ldexp(1, n) && rd_pow(0.5, -n) == ldexp(1, n));
    /* Checks 1e-320 to within the spacing of subnormals; plain squaring would overflow. */
    assert_true(fabs(rd_pow(1e20, -16) - 1e-320) <= 0x1p-1074);
}

/* Tests every pair of these against libm: the special cases of IEEE 754. */
static void test_pow_of_odd(void **state)
{
    (void)state;
    static const double odd[] = {
        0.0,      -0.0,      1,   -1,    2,      -2,     3,   -3,
        INFINITY, -INFINITY, NAN, 1e300, -1e300, 1e-310, 0.5, 4503599627370497.0,
        1e17,     -1.5,      1.5, -0.5};
    const size_t n = sizeof odd / sizeof *odd;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            const double got = rd_pow(odd[i], odd[j]), want = pow(odd[i], odd[j]);
            const bool near = isnormal(want) && fabs(got - want) <= 1e-15 * fabs(want);
            if (!near && !same(got, want))
                fail_msg("pow(%g, %g) = %g, not %g", odd[i], odd[j], got, want);
        }
}

static void test_floor(void **state)
{
    (void)state;
    struct rd_stream s = stream_of(__func__, 0);
    for (int i = 0; i < SAMPLES; i++) {
        const double small = argument(&s, (struct real_range){EVEN, -5, 5});
        const double large = argument(&s, (struct real_range){EVEN, -0x1p54, 0x1p54});
        assert_true(rd_floor(small) == floor(small) && rd_floor(large) == floor(large));
    }
    static const double edge[] = {0.0,          -0.0,       NAN,         0x1p52,    -0x1p52,
                                  0x1p52 - 0.5, -0x1p-1074, INFINITY,    -INFINITY, 1e300,
                                  -0x1p63,      0x1p65,     1 - 0x1p-53, -3,        3};
    for (size_t i = 0; i < sizeof edge / sizeof *edge; i++)
        assert_true(same(rd_floor(edge[i]), floor(edge[i])));
}

static void test_is_finite(void **state)
{
    (void)state;
    assert_true(rd_is_finite(0) && rd_is_finite(-DBL_MAX) && rd_is_finite(0x1p-1074));
    assert_false(rd_is_finite(INFINITY) || rd_is_finite(-INFINITY) || rd_is_finite(NAN));
}

/* Tests a hash of the bytes of every function at 10^4 arguments. If the hash differs, results
   differ from those of other machines, or the stream version has changed. */
static void test_same_bytes_everywhere(void **state)
{
    (void)state;
    uint64_t hash = PROBABILITY_HASH_START;
    struct rd_stream s = stream_of(__func__, 0);
    for (int i = 0; i < 10000; i++) {
        const double x = rd_exp(rd_word(&s) * 0x1p-27 - 26);
        const double y = rd_word(&s) * 0x1p-28 - 8;
        for (size_t j = 0; j < sizeof functions / sizeof *functions; j++)
            hash = hash_step(hash, rd_bits_of(functions[j].ours(x)));
        hash = hash_step(hash, rd_bits_of(rd_pow(x, y)));
    }
    assert_int_equal(hash, UINT64_C(0xe31738b0fe10bb2f));
}

int test_real(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_errors_in_ulp),
        cmocka_unit_test(test_multiples_of_pi),
        cmocka_unit_test(test_large_angles),
        cmocka_unit_test(test_edges),
        cmocka_unit_test(test_log10_of_powers_of_ten),
        cmocka_unit_test(test_pow),
        cmocka_unit_test(test_whole_powers_are_exact),
        cmocka_unit_test(test_pow_of_odd),
        cmocka_unit_test(test_floor),
        cmocka_unit_test(test_is_finite),
        cmocka_unit_test(test_same_bytes_everywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
