/* test_dimension - tests of the dimensions of expressions in which parameters are quantities. */
#include "expr/dimension.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static char *const names[] = {"D", "k", "L", "c", "T", "n", "free"};
static const struct rd_value_dimension dimensions[] = {{RD_MEASURE_QUANTITY, {2, -1}},
                                                       {RD_MEASURE_QUANTITY, {0, -1}},
                                                       {RD_MEASURE_QUANTITY, {1, 0}},
                                                       {RD_MEASURE_QUANTITY, {-3, 0}},
                                                       {RD_MEASURE_QUANTITY, {0, 1}}};
static const double values[] = {0.5, 2, 3, 4, 5, 2.5, 7};
static char *const species[] = {"A"};
static const struct rd_extent extents[] = {{10, false, 20, 3}, {10, true, 5, 2}};
static char *const regions[] = {"cell", "skin"};
static const struct rd_scope all = {.n_parameters = 7,
                                    .parameter = names,
                                    .n_species = 1,
                                    .species = species,
                                    .n_regions = 2,
                                    .region = regions,
                                    .extent = extents,
                                    .allowed = ~0u};

/* Compiles the text and finds its dimension. */
static bool find(const char *text, struct rd_value_dimension *d, char why[256])
{
    const struct rd_measures of = {dimensions, values, 3, NULL};
    struct rd_value_dimension known[7] = {0};
    struct rd_error e = {0};
    struct rd_expr x;
    memcpy(known, dimensions, sizeof dimensions);
    if (!rd_expr_compile(&x, text, &all, "here", &e))
        fail_msg("%s", e.text);
    const bool fits =
        rd_expr_measure(&x, &(struct rd_measures){known, of.value, 3, NULL}, d, why, 256);
    rd_expr_free(&x);
    return fits;
}

static void dimensions_follow_the_program(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        struct rd_value_dimension d;
    } cases[] = {
        {"D", {RD_MEASURE_QUANTITY, {2, -1}}},
        {"2 * D", {RD_MEASURE_QUANTITY, {2, -1}}},
        {"-D / 2", {RD_MEASURE_QUANTITY, {2, -1}}},
        {"D / L^2", {RD_MEASURE_QUANTITY, {0, -1}}},
        {"D / L^2 + k", {RD_MEASURE_QUANTITY, {0, -1}}},
        {"k + 1", {RD_MEASURE_QUANTITY, {0, -1}}},
        {"1 - k + free", {RD_MEASURE_QUANTITY, {0, -1}}},
        {"1 / T", {RD_MEASURE_QUANTITY, {0, -1}}},
        {"sqrt(4 * D * T)", {RD_MEASURE_QUANTITY, {1, 0}}},
        {"c^n / (c^n + [A]^n)", {RD_MEASURE_QUANTITY, {0, 0}}},
        {"c^n", {RD_MEASURE_QUANTITY, {-7.5, 0}}},
        {"c^(n - 1.5)", {RD_MEASURE_QUANTITY, {-3, 0}}},
        {"c^A", {RD_MEASURE_OPEN, {0, 0}}},
        {"k * exp(-x^2 / L^2)", {RD_MEASURE_QUANTITY, {0, -1}}},
        {"k * exp(-x / 10)", {RD_MEASURE_QUANTITY, {0, -1}}},
        {"k * (1 + x / 10)", {RD_MEASURE_OPEN, {0, 0}}},
        {"k * A * (A - 1) / 2", {RD_MEASURE_QUANTITY, {0, -1}}},
        {"A * (A - 1) / 2 * k", {RD_MEASURE_QUANTITY, {0, -1}}},
        {"k / c * A * A / volume", {RD_MEASURE_QUANTITY, {0, -1}}},
        {"free * k", {RD_MEASURE_OPEN, {0, 0}}},
        {"free / L^2", {RD_MEASURE_OPEN, {0, 0}}},
        {"0.1 * A", {RD_MEASURE_NUMBER, {0, 0}}},
        {"A * A", {RD_MEASURE_NATURAL, {0, 0}}},
        {"0.1 * x", {RD_MEASURE_OPEN, {0, 0}}},
        {"x + t", {RD_MEASURE_OPEN, {0, 0}}},
        {"x - 5", {RD_MEASURE_NATURAL, {1, 0}}},
        {"x < L", {RD_MEASURE_NUMBER, {0, 0}}},
        {"k * (t > T and x < 2)", {RD_MEASURE_QUANTITY, {0, -1}}},
        {"if(t > T, k, 0)", {RD_MEASURE_QUANTITY, {0, -1}}},
        {"piecewise(k, t > T, 2, x > L, 1 / T)", {RD_MEASURE_QUANTITY, {0, -1}}},
        {"max(k, 1 / T, 3)", {RD_MEASURE_QUANTITY, {0, -1}}},
        {"k * in(cell)", {RD_MEASURE_QUANTITY, {0, -1}}},
        {"c * volume(cell)", {RD_MEASURE_QUANTITY, {0, 0}}},
        {"c * area(skin) * L", {RD_MEASURE_QUANTITY, {0, 0}}},
        {"k * total(A)", {RD_MEASURE_QUANTITY, {0, -1}}},
        {"k * gradient_x(A) * L", {RD_MEASURE_QUANTITY, {0, -1}}},
        {"abs(-L)", {RD_MEASURE_QUANTITY, {1, 0}}},
        {"exp(L / L)", {RD_MEASURE_NUMBER, {0, 0}}},
        {"3", {RD_MEASURE_NUMBER, {0, 0}}},
        {"free + 1", {RD_MEASURE_OPEN, {0, 0}}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct rd_value_dimension d;
        char why[256];
        if (!find(cases[i].text, &d, why))
            fail_msg("%s: %s", cases[i].text, why);
        if (d.kind != cases[i].d.kind || (d.kind >= RD_MEASURE_NATURAL &&
                                          !rd_dimension_is_same(d.dimension, cases[i].d.dimension)))
            fail_msg("%s: kind %d, length^%g time^%g", cases[i].text, d.kind, d.dimension.length,
                     d.dimension.time);
    }
}

static void quantities_that_do_not_fit_are_found(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"k + D", "adds or compares 1/time and length^2/time; give both the same dimension"},
        {"c + A", "write [A] for the density of A"},
        {"A / (A + c)", "write [A]"},
        {"x > T", "adds or compares a length and a time"},
        {"min(k, D)", "adds or compares"},
        {"if(x > 1, k, D)", "adds or compares"},
        {"if(x > T, 1, 2)", "adds or compares"},
        {"exp(k)", "has 1/time as the argument of a function, which must be a pure number"},
        {"log(2 * L)", "has a length as the argument"},
        {"floor(L)", "argument"},
        {"2^T", "has a time as an exponent"},
        {"k^D", "exponent"},
        {"k * (1 + sin(T))", "argument"},
        {"L^2 + L", "an area and a length"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct rd_value_dimension d;
        char why[256];
        if (find(cases[i][0], &d, why))
            fail_msg("%s fits", cases[i][0]);
        if (!strstr(why, cases[i][1]))
            fail_msg("%s: %s", cases[i][0], why);
    }
}

/* Tests that a chain of choices is as deep as the compiler allows. */
static void deep_choices_are_followed(void **state)
{
    (void)state;
    char text[2048] = "piecewise(";
    for (int i = 0; i < 60; i++)
        strcat(text, "k, x > L, ");
    strcat(text, "1 / T)");
    struct rd_value_dimension d;
    char why[256];
    assert_true(find(text, &d, why));
    assert_int_equal(d.kind, RD_MEASURE_QUANTITY);
}

int test_dimension(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dimensions_follow_the_program),
        cmocka_unit_test(quantities_that_do_not_fit_are_found),
        cmocka_unit_test(deep_choices_are_followed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
