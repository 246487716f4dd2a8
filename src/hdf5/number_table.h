/* number_table - a table of numbers with named columns, from a file. */
#ifndef RD_HDF5_NUMBER_TABLE_H
#define RD_HDF5_NUMBER_TABLE_H

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

struct rd_number_table {
    char *file; /* owned */
    int n_columns;
    char **name; /* [column]: owned */
    int64_t n_rows;
    double *value; /* [row][column]: finite */
};

/* Reads the table from comma-separated values with a line of names; or from an HDF5 file with a
   data set for each column, in the group /rows if it has one. Returns false with messages if it has
   none, or other numbers than finite ones. rd_number_table_free frees it in any case. */
bool rd_number_table_read(struct rd_number_table *t, const char *file, struct rd_error *e);
void rd_number_table_free(struct rd_number_table *t);

#endif
