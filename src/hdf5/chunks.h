/* chunks - writes a part of a data set whose chunks several threads compress. */
#ifndef RD_HDF5_CHUNKS_H
#define RD_HDF5_CHUNKS_H

#include <hdf5.h>
#include <stdbool.h>

/* Writes the box of values that begins at first[axis] and has length[axis] values along each axis.
   The box consists of whole chunks, but for those that end at the extent. The file has the bytes
   that H5Dwrite would write. Returns false, perhaps after some chunks were written, if memory is
   short, a write fails, the box is one chunk or no whole chunks, or the data set has other filters
   than shuffle, deflate, Fletcher32. */
bool rd_chunks_write(hid_t set, const hsize_t first[], const hsize_t length[], const void *values,
                     int threads);

#endif
