/* program_builder - an expression's program while its text is read: what it has so far, how much of
   the stack that needs, and the sentence about too much of it. */
#ifndef RD_EXPR_PROGRAM_BUILDER_H
#define RD_EXPR_PROGRAM_BUILDER_H

#include "expr/expr.h"
#include "expr/token.h"

struct rd_builder {
    struct rd_source source;
    const struct rd_scope *scope;
    struct rd_token token; /* the next one */
    struct rd_op *op;      /* n operations so far, of RD_OPS_MOST */
    int32_t n;
    int32_t height; /* how many values they leave on the stack */
    int32_t of;     /* the species of individuals whose attributes they put, or -1 */
    int n_sums;
    bool is_vector; /* there was a gradient() */
    int nesting;    /* how many expressions the one being read lies within */
};

bool rd_builder_put(struct rd_builder *d, struct rd_op op);
bool rd_builder_put_code(struct rd_builder *d, int32_t code);
bool rd_builder_put_constant(struct rd_builder *d, double value);
/* Puts what the token t stands for; attributes of individuals must all be of one species. */
bool rd_builder_put_named(struct rd_builder *d, const struct rd_token *t, struct rd_op op,
                          int32_t species);
/* The same as put_code, and says where it is: a jump gets its length when the choice is joined. */
bool rd_builder_put_jump(struct rd_builder *d, int32_t code, int32_t *where);
/* The choice of the jumps at op[unless] and op[jump] ends here; gives true. */
bool rd_builder_join(struct rd_builder *d, int32_t unless, int32_t jump);

#endif
