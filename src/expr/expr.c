/* expr - compiles, binds and evaluates expressions. The grammar reads the text; this file binds
   parameters and computes constant parts. */
#include "expr/expr.h"

#include "base/text.h"
#include "expr/builtins.h"
#include "expr/grammar.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Numbers the sums in their order and sets `uses`. of: the species whose attributes appear outside
   of sums, if any do. */
static void number_sums(struct rd_expr *x, int32_t of)
{
    int32_t n_sums = 0, end = 0; /* end of the last sum */
    x->uses = 0;
    x->of = -1;
    for (int32_t i = 0; i < x->n; i++) {
        struct rd_op *const op = &x->op[i];
        x->uses |= rd_builtins_uses(op->code);
        if (op->code == RD_OP_PARAMETER && op->value != 0)
            x->uses |= RD_USES_RUN_VALUES;
        if (op->code == RD_OP_OWN && i >= end)
            x->of = of;
        if (op->code == RD_OP_SUM) {
            op->index = n_sums++;
            end = i + 1 + (int32_t)op->value;
        }
    }
}

/* Makes an expression with room for n operations and a copy of text; false with a message. */
static bool make_expr(struct rd_expr *x, int32_t n, const char *text, struct rd_error *e)
{
    const size_t length = strlen(text);
    *x = (struct rd_expr){.op = malloc((size_t)n * sizeof *x->op), .text = malloc(length + 1)};
    if (!x->op || !x->text) {
        rd_expr_free(x);
        return rd_fail(e, "out of memory for an expression of %d operations", (int)n);
    }
    memcpy(x->text, text, length + 1);
    return true;
}

bool rd_expr_compile(struct rd_expr *x, const char *text, const struct rd_scope *scope,
                     const char *place, struct rd_error *e)
{
    *x = (struct rd_expr){0};
    int32_t longest = 0;
    for (int i = 0; i < scope->n_tables; i++)
        longest = scope->table[i].n > longest ? scope->table[i].n : longest;
    const size_t room = RD_OPS_MOST + RD_LOOKS_MOST * (size_t)longest;
    struct rd_expr wide = {.op = malloc(room * sizeof *wide.op)};
    if (!wide.op)
        return rd_fail(e, "%s: out of memory for an expression", place);
    const bool read =
        rd_grammar_read(&wide, text, scope, place, e) && make_expr(x, wide.n, text, e);
    if (read) {
        memcpy(x->op, wide.op, (size_t)wide.n * sizeof *wide.op);
        x->n = wide.n;
        x->is_vector = wide.is_vector;
        number_sums(x, wide.of);
    }
    free(wide.op);
    return read;
}

static struct rd_op constant_op(double v)
{
    return (struct rd_op){.code = RD_OP_CONSTANT, .value = v};
}

bool rd_expr_constant(struct rd_expr *x, double v, struct rd_error *e)
{
    char text[RD_NUMBER_BYTES];
    rd_text_number(v, text);
    if (!make_expr(x, 1, text, e))
        return false;
    x->op[x->n++] = constant_op(v);
    x->of = -1;
    return true;
}

struct binding {
    const struct rd_op *from;
    const double *parameter;
    const int32_t *species;
    struct rd_op *op; /* n operations so far */
    int32_t n;
    int32_t start[RD_EVAL_DEPTH]; /* first operation of each value on the stack */
    int32_t height;
};

/* Returns whether the program from op[start] on consists of exactly n constants. */
static bool is_all_constants(const struct binding *b, int32_t start, int32_t n)
{
    if (b->n - start != n)
        return false;
    for (int32_t i = start; i < b->n; i++)
        if (b->op[i].code != RD_OP_CONSTANT)
            return false;
    return true;
}

static struct rd_op bound(const struct binding *b, struct rd_op op)
{
    if (op.code == RD_OP_PARAMETER && op.value == 0)
        return constant_op(b->parameter[op.index]);
    const bool is_of_species =
        op.code == RD_OP_OVER ||
        (rd_builtins_uses(op.code) & (RD_USES_COUNTS | RD_USES_SLOPES | RD_USES_MEANS));
    if (b->species && is_of_species)
        op.index = b->species[op.index];
    return op;
}

/* Adds an operation that is neither UNLESS nor SUM. If all its operands are constant, adds its
   result instead, unless it also depends on something else, such as random numbers. */
static void bind_one(struct binding *b, struct rd_op op)
{
    const int32_t takes = 1 - rd_op_height(op.code);
    b->height -= takes;
    const int32_t start = takes ? b->start[b->height] : b->n;
    const bool known = takes && !rd_builtins_uses(op.code) && is_all_constants(b, start, takes);
    b->start[b->height++] = start;
    b->op[b->n++] = bound(b, op);
    if (known) {
        const double value = rd_eval(b->op + start, b->n - start, &(struct rd_eval_context){0});
        b->n = start;
        b->op[b->n++] = constant_op(value);
    }
}

static void bind_range(struct binding *b, int32_t i, int32_t end);

/* Adds the choice whose UNLESS is from[unless], and returns its end. If the condition is constant,
   adds only the branch that is taken. */
static int32_t bind_choice(struct binding *b, int32_t unless)
{
    const int32_t jump = unless + b->from[unless].index;
    const int32_t end = jump + 1 + b->from[jump].index;
    const int32_t condition = b->start[--b->height];
    if (is_all_constants(b, condition, 1)) {
        b->n = condition;
        if (b->op[condition].value != 0)
            bind_range(b, unless + 1, jump);
        else
            bind_range(b, jump + 1, end);
        return end;
    }
    const int32_t new_unless = b->n;
    b->op[b->n++] = b->from[unless];
    bind_range(b, unless + 1, jump);
    b->height--;
    const int32_t new_jump = b->n;
    b->op[b->n++] = b->from[jump];
    bind_range(b, jump + 1, end);
    b->start[b->height - 1] = condition;
    rd_op_join(b->op, new_unless, new_jump, b->n);
    return end;
}

/* Adds the sum at from[sum], and returns its end. The summand has a stack of its own. */
static int32_t bind_sum(struct binding *b, int32_t sum)
{
    const int32_t end = sum + 1 + (int32_t)b->from[sum].value, new_sum = b->n;
    b->start[b->height++] = new_sum;
    b->op[b->n++] = b->from[sum];
    b->op[b->n++] = bound(b, b->from[sum + 1]);
    struct binding summand = *b;
    summand.height = 0;
    bind_range(&summand, sum + 2, end);
    b->n = summand.n;
    b->op[new_sum].value = b->n - 1 - new_sum;
    return end;
}

/* Adds the value of a table at from[look], with the values, and returns its end. If the index is
   constant, adds the value only. */
static int32_t bind_look(struct binding *b, int32_t look)
{
    const int32_t end = look + 1 + b->from[look].index, start = b->start[b->height - 1];
    const bool known = is_all_constants(b, start, 1);
    for (int32_t i = look; i < end; i++)
        b->op[b->n++] = b->from[i];
    if (known) {
        const double value = rd_eval(b->op + start, b->n - start, &(struct rd_eval_context){0});
        b->n = start;
        b->op[b->n++] = constant_op(value);
    }
    return end;
}

static void bind_range(struct binding *b, int32_t i, int32_t end)
{
    while (i < end) {
        if (b->from[i].code == RD_OP_UNLESS)
            i = bind_choice(b, i);
        else if (b->from[i].code == RD_OP_SUM)
            i = bind_sum(b, i);
        else if (b->from[i].code == RD_OP_LOOK)
            i = bind_look(b, i);
        else
            bind_one(b, b->from[i++]);
    }
}

bool rd_expr_bind(struct rd_expr *to, const struct rd_expr *from, const double *parameter,
                  const int32_t *species, struct rd_error *e)
{
    if (from->n == 0)
        return rd_expr_constant(to, 0, e);
    if (!make_expr(to, from->n, from->text, e))
        return false;
    struct binding b = {.from = from->op, .parameter = parameter, .species = species, .op = to->op};
    bind_range(&b, 0, from->n);
    to->n = b.n;
    number_sums(to, species && from->of >= 0 ? species[from->of] : from->of);
    return true;
}

bool rd_expr_sums(const struct rd_expr *x, int k, int32_t *species, const struct rd_op **op,
                  int32_t *n)
{
    for (int32_t i = 0; i < x->n; i++) {
        if (x->op[i].code == RD_OP_SUM && x->op[i].index == k) {
            *species = x->op[i + 1].index;
            *op = x->op + i + 2;
            *n = (int32_t)x->op[i].value - 1;
            return true;
        }
    }
    return false;
}

bool rd_expr_times_volume(struct rd_expr *x, struct rd_error *e)
{
    const size_t bytes = strlen(x->text) + sizeof "() * volume";
    struct rd_op *const op = realloc(x->op, ((size_t)x->n + 2) * sizeof *op);
    if (op)
        x->op = op;
    char *const text = malloc(bytes);
    if (!op || !text) {
        free(text);
        return rd_fail(e, "out of memory for an expression of %d operations", (int)x->n + 2);
    }
    snprintf(text, bytes, "(%s) * volume", x->text);
    free(x->text);
    x->text = text;
    x->op[x->n++] = (struct rd_op){.code = RD_OP_VOLUME};
    x->op[x->n++] = (struct rd_op){.code = RD_OP_MULTIPLY};
    number_sums(x, x->of);
    return true;
}

bool rd_expr_has_factor(const struct rd_expr *x, int32_t species)
{
    bool has[RD_EVAL_DEPTH] = {false}; /* of each value on the stack */
    int32_t height = 0;
    for (int32_t i = 0; i < x->n; i++) {
        const struct rd_op *const op = &x->op[i];
        if (op->code == RD_OP_UNLESS) { /* the condition becomes the value of the choice */
            const int32_t jump = i + op->index;
            has[height - 1] = false;
            i = jump + x->op[jump].index;
        } else if (op->code == RD_OP_SUM) {
            has[height++] = false;
            i += (int32_t)op->value;
        } else if (op->code == RD_OP_LOOK) {
            has[height - 1] = false;
            i += op->index;
        } else if (rd_op_height(op->code) == 1) {
            has[height++] = (op->code == RD_OP_COUNT || op->code == RD_OP_CONCENTRATION) &&
                            op->index == species;
        } else if (rd_op_height(op->code) == 0) {
            has[height - 1] = has[height - 1] && op->code == RD_OP_NEGATE;
        } else {
            height--;
            const bool is_power =
                op->code == RD_OP_POWER && op[-1].code == RD_OP_CONSTANT && op[-1].value > 0;
            has[height - 1] = (op->code == RD_OP_MULTIPLY && (has[height - 1] || has[height])) ||
                              ((op->code == RD_OP_DIVIDE || is_power) && has[height - 1]);
        }
    }
    return height > 0 && has[0];
}

/* Returns the length of the operand that begins at s: brackets, or a name and its arguments. */
static size_t operand_length(const char *s)
{
    size_t n = strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.");
    int depth = 0;
    if (s[n] != '(' && (n > 0 || s[n] != '['))
        return n;
    do {
        depth += s[n] == '(' || s[n] == '[';
        depth -= s[n] == ')' || s[n] == ']';
        n += s[n] != 0;
    } while (depth > 0 && s[n]);
    return n;
}

/* Returns the first divisor at or after `at`, and its length; NULL if there is none. */
static const char *next_divisor(const char *at, int *length)
{
    at = at ? strchr(at, '/') : NULL;
    if (at)
        at += 1 + strspn(at + 1, " \t\r\n");
    *length = at ? (int)operand_length(at) : 0;
    return at;
}

static int shown_length(int length)
{
    return length < 60 ? length : 60;
}

void rd_expr_divisors(const struct rd_expr *x, char *text, size_t bytes)
{
    int length;
    *text = 0;
    for (const char *at = x->text; (at = next_divisor(at, &length)) != NULL;) {
        const size_t used = strlen(text);
        if (length > 0 && (*at < '0' || *at > '9') && *at != '.')
            snprintf(text + used, bytes - used, "%s%.*s",
                     used > 0 ? " and " : ", and it divides by ", shown_length(length), at);
    }
    const char *const look = strstr(x->text, "look(");
    const size_t used = strlen(text);
    if (look)
        snprintf(text + used, bytes - used, ", and it has %.*s",
                 shown_length((int)operand_length(look)), look);
}

/* Returns whether the text, a part of an expression, is known and 0. */
static bool is_known_zero(const char *text, int length, const struct rd_scope *scope,
                          unsigned known, const struct rd_eval_context *at)
{
    struct rd_error ignored = {0};
    struct rd_expr part = {0};
    char *const copy = malloc((size_t)length + 1);
    bool is = false;
    if (copy) {
        memcpy(copy, text, (size_t)length);
        copy[length] = 0;
        is = rd_expr_compile(&part, copy, scope, "", &ignored) && !(part.uses & ~known) &&
             rd_expr_value(&part, at) == 0;
    }
    rd_expr_free(&part);
    rd_error_free(&ignored);
    free(copy);
    return is;
}

void rd_expr_zero(const struct rd_expr *x, const struct rd_scope *scope, unsigned known,
                  const struct rd_eval_context *at, char *text, size_t bytes)
{
    int length;
    *text = 0;
    for (const char *part = x->text; (part = next_divisor(part, &length)) != NULL;)
        if (length > 0 && is_known_zero(part, length, scope, known, at)) {
            snprintf(text, bytes, ", since it divides by %.*s%s", shown_length(length), part,
                     *part == '0' ? "" : ", which is 0");
            return;
        }
}

/* Evaluates the index of the LOOK at op[look] of a copy of the program, which it changes. Returns
   false if that operation is not reached. */
static bool find_index(struct rd_op *op, int32_t n, int32_t look, const struct rd_eval_context *at,
                       double *index)
{
    const double mark = -123456789.0;
    const struct rd_op kept[2] = {op[look], op[look + 1]};
    op[look] = constant_op(mark); /* instead: a constant, and the end */
    op[look + 1] = (struct rd_op){.code = RD_OP_JUMP, .index = n - look - 2};
    const bool is_reached = rd_eval(op, n, at) == mark;
    op[look] = (struct rd_op){.code = RD_OP_JUMP, .index = n - look - 1};
    *index = is_reached ? rd_eval(op, n, at) : 0.0;
    op[look] = kept[0];
    op[look + 1] = kept[1];
    return is_reached;
}

void rd_expr_missed(const struct rd_expr *x, const struct rd_scope *scope, unsigned known,
                    const struct rd_eval_context *at, char *text, size_t bytes)
{
    struct rd_op *const op = malloc(((size_t)x->n + 1) * sizeof *op);
    *text = 0;
    if (op && x->n > 0 && !(x->uses & ~known))
        memcpy(op, x->op, (size_t)x->n * sizeof *op);
    for (int32_t i = 0; op && !*text && !(x->uses & ~known) && i < x->n; i++) {
        double index;
        if (op[i].code != RD_OP_LOOK)
            continue;
        const int32_t values = op[i].index;
        const struct rd_lookup *const t = &scope->table[(int32_t)op[i].value / 2];
        if (find_index(op, x->n, i, at, &index) && !rd_is_finite(rd_look(&op[i], index)))
            snprintf(text, bytes,
                     ", since look(%.60s, ...) has the index %.9g, and the table has %s from 0 to "
                     "%d",
                     t->name, index, t->is_linear ? "indices" : "integer indices", (int)values - 1);
        i += values;
    }
    free(op);
}

double rd_expr_value(const struct rd_expr *x, const struct rd_eval_context *at)
{
    return rd_eval(x->op, x->n, at);
}

bool rd_expr_is_finite(const struct rd_expr *x, const struct rd_eval_context *at)
{
    bool finite = true;
    for (int32_t n = 1; n <= x->n && finite; n++) {
        const double value = rd_eval(x->op, n, at);
        finite = value - value == 0;
    }
    return finite;
}

void rd_expr_free(struct rd_expr *x)
{
    free(x->op);
    free(x->text);
    *x = (struct rd_expr){0};
}
