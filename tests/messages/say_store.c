/* say_store - tests results that cannot be started, read or shown, and the messages for them. */
#define _POSIX_C_SOURCE 200809L
#include "stored.h"

#include <hdf5.h>

static void assert_message(struct rd_error *e, bool good, const char *expected)
{
    if (good)
        fail_msg("there is no message instead of '%s'", expected);
    assert_non_null(e->text);
    assert_string_equal(e->text, expected);
    rd_error_free(e);
}

static void refuse_open(const char *path, bool force, const char *expected)
{
    struct stored *const s = stored_make(1, 1, 1, 1, 1);
    struct rd_error e = {0};
    rd_store *store = NULL;
    bool good = rd_store_check(path, force, &e);
    assert_message(&e, good, expected);
    good = rd_store_open(&store, path, force, &s->record, &e);
    assert_null(store);
    assert_message(&e, good, expected);
    stored_free(s);
}

static void put_file(const char *path, const char *text)
{
    FILE *const file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void unusable_paths_are_refused(void **state)
{
    (void)state;
    stored_folder("unusable_paths_are_refused");
    put_file("old.h5", "mine");
    assert_int_equal(mkdir("folder", 0777), 0);
    assert_int_equal(mkdir("left.h5.parts", 0777), 0);
    put_file("odd.h5.parts", "");
    assert_int_equal(symlink("nowhere.h5", "loose.h5"), 0);
    assert_int_equal(symlink("old.h5", "link.h5"), 0);
    assert_true(rd_store_check("new.h5", false, NULL) && rd_store_check("old.h5", true, NULL) &&
                rd_store_check("left.h5", true, NULL));
    refuse_open("old.h5", false,
                "old.h5: exists; use --force to replace it, or --output FILE to write another");
    refuse_open("folder", true, "folder: is a folder; name a file for the result");
    refuse_open("folder/", false, "folder/: is a folder; name a file for the result");
    refuse_open("", false, "the result's file has no name; give one with --output FILE");
    refuse_open("no/such/out.h5", false, "no/such/out.h5: there is no folder 'no/such'; create it");
    refuse_open("old.h5/out.h5", true,
                "old.h5/out.h5: cannot be written in 'old.h5': Not a directory; name a file "
                "elsewhere");
    refuse_open("/dev/null", true,
                "/dev/null: is not a regular file, and is not replaced; name another file");
    refuse_open(
        "link.h5", true,
        "link.h5: is a symbolic link to 'old.h5', and is not replaced; name the file itself");
    refuse_open("loose.h5", false,
                "loose.h5: is a symbolic link to 'nowhere.h5', and is not replaced; name the file "
                "itself");
    refuse_open("left.h5", false,
                "left.h5.parts: contains the segments of a killed run; replace them with --force, "
                "or write elsewhere with --output FILE");
    refuse_open(
        "odd.h5", true,
        "odd.h5.parts: is not a folder, but the segments of a result need one; move it elsewhere");
    char name[5001];
    memset(name, 'n', 5000);
    name[5000] = 0;
    refuse_open(name, false, "the result's file has a name of 5000 characters; use at most 4049");
    assert_int_equal(stored_entries("."), 6); /* the folder is unchanged */
    stored_leave();
}

static void refuse_read(const char *path, double at, int64_t run, int32_t nx, const char *expected)
{
    int32_t count[64];
    struct rd_error e = {0};
    const struct rd_wanted wanted = stored_wanted(path, at, run, nx, 2, 1);
    const bool good = stored_read(&wanted, (int32_t *[]){count}, &e);
    assert_message(&e, good, expected);
}

static void refuse_info(const char *path, const char *expected)
{
    FILE *const out = tmpfile();
    struct rd_error e = {0};
    const bool good = rd_store_info(path, out, &e);
    assert_int_equal(ftell(out), 0);
    fclose(out);
    assert_message(&e, good, expected);
}

static void files_that_are_no_results_are_refused(void **state)
{
    (void)state;
    stored_folder("files_that_are_no_results_are_refused");
    put_file("empty.h5", "");
    put_file("text.h5", "title = \"a configuration\";\n");
    assert_int_equal(mkdir("folder", 0777), 0);
    H5Fclose(H5Fcreate("other.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    refuse_read(
        "gone.h5", 0, 0, 3,
        "a.cfg:7: gone.h5: cannot be read: No such file or directory; name a result of rdsim");
    refuse_info("gone.h5",
                "gone.h5: cannot be read: No such file or directory; name a result of rdsim");
    refuse_info(
        "folder",
        "folder: cannot be read: it is a folder, not a regular file; name a result of rdsim");
    refuse_info(
        "/dev/null",
        "/dev/null: cannot be read: it is a device, not a regular file; name a result of rdsim");
    refuse_info("empty.h5", "empty.h5: is empty; name a result");
    refuse_info("text.h5", "text.h5: is not an HDF5 file; name a result of rdsim");
    refuse_info("other.h5", "other.h5: is an HDF5 file, but no result of rdsim (it has no "
                            "rdsim_format); name a result");
    stored_leave();
}

static void missing_data_are_reported(void **state)
{
    (void)state;
    stored_folder("missing_data_are_reported");
    struct stored *const s = stored_make(3, 2, 1, 2, 3);
    stored_write(s, "out.h5");
    s->output.keep = RD_KEEP_TOTALS;
    stored_write(s, "totals.h5");
    refuse_read(
        "out.h5", 0, 5, 4,
        "a.cfg:7: out.h5: has 3 x 2 x 1 voxels, and this grid has 4 x 2 x 1; use the same grid");
    refuse_read("out.h5", 0.13, 5, 3,
                "a.cfg:7: out.h5: has no snapshot at time 0.13; use the nearest one, at 0.1");
    refuse_read("out.h5", 0, 7, 3, "a.cfg:7: out.h5: has no run 7; use a run from 5 to 6");
    refuse_read(
        "totals.h5", 0, 5, 3,
        "a.cfg:7: totals.h5: contains no counts of voxels; write them with output.keep = \"all\"");
    stored_free(s);
    stored_leave();
}

/* Tests earlier results that could be continued only in part, or on another scale. */
static void partial_initial_states_are_refused(void **state)
{
    (void)state;
    stored_folder("partial_initial_states_are_refused");
    struct stored *const s = stored_make(3, 2, 1, 1, 3);
    stored_write(s, "out.h5");
    const struct rd_snapshot last = stored_snapshot(s, 2);
    int32_t count[6];
    int32_t *to[] = {count};
    struct rd_error e = {0};
    struct rd_wanted wanted = stored_wanted("out.h5", 0.2, 5, 3, 2, 1);
    assert_true(stored_read(&wanted, to, &e));
    wanted.is_all = true;
    char expected[512], *at = expected;
    static const char *const name[] = {NULL, "B\xce\xb2", "C"};
    for (int k = 1; k < N_SPECIES; k++)
        at += sprintf(at,
                      "%sa.cfg:7: out.h5: has %lld molecules of '%s' at time 0.2, which is not "
                      "declared; declare it, or name the wanted species",
                      k > 1 ? "\n" : "", (long long)last.totals[k], name[k]);
    assert_message(&e, stored_read(&wanted, to, &e), expected);
    wanted.is_all = false;
    wanted.species = (char *[]){"none"};
    assert_message(&e, stored_read(&wanted, to, &e),
                   "a.cfg:7: out.h5: has no species 'none'; name another");
    wanted.edge[1] = 0.5;
    assert_message(&e, stored_read(&wanted, to, &e),
                   "a.cfg:7: out.h5: has voxels of 0.5 x 0.25 x 2, and this grid of 0.5 x 0.5 x 2; "
                   "use the same grid");
    stored_free(s);
    stored_leave();
}

/* Tests files that claim to be results and are not: no number in them is trusted. */
static void inconsistent_results_are_refused(void **state)
{
    (void)state;
    stored_folder("inconsistent_results_are_refused");
    struct stored *const s = stored_make(3, 2, 1, 2, 3);
    stored_write(s, "out.h5");
    hid_t file = H5Fopen("out.h5", H5F_ACC_RDWR, H5P_DEFAULT);
    const hid_t one = H5Screate_simple(1, (hsize_t[]){1}, NULL);
    assert_true(H5Ldelete(file, "species", H5P_DEFAULT) >= 0);
    H5Dclose(
        H5Dcreate2(file, "species", H5T_NATIVE_INT32, one, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    H5Fclose(file);
    refuse_read("out.h5", 0, 5, 3,
                "a.cfg:7: out.h5: its counts do not fit its runs, times and species");
    file = H5Fopen("out.h5", H5F_ACC_RDWR, H5P_DEFAULT);
    const hid_t format = H5Aopen(file, "rdsim_format", H5P_DEFAULT);
    assert_true(H5Awrite(format, H5T_NATIVE_INT, (int[]){3}) >= 0);
    H5Aclose(format);
    H5Fclose(file);
    refuse_info(
        "out.h5",
        "out.h5: has format 3, and this program reads format 2; use the program that wrote it");
    H5Sclose(one);
    stored_free(s);
    stored_leave();
}

/* Writes these numbers, of one run, time and species in two rows of three voxels, in place of
   counts. */
static void put_counts(hid_t type, const void *number)
{
    const hid_t file = H5Fopen("out.h5", H5F_ACC_RDWR, H5P_DEFAULT);
    const hid_t space = H5Screate_simple(6, (hsize_t[]){1, 1, N_SPECIES, 1, 2, 3}, NULL);
    assert_true(H5Ldelete(file, "counts", H5P_DEFAULT) >= 0);
    const hid_t set =
        H5Dcreate2(file, "counts", type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, number) >= 0);
    H5Dclose(set);
    H5Sclose(space);
    H5Fclose(file);
}

/* Tests counts that HDF5 would clamp or truncate without an error. */
static void invalid_counts_are_refused(void **state)
{
    (void)state;
    enum { BAD = 4, N = 6 * N_SPECIES };
    stored_folder("invalid_counts_are_refused");
    struct stored *const s = stored_make(3, 2, 1, 1, 1);
    stored_write(s, "out.h5");
    char expected[256];
    static const double real[] = {1.5, NAN, -1, 1e10, INFINITY};
    static const char *const printed[] = {"1.5", "nan", "-1", "10000000000", "inf"};
    static const char *const form = "a.cfg:7: out.h5: counts[0, 0, 0, 0, 1, 1] is %s, 'A' at time "
                                    "0; use integers from 0 to 2147483647";
    for (int i = 0; i < 5; i++) {
        double number[N] = {7, 8, 9, 0, real[i]};
        put_counts(H5T_NATIVE_DOUBLE, number);
        snprintf(expected, sizeof expected, form, printed[i]);
        refuse_read("out.h5", NAN, 5, 3, expected);
    }
    static const int64_t whole[] = {INT64_C(1) << 40, INT64_C(1) << 31, -1, -7};
    for (int i = 0; i < 4; i++) {
        int64_t number[N] = {7, 8, 9, 0, whole[i]};
        put_counts(H5T_NATIVE_INT64, number);
        snprintf(expected, sizeof expected, form,
                 (const char *[]){"1099511627776", "2147483648", "-1", "-7"}[i]);
        refuse_read("out.h5", NAN, 5, 3, expected);
    }
    const uint64_t large[N] = {[BAD] = UINT64_MAX};
    put_counts(H5T_NATIVE_UINT64, large);
    snprintf(expected, sizeof expected, form, "18446744073709551615");
    refuse_read("out.h5", NAN, 5, 3, expected);
    const double most[N] = {[BAD] = INT32_MAX}; /* a floating-point type, but valid counts */
    put_counts(H5T_NATIVE_DOUBLE, most);
    int32_t count[6];
    struct rd_error e = {0};
    const struct rd_wanted wanted = stored_wanted("out.h5", NAN, 5, 3, 2, 1);
    assert_true(stored_read(&wanted, (int32_t *[]){count}, &e));
    assert_true(count[BAD] == INT32_MAX && count[0] == 0);
    stored_free(s);
    stored_leave();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unusable_paths_are_refused),
        cmocka_unit_test(files_that_are_no_results_are_refused),
        cmocka_unit_test(missing_data_are_reported),
        cmocka_unit_test(partial_initial_states_are_refused),
        cmocka_unit_test(inconsistent_results_are_refused),
        cmocka_unit_test(invalid_counts_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
