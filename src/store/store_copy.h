/* store_copy - one variable out of many segments into one data set. */
#ifndef RD_STORE_COPY_H
#define RD_STORE_COPY_H

#include "store_draft.h"
#include "store_layout.h"
#include "store_parts.h"

/* The segments from number first_part on, one after the other along time. */
struct rd_source {
    const struct rd_layout *layout;
    const struct rd_parts *parts;
    int first_part;
    const struct rd_draft *draft; /* the file of `to`: copying ends when it cannot be written */
};

int64_t rd_source_times(const struct rd_source *source);

/* Fills `to`, which has the times of the source, and closes nothing. */
bool rd_series_copy(hid_t to, enum rd_variable_name name, const struct rd_source *source);

#endif
