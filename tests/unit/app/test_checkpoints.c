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

static enum rd_run_request request(const struct rd_checkpoints *k)
{
    return rd_checkpoints_request(k, 0.0, 0, 0.0);
}

/* Sends two signals to a process, SECONDS apart. Returns the signal that ends the process, or 0 if
   it stops after its step. */
static int signal_that_ends(int first, int second, double seconds)
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
        _exit(request(&k) == RD_STOP ? 0 : 1);
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
static void sigterm_is_ignored_for_ten_seconds(void **state)
{
    (void)state;
    assert_int_equal(signal_that_ends(SIGTERM, SIGTERM, 0.0), 0);
    assert_int_equal(signal_that_ends(SIGTERM, SIGTERM, 9.5), 0);
    assert_int_equal(signal_that_ends(SIGINT, SIGTERM, 9.5), 0);
    assert_int_equal(signal_that_ends(SIGTERM, SIGTERM, 10.5), SIGTERM);
    assert_int_equal(signal_that_ends(SIGINT, SIGTERM, 10.5), SIGTERM);
}

static void second_signal_ends_the_process(void **state)
{
    (void)state;
    assert_int_equal(signal_that_ends(SIGINT, SIGINT, 0.0), SIGINT);
    assert_int_equal(signal_that_ends(SIGTERM, SIGINT, 0.0), SIGINT);
    assert_int_equal(signal_that_ends(SIGHUP, SIGHUP, 0.0), SIGHUP);
    assert_int_equal(signal_that_ends(SIGTERM, SIGINT, 60.0), SIGINT);
}

static void checkpoint_request_does_not_stop_the_run(void **state)
{
    (void)state;
    static struct rd_batch batch;
    const struct rd_checkpoints k = {.saved = now, .every = 60, .batch = &batch};
    const pid_t child = fork();
    if (child == 0) {
        rd_signals_begin();
        raise(SIGUSR1);
        raise(SIGUSR1);
        _exit(request(&k) == RD_SAVE ? 0 : 1);
    }
    int status = 1;
    assert_true(waitpid(child, &status, 0) == child && status == 0);
}

static int n_warnings;

static void count_warnings(void *to, const struct rd_error *messages)
{
    (void)to;
    assert_non_null(strstr(messages->text, "no checkpoint is written at t = "));
    n_warnings++;
}

/* Checks that one request causes one attempt to save. A directory has the name of the temporary
   file, so that no checkpoint can be written; no simulation is needed. */
static void request_causes_one_checkpoint(void **state)
{
    (void)state;
    static struct rd_sim sim;
    stored_folder("request_causes_one_checkpoint");
    struct stored *const s = stored_make(4, 3, 1, 1, 1);
    struct rd_error e = {0};
    struct rd_watch watch = {0};
    struct rd_batch batch = {0};
    struct rd_run_position position = {0};
    struct rd_recorder recorder = {.store = stored_begin(s, "out.h5", false, 0, &e)};
    struct rd_checkpoints k = {
        .every = 60, .saved = now, .warn = count_warnings, .recorder = &recorder, .batch = &batch};
    assert_non_null(recorder.store);
    assert_int_equal(mkdir("out.h5.parts/temporary.checkpoint", 0777), 0);
    rd_checkpoints_join(&k, &watch);
    rd_signals_begin();
    assert_int_equal(request(&k), RD_GO_ON);
    raise(SIGUSR1);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(request(&k), RD_SAVE);
        assert_true(watch.save(watch.save_to, &sim, &position, &e));
        assert_int_equal(request(&k), RD_GO_ON);
        now += 60; /* the next checkpoint is due */
    }
    assert_int_equal(n_warnings, 1);
    assert_false(k.is_saved || k.can_resume);
    assert_int_equal(rmdir("out.h5.parts/temporary.checkpoint"), 0);
    assert_true(rd_store_close(recorder.store, "failed", NULL, 0, &e));
    stored_free(s);
    stored_leave();
}

int test_checkpoints(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sigterm_is_ignored_for_ten_seconds),
        cmocka_unit_test(second_signal_ends_the_process),
        cmocka_unit_test(checkpoint_request_does_not_stop_the_run),
        cmocka_unit_test(request_causes_one_checkpoint),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
