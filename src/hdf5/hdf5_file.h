/* hdf5_file - helper functions for HDF5: error messages, attributes, texts, groups. */
#ifndef RD_HDF5_HDF5_FILE_H
#define RD_HDF5_HDF5_FILE_H

#include "base/error.h"

#include <hdf5.h>

/* Holds HDF5's innermost reason for the first failure. */
struct rd_h5_cause {
    char text[240];
    bool lacks_memory; /* the first failure is an allocation outside of HDF5 */
};

/* Makes HDF5 print nothing and store its first failure in *c (NULL: not stored). */
void rd_h5_listen(struct rd_h5_cause *c);
/* Reports "path: what: HDF5's reason"; returns false. */
bool rd_h5_fail(struct rd_error *e, const char *path, const char *what);
/* Returns what malloc, calloc or realloc returned. If it is NULL, it is the first failure. */
void *rd_h5_memory(void *allocated);

/* Closes an identifier of any kind; ignores one that is not open. */
void rd_h5_drop(hid_t id);

/* These functions return a new identifier, or a negative number. */
hid_t rd_h5_text_type(void);                   /* variable-length UTF-8 */
hid_t rd_h5_group(hid_t at, const char *name); /* created; keeps the order of its members */
hid_t rd_h5_read_only(const char *path);       /* a regular file */
hid_t rd_h5_open(hid_t at, const char *name);  /* a group or data set, if there is one */

struct rd_h5_name {
    char text[256];
};

/* Gets the name of the i-th object in a group, in the order of creation. Returns false behind
   the last one, or if the group is not open. */
bool rd_h5_name(hid_t group, hsize_t i, struct rd_h5_name *name);

/* Creates the missing groups on the way to path: "/a" and "/a/b" for "/a/b/c". */
bool rd_h5_parents(hid_t file, const char *path);

/* Write attributes, and replace those of the same name. A number is an array of one, as in
   netCDF. */
bool rd_h5_put_text(hid_t at, const char *name, const char *text);
bool rd_h5_put_number(hid_t at, const char *name, hid_t type, const void *value);

/* Writes the long name and the unit of a variable; returns false if set is negative. */
bool rd_h5_label(hid_t set, const char *long_name, const char *unit);

/* Writes a data set of one dimension (n >= 0), or a scalar (n = -1), with checksums. Returns the
   open data set, or a negative number. */
hid_t rd_h5_put_column(hid_t at, const char *name, hid_t type, int64_t n, const void *value);

/* Sets chunks, each with a checksum (Fletcher32), for a data set of numbers. */
bool rd_h5_protect(hid_t plan, int rank, const hsize_t length[]);
/* Reads the n texts of a data set. HDF5 may loop without end if they are damaged: see crash_guard.
   The caller frees each with H5free_memory. */
bool rd_h5_read_texts(hid_t set, int64_t n, char **to);
/* Returns false if texts cannot be read, or do not match their checksum. */
bool rd_h5_check_texts(hid_t set);
/* Reads every number of an open result, which makes HDF5 compare the checksums; compares texts with
   their own. Returns false with a message that names the damaged data set. */
bool rd_h5_verify(hid_t file, const char *path, struct rd_error *e);

/* Gives the attribute `source` of a file with the collected results of a sweep. */
#define RD_H5_COLLECTED "rdsim sweep"

/* Reads a number attribute, an array of one; false if there is none. */
bool rd_h5_get_number(hid_t at, const char *name, double *value);
/* Returns a text attribute or NULL; the caller frees it with H5free_memory. */
char *rd_h5_get_text(hid_t at, const char *name);

#endif
