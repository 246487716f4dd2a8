/* scales - the axes of a result: dimension scales with coordinates, and their units. */
#ifndef RD_RESULT_FORMAT_SCALES_H
#define RD_RESULT_FORMAT_SCALES_H

#include "result/format/metadata.h"

/* Returns the unit of an axis in the form of netCDF: "1" if none is given. */
const char *rd_scales_unit(const struct rd_model *m, enum rd_axis axis);
/* Writes the axes that the layout uses. */
bool rd_scales_write(hid_t file, const struct rd_result_info *s);
/* Writes the axis of rows of each table but that of snapshots. */
bool rd_scales_all_rows(hid_t file, const struct rd_result_info *s);

#endif
