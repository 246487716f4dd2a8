/* test_run - the main loop of a run: what is recorded and when, events between steps, stopping, and
   new rates. */
#include "run/run.h"

#include "far.h"
#include "stage.h"

#include <stdlib.h>

enum { TIMES_MOST = 64 };

/* Holds the values that the callbacks received at outputs and between them. */
struct recorded {
    struct stage *s;
    int n;
    double time[TIMES_MOST];
    int64_t total[TIMES_MOST]; /* of the first species */
    int n_steps_seen;
    double last, stop_at;
};

static bool record(void *to, struct rd_sim *sim, double time, struct rd_error *e)
{
    struct recorded *const t = to;
    assert_ptr_equal(sim, &t->s->sim);
    (void)e;
    assert_true(t->n < TIMES_MOST);
    t->time[t->n] = time;
    t->total[t->n++] = stage_total(t->s, 0, 0);
    return true;
}

static enum rd_run_request go_on(void *to, double time, int64_t n_steps)
{
    struct recorded *const t = to;
    assert_true(time > t->last && n_steps == t->s->sim.step_clock.step);
    t->last = time;
    t->n_steps_seen++;
    return time >= t->stop_at ? RD_STOP : RD_GO_ON;
}

/* Runs a model; returns the messages, or NULL. */
static char *run_stopped(struct recorded *t, struct stage *s, const char *name, double stop_at,
                         double *stopped)
{
    struct rd_error e = {0};
    const struct rd_watch watch = {.record = record, .record_to = t, .go_on = go_on, .go_on_to = t};
    const struct rd_machine_of cpu = {.backend = "cpu", .threads = 1};
    *t = (struct recorded){.s = s, .stop_at = stop_at};
    stage_plan(s, name, NULL);
    assert_true(rd_sim_open(&s->sim, &s->plan, &cpu, &e));
    const bool ok = rd_run(&s->plan, &s->sim, &watch, stopped, &e);
    assert_true(ok == (e.n == 0));
    return e.text;
}

static char *run(struct recorded *t, struct stage *s, const char *name)
{
    double stopped;
    char *const messages = run_stopped(t, s, name, INFINITY, &stopped);
    assert_true(isnan(stopped));
    return messages;
}

static void outputs_are_recorded_at_their_times(void **state)
{
    (void)state;
    struct stage s;
    struct recorded t;
    assert_null(run(&t, &s, "run/outputs.cfg"));
    const double times[] = {0, 0.1, 0.3, 1};
    assert_int_equal(t.n, 4);
    for (int i = 0; i < 4; i++) {
        assert_true(t.time[i] == times[i]);
        assert_int_equal(t.total[i], 100);
    }
    assert_int_equal(s.sim.step_clock.step, 2 + 4 + 14);
    assert_int_equal(t.n_steps_seen, 2 + 4 + 14);
    stage_close(&s);
}

/* Checks the order set, remove, add; events at the time of an output come before it. */
static void events_precede_outputs_at_their_time(void **state)
{
    (void)state;
    struct stage s;
    struct recorded t;
    assert_null(run(&t, &s, "run/events_before_outputs.cfg"));
    const int64_t totals[] = {4, 8, 18, 28, 38};
    assert_int_equal(t.n, 5);
    assert_memory_equal(t.total, totals, sizeof totals);
    stage_close(&s);
}

/* Checks that all 10 molecules die as soon as the rate is set, and none before. */
static void set_parameters_change_rates_and_steps(void **state)
{
    (void)state;
    struct stage s;
    struct recorded t;
    assert_null(run(&t, &s, "run/set_rate.cfg"));
    assert_int_equal(t.total[1], 10);
    assert_int_equal(t.total[2], 0);
    assert_int_equal(s.sim.step_clock.step, 1 + 2000 + 6);
    assert_true(s.plan.transport[0].hop_rate.rate[0] == 1);
    stage_close(&s);
}

/* Checks that new rates give new probabilities, although the steps keep their length. */
static void new_rates_have_new_probabilities(void **state)
{
    (void)state;
    struct stage s;
    struct recorded t;
    assert_null(run(&t, &s, "run/set_diffusion.cfg"));
    assert_int_equal(t.total[2], 10);
    assert_int_equal(t.total[3], 0); /* a fraction exp(-30) stays */
    stage_close(&s);
}

static void values_are_computed_from_those_before_the_event(void **state)
{
    (void)state;
    struct stage s;
    struct rd_error e = {0};
    stage_plan(&s, "run/set_values.cfg", NULL);
    double value[3] = {1, 2, 5};
    assert_true(rd_event_set(&s.model, &s.model.event[0], 7, value, &e));
    assert_true(value[0] == 2 && value[1] == 8 && value[2] == 5);
    assert_false(rd_event_set(&s.model, &s.model.event[1], 2, value, &e));
    assert_contains(
        e.text, "run/set_values.cfg:9: the event at t = 2 sets 'a' to inf; give a finite number");
    rd_error_free(&e);
    stage_close(&s);
}

static void run_stops_on_request(void **state)
{
    (void)state;
    struct stage s;
    struct recorded t;
    double stopped;
    assert_null(run_stopped(&t, &s, "run/long_run.cfg", 100, &stopped));
    assert_true(fabs(stopped - 100) < 1e-9);
    assert_int_equal(t.n, 1);
    assert_int_equal(t.n_steps_seen, 1000);
    stage_close(&s);
}

/* Checks that a fault is reported at the next check, long before the end of the stretch. */
static void run_ends_at_a_fault(void **state)
{
    (void)state;
    struct stage s;
    struct recorded t;
    char *const messages = run(&t, &s, "run/negative_propensity.cfg");
    assert_contains(messages, "the propensity of reaction '0 -> A' is negative");
    assert_int_equal(t.n, 1);
    assert_true(s.sim.step_clock.step <= 1024);
    free(messages);
    stage_close(&s);
}

static void too_many_steps_are_refused(void **state)
{
    (void)state;
    struct stage s;
    struct recorded t;
    char *const messages = run(&t, &s, "run/too_many_steps.cfg");
    assert_contains(messages, "the run has more than 4294967296 steps of at most 1");
    free(messages);
    stage_close(&s);
}

/* Checks that the exact solver takes one step from one cut to the next. */
static void exact_solver_has_a_step_per_stretch(void **state)
{
    (void)state;
    struct stage s;
    struct recorded t;
    assert_null(run(&t, &s, "run/exact.cfg"));
    assert_int_equal(t.total[0], 50);
    assert_int_equal(t.total[1], 30);
    assert_int_equal(s.sim.step_clock.step, 2);
    stage_close(&s);
}

/* Describes the births and deaths that wait when the callback is called. */
struct received {
    int n;           /* number of calls */
    int64_t waiting; /* at the first call */
    uint32_t step;   /* at the first call */
    bool is_refused;
};

static bool live(void *to, struct rd_sim *sim, struct rd_error *e)
{
    struct received *const h = to;
    if (h->n++ == 0) {
        h->waiting = sim->n_lives;
        h->step = sim->step_clock.step;
    }
    sim->n_lives = 0;
    return !h->is_refused || rd_fail(e, "the disk is full");
}

static bool record_nothing(void *to, struct rd_sim *sim, double time, struct rd_error *e)
{
    (void)to;
    (void)sim;
    (void)time;
    (void)e;
    return true;
}

static struct rd_error run_lineage(struct stage *s, struct received *h, const char *const *sets)
{
    struct rd_error e = {0};
    const struct rd_watch watch = {.record = record_nothing, .live = live, .record_to = h};
    const struct rd_machine_of cpu = {.backend = "cpu", .threads = 1};
    double stopped;
    stage_plan(s, "run/lineage.cfg", sets);
    assert_true(rd_sim_open(&s->sim, &s->plan, &cpu, &e));
    const bool ok = rd_run(&s->plan, &s->sim, &watch, &stopped, &e);
    assert_true(ok == (e.n == 0));
    return e;
}

/* Checks that 2^18 rows of lineage are stored before the next snapshot, after the step that reaches
   this number. */
static void long_lineage_is_stored_before_the_next_snapshot(void **state)
{
    (void)state;
    struct stage s;
    struct received h = {0};
    struct rd_error e = run_lineage(&s, &h, SETS("initial[0].count=262144"));
    assert_int_equal(e.n, 0);
    assert_true(h.n == 1 && h.waiting == 262144 && h.step == 1);
    stage_close(&s);
    h = (struct received){0};
    e = run_lineage(&s, &h, SETS("initial[0].count=262143"));
    assert_int_equal(h.n, 0);
    assert_int_equal(s.sim.n_lives, 262143);
    stage_close(&s);
    h = (struct received){.is_refused = true};
    e = run_lineage(&s, &h, SETS("initial[0].count=262144"));
    assert_contains(e.text, "the disk is full");
    assert_int_equal(s.sim.step_clock.step, 1);
    rd_error_free(&e);
    stage_close(&s);
}

/* Checks that an event that fails leaves the counts unchanged, as the lists are. */
static void failed_events_change_nothing(void **state)
{
    (void)state;
    struct stage s;
    struct recorded t;
    char *const messages = run(&t, &s, "run/impossible_event.cfg");
    assert_contains(messages, "attribute 'u' of 'A' begins as inf");
    assert_int_equal(t.n, 1);
    assert_int_equal(stage_total(&s, 0, 0), 30);
    assert_int_equal(s.sim.world.lists.live[0], 30);
    free(messages);
    stage_close(&s);
}

static enum rd_run_request pause_every_20(void *to, double time, int64_t n_steps)
{
    (void)to;
    (void)time;
    return n_steps > 0 && n_steps % 20 == 0 ? RD_PAUSE : RD_GO_ON;
}

/* Checks that a run on a device pauses before its steps are complete, and that what reads the state
   then reports their fault; and that the run cannot go on. */
static void pauses_need_not_wait_for_a_device(void **state)
{
    (void)state;
    struct stage s;
    struct rd_running r;
    struct rd_error e = {0};
    const struct rd_watch watch = {.record = record_nothing, .go_on = pause_every_20};
    const struct rd_machine_of cpu = {.backend = "cpu", .threads = 1};
    stage_plan(&s, "run/late_fault.cfg", NULL);
    assert_true(rd_sim_open(&s.sim, &s.plan, &cpu, &e));
    s.sim.backend = far_of(s.sim.backend);
    s.sim.is_verified = false; /* as in a release: each step would be checked */
    assert_true(rd_run_open(&r, &s.plan, &s.sim, &watch, &e));
    assert_true(rd_run_advance(&r, &e) && r.is_paused);
    assert_true(rd_run_finish_steps(&r, &e) && r.n_unchecked == 0);
    r.check_interval = 100;
    assert_true(rd_run_advance(&r, &e) && r.is_paused);
    assert_int_equal(r.n_unchecked, 20);
    assert_int_equal(s.sim.step_clock.step, 40);
    assert_false(rd_run_finish_steps(&r, &e));
    assert_contains(e.text, "the propensity of reaction '0 -> A' is negative");
    rd_error_free(&e);
    assert_false(rd_run_advance(&r, &e));
    assert_contains(e.text, "the run ended with a failure; begin it anew");
    rd_error_free(&e);
    rd_run_close(&r);
    stage_close(&s);
}

int test_run(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(outputs_are_recorded_at_their_times),
        cmocka_unit_test(events_precede_outputs_at_their_time),
        cmocka_unit_test(set_parameters_change_rates_and_steps),
        cmocka_unit_test(new_rates_have_new_probabilities),
        cmocka_unit_test(values_are_computed_from_those_before_the_event),
        cmocka_unit_test(run_stops_on_request),
        cmocka_unit_test(run_ends_at_a_fault),
        cmocka_unit_test(too_many_steps_are_refused),
        cmocka_unit_test(exact_solver_has_a_step_per_stretch),
        cmocka_unit_test(long_lineage_is_stored_before_the_next_snapshot),
        cmocka_unit_test(failed_events_change_nothing),
        cmocka_unit_test(pauses_need_not_wait_for_a_device),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
