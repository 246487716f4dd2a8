/* test_store_individuals - individuals and lineages in a result: row by row, in segments and
   masters, with empty lists, and after a kill. */
#define _POSIX_C_SOURCE 200809L
#include "stored_file.h"

#include <hdf5_hl.h>

static struct stored *make(int64_t n_runs, int64_t n_times, int64_t scale)
{
    struct stored *const s = stored_make(3, 2, 2, n_runs, n_times);
    stored_add_individuals(s, scale);
    return s;
}

static void assert_lives(const char *path, const struct stored *s, int64_t n_times)
{
    const hid_t file = open_file(path);
    stored_lives_assert(s->lives, &s->model, file, n_times);
    stored_lineage_assert(s->lives, &s->model, file, n_times);
    H5Fclose(file);
    assert_all(path, s, n_times);
}

static bool has(const char *path, const char *name)
{
    const hid_t file = open_file(path);
    bool there = true;
    char part[64];
    for (const char *slash = name; there && slash; slash = strchr(slash + 1, '/')) {
        const char *const next = strchr(slash + 1, '/');
        snprintf(part, sizeof part, "%.*s", next ? (int)(next - name) : (int)strlen(name), name);
        there = H5Lexists(file, part, H5P_DEFAULT) > 0;
    }
    H5Fclose(file);
    return there;
}

static void test_rows_are_read(void **state)
{
    (void)state;
    stored_folder("test_rows_are_read");
    for (int64_t n_runs = 1; n_runs < 4; n_runs += 2) {
        struct stored *const s = make(n_runs, 8, 2);
        stored_write(s, "out.h5");
        assert_lives("out.h5", s, 8); /* the last time has no individuals */
        stored_free(s);
    }
    stored_leave();
}

/* Checks the metadata of a column: type, unit, fill value, and its dimension of rows, which is
   unlimited for netCDF. */
static void assert_metadata(hid_t file, const char *name, hid_t type, const char *units)
{
    const hid_t set = H5Dopen2(file, name, H5P_DEFAULT);
    const hid_t there = H5Dget_type(set), space = H5Dget_space(set);
    const hid_t fill = H5Aopen(set, "_FillValue", H5P_DEFAULT), fill_type = H5Aget_type(fill);
    char *const text = text_of(set, "units");
    hsize_t most = 0;
    assert_true(H5Tequal(there, type) > 0 && H5Tequal(fill_type, type) > 0);
    assert_string_equal(text, units);
    assert_int_equal(H5Sget_simple_extent_dims(space, NULL, &most), 1);
    assert_true(most == H5S_UNLIMITED);
    assert_int_equal(H5DSget_num_scales(set, 0), 1);
    H5free_memory(text);
    H5Tclose(fill_type);
    H5Aclose(fill);
    H5Sclose(space);
    H5Tclose(there);
    H5Dclose(set);
}

static void test_columns_have_metadata(void **state)
{
    (void)state;
    stored_folder("test_columns_have_metadata");
    struct stored *const s = make(2, 3, 1);
    s->model.time_unit = "min";
    stored_write(s, "out.h5");
    const hid_t file = open_file("out.h5");
    assert_metadata(file, "/individuals/A/id", H5T_NATIVE_INT64, "1");
    assert_metadata(file, "/individuals/A/born", H5T_NATIVE_DOUBLE, "min");
    assert_metadata(file, "/individuals/A/y", H5T_NATIVE_DOUBLE, "um");
    assert_metadata(file, "/individuals/A/speed", H5T_NATIVE_DOUBLE, "1");
    assert_metadata(file, "/individuals/A/age", H5T_NATIVE_INT64, "1");
    assert_metadata(file, "/lineage/A/births/time", H5T_NATIVE_DOUBLE, "min");
    assert_metadata(file, "/lineage/A/deaths/voxel", H5T_NATIVE_INT64, "1");
    const hid_t age = H5Dopen2(file, "/individuals/A/age", H5P_DEFAULT);
    const hid_t fill = H5Aopen(age, "_FillValue", H5P_DEFAULT);
    int64_t value = 0;
    assert_true(H5Aread(fill, H5T_NATIVE_INT64, &value) >= 0 && value == INT64_MIN);
    H5Aclose(fill);
    H5Dclose(age);
    H5Fclose(file);
    stored_free(s);
    stored_leave();
}

static void test_recorded_species(void **state)
{
    (void)state;
    stored_folder("test_recorded_species");
    struct stored *const s = make(1, 3, 1);
    stored_write(s, "all.h5");
    s->output.keep = RD_KEEP_TOTALS;
    stored_write(s, "totals.h5");
    s->output.keep = RD_KEEP_ALL;
    s->record.has_individuals = false;
    s->species[0].record = RD_KEEPS_STATE;
    stored_write(s, "none.h5");
    static const struct {
        const char *name;
        bool all, totals, none;
    } c[] = {{"individuals/A/id", true, false, false},
             {"individuals/B\xce\xb2/row_count", true, false, false},
             {"individuals/B\xce\xb2/speed", false, false, false}, /* only A has attributes */
             {"individuals/C", false, false, false},
             {"lineage/A/births/id", true, true, false},
             {"lineage/A/deaths/parent", false, false, false},
             {"lineage/B\xce\xb2", false, false, false}};
    for (size_t i = 0; i < sizeof c / sizeof *c; i++) {
        assert_int_equal(has("all.h5", c[i].name), c[i].all);
        assert_int_equal(has("totals.h5", c[i].name), c[i].totals);
        assert_int_equal(has("none.h5", c[i].name), c[i].none);
    }
    stored_free(s);
    stored_leave();
}

/* Checks results without any individuals: in a segment, under a master, and in the final result. */
static void test_no_individuals(void **state)
{
    (void)state;
    stored_folder("test_no_individuals");
    struct stored *const s = make(2, 3, 0);
    s->record.segment_bytes = 1;
    s->species[0].record = RD_KEEPS_STATE; /* leaves out lineage too */
    stored_kill_after(s, "out.h5", 2);
    hid_t file = open_file("out.h5");
    stored_lives_assert(s->lives, &s->model, file, 2);
    H5Fclose(file);
    stored_write(s, "out.h5");
    file = open_file("out.h5");
    stored_lives_assert(s->lives, &s->model, file, 3);
    H5Fclose(file);
    stored_free(s);
    stored_leave();
}

/* Checks few rows, and more rows than a chunk or a copy holds, with merges among the segments. */
static void test_segments_of_rows_are_merged_to_the_same_bytes(void **state)
{
    (void)state;
    stored_folder("test_segments_of_rows_are_merged_to_the_same_bytes");
    static const struct {
        int64_t runs, times, scale;
    } c[] = {{2, 34, 1}, {3, 7, 2500}};
    for (size_t i = 0; i < sizeof c / sizeof *c; i++) {
        struct stored *const s = make(c[i].runs, c[i].times, c[i].scale);
        s->output.compression = 1;
        stored_write(s, "one.h5");
        s->record.segment_bytes = 1;
        stored_write(s, "many.h5");
        assert_lives("many.h5", s, c[i].times);
        assert_true(hash_of("one.h5") == hash_of("many.h5"));
        stored_free(s);
    }
    stored_leave();
}

static void test_rows_of_a_killed_run(void **state)
{
    (void)state;
    stored_folder("test_rows_of_a_killed_run");
    struct stored *const s = make(2, 35, 3);
    s->record.segment_bytes = 1;
    stored_kill_after(s, "out.h5", 34);
    assert_lives("out.h5", s, 34);
    assert_true(has_state("out.h5", "running"));
    s->record.segment_bytes = 0;
    stored_write(s, "out.h5");
    assert_lives("out.h5", s, 35);
    stored_free(s);
    stored_leave();
}

/* Checks that births and deaths are stored when they occur: before the first snapshot and after the
   last one. */
static void test_lineage_without_snapshots(void **state)
{
    (void)state;
    stored_folder("test_lineage_without_snapshots");
    struct stored *const s = make(2, 35, 1);
    struct rd_error e = {0};
    s->record.segment_bytes = 1;
    rd_store *store = stored_begin(s, "out.h5", true, 0, &e);
    stored_lives_at(s->lives, &s->model, 0);
    assert_true(rd_store_live(store, s->lives->life, s->lives->n_lives, &e));
    assert_true(rd_store_close(store, "interrupted", NULL, 0, &e));
    assert_int_equal(stored_entries("."), 0);

    store = stored_begin(s, "out.h5", true, 2, &e);
    for (int64_t t = 2; t < 35; t++) { /* writes segments without times, which are merged */
        stored_lives_at(s->lives, &s->model, t);
        assert_true(rd_store_live(store, s->lives->life, s->lives->n_lives, &e));
    }
    for (int closed = 0; closed < 2; closed++) { /* reads the master, then the result */
        const hid_t file = open_file("out.h5");
        stored_lives_assert(s->lives, &s->model, file, 2);
        stored_lineage_assert(s->lives, &s->model, file, 35);
        H5Fclose(file);
        assert_all("out.h5", s, 2);
        assert_true(closed || rd_store_close(store, "complete", NULL, 0, &e));
    }
    stored_free(s);
    stored_leave();
}

int test_store_individuals(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows_are_read),
        cmocka_unit_test(test_columns_have_metadata),
        cmocka_unit_test(test_recorded_species),
        cmocka_unit_test(test_no_individuals),
        cmocka_unit_test(test_segments_of_rows_are_merged_to_the_same_bytes),
        cmocka_unit_test(test_rows_of_a_killed_run),
        cmocka_unit_test(test_lineage_without_snapshots),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
