/* labels - reads one number for each voxel of the lattice from any HDF5 file, not only results of
   rdsim. */
#define _POSIX_C_SOURCE 200809L
#include "hdf5/labels.h"

#include "base/file.h"
#include "hdf5/crash_guard.h"
#include "hdf5/hdf5_file.h"
#include "hdf5/inspect.h"
#include "hdf5/numbers.h"
#include "hdf5/series.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Holds a request: the data set, and the kind and place of the numbers in memory. */
struct labels {
    const char *path, *dataset, *which;
    const int32_t *size;
    bool is_whole; /* labels; else the values of a field */
    void *number;
    int64_t most, n_series; /* size NULL: the largest number of elements of a series, and its own */
};

static bool refuse_labels(const struct labels *l, const char *what, struct rd_error *e)
{
    return rd_fail(e, "%s: %s in %s %s", l->which, l->dataset, l->path, what);
}

/* Returns whether a data set of this shape has one element for each voxel of the lattice. */
static bool fits_lattice(const struct labels *l, int rank, const hsize_t *length)
{
    for (int i = 0; i < rank; i++) { /* from the last dimension to the first: x, y, z, others */
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
    if (fits_lattice(l, rank, length))
        return true;
    char shape[128] = "", what[256];
    for (int i = 0; i < rank && strlen(shape) < 100; i++)
        snprintf(shape + strlen(shape), sizeof shape - strlen(shape), "%s%llu", i ? ", " : "",
                 (unsigned long long)length[i]);
    snprintf(what, sizeof what,
             "has the shape (%s); give it that of the grid, (nz, ny, nx) = (%d, %d, %d)", shape,
             (int)l->size[2], (int)l->size[1], (int)l->size[0]);
    return refuse_labels(l, what, e);
}

/* Reports number i, which cannot be converted. */
static bool fail_number(const struct labels *l, int64_t i, enum rd_number_kind kind,
                        struct rd_error *e)
{
    const int64_t nx = l->size[0], ny = l->size[1];
    char what[192];
    snprintf(what, sizeof what, "has %s in voxel (%lld, %lld, %lld); %s",
             rd_numbers_text(l->number, i, kind).text, (long long)(i % nx),
             (long long)(i / nx % ny), (long long)(i / nx / ny),
             l->is_whole
                 ? "use integers from -2^63 to 2^63 - 1 as labels"
                 : "store the field in 64-bit floating point, which does not have this integer");
    return refuse_labels(l, what, e);
}

static bool check_labels_storage(const struct labels *l, hid_t set, int64_t n, struct rd_error *e)
{
    struct rd_why why = {""};
    return rd_series_check_storage(set, n, &why) || refuse_labels(l, why.text, e);
}

static bool fail_reading(const struct labels *l, struct rd_error *e)
{
    char place[600];
    snprintf(place, sizeof place, "%s: %s in %s", l->which, l->dataset, l->path);
    return rd_h5_fail(e, place, "cannot be read");
}

static bool read_labels_set(const struct labels *l, hid_t set, struct rd_error *e)
{
    const enum rd_number_kind kind = rd_numbers_kind(set);
    const int64_t n = (int64_t)l->size[0] * l->size[1] * l->size[2];
    if (l->is_whole && (kind == RD_NUMBERS_REAL || kind == RD_NUMBERS_NONE))
        return refuse_labels(l, "has no integers; store labels as integers", e);
    if (kind == RD_NUMBERS_NONE)
        return refuse_labels(l, "has no numbers; name another data set", e);
    if (!check_shape(l, set, e) || !check_labels_storage(l, set, n, e))
        return false;
    if (!rd_numbers_read(set, kind, H5S_ALL, H5S_ALL, l->number))
        return fail_reading(l, e);
    const int64_t good = l->is_whole ? rd_numbers_whole(l->number, n, kind, INT64_MIN, INT64_MAX)
                                     : rd_numbers_real(l->number, n, kind);
    return good == n || fail_number(l, good, kind, e);
}

static bool read_labels_series(struct labels *l, hid_t set, struct rd_error *e)
{
    char place[600];
    double *number;
    snprintf(place, sizeof place, "%s: %s in %s", l->which, l->dataset, l->path);
    const bool good = rd_series_read(set, l->most, &number, &l->n_series, place, e);
    l->number = number;
    return good;
}

/* Returns whether the file can be opened; the operating system's reason is clearer than HDF5's. */
static bool check_labels_file(const struct labels *l, struct rd_error *e)
{
    const char *why;
    const int fd = rd_file_open(l->path, &why);
    if (fd < 0)
        return rd_fail(e, "%s: %s cannot be read as HDF5: %s; name another file", l->which, l->path,
                       why);
    close(fd);
    return true;
}

static bool is_group(hid_t file, const char *name)
{
    const hid_t group = H5Gopen2(file, name, H5P_DEFAULT);
    rd_h5_drop(group);
    return group >= 0;
}

static bool read_labels_file(struct labels *l, struct rd_error *e)
{
    struct rd_h5_cause cause = {0};
    struct rd_why why = {""};
    if (!check_labels_file(l, e))
        return false;
    rd_h5_listen(&cause);
    rd_crash_guard_raise(l->path);
    const hid_t file = rd_h5_read_only(l->path);
    const hid_t set = file >= 0 ? H5Dopen2(file, l->dataset, H5P_DEFAULT) : H5I_INVALID_HID;
    bool good = false;
    if (file < 0)
        rd_fail(e, "%s: %s cannot be read as HDF5: %s; name another file", l->which, l->path,
                cause.text);
    else if (set < 0 && rd_inspect_has_link(file, l->dataset, &why))
        rd_fail(e, "%s: %s: %s", l->which, l->path, why.text);
    else if (set < 0)
        rd_fail(e, "%s: %s has no data set '%s'%s; name another", l->which, l->path, l->dataset,
                is_group(file, l->dataset) ? ", but a group of this name" : "");
    else
        good = l->size ? read_labels_set(l, set, e) : read_labels_series(l, set, e);
    rd_h5_drop(set);
    rd_h5_drop(file);
    rd_crash_guard_drop();
    rd_h5_listen(NULL);
    return good;
}

bool rd_store_labels(const char *path, const char *dataset, const int32_t size[3], int64_t *label,
                     const char *which, struct rd_error *e)
{
    struct labels l = {path, dataset, which, size, true, label, 0, 0};
    return read_labels_file(&l, e);
}

bool rd_store_map(const char *path, const char *dataset, const int32_t size[3], double *value,
                  const char *which, struct rd_error *e)
{
    struct labels l = {path, dataset, which, size, false, value, 0, 0};
    return read_labels_file(&l, e);
}

bool rd_store_series(const char *path, const char *dataset, int64_t most, double **value,
                     int64_t *n, const char *which, struct rd_error *e)
{
    struct labels l = {path, dataset, which, NULL, false, NULL, most, 0};
    const bool good = read_labels_file(&l, e);
    *value = l.number;
    *n = l.n_series;
    return good;
}
