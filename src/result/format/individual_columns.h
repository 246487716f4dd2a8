/* individual_columns - individuals as columns: the values for each series, from a snapshot and
   from births and deaths. */
#ifndef RD_RESULT_FORMAT_INDIVIDUAL_COLUMNS_H
#define RD_RESULT_FORMAT_INDIVIDUAL_COLUMNS_H

#include "result/format/layout.h"

/* Returns the individuals of the species, which the snapshot must have. */
const struct rd_individuals *rd_rows_of(const struct rd_snapshot *now, int species);
/* Returns a number of bytes that is enough for any column of the snapshot. */
size_t rd_rows_capacity(const struct rd_model *m, const struct rd_snapshot *now);

/* Returns one value for each individual; for RD_ROW_START and RD_ROW_COUNT, one for each run.
   first_row is the first row of the snapshot. The result is either the individuals' own array or
   `capacity`, which is filled. */
const void *rd_rows_state(const struct rd_model *m, const struct rd_individuals *of,
                          const struct rd_series *s, int64_t first_row, void *buffer);

/* The first returns how many of the n births and deaths belong to the table; the second writes
   one value for each of these into `capacity`. */
int64_t rd_rows_count(const struct rd_life *life, int64_t n, const struct rd_table *t);
void rd_rows_lives(const struct rd_model *m, const struct rd_life *life, int64_t n,
                   const struct rd_table *t, enum rd_variable_name name, void *buffer);

#endif
