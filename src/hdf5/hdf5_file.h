/* hdf5_file - small words for HDF5: its own account of a failure, attributes, texts, groups. */
#ifndef RD_HDF5_HDF5_FILE_H
#define RD_HDF5_HDF5_FILE_H

#include "base/error.h"

#include <hdf5.h>

/* HDF5's innermost reason for the first thing that failed. */
struct rd_h5_cause {
    char text[240];
};

/* From now on HDF5 prints nothing, and its first failure is kept in *c (NULL: not kept). */
void rd_h5_listen(struct rd_h5_cause *c);
/* "path: what: HDF5's reason". */
bool rd_h5_fail(struct rd_error *e, const char *path, const char *what);

/* Closes anything; what is not open is left alone. */
void rd_h5_drop(hid_t id);

/* Each gives a new id, or a negative one. */
hid_t rd_h5_text_type(void);                   /* variable-length UTF-8 */
hid_t rd_h5_group(hid_t at, const char *name); /* created; keeps the order of what is put in */
hid_t rd_h5_read_only(const char *path);       /* a regular file */

/* The groups on the way to path, "/a" and "/a/b" of "/a/b/c", are made where they are not. */
bool rd_h5_parents(hid_t file, const char *path);

/* Attributes; one of that name is replaced. A number is an array of one, as in netCDF. */
bool rd_h5_put_text(hid_t at, const char *name, const char *text);
bool rd_h5_put_number(hid_t at, const char *name, hid_t type, const void *value);

/* Data sets of one dimension (n >= 0), or of none (n = -1: *value alone), with checksums. */
bool rd_h5_put_column(hid_t at, const char *name, hid_t type, int64_t n, const void *value);

/* Cuts a data set of numbers into chunks, each with a checksum (Fletcher32). */
bool rd_h5_protect(hid_t plan, int rank, const hsize_t length[]);
/* False if texts cannot be read, or are not those that were written. */
bool rd_h5_check_texts(hid_t set);
/* Reads every number of an open result, and so compares it with its checksum; compares texts with
   theirs. False with a sentence that names the data set that is damaged. */
bool rd_h5_verify(hid_t file, const char *path, struct rd_error *e);

/* The attribute `source` of what is collected of many results. */
#define RD_H5_COLLECTED "rdsim sweep"

/* A number attribute, an array of one; false if there is none such. */
bool rd_h5_get_number(hid_t at, const char *name, double *value);
/* A text attribute or NULL; the caller frees it with H5free_memory. */
char *rd_h5_get_text(hid_t at, const char *name);

#endif
