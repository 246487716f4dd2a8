/* plain_table - scales of rows, and tables that are written at once, as that of the faults;
   separate because metadata.c is long. */
#ifndef RD_RESULT_FORMAT_PLAIN_TABLE_H
#define RD_RESULT_FORMAT_PLAIN_TABLE_H

#include "result/format/layout.h"

#include <hdf5.h>

/* Writes the scale of n rows, which have no coordinates, to a group. */
bool rd_scale_put_rows(hid_t at, int64_t n);
/* Attaches the scale of an axis, which is in the group ("": the root), to a data set. */
bool rd_scale_attach(hid_t file, hid_t set, int place, const char *group, enum rd_axis axis);

/* Holds a table without times: its group, with both slashes, and its number of rows. */
struct rd_plain_table {
    hid_t file, group;
    const char *path;
    int64_t n;
};

/* Makes the group and its rows. */
bool rd_plain_table_open(struct rd_plain_table *t);
/* Writes a column of n values. */
bool rd_plain_table_put(const struct rd_plain_table *t, const char *name, const char *long_name,
                        hid_t type, const void *values);

#endif
