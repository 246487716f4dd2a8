/* labels - reads one number for each voxel of the lattice from an HDF5 data set. */
#ifndef RD_HDF5_LABELS_H
#define RD_HDF5_LABELS_H

#include "base/error.h"

#include <stdint.h>

/* Reads element [z][y][x] of the data set into label[(z * size[1] + y) * size[0] + x]. Leading
   dimensions of 1 are optional. Messages begin with `which`. */
bool rd_store_labels(const char *path, const char *dataset, const int32_t size[3], int64_t *label,
                     const char *which, struct rd_error *e);
/* Does the same for numbers of any kind. */
bool rd_store_map(const char *path, const char *dataset, const int32_t size[3], double *value,
                  const char *which, struct rd_error *e);

/* Reads a data set of one dimension and at most `most` numbers into *value, which the caller frees,
   and their number into *n. */
bool rd_store_series(const char *path, const char *dataset, int64_t most, double **value,
                     int64_t *n, const char *which, struct rd_error *e);

#endif
