/* say_expr - tests wrong expressions and the message for each: the text, the column, what is there,
   and what would be correct. */
#include "expr/grammar.h"
#include "formula.h"

/* Fails unless text gives this message and no other. */
static void assert_says(const char *text, unsigned allowed, const char *message)
{
    struct rd_error e = {0};
    struct rd_expr x;
    struct rd_scope here = scope;
    here.allowed = allowed;
    assert_false(rd_expr_compile(&x, text, &here, "a.cfg:7: propensity", &e));
    assert_int_equal(e.n, 1);
    assert_string_equal(e.text, message);
    rd_error_free(&e);
}

#define SAYS(text, column, what)                                                                   \
    {                                                                                              \
        text, "a.cfg:7: propensity: '" text "', column " #column ": " what                         \
    }

static void wrong_grammar_is_reported(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        SAYS("", 1, "the expression ends here; expected a number, a name or '('"),
        SAYS("1 +", 4, "the expression ends here; expected a number, a name or '('"),
        SAYS("1 + * 2", 5, "found '*'; expected a number, a name or '('"),
        SAYS("2 ** * 3", 6, "found '*'; expected a number, a name or '('"),
        SAYS("2 *** 3", 5, "found '*'; expected a number, a name or '('"),
        SAYS("A and", 6, "the expression ends here; expected a number, a name or '('"),
        SAYS("or A", 1, "found 'or'; expected a number, a name or '('"),
        SAYS("(k + 1", 7, "the expression ends here; expected an operator or ')'"),
        SAYS("(k 1)", 4, "found '1'; expected an operator or ')'"),
        SAYS("()", 2, "found ')'; expected a number, a name or '('"),
        SAYS("k + 1)", 6, "found ')'; expected an operator or the end"),
        SAYS("2 A", 3, "a name follows a number; write 2 * A"),
        SAYS("1 + 2.5k", 8, "a name follows a number; write 2.5 * k"),
        SAYS("0x10", 2, "found 'x10'; expected an operator or the end"),
        SAYS("1e", 2, "a name follows a number; write 1 * e"),
        SAYS("1.2.3", 4, "found '.3'; expected an operator or the end"),
        SAYS("A = 3", 3, "found '='; write =="),
        SAYS("A & S", 3, "found '&'; write and"),
        SAYS("A % 2", 3, "found '%'; write a - b * floor(a / b)"),
        SAYS("A\u00B2", 2, "found '\u00B2'; write ^ 2"),
        SAYS("2 \u00D7 A", 3, "found '\u00D7'; write *"),
        SAYS("0,5", 2, "'0,5' has a comma; write 0.5"),
        SAYS("min(12,25) + 12,25", 16, "'12,25' has a comma; write 12.25"),
        SAYS("2(A)", 2, "found '('; expected an operator or the end, such as *"),
        SAYS("(2 A[S])", 4, "a name follows a number; write 2 * A"),
        SAYS("(A[S])", 3, "found '['; expected an operator or ')', such as *"),
        SAYS("k A", 3, "found 'A'; expected an operator or the end, such as *"),
        SAYS("A; S", 2, "found ';'; expected an operator or the end"),
        SAYS("k \xc2\xb5 1", 3, "found '\xc2\xb5'; expected an operator or the end"),
        SAYS("\xc2\xb5", 1, "found '\xc2\xb5'; expected a number, a name or '('"),
        SAYS("_k", 1, "found '_'; expected a number, a name or '('"),
        SAYS("[1]", 2, "found '1'; expected the name of a species"),
        SAYS("[A", 3, "the expression ends here; expected ']'"),
        SAYS("[A + S]", 4, "found '+'; expected ']'"),
        SAYS("1 < A < 3", 7, "comparisons do not chain; write 'a < b and b < c'"),
        SAYS("1 == A == 3", 8, "comparisons do not chain; write 'a < b and b < c'"),
        SAYS("sin()", 5, "found ')'; expected a number, a name or '('"),
        SAYS("sin(1, 2)", 6, "found ','; expected an operator or ')'"),
        SAYS("pow(2)", 6, "found ')'; expected an operator or ',' and another value"),
        SAYS("pow(2, 3, 4)", 9, "found ','; expected an operator or ')'"),
        SAYS("min(1)", 6, "found ')'; expected an operator or ',' and another value"),
        SAYS("min(1, 2", 9, "the expression ends here; expected an operator, ',' or ')'"),
        SAYS("max(1, )", 8, "found ')'; expected a number, a name or '('"),
        SAYS("if(A, 1)", 8, "found ')'; expected an operator or ','"),
        SAYS("if(A, 1, 2, 3)", 11, "found ','; expected an operator or ')'"),
        SAYS("piecewise(1, A)", 15, "found ')'; expected an operator or ',' and a value"),
        SAYS("piecewise(1, A, 2", 18, "the expression ends here; expected an operator, ',' or ')'"),
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_says(cases[i][0], USES_ALL, cases[i][1]);
}

static void unknown_names_are_reported(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        SAYS("1 + vmx", 5, "unknown name 'vmx'; did you mean 'vmax'?"),
        SAYS("2*enzime", 3, "unknown name 'enzime'; did you mean 'Enzyme'?"),
        SAYS("volme", 1, "unknown name 'volme'; did you mean 'volume'?"),
        SAYS("temperature", 1,
             "unknown name 'temperature'; use parameters, x, y, z, t, species, volume, attributes, "
             "parent.NAME, uniform(), normal(), sum(), slope_x(), slope_y(), slope_z(), fields, "
             "mean_x(), mean_y(), mean_z(), total()"),
        SAYS("[Enzym]", 2, "unknown species 'Enzym'; did you mean 'Enzyme'?"),
        SAYS("[vmax]", 2, "'vmax' is a parameter; expected the name of a species"),
        SAYS("sqr(2)", 1, "unknown function 'sqr'; did you mean 'sqrt'?"),
        SAYS("heaviside(t)", 1,
             "unknown function 'heaviside'; use abs, exp, log, ln, log10, sqrt, sin, cos, tanh, "
             "floor, "
             "pow, min, max, if, piecewise, uniform, normal, slope_x, slope_y, slope_z, sum, "
             "gradient, gradient_x, gradient_y, gradient_z, mean_x, mean_y, mean_z, total, voxels, "
             "volume, area"),
        SAYS("k (2 + A)", 1, "'k' is not a function; write a product with *"),
        SAYS("1 + sin A", 5, "'sin' is a function; expected '(' after it"),
        SAYS("if", 1, "'if' is a function; expected '(' after it"),
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_says(cases[i][0], USES_ALL, cases[i][1]);
}

static void forbidden_names_are_reported(void **state)
{
    (void)state;
    static const struct {
        unsigned allowed;
        const char *says[2];
    } cases[] = {
        {RD_USES_PARAMETERS, SAYS("k*t", 3, "'t' is not allowed here; use only parameters")},
        {RD_USES_PARAMETERS, SAYS("k*[A]", 4, "'A' is not allowed here; use only parameters")},
        {RD_USES_PARAMETERS | RD_USES_TIME,
         SAYS("A + x", 1, "'A' is not allowed here; use only parameters, t")},
        {RD_USES_PARAMETERS | RD_USES_SPACE | RD_USES_VOLUME,
         SAYS("volume*t", 8, "'t' is not allowed here; use only parameters, x, y, z, volume")},
        {RD_USES_COUNTS, SAYS("k", 1, "'k' is not allowed here; use only species")},
        {0, SAYS("2*volume", 3, "'volume' is not allowed here; use only numbers")},
        {RD_USES_PARAMETERS, SAYS("Enzyne", 1, "unknown name 'Enzyne'; use parameters")},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_says(cases[i].says[0], cases[i].allowed, cases[i].says[1]);
}

static void wrong_attributes_are_reported(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        SAYS("walker.sped", 8, "'walker' has no attribute 'sped'; did you mean 'speed'?"),
        SAYS("walker.colour", 8, "'walker' has no attribute 'colour'; use speed, turn"),
        SAYS("parent.sped", 8, "'parent' has no attribute 'sped'; did you mean 'speed'?"),
        SAYS("1 + waker.speed", 5, "unknown species 'waker'; did you mean 'walker'?"),
        SAYS("k.speed", 1, "'k' is a parameter; expected the name of a species"),
        SAYS("A.speed", 1, "'A' has no attributes; use a species of individuals"),
        SAYS("walker.2", 7, "found '.2'; expected an operator or the end"),
        SAYS("walker.*2", 8, "found '*'; expected the name of an attribute"),
        SAYS("walker.", 8, "the expression ends here; expected the name of an attribute"),
        SAYS("walker.speed.x", 13, "found '.'; expected an operator or the end"),
        SAYS("[walker.speed]", 8, "found '.'; expected ']'"),
        SAYS("2*spee", 3, "unknown name 'spee'; did you mean 'speed'?"),
        SAYS("age + 1", 1, "unknown name 'age'; did you mean 'ant.age'?"),
        SAYS("2*parent", 3, "'parent' has no value; expected '.' and an attribute after it"),
        SAYS(
            "parent(1)", 1,
            "unknown function 'parent'; use abs, exp, log, ln, log10, sqrt, sin, cos, tanh, floor, "
            "pow, min, max, if, piecewise, uniform, normal, slope_x, slope_y, slope_z, sum, "
            "gradient, gradient_x, gradient_y, gradient_z, mean_x, mean_y, mean_z, total, voxels, "
            "volume, area"),
        SAYS("speed + ant.age", 9,
             "an attribute of 'walker' stands before it; use attributes of one species"),
        SAYS("ant.age*speed", 9,
             "an attribute of 'ant' stands before it; use attributes of one species"),
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_says(cases[i][0], USES_ALL, cases[i][1]);
}

static void wrong_sums_and_slopes_are_reported(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        SAYS("1 + sum(2 * A)", 5,
             "this sum has no attribute of individuals; write one, as in sum(A.speed)"),
        SAYS("sum(walker.speed * ant.age)", 20,
             "an attribute of 'walker' stands before it; use attributes of one species"),
        SAYS("sum(ant.age * sum(ant.age))", 15,
             "'sum' is not allowed here; use only parameters, x, y, z, t, species, volume, "
             "attributes, parent.NAME, slope_x(), slope_y(), slope_z(), fields, mean_x(), "
             "mean_y(), mean_z(), total()"),
        SAYS("sum(ant.age, 2)", 12, "found ','; expected an operator or ')'"),
        SAYS("sum(ant.age", 12, "the expression ends here; expected an operator or ')'"),
        SAYS("sum()", 5, "found ')'; expected a number, a name or '('"),
        SAYS("sum + 1", 1, "'sum' is a function; expected '(' after it"),
        SAYS("slope_x(2*A)", 9, "found '2'; expected the name of a species"),
        SAYS("slope_x(A*2)", 10, "found '*'; expected ')'"),
        SAYS("slope_x([A)", 11, "found ')'; expected ']'"),
        SAYS("slope_x(k)", 9, "'k' is a parameter; expected the name of a species"),
        SAYS("slope_w(A)", 1, "unknown function 'slope_w'; did you mean 'slope_x'?"),
        SAYS("uniform(1)", 10, "found ')'; expected an operator or ',' and another value"),
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_says(cases[i][0], USES_ALL, cases[i][1]);
}

static void wrong_fields_are_reported(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        SAYS("2*foot", 3, "unknown name 'foot'; did you mean 'food'?"),
        SAYS("food(1)", 1, "'food' is not a function; write a product with *"),
        SAYS("k*later", 3,
             "the field 'later' has no values yet; use only fields that stand before it"),
        SAYS("gradient_x(later)", 12,
             "the field 'later' has no values yet; use only fields that stand before it"),
        SAYS("gradient_x(light2)", 12, "unknown field 'light2'; did you mean 'light'?"),
        SAYS("gradient_x(2*food)", 12, "found '2'; expected the name of a field or species"),
        SAYS("gradient_x([food])", 13, "'food' is a field; expected the name of a species"),
        SAYS("gradient_x([A)", 14, "found ')'; expected ']'"),
        SAYS("1 + gradient(A)", 5,
             "gradient() is a vector, which only one expression for all axes can have; write "
             "gradient_x, gradient_y or gradient_z"),
        SAYS("gradient_x(food*2)", 16, "found '*'; expected ')'"),
        SAYS("gradient_x(food", 16, "the expression ends here; expected ')'"),
        SAYS("gradient_w(food)", 1, "unknown function 'gradient_w'; did you mean 'gradient_x'?"),
        SAYS("mean_x(2)", 8, "found '2'; expected the name of a species"),
        SAYS("mean_x(B)", 8, "unknown species 'B'; use a declared species"),
        SAYS("mean_x(A", 9, "the expression ends here; expected ')'"),
        SAYS("total()", 7, "found ')'; expected the name of a species"),
        SAYS("total(A + S)", 9, "found '+'; expected ',' or ')'"),
        SAYS("total(k)", 7, "'k' is a parameter; expected the name of a species"),
        SAYS("total(A, cell, 3)", 14, "found ','; expected ')'"),
        SAYS("total(A, cel)", 10, "unknown region 'cel'; did you mean 'cell'?"),
        SAYS("total(A, 3)", 10, "found '3'; expected the name of a region"),
        SAYS("2 * total", 5, "'total' is a function; expected '(' after it"),
        SAYS("voxels(A)", 8, "'A' is a species; expected the name of a region"),
        SAYS("voxels(rimm)", 8, "unknown region 'rimm'; use a declared region"),
        SAYS("area(cell)", 6, "'cell' is no surface, so it has no area; use the name of a surface"),
        SAYS("volume(skin)", 8,
             "'skin' is a surface, which has an area and no volume; use area(skin)"),
        SAYS("volume(cell, skin)", 12, "found ','; expected ')'"),
        SAYS("mean_w(A)", 1, "unknown function 'mean_w'; did you mean 'mean_x'?"),
        SAYS("1 + gradient(food)", 5,
             "gradient() is a vector, which only one expression for all axes can have; write "
             "gradient_x, gradient_y or gradient_z"),
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_says(cases[i][0], USES_ALL, cases[i][1]);
    assert_says(
        "k*food", RD_USES_PARAMETERS,
        "a.cfg:7: propensity: 'k*food', column 3: 'food' is not allowed here; use only parameters");
    assert_says("2*tide", RD_USES_PARAMETERS | RD_USES_FIELDS,
                "a.cfg:7: propensity: '2*tide', column 3: 'tide' is not allowed here; use only "
                "parameters, fields without rate");
    assert_says("gradient_x(tide)", RD_USES_PARAMETERS | RD_USES_FIELDS,
                "a.cfg:7: propensity: 'gradient_x(tide)', column 12: 'tide' is not allowed here; "
                "use only parameters, fields without rate");
    assert_says("mean_x(A)", RD_USES_PARAMETERS,
                "a.cfg:7: propensity: 'mean_x(A)', column 1: 'mean_x' is not allowed here; use "
                "only parameters");
    assert_says(
        "later", RD_USES_PARAMETERS,
        "a.cfg:7: propensity: 'later', column 1: 'later' is not allowed here; use only parameters");
}

static void slopes_of_counts_are_reported_where_only_fields_are_allowed(void **state)
{
    (void)state;
    assert_says("gradient_x([A])", RD_USES_PARAMETERS | RD_USES_FIELDS,
                "a.cfg:7: propensity: 'gradient_x([A])', column 13: 'A' is not allowed here; use "
                "only parameters, fields without rate");
}

/* Tests a rate, an initial value and a drift by the names that each may use. */
static void forbidden_names_of_individuals_are_reported(void **state)
{
    (void)state;
    enum {
        RATE = RD_USES_PARAMETERS | RD_USES_COUNTS | RD_USES_SUMS,
        INITIAL = RD_USES_PARAMETERS | RD_USES_OWN | RD_USES_RANDOM,
        DRIFT = RD_USES_PARAMETERS | RD_USES_OWN | RD_USES_SLOPES
    };
    static const struct {
        unsigned allowed;
        const char *says[2];
    } cases[] = {
        {RATE,
         SAYS("k * ant.age", 5, "each individual here has its own 'ant.age'; write sum(ant.age)")},
        {RATE, SAYS("k * age", 5, "unknown name 'age'; did you mean 'ant.age'?")},
        {RATE, SAYS("sum(age)", 5, "unknown name 'age'; did you mean 'ant.age'?")},
        {RATE, SAYS("sum(ant.age * uniform(0, 1))", 15,
                    "'uniform' is not allowed here; use only parameters, species, attributes")},
        {RATE, SAYS("slope_x(A)", 1,
                    "'slope_x' is not allowed here; use only parameters, species, sum()")},
        {RATE, SAYS("parent.speed", 1, "there is no parent here; use parent only in birth rules")},
        {RATE | RD_USES_OWN,
         SAYS("sum(speed)", 5, "unknown name 'speed'; did you mean 'walker.speed'?")},
        {INITIAL,
         SAYS("sum(ant.age)", 1,
              "'sum' is not allowed here; use only parameters, attributes, uniform(), normal()")},
        {DRIFT, SAYS("normal(0, 1)", 1,
                     "'normal' is not allowed here; use only parameters, attributes, slope_x(), "
                     "slope_y(), slope_z()")},
        {DRIFT,
         SAYS("unifrm(0, 1)", 1,
              "unknown function 'unifrm'; use abs, exp, log, ln, log10, sqrt, sin, cos, tanh, "
              "floor, pow, min, max, if, piecewise, slope_x, slope_y, slope_z, voxels, "
              "volume, area")},
        {RD_USES_PARAMETERS,
         SAYS("ant . age", 1, "'ant . age' is not allowed here; use only parameters")},
        {RD_USES_PARAMETERS, SAYS("speed", 1, "'speed' is not allowed here; use only parameters")},
        {RD_USES_PARAMETERS, SAYS("age", 1, "unknown name 'age'; use parameters")},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_says(cases[i].says[0], cases[i].allowed, cases[i].says[1]);
}

static void impossible_numbers_are_reported(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        SAYS("1 + 1e400", 5, "this number is too large; give one between 2.3e-308 and 1.7e308"),
        SAYS("1e-400", 1, "this number is too small; give one between 2.3e-308 and 1.7e308"),
        SAYS("2e-310*A", 1, "this number is too small; give one between 2.3e-308 and 1.7e308"),
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_says(cases[i][0], USES_ALL, cases[i][1]);
}

/* Fails unless n copies of the pattern give a message with this end. */
static void assert_says_of_many(const char *pattern, size_t n, const char *end)
{
    const size_t length = strlen(pattern);
    char *const text = malloc(n * length + 1);
    assert_non_null(text);
    for (size_t i = 0; i < n; i++)
        strcpy(text + i * length, pattern);
    struct rd_error e = {0};
    struct rd_expr x;
    assert_false(rd_expr_compile(&x, text, &scope, "a.cfg:7: propensity", &e));
    assert_string_equal(strstr(e.text, "column"), end);
    rd_error_free(&e);
    free(text);
}

static void limits_are_reported(void **state)
{
    (void)state;
    assert_says_of_many(
        "(", 60000, "column 257: the expression is nested more than 256 deep; write it flatter");
    assert_says_of_many(
        "1-", 30000,
        "column 4098: the expression has more than 4096 operations; write a shorter one");
    assert_says_of_many(
        "2^", 33,
        "column 66: more than 32 values stand before their operators; write inner parts first");
    assert_says_of_many("sum(ant.age)-", 9,
                        "column 105: the expression has more than 8 sums; write fewer");
    assert_says_of_many("A ", 40000,
                        "column 1: the expression has 80000 characters; write at most 65536");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_grammar_is_reported),
        cmocka_unit_test(unknown_names_are_reported),
        cmocka_unit_test(forbidden_names_are_reported),
        cmocka_unit_test(wrong_attributes_are_reported),
        cmocka_unit_test(wrong_sums_and_slopes_are_reported),
        cmocka_unit_test(wrong_fields_are_reported),
        cmocka_unit_test(slopes_of_counts_are_reported_where_only_fields_are_allowed),
        cmocka_unit_test(forbidden_names_of_individuals_are_reported),
        cmocka_unit_test(impossible_numbers_are_reported),
        cmocka_unit_test(limits_are_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
