/* diff_values - two data sets side by side, block by block: how many values differ, and which is
   the first. */
#ifndef RD_RESULT_READ_DIFF_VALUES_H
#define RD_RESULT_READ_DIFF_VALUES_H

#include "result/format/layout.h"

#include <hdf5.h>

struct rd_values {
    hid_t set[2]; /* open data sets of this rank, at least so long */
    int rank;
    hsize_t length[RD_RANK_MOST]; /* so much of them is compared */
    int first;                    /* the axis along which the first difference is sought */
    enum rd_number number;
    bool never_negative; /* so that what is was never written */
};

struct rd_difference {
    int64_t n;                /* how many values differ */
    hsize_t at[RD_RANK_MOST]; /* where the first one is */
    char value[2][32];        /* of it */
    bool is_missing[2];       /* something was never written there */
};

/* Compares to the bit, with memory for a few million values. False if HDF5 fails, or without
   memory. path is what the data set is called. */
bool rd_values_compare(const struct rd_values *v, struct rd_difference *d, const char *path,
                       struct rd_error *e);

#endif
