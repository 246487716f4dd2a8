/* symbol - resolves the names in an expression (values, functions), and reports names that are
   unknown or not allowed. */
#ifndef RD_EXPR_SYMBOL_H
#define RD_EXPR_SYMBOL_H

#include "expr/builtins.h"
#include "expr/expr.h"
#include "expr/token.h"

/* Find the operation for the name t, or for the concentration [t]. */
bool rd_symbol_value(const struct rd_expr_source *s, const struct rd_token *t,
                     const struct rd_scope *scope, struct rd_op *op);
bool rd_symbol_concentration(const struct rd_expr_source *s, const struct rd_token *t,
                             const struct rd_scope *scope, struct rd_op *op);
/* Finds the operation for the attribute `name` of `whose`: of the parent, or of a species, whose
   number is returned then. */
bool rd_symbol_attribute(const struct rd_expr_source *s, const struct rd_token *whose,
                         const struct rd_token *name, const struct rd_scope *scope,
                         struct rd_op *op, int32_t *species);
/* Finds the number of the species of that name. */
bool rd_symbol_species(const struct rd_expr_source *s, const struct rd_token *t,
                       const struct rd_scope *scope, int32_t *species);
/* Returns whether the name is that of a species. */
bool rd_symbol_is_species(const struct rd_token *t, const struct rd_scope *scope);
/* Finds the number of the region of that name. */
bool rd_symbol_region(const struct rd_expr_source *s, const struct rd_token *t,
                      const struct rd_scope *scope, int32_t *region);
/* Finds the value of voxels(), volume() or area() for the region of that name. */
bool rd_symbol_extent(const struct rd_expr_source *s, const struct rd_token *t,
                      const struct rd_scope *scope, enum rd_form form, struct rd_op *op);
/* Finds the number of the table of that name. */
bool rd_symbol_table(const struct rd_expr_source *s, const struct rd_token *t,
                     const struct rd_scope *scope, int32_t *table);
/* Finds the operation for a component of the field of that name. */
bool rd_symbol_field(const struct rd_expr_source *s, const struct rd_token *t,
                     const struct rd_scope *scope, int field_component, struct rd_op *op);
/* Returns whether the operation of the name t is allowed here; reports it if not. */
bool rd_symbol_check_allowed(const struct rd_expr_source *s, const struct rd_token *t,
                             unsigned allowed, int32_t code);
/* Returns the function of that name, or NULL with a message. */
const struct rd_function *rd_symbol_function(const struct rd_expr_source *s,
                                             const struct rd_token *t,
                                             const struct rd_scope *scope);

#endif
