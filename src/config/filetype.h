/* filetype - identifies the format of a file that is not a configuration, by its first bytes. */
#ifndef RD_CONFIG_FILETYPE_H
#define RD_CONFIG_FILETYPE_H

#include <stddef.h>

/* Returns the format and what to do with the file: "an SBML model; ..."; NULL: the bytes may be a
   configuration. */
const char *rd_filetype_of(const char *bytes, size_t n);

#endif
