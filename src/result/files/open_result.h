/* open_result - opens a result, of this program or of anyone, and reads its columns with care:
   nothing in the file is believed before it was looked at. */
#ifndef RD_RESULT_FILES_OPEN_RESULT_H
#define RD_RESULT_FILES_OPEN_RESULT_H

#include "result/format/layout.h"

#include <hdf5.h>

/* The open file, or a negative id and a sentence that begins with prefix. */
hid_t rd_result_open(const char *path, const char *prefix, struct rd_error *e);
void rd_result_close(hid_t file);

/* A data set of one dimension: its n values, owned by the caller; NULL if there is none such. */
double *rd_result_reals(hid_t file, const char *name, int64_t *n);
int64_t *rd_result_integers(hid_t file, const char *name, int64_t *n);
/* Texts are freed with rd_result_free_texts. */
char **rd_result_texts(hid_t file, const char *name, int64_t *n);
void rd_result_free_texts(char **text, int64_t n);

/* A text that is a data set of its own; the caller frees. NULL if there is none such. */
char *rd_result_text(hid_t file, const char *name);

/* The edges of the voxels along x, y, z; 0 where the file does not say. */
void rd_result_edges(hid_t file, double edge[3]);

/* One variable of the layout; length[i] is how long its i-th axis is. Negative if the file has
   none of that rank. */
hid_t rd_result_series(hid_t file, enum rd_variable_name name, hsize_t length[RD_RANK_MOST]);

#endif
