/* test_semiflows - the extreme rays of random cones: laws without a common divisor, none of which
   is a sum of others. */
#include "kernels/core/draw.h"
#include "plan/conservation_laws.h"
#include "probability.h"

enum { SOME = 9, CHANGES = 3 };

/* Checks that no ray has only species of another ray; otherwise the other ray would be a sum. */
static void assert_extreme(const struct rd_elementary *v)
{
    for (int64_t i = 0; i < v->support.n; i++)
        for (int64_t k = 0; k < v->support.n; k++) {
            bool is_part = true;
            for (int s = 0; s < SOME; s++)
                is_part = is_part && (!rd_supports_has(&v->support, k, s) ||
                                      rd_supports_has(&v->support, i, s));
            assert_true(i == k || !is_part);
        }
}

/* Checks that the weights of a ray are positive, conserved, and have no common divisor. */
static void assert_law(const int64_t *weight, const struct rd_weighted_sums *change)
{
    int64_t common = 0;
    for (int s = 0; s < SOME; s++) {
        common = rd_sparse_gcd(weight[s], common);
        assert_true(weight[s] >= 0 && (s != 3 || weight[s] == 0));
    }
    assert_int_equal(common, 1);
    for (int r = 0; r < change->n; r++) {
        int64_t sum = 0;
        for (int s = 0; s < SOME; s++)
            sum += weight[s] * rd_sparse_at(&change->of[r], s);
        assert_int_equal(sum, 0);
    }
}

static void semiflows_are_extreme(void **state)
{
    (void)state;
    struct rd_error e = {0};
    int64_t n_semiflows = 0;
    for (int i = 0; i < 200; i++) {
        struct rd_stream s = stream_of("rays_are_extreme", i);
        struct rd_weighted_sums change = {0};
        struct rd_elementary v;
        int64_t weight[SOME];
        bool may[SOME];
        const struct rd_engine_options o = {.n_threads = 1};
        for (int k = 0; k < SOME; k++)
            may[k] = k != 3;
        for (int r = 0; r < CHANGES; r++) {
            for (int k = 0; k < SOME; k++)
                weight[k] = (int64_t)rd_below(&s, 5) - 2;
            assert_true(rd_weighted_sums_add(&change, weight, SOME, &e));
        }
        assert_true(rd_conservation_semiflows(&v, change.of, change.n, may, SOME, &o, &e));
        assert_extreme(&v);
        for (int64_t k = 0; k < v.support.n; k++) {
            assert_true(rd_elementary_value(&v, k, weight, &e));
            assert_law(weight, &change);
        }
        n_semiflows += v.support.n;
        rd_elementary_free(&v);
        rd_weighted_sums_free(&change);
    }
    assert_true(n_semiflows > 1000);
}

int test_semiflows(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(semiflows_are_extreme)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
