/* test_recording - failures while snapshots are written in parallel to a run: a full disk, a
   directory that is removed or read-only, a stop with many snapshots in the queue, long times
   without a snapshot. */
#define _POSIX_C_SOURCE 200809L
#include "base/clock.h"
#include "model_file.h"
#include "recording.h"
#include "stored_file.h"

#include <fcntl.h>
#include <time.h>

enum { SNAPSHOTS = 16, FAILS = 5 };

/* Runs tests/models/NAME as recording_run does. */
static bool run(struct recording *r, const char *name, struct rd_error *e)
{
    char *const text = model_text(name);
    const bool ok = recording_run(r, text, e);
    free(text);
    return ok;
}

static int64_t snapshots_in(const char *path)
{
    size_t size;
    const hid_t file = open_file(path);
    free(values_of(file, "/time", H5T_NATIVE_DOUBLE, &size));
    free(values_of(file, "/counts", H5T_NATIVE_INT32, &size)); /* opens every segment */
    H5Fclose(file);
    return (int64_t)(size / (250 * 200 * sizeof(int32_t)));
}

static void fill_disk(void *bytes, int64_t n)
{
    if (n == FAILS)
        stored_limit_files(*(const rlim_t *)bytes);
}

/* Checks a full disk. Each snapshot is a segment: some are safe when the disk is full, and the next
   ones stop the run. If there is space for a master, it states that the run failed. */
static void full_disk_stops_the_run(void **state)
{
    (void)state;
    stored_folder("full_disk_stops_the_run");
    rlim_t limits[] = {45000, 100}; /* space for a master but no segment; space for nothing */
    for (int i = 0; i < 2; i++) {
        struct recording r = {.path = "out.h5",
                              .n_snapshot_buffers = 2,
                              .segment_bytes = 1,
                              .before_snapshot = fill_disk,
                              .to = &limits[i]};
        struct rd_error e = {0};
        assert_false(run(&r, "run/recording.cfg", &e));
        stored_limit_files(RLIM_INFINITY);
        assert_non_null(strstr(e.text, "File too large"));
        assert_non_null(strstr(e.text, " snapshots (to time "));
        int n = 0;
        assert_int_equal(sscanf(strstr(e.text, "the first "), "the first %d", &n), 1);
        assert_true(n >= FAILS - 3 && n <= FAILS); /* snapshots in the queue may be lost */
        assert_true(r.n_taken < FAILS + 4);        /* the run stops soon after */
        assert_int_equal(snapshots_in("out.h5"), n);
        assert_true(has_state("out.h5", i == 0 ? "failed" : "running"));
        rd_error_free(&e);
    }
    stored_leave();
}

static void remove_parts(void *to, int64_t n)
{
    (void)to;
    if (n == FAILS)
        assert_int_equal(rename("out.h5.parts", "gone"), 0);
}

static void protect_parts(void *to, int64_t n)
{
    (void)to;
    if (n == FAILS)
        assert_int_equal(chmod("out.h5.parts", 0555), 0);
}

/* Runs in a child process as an unprivileged user, since root ignores permissions. The file
   "messages" receives its messages. */
static void run_unprivileged(void (*before_snapshot)(void *to, int64_t n), int64_t bytes)
{
    assert_int_equal(chmod(".", 0777), 0);
    char *const text = model_text("run/recording.cfg"); /* that user may be unable to read it */
    const pid_t child = fork();
    if (child == 0) {
        struct recording r = {.path = "out.h5",
                              .n_snapshot_buffers = 2,
                              .segment_bytes = bytes,
                              .before_snapshot = before_snapshot};
        struct rd_error e = {0};
        const bool is_unprivileged = geteuid() != 0 || setuid(65534) == 0;
        const bool ok = !is_unprivileged || recording_run(&r, text, &e);
        FILE *const file = fopen("messages", "w");
        fputs(ok ? "nothing" : e.text, file);
        fclose(file);
        _exit(r.n_taken < SNAPSHOTS ? 0 : 1);
    }
    int status = 1;
    assert_true(waitpid(child, &status, 0) == child && status == 0);
    free(text);
}

static void assert_printed(const char *words)
{
    char text[4096] = "";
    FILE *const file = fopen("messages", "r");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = 0;
    fclose(file);
    if (!strstr(text, words))
        fail_msg("'%s' is not in '%s'", words, text);
}

static void missing_directory_stops_the_run(void **state)
{
    (void)state;
    stored_folder("missing_directory_stops_the_run");
    run_unprivileged(remove_parts, 1);
    assert_printed("No such file or directory");
    assert_printed("out.h5: out.h5.parts is missing, and with it ");
    assert_int_equal(system("rm -rf out.h5 gone messages"), 0);
    run_unprivileged(protect_parts, 1);
    assert_printed("out.h5.parts/temporary.h5: cannot be ");
    assert_printed("Permission denied");
    assert_printed("out.h5: the first ");
    assert_true(snapshots_in("out.h5") >= FAILS - 3);
    stored_leave();
}

/* Checks that all snapshots in the queue are written when a run is stopped. */
static void stopped_run_writes_all_snapshots(void **state)
{
    (void)state;
    stored_folder("stopped_run_writes_all_snapshots");
    for (int n_snapshot_buffers = 1; n_snapshot_buffers <= 64; n_snapshot_buffers *= 8) {
        struct recording r = {.path = "out.h5",
                              .n_snapshot_buffers = n_snapshot_buffers,
                              .segment_bytes = 1,
                              .stops_at = 21};
        struct rd_error e = {0};
        assert_true(run(&r, "run/recording.cfg", &e));
        assert_true(r.stopped > 10.0 && r.n_taken == 11);
        assert_true(r.times.worked > 0.0 && r.times.waited > 0.0);
        assert_int_equal(snapshots_in("out.h5"), 11);
        assert_true(has_state("out.h5", "interrupted"));
    }
    stored_leave();
}

/* Waits, before the last snapshot is taken, until another program counts all others in the file;
   stores their number. (In this process HDF5 belongs to the writing thread until that thread is
   idle.) */
static void wait_for_others(void *to, int64_t n)
{
    const double begin = rd_clock();
    if (n < SNAPSHOTS - 1)
        return;
    while (system("$RDSIM_PROGRAM info out.h5 --json - 2>&1 | grep -q '\"snapshots\": 15,'") != 0 &&
           rd_clock() - begin < 60) {
    }
    *(int64_t *)to = snapshots_in("out.h5");
}

static void segments_are_closed_between_snapshots(void **state)
{
    (void)state;
    if (!getenv("RDSIM_PROGRAM"))
        skip();
    stored_folder("segments_are_closed_between_snapshots");
    int64_t seen = 0;
    struct recording r = {
        .path = "out.h5", .segment_seconds = 0.2, .before_snapshot = wait_for_others, .to = &seen};
    struct rd_error e = {0};
    assert_true(run(&r, "run/recording.cfg", &e));
    assert_int_equal(seen, SNAPSHOTS - 1);
    assert_int_equal(snapshots_in("out.h5"), SNAPSHOTS);
    stored_leave();
}

/* Makes steps slow, and renames the directory after the third step. */
static void step_slowly(void *to, int64_t n)
{
    (void)to;
    nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
    if (n == 3)
        assert_int_equal(rename("out.h5.parts", "gone"), 0);
}

/* Checks that a failure between two snapshots stops the run at a step. */
static void failure_stops_the_run_at_a_step(void **state)
{
    (void)state;
    stored_folder("failure_stops_the_run_at_a_step");
    struct recording r = {.path = "out.h5", .segment_seconds = 0.05, .steps = step_slowly};
    struct rd_error e = {0};
    assert_false(run(&r, "run/recording_late.cfg", &e));
    assert_non_null(strstr(e.text, "No such file or directory"));
    assert_non_null(strstr(e.text, "no snapshot of this run is saved"));
    assert_true(r.stopped > 3 && r.stopped < 5000 && r.n_taken == 1);
    rd_error_free(&e);
    stored_leave();
}

int test_recording(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(full_disk_stops_the_run),
        cmocka_unit_test(missing_directory_stops_the_run),
        cmocka_unit_test(failure_stops_the_run_at_a_step),
        cmocka_unit_test(stopped_run_writes_all_snapshots),
        cmocka_unit_test(segments_are_closed_between_snapshots),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
