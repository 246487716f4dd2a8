/* series - reads all numbers of an HDF5 data set of unknown origin that has one dimension. */
#include "hdf5/series.h"

#include "hdf5/chunks.h"
#include "hdf5/hdf5_file.h"
#include "hdf5/numbers.h"

#include <stdlib.h>

bool rd_series_check_storage(hid_t set, int64_t n, struct rd_why *why)
{
    const hid_t type = H5Dget_type(set);
    const double bytes = (double)n * (double)H5Tget_size(type);
    rd_h5_drop(type);
    return rd_inspect_check_set(set, bytes > RD_CHUNK_MOST ? bytes : RD_CHUNK_MOST, why) &&
           rd_chunks_check(set, why);
}

/* Sets *n to the length of the data set. */
static bool find_length(hid_t set, int64_t most, int64_t *n, const char *place, struct rd_error *e)
{
    hsize_t length[H5S_MAX_RANK] = {0};
    const hid_t space = H5Dget_space(set);
    const int rank = H5Sget_simple_extent_ndims(space);
    H5Sget_simple_extent_dims(space, length, NULL);
    rd_h5_drop(space);
    *n = (int64_t)length[0];
    return (rank == 1 && length[0] >= 1 && length[0] <= (hsize_t)most) ||
           rd_fail(e,
                   "%s has %d dimensions and %llu numbers; give it one dimension of 1 to %lld "
                   "numbers",
                   place, rank, (unsigned long long)(rank > 0 ? length[0] : 0), (long long)most);
}

bool rd_series_read(hid_t set, int64_t most, double **value, int64_t *n, const char *place,
                    struct rd_error *e)
{
    struct rd_why why = {""};
    const enum rd_number_kind kind = set >= 0 ? rd_numbers_kind(set) : RD_NUMBERS_NONE;
    *value = NULL;
    if (kind == RD_NUMBERS_NONE)
        return rd_fail(e, "%s has no numbers; name another data set, or leave it out", place);
    if (!find_length(set, most, n, place, e))
        return false;
    if (!rd_series_check_storage(set, *n, &why))
        return rd_fail(e, "%s %s", place, why.text);
    *value = calloc((size_t)*n, sizeof **value);
    if (!*value)
        return rd_fail(e, "%s: out of memory for %lld numbers", place, (long long)*n);
    if (!rd_numbers_read(set, kind, H5S_ALL, H5S_ALL, *value))
        return rd_h5_fail(e, place, "cannot be read");
    return rd_numbers_real(*value, *n, kind) == *n ||
           rd_fail(e,
                   "%s has an integer that 64-bit floating point does not have; store real numbers",
                   place);
}
