/* data_set - one data set of the layout in a file: how it is cut into chunks, made, lengthened
   and selected. */
#ifndef RD_RESULT_FORMAT_DATA_SET_H
#define RD_RESULT_FORMAT_DATA_SET_H

#include "result/format/layout.h"

#include <hdf5.h>

hid_t rd_number_type(enum rd_number number); /* not to be closed */
size_t rd_number_size(enum rd_number number);
/* What stands where nothing was written. */
const void *rd_number_fill(enum rd_number number);

/* Each gives a chunked, compressed data set in its group, negative on failure: a segment's begins
   with nothing; in a result n long is what grows. */
hid_t rd_set_segment(const struct rd_layout *l, hid_t file, const struct rd_series *s);
hid_t rd_set_result(const struct rd_layout *l, hid_t file, const struct rd_series *s, int64_t n);
/* Likewise, by any plan. */
hid_t rd_set_create(hid_t file, const struct rd_series *s, hid_t space, hid_t plan);
/* What grows is n long now. */
bool rd_set_extend(const struct rd_layout *l, hid_t set, const struct rd_series *s, int64_t n);

/* Some runs, and some of what grows, and all that the series has there. */
struct rd_slab {
    int64_t first_run, n_runs, first, n;
};
/* Selects the slab in a space of the series; false if HDF5 fails. */
bool rd_set_select(hid_t space, const struct rd_series *s, struct rd_slab slab);

/* A data set creation plan that knows the value of what was never written. */
hid_t rd_set_plan(enum rd_number number);
/* The series' extent with so many runs, where n long is what grows. */
hid_t rd_set_space(const struct rd_layout *l, const struct rd_series *s, int64_t n_runs, int64_t n);

#endif
