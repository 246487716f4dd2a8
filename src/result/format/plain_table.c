/* plain_table - writes scales of rows, and tables that are written at once. */
#include "result/format/plain_table.h"

#include "hdf5/hdf5_file.h"

#include <hdf5_hl.h>
#include <stdio.h>

/* netCDF recognises a scale without coordinates by this text, which ends with its length. */
bool rd_scale_put_rows(hid_t at, int64_t n)
{
    static const hsize_t chunk = 1024, unlimited = H5S_UNLIMITED;
    const hsize_t length = (hsize_t)n;
    char words[80];
    snprintf(words, sizeof words, "This is a netCDF dimension but not a netCDF variable.%10lld",
             (long long)n);
    const hid_t plan = H5Pcreate(H5P_DATASET_CREATE);
    const hid_t space = H5Screate_simple(1, &length, &unlimited);
    hid_t set = H5I_INVALID_HID;
    if (H5Pset_obj_track_times(plan, false) >= 0 && H5Pset_chunk(plan, 1, &chunk) >= 0)
        set = H5Dcreate2(at, rd_axis_names[RD_AXIS_ROW], H5T_IEEE_F32BE, space, H5P_DEFAULT, plan,
                         H5P_DEFAULT);
    const bool good = set >= 0 && H5DSset_scale(set, words) >= 0;
    rd_h5_drop(set);
    rd_h5_drop(space);
    rd_h5_drop(plan);
    return good;
}

bool rd_scale_attach(hid_t file, hid_t set, int place, const char *group, enum rd_axis axis)
{
    const char *const name = rd_axis_names[axis];
    const hid_t at = *group ? H5Gopen2(file, group, H5P_DEFAULT) : file;
    const hid_t scale = at < 0 ? at : H5Dopen2(at, name, H5P_DEFAULT);
    const bool good = scale >= 0 && H5DSattach_scale(set, scale, (unsigned)place) >= 0;
    rd_h5_drop(scale);
    if (at != file)
        rd_h5_drop(at);
    return good;
}

bool rd_plain_table_open(struct rd_plain_table *t)
{
    t->group =
        rd_h5_parents(t->file, t->path) ? H5Gopen2(t->file, t->path, H5P_DEFAULT) : H5I_INVALID_HID;
    return t->group >= 0 && rd_scale_put_rows(t->group, t->n);
}

bool rd_plain_table_put(const struct rd_plain_table *t, const char *name, const char *long_name,
                        hid_t type, const void *values)
{
    const hid_t set = rd_h5_put_column(t->group, name, type, t->n, values);
    const bool good =
        rd_h5_label(set, long_name, "1") && rd_scale_attach(t->file, set, 0, t->path, RD_AXIS_ROW);
    rd_h5_drop(set);
    return good;
}
