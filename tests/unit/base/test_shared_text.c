/* test_shared_text - tests that numbers stand where they were added, in the syntax of a
   configuration. */
#include "base/shared_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void assert_text(rd_shared_text *t, const char *right)
{
    char *const copy = rd_shared_text_copy(t);
    assert_string_equal(copy, right);
    free(copy);
}

static void numbers_stand_where_they_were_added(void **state)
{
    (void)state;
    const int64_t number[] = {0, 7, 10, 99, 100, 2147483647, 2147483648, INT64_MAX};
    rd_shared_text *const t = rd_shared_text_open();
    assert_true(rd_shared_text_is_empty(t));
    assert_text(t, "");
    assert_true(rd_shared_text_add(t, "a = (", number, 8, ");"));
    assert_false(rd_shared_text_is_empty(t));
    assert_true(rd_shared_text_add(t, " none", NULL, 0, "."));
    assert_true(rd_shared_text_add(t, "", number + 3, 1, ""));
    assert_true(rd_shared_text_add(t, "", number, 2, "!"));
    assert_text(t, "a = (0, 7, 10, 99, 100, 2147483647, 2147483648L, 9223372036854775807L); none."
                   "990, 7!");
    rd_shared_text_close(t);
    rd_shared_text_close(NULL);
}

/* Tests a text that grows many times, with lists of all lengths. */
static void long_texts_are_complete(void **state)
{
    (void)state;
    enum { LISTS = 300 };
    int64_t number[LISTS];
    rd_shared_text *const t = rd_shared_text_open();
    for (int64_t i = 0; i < LISTS; i++)
        number[i] = i * i * i;
    for (int64_t n = 0; n < LISTS; n++)
        assert_true(rd_shared_text_add(t, "<", number, n, ">"));
    char *const copy = rd_shared_text_copy(t), *p = copy;
    for (int64_t n = 0; n < LISTS; n++) {
        assert_int_equal(*p++, '<');
        for (int64_t i = 0; i < n; i++) {
            assert_true(i == 0 || (*p++ == ',' && *p++ == ' '));
            assert_int_equal(strtoll(p, &p, 10), number[i]);
        }
        assert_int_equal(*p++, '>');
    }
    assert_int_equal(*p, '\0');
    free(copy);
    rd_shared_text_close(t);
}

int test_shared_text(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_stand_where_they_were_added),
        cmocka_unit_test(long_texts_are_complete),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
