/* test_expr - tests of constants and their texts, of what an expression reads, and of binding:
   fewer operations give the same value, to the bit. */
#include "formula.h"
#include "probability.h"

#include <float.h>

static void test_zero_initialised_is_the_constant_0(void **state)
{
    (void)state;
    struct rd_expr none = {0};
    assert_true(is_same(rd_expr_value(&none, &eval_context), 0));
    struct rd_expr x = bound(&none);
    assert_true(is_same(rd_expr_value(&x, &eval_context), 0));
    assert_string_equal(x.text, "0");
    rd_expr_free(&x);
    rd_expr_free(&x);
    rd_expr_free(&none);
}

static void test_constants_have_the_shortest_text_that_reads_back(void **state)
{
    (void)state;
    static const struct {
        double value;
        const char *text;
    } cases[] = {
        {0, "0"},
        {-0.0, "-0"},
        {0.1, "0.1"},
        {5e9, "5000000000"},
        {1e300, "1e+300"},
        {1.0 / 3, "0.3333333333333333"},
        {0.1 + 0.2, "0.30000000000000004"},
        {-2.5, "-2.5"},
        {DBL_MIN, "2.2250738585072014e-308"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct rd_error e = {0};
        struct rd_expr x;
        assert_true(rd_expr_constant(&x, cases[i].value, &e));
        assert_true(is_same(rd_expr_value(&x, &eval_context), cases[i].value));
        assert_string_equal(x.text, cases[i].text);
        assert_int_equal(x.uses, 0);
        rd_expr_free(&x);
    }
}

static void test_text_is_kept(void **state)
{
    (void)state;
    char text[] = " k * A ";
    struct rd_expr x = compiled(text);
    memset(text, '-', sizeof text);
    struct rd_expr y = bound(&x);
    assert_string_equal(x.text, " k * A ");
    assert_string_equal(y.text, " k * A ");
    rd_expr_free(&x);
    rd_expr_free(&y);
}

/* Tests what the expression of each text reads, before and after binding. */
static void test_uses(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        unsigned uses, bound;
    } cases[] = {
        {"1 + pi", 0, 0},
        {"k * km", RD_USES_PARAMETERS, 0},
        {"x", RD_USES_SPACE, RD_USES_SPACE},
        {"k * (y + z)", RD_USES_PARAMETERS | RD_USES_SPACE, RD_USES_SPACE},
        {"sin(t)", RD_USES_TIME, RD_USES_TIME},
        {"A", RD_USES_COUNTS, RD_USES_COUNTS},
        {"[A]", RD_USES_COUNTS, RD_USES_COUNTS},
        {"volume", RD_USES_VOLUME, RD_USES_VOLUME},
        {"if(k > 1, A, t)", RD_USES_PARAMETERS | RD_USES_COUNTS | RD_USES_TIME, RD_USES_TIME},
        {"k and A", RD_USES_PARAMETERS | RD_USES_COUNTS, RD_USES_COUNTS},
        {"k or A", RD_USES_PARAMETERS | RD_USES_COUNTS, 0},
        {"speed", RD_USES_OWN, RD_USES_OWN},
        {"parent.speed", RD_USES_PARENT, RD_USES_PARENT},
        {"uniform(0, k)", RD_USES_RANDOM | RD_USES_PARAMETERS, RD_USES_RANDOM},
        {"normal(0, 1)", RD_USES_RANDOM, RD_USES_RANDOM},
        {"slope_y(A)", RD_USES_SLOPES, RD_USES_SLOPES},
        {"gradient_y(A)", RD_USES_SLOPES, RD_USES_SLOPES},
        {"gradient_z([A])", RD_USES_SLOPES | RD_USES_VOLUME, RD_USES_SLOPES | RD_USES_VOLUME},
        {"slope_y([A])", RD_USES_SLOPES | RD_USES_VOLUME, RD_USES_SLOPES | RD_USES_VOLUME},
        {"sum(ant.age * A)", RD_USES_SUMS | RD_USES_OWN | RD_USES_COUNTS,
         RD_USES_SUMS | RD_USES_OWN | RD_USES_COUNTS},
        {"sum(if(k, 1, ant.age))", RD_USES_SUMS | RD_USES_OWN | RD_USES_PARAMETERS, RD_USES_SUMS},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct rd_expr x = compiled(cases[i].text), y = bound(&x);
        assert_int_equal(x.uses, cases[i].uses);
        assert_int_equal(y.uses, cases[i].bound);
        rd_expr_free(&x);
        rd_expr_free(&y);
    }
}

/* Tests that gradient(f) is the component along the axis of the expression, and that it makes the
   expression a vector. */
static void test_gradient_along_the_axis(void **state)
{
    (void)state;
    struct rd_error e = {0};
    for (int axis = 1; axis <= 3; axis++) {
        struct rd_scope along = scope;
        struct rd_expr x;
        along.axis = axis;
        assert_true(rd_expr_compile(&x, "2 * gradient(light)", &along, "a.cfg:1", &e));
        assert_true(x.is_vector);
        assert_int_equal(x.uses, RD_USES_FIELDS);
        assert_true(is_same(rd_expr_value(&x, &eval_context), 2 * field_components[4 + axis]));
        rd_expr_free(&x);
        assert_true(rd_expr_compile(&x, "gradient_z(food) + food", &along, "a.cfg:1", &e));
        assert_false(x.is_vector);
        assert_true(is_same(rd_expr_value(&x, &eval_context), 1.75));
        rd_expr_free(&x);
    }
}

static void test_changing_fields_and_means(void **state)
{
    (void)state;
    static const int32_t renumbered[] = {3, 0, 1, 0, 2};
    static const struct {
        const char *text;
        double value;
        unsigned uses;
    } cases[] = {
        {"tide", 2.5, RD_USES_VARYING},           {"gradient_x(tide)", -4, RD_USES_VARYING},
        {"gradient_z(tide)", 9, RD_USES_VARYING}, {"mean_x(A)", 1, RD_USES_MEANS},
        {"mean_y(A)", 2, RD_USES_MEANS},          {"mean_z(walker)", 30, RD_USES_MEANS},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct rd_expr x = compiled(cases[i].text);
        assert_int_equal(x.uses, cases[i].uses);
        assert_true(is_same(rd_expr_value(&x, &eval_context), cases[i].value));
        rd_expr_free(&x);
    }
    struct rd_error e = {0};
    struct rd_expr x = compiled("mean_x(A)"), y;
    assert_true(rd_expr_bind(&y, &x, parameters, renumbered, &e));
    assert_true(is_same(rd_expr_value(&y, &eval_context), 10));
    rd_expr_free(&x);
    rd_expr_free(&y);
}

/* Tests the species whose attributes stand outside of sums, before and after binding. */
static void test_species_of_attributes(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int32_t of, bound;
    } cases[] = {
        {"k", -1, -1},
        {"0", -1, -1},
        {"parent.speed", -1, -1},
        {"speed", WALKER, ANT},
        {"2 * walker.turn", WALKER, ANT},
        {"ant.age", ANT, WALKER},
        {"if(k, 1, ant.age)", ANT, -1},
        {"sum(ant.age)", -1, -1},
        {"sum(ant.age) + turn", WALKER, ANT},
        {"turn + sum(ant.age)", WALKER, ANT},
        {"if(k, sum(ant.age), turn)", WALKER, -1},
    };
    static const int32_t exchanged[] = {0, 1, 2, ANT, WALKER};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct rd_error e = {0};
        struct rd_expr x = compiled(cases[i].text), y;
        assert_true(rd_expr_bind(&y, &x, parameters, exchanged, &e));
        assert_int_equal(x.of, cases[i].of);
        assert_int_equal(y.of, cases[i].bound);
        rd_expr_free(&x);
        rd_expr_free(&y);
    }
}

static void test_binding_computes_constants(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int32_t n; /* number of operations after binding */
    } cases[] = {
        {"k", 1},
        {"2*k*vmax + log(km)", 1},
        {"2*k*A", 3},
        {"A*2*k", 5},
        {"A*(2*k)", 3},
        {"vmax*S/(km+S)", 7},
        {"min(1, 2, A)", 3},
        {"-(-k)", 1},
        {"if(k, A, S)", 1},
        {"if(A, k + 1, k - 1)", 5},
        {"if(A, 1, 2) + 3", 7},
        {"if(A, if(k, 1, S), 2) + 3", 7},
        {"piecewise(1, t < 5, 2, k < 1, 3)", 7},
        {"piecewise(1, k < 0, 2, k < 1, S)", 1},
        {"A and k", 5},
        {"k and 0 or vmax", 1},
        {"uniform(1, 2)", 3},
        {"normal(2*k, 3 + k) * 1", 5},
        {"uniform(uniform(k, 1), 2)", 5},
        {"slope_x(A) * (2*k)", 3},
        {"sum(2*k*walker.speed)", 5},
        {"sum(walker.speed) * (2 + k)", 5},
        {"sum(if(k, walker.speed, 3)) + sum(ant.age)", 7},
        {"sum(if(k, 2*k, walker.speed))", 3},
        {"-sum(if(k, 2*k, walker.speed))", 4},
        {"if(sum(if(k, 0, ant.age)), 1, 2)", 7},
        {"if(A, sum(if(k, 1, ant.age)), 2) + 3", 9},
        {"if(k, 1, sum(ant.age)) + 3", 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct rd_expr x = compiled(cases[i].text), y = bound(&x);
        if (y.n != cases[i].n)
            fail_msg("%s has %d operations, not %d", cases[i].text, (int)y.n, (int)cases[i].n);
        assert_true(is_same(value_in_eval_context(&x), value_in_eval_context(&y)));
        rd_expr_free(&x);
        rd_expr_free(&y);
    }
}

static void test_binding_uses_current_values(void **state)
{
    (void)state;
    struct rd_error e = {0};
    double now[] = {3, 4, 5};
    struct rd_expr x = compiled("k * vmax + A"), y;
    assert_true(rd_expr_bind(&y, &x, now, NULL, &e));
    now[0] = 100;
    assert_true(rd_expr_value(&y, &eval_context) == 19);
    rd_expr_free(&y);
    assert_true(rd_expr_bind(&y, &x, now, NULL, &e));
    assert_true(rd_expr_value(&y, &eval_context) == 407);
    rd_expr_free(&x);
    rd_expr_free(&y);
}

static void test_binding_renumbers_species(void **state)
{
    (void)state;
    static const int32_t place[] = {2, 0, 1}, count[] = {10, 20, 30};
    struct rd_eval_context at = eval_context;
    at.count = count;
    struct rd_error e = {0};
    struct rd_expr x = compiled("A + 1000*[S] + 1000000*Enzyme"), y;
    assert_true(rd_expr_bind(&y, &x, parameters, place, &e));
    assert_true(rd_expr_value(&y, &at) == 30 + 1000 * 20 + 1000000 * 20);
    rd_expr_free(&x);
    rd_expr_free(&y);
}

static void test_binding_renumbers_species_of_slopes_and_sums(void **state)
{
    (void)state;
    static const int32_t place[] = {2, 0, 1, ANT, WALKER};
    struct rd_error e = {0};
    struct rd_expr x = compiled("slope_x(S) + sum(A * walker.turn)"), y;
    assert_true(rd_expr_bind(&y, &x, parameters, place, &e));
    const struct rd_op *op;
    int32_t species, n;
    assert_true(rd_expr_sums(&y, 0, &species, &op, &n));
    assert_int_equal(species, ANT);
    assert_int_equal(n, 3);
    assert_int_equal(op[0].code, RD_OP_COUNT);
    assert_int_equal(op[0].index, 2);
    assert_int_equal(op[1].code, RD_OP_OWN);
    assert_int_equal(op[1].index, 1);
    assert_int_equal(y.op[0].code, RD_OP_SLOPE_X);
    assert_int_equal(y.op[0].index, 0);
    rd_expr_free(&x);
    rd_expr_free(&y);
}

/* Fails unless the expression has exactly these sums, one for each species, in this order. */
static void assert_sums(const struct rd_expr *x, const int32_t *species, int n_sums)
{
    const struct rd_op *op;
    int32_t of, n;
    for (int k = 0; k < n_sums; k++) {
        assert_true(rd_expr_sums(x, k, &of, &op, &n));
        assert_int_equal(of, species[k]);
        assert_int_equal(n, 1);
        assert_int_equal(op->code, RD_OP_OWN);
    }
    assert_false(rd_expr_sums(x, n_sums, &of, &op, &n));
    assert_false(rd_expr_sums(x, -1, &of, &op, &n));
}

static void test_sums_in_their_order(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int n, n_bound;
        int32_t species[3], bound[3];
    } cases[] = {
        {"k", 0, 0, {0}, {0}},
        {"sum(ant.age)", 1, 1, {ANT}, {ANT}},
        {"sum(ant.age) / sum(walker.turn) / sum(ant.age)",
         3,
         3,
         {ANT, WALKER, ANT},
         {ANT, WALKER, ANT}},
        /* conditions come before values */
        {"piecewise(sum(walker.turn), sum(ant.age) > 1, 0)", 2, 2, {ANT, WALKER}, {ANT, WALKER}},
        {"if(k < 0, sum(ant.age), sum(walker.turn)) + sum(ant.age)",
         3,
         2,
         {ANT, WALKER, ANT},
         {WALKER, ANT}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct rd_expr x = compiled(cases[i].text), y = bound(&x);
        assert_sums(&x, cases[i].species, cases[i].n);
        assert_sums(&y, cases[i].bound, cases[i].n_bound);
        rd_expr_free(&x);
        rd_expr_free(&y);
    }
}

static void test_one_branch_is_evaluated(void **state)
{
    (void)state;
    struct rd_eval_context at = eval_context;
    at.parameter = NULL; /* reading it would crash */
    static const char *const texts[] = {
        "if(A, 1, k)",       "if(A < 0, k, 1)",          "A or k",
        "not (A < 0 and k)", "piecewise(1, A, k, k, k)", "piecewise(k, A < 0, 1, A, k)",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct rd_expr x = compiled(texts[i]);
        assert_true(rd_expr_value(&x, &at) == 1);
        rd_expr_free(&x);
    }
}

enum { TEXT_BYTES = 32768 };

/* Writes a random expression whose nesting is at most `depth`. */
static void write_random(struct rd_stream *s, char text[TEXT_BYTES], int depth)
{
    static const char *const leaves[] = {"1",
                                         "0",
                                         "2.5",
                                         "1e-3",
                                         "k",
                                         "vmax",
                                         "km",
                                         "A",
                                         "[S]",
                                         "x",
                                         "y",
                                         "z",
                                         "t",
                                         "pi",
                                         "e",
                                         "volume",
                                         "food",
                                         "gradient_y(light)",
                                         "tide",
                                         "gradient_z(tide)",
                                         "mean_y(walker)"};
    /* @ stands for an expression */
    static const char *const forms[] = {
        "@ + @",       "@ - @",        "@ * @",          "@ / @",
        "(@)",         "-(@)",         "(@)^2",          "pow(@,@)",
        "min(@,@,@)",  "max(@,@)",     "@ < @ or @",     "not @",
        "@ and @",     "exp(@)",       "if(@,@,@)",      "if(@,turn,@)",
        "sqrt(@)",     "log(abs(@))",  "normal(@,@)",    "uniform(@,@)",
        "parent.turn", "slope_x([S])", "sum(k*ant.age)", "piecewise(@,@,@,@,@)"};
    if (depth == 0 || rd_word(s) % 6 == 0) {
        strcat(text, leaves[rd_word(s) % (sizeof leaves / sizeof *leaves)]);
        return;
    }
    for (const char *c = forms[rd_word(s) % (sizeof forms / sizeof *forms)]; *c; c++) {
        if (*c == '@')
            write_random(s, text, depth - 1);
        else
            strncat(text, c, 1);
    }
}

static void test_binding_changes_no_bit(void **state)
{
    (void)state;
    struct rd_stream s = stream_of("test_binding_changes_no_bit", 0);
    int n_read = 0;
    for (int i = 0; i < 20000; i++) {
        struct rd_error e = {0};
        struct rd_expr x;
        char text[TEXT_BYTES] = "";
        write_random(&s, text, 4);
        if (rd_expr_compile(&x, text, &scope, "a.cfg:1", &e)) { /* not a chained comparison */
            struct rd_expr y = bound(&x);
            if (!is_same(value_in_eval_context(&x), value_in_eval_context(&y)))
                fail_msg("%s changes", text);
            rd_expr_free(&y);
            n_read++;
        }
        rd_expr_free(&x);
        rd_error_free(&e);
    }
    assert_in_range(n_read, 10000, 20000);
}

/* Checks which values are factors of an expression as it stands. A is species 0, S is 1. */
static void test_factors_are_those_of_the_product(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool has_a, has_s;
    } cases[] = {
        {"k * A * S", true, true},
        {"A", true, false},
        {"[S]", false, true},
        {"-(k * [A])", true, false},
        {"k * (2 * S)", false, true},
        {"k * A / (2 + A)", true, false},
        {"k / (2 + A)", false, false},
        {"k / A * S", false, true},
        {"k * (A + S)", false, false},
        {"k * A^2", true, false},
        {"k * [A] * pow(S, 1)", true, true},
        {"k * A^-2 / S^2", false, false},
        {"k * 2^A", false, false},
        {"if(S > 1, A, A)", false, false},
        {"A * if(S > 1, k, 2)", true, false},
        {"exp(A) * S", false, true},
        {"k * max(A, S)", false, false},
        {"3", false, false},
        {"S * sum(walker.speed * A)", false, true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct rd_expr x = compiled(cases[i].text);
        if (rd_expr_has_factor(&x, 0) != cases[i].has_a ||
            rd_expr_has_factor(&x, 1) != cases[i].has_s)
            fail_msg("%s", cases[i].text);
        rd_expr_free(&x);
    }
}

static void test_times_volume(void **state)
{
    (void)state;
    struct rd_error e = {0};
    struct rd_expr x = compiled("A + 2 * S");
    const double before = rd_expr_value(&x, &eval_context);
    assert_true(rd_expr_times_volume(&x, &e));
    assert_string_equal(x.text, "(A + 2 * S) * volume");
    assert_true(is_same(rd_expr_value(&x, &eval_context), before * eval_context.volume));
    assert_int_equal(x.uses, RD_USES_COUNTS | RD_USES_VOLUME);
    rd_expr_free(&x);
}

int test_expr(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_zero_initialised_is_the_constant_0),
        cmocka_unit_test(test_constants_have_the_shortest_text_that_reads_back),
        cmocka_unit_test(test_text_is_kept),
        cmocka_unit_test(test_uses),
        cmocka_unit_test(test_gradient_along_the_axis),
        cmocka_unit_test(test_changing_fields_and_means),
        cmocka_unit_test(test_species_of_attributes),
        cmocka_unit_test(test_binding_computes_constants),
        cmocka_unit_test(test_binding_uses_current_values),
        cmocka_unit_test(test_binding_renumbers_species),
        cmocka_unit_test(test_binding_renumbers_species_of_slopes_and_sums),
        cmocka_unit_test(test_sums_in_their_order),
        cmocka_unit_test(test_one_branch_is_evaluated),
        cmocka_unit_test(test_binding_changes_no_bit),
        cmocka_unit_test(test_factors_are_those_of_the_product),
        cmocka_unit_test(test_times_volume),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
