/* formula - what the tests of expressions share: names in scope, a scene to evaluate in, and an
   expression's value or the sentence about it. */
#ifndef RD_FORMULA_H
#define RD_FORMULA_H

#include "expr.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum {
    USES_ALL = RD_USES_PARAMETERS | RD_USES_SPACE | RD_USES_TIME | RD_USES_COUNTS | RD_USES_VOLUME
};

static char *const parameter_names[] = {"k", "vmax", "km"};
static char *const species_names[] = {"A", "S", "Enzyme"};
static const double parameters[] = {0.25, 2, 5};
static const int32_t counts[] = {7, 3, 0, 0, 0, 0}; /* every other one, as with two cells */
static const struct rd_scope scope = {3, parameter_names, 3, species_names, USES_ALL};
static const struct rd_scene scene = {.x = 1.5,
                                      .y = -2,
                                      .z = 4,
                                      .t = 10,
                                      .volume = 0.5,
                                      .parameter = parameters,
                                      .count = counts,
                                      .stride = 1};

static inline struct rd_expr compiled(const char *text)
{
    struct rd_error e = {0};
    struct rd_expr x;
    if (!rd_expr_compile(&x, text, &scope, "a.cfg:1: law", &e))
        fail_msg("%s", e.text);
    return x;
}

static inline struct rd_expr bound(const struct rd_expr *x)
{
    struct rd_error e = {0};
    struct rd_expr y;
    assert_true(rd_expr_bind(&y, x, parameters, NULL, &e));
    return y;
}

static inline double value_of(const char *text)
{
    struct rd_expr x = compiled(text);
    const double value = rd_expr_value(&x, &scene);
    rd_expr_free(&x);
    return value;
}

/* Equal to the bit, but all that is not a number is alike. */
static inline bool is_same(double a, double b)
{
    return (a != a && b != b) || memcmp(&a, &b, sizeof a) == 0;
}

#endif
