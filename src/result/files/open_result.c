/* open_result - opens a result, written by rdsim or by another program, and reads its columns
   with care. */
#define _POSIX_C_SOURCE 200809L
#include "result/files/open_result.h"

#include "base/plain_file.h"
#include "hdf5/crash_guard.h"
#include "hdf5/hdf5_file.h"
#include "hdf5/inspect.h"
#include "result/files/inspect_result.h"
#include "result/files/run_state.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Returns whether the file can be read; the system's message is clearer than HDF5's. */
static bool is_readable(const char *path, const char *prefix, struct rd_error *e)
{
    struct stat about;
    const char *why;
    const int file = rd_plain_open(path, &why);
    if (file < 0)
        return rd_fail(e, "%s%s: cannot be read: %s", prefix, path, why);
    const bool is_empty = fstat(file, &about) != 0 || about.st_size == 0;
    close(file);
    return !is_empty || rd_fail(e, "%s%s: is empty; a result is not", prefix, path);
}

static bool is_collected(hid_t file)
{
    char *const source = rd_h5_get_text(file, "source");
    const bool is = source && strcmp(source, RD_H5_COLLECTED) == 0;
    H5free_memory(source);
    return is;
}

static bool refuse_old_names(const char *path, const char *prefix, struct rd_error *e)
{
    return rd_fail(e,
                   "%s%s: has format 1, in which keys and data sets have old names (cells, law, "
                   "chance); convert its configuration by tools/rename_keys.py, and run it again",
                   prefix, path);
}

static bool is_of_rdsim(hid_t file, const char *path, const char *prefix, struct rd_error *e)
{
    double format = 0;
    if (is_collected(file))
        return rd_fail(e,
                       "%s%s: has what a sweep collected of many results, and is none itself; take "
                       "one of them, or open it as netCDF",
                       prefix, path);
    if (!rd_h5_get_number(file, "rdsim_format", &format))
        return rd_fail(e, "%s%s: is HDF5, but no result of rdsim (no rdsim_format)", prefix, path);
    if (format == 1.0)
        return refuse_old_names(path, prefix, e);
    return format == RD_FORMAT || rd_fail(e, "%s%s: has format %g; this program reads format %d",
                                          prefix, path, format, (int)RD_FORMAT);
}

static bool is_whole(const char *path, hid_t file, const char *prefix, struct rd_error *e)
{
    if (file >= 0)
        return true;
    if (H5Fis_hdf5(path) <= 0)
        return rd_fail(e, "%s%s: is not an HDF5 file; a result of rdsim is one", prefix, path);
    rd_fail(e, "%s%s: is an HDF5 file that is damaged or cut short", prefix, path);
    return rd_h5_fail(e, path, "cannot be opened");
}

bool rd_result_has_old_names(const char *path, struct rd_error *e)
{
    double format = 0;
    if (H5Fis_hdf5(path) <= 0)
        return false;
    const hid_t file = rd_h5_read_only(path);
    if (file >= 0)
        rd_h5_get_number(file, "rdsim_format", &format);
    rd_h5_drop(file);
    return format == 1.0 && !refuse_old_names(path, "", e);
}

hid_t rd_result_open(const char *path, const char *prefix, struct rd_error *e)
{
    if (!is_readable(path, prefix, e))
        return H5I_INVALID_HID;
    rd_crash_guard_raise(path);
    const hid_t file = rd_h5_read_only(path);
    if (is_whole(path, file, prefix, e) && is_of_rdsim(file, path, prefix, e) &&
        rd_inspect_result(file, path, prefix, e))
        return file;
    rd_h5_drop(file);
    rd_crash_guard_drop();
    return H5I_INVALID_HID;
}

void rd_result_close(hid_t file)
{
    if (file <= 0)
        return;
    rd_h5_drop(file);
    rd_crash_guard_drop();
}

/* Returns the values of a column as numbers, or as texts of `size` bytes if they are texts in
   the file. Returns NULL if the column is missing or its length cannot be right. */
static void *column(hid_t file, const char *name, hid_t type, size_t size, int64_t *n)
{
    *n = 0;
    if (H5Lexists(file, name, H5P_DEFAULT) <= 0)
        return NULL;
    const hid_t set = H5Dopen2(file, name, H5P_DEFAULT);
    const hid_t space = H5Dget_space(set), there = H5Dget_type(set);
    const bool text = H5Tget_class(type) == H5T_STRING;
    const hssize_t length = H5Sget_simple_extent_npoints(space);
    hsize_t whole = 0;
    H5Fget_filesize(file, &whole);
    void *values = NULL;
    if (length > 0 && (hsize_t)length <= whole / H5Tget_size(there) &&
        H5Sget_simple_extent_ndims(space) == 1 &&
        (text ? H5Tis_variable_str(there) > 0 : H5Tget_class(there) != H5T_STRING))
        values = calloc((size_t)length, size);
    if (values && H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) < 0) {
        free(values);
        values = NULL;
    }
    rd_h5_drop(there);
    rd_h5_drop(space);
    rd_h5_drop(set);
    *n = values ? length : 0;
    return values;
}

double *rd_result_reals(hid_t file, const char *name, int64_t *n)
{
    return column(file, name, H5T_NATIVE_DOUBLE, sizeof(double), n);
}

int64_t *rd_result_integers(hid_t file, const char *name, int64_t *n)
{
    return column(file, name, H5T_NATIVE_INT64, sizeof(int64_t), n);
}

char **rd_result_texts(hid_t file, const char *name, int64_t *n)
{
    const hid_t type = rd_h5_text_type();
    char **const text = column(file, name, type, sizeof(char *), n);
    rd_h5_drop(type);
    return text;
}

void rd_result_free_texts(char **text, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        H5free_memory(text[i]);
    free(text);
}

char *rd_result_text(hid_t file, const char *name)
{
    const hid_t set = H5Dopen2(file, name, H5P_DEFAULT), type = rd_h5_text_type();
    const hid_t space = H5Dget_space(set), there = H5Dget_type(set);
    char *text = NULL, *copy = NULL;
    if (H5Sget_simple_extent_npoints(space) == 1 && H5Tis_variable_str(there) > 0 &&
        H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, &text) >= 0 && text)
        copy = strdup(text);
    H5free_memory(text);
    rd_h5_drop(there);
    rd_h5_drop(space);
    rd_h5_drop(type);
    rd_h5_drop(set);
    return copy;
}

void rd_result_edges(hid_t file, double edge[3])
{
    static const enum rd_axis axis[3] = {RD_AXIS_X, RD_AXIS_Y, RD_AXIS_Z};
    for (int i = 0; i < 3; i++) {
        const char *const name = rd_axis_names[axis[i]];
        const bool there = H5Lexists(file, name, H5P_DEFAULT) > 0;
        const hid_t set = there ? H5Dopen2(file, name, H5P_DEFAULT) : H5I_INVALID_HID;
        if (set < 0 || !rd_h5_get_number(set, "voxel_size", &edge[i]))
            edge[i] = 0;
        rd_h5_drop(set);
    }
}

hid_t rd_result_series(hid_t file, enum rd_variable_name name, hsize_t length[RD_RANK_MOST])
{
    const struct rd_variable *const v = &rd_variables[name];
    if (H5Lexists(file, v->path, H5P_DEFAULT) <= 0)
        return H5I_INVALID_HID;
    const hid_t set = H5Dopen2(file, v->path, H5P_DEFAULT);
    const hid_t space = H5Dget_space(set);
    const bool good = H5Sget_simple_extent_ndims(space) == v->rank &&
                      H5Sget_simple_extent_dims(space, length, NULL) == v->rank;
    rd_h5_drop(space);
    if (good)
        return set;
    rd_h5_drop(set);
    return H5I_INVALID_HID;
}
