/* diff_values - compares two data sets block by block: how many values differ, and which is the
   first. */
#ifndef RD_RESULT_READ_DIFF_VALUES_H
#define RD_RESULT_READ_DIFF_VALUES_H

#include "result/format/layout.h"

#include <hdf5.h>

struct rd_values {
    hid_t set[2]; /* open data sets of this rank, at least of this length */
    int rank;
    hsize_t length[RD_RANK_MOST]; /* lengths of the part that is compared */
    int first;                    /* the axis along which the first difference is sought */
    enum rd_number number;
    bool never_negative; /* then a negative value was never written */
};

struct rd_difference {
    int64_t n;                /* number of values that differ */
    hsize_t at[RD_RANK_MOST]; /* place of the first difference */
    char value[2][32];        /* its two values */
    bool is_missing[2];       /* some value was never written there */
};

/* Compares to the bit, in blocks of about a million values. Returns false if HDF5 or the
   allocation fails. path is the name of the data set. */
bool rd_values_compare(const struct rd_values *v, struct rd_difference *d, const char *path,
                       struct rd_error *e);

#endif
