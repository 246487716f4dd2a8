/* bionetgen_math - reads the expressions of BioNetGen (those of muParser) into formulas. */
#include "expr/grammar.h"
#include "formats/bionetgen_network.h"
#include "formats/formula_functions.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_NESTED = 200, MOST_PARTS = 64 };

/* Describes an expression while it is read. */
struct expression {
    struct rd_bng *b;
    struct rd_bng_entry *x; /* the entry that it belongs to */
    const char *at;
    int nested;
    bool is_wrong;
};

/* Reports an error once; returns a formula that stands for it. */
static rd_formula refuse_expression(struct expression *s, const char *what, const char *at,
                                    int length)
{
    if (!s->is_wrong)
        rd_bng_fail(s->b, s->x, what, length, at);
    s->is_wrong = true;
    return rd_formula_number(&s->b->pool, (double)NAN);
}

static void skip_bng_blanks(struct expression *s)
{
    while (*s->at == ' ' || *s->at == '\t')
        s->at++;
}

/* Takes an operator if it follows. */
static bool take_operator(struct expression *s, const char *operator)
{
    skip_bng_blanks(s);
    const size_t n = strlen(operator);
    if (strncmp(s->at, operator, n) != 0)
        return false;
    s->at += n;
    return true;
}

static rd_formula read_bng_or(struct expression *s);

/* ---- functions ---- */

static rd_formula make_pair(struct expression *s, enum rd_formula_kind kind, rd_formula a,
                            rd_formula b)
{
    return rd_formula_pair(&s->b->pool, kind, a, b);
}

static rd_formula make_number(struct expression *s, double value)
{
    return rd_formula_number(&s->b->pool, value);
}

static rd_formula log_2(struct rd_formula_pool *p, rd_formula a)
{
    return rd_formula_pair(p, RD_FORMULA_QUOTIENT, rd_formula_call(p, "log", a),
                           rd_formula_call(p, "log", rd_formula_number(p, 2.0)));
}

static rd_formula nearest(struct rd_formula_pool *p, rd_formula a)
{
    return rd_formula_call(p, "floor",
                           rd_formula_pair(p, RD_FORMULA_SUM, a, rd_formula_number(p, 0.5)));
}

static rd_formula sign(struct rd_formula_pool *p, rd_formula a)
{
    const rd_formula zero = rd_formula_number(p, 0.0);
    return rd_formula_pair(p, RD_FORMULA_DIFFERENCE, rd_formula_compared(p, a, ">", zero),
                           rd_formula_compared(p, a, "<", zero));
}

/* Returns a condition as it is, and what BioNetGen takes as the truth of a number: `if` holds above
   0.5, && and || hold where the whole part is not 0. */
static rd_formula make_condition(struct expression *s, rd_formula a, bool is_of_if)
{
    switch (a->kind) {
    case RD_FORMULA_COMPARISON:
    case RD_FORMULA_AND:
    case RD_FORMULA_OR:
        return a;
    default:
        return is_of_if ? rd_formula_compared(&s->b->pool, a, ">", make_number(s, 0.5))
                        : rd_formula_compared(&s->b->pool, rd_formula_call(&s->b->pool, "abs", a),
                                              ">=", make_number(s, 1.0));
    }
}

/* Lists functions of one argument: by another name, or by a formula. */
static const struct {
    const char *name, *same;
    rd_formula (*make)(struct rd_formula_pool *p, rd_formula a);
} unary[] = {
    {"exp", "exp", NULL},
    {"ln", "log", NULL},
    {"log10", "log10", NULL},
    {"sqrt", "sqrt", NULL},
    {"abs", "abs", NULL},
    {"sin", "sin", NULL},
    {"cos", "cos", NULL},
    {"tanh", "tanh", NULL},
    {"tan", NULL, rd_formula_tan},
    {"sinh", NULL, rd_formula_sinh},
    {"cosh", NULL, rd_formula_cosh},
    {"asinh", NULL, rd_formula_asinh},
    {"acosh", NULL, rd_formula_acosh},
    {"atanh", NULL, rd_formula_atanh},
    {"log2", NULL, log_2},
    {"rint", NULL, nearest},
    {"sign", NULL, sign},
};

static bool is_name_at(const char *name, const char *at, size_t n)
{
    return strlen(name) == n && strncmp(name, at, n) == 0;
}

/* Returns a function of any number of arguments; NULL if it has another name. */
static rd_formula call_several(struct expression *s, const char *name, size_t n,
                               const rd_formula *part, int n_parts)
{
    struct rd_formula_pool *const p = &s->b->pool;
    if (is_name_at("if", name, n) && n_parts == 3)
        return rd_formula_if(p, make_condition(s, part[0], true), part[1], part[2]);
    if ((is_name_at("min", name, n) || is_name_at("max", name, n)) && n_parts > 0)
        return n_parts == 1
                   ? part[0]
                   : rd_formula_of(p, RD_FORMULA_CALL,
                                   *name == 'm' && name[1] == 'i' ? "min" : "max", part, n_parts);
    if (is_name_at("sum", name, n) && n_parts > 0)
        return rd_formula_of(p, RD_FORMULA_SUM, NULL, part, n_parts);
    if (is_name_at("avg", name, n) && n_parts > 0)
        return make_pair(s, RD_FORMULA_QUOTIENT,
                         rd_formula_of(p, RD_FORMULA_SUM, NULL, part, n_parts),
                         make_number(s, n_parts));
    return NULL;
}

/* Returns a function that muParser or BioNetGen has. */
static rd_formula call_builtin(struct expression *s, const char *name, size_t n,
                               const rd_formula *part, int n_parts)
{
    for (size_t i = 0; i < sizeof unary / sizeof *unary; i++)
        if (n_parts == 1 && is_name_at(unary[i].name, name, n))
            return unary[i].same ? rd_formula_call(&s->b->pool, unary[i].same, part[0])
                                 : unary[i].make(&s->b->pool, part[0]);
    const rd_formula several = call_several(s, name, n, part, n_parts);
    if (several)
        return several;
    if (is_name_at("log", name, n))
        return refuse_expression(s, "the function '%.*s' is ambiguous; write ln or log10", name,
                                 (int)n);
    return refuse_expression(
        s,
        "the function '%.*s' with these arguments cannot be converted; write it by "
        "others",
        name, (int)n);
}

/* ---- operands ---- */

/* Reads arguments up to the closing bracket. Returns their number. */
static int read_arguments(struct expression *s, rd_formula part[MOST_PARTS])
{
    int n = 0;
    if (take_operator(s, ")"))
        return 0;
    do {
        if (n == MOST_PARTS) {
            refuse_expression(s, "a function has more than %.*d arguments", "", MOST_PARTS);
            return n;
        }
        part[n++] = read_bng_or(s);
    } while (!s->is_wrong && take_operator(s, ","));
    if (!take_operator(s, ")"))
        refuse_expression(s, "a function's ')' is missing at '%.*s'; add it", s->at, 20);
    return n;
}

/* Returns what a name of the network stands for. */
static rd_formula use(struct expression *s, struct rd_bng_entry *named)
{
    if (named->kind == RD_BNG_PARAMETERS)
        return rd_formula_name(&s->b->pool, RD_FORMULA_NAME, named->name);
    const rd_formula f =
        named->kind == RD_BNG_GROUPS ? rd_bng_sum(s->b, named) : rd_bng_formula(s->b, named);
    s->is_wrong = s->is_wrong || !f;
    return f ? f : make_number(s, (double)NAN);
}

static rd_formula read_bng_name(struct expression *s)
{
    const char *const name = s->at;
    while (isalnum((unsigned char)*s->at) || *s->at == '_')
        s->at++;
    const size_t n = (size_t)(s->at - name);
    struct rd_bng_entry *const named = rd_bng_find(s->b, name, n);
    rd_formula part[MOST_PARTS];
    const bool is_call = take_operator(s, "(");
    const int n_parts = is_call ? read_arguments(s, part) : 0;
    if (s->is_wrong)
        return make_number(s, (double)NAN);
    if (named && n_parts > 0)
        return refuse_expression(
            s, "'%.*s' has arguments here; local functions cannot be converted", name, (int)n);
    if (named)
        return use(s, named);
    if (is_name_at("time", name, n) || (is_name_at("t", name, n) && !is_call))
        return rd_formula_name(&s->b->pool, RD_FORMULA_NAME, "t");
    if (is_name_at("_pi", name, n))
        return rd_formula_name(&s->b->pool, RD_FORMULA_NAME, "pi");
    if (is_name_at("_e", name, n))
        return rd_formula_name(&s->b->pool, RD_FORMULA_NAME, "e");
    if (is_call)
        return call_builtin(s, name, n, part, n_parts);
    return refuse_expression(
        s, "'%.*s' is not declared; declare it as a parameter, function or group", name, (int)n);
}

static rd_formula read_bng_operand(struct expression *s)
{
    skip_bng_blanks(s);
    if (take_operator(s, "(")) {
        const rd_formula inner = read_bng_or(s);
        if (!take_operator(s, ")"))
            return refuse_expression(s, "a ')' is missing at '%.*s'; add it", s->at, 20);
        return inner;
    }
    if (isdigit((unsigned char)*s->at) || *s->at == '.') {
        char *end;
        const double value = strtod(s->at, &end);
        if (end > s->at && isfinite(value)) {
            s->at = end;
            return make_number(s, value);
        }
    } else if (isalpha((unsigned char)*s->at) || *s->at == '_') {
        return read_bng_name(s);
    }
    return refuse_expression(s,
                             *s->at ? "found '%.*s'; expected a number, a name or '('"
                                    : "the expression ends%.*s after an operator; complete it",
                             s->at, *s->at ? 20 : 0);
}

/* ---- operators, from the tightest to the loosest ---- */

static rd_formula read_sign(struct expression *s);

static rd_formula read_power(struct expression *s)
{
    const rd_formula base = read_bng_operand(s);
    if (!take_operator(s, "^"))
        return base;
    return make_pair(s, RD_FORMULA_POWER, base, read_sign(s));
}

/* Counts brackets, signs and powers within one another, which recursion reads. */
static rd_formula read_sign(struct expression *s)
{
    rd_formula f;
    if (++s->nested > MOST_NESTED)
        return refuse_expression(s, "the expression is nested too deeply at '%.*s'; simplify it",
                                 s->at, 20);
    if (take_operator(s, "-"))
        f = rd_formula_negative(&s->b->pool, read_sign(s));
    else if (take_operator(s, "+"))
        f = read_sign(s);
    else if (strncmp(s->at, "!=", 2) != 0 && take_operator(s, "!"))
        f = rd_formula_compared(&s->b->pool, read_sign(s), "==", make_number(s, 0.0));
    else
        f = read_power(s);
    s->nested--;
    return f;
}

static rd_formula read_product(struct expression *s)
{
    rd_formula f = read_sign(s);
    while (!s->is_wrong)
        if (take_operator(s, "*"))
            f = make_pair(s, RD_FORMULA_PRODUCT, f, read_sign(s));
        else if (take_operator(s, "/"))
            f = make_pair(s, RD_FORMULA_QUOTIENT, f, read_sign(s));
        else
            break;
    return f;
}

static rd_formula read_bng_sum(struct expression *s)
{
    rd_formula f = read_product(s);
    while (!s->is_wrong)
        if (take_operator(s, "+"))
            f = make_pair(s, RD_FORMULA_SUM, f, read_product(s));
        else if (take_operator(s, "-"))
            f = make_pair(s, RD_FORMULA_DIFFERENCE, f, read_product(s));
        else
            break;
    return f;
}

static rd_formula read_comparison(struct expression *s)
{
    static const char *const operator[] = {"==", "!=", "<=", ">=", "<", ">"};
    const rd_formula f = read_bng_sum(s);
    for (size_t i = 0; i < sizeof operator/ sizeof * operator&& !s->is_wrong; i++)
        if (take_operator(s, operator[i]))
            return rd_formula_compared(&s->b->pool, f, operator[i], read_bng_sum(s));
    return f;
}

static rd_formula read_bng_and(struct expression *s)
{
    rd_formula f = read_comparison(s);
    while (!s->is_wrong && take_operator(s, "&&"))
        f = make_pair(s, RD_FORMULA_AND, make_condition(s, f, false),
                      make_condition(s, read_comparison(s), false));
    return f;
}

static rd_formula read_bng_or(struct expression *s)
{
    rd_formula f = read_bng_and(s);
    while (!s->is_wrong && take_operator(s, "||"))
        f = make_pair(s, RD_FORMULA_OR, make_condition(s, f, false),
                      make_condition(s, read_bng_and(s), false));
    return f;
}

/* Returns whether a part was replaced by NAN, as it has too many nodes. */
static bool has_nan(rd_formula f)
{
    bool has = f->kind == RD_FORMULA_NUMBER && isnan(f->number);
    for (int i = 0; i < f->n && !has; i++)
        has = has_nan(f->part[i]);
    return has;
}

rd_formula rd_bng_formula(struct rd_bng *b, struct rd_bng_entry *x)
{
    if (x->is_open) {
        rd_bng_fail(b, x, "its value depends on itself; break the circle");
        return NULL;
    }
    if (x->formula || x->is_wrong)
        return x->formula;
    struct expression s = {.b = b, .x = x, .at = x->value};
    x->is_open = true;
    const rd_formula f = read_bng_or(&s);
    skip_bng_blanks(&s);
    if (!s.is_wrong && *s.at)
        refuse_expression(&s, "found '%.*s' after the expression; remove it, or add an operator",
                          s.at, 20);
    x->is_open = false;
    if (!s.is_wrong && (f->size > RD_OPS_MOST || has_nan(f)))
        s.is_wrong = !rd_bng_fail(b, x,
                                  "has an expression of more than %d operations, with the "
                                  "groups and functions that it uses; use smaller ones",
                                  RD_OPS_MOST);
    x->is_wrong = s.is_wrong;
    return s.is_wrong ? NULL : (x->formula = f);
}

/* ---- values ---- */

static double value_of_parameter(void *of, rd_formula name);

/* Computes the value of a parameter at its first use. */
static double parameter_value(struct rd_bng *b, struct rd_bng_entry *x)
{
    if (!x->has_number && x->formula && !x->is_open) {
        x->is_open = true;
        x->number = rd_formula_value(x->formula, value_of_parameter, b);
        x->is_open = false;
        x->has_number = true;
    }
    return x->has_number ? x->number : (double)NAN;
}

/* Returns the value of a parameter or constant; NAN for all else. */
static double value_of_parameter(void *of, rd_formula name)
{
    struct rd_bng *const b = of;
    for (int i = 0; i < b->n[RD_BNG_PARAMETERS]; i++)
        if (b->of[RD_BNG_PARAMETERS][i].name == name->name)
            return parameter_value(b, &b->of[RD_BNG_PARAMETERS][i]);
    return strcmp(name->name, "pi") == 0  ? 3.14159265358979323846
           : strcmp(name->name, "e") == 0 ? 2.71828182845904523536
                                          : (double)NAN;
}

double rd_bng_value(struct rd_bng *b, rd_formula f)
{
    return rd_formula_value(f, value_of_parameter, b);
}
