/* dimension - the dimension of a compiled expression in which some parameters are quantities. */
#ifndef RD_EXPR_DIMENSION_H
#define RD_EXPR_DIMENSION_H

#include "expr/expr.h"
#include "expr/units.h"

/* Names what is known about the dimension of a value. */
enum rd_measure_kind {
    RD_MEASURE_OPEN,    /* nothing: a plain parameter, field or attribute, which may have any */
    RD_MEASURE_NUMBER,  /* a number as written: pure in products, and it fits everywhere else */
    RD_MEASURE_NATURAL, /* that of x, t, volume, A or [A], while no quantity takes part */
    RD_MEASURE_QUANTITY /* that of quantities, which must fit */
};

struct rd_value_dimension {
    enum rd_measure_kind kind;
    struct rd_dimension dimension; /* of the last two kinds */
};

/* Holds what the dimension of an expression follows from. */
struct rd_measures {
    const struct rd_value_dimension *parameter; /* [parameter] */
    const double *value;                        /* [parameter]; for exponents */
    int axes;                                   /* of the space */
    const struct rd_lookup *table;              /* [table]: their units; may be NULL */
};

/* Finds the measure of an expression as it was compiled. Returns false if quantities in it do not
   fit together, and writes the fact and the advice into `why`. */
bool rd_expr_measure(const struct rd_expr *x, const struct rd_measures *of,
                     struct rd_value_dimension *measure, char *why, size_t bytes);

#endif
