/* test_csv - tests csv.h, and the byte order mark of text.h. */
#include "base/csv.h"
#include "base/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* Checks that a line has these entries, each of which is followed by '|' in `entries`. */
static void assert_entries(const char *text, const char *separators, const char *entries)
{
    char found[200] = "";
    const char *entry;
    size_t length;
    struct rd_csv_line line = {text, text + strlen(text)};
    while (rd_csv_next(&line, separators, &entry, &length))
        snprintf(found + strlen(found), sizeof found - strlen(found), "%.*s|", (int)length, entry);
    assert_string_equal(found, entries);
}

static void lines_have_entries(void **state)
{
    (void)state;
    assert_entries("", ",", "|");
    assert_entries("a", ",", "a|");
    assert_entries("a,b,", ",", "a|b||");
    assert_entries(" a b ,\tc\r\n", ",", "a b|c|");
    assert_entries("a;b", ",", "a;b|");
    assert_entries("a;\t;b", ",;\t", "a|||b|");
}

static void quotes_hold_separators(void **state)
{
    (void)state;
    assert_entries("\"a,b\",c", ",", "a,b|c|");
    assert_entries(" \" a \" , \"\"\n", ",", "a||");
    assert_entries("\"a\"x,b", ",", "\"a\"x|b|");
    assert_entries("\"a,b", ",", "\"a|b|");
    assert_entries("\"", ",", "\"|");
}

static void numbers_end_with_their_entry(void **state)
{
    (void)state;
    double value = 0;
    assert_true(rd_csv_number("-1.5e3,2", 6, &value));
    assert_true(value == -1.5e3);
    assert_false(rd_csv_number("1x,2", 2, &value));
    assert_false(rd_csv_number("1,2", 3, &value));
    assert_false(rd_csv_number("\n2", 0, &value));
}

static void a_byte_order_mark_is_left_out(void **state)
{
    (void)state;
    assert_string_equal(rd_text_after_mark("\xEF\xBB\xBF"
                                           "a"),
                        "a");
    assert_string_equal(rd_text_after_mark("a"), "a");
}

int test_csv(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_have_entries),
        cmocka_unit_test(quotes_hold_separators),
        cmocka_unit_test(numbers_end_with_their_entry),
        cmocka_unit_test(a_byte_order_mark_is_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
