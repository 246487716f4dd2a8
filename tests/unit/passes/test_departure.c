/* test_departure - tests of the probability that a molecule leaves, and of the axes of its move,
   from its probabilities along each axis. */
#include "kernels/passes/movement/departure.h"

#include "probability.h"

static void combinations_of_axes_are_listed(void **state)
{
    (void)state;
    static const uint32_t axes[RD_N_MOVES] = {1, 2, 4, 1 | 2, 1 | 4, 2 | 4, 1 | 2 | 4};
    for (int k = 0; k < RD_N_MOVES; k++)
        assert_int_equal(rd_departure_axes(k), axes[k]);
}

static void thresholds_have_64_bits(void **state)
{
    (void)state;
    assert_true(rd_threshold(0.0) == 0);
    assert_true(rd_threshold(0x1p-64) == 1);
    assert_true(rd_threshold(0.5) == UINT64_C(1) << 63);
    assert_true(rd_threshold(1.0 - 0x1p-53) == UINT64_MAX - 2047);
    assert_true(rd_threshold(1.0) == UINT64_MAX);
}

/* Returns the probability of moving along exactly the axes of combination k. */
static long double probability_of(const double q[3], int k)
{
    static const int moves[RD_N_MOVES][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 0},
                                             {1, 0, 1}, {0, 1, 1}, {1, 1, 1}};
    long double probability = 1;
    for (int axis = 0; axis < 3; axis++)
        probability *= moves[k][axis] ? (long double)q[axis] : 1 - (long double)q[axis];
    return probability;
}

static void assert_departure(const double q[3])
{
    const struct rd_departure g = rd_departure_of(q);
    long double all = 0, sum = 0;
    for (int k = 0; k < RD_N_MOVES; k++)
        all += probability_of(q, k);
    assert_true(fabsl(g.probability - all) <= 4e-16L * all);
    assert_true(g.leave == rd_threshold(g.probability));
    for (int k = 0; k < RD_N_MOVES; k++) {
        sum += probability_of(q, k);
        assert_true(fabsl(g.axes[k] * 0x1p-64L - sum / all) <= 0x1p-51L);
    }
}

static void probabilities_multiply(void **state)
{
    (void)state;
    static const double q[][3] = {{0.3, 0.2, 0.1},   {1e-18, 3e-18, 2e-18}, {1e-9, 0.5, 0.0},
                                  {0.999, 0.9, 0.8}, {1.0, 0.5, 1e-12},     {1.0, 1.0, 1.0}};
    for (size_t i = 0; i < sizeof q / sizeof q[0]; i++)
        assert_departure(q[i]);
}

/* Tests that no word, not even the largest, selects an impossible combination of axes. */
static void last_combination_is_possible(void **state)
{
    (void)state;
    static const struct {
        double q[3];
        int last;
    } cases[] = {{{0.5, 0, 0}, 0},   {{0, 0.5, 0}, 1},   {{0, 0, 0.5}, 2},    {{0.5, 0.5, 0}, 3},
                 {{0.5, 0, 0.5}, 4}, {{0, 0.5, 0.5}, 5}, {{0.1, 0.1, 0.1}, 6}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct rd_departure g = rd_departure_of(cases[i].q);
        assert_int_equal(g.last, cases[i].last);
        for (int k = 0; k < g.last; k++)
            assert_true(probability_of(cases[i].q, k) > 0 ||
                        g.axes[k] == (k > 0 ? g.axes[k - 1] : 0));
    }
}

static void no_departure_without_movement(void **state)
{
    (void)state;
    const struct rd_departure g = rd_departure_of((const double[3]){0, 0, 0});
    assert_true(g.leave == 0);
    assert_true(g.probability == 0);
}

int test_departure(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(combinations_of_axes_are_listed),
        cmocka_unit_test(thresholds_have_64_bits),
        cmocka_unit_test(probabilities_multiply),
        cmocka_unit_test(last_combination_is_possible),
        cmocka_unit_test(no_departure_without_movement),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
