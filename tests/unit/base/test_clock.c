/* test_clock - tests that the clock advances, counts seconds and differs from the time of day. */
#define _POSIX_C_SOURCE 200809L
#include "base/clock.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include <cmocka.h>

static void clock_never_goes_back(void **state)
{
    (void)state;
    const double begin = rd_clock();
    double last = begin;
    for (int i = 0; i < 100000; i++) {
        const double now = rd_clock();
        assert_true(now >= last);
        last = now;
    }
    assert_true(last > begin);
}

/* Tests the lower bound only: a busy machine can delay the sleep by any time. */
static void sleep_lasts_its_seconds(void **state)
{
    (void)state;
    const struct timespec nap = {.tv_nsec = 50000000};
    const double begin = rd_clock();
    assert_int_equal(nanosleep(&nap, NULL), 0);
    assert_true(rd_clock() - begin >= 0.0499);
}

static double monotonic(void)
{
    struct timespec t;
    assert_int_equal(clock_gettime(CLOCK_MONOTONIC, &t), 0);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Tests that rd_clock is the monotonic clock, which cannot be set, and not the time of day. */
static void clock_is_monotonic(void **state)
{
    (void)state;
    for (int i = 0; i < 1000; i++) {
        const double before = monotonic(), now = rd_clock(), after = monotonic();
        assert_true(now >= before - 1e-6 && now <= after + 1e-6);
    }
}

int test_clock(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clock_never_goes_back),
        cmocka_unit_test(sleep_lasts_its_seconds),
        cmocka_unit_test(clock_is_monotonic),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
