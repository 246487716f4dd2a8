/* symbol - what the names in an expression stand for: values, functions, and the sentence about a
   name that stands for nothing, or may not stand here. */
#ifndef RD_EXPR_SYMBOL_H
#define RD_EXPR_SYMBOL_H

#include "expr/builtins.h"
#include "expr/expr.h"
#include "expr/token.h"

/* The operation that puts the value of the name t, or of the concentration [t]. */
bool rd_symbol_value(const struct rd_source *s, const struct rd_token *t,
                     const struct rd_scope *scope, struct rd_op *op);
bool rd_symbol_concentration(const struct rd_source *s, const struct rd_token *t,
                             const struct rd_scope *scope, struct rd_op *op);
/* The operation that puts the attribute `name` of `whose`: of the parent, or of a species, whose
   number is given then. */
bool rd_symbol_attribute(const struct rd_source *s, const struct rd_token *whose,
                         const struct rd_token *name, const struct rd_scope *scope,
                         struct rd_op *op, int32_t *species);
/* The number of the species of that name. */
bool rd_symbol_species(const struct rd_source *s, const struct rd_token *t,
                       const struct rd_scope *scope, int32_t *species);
/* The number of the region of that name. */
bool rd_symbol_region(const struct rd_source *s, const struct rd_token *t,
                      const struct rd_scope *scope, int32_t *region);
/* The operation that puts the facet of the field of that name. */
bool rd_symbol_field(const struct rd_source *s, const struct rd_token *t,
                     const struct rd_scope *scope, int field_component, struct rd_op *op);
/* The function of that name, or NULL with a sentence. */
const struct rd_function *rd_symbol_function(const struct rd_source *s, const struct rd_token *t,
                                             const struct rd_scope *scope);

#endif
