/* program_builder - builds the program of an expression while its text is read, and limits its
   length and stack. */
#include "expr/program_builder.h"

#include "expr/grammar.h"

bool rd_builder_put(struct rd_builder *d, struct rd_op op)
{
    if (d->n - d->n_values == RD_OPS_MOST)
        return rd_token_fail(&d->source, &d->token,
                             "the expression has more than %d operations; write a shorter one",
                             RD_OPS_MOST);
    d->height += rd_op_height(op.code);
    if (d->height > RD_EVAL_DEPTH)
        return rd_token_fail(
            &d->source, &d->token,
            "more than %d values stand before their operators; write inner parts first",
            RD_EVAL_DEPTH);
    d->op[d->n++] = op;
    return true;
}

bool rd_builder_put_code(struct rd_builder *d, int32_t code)
{
    return rd_builder_put(d, (struct rd_op){.code = code});
}

bool rd_builder_put_constant(struct rd_builder *d, double value)
{
    return rd_builder_put(d, (struct rd_op){.code = RD_OP_CONSTANT, .value = value});
}

bool rd_builder_put_named(struct rd_builder *d, const struct rd_token *t, struct rd_op op,
                          int32_t species)
{
    if (op.code == RD_OP_OWN && d->of >= 0 && d->of != species)
        return rd_token_fail(&d->source, t,
                             "an attribute of '%s' stands before it; use attributes of one species",
                             d->scope->species[d->of]);
    if (op.code == RD_OP_OWN)
        d->of = species;
    return rd_builder_put(d, op);
}

bool rd_builder_put_jump(struct rd_builder *d, int32_t code, int32_t *where)
{
    *where = d->n;
    return rd_builder_put_code(d, code);
}

bool rd_builder_join(struct rd_builder *d, int32_t unless, int32_t jump)
{
    rd_op_join(d->op, unless, jump, d->n);
    return true;
}

static void reverse(struct rd_op *op, int32_t n)
{
    for (int32_t i = 0; i < n / 2; i++) {
        const struct rd_op first = op[i];
        op[i] = op[n - 1 - i];
        op[n - 1 - i] = first;
    }
}

void rd_builder_put_last_first(struct rd_op *op, int32_t n, int32_t last)
{
    reverse(op, n);
    reverse(op, last);
    reverse(op + last, n - last);
}

bool rd_builder_put_look(struct rd_builder *d, const struct rd_token *t, int32_t table)
{
    const struct rd_lookup *const x = &d->scope->table[table];
    if (d->n_looks++ == RD_LOOKS_MOST)
        return rd_token_fail(&d->source, t,
                             "the expression has more than %d values of tables; write fewer",
                             RD_LOOKS_MOST);
    if (d->height == RD_EVAL_DEPTH)
        return rd_token_fail(&d->source, t,
                             "more than %d values stand before their operators; write inner parts "
                             "first",
                             RD_EVAL_DEPTH - 1);
    const struct rd_op look = {
        .code = RD_OP_LOOK, .index = x->n, .value = 2.0 * table + (x->is_linear ? 1.0 : 0.0)};
    if (!rd_builder_put(d, look))
        return false;
    for (int32_t i = 0; i < x->n; i++)
        d->op[d->n++] = (struct rd_op){.code = RD_OP_CONSTANT, .value = x->value[i]};
    d->n_values += x->n;
    return true;
}
