/* theta - parameter values of each group of runs (`run.rows`); separate because model.h is long. */
#ifndef RD_MODEL_THETA_H
#define RD_MODEL_THETA_H

#include "hdf5/number_table.h"

#include <stddef.h>

/* Holds the table. Row r sets the parameters for the runs r * n_runs ... (r + 1) * n_runs - 1 of
   the ensemble. */
struct rd_theta {
    struct rd_number_table table; /* n_rows 0: the model has none */
    int *parameter;               /* [column]: its number in the model */
    int64_t n_runs;               /* of each row */
    bool shares_streams;          /* all rows have the random numbers of the first one */
    bool is_flat; /* only rates of mass action depend on the row: one plan simulates many rows */
};

struct rd_expr;
struct rd_reaction;

/* Returns whether the rate of the reaction is constant mass action in all voxels. Only such rates
   depend on the row if one plan simulates many rows. */
bool rd_theta_may_set(const struct rd_reaction *x);

/* Returns whether an expression that is the same in all voxels may differ between rows: it reads
   some parameter, since one may be computed from another. */
bool rd_theta_may_change(const struct rd_theta *t, const struct rd_expr *x);

/* Returns a row's value of the parameter; NULL if the table has no such column. */
static inline const double *rd_theta_value(const struct rd_theta *t, int64_t row, int parameter)
{
    for (int k = 0; k < t->table.n_columns; k++)
        if (t->parameter[k] == parameter)
            return &t->table.value[row * t->table.n_columns + k];
    return NULL;
}

#endif
