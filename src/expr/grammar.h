/* grammar - translates the text of an expression into the operations of kernels/core/eval.h, by
   recursive descent. It defines the operators and their precedence, and reports syntax errors. */
#ifndef RD_EXPR_GRAMMAR_H
#define RD_EXPR_GRAMMAR_H

#include "expr/expr.h"

/* Set limits that exclude overflows: characters, operations, nesting. */
enum { RD_TEXT_MOST = 65536, RD_OPS_MOST = 4096, RD_NESTING_MOST = 256 };

/* Writes the program to x->op, which has room for RD_OPS_MOST operations; sets n, of and is_vector.
   Sums are not yet numbered. */
bool rd_grammar_read(struct rd_expr *x, const char *text, const struct rd_scope *scope,
                     const char *place, struct rd_error *e);

#endif
