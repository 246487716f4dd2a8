/* filetype - what a file that is no configuration is instead, by its first bytes. */
#ifndef RD_CONFIG_FILETYPE_H
#define RD_CONFIG_FILETYPE_H

#include <stdbool.h>
#include <stddef.h>

/* Returns what the bytes are, and what to do with it: "an SBML model; ..."; NULL: they may be a
   configuration. */
const char *rd_filetype_of(const char *bytes, size_t n);
/* Whether an HDF5 file begins so: at once, or behind a block of the user's (HDF5 specification,
   II.A). */
bool rd_filetype_is_hdf5(const char *bytes, size_t n);

#endif
