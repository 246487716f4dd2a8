/* grammar - the text of an expression to the operations of law.h, by recursive descent. Knows the
   names, operators and precedences, and what to say of a text that does not follow them. */
#include "grammar.h"

#include "symbol.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

struct reader {
    struct rd_source source;
    const struct rd_scope *scope;
    struct rd_token token; /* the next one */
    struct rd_op *op;      /* n operations so far */
    int32_t n;
    int32_t height; /* how many values they leave on the stack */
    int nesting;    /* how many expressions this one lies within */
};

/* Operators, loosest first. The operands of one bind more tightly than it does. */
enum level {
    LEVEL_OR,
    LEVEL_AND,
    LEVEL_NOT,
    LEVEL_COMPARE,
    LEVEL_SUM,
    LEVEL_PRODUCT,
    LEVEL_SIGN, /* - + ! before a value */
    LEVEL_POWER
};

/* Operators between two values. */
static const struct infix {
    const char *spelling;
    enum level level;
    int32_t code; /* what comes after the second value */
} infixes[] = {
    {"or", LEVEL_OR, RD_OP_TRUTH},        {"||", LEVEL_OR, RD_OP_TRUTH},
    {"and", LEVEL_AND, RD_OP_TRUTH},      {"&&", LEVEL_AND, RD_OP_TRUTH},
    {"<", LEVEL_COMPARE, RD_OP_LESS},     {"<=", LEVEL_COMPARE, RD_OP_LESS_OR_EQUAL},
    {">", LEVEL_COMPARE, RD_OP_MORE},     {">=", LEVEL_COMPARE, RD_OP_MORE_OR_EQUAL},
    {"==", LEVEL_COMPARE, RD_OP_EQUAL},   {"!=", LEVEL_COMPARE, RD_OP_UNEQUAL},
    {"+", LEVEL_SUM, RD_OP_ADD},          {"-", LEVEL_SUM, RD_OP_SUBTRACT},
    {"*", LEVEL_PRODUCT, RD_OP_MULTIPLY}, {"/", LEVEL_PRODUCT, RD_OP_DIVIDE},
    {"^", LEVEL_POWER, RD_OP_POWER},
};

/* ---- the tokens ---- */

static struct rd_token take(struct reader *r)
{
    const struct rd_token taken = r->token;
    r->token = rd_token_at(taken.start + taken.length);
    return taken;
}

static bool take_if(struct reader *r, const char *spelling)
{
    const bool is = rd_token_is(&r->token, spelling);
    if (is)
        take(r);
    return is;
}

static bool take_sign(struct reader *r, const char *spelling, const char *expected)
{
    return take_if(r, spelling) || rd_token_expected(&r->source, &r->token, expected);
}

static const struct infix *infix_at(const struct rd_token *t)
{
    for (size_t i = 0; i < sizeof infixes / sizeof *infixes; i++)
        if (rd_token_is(t, infixes[i].spelling))
            return &infixes[i];
    return NULL;
}

/* ---- the program ---- */

static bool put(struct reader *r, struct rd_op op)
{
    if (r->n == RD_OPS_MOST)
        return rd_token_fail(&r->source, &r->token, "more than %d operations; write a shorter one",
                             RD_OPS_MOST);
    r->height += rd_op_lift(op.code);
    if (r->height > RD_LAW_DEPTH)
        return rd_token_fail(
            &r->source, &r->token,
            "more than %d values wait for their operators; write inner parts first", RD_LAW_DEPTH);
    r->op[r->n++] = op;
    return true;
}

static bool put_code(struct reader *r, int32_t code)
{
    return put(r, (struct rd_op){.code = code});
}

static bool put_constant(struct reader *r, double value)
{
    return put(r, (struct rd_op){.code = RD_OP_CONSTANT, .value = value});
}

/* The same, and says where it is: a jump gets its length from close_choice. */
static bool put_jump(struct reader *r, int32_t code, int32_t *where)
{
    *where = r->n;
    return put_code(r, code);
}

static bool close_choice(struct reader *r, int32_t unless, int32_t jump)
{
    rd_op_join(r->op, unless, jump, r->n);
    return true;
}

/* ---- the expression ---- */

static const char closing[] = "an operator or ')'";
static const char comma[] = "an operator or ','";

static bool read_level(struct reader *r, enum level level);

static bool read_values(struct reader *r, const struct rd_function *f)
{
    for (int values = 1; read_level(r, LEVEL_OR); values++) {
        if ((values > 1 || f->most == 1) && !put_code(r, f->code))
            return false;
        if (values < f->most && take_if(r, ","))
            continue;
        if (values >= f->least && take_if(r, ")"))
            return true;
        return rd_token_expected(&r->source, &r->token,
                                 values < f->least  ? "an operator or ',' and another value"
                                 : values < f->most ? "an operator, ',' or ')'"
                                                    : closing);
    }
    return false;
}

/* if(condition, value, otherwise) */
static bool read_if(struct reader *r)
{
    int32_t unless, jump;
    return read_level(r, LEVEL_OR) && take_sign(r, ",", comma) &&
           put_jump(r, RD_OP_UNLESS, &unless) && read_level(r, LEVEL_OR) &&
           take_sign(r, ",", comma) && put_jump(r, RD_OP_JUMP, &jump) && read_level(r, LEVEL_OR) &&
           take_sign(r, ")", closing) && close_choice(r, unless, jump);
}

static void reverse(struct rd_op *op, int32_t n)
{
    for (int32_t i = 0; i < n / 2; i++) {
        const struct rd_op first = op[i];
        op[i] = op[n - 1 - i];
        op[n - 1 - i] = first;
    }
}

/* Brings the n operations before the last `last` behind them. */
static void put_last_first(struct rd_op *op, int32_t n, int32_t last)
{
    reverse(op, n);
    reverse(op, last);
    reverse(op + last, n - last);
}

/* value1, condition1, value2, condition2, ..., otherwise): a value stands before its condition,
   but the condition is tried first. */
static bool read_pieces(struct reader *r)
{
    const int32_t value = r->n;
    if (!read_level(r, LEVEL_OR))
        return false;
    if (take_if(r, ")"))
        return true;
    const int32_t condition = r->n;
    int32_t unless, jump;
    r->height--;
    if (!take_sign(r, ",", "an operator, ',' or ')'") || !read_level(r, LEVEL_OR) ||
        !take_sign(r, ",", "an operator or ',' and a value"))
        return false;
    r->height++;
    if (!put_jump(r, RD_OP_UNLESS, &unless))
        return false;
    put_last_first(r->op + value, r->n - value, r->n - condition);
    unless -= condition - value;
    return put_jump(r, RD_OP_JUMP, &jump) && read_pieces(r) && close_choice(r, unless, jump);
}

static bool read_call(struct reader *r, const struct rd_token *name)
{
    const struct rd_function *const f = rd_symbol_function(&r->source, name, r->scope);
    if (!f)
        return false;
    take(r);
    switch (f->form) {
    case RD_FORM_IF:
        return read_if(r);
    case RD_FORM_PIECEWISE:
        return read_pieces(r);
    default:
        return read_values(r, f);
    }
}

static bool read_name(struct reader *r)
{
    const struct rd_token name = take(r);
    struct rd_op op;
    if (rd_token_is(&r->token, "("))
        return read_call(r, &name);
    return rd_symbol_value(&r->source, &name, r->scope, &op) && put(r, op);
}

/* [A] */
static bool read_concentration(struct reader *r)
{
    const struct rd_token name = take(r);
    struct rd_op op;
    if (name.kind != RD_TOKEN_NAME)
        return rd_token_expected(&r->source, &name, "the name of a species");
    return take_sign(r, "]", "']'") && rd_symbol_concentration(&r->source, &name, r->scope, &op) &&
           put(r, op);
}

static bool read_number(struct reader *r)
{
    /* strtod may read on into what is no part of the token ("0x1"), but then a name follows a
       number, which is refused. */
    const struct rd_token number = take(r);
    const double value = strtod(number.start, NULL);
    const char first = number.start[strspn(number.start, "0.")];
    const bool is_zero = first < '1' || first > '9';
    if (value > DBL_MAX || (value < DBL_MIN && !is_zero))
        return rd_token_fail(&r->source, &number,
                             "this number is too %s; between 2.3e-308 and 1.7e308 is possible",
                             value > DBL_MAX ? "large" : "small");
    return put_constant(r, value);
}

static bool read_operand(struct reader *r)
{
    if (take_if(r, "-"))
        return read_level(r, LEVEL_SIGN) && put_code(r, RD_OP_NEGATE);
    if (take_if(r, "+"))
        return read_level(r, LEVEL_SIGN);
    if (take_if(r, "!"))
        return read_level(r, LEVEL_SIGN) && put_code(r, RD_OP_NOT);
    if (take_if(r, "not"))
        return read_level(r, LEVEL_NOT) && put_code(r, RD_OP_NOT);
    if (take_if(r, "("))
        return read_level(r, LEVEL_OR) && take_sign(r, ")", closing);
    if (take_if(r, "["))
        return read_concentration(r);
    if (r->token.kind == RD_TOKEN_NUMBER)
        return read_number(r);
    if (r->token.kind == RD_TOKEN_NAME && !infix_at(&r->token))
        return read_name(r);
    return rd_token_expected(&r->source, &r->token, "a number, a name or '('");
}

/* The value before it is there already: a or b = if(a, 1, b != 0). */
static bool read_or(struct reader *r)
{
    int32_t unless, jump;
    return put_jump(r, RD_OP_UNLESS, &unless) && put_constant(r, 1) &&
           put_jump(r, RD_OP_JUMP, &jump) && read_level(r, LEVEL_AND) && put_code(r, RD_OP_TRUTH) &&
           close_choice(r, unless, jump);
}

/* a and b = if(a, b != 0, 0) */
static bool read_and(struct reader *r)
{
    int32_t unless, jump;
    return put_jump(r, RD_OP_UNLESS, &unless) && read_level(r, LEVEL_NOT) &&
           put_code(r, RD_OP_TRUTH) && put_jump(r, RD_OP_JUMP, &jump) && put_constant(r, 0) &&
           close_choice(r, unless, jump);
}

/* What stands right of an operator. Of equals the left goes first, but of powers the right. */
static bool read_right(struct reader *r, const struct infix *i)
{
    switch (i->level) {
    case LEVEL_OR:
        return read_or(r);
    case LEVEL_AND:
        return read_and(r);
    case LEVEL_POWER:
        return read_level(r, LEVEL_POWER) && put_code(r, i->code);
    default:
        return read_level(r, i->level + 1) && put_code(r, i->code);
    }
}

/* A value, and all that follows it with operators of this level or tighter ones. */
static bool read_level(struct reader *r, enum level level)
{
    if (r->nesting == RD_NESTING_MOST)
        return rd_token_fail(&r->source, &r->token, "nested more than %d deep; write it flatter",
                             RD_NESTING_MOST);
    r->nesting++;
    if (!read_operand(r))
        return false;
    bool is_compared = false;
    for (const struct infix *i; (i = infix_at(&r->token)) && i->level >= level;) {
        if (is_compared && i->level == LEVEL_COMPARE)
            return rd_token_fail(&r->source, &r->token,
                                 "comparisons do not chain; write 'a < b and b < c'");
        is_compared = i->level == LEVEL_COMPARE;
        take(r);
        if (!read_right(r, i))
            return false;
    }
    r->nesting--;
    return true;
}

bool rd_grammar_read(struct rd_op *op, int32_t *n, const char *text, const struct rd_scope *scope,
                     const char *place, struct rd_error *e)
{
    struct reader r = {.source = {text, place, e}, .scope = scope, .op = op};
    r.token = rd_token_at(text);
    if (strlen(text) > RD_TEXT_MOST)
        return rd_token_fail(&r.source, &r.token, "%zu characters long; at most %d are possible",
                             strlen(text), RD_TEXT_MOST);
    if (!read_level(&r, LEVEL_OR))
        return false;
    if (r.token.kind != RD_TOKEN_END)
        return rd_token_expected(&r.source, &r.token, "an operator or the end");
    *n = r.n;
    return true;
}
