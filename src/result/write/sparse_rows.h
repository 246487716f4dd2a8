/* sparse_rows - chooses the rows of counts that a group of the output records, or makes an array of
   them for a group that records one. */
#ifndef RD_RESULT_WRITE_SPARSE_ROWS_H
#define RD_RESULT_WRITE_SPARSE_ROWS_H

#include "result/format/layout.h"

/* Holds the rows of one group: those of its runs and species, with the numbers that the species
   have along its axis. A zero-initialised struct is empty. */
struct rd_sparse_rows {
    struct rd_sparse_counts counts; /* points into the arrays, or into the snapshot */
    int64_t *row_count, *row_start; /* owned, like the others: [run] */
    int64_t *voxel;
    int32_t *species, *count;
    int64_t capacity, n_runs;
};

/* Sets `to` to the rows of the table, the first of which becomes row number first_row. Returns
   false if memory is short. */
bool rd_sparse_rows_choose(struct rd_sparse_rows *to, const struct rd_sparse_counts *of,
                           const struct rd_table *t, int64_t first_row);
void rd_sparse_rows_free(struct rd_sparse_rows *r);
/* Returns the column of a variable. */
const void *rd_sparse_rows_column(const struct rd_sparse_rows *r, enum rd_variable_name name);

/* Writes the counts of the table's runs and species, [run][species][z][y][x]; -1 for excluded runs.
 */
void rd_sparse_rows_spread(const struct rd_sparse_counts *of, const struct rd_table *t,
                           int32_t *counts);

#endif
