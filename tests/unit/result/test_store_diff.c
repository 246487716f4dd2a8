/* test_store_diff - results that are equal although they were written differently, and a single
   changed number: the report names its place. */
#define _POSIX_C_SOURCE 200809L
#include "stored.h"

#include <hdf5.h>

enum { NX = 5, NY = 4, NZ = 3, RUNS = 3, TIMES = 4 };

/* Returns the report of the comparison, or the message of e if the results cannot be compared; the
   caller frees it. */
static char *report_of(const char *a, const char *b, bool may_be_shorter, bool *same)
{
    char *text = NULL;
    size_t length = 0;
    struct rd_error e = {0};
    FILE *const out = open_memstream(&text, &length);
    const bool good = rd_store_diff(a, b, may_be_shorter, out, same, &e);
    fclose(out);
    assert_true(good == (e.n == 0));
    if (good)
        return text;
    assert_false(*same);
    free(text);
    return e.text;
}

static void assert_diff(const char *a, const char *b, bool expected, const char *words)
{
    bool same;
    char *const text = report_of(a, b, false, &same);
    if (!strstr(text, words))
        fail_msg("'%s' is not in: %s", words, text);
    assert_true(same == expected);
    free(text);
}

static void assert_refused(const char *a, const char *b, const char *words)
{
    bool same;
    char *const text = report_of(a, b, false, &same);
    if (strcmp(text, words) != 0)
        fail_msg("'%s' instead of: %s", text, words);
    free(text);
}

static struct stored *make(void)
{
    struct stored *const s = stored_make(NX, NY, NZ, RUNS, TIMES);
    stored_add_individuals(s, 3);
    return s;
}

/* Adds 1 to one number of a data set. */
static void change(const char *path, const char *name, int rank, const hsize_t *at)
{
    static const hsize_t one[] = {1, 1, 1, 1, 1, 1};
    const hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    const hid_t set = H5Dopen2(file, name, H5P_DEFAULT);
    const hid_t space = H5Dget_space(set), memory = H5Screate_simple(rank, one, NULL);
    double value;
    assert_true(H5Sselect_hyperslab(space, H5S_SELECT_SET, at, NULL, one, NULL) >= 0);
    assert_true(H5Dread(set, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, &value) >= 0);
    value++;
    assert_true(H5Dwrite(set, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, &value) >= 0);
    H5Sclose(memory);
    H5Sclose(space);
    H5Dclose(set);
    H5Fclose(file);
}

static void equal_data_in_other_segments(void **state)
{
    (void)state;
    stored_folder("equal_data_in_other_segments");
    struct stored *const s = make();
    stored_write(s, "a.h5");
    s->record.segment_bytes = 1;
    s->record.config_name = "other.cfg"; /* the comparison leaves out the provenance */
    s->output.compression = 0;
    stored_write(s, "b.h5");
    assert_diff("a.h5", "b.h5", true, "identical: 4 times to t = 0.3, 3 runs, ");
    assert_diff("a.h5", "a.h5", true, "identical: ");
    stored_free(s);
    stored_leave();
}

/* Describes the place of a changed number, and the words of the report. */
struct changed {
    const char *name;
    int rank;
    hsize_t at[6];
    const char *words;
};

static void one_number_is_found(void **state)
{
    (void)state;
    static const struct changed all[] = {
        {"/counts",
         6,
         {1, 2, 0, 2, 3, 4},
         "/counts: 1 value differs, first at t = 0.2, run 6, "
         "species A, voxel (4, 3, 2): "},
        {"/totals", 3, {2, 3, 1}, "/totals: 1 value differs, first at t = 0.3, run 7, species B"},
        {"/reactions",
         3,
         {0, 1, 1},
         "first at t = 0.1, run 5, reaction C -> 0: 8589934593 and "
         "8589934594\n"},
        {"/boundary",
         4,
         {0, 1, 2, 5},
         "/boundary: 1 value differs, first at t = 0.1, run 5, "
         "species C, face zmax: "},
        {"/injected", 4, {0, 0, 0, 0}, "first at t = 0, run 5, species A, face xmin: 200 and 201"},
        {"/statistics/total_mean",
         2,
         {1, 2},
         "/total_mean: 1 value differs, first at t = 0.1, "
         "species C: "},
        {"/statistics/total_covariance", 3, {1, 2, 0}, "first at t = 0.1, species C, species A: "},
        {"/statistics/voxel_min",
         5,
         {3, 2, 0, 0, 1},
         "first at t = 0.3, species C, voxel (1, 0, "
         "0): "},
    };
    stored_folder("one_number_is_found");
    struct stored *const s = make();
    stored_write(s, "a.h5");
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        stored_write(s, "b.h5");
        change("b.h5", all[i].name, all[i].rank, all[i].at);
        assert_diff("a.h5", "b.h5", false, all[i].words);
        assert_diff("a.h5", "b.h5", false, "different: 1 values in 1 data sets, first at t = 0");
    }
    stored_free(s);
    stored_leave();
}

/* Returns the index of the first row of the last run at output 2. */
static hsize_t row_of_run_2(const struct stored *s)
{
    int64_t row = 0;
    for (int64_t t = 0; t <= 2; t++)
        for (int64_t r = 0; r < RUNS; r++)
            row += t < 2 || r < 2 ? stored_lives_n(s->lives, t, r) : 0;
    return (hsize_t)row;
}

static void individuals_and_lineage_are_found(void **state)
{
    (void)state;
    stored_folder("individuals_and_lineage_are_found");
    struct stored *const s = make();
    const hsize_t row = row_of_run_2(s);
    char words[128];
    assert_true(stored_lives_n(s->lives, 2, 2) > 0);
    stored_write(s, "a.h5");
    stored_write(s, "b.h5");
    change("b.h5", "/individuals/A/born", 1, &row);
    change("b.h5", "/individuals/A/row_count", 2, (hsize_t[]){3, 1});
    change("b.h5", "/lineage/A/births/voxel", 1, (hsize_t[]){0});
    sprintf(words,
            "/individuals/A/born: 1 value differs, first at t = 0.2, run 7, row %d: ", (int)row);
    assert_diff("a.h5", "b.h5", false, words);
    assert_diff("a.h5", "b.h5", false,
                "/individuals/A/row_count: 1 value differs, first at t = "
                "0.3, run 6: ");
    assert_diff("a.h5", "b.h5", false, "/lineage/A/births/voxel: 1 value differs, first at t = ");
    assert_diff("a.h5", "b.h5", false, "different: 3 values in 3 data sets, first at t = ");
    stored_free(s);
    stored_leave();
}

/* Checks that the first difference in time is reported, not the first in the file, where runs come
   before times. */
static void first_difference_in_time(void **state)
{
    (void)state;
    stored_folder("first_difference_in_time");
    struct stored *const s = make();
    stored_write(s, "a.h5");
    stored_write(s, "b.h5");
    change("b.h5", "/totals", 3, (hsize_t[]){0, 3, 1});
    change("b.h5", "/totals", 3, (hsize_t[]){2, 1, 2});
    change("b.h5", "/totals", 3, (hsize_t[]){1, 1, 0});
    change("b.h5", "/boundary", 4, (hsize_t[]){0, 2, 0, 0});
    assert_diff("a.h5", "b.h5", false,
                "/totals: 3 values differ, first at t = 0.1, run 6, species "
                "A: ");
    assert_diff("a.h5", "b.h5", false,
                "different: 4 values in 2 data sets, first at t = 0.1 in "
                "/totals\n");
    stored_free(s);
    stored_leave();
}

static void unfinished_run(void **state)
{
    (void)state;
    stored_folder("unfinished_run");
    struct stored *const s = make();
    bool same;
    stored_write(s, "whole.h5");
    s->record.segment_bytes = 1;
    stored_kill_after(s, "part.h5", 3);
    assert_diff("part.h5", "whole.h5", false,
                "/time: 3 snapshots in part.h5, 4 in whole.h5; compared up to t = 0.2\ndifferent: "
                "1 values in 1 data sets, first at t = 0.2 in /time\n");
    char *report = report_of("part.h5", "whole.h5", true, &same);
    assert_true(same && strstr(report, "identical: 3 times to t = 0.2, 3 runs, "));
    free(report);
    report = report_of("whole.h5", "part.h5", true, &same);
    assert_false(same);
    free(report);
    change("whole.h5", "/counts", 6, (hsize_t[]){0, 3, 0, 0, 0, 0}); /* not compared */
    report = report_of("part.h5", "whole.h5", true, &same);
    assert_true(same);
    free(report);
    change("whole.h5", "/counts", 6, (hsize_t[]){0, 2, 0, 0, 0, 0});
    report = report_of("part.h5", "whole.h5", true, &same);
    assert_false(same);
    assert_non_null(strstr(report, "/counts: 1 value differs, first at t = 0.2, run 5, species A"));
    free(report);
    assert_int_equal(system("mv part.h5.parts elsewhere"), 0);
    assert_refused("part.h5", "part.h5",
                   "part.h5: some of /boundary is missing; put the segments 'part.h5.parts' of a "
                   "killed run into its folder, or try again if the run continues");
    stored_free(s);
    stored_leave();
}

static void different_data(void **state)
{
    (void)state;
    stored_folder("other_data");
    struct stored *const s = make();
    stored_write(s, "a.h5");
    s->output.keep = RD_KEEP_TOTALS;
    stored_write(s, "b.h5");
    assert_diff("a.h5", "b.h5", false, "/counts: only in a.h5\n");
    assert_diff("b.h5", "a.h5", false, "/individuals/A/born: only in a.h5\n");
    s->output.keep = RD_KEEP_ALL;
    stored_lives_free(s->lives);
    s->lives = stored_lives_make(&s->model, 4);
    stored_lives_join(s->lives, s->species);
    stored_write(s, "b.h5");
    assert_diff("a.h5", "b.h5", false, " rows and ");
    stored_free(s);
    stored_leave();
}

static void different_times(void **state)
{
    (void)state;
    stored_folder("different_times");
    struct stored *const s = make();
    stored_write(s, "a.h5");
    stored_write(s, "b.h5");
    change("b.h5", "/time", 1, (hsize_t[]){2});
    change("b.h5", "/totals", 3, (hsize_t[]){0, 3, 1}); /* lies after the first time that differs */
    assert_diff("a.h5", "b.h5", false, "/time: differs from number 2 on: 0.2");
    assert_diff("a.h5", "b.h5", false,
                "different: 2 values in 1 data sets, first at t = 0.2 in "
                "/time\n");
    stored_free(s);
    stored_leave();
}

static void incomparable_results(void **state)
{
    (void)state;
    stored_folder("incomparable_results");
    struct stored *s = make();
    stored_write(s, "a.h5");
    s->species[1].name = "D";
    stored_write(s, "species.h5");
    s->species[1].name = "B\xce\xb2";
    s->reaction[0].label = "A -> C";
    stored_write(s, "reactions.h5");
    s->reaction[0].label = "A + B\xce\xb2 -> C";
    s->model.first_run = 6;
    stored_write(s, "runs.h5");
    s->model.first_run = 5;
    s->model.grid.origin[1] = 1;
    stored_write(s, "grid.h5");
    stored_free(s);
    static const char *const different[] = {"species", "reactions", "runs"};
    for (int i = 0; i < 3; i++) {
        char path[32], words[160];
        sprintf(path, "%s.h5", different[i]);
        sprintf(words, "a.h5 and %s have different %s, and cannot be compared; see rdsim info",
                path, different[i]);
        assert_refused("a.h5", path, words);
    }
    assert_refused("a.h5", "grid.h5",
                   "a.h5 and grid.h5 have different grids, and cannot be compared; see rdsim info");
    assert_int_equal(system("echo hello > text.h5"), 0);
    assert_refused("none.h5", "text.h5",
                   "none.h5: cannot be read: No such file or directory; name a result of rdsim\n"
                   "text.h5: is not an HDF5 "
                   "file; name a result of rdsim");
    stored_leave();
}

int test_store_diff(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_data_in_other_segments),
        cmocka_unit_test(one_number_is_found),
        cmocka_unit_test(individuals_and_lineage_are_found),
        cmocka_unit_test(first_difference_in_time),
        cmocka_unit_test(unfinished_run),
        cmocka_unit_test(different_data),
        cmocka_unit_test(different_times),
        cmocka_unit_test(incomparable_results),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
