/* sparse_rows - chooses the rows of counts that a group of the output records, or makes an array of
   them for a group that records one. */
#ifndef RD_RESULT_WRITE_SPARSE_ROWS_H
#define RD_RESULT_WRITE_SPARSE_ROWS_H

#include "result/format/layout.h"

/* Holds the rows of one group: those of its runs and species, with the numbers that the species
   have along its axis. A zero-initialised struct is empty. */
struct rd_sparse_rows {
    const struct rd_sparse_counts *of; /* the snapshot, */
    const struct rd_table *table;      /* and what is chosen of it */
    int64_t at, end;                   /* rows of the snapshot that are to be chosen */
    int64_t *row_count, *row_start;    /* owned, like the others: [run] */
    int64_t *voxel;                    /* of the portion at hand */
    int32_t *species, *count;
    int64_t n_runs; /* for which there is memory */
};

/* Begins with the rows of the table, the first of which becomes row number first_row. Returns false
   if memory is short. Row counts and starts are then known. */
bool rd_sparse_rows_choose(struct rd_sparse_rows *to, const struct rd_sparse_counts *of,
                           const struct rd_table *t, int64_t first_row);
/* Chooses the next rows and returns their number; 0 after the last one. */
int64_t rd_sparse_rows_next(struct rd_sparse_rows *r);
void rd_sparse_rows_free(struct rd_sparse_rows *r);
/* Returns the column of a variable, in the portion at hand if it has a value for each row. */
const void *rd_sparse_rows_column(const struct rd_sparse_rows *r, enum rd_variable_name name);

/* Writes the counts of the table's runs and species, [run][species][z][y][x]; -1 for excluded runs.
 */
void rd_sparse_rows_spread(const struct rd_sparse_counts *of, const struct rd_table *t,
                           int32_t *counts);

#endif
