/* open_result - opens a result, written by rdsim or by another program, and reads its columns
   with care: no part of the file is used before it was checked. */
#ifndef RD_RESULT_FILES_OPEN_RESULT_H
#define RD_RESULT_FILES_OPEN_RESULT_H

#include "result/format/layout.h"

#include <hdf5.h>

/* Returns the open file, or a negative id with a message that begins with prefix. */
hid_t rd_result_open(const char *path, const char *prefix, struct rd_error *e);
/* Does the same without a message. */
hid_t rd_result_try(const char *path);
void rd_result_close(hid_t file);

/* Reads a data set of one dimension. Returns its n values, owned by the caller, or NULL if the
   file has no such data set. */
double *rd_result_reals(hid_t file, const char *name, int64_t *n);
int64_t *rd_result_integers(hid_t file, const char *name, int64_t *n);
/* Reads texts likewise, none of which is NULL; rd_result_free_texts frees them. */
char **rd_result_texts(hid_t file, const char *name, int64_t *n);
void rd_result_free_texts(char **text, int64_t n);

/* Returns a text that is a data set of its own; the caller frees it. Returns NULL if the file
   has none. */
char *rd_result_text(hid_t file, const char *name);

/* Returns the edges of the voxels along x, y, z; 0 if the file does not state them. */
void rd_result_edges(hid_t file, double edge[3]);

/* Describes the groups of the output that have a name. */
struct rd_groups {
    int n;
    char name[RD_MAX_OUTPUTS][RD_NAME_BYTES];
};
struct rd_groups rd_result_groups(hid_t file);
/* Returns the n times at which any group has a snapshot, rising; NULL if there are none. The caller
   frees them. */
double *rd_result_times(hid_t file, int64_t *n);

/* Opens the group with the most totals, times times species; it is the file itself if that is the
   root. rd_result_leave closes it. */
hid_t rd_result_enter_totals(hid_t file);
void rd_result_leave(hid_t file, hid_t at);

/* Opens one variable of the layout, in the file or in a group of the output, and sets length[i] to
   the length of its i-th axis. Returns a negative id if the file has no such variable of that rank.
 */
hid_t rd_result_series(hid_t at, enum rd_variable_name name, hsize_t length[RD_RANK_MOST]);

#endif
