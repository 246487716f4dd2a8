/* test_error - tests that messages are collected in order, each once, up to a limit. */
#include "base/error.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static int n_lines(const char *text)
{
    int n = 1;
    for (; *text; text++)
        n += *text == '\n';
    return n;
}

static void each_message_has_a_line(void **state)
{
    (void)state;
    struct rd_error e = {0};
    assert_false(rd_fail(&e, "a.cfg:%d: '%s' is %g", 3, "D", 0.5));
    assert_string_equal(e.text, "a.cfg:3: 'D' is 0.5");
    assert_false(rd_fail(&e, "second"));
    assert_string_equal(e.text, "a.cfg:3: 'D' is 0.5\nsecond");
    assert_int_equal(e.n, 2);
    assert_false(e.wrong);
    rd_error_free(&e);
}

/* Tests that NaN is printed without a sign: the sign of 0 / 0 differs between machines. */
static void nan_has_no_sign(void **state)
{
    (void)state;
    struct rd_error e = {0};
    rd_fail(&e, "a is %g, b is %g, and c is %g", (double)-NAN, (double)NAN, -INFINITY);
    rd_fail(&e, "a is %g, b is %g, and c is %g", (double)NAN, (double)-NAN, -INFINITY);
    assert_string_equal(e.text, "a is nan, b is nan, and c is -inf");
    rd_error_free(&e);
}

static void names_with_newlines_stay_in_the_line(void **state)
{
    (void)state;
    struct rd_error e = {0};
    rd_fail(&e, "%s: 'A\nB\x1b[1m' is not a name", "\xc3\xa4.cfg");
    assert_string_equal(e.text, "\xc3\xa4.cfg: 'A B [1m' is not a name");
    rd_error_free(&e);
}

/* Tests that a message is kept although it is the beginning or the end of another message. */
static void equal_messages_are_kept_once(void **state)
{
    (void)state;
    static const char *const message[] = {"one two", "one", "two", "one two three"};
    struct rd_error e = {0};
    for (int time = 0; time < 2; time++)
        for (int i = 0; i < 4; i++)
            rd_fail(&e, "%s", message[i]);
    assert_int_equal(e.n, 4);
    assert_string_equal(e.text, "one two\none\ntwo\none two three");
    rd_error_free(&e);
}

static void later_messages_are_only_counted(void **state)
{
    (void)state;
    struct rd_error e = {0};
    for (int i = 0; i < RD_ERROR_MOST + 50; i++)
        rd_fail(&e, "fault %d", i);
    assert_int_equal(e.n, RD_ERROR_MOST + 50);
    assert_int_equal(n_lines(e.text), RD_ERROR_MOST);
    assert_null(strstr(e.text, "fault 100"));
    assert_non_null(strstr(e.text, "fault 99"));
    rd_error_free(&e);
}

static void long_messages_are_complete(void **state)
{
    (void)state;
    static char word[20001];
    memset(word, 'x', sizeof word - 1);
    struct rd_error e = {0};
    rd_fail(&e, "%s!", word);
    assert_int_equal(strlen(e.text), sizeof word);
    assert_int_equal(e.text[sizeof word - 1], '!');
    rd_error_free(&e);
}

static void messages_are_read_in_order(void **state)
{
    (void)state;
    static const char *const message[] = {"one", "two and more", "three"};
    struct rd_error e = {0};
    int n = 0, length;
    assert_null(rd_error_next(&e, NULL, &length));
    for (int i = 0; i < 3; i++)
        rd_fail(&e, "%s", message[i]);
    for (const char *at = NULL; (at = rd_error_next(&e, at, &length)); n++) {
        assert_int_equal(length, strlen(message[n]));
        assert_memory_equal(at, message[n], (size_t)length);
    }
    assert_int_equal(n, 3);
    rd_error_free(&e);
}

static void freed_error_is_empty(void **state)
{
    (void)state;
    struct rd_error e = {0};
    rd_error_free(&e);
    rd_fail(&e, "one");
    e.wrong = true;
    rd_error_free(&e);
    assert_int_equal(e.n, 0);
    assert_null(e.text);
    assert_false(e.wrong);
    rd_error_free(&e);
}

int test_error(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_message_has_a_line),
        cmocka_unit_test(nan_has_no_sign),
        cmocka_unit_test(names_with_newlines_stay_in_the_line),
        cmocka_unit_test(equal_messages_are_kept_once),
        cmocka_unit_test(later_messages_are_only_counted),
        cmocka_unit_test(long_messages_are_complete),
        cmocka_unit_test(messages_are_read_in_order),
        cmocka_unit_test(freed_error_is_empty),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
