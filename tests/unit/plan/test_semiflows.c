/* test_semiflows - the extreme rays of random cones: laws without a common divisor, none of which
   is a sum of others. */
#include "kernels/core/draw.h"
#include "plan/semiflows.h"
#include "probability.h"

enum { SOME = 9 };

/* Checks that no ray has only species of another ray; otherwise the other ray would be a sum. */
static void assert_extreme(const struct rd_weighted_sums *ray)
{
    for (int i = 0; i < ray->n; i++)
        for (int k = 0; k < ray->n; k++) {
            int n_shared = 0;
            for (int t = 0; t < ray->of[i].n; t++)
                for (int u = 0; u < ray->of[k].n; u++)
                    n_shared += ray->of[i].term[t].species == ray->of[k].term[u].species;
            assert_true(i == k || n_shared < ray->of[k].n);
        }
}

static void semiflows_are_extreme(void **state)
{
    (void)state;
    struct rd_error e = {0};
    int n_semiflows = 0;
    for (int i = 0; i < 200; i++) {
        struct rd_stream s = stream_of("rays_are_extreme", i);
        struct rd_weighted_sums change = {0}, ray = {0};
        bool may[SOME], is_whole;
        for (int k = 0; k < SOME; k++)
            may[k] = k != 3;
        for (int r = 0; r < 3; r++) {
            int32_t number[SOME];
            for (int k = 0; k < SOME; k++)
                number[k] = (int32_t)rd_below(&s, 5) - 2;
            assert_true(rd_weighted_sums_add(&change, number, SOME, &e));
        }
        assert_true(rd_semiflows(&change, may, SOME, &ray, &is_whole, &e) && is_whole);
        assert_extreme(&ray);
        for (int k = 0; k < ray.n; k++) {
            int64_t common = 0;
            for (int t = 0; t < ray.of[k].n; t++) {
                common = rd_weighted_sum_divisor(ray.of[k].term[t].number, common);
                assert_true(ray.of[k].term[t].number > 0 && ray.of[k].term[t].species != 3);
            }
            assert_int_equal(common, 1);
        }
        n_semiflows += ray.n;
        rd_weighted_sums_free(&ray);
        rd_weighted_sums_free(&change);
    }
    assert_true(n_semiflows > 1000);
}

int test_semiflows(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(semiflows_are_extreme)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
