/* test_run - the main loop of a run: what is recorded and when, events between steps, stopping, and
   new rates. */
#include "run/run.h"

#include "stage.h"

#include <stdlib.h>

enum { TIMES_MOST = 64 };

/* The values that the callbacks received at outputs and between them. */
struct told {
    struct stage *s;
    int n;
    double time[TIMES_MOST];
    int64_t total[TIMES_MOST]; /* of the first species */
    int n_asked;
    double last, stop_at;
};

static bool record(void *to, struct rd_sim *sim, double time, struct rd_error *e)
{
    struct told *const t = to;
    assert_ptr_equal(sim, &t->s->sim);
    (void)e;
    assert_true(t->n < TIMES_MOST);
    t->time[t->n] = time;
    t->total[t->n++] = stage_total(t->s, 0, 0);
    return true;
}

static enum rd_run_request go_on(void *to, double time, int64_t n_steps)
{
    struct told *const t = to;
    assert_true(time > t->last && n_steps == t->s->sim.step_clock.step);
    t->last = time;
    t->n_asked++;
    return time >= t->stop_at ? RD_STOP : RD_GO_ON;
}

/* Runs a configuration; returns its messages, or NULL. */
static char *run_stopped(struct told *t, struct stage *s, const char *text, double stop_at,
                         double *stopped)
{
    struct rd_error e = {0};
    const struct rd_watch watch = {.record = record, .record_to = t, .go_on = go_on, .go_on_to = t};
    const struct rd_machine_of cpu = {.backend = "cpu", .threads = 1};
    *t = (struct told){.s = s, .stop_at = stop_at};
    stage_plan(s, text);
    assert_true(rd_sim_open(&s->sim, &s->plan, &cpu, &e));
    const bool ok = rd_run(&s->plan, &s->sim, &watch, stopped, &e);
    assert_true(ok == (e.n == 0));
    return e.text;
}

static char *run(struct told *t, struct stage *s, const char *text)
{
    double stopped;
    char *const said = run_stopped(t, s, text, INFINITY, &stopped);
    assert_true(isnan(stopped));
    return said;
}

static void outputs_are_recorded_at_their_times(void **state)
{
    (void)state;
    struct stage s;
    struct told t;
    assert_null(run(&t, &s,
                    "grid = { voxels = 4; edge = 1.0; };\n"
                    "species = ( { name = \"A\"; diffusion = 1.0; } );\n"
                    "initial = ( { species = \"A\"; count = 100; } );\n"
                    "time = { end = 1.0; step = 0.05; }; output = { times = (0.0, 0.1, 0.3, 1.0); "
                    "};\n"));
    const double times[] = {0, 0.1, 0.3, 1};
    assert_int_equal(t.n, 4);
    for (int i = 0; i < 4; i++) {
        assert_true(t.time[i] == times[i]);
        assert_int_equal(t.total[i], 100);
    }
    assert_int_equal(s.sim.step_clock.step, 2 + 4 + 14);
    assert_int_equal(t.n_asked, 2 + 4 + 14);
    stage_close(&s);
}

/* Checks the order set, remove, add; events at the time of an output come before it. */
static void events_come_before_what_is_recorded_then(void **state)
{
    (void)state;
    struct stage s;
    struct told t;
    assert_null(run(&t, &s,
                    "grid = { voxels = 4; edge = 1.0; };\n"
                    "parameters = { n = 3.0; };\n"
                    "species = ( { name = \"A\"; } );\n"
                    "initial = ( { species = \"A\"; count = \"n\"; } );\n"
                    "events = ( { time = 0; add = { species = \"A\"; count = 1; }; },\n"
                    "           { time = 1; add = { species = \"A\"; count = \"n\"; };\n"
                    "             remove = { species = \"A\"; all = true; };\n"
                    "             set = { n = \"n + t + 4\"; }; },\n"
                    "           { time = 2; every = 1; add = { species = \"A\"; count = 10; }; } "
                    ");\n"
                    "time = { end = 4.0; }; output = { every = 1.0; };\n"));
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
    struct told t;
    assert_null(run(&t, &s,
                    "grid = { voxels = 4; edge = 1.0; };\n"
                    "parameters = { k = 0.0; D = 0.01; };\n"
                    "species = ( { name = \"A\"; diffusion = \"D\"; } );\n"
                    "reactions = ( { equation = \"A -> 0\"; rate = \"k\"; } );\n"
                    "initial = ( { species = \"A\"; count = 10; } );\n"
                    "events = ( { time = 1; set = { k = 1e3; }; }, { time = 2; set = { k = 0.0; D "
                    "= 1.0; }; } );\n"
                    "time = { end = 3.0; }; output = { every = 1.0; };\n"));
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
    struct told t;
    assert_null(run(&t, &s,
                    "grid = { voxels = 2; edge = 1.0; walls = { x = \"absorb\"; }; };\n"
                    "parameters = { D = 1e-9; };\n"
                    "species = ( { name = \"A\"; diffusion = \"D\"; } );\n"
                    "initial = ( { species = \"A\"; count = 10; } );\n"
                    "events = ( { time = 2; set = { D = 30.0; }; } );\n"
                    "time = { end = 4.0; }; output = { every = 1.0; };\n"));
    assert_int_equal(t.total[2], 10);
    assert_int_equal(t.total[3], 0); /* a fraction exp(-30) stays */
    stage_close(&s);
}

static void values_are_set_from_those_before_the_event(void **state)
{
    (void)state;
    struct stage s;
    struct rd_error e = {0};
    stage_plan(&s, "grid = { voxels = 4; edge = 0.5; };\n"
                   "parameters = { a = 1.0; b = 2.0; c = 5.0; };\n"
                   "species = ( { name = \"A\"; } );\n"
                   "events = ( { time = 1; set = { a = \"b\"; b = \"a + t\"; }; },\n"
                   "           { time = 2; set = { a = \"1 / (b - 8)\"; c = 1.0; }; } );\n"
                   "time = { end = 3.0; };\n");
    double value[3] = {1, 2, 5};
    assert_true(rd_event_set(&s.model, 0, 7, value, &e));
    assert_true(value[0] == 2 && value[1] == 8 && value[2] == 5);
    assert_false(rd_event_set(&s.model, 1, 2, value, &e));
    assert_said(e.text, "stage.cfg:5: the event at t = 2 sets 'a' to inf; give a finite number");
    rd_error_free(&e);
    stage_close(&s);
}

static void a_run_stops_when_told(void **state)
{
    (void)state;
    struct stage s;
    struct told t;
    double stopped;
    assert_null(run_stopped(&t, &s,
                            "grid = { voxels = 4; edge = 1.0; };\n"
                            "species = ( { name = \"A\"; diffusion = 1.0; } );\n"
                            "time = { end = 1000.0; step = 0.1; }; output = { every = 500.0; };\n",
                            100, &stopped));
    assert_true(fabs(stopped - 100) < 1e-9);
    assert_int_equal(t.n, 1);
    assert_int_equal(t.n_asked, 1000);
    stage_close(&s);
}

/* Checks that a fault is reported at the next check, long before the end of the stretch. */
static void faults_end_the_run(void **state)
{
    (void)state;
    struct stage s;
    struct told t;
    char *const said = run(&t, &s,
                           "grid = { voxels = 4; edge = 1.0; };\n"
                           "species = ( { name = \"A\"; diffusion = 1.0; } );\n"
                           "reactions = ( { equation = \"0 -> A\"; propensity = \"1 - A\"; } );\n"
                           "time = { end = 1000.0; step = 0.1; }; output = { every = 500.0; };\n");
    assert_said(said, "the propensity of reaction '0 -> A' is negative");
    assert_int_equal(t.n, 1);
    assert_true(s.sim.step_clock.step <= 1024);
    free(said);
    stage_close(&s);
}

static void too_many_steps_are_refused(void **state)
{
    (void)state;
    struct stage s;
    struct told t;
    char *const said = run(&t, &s,
                           "grid = { voxels = 4; edge = 1.0; };\n"
                           "species = ( { name = \"A\"; } );\n"
                           "time = { end = 5e9; step = 1.0; }; output = { every = 5e9; };\n");
    assert_said(said, "the run has more than 4294967296 steps of at most 1");
    free(said);
    stage_close(&s);
}

/* Checks that the exact solver takes one step from one cut to the next. */
static void the_exact_solver_runs_between_cuts(void **state)
{
    (void)state;
    struct stage s;
    struct told t;
    assert_null(run(&t, &s,
                    "grid = { voxels = 4; edge = 1.0; };\n"
                    "species = ( { name = \"A\"; diffusion = 1.0; } );\n"
                    "initial = ( { species = \"A\"; count = 50; } );\n"
                    "events = ( { time = 0.5; remove = { species = \"A\"; count = 20; }; } );\n"
                    "time = { end = 1.0; }; output = { every = 1.0; }; solver = \"exact\";\n"));
    assert_int_equal(t.total[0], 50);
    assert_int_equal(t.total[1], 30);
    assert_int_equal(s.sim.step_clock.step, 2);
    stage_close(&s);
}

/* The births and deaths that wait when the callback is called. */
struct heard {
    int n;           /* number of calls */
    int64_t waiting; /* at the first call */
    uint32_t step;   /* at the first call */
    bool is_refused;
};

static bool live(void *to, struct rd_sim *sim, struct rd_error *e)
{
    struct heard *const h = to;
    if (h->n++ == 0) {
        h->waiting = sim->n_lives;
        h->step = sim->step_clock.step;
    }
    sim->n_lives = 0;
    return !h->is_refused || rd_fail(e, "the disk is full");
}

static bool keep_silent(void *to, struct rd_sim *sim, double time, struct rd_error *e)
{
    (void)to;
    (void)sim;
    (void)time;
    (void)e;
    return true;
}

static struct rd_error run_heard(struct stage *s, struct heard *h, const char *text)
{
    struct rd_error e = {0};
    const struct rd_watch watch = {.record = keep_silent, .live = live, .record_to = h};
    const struct rd_machine_of cpu = {.backend = "cpu", .threads = 1};
    double stopped;
    stage_plan(s, text);
    assert_true(rd_sim_open(&s->sim, &s->plan, &cpu, &e));
    const bool ok = rd_run(&s->plan, &s->sim, &watch, &stopped, &e);
    assert_true(ok == (e.n == 0));
    return e;
}

#define LIVES(count)                                                                               \
    "grid = { voxels = 4; edge = 1.0; };\n"                                                        \
    "species = ( { name = \"A\"; individuals = { max = 300000; record = \"lineage\"; }; } );\n"    \
    "initial = ( { species = \"A\"; count = " count "; } );\n"                                     \
    "time = { end = 1.0; }; output = { every = 0.25; };\n"

/* Checks that 2^18 rows of lineage are stored before the next snapshot, after the step that reaches
   this number. */
static void lineage_does_not_wait_when_there_is_much(void **state)
{
    (void)state;
    struct stage s;
    struct heard h = {0};
    struct rd_error e = run_heard(&s, &h, LIVES("262144"));
    assert_int_equal(e.n, 0);
    assert_true(h.n == 1 && h.waiting == 262144 && h.step == 1);
    stage_close(&s);
    h = (struct heard){0};
    e = run_heard(&s, &h, LIVES("262143"));
    assert_int_equal(h.n, 0);
    assert_int_equal(s.sim.n_lives, 262143);
    stage_close(&s);
    h = (struct heard){.is_refused = true};
    e = run_heard(&s, &h, LIVES("262144"));
    assert_said(e.text, "the disk is full");
    assert_int_equal(s.sim.step_clock.step, 1);
    rd_error_free(&e);
    stage_close(&s);
}

/* Checks that an event that fails leaves the counts unchanged, as the lists are. */
static void events_that_fail_change_nothing(void **state)
{
    (void)state;
    struct stage s;
    struct told t;
    char *const said =
        run(&t, &s,
            "grid = { voxels = 4; edge = 1.0; };\n"
            "species = ( { name = \"A\"; individuals = { max = 99; attributes = ( { name = \"u\"; "
            "initial = \"1 / (1 - t)\"; } ); }; } );\n"
            "initial = ( { species = \"A\"; count = 30; } );\n"
            "events = ( { time = 1; remove = { species = \"A\"; count = 9; }; add = { species = "
            "\"A\"; count = 5; }; } );\n"
            "time = { end = 2.0; }; output = { every = 1.0; };\n");
    assert_said(said, "attribute 'u' of 'A' begins as inf");
    assert_int_equal(t.n, 1);
    assert_int_equal(stage_total(&s, 0, 0), 30);
    assert_int_equal(s.sim.world.live[0], 30);
    free(said);
    stage_close(&s);
}

int test_run(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(outputs_are_recorded_at_their_times),
        cmocka_unit_test(events_come_before_what_is_recorded_then),
        cmocka_unit_test(set_parameters_change_rates_and_steps),
        cmocka_unit_test(new_rates_have_new_probabilities),
        cmocka_unit_test(values_are_set_from_those_before_the_event),
        cmocka_unit_test(a_run_stops_when_told),
        cmocka_unit_test(faults_end_the_run),
        cmocka_unit_test(too_many_steps_are_refused),
        cmocka_unit_test(the_exact_solver_runs_between_cuts),
        cmocka_unit_test(lineage_does_not_wait_when_there_is_much),
        cmocka_unit_test(events_that_fail_change_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
