/* test_crash_guard - the handlers of crashes are there while a file is guarded, and only then. */
#define _POSIX_C_SOURCE 200809L
#include "hdf5/crash_guard.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void (*handler(void))(int)
{
    struct sigaction now;
    assert_int_equal(sigaction(SIGSEGV, NULL, &now), 0);
    return now.sa_handler;
}

static void handlers_are_there_while_a_file_is_guarded(void **state)
{
    (void)state;
    void (*const before)(int) = handler();
    rd_crash_guard_raise("a.h5");
    assert_true(handler() == before); /* guards are not enabled */
    rd_crash_guard_drop();
    rd_crash_guard_enable();
    rd_crash_guard_raise("a.h5");
    rd_crash_guard_raise_writing("b.h5");
    assert_false(handler() == before);
    rd_crash_guard_drop();
    assert_false(handler() == before);
    rd_crash_guard_drop();
    assert_true(handler() == before);
}

int test_crash_guard(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(handlers_are_there_while_a_file_is_guarded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
