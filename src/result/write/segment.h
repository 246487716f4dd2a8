/* segment - the open segment: a temporary file with a data set for each series, to which rows
   are added. */
#ifndef RD_RESULT_WRITE_SEGMENT_H
#define RD_RESULT_WRITE_SEGMENT_H

#include "hdf5/temporary_file.h"
#include "result/format/layout.h"

struct rd_segment {
    const struct rd_layout *layout;
    struct rd_temporary_file temporary_file; /* its file is 0 while none is open */
    hid_t *set;                              /* owned: [series], 0 while none is open */
    int64_t *length;                         /* owned: [table], its rows in this segment */
    int threads;                             /* that compress */
};

/* Allocates g; no segment is open yet. */
bool rd_segment_make(struct rd_segment *g, const struct rd_layout *l, int threads,
                     struct rd_error *e);
void rd_segment_free(struct rd_segment *g);

/* Opens an empty segment; on failure none is open. */
bool rd_segment_open(struct rd_segment *g, const char *temporary, const char *path,
                     struct rd_error *e);
/* Writes n more values of series i behind the rows of its table. When all series have them, the
   caller adds them to the length of the table. */
bool rd_segment_append(struct rd_segment *g, int i, int64_t n, const void *values);
/* Closes the segment. If good, renames it to its path; otherwise removes it. */
bool rd_segment_publish(struct rd_segment *g, bool good, struct rd_error *e);

/* ---- individuals as columns: the values for each series, from a snapshot and from births and
   deaths ---- */

/* Returns the individuals of the species, which the snapshot must have. */
const struct rd_individuals *rd_rows_of(const struct rd_snapshot *now, int species);
/* Returns a number of bytes that is enough for any column of the snapshot. */
size_t rd_rows_bytes(const struct rd_model *m, const struct rd_snapshot *now);

/* Returns the number of individuals in the first runs. */
int64_t rd_rows_number(const struct rd_individuals *of, int64_t n_runs);
/* Returns one value for each individual; for RD_ROW_START and RD_ROW_COUNT, one for each of the
   first n_runs runs. first_row is the first row of the snapshot. The result is either the
   individuals' own array or `buffer`, which is filled. */
const void *rd_rows_state(const struct rd_model *m, const struct rd_individuals *of,
                          const struct rd_series *s, int64_t n_runs, int64_t first_row,
                          void *buffer);

/* The first returns how many of the n births and deaths belong to the table; the second writes
   one value for each of these into `buffer`. */
int64_t rd_rows_count(const struct rd_life *life, int64_t n, const struct rd_table *t);
void rd_rows_lives(const struct rd_model *m, const struct rd_life *life, int64_t n,
                   const struct rd_table *t, enum rd_variable_name name, void *buffer);

#endif
