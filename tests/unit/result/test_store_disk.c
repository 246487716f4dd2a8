/* test_store_disk - written data stays readable: after a kill, under --force, during another run,
   on a full disk. */
#define _POSIX_C_SOURCE 200809L
#include "stored_file.h"

#include <signal.h>
#include <sys/wait.h>

static void test_killed_run_is_readable(void **state)
{
    (void)state;
    stored_folder("test_killed_run_is_readable");
    struct stored *const s = stored_make(4, 3, 1, 2, 40);
    s->record.segment_bytes = 1;
    stored_kill_after(s, "o%b.h5", 36);
    assert_all("o%b.h5", s, 36);
    assert_true(has_state("o%b.h5", "running"));
    assert_int_equal(stored_entries("o%b.h5.parts"), 6); /* 32 are merged; 4 more and a lock */

    struct rd_error e = {0};
    assert_null(stored_begin(s, "o%b.h5", false, 1, &e));
    assert_non_null(strstr(e.text, "--force"));
    rd_error_free(&e);
    remove("o%b.h5");
    assert_null(stored_begin(s, "o%b.h5", false, 1, &e));
    assert_non_null(strstr(e.text, "killed"));
    rd_error_free(&e);
    stored_write(s, "o%b.h5");
    assert_all("o%b.h5", s, 40);
    assert_int_equal(stored_entries("."), 1);
    stored_free(s);
    stored_leave();
}

/* Starts another process that holds the result open. Returns its pid after it has written n_times
   snapshots. */
static pid_t run_in_parallel(struct stored *s, const char *path, int64_t n_times)
{
    int ready[2];
    char word = 0;
    assert_int_equal(pipe(ready), 0);
    const pid_t child = fork();
    if (child == 0) {
        struct rd_error e = {0};
        word = stored_begin(s, path, false, n_times, &e) ? 'y' : 'n';
        if (write(ready[1], &word, 1) == 1)
            sleep(30); /* outlasts the test */
        _exit(1);
    }
    assert_true(child > 0 && read(ready[0], &word, 1) == 1 && word == 'y');
    close(ready[0]);
    close(ready[1]);
    return child;
}

static void assert_busy(struct stored *s, bool force)
{
    static const char message[] =
        "out.h5: another run is writing it; end that run, or write elsewhere with --output FILE";
    struct rd_error e = {0};
    assert_false(rd_store_check("out.h5", force, &e));
    assert_string_equal(e.text, message);
    rd_error_free(&e);
    assert_null(stored_begin(s, "out.h5", force, 1, &e));
    assert_string_equal(e.text, message);
    rd_error_free(&e);
}

/* Checks that the file of a live run is not touched, with or without --force, before its first data
   and after. */
static void test_live_run_is_locked(void **state)
{
    (void)state;
    stored_folder("test_live_run_is_locked");
    struct stored *const s = stored_make(4, 3, 1, 1, 9);
    s->record.segment_bytes = 1;
    for (int64_t n_times = 0; n_times < 4; n_times += 3) {
        const pid_t other = run_in_parallel(s, "out.h5", n_times);
        const int entries = stored_entries("out.h5.parts");
        assert_busy(s, false);
        assert_busy(s, true);
        assert_int_equal(stored_entries("out.h5.parts"), entries);
        if (n_times > 0)
            assert_all("out.h5", s, n_times);
        kill(other, SIGKILL);
        assert_true(waitpid(other, NULL, 0) == other);
        stored_write(s, "out.h5"); /* a dead process holds no lock */
        assert_all("out.h5", s, 9);
        assert_int_equal(stored_entries("."), 1);
        remove("out.h5");
    }
    stored_free(s);
    stored_leave();
}

/* Checks that a file which no run made is never removed, and that the next run refuses to start and
   names it. */
static void test_foreign_file_is_kept(void **state)
{
    (void)state;
    static const char *const names[] = {"mine.txt", "9223372036854775807.h5"};
    stored_folder("test_foreign_file_is_kept");
    struct stored *const s = stored_make(2, 1, 1, 1, 3);
    struct rd_error e = {0};
    rd_store *const store = stored_begin(s, "out.h5", false, 1, &e);
    assert_non_null(store);
    assert_int_equal(system("touch out.h5.parts/mine.txt"), 0);
    assert_true(rd_store_close(store, "complete", NULL, 0, &e));
    for (int i = 0; i < 2; i++) {
        char command[100], message[150];
        snprintf(command, sizeof command, "mv out.h5.parts/%s out.h5.parts/%s", names[0], names[1]);
        assert_int_equal(i == 0 ? 0 : system(command), 0);
        assert_int_equal(stored_entries("out.h5.parts"), 1);
        assert_null(stored_begin(s, "out.h5", true, 1, &e));
        snprintf(message, sizeof message,
                 "out.h5.parts: contains '%s', which belongs to no run; move it elsewhere",
                 names[i]);
        assert_string_equal(e.text, message);
        rd_error_free(&e);
    }
    assert_all("out.h5", s, 1);
    assert_int_equal(system("mv out.h5.parts/*.h5 ."), 0);
    stored_write(s, "out.h5");
    assert_int_equal(stored_entries("."), 2);
    stored_free(s);
    stored_leave();
}

/* Checks that with --force the old result, even of a killed run, remains until the new one has
   data. */
static void test_force_replaces_when_data_exist(void **state)
{
    (void)state;
    stored_folder("test_force_replaces_when_data_exist");
    struct stored *const s = stored_make(4, 3, 1, 1, 9);
    s->record.segment_bytes = 1;
    stored_kill_after(s, "out.h5", 5);
    struct rd_error e = {0};
    rd_store *store = NULL;
    assert_true(rd_store_open(&store, "out.h5", true, &s->record, &e));
    assert_all("out.h5", s, 5);
    assert_true(rd_store_close(store, "failed", NULL, 0, &e));
    assert_all("out.h5", s, 5);
    stored_limit_files(1000);
    assert_null(stored_begin(s, "out.h5", true, 1, &e));
    stored_limit_files(RLIM_INFINITY);
    assert_non_null(strstr(e.text, "no snapshot of this run is saved"));
    rd_error_free(&e);
    assert_all("out.h5", s, 5);
    store = stored_begin(s, "out.h5", true, 2, &e);
    assert_non_null(store);
    assert_all("out.h5", s, 2);
    assert_true(rd_store_close(store, "interrupted", NULL, 0, &e));
    assert_all("out.h5", s, 2);
    assert_true(has_state("out.h5", "interrupted"));
    assert_int_equal(stored_entries("."), 1);
    stored_free(s);
    stored_leave();
}

/* Checks a full disk at a segment, a master or the result: no data that a master had shown is lost,
   and a message is printed. */
static void test_full_disk(void **state)
{
    (void)state;
    stored_folder("test_full_disk");
    enum { TIMES = 16 };
    int n_safe_seen = 0, n_joins_failed = 0;
    for (rlim_t bytes = 24000; bytes < 260000; bytes += 30000) {
        struct stored *const s = stored_make(70, 60, 1, 1, TIMES);
        struct rd_error e = {0};
        s->record.segment_bytes = 25000;
        stored_limit_files(bytes);
        rd_store *const store = stored_begin(s, "out.h5", true, TIMES, &e);
        const bool good = store && rd_store_close(store, "complete", NULL, 0, &e);
        stored_limit_files(RLIM_INFINITY);
        int n_safe = 0;
        if (good) {
            assert_all("out.h5", s, TIMES);
            assert_int_equal(stored_entries("."), 1);
        } else if (sscanf(strstr(e.text, "out.h5: the first ") ? strstr(e.text, "the first") : "",
                          "the first %d", &n_safe) == 1) {
            assert_non_null(strstr(e.text, "File too large"));
            assert_all("out.h5", s, n_safe);
            const bool ended = has_state("out.h5", "complete");
            assert_true(ended ? n_safe == TIMES : has_state("out.h5", "running"));
            n_joins_failed += ended;
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

int test_store_disk(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_killed_run_is_readable),
        cmocka_unit_test(test_live_run_is_locked),
        cmocka_unit_test(test_foreign_file_is_kept),
        cmocka_unit_test(test_force_replaces_when_data_exist),
        cmocka_unit_test(test_full_disk),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
