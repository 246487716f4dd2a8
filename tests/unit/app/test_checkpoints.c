/* test_checkpoints - signals: what a run does after its current step, and which signal ends it
   immediately. The test sets the clock. */
#define _POSIX_C_SOURCE 200809L
#include "app/checkpoints.h"

#include "base/clock.h"
#include "base/signals.h"
#include "stored.h"

#include <signal.h>

static double now = 100.0;

double rd_clock(void)
{
    return now;
}

static enum rd_run_request wish(const struct rd_checkpoints *k)
{
    return rd_checkpoints_request(k, 0.0, 0, 0.0);
}

/* Sends two signals to a process, SECONDS apart. Returns the signal that ends the process, or 0 if
   it stops after its step. */
static int ends_by(int first, int second, double seconds)
{
    static struct rd_batch batch;
    const struct rd_checkpoints k = {.every = 1e9, .batch = &batch};
    const pid_t child = fork();
    if (child == 0) {
        signal(SIGHUP, SIG_DFL);
        rd_signals_listen(&(struct rd_signals_options){.grace = 1e6, .path = "out.h5"});
        raise(first);
        now += seconds;
        raise(second);
        _exit(wish(&k) == RD_STOP ? 0 : 1);
    }
    int status = 1;
    assert_true(waitpid(child, &status, 0) == child);
    if (WIFSIGNALED(status))
        return WTERMSIG(status);
    assert_int_equal(status, 0);
    return 0;
}

/* Checks that SIGTERM within 10 s of the first signal is ignored: a queue sends SIGTERM to each
   process of a job, and some processes pass it on. */
static void a_repeated_sigterm_is_one_for_ten_seconds(void **state)
{
    (void)state;
    assert_int_equal(ends_by(SIGTERM, SIGTERM, 0.0), 0);
    assert_int_equal(ends_by(SIGTERM, SIGTERM, 9.5), 0);
    assert_int_equal(ends_by(SIGINT, SIGTERM, 9.5), 0);
    assert_int_equal(ends_by(SIGTERM, SIGTERM, 10.5), SIGTERM);
    assert_int_equal(ends_by(SIGINT, SIGTERM, 10.5), SIGTERM);
}

static void any_other_second_signal_ends_it_at_once(void **state)
{
    (void)state;
    assert_int_equal(ends_by(SIGINT, SIGINT, 0.0), SIGINT);
    assert_int_equal(ends_by(SIGTERM, SIGINT, 0.0), SIGINT);
    assert_int_equal(ends_by(SIGHUP, SIGHUP, 0.0), SIGHUP);
    assert_int_equal(ends_by(SIGTERM, SIGINT, 60.0), SIGINT);
}

static void a_request_for_a_checkpoint_stops_nothing(void **state)
{
    (void)state;
    static struct rd_batch batch;
    const struct rd_checkpoints k = {.saved = now, .every = 60, .batch = &batch};
    const pid_t child = fork();
    if (child == 0) {
        rd_signals_begin();
        raise(SIGUSR1);
        raise(SIGUSR1);
        _exit(wish(&k) == RD_SAVE ? 0 : 1);
    }
    int status = 1;
    assert_true(waitpid(child, &status, 0) == child && status == 0);
}

static int n_warnings;

static void count_warnings(const struct rd_error *messages)
{
    assert_non_null(strstr(messages->text, "no checkpoint is written at t = "));
    n_warnings++;
}

/* Checks that one request causes one attempt to save. A directory has the name of the temporary
   file, so that no checkpoint can be written; no simulation is needed. */
static void a_request_is_met_once(void **state)
{
    (void)state;
    static struct rd_sim sim;
    stored_folder("a_request_is_met_once");
    struct stored *const s = stored_make(4, 3, 1, 1, 1);
    struct rd_error e = {0};
    struct rd_watch watch = {0};
    struct rd_batch batch = {0};
    struct rd_run_position moment = {0};
    struct rd_recorder recorder = {.store = stored_begin(s, "out.h5", false, 0, &e)};
    struct rd_checkpoints k = {
        .every = 60, .saved = now, .warn = count_warnings, .recorder = &recorder, .batch = &batch};
    assert_non_null(recorder.store);
    assert_int_equal(mkdir("out.h5.parts/draft.checkpoint", 0777), 0);
    rd_checkpoints_join(&k, &watch);
    rd_signals_begin();
    assert_int_equal(wish(&k), RD_GO_ON);
    raise(SIGUSR1);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(wish(&k), RD_SAVE);
        assert_true(watch.save(watch.save_to, &sim, &moment, &e));
        assert_int_equal(wish(&k), RD_GO_ON);
        now += 60; /* the next checkpoint is due */
    }
    assert_int_equal(n_warnings, 1);
    assert_false(k.is_saved || k.can_resume);
    assert_int_equal(rmdir("out.h5.parts/draft.checkpoint"), 0);
    assert_true(rd_store_close(recorder.store, "failed", NULL, 0, &e));
    stored_free(s);
    stored_leave();
}

int test_checkpoints(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_repeated_sigterm_is_one_for_ten_seconds),
        cmocka_unit_test(any_other_second_signal_ends_it_at_once),
        cmocka_unit_test(a_request_for_a_checkpoint_stops_nothing),
        cmocka_unit_test(a_request_is_met_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
