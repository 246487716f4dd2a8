/* test_store_values - comparison of two data sets of several blocks. */
#include "stored.h"

#include "hdf5/hdf5_file.h"
#include "result/read/diff_values.h"

enum { RANK = 3, WIDE = 900, LONG = 3 };
static const hsize_t length[RANK] = {LONG, WIDE, WIDE + 1};

static hid_t set_of(hid_t file, const char *name, const int64_t *value)
{
    const hid_t space = H5Screate_simple(RANK, length, NULL);
    const hid_t set =
        H5Dcreate2(file, name, H5T_NATIVE_INT64, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(H5Dwrite(set, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, value) >= 0);
    H5Sclose(space);
    return set;
}

static size_t place(hsize_t i, hsize_t j, hsize_t k)
{
    return (size_t)((i * length[1] + j) * length[2] + k);
}

/* Compares data sets of sevens; n values of b are replaced by OTHER, OTHER + 1, ... */
static struct rd_difference compared(const size_t *at, int n, int first, int64_t other, bool never)
{
    const size_t size = place(LONG, 0, 0);
    int64_t *const value = malloc(size * sizeof *value);
    struct rd_error e = {0};
    struct rd_difference d;
    for (size_t i = 0; i < size; i++)
        value[i] = 7;
    const hid_t file = H5Fcreate("values.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    const hid_t a = set_of(file, "a", value);
    for (int i = 0; i < n; i++)
        value[at[i]] = other + i;
    const hid_t b = set_of(file, "b", value);
    const struct rd_values v = {.set = {a, b},
                                .rank = RANK,
                                .length = {LONG, WIDE, WIDE}, /* one less than the file has */
                                .first = first,
                                .number = RD_INT64,
                                .never_negative = never};
    assert_true(rd_values_compare(&v, &d, "values.h5", &e));
    H5Dclose(a);
    H5Dclose(b);
    H5Fclose(file);
    free(value);
    return d;
}

static void every_block_is_compared(void **state)
{
    (void)state;
    stored_folder("every_block_is_compared");
    const size_t at[] = {place(1, 5, 899), place(1, 899, 0), place(2, 0, 3), place(2, 899, 899),
                         place(0, 0, 900) /* is not compared */};
    struct rd_difference d = compared(at, 5, 0, 40, true);
    assert_int_equal(d.n, 4);
    assert_true(d.at[0] == 1 && d.at[1] == 5 && d.at[2] == 899);
    assert_string_equal(d.value[0], "7");
    assert_string_equal(d.value[1], "40");
    assert_false(d.is_missing[0] || d.is_missing[1]);
    d = compared(at, 5, 1, 40, true);
    assert_true(d.at[0] == 2 && d.at[1] == 0 && d.at[2] == 3);
    assert_string_equal(d.value[1], "42");
    d = compared(at + 4, 1, 0, 40, true);
    assert_int_equal(d.n, 0);
    stored_leave();
}

static void unwritten_values_are_compared(void **state)
{
    (void)state;
    stored_folder("unwritten_values_are_compared");
    const size_t at[] = {place(2, 897, 4)};
    struct rd_difference d = compared(at, 1, 0, -1, true);
    assert_true(d.is_missing[1] && !d.is_missing[0]);
    d = compared(at, 1, 0, -1, false);
    assert_false(d.is_missing[1] || d.is_missing[0]);
    assert_int_equal(d.n, 1);
    stored_leave();
}

int test_store_values(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_block_is_compared),
        cmocka_unit_test(unwritten_values_are_compared),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
