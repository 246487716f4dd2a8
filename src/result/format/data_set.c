/* data_set - one data set of the layout in a file: its chunks, creation, extension and
   selection. */
#include "result/format/data_set.h"

#include "hdf5/hdf5_file.h"

#include <math.h>

/* Sets the sizes of chunks, in bytes. Chunks grow to the first size; whole planes may grow to the
   second, so that a plane is read in one piece. */
enum { SMALL_CHUNK = 1 << 16, LARGE_CHUNK = 1 << 20 };

/* Gives the length of a chunk of rows, whose number is not known in advance. */
enum { ROWS = SMALL_CHUNK / sizeof(int64_t) };

hid_t rd_number_type(enum rd_number number)
{
    return number == RD_INT32  ? H5T_NATIVE_INT32
           : number == RD_REAL ? H5T_NATIVE_DOUBLE
           : number == RD_FLAG ? H5T_NATIVE_UINT8
                               : H5T_NATIVE_INT64;
}

size_t rd_number_size(enum rd_number number)
{
    return number == RD_INT32  ? sizeof(int32_t)
           : number == RD_FLAG ? sizeof(uint8_t)
                               : sizeof(int64_t);
}

const void *rd_number_fill(enum rd_number number)
{
    static const int32_t never_32 = -1;
    static const int64_t never_64 = -1, never_signed = INT64_MIN;
    static const uint8_t no = 0;
    static const double nothing = (double)NAN;
    return number == RD_INT32    ? (const void *)&never_32
           : number == RD_INT64  ? (const void *)&never_64
           : number == RD_SIGNED ? (const void *)&never_signed
           : number == RD_FLAG   ? (const void *)&no
                                 : &nothing;
}

/* Extends the chunk along the i-th axis as far as `bytes` allows, in pieces of nearly equal
   length. */
static void grow_chunk(hsize_t chunk[], int i, hsize_t length, size_t *size, size_t bytes)
{
    const hsize_t capacity = bytes / *size > 0 ? bytes / *size : 1;
    const hsize_t pieces = length > 0 ? (length + capacity - 1) / capacity : 1;
    chunk[i] = length > 0 ? (length + pieces - 1) / pieces : 1;
    *size *= (size_t)chunk[i];
}

/* Sets the shape of the chunks. Segments are written snapshot by snapshot; results are read
   along time. */
static void shape_chunk(const struct rd_layout *l, const struct rd_series *s, bool segment,
                        int64_t n, hsize_t chunk[RD_RANK_MOST])
{
    const struct rd_variable *const v = &rd_variables[s->name];
    const int run = rd_axis_place(v, RD_AXIS_RUN), growing = rd_growth_place(v);
    const bool by_voxel = rd_axis_place(v, RD_AXIS_X) >= 0;
    const bool snapshots = by_voxel || segment; /* chunks with all runs of one time */
    size_t size = rd_number_size(v->number);
    for (int i = v->rank - 1; i >= 0; i--)
        if (i != run && i != growing)
            grow_chunk(chunk, i, (hsize_t)l->table[s->table].length[v->axis[i]], &size,
                       v->axis[i] == RD_AXIS_SPECIES || !by_voxel ? SMALL_CHUNK : LARGE_CHUNK);
    if (!snapshots)
        grow_chunk(chunk, growing, (hsize_t)n, &size, SMALL_CHUNK);
    if (run >= 0)
        grow_chunk(chunk, run, (hsize_t)l->table[s->table].length[RD_AXIS_RUN], &size, SMALL_CHUNK);
    if (snapshots)
        grow_chunk(chunk, growing, (hsize_t)n, &size, SMALL_CHUNK);
}

hid_t rd_set_plan(enum rd_number number)
{
    const hid_t plan = H5Pcreate(H5P_DATASET_CREATE);
    if (H5Pset_obj_track_times(plan, false) >= 0 &&
        H5Pset_fill_value(plan, rd_number_type(number), rd_number_fill(number)) >= 0)
        return plan;
    rd_h5_drop(plan);
    return H5I_INVALID_HID;
}

void rd_set_lengths(const struct rd_layout *l, const struct rd_series *s, int64_t n_runs, int64_t n,
                    hsize_t length[RD_RANK_MOST])
{
    const struct rd_variable *const v = &rd_variables[s->name];
    for (int i = 0; i < v->rank; i++)
        length[i] =
            (hsize_t)(v->axis[i] == RD_AXIS_RUN ? n_runs : l->table[s->table].length[v->axis[i]]);
    length[rd_growth_place(v)] = (hsize_t)n;
}

hid_t rd_set_space(const struct rd_layout *l, const struct rd_series *s, int64_t n_runs, int64_t n)
{
    hsize_t length[RD_RANK_MOST];
    rd_set_lengths(l, s, n_runs, n, length);
    return H5Screate_simple(rd_variables[s->name].rank, length, NULL);
}

/* Returns a space that may grow without limit along the growing axis. */
static hid_t growing_space(const struct rd_layout *l, const struct rd_series *s, int64_t n)
{
    const struct rd_variable *const v = &rd_variables[s->name];
    hsize_t length[RD_RANK_MOST], most[RD_RANK_MOST];
    rd_set_lengths(l, s, l->table[s->table].length[RD_AXIS_RUN], n, length);
    rd_set_lengths(l, s, l->table[s->table].length[RD_AXIS_RUN], n, most);
    most[rd_growth_place(v)] = H5S_UNLIMITED;
    return H5Screate_simple(v->rank, length, most);
}

bool rd_set_select(hid_t space, const struct rd_series *s, struct rd_slab slab)
{
    const struct rd_variable *const v = &rd_variables[s->name];
    const int run = rd_axis_place(v, RD_AXIS_RUN), growing = rd_growth_place(v);
    hsize_t start[RD_RANK_MOST] = {0}, count[RD_RANK_MOST] = {0};
    if (H5Sget_simple_extent_dims(space, count, NULL) != v->rank)
        return false;
    if (run >= 0) {
        start[run] = (hsize_t)slab.first_run;
        count[run] = (hsize_t)slab.n_runs;
    }
    start[growing] = (hsize_t)slab.first;
    count[growing] = (hsize_t)slab.n;
    return H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL) >= 0;
}

hid_t rd_set_create(hid_t file, const struct rd_series *s, hid_t space, hid_t plan)
{
    const hid_t type = rd_number_type(rd_variables[s->name].number);
    return rd_h5_parents(file, s->path)
               ? H5Dcreate2(file, s->path, type, space, H5P_DEFAULT, plan, H5P_DEFAULT)
               : H5I_INVALID_HID;
}

static hid_t create_data_set(hid_t file, const struct rd_series *s, hid_t space,
                             const hsize_t chunk[], unsigned level)
{
    const struct rd_variable *const v = &rd_variables[s->name];
    const hid_t plan = rd_set_plan(v->number);
    bool good = plan >= 0 && H5Pset_chunk(plan, v->rank, chunk) >= 0;
    if (good && level > 0)
        good = H5Pset_shuffle(plan) >= 0 && H5Pset_deflate(plan, level) >= 0;
    good = good && H5Pset_fletcher32(plan) >= 0;
    const hid_t set = good ? rd_set_create(file, s, space, plan) : H5I_INVALID_HID;
    rd_h5_drop(space);
    rd_h5_drop(plan);
    return set;
}

/* Returns whether the series grows with the times of its group. */
static bool is_timed(const struct rd_layout *l, const struct rd_series *s)
{
    return l->table[s->growth].kind == RD_SNAPSHOTS;
}

/* Uses level 1 for data that are divided into other chunks, and so compressed again, for the
   result: here speed matters more than size. */
hid_t rd_set_segment(const struct rd_layout *l, hid_t file, const struct rd_series *s)
{
    const bool again = rd_axis_place(&rd_variables[s->name], RD_AXIS_X) < 0;
    hsize_t chunk[RD_RANK_MOST];
    shape_chunk(l, s, true, is_timed(l, s) ? l->table[s->table].length[RD_AXIS_TIME] : ROWS, chunk);
    return create_data_set(
        file, s, growing_space(l, s, 0), chunk,
        again && l->table[s->table].compression > 1 ? 1 : l->table[s->table].compression);
}

hid_t rd_set_result(const struct rd_layout *l, hid_t file, const struct rd_series *s, int64_t n)
{
    hsize_t chunk[RD_RANK_MOST];
    shape_chunk(l, s, false, n, chunk);
    const hid_t space = is_timed(l, s)
                            ? rd_set_space(l, s, l->table[s->table].length[RD_AXIS_RUN], n)
                            : growing_space(l, s, n);
    return create_data_set(file, s, space, chunk, l->table[s->table].compression);
}

bool rd_set_extend(const struct rd_layout *l, hid_t set, const struct rd_series *s, int64_t n)
{
    hsize_t length[RD_RANK_MOST];
    rd_set_lengths(l, s, l->table[s->table].length[RD_AXIS_RUN], n, length);
    return H5Dset_extent(set, length) >= 0;
}
