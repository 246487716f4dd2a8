/* store_labels - see the header; any file of HDF5, not only ours. */
#define _POSIX_C_SOURCE 200809L
#include "store_labels.h"

#include "store_hdf.h"
#include "store_shield.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* What is asked for: numbers of one kind in memory, of some in the file. */
struct labels {
    const char *path, *dataset, *who;
    const int32_t *size;
    bool is_whole; /* labels; else a map */
    void *number;
};

static bool fail(const struct labels *l, const char *what, struct rd_error *e)
{
    return rd_fail(e, "%s: %s in %s %s", l->who, l->dataset, l->path, what);
}

/* Whether a data set of this shape has one element for each cell of the grid. */
static bool fits(const struct labels *l, int rank, const hsize_t *length)
{
    for (int i = 0; i < rank; i++) { /* from the last dimension on: x, y, z, others */
        const hsize_t wanted = i < 3 ? (hsize_t)l->size[i] : 1;
        if (length[rank - 1 - i] != wanted)
            return false;
    }
    for (int i = rank; i < 3; i++)
        if (l->size[i] != 1)
            return false;
    return rank > 0;
}

static bool check_shape(const struct labels *l, hid_t set, struct rd_error *e)
{
    hsize_t length[H5S_MAX_RANK] = {0};
    const hid_t space = H5Dget_space(set);
    const int rank = H5Sget_simple_extent_ndims(space);
    H5Sget_simple_extent_dims(space, length, NULL);
    rd_h5_drop(space);
    if (fits(l, rank, length))
        return true;
    char shape[128] = "", what[256];
    for (int i = 0; i < rank && strlen(shape) < 100; i++)
        snprintf(shape + strlen(shape), sizeof shape - strlen(shape), "%s%llu", i ? ", " : "",
                 (unsigned long long)length[i]);
    snprintf(what, sizeof what,
             "has the shape (%s); this grid needs (%d, %d, %d), that is (nz, ny, nx)", shape,
             (int)l->size[2], (int)l->size[1], (int)l->size[0]);
    return fail(l, what, e);
}

static bool read_set(const struct labels *l, hid_t set, struct rd_error *e)
{
    const hid_t type = H5Dget_type(set);
    const H5T_class_t kind = H5Tget_class(type);
    rd_h5_drop(type);
    const bool is_whole = kind == H5T_INTEGER || kind == H5T_ENUM; /* h5py's True and False */
    if (l->is_whole && !is_whole)
        return fail(l, "is not of integers; labels must be", e);
    if (!is_whole && kind != H5T_FLOAT)
        return fail(l, "is not of numbers", e);
    if (!check_shape(l, set, e))
        return false;
    const hid_t type_here = l->is_whole ? H5T_NATIVE_INT64 : H5T_NATIVE_DOUBLE;
    return H5Dread(set, type_here, H5S_ALL, H5S_ALL, H5P_DEFAULT, l->number) >= 0 ||
           fail(l, "cannot be read", e);
}

static bool is_folder(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

static bool is_group(hid_t file, const char *name)
{
    const hid_t group = H5Gopen2(file, name, H5P_DEFAULT);
    rd_h5_drop(group);
    return group >= 0;
}

static bool read_all(const struct labels *l, struct rd_error *e)
{
    struct rd_h5_cause cause = {{0}};
    rd_h5_listen(&cause);
    rd_shield_raise(l->path);
    const hid_t file = rd_h5_read_only(l->path);
    const hid_t set = file >= 0 ? H5Dopen2(file, l->dataset, H5P_DEFAULT) : H5I_INVALID_HID;
    bool good = false;
    if (file < 0)
        rd_fail(e, "%s: %s cannot be read as HDF5: %s", l->who, l->path,
                is_folder(l->path) ? "it is a folder" : cause.text);
    else if (set < 0)
        rd_fail(e, "%s: %s has no data set '%s'%s", l->who, l->path, l->dataset,
                is_group(file, l->dataset) ? ": that is a group" : "");
    else
        good = read_set(l, set, e);
    rd_h5_drop(set);
    rd_h5_drop(file);
    rd_shield_drop();
    rd_h5_listen(NULL);
    return good;
}

bool rd_store_labels(const char *path, const char *dataset, const int32_t size[3], int64_t *label,
                     const char *who, struct rd_error *e)
{
    const struct labels l = {path, dataset, who, size, true, label};
    return read_all(&l, e);
}

bool rd_store_map(const char *path, const char *dataset, const int32_t size[3], double *value,
                  const char *who, struct rd_error *e)
{
    const struct labels l = {path, dataset, who, size, false, value};
    return read_all(&l, e);
}
