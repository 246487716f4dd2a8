/* test_store_collect - many results in one file, and the state of a run according to its file. */
#define _POSIX_C_SOURCE 200809L
#include "result/files/run_state.h"
#include "result/write/collect.h"
#include "stored_file.h"

enum { POINTS = 2, REPEATS = 2, RUNS = 3, TIMES = 4 };

static const char *const paths[] = {"1-1.h5", "1-2.h5", "2-1.h5", "2-2.h5"};
static const int32_t sizes[] = {2, 3, 4, 5}; /* different sizes give different totals */

static const char *k_values[] = {"0.5", "2e-3"}, *way_values[] = {"\"up\"", "(1, 2)"};
static const struct rd_varied varied[] = {{"k", k_values}, {"way", way_values}};
static const int64_t seeds[] = {11, 12, 21, 22};

static const struct rd_collection collection = {.title = "s.cfg",
                                                .command = "rdsim sweep s.cfg --collect all.h5",
                                                .n_points = POINTS,
                                                .n_repeats = REPEATS,
                                                .n_varied = 2,
                                                .varied = varied,
                                                .result = paths,
                                                .seed = seeds};

static void write_result(int i, int64_t runs, int64_t times)
{
    struct stored *const s = stored_make(sizes[i], 2, 1, runs, times);
    stored_write(s, paths[i]);
    stored_free(s);
}

/* Writes a result with the same number of times, of which the last one differs. */
static void write_late_result(int i)
{
    struct stored *const s = stored_make(sizes[i], 2, 1, RUNS, TIMES);
    struct rd_error e = {0};
    rd_store *const store = stored_begin(s, paths[i], true, TIMES - 1, &e);
    struct rd_snapshot late = stored_snapshot(s, TIMES - 1);
    late.time += 1.0;
    assert_true(rd_store_write(store, &late, &e));
    assert_true(rd_store_close(store, "complete", NULL, 0, &e));
    stored_free(s);
}

static int64_t total(int i, int64_t run, int64_t t, int64_t species)
{
    int64_t sum = 0;
    for (int64_t site = 0; site < 2 * sizes[i]; site++)
        sum += stored_count(t, run, species, site);
    return sum;
}

static void assert_totals(hid_t file)
{
    size_t size;
    int64_t *const totals = values_of(file, "/totals", H5T_NATIVE_INT64, &size);
    assert_int_equal(size, POINTS * REPEATS * RUNS * TIMES * N_SPECIES * 8);
    const int64_t *next = totals;
    for (int i = 0; i < POINTS * REPEATS; i++)
        for (int run = 0; run < RUNS; run++)
            for (int t = 0; t < TIMES; t++)
                for (int s = 0; s < N_SPECIES; s++)
                    assert_true(*next++ == total(i, run, t, s));
    free(totals);
}

static void assert_near(double found, double expected)
{
    if (!(fabs(found - expected) <= 1e-12 * fabs(expected)))
        fail_msg("%.17g is not %.17g", found, expected);
}

static void assert_statistics(hid_t file)
{
    size_t size;
    double *const mean = values_of(file, "/total_mean", H5T_NATIVE_DOUBLE, &size);
    double *const variance = values_of(file, "/total_variance", H5T_NATIVE_DOUBLE, &size);
    assert_int_equal(size, POINTS * TIMES * N_SPECIES * 8);
    for (int at = 0; at < POINTS * TIMES * N_SPECIES; at++) {
        const int point = at / (TIMES * N_SPECIES);
        double sum = 0, squares = 0;
        for (int pass = 0; pass < 2; pass++)
            for (int i = 0; i < REPEATS * RUNS; i++) {
                const double n = (double)total(point * REPEATS + i / RUNS, i % RUNS,
                                               at / N_SPECIES % TIMES, at % N_SPECIES);
                if (pass == 0)
                    sum += n;
                else
                    squares += (n - sum / (REPEATS * RUNS)) * (n - sum / (REPEATS * RUNS));
            }
        assert_near(mean[at], sum / (REPEATS * RUNS));
        assert_near(variance[at], squares / (REPEATS * RUNS - 1));
    }
    free(mean);
    free(variance);
}

static void all_batches_are_collected(void **state)
{
    (void)state;
    stored_folder("all_batches_are_collected");
    struct rd_error e = {0};
    for (int i = 0; i < POINTS * REPEATS; i++)
        write_result(i, RUNS, TIMES);
    if (!rd_collect_write("all.h5", &collection, &e))
        fail_msg("%s", e.text);
    const hid_t file = open_file("all.h5");
    assert_totals(file);
    assert_statistics(file);
    size_t size;
    double *const k = values_of(file, "/k", H5T_NATIVE_DOUBLE, &size);
    assert_true(k[0] == 0.5 && k[1] == 0.002);
    int64_t *const seed = values_of(file, "/seed", H5T_NATIVE_INT64, &size);
    assert_memory_equal(seed, seeds, sizeof seeds);
    free(k);
    free(seed);
    H5Fclose(file);
    assert_int_equal(stored_entries("."), 5);
    stored_leave();
}

static void assert_message(const char *message)
{
    struct rd_error e = {0};
    assert_false(rd_collect_write("all.h5", &collection, &e));
    if (!strstr(e.text, message))
        fail_msg("%s\nlacks: %s", e.text, message);
    assert_int_equal(e.n, 1);
    rd_error_free(&e);
    assert_int_not_equal(access("all.h5", F_OK), 0);
    assert_int_not_equal(access("all.h5.collecting", F_OK), 0);
}

static void unequal_batches_are_reported(void **state)
{
    (void)state;
    stored_folder("unequal_batches_are_reported");
    assert_message("1-1.h5: cannot be read: No such file");
    for (int i = 0; i < POINTS * REPEATS; i++)
        write_result(i, RUNS, TIMES);
    write_result(2, RUNS, TIMES - 1);
    assert_message(
        "2-1.h5: has other output times, species, regions, observables or runs than 1-1.h5");
    write_late_result(2);
    assert_message(
        "2-1.h5: has other output times, species, regions, observables or runs than 1-1.h5");
    write_result(2, RUNS - 1, TIMES);
    assert_message(
        "2-1.h5: has other output times, species, regions, observables or runs than 1-1.h5");
    assert_int_equal(unlink("2-1.h5"), 0);
    assert_message("2-1.h5: cannot be read: No such file");
    struct rd_error e = {0};
    assert_true(rd_collect_may("all.h5", false, &e));
    assert_false(rd_collect_may("1-1.h5", false, &e));
    assert_string_equal(e.text, "1-1.h5: exists; use --force to replace it");
    rd_error_free(&e);
    assert_true(rd_collect_may("1-1.h5", true, &e));
    assert_int_equal(mkfifo("pipe", 0600), 0);
    assert_false(rd_collect_may("pipe", true, &e));
    assert_string_equal(e.text,
                        "pipe: is not a regular file, and is not replaced; name another file");
    rd_error_free(&e);
    stored_leave();
}

static void state_of_a_run_is_read(void **state)
{
    (void)state;
    stored_folder("state_of_a_run_is_read");
    struct stored *const s = stored_make(2, 2, 1, 1, TIMES);
    struct rd_error e = {0};
    assert_int_equal(rd_store_state("r.h5").state, RD_STATE_NONE);
    stored_write(s, "r.h5");
    struct rd_state_of is = rd_store_state("r.h5");
    assert_int_equal(is.state, RD_STATE_COMPLETE);
    assert_true(is.until == stored_time(TIMES - 1));
    assert_int_equal(is.seed, -1); /* stored_provenance has no seed */
    stored_kill_after(s, "killed.h5", 2);
    is = rd_store_state("killed.h5");
    assert_int_equal(is.state, RD_STATE_INTERRUPTED);
    assert_true(isnan(is.until));
    rd_store *store = stored_begin(s, "failed.h5", false, 2, &e);
    assert_true(rd_store_close(store, "failed", NULL, 0, &e));
    assert_int_equal(rd_store_state("failed.h5").state, RD_STATE_FAILED);
    store = stored_begin(s, "stopped.h5", false, 3, &e);
    assert_true(rd_store_close(store, "interrupted", NULL, 0, &e));
    is = rd_store_state("stopped.h5");
    assert_int_equal(is.state, RD_STATE_INTERRUPTED);
    assert_true(is.until == stored_time(2));
    assert_int_equal(system("echo no > text.h5"), 0);
    assert_int_equal(rd_store_state("text.h5").state, RD_STATE_FOREIGN);
    stored_free(s);
    stored_leave();
}

/* Checks the state of a running run from another process, since the writer would lose its lock by
   reading its own file. */
static void state_of_a_running_run_is_read(void **state)
{
    (void)state;
    stored_folder("state_of_a_running_run_is_read");
    struct stored *const s = stored_make(2, 2, 1, 1, TIMES);
    struct rd_error e = {0};
    rd_store *const store = stored_begin(s, "r.h5", false, 2, &e);
    assert_non_null(store);
    const pid_t child = fork();
    if (child == 0)
        _exit(rd_store_state("r.h5").state == RD_STATE_RUNNING ? 0 : 1);
    int status = 1;
    assert_true(waitpid(child, &status, 0) == child);
    assert_int_equal(status, 0);
    assert_true(rd_store_close(store, "complete", NULL, 0, &e));
    stored_free(s);
    stored_leave();
}

int test_store_collect(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_batches_are_collected),
        cmocka_unit_test(unequal_batches_are_reported),
        cmocka_unit_test(state_of_a_run_is_read),
        cmocka_unit_test(state_of_a_running_run_is_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
