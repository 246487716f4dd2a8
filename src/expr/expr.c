/* expr - a compiled expression from its text to its last use. The grammar reads the text; the
   binding here puts parameters in and computes what is constant. */
#include "expr.h"

#include "grammar.h"
#include "symbol.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned uses_of(const struct rd_op *op, int32_t n)
{
    unsigned uses = 0;
    for (int32_t i = 0; i < n; i++)
        uses |= rd_symbol_uses(op[i].code);
    return uses;
}

/* An expression with room for n operations and a copy of text; false with a sentence. */
static bool make(struct rd_expr *x, int32_t n, const char *text, struct rd_error *e)
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
    struct rd_op *const op = malloc(RD_OPS_MOST * sizeof *op);
    if (!op)
        return rd_fail(e, "%s: out of memory for an expression", place);
    int32_t n;
    const bool read = rd_grammar_read(op, &n, text, scope, place, e) && make(x, n, text, e);
    if (read) {
        memcpy(x->op, op, (size_t)n * sizeof *op);
        x->n = n;
        x->uses = uses_of(op, n);
    }
    free(op);
    return read;
}

static struct rd_op constant(double v)
{
    return (struct rd_op){.code = RD_OP_CONSTANT, .value = v};
}

bool rd_expr_constant(struct rd_expr *x, double v, struct rd_error *e)
{
    char text[32];
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, v);
        if (strtod(text, NULL) == v)
            break;
    }
    if (!make(x, 1, text, e))
        return false;
    x->op[x->n++] = constant(v);
    return true;
}

struct binding {
    const struct rd_op *from;
    const double *parameter;
    const int32_t *species;
    struct rd_op *op; /* n operations so far */
    int32_t n;
    int32_t start[RD_LAW_DEPTH]; /* where the program of each value on the stack begins */
    int32_t height;
};

/* Whether the program from op[start] on is so many constants, and nothing else. */
static bool is_constant(const struct binding *b, int32_t start, int32_t n)
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
    if (op.code == RD_OP_PARAMETER)
        return constant(b->parameter[op.index]);
    if (b->species && (rd_symbol_uses(op.code) & RD_USES_COUNTS))
        op.index = b->species[op.index];
    return op;
}

/* Adds an operation that is no jump; of constants alone, its result. */
static void bind_one(struct binding *b, struct rd_op op)
{
    const int32_t takes = 1 - rd_op_lift(op.code);
    b->height -= takes;
    const int32_t start = takes ? b->start[b->height] : b->n;
    const bool known = takes && is_constant(b, start, takes);
    b->start[b->height++] = start;
    b->op[b->n++] = bound(b, op);
    if (known) {
        const double value = rd_law(b->op + start, b->n - start, &(struct rd_scene){0});
        b->n = start;
        b->op[b->n++] = constant(value);
    }
}

static void bind_range(struct binding *b, int32_t i, int32_t end);

/* Adds the choice whose UNLESS is from[unless], and gives its end; of a known condition, only
   the branch that is taken. */
static int32_t bind_choice(struct binding *b, int32_t unless)
{
    const int32_t jump = unless + b->from[unless].index;
    const int32_t end = jump + 1 + b->from[jump].index;
    const int32_t condition = b->start[--b->height];
    if (is_constant(b, condition, 1)) {
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

static void bind_range(struct binding *b, int32_t i, int32_t end)
{
    while (i < end) {
        if (b->from[i].code == RD_OP_UNLESS)
            i = bind_choice(b, i);
        else
            bind_one(b, b->from[i++]);
    }
}

bool rd_expr_bind(struct rd_expr *to, const struct rd_expr *from, const double *parameter,
                  const int32_t *species, struct rd_error *e)
{
    if (from->n == 0)
        return rd_expr_constant(to, 0, e);
    if (!make(to, from->n, from->text, e))
        return false;
    struct binding b = {.from = from->op, .parameter = parameter, .species = species, .op = to->op};
    bind_range(&b, 0, from->n);
    to->n = b.n;
    to->uses = uses_of(to->op, to->n);
    return true;
}

double rd_expr_value(const struct rd_expr *x, const struct rd_scene *at)
{
    return rd_law(x->op, x->n, at);
}

void rd_expr_free(struct rd_expr *x)
{
    free(x->op);
    free(x->text);
    *x = (struct rd_expr){0};
}
