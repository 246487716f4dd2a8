/* test_units - tests of quantities: their numbers, and texts that are none. */
#include "expr/units.h"

#include "config/keys.h"
#include "expr/dimension_text.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static double value_in(const char *length, const char *time, const char *text)
{
    const struct rd_units u = rd_units_of(length, time);
    struct rd_quantity q;
    if (!u.are_known || rd_quantity_read(text, &u, &q) != RD_QUANTITY_RIGHT)
        fail_msg("'%s' is no quantity in %s and %s", text, length, time);
    return q.value;
}

/* Tests that the factor is exact: 6.02214076e23 molecules are a mole. */
static void numbers_of_the_documentation(void **state)
{
    (void)state;
    static const struct {
        const char *length, *time, *text;
        double value;
    } cases[] = {
        {"um", "s", "50 nM", 30.1107038},
        {"um", "s", "1e6 /M/s", 1e6 / 602214076.0},
        {"um", "s", "10 /uM/s", 10.0 / 602.214076},
        {"nm", "ms", "1 M", 0.602214076},
        {"um", "s", "1 fL", 1.0},
        {"um", "s", "1 mol", 6.02214076e23},
        {"um", "s", "5 mmol/L", 5e-3 * 602214076.0},
        {"um", "s", "1 kHz", 1000},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const double v = value_in(cases[i].length, cases[i].time, cases[i].text);
        if (fabs(v / cases[i].value - 1.0) > 4e-16)
            fail_msg("%s: %.17g is not %.17g", cases[i].text, v, cases[i].value);
    }
    assert_true(RD_AVOGADRO == 6.02214076e23);
}

/* Tests that powers of ten do not round: the number is the one that the plain text has. */
static void decimals_are_those_of_plain_numbers(void **state)
{
    (void)state;
    static const struct {
        const char *length, *time, *text;
        double value;
    } cases[] = {
        {"um", "s", "0.5 um^2/s", 0.5},
        {"um", "s", "2 min", 120},
        {"um", "s", "1 1/s", 1},
        {"um", "s", "500 nm", 0.5},
        {"um", "s", "0.1 nm^2/ms", 1e-4},
        {"um", "s", "3e-7 m", 0.3},
        {"um", "s", "-10um", -10},
        {"um", "s", "1e-8 cm^2/s", 1},
        {"um", "s", "0.6 /min", 0.01},
        {"um", "h", "1 um^2/s", 3600},
        {"nm", "us", "1 um^2/s", 1},
        {"um", "s", "7 1/(um s)", 7},
        {"um", "s", "7 um-1 s-1", 7},
        {"um", "s", "2 um2/s", 2},
        {"um", "s", "2 um**2 s^-1", 2},
        {"um", "s", "2 \xc2\xb5m\xc2\xb2/s", 2},
        {"um", "s", "2 \xce\xbcm\xc2\xb7s\xe2\x81\xbb\xc2\xb9", 2},
        {"um", "s", "+5 seconds", 5},
        {"um", "hours", "1 day", 24},
        {"micrometre", "s", "1 mm", 1000},
        {"\xc2\xb5m", "s", "1 mm", 1000},
        {"nm", "s", "3 \xc3\x85", 0.3},
        {"um", "s", "100 molecules", 100},
        {"um", "s", "  4  s ", 4},
        {"um", "s", ".5 /um^3", 0.5},
        {"mm", "min", "60 um/s", 3.6},
        {"um", "s", "1 pL", 1000},
        {"um", "s", "3 mm*min", 180000},
        {"um", "s", "3 mm min", 180000},
        {"um", "s", "3 mm/min*h", 180000},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const double v = value_in(cases[i].length, cases[i].time, cases[i].text);
        if (v != cases[i].value)
            fail_msg("%s: %.17g is not %.17g", cases[i].text, v, cases[i].value);
    }
}

static double drawn(uint64_t *at)
{
    *at = *at * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(*at >> 11) * 0x1p-53;
}

/* Tests that a number in one system of units, written there and read in another, and back, is the
   same. */
static void conversions_invert(void **state)
{
    (void)state;
    static const char *const length[] = {"nm", "um", "mm", "cm", "m", "angstrom", "dm"};
    static const char *const time[] = {"ns", "us", "ms", "s", "min", "h", "d"};
    uint64_t at = 18;
    for (int i = 0; i < 20000; i++) {
        const char *name[4];
        for (int k = 0; k < 4; k++)
            name[k] = (k % 2 ? time : length)[(int)(7 * drawn(&at))];
        const int a = (int)(9 * drawn(&at)) - 4, b = (int)(5 * drawn(&at)) - 2;
        const double v = (drawn(&at) - 0.5) * exp(20 * (drawn(&at) - 0.5));
        char text[96];
        if (a == 0 && b == 0)
            continue;
        snprintf(text, sizeof text, "%.17g %s^%d %s^%d", v, name[0], a, name[1], b);
        const double there = value_in(name[2], name[3], text);
        snprintf(text, sizeof text, "%.17g %s^%d %s^%d", there, name[2], a, name[3], b);
        const double back = value_in(name[0], name[1], text);
        if (fabs(back / v - 1.0) > 2e-15)
            fail_msg("%.17g %s^%d %s^%d is %.17g after %s and %s", v, name[0], a, name[1], b, back,
                     name[2], name[3]);
    }
}

/* Tests that a number in the units of the configuration, times the factor, reads back. */
static void factors_invert(void **state)
{
    (void)state;
    static const struct {
        const char *unit;
        struct rd_dimension d;
    } cases[] = {{"nM", {-3, 0}}, {"/M/s", {3, -1}}, {"um^2/s", {2, -1}}, {"s", {0, 1}}};
    const struct rd_units u = rd_units_of("nm", "min");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[64];
        snprintf(text, sizeof text, "%.17g %s", 7.5 * rd_units_in(&u, cases[i].d, cases[i].unit),
                 cases[i].unit);
        assert_true(fabs(value_in("nm", "min", text) / 7.5 - 1.0) < 2e-15);
    }
}

static void texts_that_are_no_quantities(void **state)
{
    (void)state;
    static const struct {
        const char *text, *wrong;
        enum rd_quantity_kind kind;
    } cases[] = {
        {"37 \xc2\xb0"
         "C",
         "\xc2\xb0"
         "C",
         RD_QUANTITY_WRONG},
        {"5 \x80", "\x80", RD_QUANTITY_WRONG},
        {"5 foo", "foo", RD_QUANTITY_WRONG},
        {"5 um/foo", "foo", RD_QUANTITY_WRONG},
        {"5 um +", "+", RD_QUANTITY_WRONG},
        {"5 s * 2", "2", RD_QUANTITY_WRONG},
        {"5 um)", ")", RD_QUANTITY_WRONG},
        {"5 (um", "", RD_QUANTITY_NONE},
        {"5 um^22", "^22", RD_QUANTITY_WRONG},
        {"5 s (((((((((((pm^9)^9)^9)^9)^9)^9)^9)^9)^9)^9)^9)", "(((pm^9)^9)^9)^9)^9)^9)",
         RD_QUANTITY_WRONG},
        {"5 km", "km", RD_QUANTITY_WRONG},
        {"5 S", "S", RD_QUANTITY_WRONG},
        {"5 um/", "/", RD_QUANTITY_WRONG},
        {"5 um * ", "*", RD_QUANTITY_WRONG},
        {"5 abcdefghijklmnopqrstuvwxyz um", "abcdefghijklmnopqrstuvw", RD_QUANTITY_WRONG},
        {"5", "", RD_QUANTITY_NONE},
        {"", "", RD_QUANTITY_NONE},
        {"um", "", RD_QUANTITY_NONE},
        {"2 * k", "", RD_QUANTITY_NONE},
        {"2/k", "k", RD_QUANTITY_NONE},
        {"5 / (a + b)", "a", RD_QUANTITY_NONE},
        {"--5 um", "", RD_QUANTITY_NONE},
        {"0.5, 1 um", "", RD_QUANTITY_NONE},
    };
    const struct rd_units u = rd_units_of("um", "s");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct rd_quantity q;
        const enum rd_quantity_kind kind = rd_quantity_read(cases[i].text, &u, &q);
        if (kind != cases[i].kind ||
            (kind == RD_QUANTITY_WRONG && strcmp(q.wrong, cases[i].wrong) != 0))
            fail_msg("'%s': kind %d, '%s'", cases[i].text, kind, q.wrong);
    }
}

/* Cuts and changes quantities at random: nothing may be read beyond the text. */
static void any_text_is_read(void **state)
{
    (void)state;
    static const char bytes[] = "0123456789.e+-*/^() umnpfkMsLlol\xc2\xb5\xb2\xce\xbc\xe2\x81\xbb";
    const struct rd_units u = rd_units_of("um", "s");
    uint64_t at = 10;
    for (int i = 0; i < 100000; i++) {
        struct rd_quantity q;
        const size_t length = (size_t)(12 * drawn(&at));
        char *const text = malloc(length + 1);
        assert_non_null(text);
        for (size_t k = 0; k < length; k++)
            text[k] = bytes[(size_t)(drawn(&at) * (sizeof bytes - 1))];
        text[length] = 0;
        rd_quantity_read(text, &u, &q);
        free(text);
    }
}

static void only_units_of_the_table_are_known(void **state)
{
    (void)state;
    static const char *const wrong[][2] = {{"pixel", "s"}, {"um", ""},    {"", "s"},
                                           {"s", "um"},    {"um^2", "s"}, {"um", "generation"},
                                           {"", ""}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_false(rd_units_of(wrong[i][0], wrong[i][1]).are_known);
    assert_true(rd_units_has("h") && rd_units_has("nM") && rd_units_has("day"));
    assert_false(rd_units_has("k") || rd_units_has("km") || rd_units_has("Min") ||
                 rd_units_has("") || rd_units_has("n"));
}

static void dimensions_have_words(void **state)
{
    (void)state;
    static const struct {
        struct rd_dimension d;
        const char *words, *example;
    } cases[] = {{{0, 0}, "a pure number", "100"},
                 {{2, -1}, "length^2/time", "\"0.5 um^2/s\""},
                 {{-3, 0}, "molecules/volume", "\"50 nM\""},
                 {{3, -1}, "volume/time", "\"1e6 /M/s\""},
                 {{0, -1}, "1/time", "\"0.5 /s\""},
                 {{6, -1}, "length^6/time", "\"0.5 um^6/s\""},
                 {{-1, -1}, "1/length/time", "\"0.5 /um/s\""},
                 {{0.5, 0}, "length^0.5", "\"0.5 um^0.5\""}};
    const struct rd_units u = rd_units_of("um", "s");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[64];
        rd_dimension_words(cases[i].d, text, sizeof text);
        assert_string_equal(text, cases[i].words);
        rd_dimension_example(&u, cases[i].d, text, sizeof text);
        assert_string_equal(text, cases[i].example);
    }
}

static bool is_one_of(const char *word, const char *const *list)
{
    for (; *list; list++)
        if (strcmp(word, *list) == 0)
            return true;
    return false;
}

/* Checks that the dimension of each key is known, so that quantities with another one are refused.
 */
static void dimensions_of_all_keys_are_known(void **state)
{
    (void)state;
    /* rates and fields are checked by the equation and by the field's own dimension */
    static const char *const elsewhere[] = {"its value/time", "volume^(order-1)/time", NULL};
    /* any number, or what depends on another key */
    static const char *const without[] = {"initial", "birth",  "orphan", "back", "weight", "where",
                                          "value",   "values", "from",   "to",   "range",  NULL};
    int n = 0;
    for (const struct rd_section *const *s = rd_keys_sections; *s; s++)
        for (int i = 0; i < (*s)->n_keys; i++) {
            const struct rd_key *const key = &(*s)->key[i];
            struct rd_dimension dimension;
            if (key->kind != RD_KEY_NUMBER && key->kind != RD_KEY_NUMBERS)
                continue;
            n++;
            if (key->unit ? !rd_dimension_of_key(key->unit, 3, &dimension) &&
                                !is_one_of(key->unit, elsewhere)
                          : !is_one_of(key->name, without))
                fail_msg("%s.%s: the unit '%s' is not known", (*s)->title, key->name,
                         key->unit ? key->unit : "");
        }
    assert_true(n > 40);
}

int test_units(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_of_the_documentation),
        cmocka_unit_test(decimals_are_those_of_plain_numbers),
        cmocka_unit_test(conversions_invert),
        cmocka_unit_test(factors_invert),
        cmocka_unit_test(texts_that_are_no_quantities),
        cmocka_unit_test(any_text_is_read),
        cmocka_unit_test(only_units_of_the_table_are_known),
        cmocka_unit_test(dimensions_have_words),
        cmocka_unit_test(dimensions_of_all_keys_are_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
