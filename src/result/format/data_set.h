/* data_set - one data set of the layout in a file: its chunks, creation, extension and
   selection. */
#ifndef RD_RESULT_FORMAT_DATA_SET_H
#define RD_RESULT_FORMAT_DATA_SET_H

#include "result/format/layout.h"

#include <hdf5.h>

hid_t rd_number_type(enum rd_number number); /* not to be closed */
size_t rd_number_size(enum rd_number number);
/* Returns the fill value: what a reader gets for values that were never written. */
const void *rd_number_fill(enum rd_number number);

/* Each creates a chunked, compressed data set in its group, negative on failure. That of a
   segment is empty; that of a result has length n along its growing axis. */
hid_t rd_set_segment(const struct rd_layout *l, hid_t file, const struct rd_series *s);
hid_t rd_set_result(const struct rd_layout *l, hid_t file, const struct rd_series *s, int64_t n);
/* Creates a data set with any creation property list. */
hid_t rd_set_create(hid_t file, const struct rd_series *s, hid_t space, hid_t plan);
/* Sets the length along the growing axis to n. */
bool rd_set_extend(const struct rd_layout *l, hid_t set, const struct rd_series *s, int64_t n);

/* Describes some runs and some rows (or times) of a series, with all values that the series has
   there. */
struct rd_slab {
    int64_t first_run, n_runs, first, n;
};
/* Selects the slab in a space of the series; returns false if HDF5 fails. */
bool rd_set_select(hid_t space, const struct rd_series *s, struct rd_slab slab);

/* Returns a data set creation property list with the fill value of the number type. */
hid_t rd_set_plan(enum rd_number number);
/* The first sets the lengths of the series' axes with n_runs runs and length n along its growing
   axis; the second returns a space of these lengths. */
void rd_set_lengths(const struct rd_layout *l, const struct rd_series *s, int64_t n_runs, int64_t n,
                    hsize_t length[RD_RANK_MOST]);
hid_t rd_set_space(const struct rd_layout *l, const struct rd_series *s, int64_t n_runs, int64_t n);

#endif
