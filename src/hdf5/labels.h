/* labels - numbers for the voxels of a grid from an HDF5 data set. */
#ifndef RD_HDF5_LABELS_H
#define RD_HDF5_LABELS_H

#include "base/error.h"

#include <stdint.h>

/* Reads element [z][y][x] of the data set into label[(z * size[1] + y) * size[0] + x]. Dimensions
   of 1 may be left out at the front, or stand there. Sentences begin with who asks. */
bool rd_store_labels(const char *path, const char *dataset, const int32_t size[3], int64_t *label,
                     const char *which, struct rd_error *e);
/* The same with numbers of any kind. */
bool rd_store_map(const char *path, const char *dataset, const int32_t size[3], double *value,
                  const char *which, struct rd_error *e);

#endif
