/* system - the equations N v = 0 of integers, with v >= 0 in columns that are not reversible: a
   cone of vectors. */
#ifndef RD_SYSTEM_H
#define RD_SYSTEM_H

#include "base/error.h"
#include "cone/sparse.h"

struct rd_system_column {
    struct rd_sparse net; /* rows */
    bool is_reversible;
    bool is_excluded; /* it must be 0 */
};

/* Holds the columns of N; the vectors v have N v = 0. A zero-initialised struct is empty. */
struct rd_system {
    int n_rows, n_columns;
    struct rd_system_column *column; /* owned */
};

/* Makes columns without entries. Returns false with a message if there is no memory. */
bool rd_system_open(struct rd_system *s, int n_rows, int n_columns, struct rd_error *e);
/* Makes the system of which the vectors are the rows; no column is reversible or excluded. */
bool rd_system_transpose(struct rd_system *s, const struct rd_sparse *row, int n_rows,
                         int n_columns, struct rd_error *e);
void rd_system_free(struct rd_system *s);

#endif
