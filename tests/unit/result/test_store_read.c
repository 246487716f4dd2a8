/* test_store_read - snapshots read back by species, run and time, from results and from files of
   killed runs; and what `rdsim info` prints. */
#define _POSIX_C_SOURCE 200809L
#include "stored.h"

#include <hdf5.h>

enum { NX = 5, NY = 4, NZ = 3, SITES = NX * NY * NZ, TIMES = 4 };

/* Compares all species and one species that is not in the file; its counts are -1. */
static void assert_snapshot(const char *path, double at, int64_t t, int64_t run)
{
    char *names[] = {"C", "none", "A", "B\xce\xb2"};
    static const int of[] = {2, -1, 0, 1};
    int32_t count[4][SITES];
    int32_t *const to[] = {count[0], count[1], count[2], count[3]};
    struct rd_error e = {0};
    struct rd_wanted wanted = stored_wanted(path, at, run, NX, NY, NZ);
    wanted.species = names;
    wanted.n_species = 4;
    wanted.is_all = true;
    if (!stored_read(&wanted, to, &e))
        fail_msg("%s", e.text);
    for (int k = 0; k < 4; k++)
        for (int i = 0; i < SITES; i++)
            assert_int_equal(count[k][i], of[k] < 0 ? -1 : stored_count(t, run - 5, of[k], i));
}

static void test_snapshots_are_read(void **state)
{
    (void)state;
    stored_folder("test_snapshots_are_read");
    struct stored *const s = stored_make(NX, NY, NZ, 3, TIMES);
    stored_write(s, "out.h5");
    assert_snapshot("out.h5", NAN, TIMES - 1, 5);
    assert_snapshot("out.h5", 0, 0, 7);
    assert_snapshot("out.h5", 0.2, 2, 6);
    assert_snapshot("out.h5", 0.1 * 3, 3, 6); /* 0.30000000000000004 */
    stored_free(s);
    stored_leave();
}

/* Returns what `rdsim info` prints about a file; the caller frees it. */
static char *info_of(const char *path, struct rd_error *e)
{
    char *text = NULL;
    size_t length = 0;
    FILE *const out = open_memstream(&text, &length);
    const bool good = rd_store_info(path, out, e);
    fclose(out);
    assert_true(good == (e->n == 0) && (!good || length > 0));
    return text;
}

/* Checks the page, and the fault after it if FAULT is given. */
static void assert_info(const char *path, const char *expected, const char *fault)
{
    struct rd_error e = {0};
    char *const page = info_of(path, &e);
    if (!strstr(page, expected))
        fail_msg("'%s' is not in\n%s", expected, page);
    if (fault ? !strstr(e.text, fault) : e.n > 0)
        fail_msg("'%s' instead of '%s'", e.text, fault ? fault : "");
    rd_error_free(&e);
    free(page);
}

/* Checks that a result with a single run provides it for any run number. */
static void test_single_run(void **state)
{
    (void)state;
    stored_folder("test_single_run");
    struct stored *const s = stored_make(NX, NY, NZ, 1, TIMES);
    stored_write(s, "out.h5");
    int32_t count[SITES];
    struct rd_error e = {0};
    const struct rd_wanted wanted = stored_wanted("out.h5", NAN, 99, NX, NY, NZ);
    assert_true(stored_read(&wanted, (int32_t *[]){count}, &e));
    assert_int_equal(count[3], stored_count(TIMES - 1, 0, 0, 3));
    assert_info("out.h5", "\nruns           1, number 5\n", NULL);
    stored_free(s);
    stored_leave();
}

static void test_killed_run_with_segments(void **state)
{
    (void)state;
    stored_folder("test_killed_run_with_segments");
    struct stored *const s = stored_make(NX, NY, NZ, 1, TIMES);
    s->record.segment_bytes = 1;
    stored_kill_after(s, "out.h5", 3);
    assert_snapshot("out.h5", 0.1, 1, 5);
    assert_info("out.h5", "\nstate          interrupted at t = 0.2\n", NULL);
    assert_int_equal(system("mv out.h5.parts elsewhere"), 0);
    int32_t count[SITES];
    struct rd_error e = {0};
    const struct rd_wanted wanted = stored_wanted("out.h5", 0.1, 5, NX, NY, NZ);
    assert_false(stored_read(&wanted, (int32_t *[]){count}, &e));
    assert_string_equal(
        e.text, "a.cfg:7: out.h5: the snapshot of run 5 at time 0.1 is missing; see the faults in "
                "rdsim info, or put the segments 'out.h5.parts' of a killed run into its folder");
    rd_error_free(&e);
    stored_free(s);
    stored_leave();
}

static void test_info(void **state)
{
    (void)state;
    stored_folder("test_info");
    struct stored *const s = stored_make(1, 1, 1, 2, TIMES);
    stored_write(s, "out.h5");
    struct rd_error e = {0};
    char *const page = info_of("out.h5", &e), line[80];
    static const char *const parts[] = {"state          complete\n",
                                        "title          a small model\n",
                                        "written by     rdsim 0.2.0\n",
                                        "1 x 1 x 1 voxels of 0.5 x 0.25 x 2\n",
                                        "times          4, from 0 to 0.3",
                                        "runs           2, numbers 5 to 6\n",
                                        "A + B\xce\xb2 -> C",
                                        "step                           0.125\n",
                                        "limited_by                     B\n",
                                        "backend                        cpu\n"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (!strstr(page, parts[i]))
            fail_msg("'%s' is not in\n%s", parts[i], page);
    snprintf(line, sizeof line, "A                              %.10g\n",
             0.5 * ((double)stored_count(3, 0, 0, 0) + stored_count(3, 1, 0, 0)));
    assert_non_null(strstr(page, line));
    snprintf(line, sizeof line, " C -> 0                         %.10g\n",
             0.5 * (double)(stored_sum(3, 0, 1) + stored_sum(3, 1, 1)));
    assert_non_null(strstr(page, line));
    free(page);
    stored_free(s);
    stored_leave();
}

static void test_info_of_individuals(void **state)
{
    (void)state;
    stored_folder("test_info_of_individuals");
    struct stored *const s = stored_make(NX, NY, NZ, 2, TIMES);
    stored_add_individuals(s, 2);
    stored_write(s, "out.h5");
    assert_info("out.h5",
                "\n\nindividuals                      at the last time, mean over runs\n"
                "  A                              7; attributes speed, age\n"
                "  B\xce\xb2                             0\n\n"
                "lineage                          recorded in all runs\n"
                "  A                              14 births, 7 deaths\n\n",
                NULL);
    stored_free(s);
    stored_leave();
}

/* Checks that objects with the names of individuals but other content are reported as damage. */
static void test_info_of_damaged_individuals(void **state)
{
    (void)state;
    stored_folder("test_info_of_damaged_individuals");
    struct stored *const s = stored_make(NX, NY, NZ, 2, TIMES);
    stored_add_individuals(s, 2);
    stored_write(s, "out.h5");
    const hid_t file = H5Fopen("out.h5", H5F_ACC_RDWR, H5P_DEFAULT);
    const hid_t scalar = H5Screate(H5S_SCALAR);
    static const char part[] = "out.h5: is damaged: not all of it can be read";
    static const char *const names[] = {"individuals/A/row_count", "individuals/B\xce\xb2",
                                        "lineage/A/births/id"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        assert_true(H5Ldelete(file, names[i], H5P_DEFAULT) >= 0);
        H5Dclose(H5Dcreate2(file, names[i], H5T_NATIVE_INT, scalar, H5P_DEFAULT, H5P_DEFAULT,
                            H5P_DEFAULT));
    }
    H5Sclose(scalar);
    H5Fclose(file);
    assert_info("out.h5",
                "  A                             ; attributes speed, age\n"
                "  B\xce\xb2                            \n\n",
                part);
    assert_info("out.h5", "  A                             , 7 deaths\n\n", part);
    stored_free(s);
    stored_leave();
}

/* Checks that a result that was cut at any length is either read or refused with a message. */
static void test_truncated_file(void **state)
{
    (void)state;
    stored_folder("test_truncated_file");
    struct stored *const s = stored_make(NX, NY, NZ, 1, TIMES);
    stored_add_individuals(s, 2);
    stored_write(s, "out.h5");
    struct stat about;
    assert_int_equal(stat("out.h5", &about), 0);
    int n_refused = 0;
    for (off_t length = about.st_size - 1; length >= 0; length -= 1 + length / 16) {
        assert_int_equal(truncate("out.h5", length), 0);
        int32_t count[SITES];
        struct rd_error e = {0};
        const struct rd_wanted wanted = stored_wanted("out.h5", NAN, 0, NX, NY, NZ);
        const bool good = stored_read(&wanted, (int32_t *[]){count}, &e);
        assert_true(good == (e.n == 0));
        n_refused += !good;
        rd_error_free(&e);
        free(info_of("out.h5", &e));
        rd_error_free(&e);
    }
    assert_true(n_refused > 10);
    stored_free(s);
    stored_leave();
}

int test_store_read(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_snapshots_are_read),
        cmocka_unit_test(test_single_run),
        cmocka_unit_test(test_killed_run_with_segments),
        cmocka_unit_test(test_info),
        cmocka_unit_test(test_info_of_individuals),
        cmocka_unit_test(test_info_of_damaged_individuals),
        cmocka_unit_test(test_truncated_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
