/* test_plain_direct_method - checks that the hand-written peer of the ensemble cases simulates
   their model. */
#include "bench/plain_direct_method.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { RUNS = 2000, LATE = 40 };

/* Compares moments with exact relations. From t = 40 on the model is stationary and M is Poisson
   with mean 10. For the error bounds the correlated times count as one. P is made at 2 M = 20 per
   time and decays at 0.2 P. Dimerisation takes 2 x 0.01 P (P - 1) of P per time, twice the increase
   of D. The bounds are five standard errors of 2000 runs; half of a rate would be twenty. */
static void moments_match_the_model(void **state)
{
    (void)state;
    const struct rd_direct_method h = rd_direct_method_run(RUNS, 10.0, 1);
    double mean[3] = {0}, square[3] = {0};
    for (int t = LATE; t < RD_DIRECT_METHOD_TIMES; t++)
        for (int s = 0; s < 3; s++) {
            mean[s] += h.sum[t][s] / RUNS / (RD_DIRECT_METHOD_TIMES - LATE);
            square[s] += h.square[t][s] / RUNS / (RD_DIRECT_METHOD_TIMES - LATE);
        }
    assert_true(fabs(mean[0] - 10.0) < 0.35);
    assert_true(fabs(square[0] - mean[0] * mean[0] - 10.0) < 1.6);
    const double pairs = 0.02 * (square[1] - mean[1]), last = RD_DIRECT_METHOD_TIMES - 1;
    assert_true(fabs(0.2 * mean[1] + pairs - 20.0) < 0.85);
    const double more = h.sum[RD_DIRECT_METHOD_TIMES - 1][2] - h.sum[LATE][2];
    assert_true(fabs(2.0 * more / RUNS / (last - LATE) - pairs) < 0.4);
}

/* Checks the number of events. Every event changes some count, and events are counted until after
   the last time. */
static void events_are_counted(void **state)
{
    (void)state;
    const struct rd_direct_method few = rd_direct_method_run(100, 10.0, 1),
                                  none = rd_direct_method_run(0, 10.0, 1);
    assert_int_equal(none.events, 0);
    assert_in_range(few.events, 100 * 1900, 100 * 2200); /* about 41 events per unit of time */
}

int test_plain_direct_method(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(moments_match_the_model),
        cmocka_unit_test(events_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
