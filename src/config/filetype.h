/* filetype - identifies the format of a file that is not a configuration, by its first bytes. */
#ifndef RD_CONFIG_FILETYPE_H
#define RD_CONFIG_FILETYPE_H

#include <stdbool.h>
#include <stddef.h>

/* Returns the format and what to do with the file: "an SBML model; ..."; NULL: the bytes may be a
   configuration. */
const char *rd_filetype_of(const char *bytes, size_t n);

/* Returns whether an HDF5 file begins with these bytes, directly or after a user block (HDF5
   specification, II.A). */
bool rd_filetype_is_hdf5(const char *bytes, size_t n);

#endif
