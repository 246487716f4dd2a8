/* test_text - tests the rounding of limits for messages. */
#include "base/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void limits_are_rounded_up_to_two_digits(void **state)
{
    (void)state;
    static const double number[][2] = {{0.1137, 0.12}, {0.11, 0.11},   {1.0000001, 1.1},
                                       {9.91, 10.0},   {0.0999, 0.1},  {99.0, 99.0},
                                       {99.01, 100.0}, {123.0, 130.0}, {4.01e-20, 4.1e-20}};
    for (size_t i = 0; i < sizeof number / sizeof *number; i++)
        assert_true(rd_text_round_up(number[i][0]) == number[i][1]);
}

int test_text(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(limits_are_rounded_up_to_two_digits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
