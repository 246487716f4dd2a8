/* copy - copies one series out of many segments into one data set. */
#ifndef RD_RESULT_WRITE_COPY_H
#define RD_RESULT_WRITE_COPY_H

#include "hdf5/temporary_file.h"
#include "result/files/parts.h"
#include "result/format/data_set.h"

/* The segments from index first_part on, one after the other along the growing axis. */
struct rd_source {
    const struct rd_layout *layout;
    const struct rd_parts *parts;
    int first_part;
    const struct rd_temporary_file
        *temporary_file; /* the file of `to`: copying ends when a write fails */
};

/* Returns the length of the series in all these segments. */
int64_t rd_source_length(const struct rd_source *source, const struct rd_series *s);

/* Copies all segments into `to`, which must have this length. Does not close `to`. */
bool rd_series_copy(hid_t to, const struct rd_series *s, const struct rd_source *source);

#endif
