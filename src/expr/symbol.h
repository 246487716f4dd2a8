/* symbol - what the names in an expression stand for: values, functions, and the sentence about a
   name that stands for nothing, or may not stand here. */
#ifndef RD_SYMBOL_H
#define RD_SYMBOL_H

#include "expr.h"
#include "token.h"

enum rd_form {
    RD_FORM_VALUES,
    RD_FORM_IF,
    RD_FORM_PIECEWISE,
    RD_FORM_SLOPE,
    RD_FORM_REGION,
    RD_FORM_SUM
};

/* A function takes `least` to `most` values. With RD_FORM_VALUES the operation follows the only
   one, or the second and each later one; what the other forms make of it is the grammar's. */
struct rd_function {
    const char *name;
    enum rd_form form;
    int32_t code;
    int least, most;
};

/* The name of function number i, or NULL after the last. */
const char *rd_symbol_function_name(int i);

/* Whether expressions keep the name for themselves: x, pi, sin, and ... */
bool rd_symbol_is_kept(const char *name);

/* What an operation looks at: RD_USES_ bits. */
unsigned rd_symbol_uses(int32_t code);

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
/* The function of that name, or NULL with a sentence. */
const struct rd_function *rd_symbol_function(const struct rd_source *s, const struct rd_token *t,
                                             const struct rd_scope *scope);

#endif
