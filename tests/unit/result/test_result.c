/* test_result - the content of a result, number by number; segments, masters and merges give the
   same bytes as one segment. */
#define _POSIX_C_SOURCE 200809L
#include "result/format/layout.h"
#include "stored_file.h"

#include <hdf5_hl.h>

static void assert_dimensions(hid_t file, const char *name, int rank, const hsize_t *expected)
{
    hsize_t length[6];
    const hid_t set = H5Dopen2(file, name, H5P_DEFAULT);
    const hid_t space = H5Dget_space(set);
    assert_int_equal(H5Sget_simple_extent_dims(space, length, NULL), rank);
    assert_memory_equal(length, expected, (size_t)rank * sizeof *length);
    for (int i = 0; i < rank; i++)
        assert_int_equal(H5DSget_num_scales(set, (unsigned)i), 1);
    H5Sclose(space);
    H5Dclose(set);
}

static void assert_text(hid_t at, const char *name, const char *expected)
{
    char *const text = text_of(at, name);
    assert_string_equal(text, expected);
    H5free_memory(text);
}

/* Checks that the history is a date followed by the command. */
static void assert_history(hid_t file, const char *command)
{
    char *const text = text_of(file, "history");
    assert_int_equal(strlen(text), strlen("2024-05-01T12:00:00.000000Z") + strlen(command));
    assert_string_equal(text + strlen("2024-05-01T12:00:00.000000Z"), command);
    H5free_memory(text);
}

static void test_result_is_complete(void **state)
{
    (void)state;
    stored_folder("test_result_is_complete");
    struct stored *const s = stored_make(5, 4, 3, 2, 7);
    stored_write(s, "out.h5");
    assert_all("out.h5", s, 7);
    assert_true(has_state("out.h5", "complete"));
    assert_int_equal(stored_entries("."), 1);
    const hid_t file = open_file("out.h5");
    assert_dimensions(file, "/counts", 6, (hsize_t[]){2, 7, N_SPECIES, 3, 4, 5});
    assert_dimensions(file, "/totals", 3, (hsize_t[]){2, 7, N_SPECIES});
    assert_dimensions(file, "/boundary", 4, (hsize_t[]){2, 7, N_SPECIES, RD_FACES});
    assert_dimensions(file, "/statistics/voxel_mean", 5, (hsize_t[]){7, N_SPECIES, 3, 4, 5});
    assert_dimensions(file, "/statistics/total_covariance", 3,
                      (hsize_t[]){7, N_SPECIES, N_SPECIES});
    assert_dimensions(file, "/run_state", 1, (hsize_t[]){2});
    assert_text(file, "title", "a small model");
    assert_text(file, "source", "rdsim 0.2.0");
    assert_history(file, ": rdsim small.cfg");
    const hid_t x = H5Dopen2(file, "x", H5P_DEFAULT), time = H5Dopen2(file, "time", H5P_DEFAULT);
    assert_text(x, "units", "um");
    assert_text(time, "units", "1");
    H5Dclose(x);
    H5Dclose(time);
    size_t size;
    double *const y = values_of(file, "/y", H5T_NATIVE_DOUBLE, &size);
    assert_true(y[0] == 0.125 && y[3] == 0.875);
    free(y);
    int64_t *const run = values_of(file, "/run", H5T_NATIVE_INT64, &size);
    assert_true(run[0] == 5 && run[1] == 6);
    free(run);
    H5Fclose(file);
    stored_free(s);
    stored_leave();
}

/* Checks that the whole command line is recorded, however long it is. */
static void test_command_is_recorded(void **state)
{
    (void)state;
    stored_folder("test_command_is_recorded");
    struct stored *const s = stored_make(1, 1, 1, 1, 1);
    char command[2000] = ": ";
    memset(command + 2, 'x', sizeof command - 3);
    s->record.command = command + 2;
    stored_write(s, "out.h5");
    const hid_t file = open_file("out.h5");
    assert_history(file, command);
    H5Fclose(file);
    stored_free(s);
    stored_leave();
}

static void test_statistics_of_counts(void **state)
{
    (void)state;
    stored_folder("test_statistics_of_counts");
    enum { TIMES = 3, VOXELS = N_SPECIES * 6 };
    struct stored *const s = stored_make(3, 2, 1, 2, TIMES);
    stored_write(s, "out.h5");
    const hid_t file = open_file("out.h5");
    size_t size;
    int32_t *const n = values_of(file, "/counts", H5T_NATIVE_INT32, &size);
    double *const mean = values_of(file, "/statistics/voxel_mean", H5T_NATIVE_DOUBLE, &size);
    double *const var = values_of(file, "/statistics/voxel_variance", H5T_NATIVE_DOUBLE, &size);
    int32_t *const most = values_of(file, "/statistics/voxel_max", H5T_NATIVE_INT32, &size);
    assert_int_equal(size, TIMES * VOXELS * sizeof *most);
    for (int i = 0; i < TIMES * VOXELS; i++) {
        const double a = n[i], b = n[i + TIMES * VOXELS]; /* two runs, so it is exact in double */
        assert_true(mean[i] == (a + b) / 2 && var[i] == (a - b) * (a - b) / 2);
        assert_true(most[i] == (a > b ? a : b));
    }
    int64_t *const total = values_of(file, "/totals", H5T_NATIVE_INT64, &size);
    double *const total_mean = values_of(file, "/statistics/total_mean", H5T_NATIVE_DOUBLE, &size);
    for (int i = 0; i < TIMES * N_SPECIES; i++)
        assert_true(total_mean[i] == (double)(total[i] + total[i + TIMES * N_SPECIES]) / 2);
    free(n);
    free(mean);
    free(var);
    free(most);
    free(total);
    free(total_mean);
    H5Fclose(file);
    stored_free(s);
    stored_leave();
}

static void test_kept_runs(void **state)
{
    (void)state;
    stored_folder("test_kept_runs");
    static const struct {
        enum rd_keep keep;
        int64_t runs;
        bool counts, totals, voxels;
    } c[] = {{RD_KEEP_ALL, 1, true, true, false},
             {RD_KEEP_TOTALS, 1, false, true, false},
             {RD_KEEP_STATISTICS, 3, false, false, true}};
    for (size_t i = 0; i < sizeof c / sizeof *c; i++) {
        struct stored *const s = stored_make(2, 2, 1, c[i].runs, 3);
        s->output.keep = c[i].keep;
        if (i > 0)
            s->species[1].wall[2].kind = RD_WALL_PERIODIC; /* no face absorbs molecules */
        stored_write(s, "out.h5");
        const hid_t file = open_file("out.h5");
        assert_int_equal(H5Lexists(file, "counts", H5P_DEFAULT) > 0, c[i].counts);
        assert_int_equal(H5Lexists(file, "totals", H5P_DEFAULT) > 0, c[i].totals);
        assert_int_equal(H5Lexists(file, "statistics/voxel_mean", H5P_DEFAULT) > 0, c[i].voxels);
        assert_true(H5Lexists(file, "statistics/total_mean", H5P_DEFAULT) > 0);
        assert_int_equal(H5Lexists(file, "boundary", H5P_DEFAULT) > 0, c[i].totals && i == 0);
        size_t size;
        double *const variance =
            values_of(file, "/statistics/total_variance", H5T_NATIVE_DOUBLE, &size);
        assert_int_equal(isnan(variance[0]) != 0, c[i].runs == 1);
        free(variance);
        H5Fclose(file);
        stored_free(s);
    }
    stored_leave();
}

static void assert_chunk(hid_t file, const char *name, int rank, const hsize_t *expected)
{
    hsize_t chunk[6];
    const hid_t set = H5Dopen2(file, name, H5P_DEFAULT);
    const hid_t plan = H5Dget_create_plist(set);
    assert_int_equal(H5Pget_chunk(plan, 6, chunk), rank);
    assert_memory_equal(chunk, expected, (size_t)rank * sizeof *chunk);
    assert_int_equal(H5Pget_nfilters(plan), 3); /* shuffle, deflate and checksum */
    H5Pclose(plan);
    H5Dclose(set);
}

/* Checks chunk sizes: planes are divided into equal pieces of at most 1 MiB; small data is combined
   up to 64 KiB. */
static void test_chunks(void **state)
{
    (void)state;
    stored_folder("test_chunks");
    struct stored *s = stored_make(700, 420, 1, 1, 1);
    stored_write(s, "planes.h5");
    stored_free(s);
    s = stored_make(2, 1, 1, 3000, 5);
    stored_write(s, "runs.h5");
    stored_free(s);
    hid_t file = open_file("planes.h5");
    assert_chunk(file, "counts", 6, (hsize_t[]){1, 1, 1, 1, 210, 700});
    H5Fclose(file);
    file = open_file("runs.h5");
    assert_chunk(file, "counts", 6, (hsize_t[]){1500, 1, N_SPECIES, 1, 1, 2});
    assert_chunk(file, "totals", 3, (hsize_t[]){500, 5, N_SPECIES});
    assert_chunk(file, "statistics/voxel_mean", 5, (hsize_t[]){5, N_SPECIES, 1, 1, 2});
    H5Fclose(file);
    stored_leave();
}

/* Checks that any number of segments, with merges among them, gives the data sets and chunks of one
   segment. Cases: one voxel at many times, planes larger than a chunk, many runs. */
static void test_segments_are_merged_to_the_same_bytes(void **state)
{
    (void)state;
    stored_folder("test_segments_are_merged_to_the_same_bytes");
    static const struct {
        int32_t nx, ny, nz;
        int64_t runs, times, segment_bytes;
    } c[] = {{1, 1, 1, 1, 40, 1},
             {1, 1, 1, 1, 8000, 200000}, /* exceeds the size of one copy */
             {3, 2, 2, 40, 6, 1},
             {160, 110, 1, 1, 3, 1},
             {700, 420, 1, 1, 2, 1}};
    for (size_t i = 0; i < sizeof c / sizeof *c; i++) {
        struct stored *const s = stored_make(c[i].nx, c[i].ny, c[i].nz, c[i].runs, c[i].times);
        s->output.compression = 1;
        stored_write(s, "one.h5");
        s->record.segment_bytes = c[i].segment_bytes;
        stored_write(s, "many.h5");
        assert_all("many.h5", s, c[i].times);
        assert_true(hash_of("one.h5") == hash_of("many.h5"));
        assert_int_equal(stored_entries("."), 2);
        stored_free(s);
    }
    stored_leave();
}

/* Returns whether no group of the output may have the first part of this path. */
static bool is_reserved(const char *path)
{
    char name[64];
    path += path[0] == '/';
    snprintf(name, sizeof name, "%.*s", (int)strcspn(path, "/"), path);
    return rd_output_is_reserved(name);
}

/* Checks that no group of the output may have the name of anything at the root of a result. */
static void test_names_at_the_root_are_reserved(void **state)
{
    (void)state;
    for (int i = 0; i < RD_N_AXES; i++)
        assert_true(is_reserved(rd_axis_names[i]));
    for (int i = 0; i < RD_N_VARIABLES; i++)
        if (rd_variables[i].tables == RD_SNAPSHOTS)
            assert_true(is_reserved(rd_variables[i].path));
    for (int i = 0; i < RD_N_RUN_VARIABLES; i++)
        assert_true(is_reserved(rd_run_variables[i].path));
    stored_folder("test_names_at_the_root_are_reserved");
    struct stored *const s = stored_make(2, 2, 1, 2, 2);
    stored_add_individuals(s, 1);
    stored_write(s, "out.h5");
    const hid_t file = open_file("out.h5");
    H5G_info_t about;
    assert_true(H5Gget_info(file, &about) >= 0);
    for (hsize_t i = 0; i < about.nlinks; i++) {
        char name[64];
        H5Lget_name_by_idx(file, ".", H5_INDEX_NAME, H5_ITER_INC, i, name, sizeof name,
                           H5P_DEFAULT);
        assert_true(is_reserved(name));
    }
    assert_false(is_reserved("fast"));
    H5Fclose(file);
    stored_free(s);
    stored_leave();
}

int test_result(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names_at_the_root_are_reserved),
        cmocka_unit_test(test_result_is_complete),
        cmocka_unit_test(test_command_is_recorded),
        cmocka_unit_test(test_statistics_of_counts),
        cmocka_unit_test(test_kept_runs),
        cmocka_unit_test(test_chunks),
        cmocka_unit_test(test_segments_are_merged_to_the_same_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
