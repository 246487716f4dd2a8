/* test_formula - values of the formulas of other programs, which are computed at the import. */
#define _POSIX_C_SOURCE 200809L
#include "formats/formula.h"

#include "stage.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The names have the values of their letters: a is 1, b is 2, ...; no other name has one. */
static double value_of_letter(void *of, rd_formula name)
{
    (void)of;
    return strlen(name->name) == 1 ? name->name[0] - 'a' + 1 : (double)NAN;
}

static double value_of(rd_formula f)
{
    return rd_formula_value(f, value_of_letter, NULL);
}

static rd_formula compare(struct rd_formula_pool *p, const char *operator, double a, double b)
{
    const rd_formula part[] = {rd_formula_number(p, a), rd_formula_number(p, b)};
    return rd_formula_of(p, RD_FORMULA_COMPARISON, operator, part, 2);
}

static void comparisons_are_0_or_1(void **state)
{
    (void)state;
    static const struct {
        const char *operator;
        double less, equal, greater;
    } cases[] = {{"==", 0, 1, 0}, {"!=", 1, 0, 1}, {"<", 1, 0, 0},
                 {"<=", 1, 1, 0}, {">", 0, 0, 1},  {">=", 0, 1, 1}};
    struct rd_formula_pool p = {0};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_true(value_of(compare(&p, cases[i].operator, 1, 2)) == cases[i].less);
        assert_true(value_of(compare(&p, cases[i].operator, 2, 2)) == cases[i].equal);
        assert_true(value_of(compare(&p, cases[i].operator, 3, 2)) == cases[i].greater);
    }
    rd_formula_pool_free(&p);
}

static void operations_have_values(void **state)
{
    (void)state;
    static const struct {
        enum rd_formula_kind kind;
        int n;
        double a, b, c, value;
    } cases[] = {
        {RD_FORMULA_SUM, 3, 2, 3, 5, 10},       {RD_FORMULA_PRODUCT, 3, 2, 3, 5, 30},
        {RD_FORMULA_DIFFERENCE, 2, 7, 3, 0, 4}, {RD_FORMULA_QUOTIENT, 2, 7, 4, 0, 1.75},
        {RD_FORMULA_NEGATIVE, 1, 7, 0, 0, -7},  {RD_FORMULA_POWER, 2, 2, 10, 0, 1024},
        {RD_FORMULA_NOT, 1, 0, 0, 0, 1},        {RD_FORMULA_NOT, 1, 2, 0, 0, 0},
        {RD_FORMULA_AND, 3, 2, 3, 5, 1},        {RD_FORMULA_AND, 3, 2, 0, 5, 0},
        {RD_FORMULA_OR, 3, 0, 0, 5, 1},         {RD_FORMULA_OR, 3, 0, 0, 0, 0},
        {RD_FORMULA_OR, 3, 2, 0, 0, 1},         {RD_FORMULA_OR, 3, 0, -2, 0, 1},
    };
    struct rd_formula_pool p = {0};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const rd_formula part[] = {rd_formula_number(&p, cases[i].a),
                                   rd_formula_number(&p, cases[i].b),
                                   rd_formula_number(&p, cases[i].c)};
        assert_true(value_of(rd_formula_of(&p, cases[i].kind, NULL, part, cases[i].n)) ==
                    cases[i].value);
    }
    rd_formula_pool_free(&p);
}

static void functions_have_values(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        double x, value;
    } cases[] = {{"exp", 0, 1},     {"log", 1, 0},       {"log10", 1000, 3}, {"sqrt", 2.25, 1.5},
                 {"floor", 2.9, 2}, {"floor", -2.1, -3}, {"sin", 0, 0},      {"cos", 0, 1},
                 {"tanh", 0, 0},    {"abs", -4, 4},      {"min", 4, 4},      {"max", 4, 4}};
    struct rd_formula_pool p = {0};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_true(value_of(rd_formula_call(&p, cases[i].name,
                                             rd_formula_number(&p, cases[i].x))) == cases[i].value);
    assert_true(isnan(value_of(rd_formula_call(&p, "unknown", rd_formula_number(&p, 1)))));
    const rd_formula three[] = {rd_formula_number(&p, 2), rd_formula_number(&p, 5),
                                rd_formula_number(&p, 3)};
    assert_true(value_of(rd_formula_of(&p, RD_FORMULA_CALL, "min", three, 3)) == 2);
    assert_true(value_of(rd_formula_of(&p, RD_FORMULA_CALL, "max", three, 3)) == 5);
    assert_true(isnan(value_of(rd_formula_of(&p, RD_FORMULA_CALL, "exp", three, 2))));
    rd_formula_pool_free(&p);
}

/* Checks that the first piece whose condition holds is chosen, then what is otherwise. */
static void pieces_are_chosen_in_order(void **state)
{
    (void)state;
    struct rd_formula_pool p = {0};
    for (int first = 0; first <= 1; first++)
        for (int second = 0; second <= 1; second++) {
            const rd_formula part[] = {rd_formula_number(&p, 10), rd_formula_number(&p, first),
                                       rd_formula_number(&p, 20), rd_formula_number(&p, second),
                                       rd_formula_number(&p, 30)};
            const double chosen = first ? 10 : second ? 20 : 30;
            assert_true(value_of(rd_formula_of(&p, RD_FORMULA_CALL, "piecewise", part, 5)) ==
                        chosen);
            const double without =
                value_of(rd_formula_of(&p, RD_FORMULA_CALL, "piecewise", part, 4));
            assert_true(first || second ? without == chosen : isnan(without));
        }
    rd_formula_pool_free(&p);
}

static void names_have_the_values_of_the_caller(void **state)
{
    (void)state;
    struct rd_formula_pool p = {0};
    const rd_formula b = rd_formula_name(&p, RD_FORMULA_NAME, "b");
    const rd_formula c = rd_formula_name(&p, RD_FORMULA_CONCENTRATION, "c");
    const rd_formula sum = rd_formula_pair(&p, RD_FORMULA_DIFFERENCE, c, b);
    assert_true(value_of(sum) == 1);
    assert_true(rd_formula_has(sum, "b") && rd_formula_has(sum, "c") && !rd_formula_has(sum, "a"));
    assert_true(value_of(rd_formula_replace(&p, sum, "b", rd_formula_number(&p, 7))) == -4);
    assert_true(isnan(value_of(rd_formula_name(&p, RD_FORMULA_NAME, "other"))));
    rd_formula_pool_free(&p);
}

static void assert_written(rd_formula f, const char *expected)
{
    char text[80];
    FILE *const out = fmemopen(text, sizeof text, "w");
    assert_non_null(out);
    rd_formula_write(out, f);
    fclose(out);
    assert_string_equal(text, expected);
}

/* Tests brackets around parts that bind as tightly as the operation: needed on one side, on both,
   or on none. */
static void parts_have_brackets_where_needed(void **state)
{
    (void)state;
    static const struct {
        enum rd_formula_kind kind;
        const char *left, *right; /* (a ? b) ? c and a ? (b ? c) */
    } cases[] = {{RD_FORMULA_SUM, "a + b + c", "a + (b + c)"},
                 {RD_FORMULA_DIFFERENCE, "a - b - c", "a - (b - c)"},
                 {RD_FORMULA_PRODUCT, "a * b * c", "a * (b * c)"},
                 {RD_FORMULA_QUOTIENT, "a / b / c", "a / (b / c)"},
                 {RD_FORMULA_POWER, "(a^b)^c", "a^(b^c)"},
                 {RD_FORMULA_AND, "(a and b) and c", "a and (b and c)"},
                 {RD_FORMULA_OR, "(a or b) or c", "a or (b or c)"}};
    struct rd_formula_pool p = {0};
    const rd_formula a = rd_formula_name(&p, RD_FORMULA_NAME, "a");
    const rd_formula b = rd_formula_name(&p, RD_FORMULA_NAME, "b");
    const rd_formula c = rd_formula_name(&p, RD_FORMULA_NAME, "c");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const enum rd_formula_kind kind = cases[i].kind;
        assert_written(rd_formula_pair(&p, kind, rd_formula_pair(&p, kind, a, b), c),
                       cases[i].left);
        assert_written(rd_formula_pair(&p, kind, a, rd_formula_pair(&p, kind, b, c)),
                       cases[i].right);
    }
    const rd_formula less = rd_formula_compared(&p, a, "<", b), minus = rd_formula_number(&p, -2);
    assert_written(rd_formula_compared(&p, less, "==", c), "(a < b) == c");
    assert_written(rd_formula_compared(&p, c, "!=", less), "c != (a < b)");
    assert_written(rd_formula_not(&p, rd_formula_not(&p, a)), "not (not a)");
    assert_written(rd_formula_not(&p, less), "not a < b");
    assert_written(rd_formula_negative(&p, rd_formula_negative(&p, a)), "-(-a)");
    assert_written(rd_formula_pair(&p, RD_FORMULA_POWER, minus, a), "(-2)^a");
    assert_written(rd_formula_pair(&p, RD_FORMULA_POWER, a, minus), "a^(-2)");
    assert_written(rd_formula_pair(&p, RD_FORMULA_PRODUCT, a, minus), "a * -2");
    rd_formula_pool_free(&p);
}

int test_formula(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(comparisons_are_0_or_1),
        cmocka_unit_test(operations_have_values),
        cmocka_unit_test(functions_have_values),
        cmocka_unit_test(pieces_are_chosen_in_order),
        cmocka_unit_test(names_have_the_values_of_the_caller),
        cmocka_unit_test(parts_have_brackets_where_needed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
