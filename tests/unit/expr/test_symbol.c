/* test_symbol - tests of the meaning of names, of what each name reads, and of reserved names. */
#include "expr/symbol.h"
#include "formula.h"

#include <stdio.h>

enum { MOST_PAGE = 1 << 16 };

static void test_values_of_names(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int32_t code, index;
        double value;
        unsigned uses;
    } cases[] = {
        {"k", RD_OP_PARAMETER, 0, 0, RD_USES_PARAMETERS},
        {"km", RD_OP_PARAMETER, 2, 0, RD_USES_PARAMETERS},
        {"Enzyme", RD_OP_COUNT, 2, 0, RD_USES_COUNTS},
        {"x", RD_OP_X, 0, 0, RD_USES_SPACE},
        {"y", RD_OP_Y, 0, 0, RD_USES_SPACE},
        {"z", RD_OP_Z, 0, 0, RD_USES_SPACE},
        {"t", RD_OP_T, 0, 0, RD_USES_TIME},
        {"volume", RD_OP_VOLUME, 0, 0, RD_USES_VOLUME},
        {"turn", RD_OP_OWN, 1, 0, RD_USES_OWN},
        {"pi", RD_OP_CONSTANT, 0, 0x1.921fb54442d18p+1, 0},
        {"e", RD_OP_CONSTANT, 0, 0x1.5bf0a8b145769p+1, 0},
        {"food", RD_OP_FIELD, 0, 0, RD_USES_FIELDS},
        {"light", RD_OP_FIELD, 4, 0, RD_USES_FIELDS},
        {"tide", RD_OP_VARYING, 8, 0, RD_USES_VARYING},
    };
    struct rd_error e = {0};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct rd_expr_source s = {cases[i].name, "a.cfg:1", &e};
        const struct rd_token t = rd_token_at(cases[i].name);
        struct rd_op op;
        assert_true(rd_symbol_value(&s, &t, &scope, &op));
        assert_int_equal(op.code, cases[i].code);
        assert_int_equal(op.index, cases[i].index);
        assert_true(is_same(op.value, cases[i].value));
        assert_int_equal(rd_builtins_uses(op.code), cases[i].uses);
        struct rd_scope narrow = scope;
        narrow.allowed = USES_ALL & ~cases[i].uses;
        assert_int_equal(rd_symbol_value(&s, &t, &narrow, &op), cases[i].uses == 0);
    }
    rd_error_free(&e);
}

static void test_declared_names_have_priority(void **state)
{
    (void)state;
    static char *const name[] = {"e"};
    static const struct rd_names names = {1, name};
    const struct rd_scope as_species = {.n_species = 1, .species = name, .allowed = USES_ALL};
    struct rd_scope as_parameter = as_species, as_attribute;
    as_parameter.n_parameters = 1;
    as_parameter.parameter = name;
    as_attribute = as_parameter;
    as_attribute.attributes = &names;
    as_attribute.self = 1;
    struct rd_error e = {0};
    const struct rd_expr_source s = {"e", "a.cfg:1", &e};
    const struct rd_token t = rd_token_at("e");
    struct rd_op op;
    assert_true(rd_symbol_value(&s, &t, &as_parameter, &op));
    assert_int_equal(op.code, RD_OP_PARAMETER);
    assert_true(rd_symbol_value(&s, &t, &as_attribute, &op));
    assert_int_equal(op.code, RD_OP_OWN);
    assert_false(rd_symbol_value(&s, &t, &as_species, &op)); /* the number e, or the species? */
    assert_non_null(strstr(e.text, "'e' is a species and a name of expressions; write [e]"));
    rd_error_free(&e);
}

static void test_attributes_of_species_and_parent(void **state)
{
    (void)state;
    static const struct {
        const char *whose, *name;
        int32_t code, index, species;
        unsigned uses;
    } cases[] = {
        {"walker", "speed", RD_OP_OWN, 0, WALKER, RD_USES_OWN},
        {"walker", "turn", RD_OP_OWN, 1, WALKER, RD_USES_OWN},
        {"ant", "age", RD_OP_OWN, 0, ANT, RD_USES_OWN},
        {"parent", "turn", RD_OP_PARENT, 1, -1, RD_USES_PARENT},
    };
    struct rd_error e = {0};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct rd_expr_source s = {cases[i].whose, "a.cfg:1", &e};
        const struct rd_token whose = rd_token_at(cases[i].whose);
        const struct rd_token name = rd_token_at(cases[i].name);
        struct rd_scope narrow = scope;
        narrow.allowed = cases[i].uses;
        struct rd_op op;
        int32_t species = -1;
        assert_true(rd_symbol_attribute(&s, &whose, &name, &narrow, &op, &species));
        assert_int_equal(op.code, cases[i].code);
        assert_int_equal(op.index, cases[i].index);
        assert_int_equal(species, cases[i].species);
        assert_int_equal(rd_builtins_uses(op.code), cases[i].uses);
        narrow.allowed = USES_ALL & ~cases[i].uses;
        assert_false(rd_symbol_attribute(&s, &whose, &name, &narrow, &op, &species));
    }
    rd_error_free(&e);
}

static void test_functions_are_allowed_with_their_arguments(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        unsigned uses;
    } cases[] = {
        {"exp", 0},
        {"piecewise", 0},
        {"uniform", RD_USES_RANDOM},
        {"normal", RD_USES_RANDOM},
        {"sum", RD_USES_SUMS},
        {"slope_x", RD_USES_SLOPES},
        {"slope_y", RD_USES_SLOPES},
        {"slope_z", RD_USES_SLOPES},
        {"in", RD_USES_REGIONS},
        {"gradient", RD_USES_FIELDS},
        {"gradient_x", RD_USES_FIELDS},
        {"gradient_y", RD_USES_FIELDS},
        {"gradient_z", RD_USES_FIELDS},
        {"mean_x", RD_USES_MEANS},
        {"mean_y", RD_USES_MEANS},
        {"mean_z", RD_USES_MEANS},
        {"total", RD_USES_TOTALS},
        {"voxels", 0},
        {"volume", 0},
        {"area", 0},
    };
    struct rd_error e = {0};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct rd_expr_source s = {cases[i].name, "a.cfg:1", &e};
        const struct rd_token t = rd_token_at(cases[i].name);
        struct rd_scope narrow = scope;
        narrow.allowed = cases[i].uses;
        assert_non_null(rd_symbol_function(&s, &t, &narrow));
        narrow.allowed = USES_ALL & ~cases[i].uses;
        assert_int_equal(rd_symbol_function(&s, &t, &narrow) != NULL, cases[i].uses == 0);
    }
    rd_error_free(&e);
}

/* Tests the totals, whose index has species and region until a model numbers them, and the sizes of
   regions, which are constants. */
static void test_totals_and_extents(void **state)
{
    (void)state;
    struct rd_expr x = compiled("total(S) + total(A, skin)");
    assert_int_equal(x.uses, RD_USES_TOTALS);
    assert_int_equal(x.op[0].index, 1);
    assert_int_equal(x.op[1].index, 2 * RD_TOTALS_SPAN);
    x.op[0].index = 0;
    x.op[1].index = 2;
    assert_true(is_same(rd_expr_value(&x, &eval_context), 16));
    rd_expr_free(&x);
    assert_true(is_same(value_of("voxels(cell) + 100 * voxels(skin)"), 712));
    assert_true(is_same(value_of("volume(cell) / volume + area(skin)"), 16.5));
    x = compiled("area(skin)");
    assert_int_equal(x.uses, 0);
    rd_expr_free(&x);
}

static void test_reserved_names(void **state)
{
    (void)state;
    static const char *const kept[] = {
        "x",          "y",       "z",       "t",       "volume",   "pi",         "e",
        "min",        "max",     "abs",     "exp",     "log",      "log10",      "sqrt",
        "sin",        "cos",     "tanh",    "pow",     "floor",    "if",         "piecewise",
        "and",        "or",      "not",     "parent",  "in",       "uniform",    "normal",
        "sum",        "slope_x", "slope_y", "slope_z", "gradient", "gradient_x", "gradient_y",
        "gradient_z", "mean_x",  "mean_y",  "mean_z",
    };
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
        assert_true(rd_builtins_is_kept(kept[i]));
    static const char *const free[] = {"",     "k",     "A",     "X",     "sine",   "mi",
                                       "true", "slope", "speed", "total", "voxels", "area"};
    for (size_t i = 0; i < sizeof free / sizeof *free; i++)
        assert_false(rd_builtins_is_kept(free[i]));
}

/* Returns the text of docs/expressions.md; the caller frees. */
static char *page(void)
{
    const char *const source = getenv("RDSIM_SOURCE");
    if (!source)
        skip(); /* the program was started by hand, in an unknown folder */
    char path[4096];
    snprintf(path, sizeof path, "%s/docs/expressions.md", source);
    FILE *const file = fopen(path, "rb");
    assert_non_null(file);
    char *const text = calloc(MOST_PAGE + 1, 1);
    assert_non_null(text);
    assert_true(fread(text, 1, MOST_PAGE, file) < MOST_PAGE);
    fclose(file);
    return text;
}

/* Returns the number of rows for `name` in the page's table of functions. */
static int rows_of(const char *text, const char *name)
{
    char row[64];
    snprintf(row, sizeof row, "\n| `%s(", name);
    int n = 0;
    for (const char *at = text; (at = strstr(at, row)); at++)
        n++;
    return n;
}

static bool is_function(const char *name)
{
    int i = 0;
    while (i < rd_builtins_n_functions() && strcmp(rd_builtins_function(i)->name, name) != 0)
        i++;
    return i < rd_builtins_n_functions();
}

static void test_page_lists_the_functions(void **state)
{
    (void)state;
    char *const text = page();
    for (int i = 0; i < rd_builtins_n_functions(); i++)
        if (rows_of(text, rd_builtins_function(i)->name) != 1)
            fail_msg("docs/expressions.md should have one row for %s",
                     rd_builtins_function(i)->name);
    const char *at = strstr(text, "\n## Functions");
    const char *const end = strstr(text, "\n## Names");
    assert_true(at && at < end);
    while ((at = strstr(at, "\n| `")) && at < end) {
        at += strlen("\n| `");
        char name[64];
        snprintf(name, sizeof name, "%.*s", (int)strcspn(at, "("), at);
        if (!is_function(name))
            fail_msg("docs/expressions.md has a row for %s, which is no function", name);
    }
    free(text);
}

int test_symbol(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values_of_names),
        cmocka_unit_test(test_declared_names_have_priority),
        cmocka_unit_test(test_attributes_of_species_and_parent),
        cmocka_unit_test(test_functions_are_allowed_with_their_arguments),
        cmocka_unit_test(test_totals_and_extents),
        cmocka_unit_test(test_reserved_names),
        cmocka_unit_test(test_page_lists_the_functions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
