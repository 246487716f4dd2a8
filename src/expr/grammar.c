/* grammar - translates the text of an expression into the operations of kernels/core/eval.h, by
   recursive descent. It defines the operators and their precedence, and reports syntax errors. */
#include "expr/grammar.h"

#include "expr/program_builder.h"
#include "expr/symbol.h"

#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Orders the operators from the loosest to the tightest. Operands of an operator bind more
   tightly. */
enum precedence_level {
    LEVEL_OR,
    LEVEL_AND,
    LEVEL_NOT,
    LEVEL_COMPARE,
    LEVEL_SUM,
    LEVEL_PRODUCT,
    LEVEL_SIGN, /* - + ! before a value */
    LEVEL_POWER
};

/* Lists the operators between two values. */
static const struct infix {
    const char *spelling;
    enum precedence_level level;
    int32_t code; /* operation after the second value */
} infixes[] = {
    {"or", LEVEL_OR, RD_OP_TRUTH},        {"||", LEVEL_OR, RD_OP_TRUTH},
    {"and", LEVEL_AND, RD_OP_TRUTH},      {"&&", LEVEL_AND, RD_OP_TRUTH},
    {"<", LEVEL_COMPARE, RD_OP_LESS},     {"<=", LEVEL_COMPARE, RD_OP_LESS_OR_EQUAL},
    {">", LEVEL_COMPARE, RD_OP_MORE},     {">=", LEVEL_COMPARE, RD_OP_MORE_OR_EQUAL},
    {"==", LEVEL_COMPARE, RD_OP_EQUAL},   {"!=", LEVEL_COMPARE, RD_OP_UNEQUAL},
    {"+", LEVEL_SUM, RD_OP_ADD},          {"-", LEVEL_SUM, RD_OP_SUBTRACT},
    {"*", LEVEL_PRODUCT, RD_OP_MULTIPLY}, {"/", LEVEL_PRODUCT, RD_OP_DIVIDE},
    {"^", LEVEL_POWER, RD_OP_POWER},      {"**", LEVEL_POWER, RD_OP_POWER},
};

/* ---- the tokens ---- */

static struct rd_token take_token(struct rd_builder *d)
{
    const struct rd_token taken = d->token;
    d->token = rd_token_at(taken.start + taken.length);
    return taken;
}

static bool take_if(struct rd_builder *d, const char *spelling)
{
    const bool is = rd_token_is(&d->token, spelling);
    if (is)
        take_token(d);
    return is;
}

static bool take_sign(struct rd_builder *d, const char *spelling, const char *expected)
{
    return take_if(d, spelling) || rd_token_expected(&d->source, &d->token, expected);
}

static const struct infix *infix_at(const struct rd_token *t)
{
    for (size_t i = 0; i < sizeof infixes / sizeof *infixes; i++)
        if (rd_token_is(t, infixes[i].spelling))
            return &infixes[i];
    return NULL;
}

/* ---- the expression ---- */

static const char closing[] = "an operator or ')'";
static const char comma[] = "an operator or ','";

static bool read_level(struct rd_builder *d, enum precedence_level level);

static bool read_call_arguments(struct rd_builder *d, const struct rd_function *f)
{
    for (int values = 1; read_level(d, LEVEL_OR); values++) {
        if ((values > 1 || f->most == 1) && !rd_builder_put_code(d, f->code))
            return false;
        if (values < f->most && take_if(d, ","))
            continue;
        if (values >= f->least && take_if(d, ")"))
            return true;
        return rd_token_expected(&d->source, &d->token,
                                 values < f->least  ? "an operator or ',' and another value"
                                 : values < f->most ? "an operator, ',' or ')'"
                                                    : closing);
    }
    return false;
}

/* Reads if(condition, value, otherwise). */
static bool read_if(struct rd_builder *d)
{
    int32_t unless, jump;
    return read_level(d, LEVEL_OR) && take_sign(d, ",", comma) &&
           rd_builder_put_jump(d, RD_OP_UNLESS, &unless) && read_level(d, LEVEL_OR) &&
           take_sign(d, ",", comma) && rd_builder_put_jump(d, RD_OP_JUMP, &jump) &&
           read_level(d, LEVEL_OR) && take_sign(d, ")", closing) &&
           rd_builder_join(d, unless, jump);
}

/* Reads value1, condition1, value2, condition2, ..., otherwise). A value is written before its
   condition, but the program evaluates the condition first. */
static bool read_pieces(struct rd_builder *d)
{
    const int32_t value = d->n;
    if (!read_level(d, LEVEL_OR))
        return false;
    if (take_if(d, ")"))
        return true;
    const int32_t condition = d->n;
    int32_t unless, jump;
    d->height--;
    if (!take_sign(d, ",", "an operator, ',' or ')'") || !read_level(d, LEVEL_OR) ||
        !take_sign(d, ",", "an operator or ',' and a value"))
        return false;
    d->height++;
    if (!rd_builder_put_jump(d, RD_OP_UNLESS, &unless))
        return false;
    rd_builder_put_last_first(d->op + value, d->n - value, d->n - condition);
    unless -= condition - value;
    return rd_builder_put_jump(d, RD_OP_JUMP, &jump) && read_pieces(d) &&
           rd_builder_join(d, unless, jump);
}

static bool take_species(struct rd_builder *d, struct rd_token *name)
{
    *name = take_token(d);
    return name->kind == RD_TOKEN_NAME ||
           rd_token_expected(&d->source, name, "the name of a species");
}

/* Reads the rest of A), or of A]), behind the name of a species, and puts the slope of its number,
   or of its concentration. */
static bool read_slope_of(struct rd_builder *d, const struct rd_token *name, int32_t code,
                          bool divides)
{
    struct rd_op op = {.code = code};
    if (!rd_symbol_species(&d->source, name, d->scope, &op.index) || !rd_builder_put(d, op))
        return false;
    if (divides && !(take_sign(d, "]", "']'") && rd_builder_put_code(d, RD_OP_VOLUME) &&
                     rd_builder_put_code(d, RD_OP_DIVIDE)))
        return false;
    return take_sign(d, ")", "')'");
}

/* Reads slope_x(A), or slope_x([A]). */
static bool read_slope(struct rd_builder *d, int32_t code)
{
    const bool divides = take_if(d, "[");
    struct rd_token name;
    return take_species(d, &name) && read_slope_of(d, &name, code, divides);
}

/* Takes the name of a region. */
static bool take_region(struct rd_builder *d, struct rd_token *name)
{
    *name = take_token(d);
    return name->kind == RD_TOKEN_NAME ||
           rd_token_expected(&d->source, name, "the name of a region");
}

/* Reads in(left), or in(left, right), whether the voxel is in at least one of them. */
static bool read_region(struct rd_builder *d)
{
    for (int regions = 1;; regions++) {
        struct rd_token name;
        struct rd_op op = {.code = RD_OP_IN};
        if (!take_region(d, &name) || !rd_symbol_region(&d->source, &name, d->scope, &op.index) ||
            !rd_builder_put(d, op))
            return false;
        if (regions > 1 && !rd_builder_put_code(d, RD_OP_MAX))
            return false;
        if (!take_if(d, ","))
            return take_sign(d, ")", "',' or ')'");
    }
}

/* Reads mean_x(A). */
static bool read_mean_position(struct rd_builder *d, int32_t code)
{
    struct rd_op op = {.code = code};
    struct rd_token name;
    return take_species(d, &name) && rd_symbol_species(&d->source, &name, d->scope, &op.index) &&
           rd_builder_put(d, op) && take_sign(d, ")", "')'");
}

/* Reads total(A), or total(A, cell). */
static bool read_total(struct rd_builder *d)
{
    struct rd_op op = {.code = RD_OP_TOTAL};
    struct rd_token name;
    int32_t region = -1;
    if (!take_species(d, &name) || !rd_symbol_species(&d->source, &name, d->scope, &op.index))
        return false;
    if (take_if(d, ",") &&
        !(take_region(d, &name) && rd_symbol_region(&d->source, &name, d->scope, &region)))
        return false;
    op.index += RD_TOTALS_SPAN * (region + 1);
    return rd_builder_put(d, op) && take_sign(d, ")", region < 0 ? "',' or ')'" : "')'");
}

/* Reads voxels(cell), volume(cell) or area(membrane), which are constants. */
static bool read_extent(struct rd_builder *d, enum rd_form form)
{
    struct rd_token name;
    struct rd_op op;
    return take_region(d, &name) && rd_symbol_extent(&d->source, &name, d->scope, form, &op) &&
           rd_builder_put(d, op) && take_sign(d, ")", "')'");
}

/* Reads look(table, index). */
static bool read_look(struct rd_builder *d)
{
    const struct rd_token name = take_token(d);
    int32_t table;
    return rd_symbol_table(&d->source, &name, d->scope, &table) && take_sign(d, ",", "','") &&
           read_level(d, LEVEL_OR) && rd_builder_put_look(d, &name, table) &&
           take_sign(d, ")", closing);
}

/* Reads gradient_x(food), or gradient(food), along the axis of the scope; of a species the slope of
   its number, or of its concentration [A]. */
static bool read_gradient(struct rd_builder *d, const struct rd_token *call, enum rd_form form)
{
    const int axis =
        form == RD_FORM_GRADIENT ? d->scope->axis - 1 : (int)(form - RD_FORM_GRADIENT_X);
    const bool divides = take_if(d, "[");
    const struct rd_token name = take_token(d);
    const bool is_species = divides || rd_symbol_is_species(&name, d->scope);
    struct rd_op op;
    if (name.kind != RD_TOKEN_NAME)
        return rd_token_expected(&d->source, &name, "the name of a field or species");
    const bool is_allowed =
        is_species
            ? rd_symbol_check_allowed(&d->source, &name, d->scope->allowed, RD_OP_SLOPE_X)
            : rd_symbol_field(&d->source, &name, d->scope, RD_FIELD_COMPONENT_SLOPE + axis, &op);
    if (!is_allowed)
        return false;
    if (axis < 0)
        return rd_token_fail(&d->source, call,
                             "gradient() is a vector, which only one expression for all axes can "
                             "have; write gradient_x, gradient_y or gradient_z");
    d->is_vector |= form == RD_FORM_GRADIENT;
    return is_species ? read_slope_of(d, &name, RD_OP_SLOPE_X + axis, divides)
                      : rd_builder_put(d, op) && take_sign(d, ")", "')'");
}

/* Reads a summand. It has its own stack and attributes, since it is evaluated for each
   individual. */
static bool read_summand(struct rd_builder *d, int32_t *over)
{
    struct rd_scope scope = *d->scope;
    scope.self = 0;
    scope.allowed |= RD_USES_OWN;
    scope.allowed &= ~(unsigned)(RD_USES_SUMS | RD_USES_RANDOM);
    struct rd_builder inner = *d;
    inner.scope = &scope;
    inner.of = -1;
    inner.height = 0;
    const bool read = read_level(&inner, LEVEL_OR);
    d->token = inner.token;
    d->n = inner.n;
    d->n_looks = inner.n_looks;
    d->n_values = inner.n_values;
    d->is_vector = inner.is_vector;
    *over = inner.of;
    return read;
}

/* Reads sum(summand). */
static bool read_sum_of_list(struct rd_builder *d, const struct rd_token *name)
{
    const int32_t sum = d->n;
    if (d->n_sums++ == RD_SUMS_MOST)
        return rd_token_fail(&d->source, name, "the expression has more than %d sums; write fewer",
                             RD_SUMS_MOST);
    if (!rd_builder_put_code(d, RD_OP_SUM))
        return false;
    d->height--; /* OVER leaves no value besides that of SUM */
    if (!rd_builder_put_code(d, RD_OP_OVER) || !read_summand(d, &d->op[sum + 1].index) ||
        !take_sign(d, ")", closing))
        return false;
    if (d->op[sum + 1].index < 0)
        return rd_token_fail(
            &d->source, name,
            "this sum has no attribute of individuals; write one, as in sum(A.speed)");
    d->op[sum].value = d->n - 1 - sum;
    return true;
}

static bool read_call(struct rd_builder *d, const struct rd_token *name)
{
    const struct rd_function *const f = rd_symbol_function(&d->source, name, d->scope);
    if (!f)
        return false;
    take_token(d);
    switch (f->form) {
    case RD_FORM_IF:
        return read_if(d);
    case RD_FORM_PIECEWISE:
        return read_pieces(d);
    case RD_FORM_SLOPE:
        return read_slope(d, f->code);
    case RD_FORM_SPECIES:
        return read_mean_position(d, f->code);
    case RD_FORM_REGION:
        return read_region(d);
    case RD_FORM_SUM:
        return read_sum_of_list(d, name);
    case RD_FORM_TOTAL:
        return read_total(d);
    case RD_FORM_LOOK:
        return read_look(d);
    case RD_FORM_VOXELS:
    case RD_FORM_VOLUME:
    case RD_FORM_AREA:
        return read_extent(d, f->form);
    case RD_FORM_GRADIENT:
    case RD_FORM_GRADIENT_X:
    case RD_FORM_GRADIENT_Y:
    case RD_FORM_GRADIENT_Z:
        return read_gradient(d, name, f->form);
    default:
        return read_call_arguments(d, f);
    }
}

/* Reads walker.speed or parent.speed. */
static bool read_individual_attribute(struct rd_builder *d, const struct rd_token *whose)
{
    take_token(d);
    const struct rd_token name = take_token(d);
    struct rd_op op;
    int32_t species = -1;
    if (name.kind != RD_TOKEN_NAME)
        return rd_token_expected(&d->source, &name, "the name of an attribute");
    return rd_symbol_attribute(&d->source, whose, &name, d->scope, &op, &species) &&
           rd_builder_put_named(d, whose, op, species);
}

static bool read_scope_name(struct rd_builder *d)
{
    const struct rd_token name = take_token(d);
    struct rd_op op;
    if (rd_token_is(&d->token, "("))
        return read_call(d, &name);
    if (rd_token_is(&d->token, "."))
        return read_individual_attribute(d, &name);
    return rd_symbol_value(&d->source, &name, d->scope, &op) &&
           rd_builder_put_named(d, &name, op, d->scope->self - 1);
}

/* Reads [A]. */
static bool read_concentration(struct rd_builder *d)
{
    struct rd_token name;
    struct rd_op op;
    return take_species(d, &name) && take_sign(d, "]", "']'") &&
           rd_symbol_concentration(&d->source, &name, d->scope, &op) && rd_builder_put(d, op);
}

/* Returns whether the token is a unit, and no value of the model. */
static bool is_unit_token(const struct rd_builder *d, const struct rd_token *t)
{
    char name[24];
    snprintf(name, sizeof name, "%.*s", t->length, t->start);
    return t->kind == RD_TOKEN_NAME && (size_t)t->length < sizeof name && rd_units_has(name) &&
           !rd_expr_allows(d->scope, t->start, (size_t)t->length);
}

static bool read_number_token(struct rd_builder *d)
{
    /* strtod may read beyond the token ("0x1"), but then a name follows a number, which is
       refused. */
    const struct rd_token number = take_token(d);
    const double value = strtod(number.start, NULL);
    const char first = number.start[strspn(number.start, "0.")];
    const bool is_zero = first < '1' || first > '9';
    const bool is_hexadecimal = rd_token_is(&number, "0") && *d->token.start == 'x';
    if (is_unit_token(d, &d->token))
        return rd_token_fail(&d->source, &d->token,
                             "a quantity stands alone; make \"%.*s %.*s\" a parameter",
                             number.length, number.start, d->token.length, d->token.start);
    if (d->token.kind == RD_TOKEN_NAME && !infix_at(&d->token) && !is_hexadecimal)
        return rd_token_fail(&d->source, &d->token, "a name follows a number; write %.*s * %.*s",
                             number.length, number.start, d->token.length, d->token.start);
    if (value > DBL_MAX || (value < DBL_MIN && !is_zero))
        return rd_token_fail(&d->source, &number,
                             "this number is too %s; give one between 2.3e-308 and 1.7e308",
                             value > DBL_MAX ? "large" : "small");
    return rd_builder_put_constant(d, value);
}

static bool read_expr_operand(struct rd_builder *d)
{
    if (take_if(d, "-"))
        return read_level(d, LEVEL_SIGN) && rd_builder_put_code(d, RD_OP_NEGATE);
    if (take_if(d, "+"))
        return read_level(d, LEVEL_SIGN);
    if (take_if(d, "!"))
        return read_level(d, LEVEL_SIGN) && rd_builder_put_code(d, RD_OP_NOT);
    if (take_if(d, "not"))
        return read_level(d, LEVEL_NOT) && rd_builder_put_code(d, RD_OP_NOT);
    if (take_if(d, "("))
        return read_level(d, LEVEL_OR) && take_sign(d, ")", closing);
    if (take_if(d, "["))
        return read_concentration(d);
    if (d->token.kind == RD_TOKEN_NUMBER)
        return read_number_token(d);
    if (d->token.kind == RD_TOKEN_NAME && !infix_at(&d->token))
        return read_scope_name(d);
    return rd_token_expected(&d->source, &d->token, "a number, a name or '('");
}

/* Reads the right operand of `a or b`, after the left one: if(a, 1, b != 0). */
static bool read_right_of_or(struct rd_builder *d)
{
    int32_t unless, jump;
    return rd_builder_put_jump(d, RD_OP_UNLESS, &unless) && rd_builder_put_constant(d, 1) &&
           rd_builder_put_jump(d, RD_OP_JUMP, &jump) && read_level(d, LEVEL_AND) &&
           rd_builder_put_code(d, RD_OP_TRUTH) && rd_builder_join(d, unless, jump);
}

/* Reads the right operand of `a and b`, after the left one: if(a, b != 0, 0). */
static bool read_right_of_and(struct rd_builder *d)
{
    int32_t unless, jump;
    return rd_builder_put_jump(d, RD_OP_UNLESS, &unless) && read_level(d, LEVEL_NOT) &&
           rd_builder_put_code(d, RD_OP_TRUTH) && rd_builder_put_jump(d, RD_OP_JUMP, &jump) &&
           rd_builder_put_constant(d, 0) && rd_builder_join(d, unless, jump);
}

/* Reads the right operand of an operator. Operators of equal level are left-associative, but powers
   are right-associative. */
static bool read_right(struct rd_builder *d, const struct infix *i)
{
    switch (i->level) {
    case LEVEL_OR:
        return read_right_of_or(d);
    case LEVEL_AND:
        return read_right_of_and(d);
    case LEVEL_POWER:
        return read_level(d, LEVEL_POWER) && rd_builder_put_code(d, i->code);
    default:
        return read_level(d, i->level + 1) && rd_builder_put_code(d, i->code);
    }
}

/* Reads a value, and all operators of this level or tighter ones that follow it. */
static bool read_level(struct rd_builder *d, enum precedence_level level)
{
    if (d->nesting == RD_NESTING_MOST)
        return rd_token_fail(&d->source, &d->token,
                             "the expression is nested more than %d deep; write it flatter",
                             RD_NESTING_MOST);
    d->nesting++;
    if (!read_expr_operand(d))
        return false;
    bool is_compared = false;
    for (const struct infix *i; (i = infix_at(&d->token)) && i->level >= level;) {
        if (is_compared && i->level == LEVEL_COMPARE)
            return rd_token_fail(&d->source, &d->token,
                                 "comparisons do not chain; write 'a < b and b < c'");
        is_compared = i->level == LEVEL_COMPARE;
        take_token(d);
        if (!read_right(d, i))
            return false;
    }
    d->nesting--;
    return true;
}

bool rd_grammar_read(struct rd_expr *x, const char *text, const struct rd_scope *scope,
                     const char *place, struct rd_error *e)
{
    struct rd_builder d = {.source = {text, place, e}, .scope = scope, .op = x->op, .of = -1};
    d.token = rd_token_at(text);
    if (strlen(text) > RD_TEXT_MOST)
        return rd_token_fail(&d.source, &d.token,
                             "the expression has %zu characters; write at most %d", strlen(text),
                             RD_TEXT_MOST);
    if (!read_level(&d, LEVEL_OR))
        return false;
    if (d.token.kind != RD_TOKEN_END)
        return rd_token_expected(&d.source, &d.token, "an operator or the end");
    x->n = d.n;
    x->of = d.of;
    x->is_vector = d.is_vector;
    return true;
}
