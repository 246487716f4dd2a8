/* individual_columns - individuals as columns: what those of a snapshot, and those that are born or
   die, have for each series. */
#ifndef RD_RESULT_FORMAT_INDIVIDUAL_COLUMNS_H
#define RD_RESULT_FORMAT_INDIVIDUAL_COLUMNS_H

#include "result/format/layout.h"

/* The individuals of the species, which the snapshot has. */
const struct rd_individuals *rd_rows_of(const struct rd_snapshot *now, int species);
/* Bytes enough for any column of the snapshot. */
size_t rd_rows_capacity(const struct rd_model *m, const struct rd_snapshot *now);

/* One value for each individual; of RD_ROW_START, where the snapshot's first row is first_row, and
   of RD_ROW_COUNT for each run. Either the individuals' own array, or put into room. */
const void *rd_rows_state(const struct rd_model *m, const struct rd_individuals *of,
                          const struct rd_series *s, int64_t first_row, void *capacity);

/* How many of the n lives belong into the table, and one value for each of these in room. */
int64_t rd_rows_count(const struct rd_life *life, int64_t n, const struct rd_table *t);
void rd_rows_lives(const struct rd_model *m, const struct rd_life *life, int64_t n,
                   const struct rd_table *t, enum rd_variable_name name, void *capacity);

#endif
