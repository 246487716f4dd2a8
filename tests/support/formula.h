/* formula - helpers for tests of expressions: names in scope, an evaluation context with some
   individuals, and the value of an expression. */
#ifndef RD_FORMULA_H
#define RD_FORMULA_H

#include "expr/expr.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum {
    USES_RATE = RD_USES_PARAMETERS | RD_USES_SPACE | RD_USES_TIME | RD_USES_COUNTS | RD_USES_VOLUME,
    USES_ALL = USES_RATE | RD_USES_OWN | RD_USES_PARENT | RD_USES_RANDOM | RD_USES_SUMS |
               RD_USES_SLOPES | RD_USES_FIELDS | RD_USES_VARYING | RD_USES_MEANS | RD_USES_TOTALS
};
enum { WALKER = 3, ANT, N_INDIVIDUALS = 3 };

static char *const parameter_names[] = {"k", "vmax", "km"};
static char *const species_names[] = {"A", "S", "Enzyme", "walker", "ant"};
static char *const walker_names[] = {"speed", "turn"};
static char *const ant_names[] = {"age"};
static const struct rd_names attributes[] = {{0}, {0}, {0}, {2, walker_names}, {1, ant_names}};
static char *const field_names[] = {"food", "light", "tide", "later"};
static const double parameters[] = {0.25, 2, 5};
static char *const region_names[] = {"cell", "skin"};
static const struct rd_extent extents[] = {{.voxels = 12, .size = 6},
                                           {.voxels = 7, .is_surface = true, .size = 4.5}};
static const int64_t totals[] = {11, 0, 5}; /* as numbered by a model */
static const bool field_varies[] = {false, false, true, false};
static const double tides[] = {[8] = 2.5, -4, 0.125, 9};
static const double means[] = {1, 2, 3, [9] = 10, 20, 30}; /* of A and of walkers */
static const double field_components[] = {0.75, 3, -2, 1, 6, -0.5, 0, 8};
/* Counts of the five species: A has 7, S has 3. */
static const int32_t counts[] = {7, 3, 0, 0, 0, 0};
static const struct rd_scope scope = {.n_parameters = 3,
                                      .parameter = parameter_names,
                                      .n_species = 5,
                                      .species = species_names,
                                      .n_regions = 2,
                                      .region = region_names,
                                      .extent = extents,
                                      .n_fields = 4,
                                      .n_fields_here = 3,
                                      .field_varies = field_varies,
                                      .field = field_names,
                                      .allowed = USES_ALL,
                                      .attributes = attributes,
                                      .self = WALKER + 1,
                                      .parents = {2, walker_names}};
/* [individual of the voxel][attribute]; each species of individuals has these. */
static const double individuals[N_INDIVIDUALS][2] = {{0.5, 2}, {1.25, -1}, {3, 0}};
static const struct rd_sight sight = {.ahead = {1, 2, 0}, .per_length = {0.5, 0.25, 1}};
static const struct rd_eval_context eval_context = {.x = 1.5,
                                                    .y = -2,
                                                    .z = 4,
                                                    .t = 10,
                                                    .volume = 0.5,
                                                    .parameter = parameters,
                                                    .count = counts,
                                                    .stride = 1,
                                                    .field = field_components,
                                                    .field_stride = 1,
                                                    .varying = tides,
                                                    .varying_stride = 1,
                                                    .mean = means,
                                                    .total = totals,
                                                    .own = individuals[1],
                                                    .own_stride = 1,
                                                    .parent = individuals[2],
                                                    .parent_stride = 1,
                                                    .sight = &sight};

static inline struct rd_expr compiled(const char *text)
{
    struct rd_error e = {0};
    struct rd_expr x;
    if (!rd_expr_compile(&x, text, &scope, "a.cfg:1: propensity", &e))
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

/* Computes sum number k of the expression over the individuals; returns false if there is no such
   sum. */
static inline bool summed(const struct rd_expr *x, int k, double *sum)
{
    struct rd_eval_context at = eval_context;
    const struct rd_op *op;
    int32_t species, n;
    if (!rd_expr_sums(x, k, &species, &op, &n))
        return false;
    assert_true(species == WALKER || species == ANT);
    *sum = 0;
    for (int i = 0; i < N_INDIVIDUALS; i++) {
        at.own = individuals[i];
        *sum += rd_eval(op, n, &at);
    }
    return true;
}

/* Returns the value in eval_context, with the sums, and with the same random numbers each time. */
static inline double value_in_eval_context(const struct rd_expr *x)
{
    struct rd_stream stream = rd_stream_of(1, 0, 0, RD_FOR_BIRTH, 0, 0);
    struct rd_eval_context at = eval_context;
    double sum[RD_SUMS_MOST];
    int n_sums = 0;
    while (summed(x, n_sums, &sum[n_sums]))
        n_sums++;
    at.sum = sum;
    at.stream = &stream;
    return rd_expr_value(x, &at);
}

static inline double value_of(const char *text)
{
    struct rd_expr x = compiled(text);
    const double value = value_in_eval_context(&x);
    rd_expr_free(&x);
    return value;
}

/* Returns whether a and b have the same bits; all NaNs are equal. */
static inline bool is_same(double a, double b)
{
    return (a != a && b != b) || memcmp(&a, &b, sizeof a) == 0;
}

#endif
