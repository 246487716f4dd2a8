/* test_measure - how often a run is measured, over how many steps, and which quantities. */
#include "bench/measure.h"

#include "stage.h"

#include <stdlib.h>
#include <unistd.h>

static const struct rd_measure_of plain = {.backend = &rd_backend_cpu,
                                           .on = {.backend = "cpu", .threads = 1},
                                           .name = "case",
                                           .least = 2,
                                           .most = 4,
                                           .seconds = 1e9};

/* Measures tests/models/NAME as rd_measure does. */
static bool measure(struct rd_measure *m, const struct rd_measure_of *of, const char *name,
                    struct rd_error *e)
{
    char *const text = model_text(name);
    struct rd_measure_of with_text = *of;
    with_text.text = text;
    const bool ok = rd_measure(m, &with_text, e);
    free(text);
    return ok;
}

static struct rd_measure measured(const struct rd_measure_of *of, const char *name)
{
    struct rd_error e = {0};
    struct rd_measure m;
    if (!measure(&m, of, name, &e))
        fail_msg("%s", e.text);
    assert_true(m.has_run);
    return m;
}

#define DECAY "bench/decay.cfg"

static void stretches_are_timed(void **state)
{
    (void)state;
    const struct rd_measure m = measured(&plain, DECAY);
    assert_int_equal(m.seconds.n, 4); /* there are six stretches; the first one warms up */
    assert_int_equal(m.steps, 10);
    assert_true(m.time == 10.0);
    for (int i = 0; i < m.seconds.n; i++)
        assert_true(m.seconds.value[i] > 0.0 && m.seconds.value[i] < 1.0);
    assert_true(m.pass[RD_REACT] == 0.0 && m.recording.n == 0);
}

static void time_limits_the_repeats(void **state)
{
    (void)state;
    struct rd_measure_of of = plain;
    of.seconds = 0.0;
    const struct rd_measure m = measured(&of, DECAY);
    assert_int_equal(m.seconds.n, 2);
}

/* Checks that repeats start over if requested. All molecules decay in the warm-up, so that only a
   new start gives more events. */
static void repeats_start_over_on_request(void **state)
{
    (void)state;
    struct rd_measure_of of = plain;
    struct rd_measure m = measured(&of, DECAY);
    assert_true(m.fired == 0.0 && m.molecules == 0.0);
    of.starts_over = true;
    m = measured(&of, DECAY);
    assert_true(m.fired == 100.0); /* 1000 events in ten steps */
}

static void parts_take_one_more_repeat(void **state)
{
    (void)state;
    struct rd_measure_of of = plain;
    of.by_parts = true;
    of.most = 3;
    const struct rd_measure m = measured(&of, DECAY);
    assert_int_equal(m.seconds.n, 3);
    assert_true(m.pass[RD_REACT] > 0.0 && m.pass[RD_REACT] < 1.0);
    assert_true(m.pass[RD_MOVE] == 0.0); /* the model has no individuals */
}

static void snapshots_are_timed_separately(void **state)
{
    (void)state;
    struct rd_measure_of of = plain;
    of.file = "recorded.h5";
    const struct rd_measure m = measured(&of, DECAY);
    assert_true(m.recording.n >= m.seconds.n);
    assert_true(rd_sample_median(&m.recording) > 0.0);
    assert_int_equal(unlink("recorded.h5"), 0);
}

/* Checks that the time of saving checkpoints is measured separately. */
static void checkpoints_are_timed_separately(void **state)
{
    (void)state;
    struct rd_measure_of of = plain;
    of.checkpoint_file = "measured.checkpoint";
    const struct rd_measure m = measured(&of, DECAY);
    assert_int_equal(m.seconds.n, 4);
    assert_true(m.saving.n >= 50 && m.saving.value[0] > 0.0); /* a checkpoint follows each step */
    assert_int_equal(access(of.checkpoint_file, F_OK), 0);
    assert_int_not_equal(access("measured.checkpoint.temporary", F_OK), 0);
}

/* Checks the measured memory. Skips the test under the address sanitizer, which keeps freed memory
   and adds shadow memory. */
static void memory_is_measured(void **state)
{
    (void)state;
#ifdef __SANITIZE_ADDRESS__
    skip();
#endif
    struct rd_measure_of of = plain;
    of.least = of.most = 1;
    const double counts = 2.0 * 4.0 * 4e6; /* counts and arrivals, 4 bytes each */
    const struct rd_measure m = measured(&of, "bench/memory.cfg");
    assert_true(m.bytes > 0.9 * counts && m.bytes < 2.0 * counts);
    assert_true(m.molecules == 4e6);
}

static void too_large_models_are_no_error(void **state)
{
    (void)state;
    struct rd_error e = {0};
    struct rd_measure m;
    assert_true(measure(&m, &plain, "bench/too_large.cfg", &e));
    assert_false(m.has_run);
    assert_int_equal(m.why.n, 1);
    assert_non_null(strstr(m.why.text, "GB free"));
    rd_error_free(&m.why);
}

static void faults_are_reported(void **state)
{
    (void)state;
    struct rd_error e = {0};
    struct rd_measure m;
    struct rd_measure_of of = plain;
    const struct rd_set set = {.path = "parameters.q", .value = "1"};
    of.set = &set;
    of.n_set = 1;
    assert_false(measure(&m, &of, DECAY, &e));
    assert_true(e.wrong && strstr(e.text, "--set parameters.q=1"));
    rd_error_free(&e);
    e = (struct rd_error){0};
    assert_false(measure(&m, &plain, "bench/negative_propensity.cfg", &e));
    assert_true(!e.wrong && strstr(e.text, "is negative"));
    rd_error_free(&e);
}

int test_measure(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stretches_are_timed),
        cmocka_unit_test(time_limits_the_repeats),
        cmocka_unit_test(repeats_start_over_on_request),
        cmocka_unit_test(parts_take_one_more_repeat),
        cmocka_unit_test(snapshots_are_timed_separately),
        cmocka_unit_test(checkpoints_are_timed_separately),
        cmocka_unit_test(memory_is_measured),
        cmocka_unit_test(too_large_models_are_no_error),
        cmocka_unit_test(faults_are_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
