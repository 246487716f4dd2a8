/* chunks - writes data sets whose chunks several threads compress, and checks compressed chunks of
   unknown origin. */
#ifndef RD_HDF5_CHUNKS_H
#define RD_HDF5_CHUNKS_H

#include "hdf5/inspect.h"

#include <hdf5.h>
#include <stdbool.h>

/* Writes the box of values that begins at first[axis] and has length[axis] values along each axis.
   The box consists of whole chunks, but for those that end at the extent. The file has the bytes
   that H5Dwrite would write. Returns false, perhaps after some chunks were written, if memory is
   short, a write fails, the box is one chunk or no whole chunks, or the data set has other filters
   than shuffle, deflate, Fletcher32. */
bool rd_chunks_write(hid_t set, const hsize_t first[], const hsize_t length[], const void *values,
                     int threads);

/* Checks that each stored chunk expands to the size of a chunk. HDF5 allocates as much memory as a
   deflate stream fills, and if a stream ends early it takes the other values from memory that was
   never set. The data set has passed rd_inspect_check_set. Returns false otherwise, with a clause
   in why that says what is wrong and what to do. */
bool rd_chunks_check(hid_t set, struct rd_why *why);

#endif
