/* scales - the axes of a result: dimension scales with coordinates, and their units. */
#ifndef RD_RESULT_FORMAT_SCALES_H
#define RD_RESULT_FORMAT_SCALES_H

#include "result/format/metadata.h"

/* Returns the unit of an axis in the form of netCDF: "1" if none is given. */
const char *rd_scales_unit(const struct rd_model *m, enum rd_axis axis);
/* Returns the open group of a group of the output, "" or "/fast", which it makes if needed; the
   file itself for "". A negative number: HDF5 fails. */
hid_t rd_scales_group(hid_t file, const char *group);
/* Writes the axes of each group of the output, and at the root those that all groups share. */
bool rd_scales_write(hid_t file, const struct rd_result_info *s);
/* Writes the axis of rows of each table of individuals, births and deaths. */
bool rd_scales_all_rows(hid_t file, const struct rd_result_info *s);

#endif
