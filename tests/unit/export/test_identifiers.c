/* test_identifiers - identifiers of SBML documents: how they are spelled, and that each is new. */
#include "export/identifiers.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void identifiers_are_spelled(void **state)
{
    (void)state;
    static const struct {
        const char *wanted, *made;
    } cases[] = {{"Az_09", "Az_09"},  {"9z", "_9z"},    {"a b", "a_b"},
                 {"a -> b", "a_b_2"}, {"b!", "b_"},     {"c!?", "c_"},
                 {"", "_"},           {"a_b", "a_b_3"}, {"9z", "_9z_2"}};
    struct rd_identifiers t = {0};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_string_equal(rd_identifiers_new(&t, cases[i].wanted), cases[i].made);
    assert_int_equal(t.n, sizeof cases / sizeof *cases);
    assert_false(t.is_full);
    rd_identifiers_free(&t);
}

/* Tests names that are taken while the table has grown several times. */
static void many_identifiers_are_new(void **state)
{
    (void)state;
    enum { N = 3000 };
    static const char *made[2 * N];
    struct rd_identifiers t = {0};
    for (int i = 0; i < 2 * N; i++) {
        char wanted[32], expected[32];
        snprintf(wanted, sizeof wanted, "x%d", i % N);
        snprintf(expected, sizeof expected, i < N ? "%s" : "%s_2", wanted);
        made[i] = rd_identifiers_new(&t, wanted);
        assert_string_equal(made[i], expected);
    }
    assert_string_equal(made[0], "x0");
    assert_int_equal(t.n, 2 * N);
    assert_true(2 * t.n <= t.size);
    rd_identifiers_free(&t);
}

int test_identifiers(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(identifiers_are_spelled),
        cmocka_unit_test(many_identifiers_are_new),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
