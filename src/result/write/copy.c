/* copy - copies one series out of many segments into one data set: compressed chunks as they are
   if the chunks have the same shape, values otherwise. */
#include "result/write/copy.h"

#include "hdf5/hdf5_file.h"

#include <stdlib.h>
#include <string.h>

/* Bytes of values in memory at a time, unless one chunk has more. */
enum { SLAB = 1 << 20 };

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

int64_t rd_source_length(const struct rd_source *source, const struct rd_series *s)
{
    int64_t n = 0;
    for (int i = source->first_part; i < source->parts->n; i++)
        n += rd_parts_length(source->parts, i, s->growth);
    return n;
}

/* Opens the series' data set in a segment; closing it closes the file. */
static hid_t open_series(const struct rd_source *source, int part, const struct rd_series *s)
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

/* A buffer that grows. */
struct bytes {
    void *at;
    size_t capacity;
};

static bool make_capacity(struct bytes *b, size_t size)
{
    if (size <= b->capacity)
        return true;
    void *const more = realloc(b->at, size);
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
    return make_capacity(b, (size_t)size) &&
           H5Dread_chunk(from, H5P_DEFAULT, offset, &filters, b->at) >= 0 &&
           H5Dwrite_chunk(to, H5P_DEFAULT, filters, target, (size_t)size, b->at) >= 0;
}

/* Moves to the next chunk, the last axis fastest; returns false after the last one. */
static bool advance(hsize_t offset[], const hsize_t chunk[], const hsize_t extent[], int rank)
{
    for (int i = rank - 1; i >= 0; i--) {
        offset[i] += chunk[i];
        if (offset[i] < extent[i])
            return true;
        offset[i] = 0;
    }
    return false;
}

static bool copy_chunks(hid_t to, const struct rd_series *s, const struct rd_source *source,
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
             more = advance(offset, chunk, extent, v->rank))
            good = copy_chunk(to, from, offset, v, shift, &b) && !source->temporary_file->failure;
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
    const int64_t end = least(slab.first + slab.n, begin + n);
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

static bool read_slab(const struct rd_series *s, const struct rd_source *source,
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

static bool copy_slab(hid_t to, const struct rd_series *s, const struct rd_source *source,
                      struct rd_slab slab, void *values)
{
    const hid_t type = rd_number_type(rd_variables[s->name].number);
    const hid_t memory = rd_set_space(source->layout, s, slab.n_runs, slab.n);
    const hid_t space = H5Dget_space(to);
    const bool good = space >= 0 && read_slab(s, source, slab, memory, values) &&
                      H5Sselect_all(memory) >= 0 && rd_set_select(space, s, slab) &&
                      H5Dwrite(to, type, memory, space, H5P_DEFAULT, values) >= 0;
    rd_h5_drop(space);
    rd_h5_drop(memory);
    return good && !source->temporary_file->failure;
}

/* Returns the size of slabs of whole chunks, so that none is compressed twice: first all runs,
   then more along the growing axis, which has length n. */
static struct rd_slab slab_of(const struct rd_variable *v, const struct rd_layout *l,
                              const hsize_t chunk[], int64_t n, size_t *bytes)
{
    const int run = rd_axis_place(v, RD_AXIS_RUN), growing = rd_growth_place(v);
    const int64_t runs = run < 0 ? 1 : l->length[RD_AXIS_RUN];
    int64_t item = (int64_t)rd_number_size(v->number);
    for (int i = 0; i < v->rank; i++)
        if (i != run && i != growing)
            item *= l->length[v->axis[i]];
    struct rd_slab slab = {0, run < 0 ? 1 : (int64_t)chunk[run], 0, (int64_t)chunk[growing]};
    const int64_t more_runs = SLAB / (item * slab.n_runs * slab.n);
    slab.n_runs = least(runs, slab.n_runs * (more_runs > 0 ? more_runs : 1));
    const int64_t more = SLAB / (item * slab.n_runs * slab.n);
    slab.n = least(n, slab.n * (more > 0 ? more : 1));
    *bytes = (size_t)(item * slab.n_runs * slab.n);
    return slab;
}

static bool copy_values(hid_t to, const struct rd_series *s, const struct rd_source *source,
                        const hsize_t chunk[])
{
    const struct rd_variable *const v = &rd_variables[s->name];
    const int64_t n = rd_source_length(source, s);
    const int64_t n_runs =
        rd_axis_place(v, RD_AXIS_RUN) < 0 ? 1 : source->layout->length[RD_AXIS_RUN];
    size_t bytes = 0;
    const struct rd_slab size = slab_of(v, source->layout, chunk, n, &bytes);
    void *const values = malloc(bytes);
    bool good = values != NULL;
    for (int64_t first = 0; good && first < n; first += size.n)
        for (int64_t r = 0; good && r < n_runs; r += size.n_runs)
            good = copy_slab(to, s, source,
                             (struct rd_slab){r, least(size.n_runs, n_runs - r), first,
                                              least(size.n, n - first)},
                             values);
    free(values);
    return good;
}

bool rd_series_copy(hid_t to, const struct rd_series *s, const struct rd_source *source)
{
    const struct rd_variable *const v = &rd_variables[s->name];
    if (rd_source_length(source, s) == 0)
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
