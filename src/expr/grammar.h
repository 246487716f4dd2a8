/* grammar - the text of an expression to the operations of law.h, by recursive descent. Knows the
   names, operators and precedences, and what to say of a text that does not follow them. */
#ifndef RD_EXPR_GRAMMAR_H
#define RD_EXPR_GRAMMAR_H

#include "expr/expr.h"

/* More is refused, so that nothing overflows. */
enum { RD_TEXT_MOST = 65536, RD_OPS_MOST = 4096, RD_NESTING_MOST = 256 };

/* Writes the program to x->op, which has room for RD_OPS_MOST operations; sets n, and of. Sums have
   no numbers yet. */
bool rd_grammar_read(struct rd_expr *x, const char *text, const struct rd_scope *scope,
                     const char *place, struct rd_error *e);

#endif
