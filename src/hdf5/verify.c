/* verify - reads every number of a file, chunk by chunk, so that HDF5 compares each chunk with its
   checksum. Texts have no chunks; they are compared with the checksum beside them. */
#include "hdf5/hdf5_file.h"

#include <stdio.h>
#include <stdlib.h>

/* Sets the bytes that are read at a time, unless one chunk has more. */
enum { SLAB = 1 << 22 };

struct verifying {
    const char *path;
    struct rd_error *e;
    bool good;
};

/* Describes one data set, and the slab that is read at a time. */
struct slabs {
    hid_t set, space, type;
    int rank;
    hsize_t length[H5S_MAX_RANK], slab[H5S_MAX_RANK];
    void *values;
    bool lacks_memory; /* there is none for the values */
};

/* Sets the shape of slabs of whole chunks, so that none is read twice; returns the bytes of a
   slab. */
static size_t shape_slab(struct slabs *s)
{
    const hid_t plan = H5Dget_create_plist(s->set);
    size_t bytes = H5Tget_size(s->type);
    if (plan < 0 || H5Pget_layout(plan) != H5D_CHUNKED ||
        H5Pget_chunk(plan, s->rank, s->slab) != s->rank)
        for (int i = 0; i < s->rank; i++)
            s->slab[i] = 1;
    rd_h5_drop(plan);
    for (int i = 0; i < s->rank; i++)
        bytes *= (size_t)s->slab[i];
    for (int i = s->rank - 1; i >= 0; i--) {
        const hsize_t capacity = bytes > 0 && SLAB / bytes > 0 ? SLAB / bytes : 1;
        const hsize_t pieces = (s->length[i] + s->slab[i] - 1) / s->slab[i];
        const hsize_t times = pieces < capacity ? pieces : capacity;
        bytes *= (size_t)(times > 0 ? times : 1);
        s->slab[i] *= times > 0 ? times : 1;
    }
    return bytes;
}

/* Moves to the next slab, the last axis fastest; returns false after the last one. */
static bool advance_slab(hsize_t at[], const struct slabs *s)
{
    for (int i = s->rank - 1; i >= 0; i--) {
        at[i] += s->slab[i];
        if (at[i] < s->length[i])
            return true;
        at[i] = 0;
    }
    return false;
}

static bool read_verified_slab(const struct slabs *s, const hsize_t at[])
{
    hsize_t n[H5S_MAX_RANK];
    for (int i = 0; i < s->rank; i++)
        n[i] = s->length[i] - at[i] < s->slab[i] ? s->length[i] - at[i] : s->slab[i];
    const hid_t memory = H5Screate_simple(s->rank, n, NULL);
    const bool good = H5Sselect_hyperslab(s->space, H5S_SELECT_SET, at, NULL, n, NULL) >= 0 &&
                      H5Dread(s->set, s->type, memory, s->space, H5P_DEFAULT, s->values) >= 0;
    rd_h5_drop(memory);
    return good;
}

static bool read_numbers(struct slabs *s)
{
    hsize_t at[H5S_MAX_RANK] = {0};
    s->rank = H5Sget_simple_extent_dims(s->space, s->length, NULL);
    if (s->rank < 0)
        return false;
    for (int i = 0; i < s->rank; i++)
        if (s->length[i] == 0)
            return true;
    s->values = malloc(shape_slab(s) + 1);
    s->lacks_memory = !s->values;
    bool good = s->values != NULL;
    while (good && (good = read_verified_slab(s, at)) && advance_slab(at, s))
        ;
    free(s->values);
    return good;
}

static bool is_set_readable(hid_t set, bool *lacks_memory)
{
    struct slabs s = {.set = set, .space = H5Dget_space(set)};
    const hid_t there = H5Dget_type(set);
    bool good = there >= 0 && s.space >= 0;
    if (good && H5Tget_class(there) == H5T_STRING) {
        good = rd_h5_check_texts(set);
    } else if (good) {
        s.type = H5Tget_native_type(there, H5T_DIR_DEFAULT);
        good = s.type >= 0 && read_numbers(&s);
        rd_h5_drop(s.type);
    }
    rd_h5_drop(there);
    rd_h5_drop(s.space);
    *lacks_memory = s.lacks_memory;
    return good;
}

static herr_t verify_set(hid_t file, const char *name, const H5O_info_t *about, void *to)
{
    struct verifying *const v = to;
    if (about->type != H5O_TYPE_DATASET)
        return 0;
    const hid_t set = H5Dopen2(file, name, H5P_DEFAULT);
    bool lacks_memory = false;
    const bool good = set >= 0 && is_set_readable(set, &lacks_memory);
    if (lacks_memory) {
        v->good = rd_fail(v->e, "%s: out of memory for reading /%s", v->path, name);
    } else if (!good) {
        char what[300];
        snprintf(what, sizeof what, "/%s is damaged: it cannot be read, or its checksum is wrong",
                 name);
        v->good = rd_h5_fail(v->e, v->path, what);
    }
    rd_h5_drop(set);
    return v->good ? 0 : 1;
}

bool rd_h5_verify(hid_t file, const char *path, struct rd_error *e)
{
    struct verifying v = {.path = path, .e = e, .good = true};
    return (H5Ovisit(file, H5_INDEX_NAME, H5_ITER_NATIVE, verify_set, &v) >= 0 ||
            rd_h5_fail(e, path, "is damaged: not all of its data sets can be found")) &&
           v.good;
}
