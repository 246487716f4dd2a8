/* test_plain_direct_method - the peer of ensembles does simulate their model. */
#include "bench/plain_direct_method.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { RUNS = 2000, LATE = 40 };

/* From t = 40 on it is stationary: M is Poisson with mean 10, so that the correlated times count as
   one; 2 M makes as many P as decay, 0.2 P, or go in pairs, 2 0.01 P (P - 1) = the increase of 2 D.
   The bounds are five standard errors of 2000 runs; half of a rate is twenty. */
static void it_is_the_model(void **state)
{
    (void)state;
    const struct rd_by_hand h = rd_by_hand_run(RUNS, 10.0, 1);
    double mean[3] = {0}, square[3] = {0};
    for (int t = LATE; t < RD_BY_HAND_TIMES; t++)
        for (int s = 0; s < 3; s++) {
            mean[s] += h.sum[t][s] / RUNS / (RD_BY_HAND_TIMES - LATE);
            square[s] += h.square[t][s] / RUNS / (RD_BY_HAND_TIMES - LATE);
        }
    assert_true(fabs(mean[0] - 10.0) < 0.35);
    assert_true(fabs(square[0] - mean[0] * mean[0] - 10.0) < 1.6);
    const double pairs = 0.02 * (square[1] - mean[1]), last = RD_BY_HAND_TIMES - 1;
    assert_true(fabs(0.2 * mean[1] + pairs - 20.0) < 0.85);
    const double more = h.sum[RD_BY_HAND_TIMES - 1][2] - h.sum[LATE][2];
    assert_true(fabs(2.0 * more / RUNS / (last - LATE) - pairs) < 0.4);
}

/* Every event changes some count: as many as there are of each kind, until after the last time. */
static void events_are_counted(void **state)
{
    (void)state;
    const struct rd_by_hand few = rd_by_hand_run(100, 10.0, 1), none = rd_by_hand_run(0, 10.0, 1);
    assert_int_equal(none.events, 0);
    assert_in_range(few.events, 100 * 1900, 100 * 2200); /* some 41 in a time unit */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_the_model),
        cmocka_unit_test(events_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
