/* inspect - looks through an HDF5 file that anyone may have made, before its values are read.
   HDF5 by itself opens whatever other file a data set names, and takes as much memory for a chunk
   as the file says. */
#ifndef RD_HDF5_INSPECT_H
#define RD_HDF5_INSPECT_H

#include "base/error.h"

#include <hdf5.h>

/* A chunk is read as a whole, so this bounds the memory of one read, in bytes; rdsim itself writes
   chunks of about 1 MiB. */
#define RD_CHUNK_MOST (64.0 * 1024 * 1024)

/* Checks that a data set has its values in its own file, in chunks of at most so many bytes. Else
   returns false, and in why a clause that says what is wrong and what to do. */
struct rd_why {
    char text[1024];
};
bool rd_foreign_check_set(hid_t set, double chunk_most, struct rd_why *why);

/* If the way to name leads through an external link, returns true, and the clause that says so. */
bool rd_foreign_has_link(hid_t file, const char *name, struct rd_why *why);

#endif
