/* test_grammar - tests of values of expressions, of precedences against brackets, and of texts of
   all kinds.

   Every text is either read or refused, and none may crash the program. */
#include "expr/grammar.h"
#include "formula.h"
#include "probability.h"

#include <stdio.h>

struct value_case {
    const char *text;
    double value;
};

static void assert_values(const struct value_case *cases, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const double value = value_of(cases[i].text);
        if (!is_same(value, cases[i].value))
            fail_msg("%s is %.17g, not %.17g", cases[i].text, value, cases[i].value);
    }
}

static void test_values_of_operators(void **state)
{
    (void)state;
    const double A = 7, S = 3, k = 0.25, vmax = 2, km = 5, x = 1.5, y = -2, z = 4, t = 10;
    const struct value_case cases[] = {
        {"vmax*S/(km+S)", vmax * S / (km + S)},
        {"[A]*volume", A},
        {"[S]", S / 0.5},
        {"x + 10*y - z/t", x + 10 * y - z / t},
        {".5 + 1. + 1e-3 + 2E+2", .5 + 1. + 1e-3 + 2e+2},
        {"-2^2", -4},
        {"2^-1", 0.5},
        {"2^3^2", 512},
        {"2^-1^2", 0.5},
        {"-k^2", -k * k},
        {"--k", k},
        {"- + -k", k},
        {"2--1", 3},
        {"1 - 2 - 3", -4},
        {"8/4/2", 1},
        {"!A", 0},
        {"!0 + 1", 2},
        {"not A > 100", 1},
        {"!A > 100", 0},
        {"not not A", 1},
        {"1/0", 1.0 / 0.0},
        {"-1/0", -1.0 / 0.0},
        {"A == 7", 1},
        {"A != 7", 0},
        {"A <= 7", 1},
        {"A >= 8", 0},
        {"A < 7", 0},
        {"A > 6", 1},
        {"A and S", 1},
        {"A && 0", 0},
        {"0 and 1/0", 0},
        {"0 or S", 1},
        {"0 || 0", 0},
        {"1 or 0 and 0", 1},
        {"\tk\n+\r\n1 ", k + 1},
    };
    assert_values(cases, sizeof cases / sizeof *cases);
}

static void test_values_of_functions(void **state)
{
    (void)state;
    const double A = 7, S = 3, k = 0.25, km = 5, x = 1.5;
    const struct value_case cases[] = {
        {"min(A, S)", S},
        {"max(3, A, -1, S)", A},
        {"min(3, A, -1, S)", -1},
        {"abs(y)", 2},
        {"exp(k)", rd_exp(k)},
        {"log(km)", rd_log(km)},
        {"ln(km)", rd_log(km)},
        {"2 ** 3 ** 2 - -x ** 2", 512 + 2.25},
        {"log10(1000)", rd_log10(1000)},
        {"sqrt(z)", 2},
        {"sin(pi/6)", rd_sin(3.14159265358979323846 / 6)},
        {"cos(x)", rd_cos(x)},
        {"tanh(x)", rd_tanh(x)},
        {"pow(x, 3)", rd_pow(x, 3)},
        {"floor(-x)", -2},
        {"log(e)", rd_log(2.71828182845904523536)},
        {"if(A > 5, 1, 2)", 1},
        {"if(A < 5, 1, if(S, 2, 3))", 2},
        {"1 + if(A < 5, 1, 2) * 10", 21},
        {"piecewise(4)", 4},
        {"piecewise(1, t < 5, 2, t < 20, 3)", 2},
        {"piecewise(1, t < 5, 2, t < 8, 3)", 3},
        {"piecewise(if(A, 1, 2), t > 5 and A, 3, S, 4) + 1", 2},
        {"2 * piecewise(piecewise(1, 0, 2), piecewise(1, 1, 0), 3)", 4},
    };
    assert_values(cases, sizeof cases / sizeof *cases);
}

static void test_values_of_individuals(void **state)
{
    (void)state;
    const double A = 7, k = 0.25, speed = 1.25, turn = -1, sum_of_speeds = 4.75;
    /* Draws from the same stream as formula.h. */
    struct rd_stream s = rd_stream_of(1, 0, 0, RD_FOR_BIRTH, 0, 0);
    const double uniform = 1 + k * rd_uniform(&s), normal = 1 + 3 * rd_normal(&s);
    const struct value_case cases[] = {
        {"speed", speed},
        {"-walker.speed * turn^2", -speed},
        {"speed + walker . turn", speed + turn},
        {"parent.speed - parent.turn", 3},
        {"sum(walker.speed)", sum_of_speeds},
        {"2^sum(walker.turn + 1)", 16},
        {"sum(ant.age * A) / sum(ant.age)", A},
        {"speed / sum(walker.speed)", speed / sum_of_speeds},
        {"1 + sum(if(walker.speed > 1, k, 0)) * 2", 1 + 4 * k},
        {"sum(walker.speed > 1 and walker.turn < 0)", 1},
        {"piecewise(sum(walker.speed), sum(ant.age) > 100, sum(walker.turn))", 1},
        {"slope_x(A)", -2},
        {"gradient_x(A)", -2},
        {"gradient_x([A]) + 0 * gradient_y([A])", -4},
        {"slope_y(A) + slope_z(A)", -1.75},
        {"slope_x([A])", -4},
        {"uniform(1, 1 + k)", uniform},
        {"0 * uniform(0, 1) + normal(1, 3)", normal},
        {"if(A < 0, uniform(0, 1), 2) + uniform(1, 1 + k)", 2 + uniform},
    };
    assert_values(cases, sizeof cases / sizeof *cases);
}

/* Fails unless both texts give the same program. */
static void assert_same_program(const char *a, const char *b)
{
    struct rd_expr p = compiled(a), q = compiled(b);
    bool same = p.n == q.n;
    for (int32_t i = 0; same && i < p.n; i++)
        same = p.op[i].code == q.op[i].code && p.op[i].index == q.op[i].index &&
               is_same(p.op[i].value, q.op[i].value);
    if (!same)
        fail_msg("'%s' is not read as '%s'", a, b);
    rd_expr_free(&p);
    rd_expr_free(&q);
}

static const struct {
    const char *sign;
    int tightness;
} infixes[] = {
    {"or", 0}, {"||", 0}, {"and", 1}, {"&&", 1}, {"<", 3}, {"<=", 3}, {">", 3}, {">=", 3},
    {"==", 3}, {"!=", 3}, {"+", 4},   {"-", 4},  {"*", 5}, {"/", 5},  {"^", 7},
};
enum { N_INFIXES = sizeof infixes / sizeof *infixes };

static void test_precedence_of_operators_between_values(void **state)
{
    (void)state;
    for (int i = 0; i < N_INFIXES * N_INFIXES; i++) {
        const char *const first = infixes[i / N_INFIXES].sign;
        const char *const second = infixes[i % N_INFIXES].sign;
        const int left = infixes[i / N_INFIXES].tightness;
        const int right = infixes[i % N_INFIXES].tightness;
        char plain[64], bracketed[64];
        if (left == 3 && right == 3)
            continue; /* comparisons do not chain: see say_expr */
        snprintf(plain, sizeof plain, "A %s S %s k", first, second);
        snprintf(bracketed, sizeof bracketed,
                 right > left || (left == 7 && right == 7) ? "A %s (S %s k)" : "(A %s S) %s k",
                 first, second);
        assert_same_program(plain, bracketed);
    }
}

static void test_precedence_of_operators_before_values(void **state)
{
    (void)state;
    static const struct {
        const char *sign;
        int tightness;
    } prefixes[] = {{"-", 6}, {"+", 6}, {"!", 6}, {"not ", 2}};
    for (int i = 0; i < 4 * N_INFIXES; i++) {
        const char *const before = prefixes[i % 4].sign, *const between = infixes[i / 4].sign;
        const bool takes_both = infixes[i / 4].tightness > prefixes[i % 4].tightness;
        char plain[64], bracketed[64];
        snprintf(plain, sizeof plain, "%sA %s S", before, between);
        snprintf(bracketed, sizeof bracketed, takes_both ? "%s(A %s S)" : "(%sA) %s S", before,
                 between);
        assert_same_program(plain, bracketed);
        snprintf(plain, sizeof plain, "A %s %sS", between, before);
        snprintf(bracketed, sizeof bracketed, "A %s (%sS)", between, before);
        assert_same_program(plain, bracketed);
    }
}

/* Returns whether text is an expression; if so, it is evaluated, bound and freed. */
static bool is_read(const char *text)
{
    struct rd_error e = {0};
    struct rd_expr x;
    const bool read = rd_expr_compile(&x, text, &scope, "a.cfg:1", &e);
    if (read) {
        struct rd_expr y = bound(&x);
        assert_true(is_same(value_in_eval_context(&x), value_in_eval_context(&y)));
        assert_true(y.n <= x.n);
        rd_expr_free(&y);
    } else {
        assert_int_equal(e.n, 1);
        assert_null(x.text);
    }
    rd_expr_free(&x);
    rd_error_free(&e);
    return read;
}

static void test_every_short_text(void **state)
{
    (void)state;
    char text[4] = {0};
    int n_read = 0;
    for (int a = 1; a < 256; a++) {
        text[0] = (char)a;
        text[1] = 0;
        n_read += is_read(text);
        for (int b = 1; b < 256; b++) {
            text[1] = (char)b;
            n_read += is_read(text);
        }
    }
    static const char alphabet[] = "1.e-+!<=&*^(),[]kA ";
    for (size_t i = 0; i < 19 * 19 * 19; i++) {
        text[0] = alphabet[i % 19];
        text[1] = alphabet[i / 19 % 19];
        text[2] = alphabet[i / 361];
        n_read += is_read(text);
    }
    assert_in_range(n_read, 500, 5000);
}

/* Returns n copies of the pattern, then `end`; the caller frees. */
static char *repeated(const char *pattern, size_t n, const char *end)
{
    const size_t length = strlen(pattern);
    char *const text = malloc(n * length + strlen(end) + 1);
    assert_non_null(text);
    for (size_t i = 0; i < n; i++)
        memcpy(text + i * length, pattern, length);
    strcpy(text + n * length, end);
    return text;
}

static void test_deeply_nested_texts_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *pattern;
        size_t most; /* this many are read, and one more is refused */
        const char *end;
    } bombs[] = {
        {"-", RD_NESTING_MOST - 1, "1"},
        {"not ", RD_NESTING_MOST - 1, "1"},
        {"1+", RD_OPS_MOST / 2 - 1, "1"},
        {"1 and ", (RD_OPS_MOST - 1) / 5, "1"},
        {"1+(", 0, "1"},
        {"1^", RD_EVAL_DEPTH - 1, "1"},
        {"(", 0, "1"},
        {" ", RD_TEXT_MOST - 1, "1"},
        {"sum(ant.age)+", RD_SUMS_MOST, "1"},
        {"sum(", 0, "1"},
        {"slope_x(", 0, "1"},
        {"ant.", 1, "age"},
    };
    for (size_t i = 0; i < sizeof bombs / sizeof *bombs; i++) {
        char *const fits = repeated(bombs[i].pattern, bombs[i].most, bombs[i].end);
        char *const over = repeated(bombs[i].pattern, bombs[i].most + 1, bombs[i].end);
        char *const huge = repeated(bombs[i].pattern, 65536 / strlen(bombs[i].pattern) - 1, "1");
        assert_true(is_read(fits));
        assert_false(is_read(over));
        assert_false(is_read(huge) && strcmp(bombs[i].pattern, " ") != 0);
        free(fits);
        free(over);
        free(huge);
    }
}

/* Returns whether a sum is read that has n_before pending values before it and n_within in it. */
static bool is_deep_sum_read(size_t n_before, size_t n_within)
{
    char *const before = repeated("1^", n_before, "sum("), *const within =
                                                               repeated("1^", n_within, "ant.age)");
    char text[512];
    snprintf(text, sizeof text, "%s%s", before, within);
    free(before);
    free(within);
    return is_read(text);
}

static void test_summands_have_their_own_stack(void **state)
{
    (void)state;
    assert_true(is_deep_sum_read(RD_EVAL_DEPTH - 1, RD_EVAL_DEPTH - 1));
    assert_false(is_deep_sum_read(RD_EVAL_DEPTH, 0));
    assert_false(is_deep_sum_read(0, RD_EVAL_DEPTH));
}

static void test_long_tables_are_read(void **state)
{
    (void)state;
    char text[RD_TEXT_MOST] = "piecewise(";
    size_t length = strlen(text);
    for (int i = 1; i < 600; i++)
        length += (size_t)snprintf(text + length, sizeof text - length, "%d, t < %d, ", i * i, i);
    strcpy(text + length, "0)");
    assert_true(is_read(text));
    assert_true(is_same(value_of(text), 121)); /* t = 10 */
}

/* Writes n random tokens. */
static void write_tokens(struct rd_stream *s, char *text, size_t size, int n)
{
    static const char *const tokens[] = {
        "1",           "2.5",    "k",           "A",        "[S]",       "t",        "pi",
        "1e400",       "no",     "(",           "(",        "(",         ")",        ")",
        ")",           ",",      ",",           "+",        "-",         "*",        "/",
        "^",           "<",      "==",          ">=",       "and",       "or",       "not",
        "!",           "=",      "[",           "]",        "#",         "if(",      "min(",
        "sqrt(",       "pow",    "exp(",        "log",      "max(",      "&&",       "piecewise(",
        "speed",       "walker", "ant",         ".",        ".",         "age",      "parent.speed",
        "walker.turn", "sum(",   "sum(ant.age", "uniform(", "normal(1,", "slope_x(", "slope_y(A)"};
    size_t length = 0;
    for (int i = 0; i < n; i++) {
        const char *const token = tokens[rd_word(s) % (sizeof tokens / sizeof *tokens)];
        length += (size_t)snprintf(text + length, size - length, "%s ", token);
    }
}

static void test_random_tokens(void **state)
{
    (void)state;
    struct rd_stream s = stream_of("test_random_tokens", 0);
    char text[512];
    int n_read = 0;
    for (int i = 0; i < 100000; i++) {
        write_tokens(&s, text, sizeof text, 1 + (int)(rd_word(&s) % 12));
        n_read += is_read(text);
    }
    assert_in_range(n_read, 1000, 50000);
}

static void test_random_bytes(void **state)
{
    (void)state;
    struct rd_stream s = stream_of("test_random_bytes", 0);
    char text[512];
    for (int i = 0; i < 50000; i++) {
        write_tokens(&s, text, sizeof text, 12);
        const size_t length = strlen(text);
        for (int j = 0; j < 3; j++)
            text[rd_word(&s) % length] = (char)(rd_word(&s) % 256);
        is_read(text);
    }
}

int test_grammar(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values_of_operators),
        cmocka_unit_test(test_values_of_functions),
        cmocka_unit_test(test_values_of_individuals),
        cmocka_unit_test(test_precedence_of_operators_between_values),
        cmocka_unit_test(test_precedence_of_operators_before_values),
        cmocka_unit_test(test_every_short_text),
        cmocka_unit_test(test_deeply_nested_texts_are_refused),
        cmocka_unit_test(test_summands_have_their_own_stack),
        cmocka_unit_test(test_long_tables_are_read),
        cmocka_unit_test(test_random_tokens),
        cmocka_unit_test(test_random_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
