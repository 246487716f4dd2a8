/* test_store - what is in a result, number by number; segments, masters and merges give the same
   bytes as one segment; what was written stays readable whatever happens. */
#define _POSIX_C_SOURCE 200809L
#include "stored.h"

#include <hdf5.h>
#include <hdf5_hl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

static hid_t open_file(const char *path)
{
    const hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    assert_true(file >= 0);
    return file;
}

/* All values of a data set of 32- or 64-bit numbers; the caller frees. */
static void *values_of(hid_t file, const char *name, hid_t type, size_t *size)
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

static void assert_counts(hid_t file, const struct stored *s, int64_t n_times)
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
                        fail_msg("count %d of run %d, time %d, species %d, cell %d", (int)*count,
                                 (int)r, (int)t, (int)k, (int)i);
    free(counts);
}

static void assert_sums(hid_t file, const char *name, const struct stored *s, int64_t n_times,
                        int64_t n_items, int64_t first)
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

static void assert_all(const char *path, const struct stored *s, int64_t n_times)
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

static void assert_text(hid_t at, const char *name, const char *expected)
{
    char *text = NULL;
    const hid_t attribute = H5Aopen(at, name, H5P_DEFAULT);
    const hid_t type = H5Aget_type(attribute);
    assert_true(H5Tis_variable_str(type) > 0 && H5Tget_cset(type) == H5T_CSET_UTF8);
    assert_true(H5Aread(attribute, type, &text) >= 0);
    assert_string_equal(text, expected);
    H5free_memory(text);
    H5Tclose(type);
    H5Aclose(attribute);
}

static void assert_state(const char *path, const char *expected)
{
    const hid_t file = open_file(path);
    const hid_t group = H5Gopen2(file, "provenance", H5P_DEFAULT);
    assert_text(group, "state", expected);
    H5Gclose(group);
    H5Fclose(file);
}

/* The bytes of every data set below, as a file of its own would have them. */
static herr_t hash_one(hid_t file, const char *name, const H5O_info_t *about, void *hash)
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

static uint64_t hash_of(const char *path)
{
    uint64_t hash = CHANCE_HASH_START;
    const hid_t file = open_file(path);
    assert_true(H5Ovisit(file, H5_INDEX_NAME, H5_ITER_INC, hash_one, &hash) >= 0);
    H5Fclose(file);
    return hash;
}

static void test_everything_is_there(void **state)
{
    (void)state;
    stored_folder("test_everything_is_there");
    struct stored *const s = stored_make(5, 4, 3, 2, 7);
    stored_write(s, "out.h5");
    assert_all("out.h5", s, 7);
    assert_state("out.h5", "complete");
    assert_int_equal(stored_entries("."), 1);
    const hid_t file = open_file("out.h5");
    assert_dimensions(file, "/counts", 6, (hsize_t[]){2, 7, N_SPECIES, 3, 4, 5});
    assert_dimensions(file, "/totals", 3, (hsize_t[]){2, 7, N_SPECIES});
    assert_dimensions(file, "/boundary", 4, (hsize_t[]){2, 7, N_SPECIES, RD_FACES});
    assert_dimensions(file, "/statistics/cell_mean", 5, (hsize_t[]){7, N_SPECIES, 3, 4, 5});
    assert_dimensions(file, "/statistics/total_covariance", 3,
                      (hsize_t[]){7, N_SPECIES, N_SPECIES});
    assert_dimensions(file, "/run_state", 1, (hsize_t[]){2});
    assert_text(file, "title", "a small model");
    assert_text(file, "source", "rdsim 0.1.0");
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

static void test_statistics_are_those_of_the_counts(void **state)
{
    (void)state;
    stored_folder("test_statistics_are_those_of_the_counts");
    enum { TIMES = 3, CELLS = N_SPECIES * 6 };
    struct stored *const s = stored_make(3, 2, 1, 2, TIMES);
    stored_write(s, "out.h5");
    const hid_t file = open_file("out.h5");
    size_t size;
    int32_t *const n = values_of(file, "/counts", H5T_NATIVE_INT32, &size);
    double *const mean = values_of(file, "/statistics/cell_mean", H5T_NATIVE_DOUBLE, &size);
    double *const var = values_of(file, "/statistics/cell_variance", H5T_NATIVE_DOUBLE, &size);
    int32_t *const most = values_of(file, "/statistics/cell_max", H5T_NATIVE_INT32, &size);
    assert_int_equal(size, TIMES * CELLS * sizeof *most);
    for (int i = 0; i < TIMES * CELLS; i++) {
        const double a = n[i], b = n[i + TIMES * CELLS]; /* two runs: exact in double */
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

static void test_what_is_kept(void **state)
{
    (void)state;
    stored_folder("test_what_is_kept");
    static const struct {
        enum rd_keep keep;
        int64_t runs;
        bool counts, totals, cells;
    } c[] = {{RD_KEEP_ALL, 1, true, true, false},
             {RD_KEEP_TOTALS, 1, false, true, false},
             {RD_KEEP_STATISTICS, 3, false, false, true}};
    for (size_t i = 0; i < sizeof c / sizeof *c; i++) {
        struct stored *const s = stored_make(2, 2, 1, c[i].runs, 3);
        s->model.keep = c[i].keep;
        stored_write(s, "out.h5");
        const hid_t file = open_file("out.h5");
        assert_int_equal(H5Lexists(file, "counts", H5P_DEFAULT) > 0, c[i].counts);
        assert_int_equal(H5Lexists(file, "totals", H5P_DEFAULT) > 0, c[i].totals);
        assert_int_equal(H5Lexists(file, "statistics/cell_mean", H5P_DEFAULT) > 0, c[i].cells);
        assert_true(H5Lexists(file, "statistics/total_mean", H5P_DEFAULT) > 0);
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

/* One cell a thousand times, planes beyond a chunk's size, many runs: any number of segments, with
   merges among them, gives the data sets and chunks of one. */
static void test_segments_join_to_the_same_bytes(void **state)
{
    (void)state;
    stored_folder("test_segments_join_to_the_same_bytes");
    static const struct {
        int32_t nx, ny, nz;
        int64_t runs, times;
    } c[] = {{1, 1, 1, 1, 70}, {3, 2, 2, 40, 6}, {160, 110, 1, 1, 3}, {700, 420, 1, 2, 2}};
    for (size_t i = 0; i < sizeof c / sizeof *c; i++) {
        struct stored *const s = stored_make(c[i].nx, c[i].ny, c[i].nz, c[i].runs, c[i].times);
        s->model.compression = 1;
        stored_write(s, "one.h5");
        s->record.segment_bytes = 1;
        stored_write(s, "many.h5");
        assert_all("many.h5", s, c[i].times);
        assert_true(hash_of("one.h5") == hash_of("many.h5"));
        assert_int_equal(stored_entries("."), 2);
        stored_free(s);
    }
    stored_leave();
}

/* A run that is killed: a child leaves without a word. */
static void leave_after(struct stored *s, const char *path, int64_t n_times)
{
    const pid_t child = fork();
    if (child == 0) {
        struct rd_error e = {0};
        _exit(stored_begin(s, path, false, n_times, &e) ? 0 : 1);
    }
    int status = 1;
    assert_true(waitpid(child, &status, 0) == child && status == 0);
}

static void test_a_killed_run_is_readable(void **state)
{
    (void)state;
    stored_folder("test_a_killed_run_is_readable");
    struct stored *const s = stored_make(4, 3, 1, 2, 80);
    s->record.segment_bytes = 1;
    leave_after(s, "o%b.h5", 70);
    assert_all("o%b.h5", s, 70);
    assert_state("o%b.h5", "running");
    assert_true(stored_entries("o%b.h5.parts") < 32); /* merged twice */

    struct rd_error e = {0};
    assert_null(stored_begin(s, "o%b.h5", false, 1, &e));
    assert_non_null(strstr(e.text, "--force"));
    rd_error_free(&e);
    remove("o%b.h5");
    assert_null(stored_begin(s, "o%b.h5", false, 1, &e));
    assert_non_null(strstr(e.text, "killed"));
    rd_error_free(&e);
    stored_write(s, "o%b.h5");
    assert_all("o%b.h5", s, 80);
    assert_int_equal(stored_entries("."), 1);
    stored_free(s);
    stored_leave();
}

/* With --force the old result, even a killed run's, stays until the new one has data. */
static void test_force_replaces_only_by_data(void **state)
{
    (void)state;
    stored_folder("test_force_replaces_only_by_data");
    struct stored *const s = stored_make(4, 3, 1, 1, 9);
    s->record.segment_bytes = 1;
    leave_after(s, "out.h5", 5);
    struct rd_error e = {0};
    rd_store *store = NULL;
    assert_true(rd_store_open(&store, "out.h5", true, &s->record, &e));
    assert_all("out.h5", s, 5);
    assert_true(rd_store_close(store, "failed", NULL, 0, &e));
    assert_all("out.h5", s, 5);
    store = stored_begin(s, "out.h5", true, 2, &e);
    assert_non_null(store);
    assert_all("out.h5", s, 2);
    assert_true(rd_store_close(store, "interrupted", NULL, 0, &e));
    assert_all("out.h5", s, 2);
    assert_state("out.h5", "interrupted");
    assert_int_equal(stored_entries("."), 1);
    stored_free(s);
    stored_leave();
}

/* Files may not grow beyond so many bytes: a disk that is full for them. */
static void limit_files(rlim_t bytes)
{
    struct rlimit limit;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    limit.rlim_cur = bytes < limit.rlim_max ? bytes : limit.rlim_max;
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

/* Whatever the file that does not fit - a segment, a master, the result - nothing is lost that
   a master had shown, and there is a sentence. */
static void test_a_full_disk(void **state)
{
    (void)state;
    stored_folder("test_a_full_disk");
    enum { TIMES = 40 };
    int n_safe_seen = 0, n_joins_failed = 0;
    for (rlim_t bytes = 0; bytes < 160000; bytes += 7000) {
        struct stored *const s = stored_make(20, 20, 1, 1, TIMES);
        struct rd_error e = {0};
        s->record.segment_bytes = 20000;
        limit_files(bytes);
        rd_store *const store = stored_begin(s, "out.h5", true, TIMES, &e);
        const bool good = store && rd_store_close(store, "complete", NULL, 0, &e);
        limit_files(RLIM_INFINITY);
        int n_safe = 0;
        if (good) {
            assert_all("out.h5", s, TIMES);
            assert_int_equal(stored_entries("."), 1);
        } else if (sscanf(strstr(e.text, "out.h5: the first ") ? strstr(e.text, "the first") : "",
                          "the first %d", &n_safe) == 1) {
            assert_non_null(strstr(e.text, "File too large"));
            assert_all("out.h5", s, n_safe);
            assert_state("out.h5", n_safe == TIMES && store ? "complete" : "running");
            n_joins_failed += store != NULL;
        } else {
            assert_non_null(strstr(e.text, "no snapshot of this run is saved"));
            assert_int_equal(stored_entries("."), 0);
        }
        n_safe_seen += n_safe > 0;
        rd_error_free(&e);
        stored_free(s);
        assert_int_equal(system("rm -rf out.h5 out.h5.parts"), 0);
    }
    assert_true(n_safe_seen > 0 && n_joins_failed > 0);
    stored_leave();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_everything_is_there),
        cmocka_unit_test(test_statistics_are_those_of_the_counts),
        cmocka_unit_test(test_what_is_kept),
        cmocka_unit_test(test_segments_join_to_the_same_bytes),
        cmocka_unit_test(test_a_killed_run_is_readable),
        cmocka_unit_test(test_force_replaces_only_by_data),
        cmocka_unit_test(test_a_full_disk),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
