/* test_conservation_check - counts that the test corrupts are reported at the next snapshot;
   events, walls and individuals cause no report. */
#include "record/record.h"
#include "run/run.h"

#include "stage.h"

#include <stdlib.h>

/* Describes a recorder, and the count that is corrupted before one of the snapshots. */
struct breaking {
    struct stage stage;
    struct rd_recorder recorder;
    int at, n; /* the number of that snapshot, from 0, and the number of snapshots so far */
    int64_t run;
    int species; /* canonical number */
    int32_t by;
};

static bool record(void *to, struct rd_sim *s, double time, struct rd_error *e)
{
    struct breaking *const b = to;
    if (b->n++ == b->at)
        *stage_count(&b->stage, b->run, b->species, 1) += b->by;
    return rd_recorder_take(&b->recorder, s, time, e);
}

/* Runs a model. Returns the message, or NULL if the run succeeded. The caller frees it and
   closes b. */
static char *run_with_error(struct breaking *b, const char *name, const char *const *sets)
{
    const struct rd_machine_of cpu = {.backend = "cpu", .threads = 1};
    const struct rd_watch watch = {.record = record, .record_to = b};
    struct rd_error e = {0};
    double stopped;
    stage_plan(&b->stage, name, sets);
    const bool ok = rd_sim_open(&b->stage.sim, &b->stage.plan, &cpu, &e) &&
                    rd_recorder_open(&b->recorder, &b->stage.sim, 1, &e) &&
                    rd_run(&b->stage.plan, &b->stage.sim, &watch, &stopped, &e);
    assert_true(ok == (e.n == 0));
    return e.text;
}

static void close_all(struct breaking *b, char *message)
{
    free(message);
    rd_recorder_close(&b->recorder, &b->stage.sim);
    stage_close(&b->stage);
}

#define BINDING "run/binding.cfg"

static void corrupted_count_is_reported(void **state)
{
    (void)state;
    struct breaking b = {.at = 2, .run = 1, .species = 0, .by = 3}; /* adds three A */
    char *message = run_with_error(&b, BINDING, NULL);
    assert_contains(message,
                    "run 8, t = 2: the conserved sum A + C is 53 instead of 50: the program or the "
                    "machine's memory failed after t = 1, and the snapshot is discarded");
    assert_int_equal(b.n, 3);
    assert_int_equal(b.recorder.n_written, 2);
    close_all(&b, message);
    b = (struct breaking){.at = 3, .run = 0, .species = 1, .by = -1}; /* removes one B */
    message = run_with_error(&b, BINDING, NULL);
    assert_contains(message, "run 7, t = 3: the conserved sum B + 2 C is 69 instead of 70");
    close_all(&b, message);
    b = (struct breaking){.at = 0, .run = 2, .species = 2, .by = 1}; /* placed counts are known */
    message = run_with_error(&b, BINDING, NULL);
    assert_contains(message, "run 9, t = 0: the conserved sum A + C is 51 instead of 50");
    assert_contains(message, "memory failed, and the snapshot");
    close_all(&b, message);
}

static void correct_run_is_not_reported(void **state)
{
    (void)state;
    struct breaking b = {.at = -1};
    assert_null(run_with_error(&b, BINDING, NULL));
    assert_int_equal(b.n, 5);
    close_all(&b, NULL);
}

/* Checks the sums after events: 50 A at the start, and 10 A more and at most 4 C fewer at each
   event. */
static void events_change_the_expected_sums(void **state)
{
    (void)state;
    struct breaking b = {.at = -1};
    assert_null(run_with_error(&b, "run/binding_and_events.cfg", NULL));
    assert_int_equal(b.n, 5);
    const int64_t n = b.stage.sim.placed[1] + b.stage.sim.placed[2]; /* A and C of the first run */
    assert_true(n >= 50 + 7 * 10 - 7 * 4 && n < 50 + 7 * 10);
    assert_int_equal(n, stage_total(&b.stage, 0, 0) + stage_total(&b.stage, 0, 2));
    close_all(&b, NULL);
    b = (struct breaking){.at = 4, .run = 0, .species = 2, .by = 1};
    char *const message = run_with_error(&b, "run/binding_and_events.cfg", NULL);
    assert_contains(message, "run 7, t = 4: the conserved sum A + C is ");
    close_all(&b, message);
}

static void walls_change_the_expected_sums(void **state)
{
    (void)state;
    static const char *const solver[] = {"solver=split", "solver=exact"};
    for (int i = 0; i < 2; i++) {
        struct breaking b = {.at = -1};
        assert_null(run_with_error(&b, "run/absorbing_walls.cfg", SETS(solver[i])));
        assert_true(stage_total(&b.stage, 0, 0) + stage_total(&b.stage, 0, 1) != 500);
        close_all(&b, NULL);
        b = (struct breaking){.at = 3, .run = 1, .species = 0, .by = 1};
        char *const message = run_with_error(&b, "run/absorbing_walls.cfg", SETS(solver[i]));
        assert_contains(message, "run 1, t = 3: the conserved sum A + B is 501 instead of 500");
        close_all(&b, message);
    }
}

static void individuals_are_checked(void **state)
{
    (void)state;
    struct breaking b = {.at = -1};
    assert_null(run_with_error(&b, "run/individuals_become_others.cfg", NULL));
    assert_int_equal(b.stage.plan.conserved.law.n, 1);
    assert_int_equal(b.stage.sim.placed[0] + b.stage.sim.placed[1], 90);
    assert_true(stage_total(&b.stage, 0, 0) + stage_total(&b.stage, 0, 1) < 90);
    close_all(&b, NULL);
}

static void networks_without_laws_are_not_checked(void **state)
{
    (void)state;
    struct breaking b = {.at = 1, .by = 1};
    assert_null(run_with_error(&b, "run/decay.cfg", NULL));
    assert_null(b.stage.sim.placed);
    assert_null(b.recorder.conservation_check.apart);
    close_all(&b, NULL);
}

/* Checks a resumed run: its start is unknown, so the others are compared with the first
   snapshot. */
static void resumed_runs_begin_with_the_first_snapshot(void **state)
{
    (void)state;
    struct breaking b = {.at = -1};
    struct rd_error e = {0};
    assert_null(run_with_error(&b, BINDING, NULL));
    rd_recorder_close(&b.recorder, &b.stage.sim);
    assert_true(rd_recorder_open(&b.recorder, &b.stage.sim, 1, &e));
    b.stage.sim.is_begun = false;
    b.stage.sim.placed[1] = 999;
    assert_true(rd_recorder_take(&b.recorder, &b.stage.sim, 4, &e));
    assert_true(rd_recorder_take(&b.recorder, &b.stage.sim, 5, &e));
    ++*stage_count(&b.stage, 0, 0, 0);
    assert_false(rd_recorder_take(&b.recorder, &b.stage.sim, 6, &e));
    assert_contains(e.text, "run 7, t = 6: the conserved sum A + C is 51 instead of 50");
    assert_contains(e.text, "failed after t = 5");
    close_all(&b, e.text);
}

int test_conservation_check(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(corrupted_count_is_reported),
        cmocka_unit_test(correct_run_is_not_reported),
        cmocka_unit_test(events_change_the_expected_sums),
        cmocka_unit_test(walls_change_the_expected_sums),
        cmocka_unit_test(individuals_are_checked),
        cmocka_unit_test(networks_without_laws_are_not_checked),
        cmocka_unit_test(resumed_runs_begin_with_the_first_snapshot),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
