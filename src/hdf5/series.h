/* series - reads all numbers of an HDF5 data set of unknown origin that has one dimension. */
#ifndef RD_HDF5_SERIES_H
#define RD_HDF5_SERIES_H

#include "base/error.h"
#include "hdf5/inspect.h"

#include <stdint.h>

/* Checks how a data set with n numbers is stored. A chunk may have as many bytes as all of them, if
   that exceeds the general limit. Returns false otherwise, with a clause in why that says what is
   wrong and what to do. */
bool rd_series_check_storage(hid_t set, int64_t n, struct rd_why *why);

/* Reads a data set of 1 to `most` numbers into *value, which the caller frees in any case, and
   their number into *n. Messages begin with `place`. */
bool rd_series_read(hid_t set, int64_t most, double **value, int64_t *n, const char *place,
                    struct rd_error *e);

#endif
