/* stored_file - checks of a result on disk that use HDF5 only. */
#ifndef RD_STORED_FILE_H
#define RD_STORED_FILE_H

#include "stored.h"

#include <hdf5.h>

static inline hid_t open_file(const char *path)
{
    const hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    assert_true(file >= 0);
    return file;
}

/* Returns all values of a data set of 32- or 64-bit numbers; the caller frees them. */
static inline void *values_of(hid_t file, const char *name, hid_t type, size_t *size)
{
    const hid_t set = H5Dopen2(file, name, H5P_DEFAULT);
    if (set < 0)
        fail_msg("there is no %s", name);
    const hid_t space = H5Dget_space(set);
    *size = (size_t)H5Sget_simple_extent_npoints(space) * H5Tget_size(type);
    void *const values = malloc(*size);
    assert_true(H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    H5Sclose(space);
    H5Dclose(set);
    return values;
}

static inline void assert_counts(hid_t file, const struct stored *s, int64_t n_times)
{
    const struct rd_model *const m = &s->model;
    size_t size;
    int32_t *const counts = values_of(file, "/counts", H5T_NATIVE_INT32, &size);
    const int32_t *count = counts;
    for (int64_t r = 0; r < m->n_runs; r++)
        for (int64_t t = 0; t < n_times; t++)
            for (int64_t k = 0; k < N_SPECIES; k++)
                for (int64_t i = 0; i < m->grid.n_sites; i++, count++)
                    if (*count != stored_count(t, r, k, i))
                        fail_msg("count %d of run %d, time %d, species %d, voxel %d", (int)*count,
                                 (int)r, (int)t, (int)k, (int)i);
    free(counts);
}

static inline void assert_sums(hid_t file, const char *name, const struct stored *s,
                               int64_t n_times, int64_t n_items, int64_t first)
{
    size_t size;
    int64_t *const sums = values_of(file, name, H5T_NATIVE_INT64, &size);
    const int64_t *sum = sums;
    assert_int_equal(size, s->model.n_runs * n_times * n_items * 8);
    for (int64_t r = 0; r < s->model.n_runs; r++)
        for (int64_t t = 0; t < n_times; t++)
            for (int64_t i = 0; i < n_items; i++)
                assert_true(*sum++ == stored_sum(t, r, first + i));
    free(sums);
}

static inline void assert_all(const char *path, const struct stored *s, int64_t n_times)
{
    const hid_t file = open_file(path);
    assert_counts(file, s, n_times);
    assert_sums(file, "/reactions", s, n_times, N_REACTIONS, 0);
    assert_sums(file, "/boundary", s, n_times, N_SPECIES * RD_FACES, 100);
    assert_sums(file, "/injected", s, n_times, N_SPECIES * RD_FACES, 200);
    size_t size;
    double *const time = values_of(file, "/time", H5T_NATIVE_DOUBLE, &size);
    assert_int_equal(size, (size_t)n_times * sizeof *time);
    for (int64_t t = 0; t < n_times; t++)
        assert_true(time[t] == stored_time(t));
    free(time);
    H5Fclose(file);
}

static inline char *text_of(hid_t at, const char *name)
{
    char *text = NULL;
    const hid_t attribute = H5Aopen(at, name, H5P_DEFAULT);
    const hid_t type = H5Aget_type(attribute);
    assert_true(H5Tis_variable_str(type) > 0 && H5Tget_cset(type) == H5T_CSET_UTF8);
    assert_true(H5Aread(attribute, type, &text) >= 0);
    H5Tclose(type);
    H5Aclose(attribute);
    return text;
}

static inline bool has_state(const char *path, const char *expected)
{
    const hid_t file = open_file(path);
    const hid_t group = H5Gopen2(file, "provenance", H5P_DEFAULT);
    char *const text = text_of(group, "state");
    const bool has = strcmp(text, expected) == 0;
    H5free_memory(text);
    H5Gclose(group);
    H5Fclose(file);
    return has;
}

/* Adds chunk shape and bytes of a data set to the hash, so that its storage does not matter. */
static inline herr_t hash_one(hid_t file, const char *name, const H5O_info_t *about, void *hash)
{
    if (about->type != H5O_TYPE_DATASET)
        return 0;
    const hid_t set = H5Dopen2(file, name, H5P_DEFAULT);
    const hid_t type = H5Dget_type(set);
    const hid_t plan = H5Dget_create_plist(set);
    hsize_t chunk[6] = {0};
    if (H5Pget_layout(plan) == H5D_CHUNKED)
        H5Pget_chunk(plan, 6, chunk);
    for (int i = 0; i < 6; i++)
        *(uint64_t *)hash = hash_step(*(uint64_t *)hash, chunk[i]);
    if (H5Tget_class(type) != H5T_STRING) {
        size_t size;
        unsigned char *const byte = values_of(file, name, type, &size);
        for (size_t i = 0; i < size; i++)
            *(uint64_t *)hash = hash_step(*(uint64_t *)hash, byte[i]);
        free(byte);
    }
    H5Pclose(plan);
    H5Tclose(type);
    H5Dclose(set);
    return 0;
}

/* Returns a hash of everything in which two equal results must agree. */
static inline uint64_t hash_of(const char *path)
{
    uint64_t hash = PROBABILITY_HASH_START;
    const hid_t file = open_file(path);
    assert_true(H5Ovisit(file, H5_INDEX_NAME, H5_ITER_INC, hash_one, &hash) >= 0);
    H5Fclose(file);
    return hash;
}

#endif
