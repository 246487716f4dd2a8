/* scales - the axes of a result: dimension scales with coordinates, and their units. */
#ifndef RD_RESULT_FORMAT_SCALES_H
#define RD_RESULT_FORMAT_SCALES_H

#include "result/format/metadata.h"

/* Returns the unit of an axis in the form of netCDF: "1" if none is given. */
const char *rd_scales_unit(const struct rd_model *m, enum rd_axis axis);
/* Writes the axes that the layout uses. */
bool rd_scales_write(hid_t file, const struct rd_result_info *s);
/* Writes the axis of rows, of length n, into a group. */
bool rd_scales_rows(hid_t group, int64_t n);
/* Writes the axis of rows of each table but that of snapshots. */
bool rd_scales_all_rows(hid_t file, const struct rd_result_info *s);
/* Attaches an axis to a data set as number `place`; that of rows is in the group of the table. */
bool rd_scales_attach(hid_t file, hid_t set, int place, const char *group, enum rd_axis axis);

#endif
