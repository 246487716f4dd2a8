/* test_draw - tests of properties of the samplers other than their distributions.

   A hat lies above its distribution, a draw with one possible value takes no random word, values
   stay in the support, and all machines draw the same numbers. */
#include "kernels/core/draw.h"
#include "probability.h"

/* Describes a binomial distribution with n and p; if n is 0, a Poisson distribution with mean p. */
struct distribution {
    double n, p;
};

/* Tests the probability of k that rejection uses, against lgamma. */
static void test_shapes(void **state)
{
    (void)state;
    for (double n = 1; n < 300; n += 13)
        for (double p = 0.01; p < 0.5; p += 0.11)
            for (double k = 0; k <= n; k++) {
                const double exact = lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1) +
                                     k * log(p) + (n - k) * log1p(-p) - n * log1p(-p);
                const double ours = rd_binomial_shape(n, p, k) - rd_binomial_shape(n, p, 0);
                assert_true(fabs(ours - exact) < 1e-10);
            }
    for (double mean = 10; mean < 1000; mean *= 1.3)
        for (double k = 0; k < 3 * mean; k++) {
            const double exact =
                k * log(mean) - mean - lgamma(k + 1) + log(mean * sqrt(8 * atan(1)));
            assert_true(fabs(rd_poisson_shape(mean, k) - exact) < 1e-10);
        }
}

/* Checks that rejection is exact: the acceptance probability is at most 1; where the squeeze
   accepts without a test, it is not less than the squeeze. */
static void check_hat(const struct rd_hat *h, const struct distribution *l, double at_mode)
{
    const int n_steps = 4000;
    for (int i = 1; i < n_steps; i++) {
        const double u = (double)i / n_steps - 0.5, capacity = 0.5 - fabs(u);
        const double k = floor((2 * h->a / capacity + h->b) * u + h->centre);
        const bool inside = k >= 0 && (l->n == 0 || k <= l->n);
        const double shape =
            !inside ? -INFINITY
                    : (l->n > 0 ? rd_binomial_shape(l->n, l->p, k) : rd_poisson_shape(l->p, k));
        const double accepted =
            exp(shape - at_mode) * (h->a / (capacity * capacity) + h->b) / h->top;
        assert_true(accepted <= 1);
        assert_true(capacity < 0.07 || accepted >= h->squeeze);
    }
}

static void test_hats_are_above_the_distribution(void **state)
{
    (void)state;
    for (double mean = 10; mean < 1e15; mean *= mean < 100 ? 1.01 : 3) {
        const struct rd_hat h = rd_poisson_hat(mean);
        check_hat(&h, &(struct distribution){0, mean}, 0);
    }
    for (double n = 20; n < 1e15; n *= n < 100 ? 1.05 : 7)
        for (double p = 10 / n; p <= 0.5; p *= 1.3) {
            const double size = floor(n), mode = floor((size + 1) * p);
            const struct rd_hat h = rd_binomial_hat(size, p);
            check_hat(&h, &(struct distribution){size, p}, rd_binomial_shape(size, p, mode));
        }
}

static void test_no_word_without_a_choice(void **state)
{
    (void)state;
    struct rd_stream s = stream_of(__func__, 0);
    assert_int_equal(rd_binomial(&s, 0, 0.5), 0);
    assert_int_equal(rd_binomial(&s, 2147483647, 0), 0);
    assert_int_equal(rd_binomial(&s, 2147483647, -0.5), 0);
    assert_int_equal(rd_binomial(&s, 2147483647, 1), 2147483647);
    assert_int_equal(rd_binomial(&s, 2147483647, 1.5), 2147483647);
    assert_int_equal(rd_poisson(&s, 0), 0);
    assert_int_equal(rd_poisson(&s, -1), 0);
    assert_int_equal(s.counter[0], 0);
    assert_int_equal(s.left, 0);
}

/* Tests first words at the ends of their range: values stay in the support, and each draw ends. */
static void test_extreme_words(void **state)
{
    (void)state;
    for (int pattern = 0; pattern < 16; pattern++) {
        struct rd_stream start = stream_of(__func__, pattern);
        for (int i = 0; i < 4; i++)
            start.word[i] = pattern >> i & 1 ? UINT32_MAX : 0;
        start.left = 4;
        for (double p = 1e-6; p < 1; p *= 3) {
            struct rd_stream s = start;
            const int64_t k = rd_binomial(&s, 1000000, p);
            assert_true(k >= 0 && k <= 1000000);
            s = start;
            assert_true(rd_poisson(&s, p * 1e6) >= 0);
        }
    }
}

static void test_below_one_is_zero(void **state)
{
    (void)state;
    struct rd_stream s = stream_of(__func__, 0);
    for (int i = 0; i < 100; i++)
        assert_int_equal(rd_below(&s, 1), 0);
}

static void test_wide_product(void **state)
{
    (void)state;
    /* (2^64 - 1)^2 = (2^64 - 2) 2^64 + 1; (2^32 + 1)^2 = 2^64 + 2^33 + 1. */
    uint64_t low;
    assert_true(rd_wide_product(UINT64_MAX, UINT64_MAX, &low) == UINT64_MAX - 1 && low == 1);
    const uint64_t a = (UINT64_C(1) << 32) + 1;
    assert_true(rd_wide_product(a, a, &low) == 1 && low == (UINT64_C(1) << 33) + 1);
    /* Checks a b = high 2^64 + low modulo 2^32 - 1 and 2^32 + 1, where 2^64 is 1. */
    struct rd_stream s = stream_of(__func__, 0);
    for (int i = 0; i < 10000; i++) {
        const uint64_t x = (uint64_t)rd_word(&s) << 32 | 0x89abcdef, y = x * x + rd_word(&s);
        const uint64_t high = rd_wide_product(x, y, &low);
        for (uint64_t m = UINT32_MAX; m <= a; m += 2)
            assert_true(x % m * (y % m) % m == (high % m + low % m) % m);
    }
}

/* Tests a hash of draws of every kind. If the hash differs, the streams differ from those of other
   machines, or the stream version has changed. */
static void test_same_numbers_everywhere(void **state)
{
    (void)state;
    uint64_t hash = PROBABILITY_HASH_START;
    struct rd_stream s = stream_of(__func__, 0);
    for (int i = 0; i < 10000; i++) {
        const int64_t n = (int64_t)rd_below(&s, UINT64_C(1) << i % 31);
        const double p = rd_uniform(&s);
        hash = hash_step(hash, (uint64_t)n);
        hash = hash_step(hash, (uint64_t)rd_binomial(&s, n, p));
        hash = hash_step(hash, (uint64_t)rd_poisson(&s, 0.01 * (double)n));
        hash = hash_step(hash, rd_bits_of(rd_normal(&s)));
        hash = hash_step(hash, rd_bits_of(rd_exponential(&s)));
        hash = hash_step(hash, s.counter[0]);
    }
    assert_int_equal(hash, UINT64_C(0x4b0ea6b3c343a52a));
}

int test_draw(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shapes),
        cmocka_unit_test(test_hats_are_above_the_distribution),
        cmocka_unit_test(test_no_word_without_a_choice),
        cmocka_unit_test(test_extreme_words),
        cmocka_unit_test(test_below_one_is_zero),
        cmocka_unit_test(test_wide_product),
        cmocka_unit_test(test_same_numbers_everywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
