/* test_chunks - tests that chunks that threads compress have the bytes that HDF5 itself writes. */
#include "hdf5/chunks.h"

#include "hdf5/hdf5_file.h"
#include "stage.h"
#include "stored.h"

enum { RANK = 3, VALUES = 21 * 34 };

/* Describes a case: the extent, of which the first axis may grow; the chunk; bytes of a value; the
   level. */
struct set_case {
    hsize_t length[RANK], chunk[RANK];
    int bytes, level;
};

static hid_t type_of(const struct set_case *c)
{
    return c->bytes == 4 ? H5T_NATIVE_INT32 : H5T_NATIVE_DOUBLE;
}

static hid_t make_set(hid_t file, const char *name, const struct set_case *c)
{
    const int32_t minus = -1;
    const hid_t plan = H5Pcreate(H5P_DATASET_CREATE);
    hsize_t most[RANK];
    memcpy(most, c->length, sizeof most);
    most[0] = H5S_UNLIMITED;
    const hid_t space = H5Screate_simple(RANK, c->length, most);
    assert_true(H5Pset_fill_value(plan, H5T_NATIVE_INT32, &minus) >= 0);
    assert_true(H5Pset_chunk(plan, RANK, c->chunk) >= 0);
    if (c->level > 0)
        assert_true(H5Pset_shuffle(plan) >= 0 && H5Pset_deflate(plan, (unsigned)c->level) >= 0);
    assert_true(H5Pset_fletcher32(plan) >= 0);
    const hid_t set = H5Dcreate2(file, name, type_of(c), space, H5P_DEFAULT, plan, H5P_DEFAULT);
    assert_true(set >= 0);
    rd_h5_drop(space);
    rd_h5_drop(plan);
    return set;
}

/* Fills the values of one row of the first axis: small numbers, some of them negative. */
static void fill_values(const struct set_case *c, void *values)
{
    uint32_t x = 12345;
    for (hsize_t i = 0; i < c->length[1] * c->length[2]; i++) {
        x = x * 1664525u + 1013904223u;
        if (c->bytes == 4)
            ((int32_t *)values)[i] = (int32_t)(x >> 28) - 3;
        else
            ((double *)values)[i] = (double)(x >> 20) / 7.0;
    }
}

/* Writes a row as HDF5 does. */
static void write_plainly(hid_t set, const struct set_case *c, const hsize_t first[],
                          const hsize_t length[], const void *values)
{
    const hid_t space = H5Dget_space(set), memory = H5Screate_simple(RANK, length, NULL);
    assert_true(H5Sselect_hyperslab(space, H5S_SELECT_SET, first, NULL, length, NULL) >= 0);
    assert_true(H5Dwrite(set, type_of(c), memory, space, H5P_DEFAULT, values) >= 0);
    rd_h5_drop(memory);
    rd_h5_drop(space);
}

static void assert_same_chunk(hid_t a, hid_t b, const hsize_t offset[])
{
    static unsigned char bytes[2][1 << 16];
    hsize_t n_a = 0, n_b = 0;
    uint32_t mask_a = 1, mask_b = 1;
    assert_true(H5Dget_chunk_storage_size(a, offset, &n_a) >= 0);
    assert_true(H5Dget_chunk_storage_size(b, offset, &n_b) >= 0);
    assert_int_equal(n_a, n_b);
    assert_in_range(n_a, 1, sizeof bytes[0]);
    assert_true(H5Dread_chunk(a, H5P_DEFAULT, offset, &mask_a, bytes[0]) >= 0);
    assert_true(H5Dread_chunk(b, H5P_DEFAULT, offset, &mask_b, bytes[1]) >= 0);
    assert_int_equal(mask_a, 0);
    assert_int_equal(mask_b, 0);
    assert_memory_equal(bytes[0], bytes[1], n_a);
}

/* Writes the row at `row` both ways; compares all of its chunks. */
static void compare_row(hid_t plain, hid_t packed, const struct set_case *c, hsize_t row,
                        int threads)
{
    double values[VALUES];
    const hsize_t first[RANK] = {row}, length[RANK] = {1, c->length[1], c->length[2]};
    fill_values(c, values);
    write_plainly(plain, c, first, length, values);
    assert_true(H5Dflush(plain) >= 0);
    assert_true(rd_chunks_write(packed, first, length, values, threads));
    for (hsize_t i = 0; i < length[1]; i += c->chunk[1])
        for (hsize_t k = 0; k < length[2]; k += c->chunk[2])
            assert_same_chunk(plain, packed, (hsize_t[]){row, i, k});
}

static void chunks_have_the_bytes_of_hdf5(void **state)
{
    (void)state;
    static const struct set_case cases[] = {
        {{2, 21, 34}, {1, 7, 17}, 4, 4},  /* whole chunks */
        {{2, 21, 34}, {1, 4, 10}, 4, 1},  /* the last ones end at the extent */
        {{2, 21, 34}, {1, 21, 1}, 8, 9},  /* columns */
        {{2, 1, 33}, {1, 1, 2}, 8, 6},    /* the last chunk holds one value */
        {{2, 5, 3}, {1, 3, 3}, 4, 4},     /* an odd number of compressed bytes, or not */
        {{2, 20, 30}, {1, 19, 30}, 4, 2}, /* a small last chunk */
    };
    stored_folder("chunks_have_the_bytes");
    const hid_t file = H5Fcreate("file.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int threads = 1; threads <= 3; threads += 2) {
            char plain_name[32], packed_name[32];
            snprintf(plain_name, sizeof plain_name, "plain_%zu_%d", i, threads);
            snprintf(packed_name, sizeof packed_name, "packed_%zu_%d", i, threads);
            const hid_t plain = make_set(file, plain_name, &cases[i]);
            const hid_t packed = make_set(file, packed_name, &cases[i]);
            compare_row(plain, packed, &cases[i], 0, threads);
            compare_row(plain, packed, &cases[i], 1, threads);
            rd_h5_drop(packed);
            rd_h5_drop(plain);
        }
    assert_true(H5Fclose(file) >= 0);
    stored_leave();
}

static void other_data_sets_are_refused(void **state)
{
    (void)state;
    static const struct set_case cases[] = {
        {{2, 4, 6}, {1, 4, 6}, 4, 4}, /* one chunk a row */
        {{2, 4, 6}, {1, 2, 6}, 4, 0}, /* no compression */
        {{2, 4, 6}, {2, 2, 6}, 4, 4}, /* chunks of two rows */
    };
    double values[VALUES] = {0};
    stored_folder("other_data_sets_are_refused");
    const hid_t file = H5Fcreate("file.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const hsize_t first[RANK] = {0}, length[RANK] = {1, 4, 6};
        const char name[2] = {(char)('a' + i), 0};
        const hid_t set = make_set(file, name, &cases[i]);
        assert_false(rd_chunks_write(set, first, length, values, 2));
        rd_h5_drop(set);
    }
    const struct set_case aligned = {{2, 4, 6}, {1, 2, 3}, 4, 4};
    const hid_t set = make_set(file, "aligned", &aligned);
    const hsize_t first[RANK] = {0, 1, 0}, length[RANK] = {1, 3, 6};
    assert_false(rd_chunks_write(set, first, length, values, 2));
    rd_h5_drop(set);
    assert_true(H5Fclose(file) >= 0);
    stored_leave();
}

int test_chunks(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chunks_have_the_bytes_of_hdf5),
        cmocka_unit_test(other_data_sets_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
