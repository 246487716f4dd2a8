/* program_builder - builds the program of an expression while its text is read, and limits its
   length and stack. */
#ifndef RD_EXPR_PROGRAM_BUILDER_H
#define RD_EXPR_PROGRAM_BUILDER_H

#include "expr/expr.h"
#include "expr/token.h"

struct rd_builder {
    struct rd_expr_source source;
    const struct rd_scope *scope;
    struct rd_token token; /* the next token */
    struct rd_op *op;      /* n operations so far; room for rd_grammar_room of them */
    int32_t n;
    int32_t height; /* values that they leave on the stack */
    int32_t of;     /* species of the attributes so far, or -1 */
    int n_sums, n_looks;
    int32_t n_values; /* operations that are values of tables; the limit does not count them */
    bool is_vector;   /* a gradient() was read */
    int nesting;      /* number of expressions that enclose the present one */
};

bool rd_builder_put(struct rd_builder *d, struct rd_op op);
bool rd_builder_put_code(struct rd_builder *d, int32_t code);
bool rd_builder_put_constant(struct rd_builder *d, double value);
/* Adds the operation of token t; refuses attributes of two species in one expression. */
bool rd_builder_put_named(struct rd_builder *d, const struct rd_token *t, struct rd_op op,
                          int32_t species);
/* Adds a jump and returns its index; rd_builder_join sets its length. */
bool rd_builder_put_jump(struct rd_builder *d, int32_t code, int32_t *where);
/* Ends the choice of the jumps at op[unless] and op[jump] here; returns true. */
bool rd_builder_join(struct rd_builder *d, int32_t unless, int32_t jump);

/* Adds a value of a table, at the index on top of the stack. */
bool rd_builder_put_look(struct rd_builder *d, const struct rd_token *t, int32_t table);
/* Moves the last `last` operations before the n before them. */
void rd_builder_put_last_first(struct rd_op *op, int32_t n, int32_t last);

#endif
