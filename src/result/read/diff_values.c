/* diff_values - compares two data sets block by block. */
#include "result/read/diff_values.h"

#include "hdf5/hdf5_file.h"
#include "result/format/data_set.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Lists the values that are read at a time, of each data set. */
enum { BLOCK = 1 << 20 };

/* Describes a box of the data sets, with its values. */
struct block {
    const struct rd_values *v;
    hsize_t start[RD_RANK_MOST], shape[RD_RANK_MOST], count[RD_RANK_MOST];
    char *value[2];
    size_t size; /* of a value, in bytes */
};

/* Sets the shape of blocks: whole axes from the last one on, up to BLOCK values. */
static void shape_block(struct block *b)
{
    hsize_t capacity = BLOCK;
    for (int i = b->v->rank - 1; i >= 0; i--) {
        b->shape[i] = b->v->length[i] < capacity ? b->v->length[i] : capacity;
        capacity /= b->shape[i];
    }
}

static hsize_t clip_block(struct block *b)
{
    hsize_t n = 1;
    for (int i = 0; i < b->v->rank; i++) {
        const hsize_t left = b->v->length[i] - b->start[i];
        b->count[i] = left < b->shape[i] ? left : b->shape[i];
        n *= b->count[i];
    }
    return n;
}

/* Moves to the next block; returns false behind the last one. */
static bool next_block(struct block *b)
{
    for (int i = b->v->rank - 1; i >= 0; i--) {
        b->start[i] += b->shape[i];
        if (b->start[i] < b->v->length[i])
            return true;
        b->start[i] = 0;
    }
    return false;
}

static bool read_value_block(const struct block *b, int side)
{
    const struct rd_values *const v = b->v;
    const hid_t space = H5Dget_space(v->set[side]);
    const hid_t memory = H5Screate_simple(v->rank, b->count, NULL);
    const bool good =
        H5Sselect_hyperslab(space, H5S_SELECT_SET, b->start, NULL, b->count, NULL) >= 0 &&
        H5Dread(v->set[side], rd_number_type(v->number), memory, space, H5P_DEFAULT,
                b->value[side]) >= 0;
    rd_h5_drop(memory);
    rd_h5_drop(space);
    return good;
}

/* Computes the place in the data set of value i of the block. */
static void find_block_place(const struct block *b, hsize_t i, hsize_t at[RD_RANK_MOST])
{
    for (int axis = b->v->rank - 1; axis >= 0; axis--) {
        at[axis] = b->start[axis] + i % b->count[axis];
        i /= b->count[axis];
    }
}

static int64_t integer_at(const struct block *b, int side, hsize_t i)
{
    const char *const at = b->value[side] + i * b->size;
    int32_t small;
    int64_t large;
    if (b->v->number == RD_INT32)
        return memcpy(&small, at, sizeof small), small;
    return memcpy(&large, at, sizeof large), large;
}

static void write_block_value(const struct block *b, int side, hsize_t i, char text[32])
{
    double real;
    memcpy(&real, b->value[side] + i * b->size, b->v->number == RD_REAL ? sizeof real : 0);
    if (b->v->number == RD_REAL)
        snprintf(text, 32, "%.17g", real);
    else
        snprintf(text, 32, "%" PRId64, integer_at(b, side, i));
}

/* Counts a difference, and keeps it if it is the first one along the axis `first`. Blocks come
   in the order of the file, which may have another axis outermost. */
static void note_difference(const struct block *b, hsize_t i, struct rd_difference *d)
{
    hsize_t at[RD_RANK_MOST];
    find_block_place(b, i, at);
    if (d->n++ > 0 && at[b->v->first] >= d->at[b->v->first])
        return;
    memcpy(d->at, at, sizeof at);
    for (int side = 0; side < 2; side++)
        write_block_value(b, side, i, d->value[side]);
}

static void look_for_missing(const struct block *b, hsize_t n, struct rd_difference *d)
{
    for (int side = 0; side < 2; side++)
        for (hsize_t i = 0; i < n && !d->is_missing[side]; i++)
            d->is_missing[side] = integer_at(b, side, i) < 0;
}

static void compare_block(const struct block *b, hsize_t n, struct rd_difference *d)
{
    if (b->v->never_negative)
        look_for_missing(b, n, d);
    if (memcmp(b->value[0], b->value[1], n * b->size) == 0)
        return;
    for (hsize_t i = 0; i < n; i++)
        if (memcmp(b->value[0] + i * b->size, b->value[1] + i * b->size, b->size) != 0)
            note_difference(b, i, d);
}

static bool read_one(const struct block *b, int side, const char *path, struct rd_error *e)
{
    char file[512] = "", what[128];
    if (read_value_block(b, side))
        return true;
    H5Fget_name(b->v->set[side], file, sizeof file);
    snprintf(what, sizeof what, "/%s cannot be read", path);
    return rd_h5_fail(e, file, what);
}

static bool compare_all_blocks(struct block *b, struct rd_difference *d, const char *path,
                               struct rd_error *e)
{
    do {
        const hsize_t n = clip_block(b);
        if (!read_one(b, 0, path, e) || !read_one(b, 1, path, e))
            return false;
        compare_block(b, n, d);
    } while (next_block(b));
    return true;
}

bool rd_values_compare(const struct rd_values *v, struct rd_difference *d, const char *path,
                       struct rd_error *e)
{
    struct block b = {.v = v, .size = rd_number_size(v->number)};
    *d = (struct rd_difference){0};
    for (int i = 0; i < v->rank; i++)
        if (v->length[i] == 0)
            return true;
    shape_block(&b);
    size_t bytes = b.size;
    for (int i = 0; i < v->rank; i++)
        bytes *= (size_t)b.shape[i];
    b.value[0] = malloc(bytes);
    b.value[1] = malloc(bytes);
    const bool good = b.value[0] && b.value[1]
                          ? compare_all_blocks(&b, d, path, e)
                          : rd_fail(e, "%s: out of memory for its values", path);
    free(b.value[0]);
    free(b.value[1]);
    return good;
}
