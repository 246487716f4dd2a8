/* builtins - the predefined names of expressions (constants, functions, words), and what each of
   them reads. */
#ifndef RD_EXPR_BUILTINS_H
#define RD_EXPR_BUILTINS_H

#include "expr/expr.h"

/* Describes a value that needs no declaration. */
struct rd_constant {
    const char *name;
    struct rd_op op;
};

enum rd_form {
    RD_FORM_VALUES,
    RD_FORM_IF,
    RD_FORM_PIECEWISE,
    RD_FORM_SLOPE,
    RD_FORM_SPECIES,
    RD_FORM_REGION,
    RD_FORM_SUM,
    RD_FORM_GRADIENT,
    RD_FORM_GRADIENT_X,
    RD_FORM_GRADIENT_Y,
    RD_FORM_GRADIENT_Z,
    /* the names of these may also be those of parameters, species and fields: */
    RD_FORM_TOTAL,
    RD_FORM_VOXELS,
    RD_FORM_VOLUME,
    RD_FORM_AREA,
    RD_FORM_LOOK
};

/* Describes a function. With RD_FORM_VALUES it has `least` to `most` values, and the operation is
   applied after the only value, or after the second and each later one. grammar.c translates the
   other forms. */
struct rd_function {
    const char *name;
    enum rd_form form;
    int32_t code;
    int least, most;
};

/* Return function or constant number i; NULL after the last. */
const struct rd_function *rd_builtins_function(int i);
const struct rd_constant *rd_builtins_constant(int i);

int rd_builtins_n_functions(void);
int rd_builtins_n_constants(void);

/* Gives the word before the attribute of a parent, as in parent.speed. */
extern const char rd_builtins_parent[];

/* Returns whether a name is reserved in expressions: x, pi, sin, and ... */
bool rd_builtins_is_kept(const char *name);
/* Returns whether it is that of a value: x, t, pi ... A species may have such a name. */
bool rd_builtins_is_value(const char *name);

/* Returns what an operation reads, as RD_USES_ bits. */
unsigned rd_builtins_uses(int32_t code);

#endif
