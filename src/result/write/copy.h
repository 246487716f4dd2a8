/* copy - one series out of many segments into one data set. */
#ifndef RD_RESULT_WRITE_COPY_H
#define RD_RESULT_WRITE_COPY_H

#include "hdf5/temporary_file.h"
#include "result/files/parts.h"
#include "result/format/data_set.h"

/* The segments from number first_part on, one after the other along what grows. */
struct rd_source {
    const struct rd_layout *layout;
    const struct rd_parts *parts;
    int first_part;
    const struct rd_temporary_file
        *temporary_file; /* the file of `to`: copying ends when it cannot be written */
};

/* How long that is in all of them. */
int64_t rd_source_length(const struct rd_source *source, const struct rd_series *s);

/* Fills `to`, which is as long, and closes nothing. */
bool rd_series_copy(hid_t to, const struct rd_series *s, const struct rd_source *source);

#endif
