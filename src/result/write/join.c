/* join - files that are made of closed segments: the master that shows them as one, a larger
   segment, and the result. */
#include "result/write/join.h"

#include "hdf5/hdf5_file.h"
#include "hdf5/temporary_file.h"
#include "result/format/data_set.h"

#include <stdlib.h>
#include <string.h>

/* ---- copies of one series out of many segments ---- */

/* Holds the segments from index first_part on, one after the other along the growing axis. */
struct source {
    const struct rd_layout *layout;
    const struct rd_parts *parts;
    int first_part;
    const struct rd_temporary_file *to; /* copying ends when a write to this file fails */
};

/* Limits the bytes of values in memory at a time, unless one chunk has more. */
enum { SLAB = 1 << 20 };

static int64_t smaller_length(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Returns the length of the series in all these segments. */
static int64_t source_length(const struct source *source, const struct rd_series *s)
{
    int64_t n = 0;
    for (int i = source->first_part; i < source->parts->n; i++)
        n += rd_parts_length(source->parts, i, s->growth);
    return n;
}

/* Opens the series' data set in a segment; closing it closes the file. */
static hid_t open_series(const struct source *source, int part, const struct rd_series *s)
{
    const struct rd_path path = rd_parts_path(source->parts, source->parts->part[part].number);
    const hid_t file = rd_h5_read_only(path.text);
    const hid_t set = file < 0 ? file : H5Dopen2(file, s->path, H5P_DEFAULT);
    rd_h5_drop(file);
    return set;
}

static bool chunk_of(hid_t set, int rank, hsize_t chunk[])
{
    const hid_t plan = H5Dget_create_plist(set);
    const bool good = plan >= 0 && H5Pget_chunk(plan, rank, chunk) == rank;
    rd_h5_drop(plan);
    return good;
}

static bool extent_of(hid_t set, hsize_t extent[])
{
    const hid_t space = H5Dget_space(set);
    const bool good = space >= 0 && H5Sget_simple_extent_dims(space, extent, NULL) >= 0;
    rd_h5_drop(space);
    return good;
}

/* Holds a buffer that grows. */
struct bytes {
    void *at;
    size_t capacity;
};

static bool reserve_bytes(struct bytes *b, size_t size)
{
    if (size <= b->capacity)
        return true;
    void *const more = rd_h5_memory(realloc(b->at, size));
    if (!more)
        return false;
    b->at = more;
    b->capacity = size;
    return true;
}

/* Copies the compressed chunk at the offset, shifted along the growing axis. */
static bool copy_chunk(hid_t to, hid_t from, const hsize_t offset[], const struct rd_variable *v,
                       int64_t shift, struct bytes *b)
{
    hsize_t size = 0, target[RD_RANK_MOST];
    uint32_t filters = 0;
    if (H5Dget_chunk_storage_size(from, offset, &size) < 0)
        return false;
    if (size == 0)
        return true; /* never written: it reads as the fill value in the copy too */
    memcpy(target, offset, (size_t)v->rank * sizeof *target);
    target[rd_growth_place(v)] += (hsize_t)shift;
    return reserve_bytes(b, (size_t)size) &&
           H5Dread_chunk(from, H5P_DEFAULT, offset, &filters, b->at) >= 0 &&
           H5Dwrite_chunk(to, H5P_DEFAULT, filters, target, (size_t)size, b->at) >= 0;
}

/* Moves to the next chunk, the last axis fastest; returns false after the last one. */
static bool advance_chunk(hsize_t offset[], const hsize_t chunk[], const hsize_t extent[], int rank)
{
    for (int i = rank - 1; i >= 0; i--) {
        offset[i] += chunk[i];
        if (offset[i] < extent[i])
            return true;
        offset[i] = 0;
    }
    return false;
}

static bool copy_chunks(hid_t to, const struct rd_series *s, const struct source *source,
                        const hsize_t chunk[])
{
    const struct rd_variable *const v = &rd_variables[s->name];
    struct bytes b = {0};
    int64_t shift = 0;
    bool good = true;
    for (int i = source->first_part; good && i < source->parts->n; i++) {
        const int64_t n = rd_parts_length(source->parts, i, s->growth);
        const hid_t from = open_series(source, i, s);
        hsize_t offset[RD_RANK_MOST] = {0}, extent[RD_RANK_MOST];
        good = from >= 0 && extent_of(from, extent);
        for (bool more = good && n > 0; good && more;
             more = advance_chunk(offset, chunk, extent, v->rank))
            good = copy_chunk(to, from, offset, v, shift, &b) && !source->to->failure;
        rd_h5_drop(from);
        shift += n;
    }
    free(b.at);
    return good;
}

/* Reads the part of a data set that lies in the slab. The data set covers begin to begin + n of
   the growing axis. */
static bool read_piece(hid_t from, const struct rd_series *s, struct rd_slab slab, int64_t begin,
                       int64_t n, hid_t memory, void *values)
{
    const int64_t end = smaller_length(slab.first + slab.n, begin + n);
    const int64_t first = slab.first > begin ? slab.first : begin;
    const struct rd_slab there = {slab.first_run, slab.n_runs, first - begin, end - first};
    const struct rd_slab here = {0, slab.n_runs, first - slab.first, end - first};
    const hid_t space = H5Dget_space(from);
    const bool good = space >= 0 && rd_set_select(space, s, there) &&
                      rd_set_select(memory, s, here) &&
                      H5Dread(from, rd_number_type(rd_variables[s->name].number), memory, space,
                              H5P_DEFAULT, values) >= 0;
    rd_h5_drop(space);
    return good;
}

static bool read_source_slab(const struct rd_series *s, const struct source *source,
                             struct rd_slab slab, hid_t memory, void *values)
{
    int64_t begin = 0;
    bool good = true;
    for (int i = source->first_part; good && i < source->parts->n; i++) {
        const int64_t n = rd_parts_length(source->parts, i, s->growth);
        if (begin < slab.first + slab.n && slab.first < begin + n) {
            const hid_t from = open_series(source, i, s);
            good = from >= 0 && read_piece(from, s, slab, begin, n, memory, values);
            rd_h5_drop(from);
        }
        begin += n;
    }
    return good;
}

static bool copy_slab(hid_t to, const struct rd_series *s, const struct source *source,
                      struct rd_slab slab, void *values)
{
    const hid_t type = rd_number_type(rd_variables[s->name].number);
    const hid_t memory = rd_set_space(source->layout, s, slab.n_runs, slab.n);
    const hid_t space = H5Dget_space(to);
    const bool good = space >= 0 && read_source_slab(s, source, slab, memory, values) &&
                      H5Sselect_all(memory) >= 0 && rd_set_select(space, s, slab) &&
                      H5Dwrite(to, type, memory, space, H5P_DEFAULT, values) >= 0;
    rd_h5_drop(space);
    rd_h5_drop(memory);
    return good && !source->to->failure;
}

/* Returns the size of slabs of whole chunks, so that none is compressed twice: first all runs,
   then more along the growing axis, which has length n. */
static struct rd_slab slab_of(const struct rd_series *s, const struct rd_layout *l,
                              const hsize_t chunk[], int64_t n, size_t *bytes)
{
    const struct rd_variable *const v = &rd_variables[s->name];
    const int run = rd_axis_place(v, RD_AXIS_RUN), growing = rd_growth_place(v);
    const int64_t runs = run < 0 ? 1 : l->table[s->table].length[RD_AXIS_RUN];
    int64_t item = (int64_t)rd_number_size(v->number);
    for (int i = 0; i < v->rank; i++)
        if (i != run && i != growing)
            item *= l->table[s->table].length[v->axis[i]];
    struct rd_slab slab = {0, run < 0 ? 1 : (int64_t)chunk[run], 0, (int64_t)chunk[growing]};
    const int64_t more_runs = SLAB / (item * slab.n_runs * slab.n);
    slab.n_runs = smaller_length(runs, slab.n_runs * (more_runs > 0 ? more_runs : 1));
    const int64_t more = SLAB / (item * slab.n_runs * slab.n);
    slab.n = smaller_length(n, slab.n * (more > 0 ? more : 1));
    *bytes = (size_t)(item * slab.n_runs * slab.n);
    return slab;
}

static bool copy_values(hid_t to, const struct rd_series *s, const struct source *source,
                        const hsize_t chunk[])
{
    const struct rd_variable *const v = &rd_variables[s->name];
    const int64_t n = source_length(source, s);
    const int64_t n_runs =
        rd_axis_place(v, RD_AXIS_RUN) < 0 ? 1 : source->layout->table[s->table].length[RD_AXIS_RUN];
    size_t bytes = 0;
    const struct rd_slab size = slab_of(s, source->layout, chunk, n, &bytes);
    void *const values = rd_h5_memory(malloc(bytes));
    bool good = values != NULL;
    for (int64_t first = 0; good && first < n; first += size.n)
        for (int64_t r = 0; good && r < n_runs; r += size.n_runs)
            good = copy_slab(to, s, source,
                             (struct rd_slab){r, smaller_length(size.n_runs, n_runs - r), first,
                                              smaller_length(size.n, n - first)},
                             values);
    free(values);
    return good;
}

/* Copies all segments into `to`, which must have their length: compressed chunks as they are if the
   chunks have the same shape, values otherwise. Does not close `to`. */
static bool copy_series(hid_t to, const struct rd_series *s, const struct source *source)
{
    const struct rd_variable *const v = &rd_variables[s->name];
    if (source_length(source, s) == 0)
        return true;
    const hid_t from = open_series(source, source->first_part, s);
    hsize_t chunk[RD_RANK_MOST], there[RD_RANK_MOST];
    const bool good = from >= 0 && chunk_of(to, v->rank, chunk) && chunk_of(from, v->rank, there);
    rd_h5_drop(from);
    if (!good)
        return false;
    const bool same = memcmp(chunk, there, (size_t)v->rank * sizeof *chunk) == 0 &&
                      chunk[rd_growth_place(v)] == 1;
    return same ? copy_chunks(to, s, source, chunk) : copy_values(to, s, source, chunk);
}

/* ---- the files ---- */

static bool map_segments(hid_t plan, hid_t space, const struct rd_series *s,
                         const struct source *source)
{
    const int64_t n_runs = source->layout->table[s->table].length[RD_AXIS_RUN];
    int64_t begin = 0;
    bool good = true;
    for (int i = 0; good && i < source->parts->n; i++) {
        const int64_t n = rd_parts_length(source->parts, i, s->growth);
        if (n == 0)
            continue;
        const struct rd_path file =
            rd_parts_name_in_master(source->parts, source->parts->part[i].number);
        const hid_t there = rd_set_space(source->layout, s, n_runs, n);
        good = rd_set_select(space, s, (struct rd_slab){0, n_runs, begin, n}) &&
               H5Pset_virtual(plan, space, file.text, s->path, there) >= 0;
        rd_h5_drop(there);
        begin += n;
    }
    return good;
}

static hid_t make_virtual(hid_t file, const struct rd_series *s, void *how)
{
    const struct source *const source = how;
    const struct rd_layout *const l = source->layout;
    const hid_t plan = rd_set_plan(rd_variables[s->name].number);
    const hid_t space =
        rd_set_space(l, s, l->table[s->table].length[RD_AXIS_RUN], source_length(source, s));
    hid_t set = H5I_INVALID_HID;
    if (map_segments(plan, space, s, source))
        set = rd_set_create(file, s, space, plan);
    rd_h5_drop(space);
    rd_h5_drop(plan);
    return set;
}

static hid_t make_joined(hid_t file, const struct rd_series *s, void *how)
{
    const struct source *const source = how;
    const hid_t set = rd_set_result(source->layout, file, s, source_length(source, s));
    if (set >= 0 && copy_series(set, s, source))
        return set;
    rd_h5_drop(set);
    return H5I_INVALID_HID;
}

static bool make_framed(const char *path, const struct rd_parts *parts,
                        const struct rd_result_info *result_info, rd_make_series *make,
                        struct rd_error *e)
{
    struct rd_temporary_file temporary_file;
    struct source source = {result_info->layout, parts, 0, &temporary_file};
    return rd_temporary_file_open(&temporary_file, rd_parts_temporary_file(parts).text, path, e) &&
           rd_temporary_file_publish(
               &temporary_file, rd_metadata_write(temporary_file.file, result_info, make, &source),
               e);
}

bool rd_join_master(const char *path, const struct rd_parts *parts,
                    const struct rd_result_info *result_info, struct rd_error *e)
{
    return make_framed(path, parts, result_info, make_virtual, e);
}

bool rd_join_result(const char *path, const struct rd_parts *parts,
                    const struct rd_result_info *result_info, struct rd_error *e)
{
    return make_framed(path, parts, result_info, make_joined, e);
}

static bool join_series(hid_t file, const struct rd_series *s, const struct source *source)
{
    const struct rd_layout *const l = source->layout;
    const hid_t set = rd_set_segment(l, file, s);
    const bool good = set >= 0 && rd_set_extend(l, set, s, source_length(source, s)) &&
                      copy_series(set, s, source);
    rd_h5_drop(set);
    return good;
}

bool rd_join_segments(const struct rd_parts *parts, int n, const struct rd_layout *l,
                      struct rd_error *e)
{
    struct rd_temporary_file temporary_file;
    const struct source source = {l, parts, parts->n - n, &temporary_file};
    if (!rd_temporary_file_open(&temporary_file, rd_parts_temporary_file(parts).text,
                                rd_parts_path(parts, parts->next).text, e))
        return false;
    bool good = true;
    for (int i = 0; good && i < l->n_series; i++)
        good = join_series(temporary_file.file, &l->series[i], &source);
    return rd_temporary_file_publish(&temporary_file, good, e);
}
