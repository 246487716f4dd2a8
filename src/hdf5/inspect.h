/* inspect - checks an HDF5 file of unknown origin before its values are read. HDF5 itself opens
   every other file that a data set names, and allocates as much memory for a chunk as the file
   claims. */
#ifndef RD_HDF5_INSPECT_H
#define RD_HDF5_INSPECT_H

#include <hdf5.h>
#include <stdbool.h>

/* Limits the memory of one read, in bytes, since a chunk is read as a whole. rdsim itself writes
   chunks of about 1 MiB. */
#define RD_CHUNK_MOST (64.0 * 1024 * 1024)

/* Checks that a data set has its values in its own file, in chunks of at most chunk_most bytes.
   Returns false otherwise, with a clause in why that says what is wrong and what to do. */
struct rd_why {
    char text[1024];
};
bool rd_inspect_check_set(hid_t set, double chunk_most, struct rd_why *why);

/* Returns whether the path of name passes an external link; then writes the clause about it. */
bool rd_inspect_has_link(hid_t file, const char *name, struct rd_why *why);

#endif
