/* test_forecast - the number of steps that a run will take, without taking them, and events that
   would make the run impossible. */
#include "plan/step_limit.h"

#include "stage.h"

static void assert_forecast(const char *text, int64_t n_steps, double first, double shortest,
                            double longest)
{
    struct stage s;
    struct rd_forecast o;
    struct rd_error e = {0};
    stage_plan(&s, text);
    if (!rd_forecast_take(&o, &s.plan, &e))
        fail_msg("%s", e.text);
    assert_int_equal(o.n_steps, n_steps);
    assert_true(fabs(o.first - first) < 1e-9 * first);
    assert_true(fabs(o.shortest - shortest) < 1e-9 * shortest);
    assert_true(fabs(o.longest - longest) < 1e-9 * longest);
    assert_true(s.plan.step == o.first);
    stage_close(&s);
}

#define CONFIG(rest)                                                                               \
    "grid = { voxels = 4; edge = 1.0; };\n"                                                        \
    "parameters = { D = 1.0; k = 1.0; };\n"                                                        \
    "species = ( { name = \"A\"; diffusion = \"D\"; } );\n"                                        \
    "reactions = ( { equation = \"A -> 0\"; rate = \"k\"; } );\n" rest

static void steps_of_all_stretches_are_counted(void **state)
{
    (void)state;
    assert_forecast(CONFIG("time = { end = 1.0; }; output = { every = 0.5; };"), 2 * 3, 1.0 / 6,
                    1.0 / 6, 1.0 / 6);
    assert_forecast(CONFIG("time = { end = 1.0; step = 0.4; }; output = { times = (0.0, 0.3, 1.0); "
                           "};"),
                    1 + 2, 0.3, 0.3, 0.35);
    assert_forecast(CONFIG("time = { end = 1.0; step = 1.0; }; output = { every = 1.0; };\n"
                           "events = ( { time = 0.25; add = { species = \"A\"; count = 1; }; } );"),
                    2, 0.25, 0.25, 0.75);
}

/* Checks the steps after events: from t = 1 on the limit of diffusion is six times longer; from t =
   2 on the reaction limits it. */
static void events_change_the_steps(void **state)
{
    (void)state;
    assert_forecast(CONFIG("time = { end = 3.0; }; output = { every = 3.0; };\n"
                           "events = ( { time = 1; set = { D = \"D / 6\"; k = 0.1; }; },\n"
                           "           { time = 2; set = { k = 50.0; }; } );"),
                    6 + 1 + 100, 1.0 / 6, 0.01, 1);
}

/* Checks that the first step is computed with the first rates: a step as long as the later ones
   would have more hops than are allowed. */
static void the_first_step_has_the_first_rates(void **state)
{
    (void)state;
    assert_forecast("grid = { voxels = 4; edge = 1.0; };\n"
                    "parameters = { D = 1000.0; };\n"
                    "species = ( { name = \"A\"; diffusion = \"D\"; } );\n"
                    "events = ( { time = 1; set = { D = 1e-6; }; } );\n"
                    "time = { end = 100001.0; }; output = { every = 1e6; };",
                    2, 1, 1, 100000);
}

static void assert_refused(const char *text, const char *const *words)
{
    struct stage s;
    struct rd_forecast o;
    struct rd_error e = {0};
    stage_plan(&s, text);
    assert_false(rd_forecast_take(&o, &s.plan, &e));
    for (; *words; words++)
        assert_said(e.text, *words);
    rd_error_free(&e);
    stage_close(&s);
}

static void impossible_events_are_told_before_the_first_step(void **state)
{
    (void)state;
    static const char *const negative[] = {
        "stage.cfg:3: species 'A': diffusion along x is -1",
        "stage.cfg:6: the event at t = 7 causes this error; change what it sets", NULL};
    assert_refused(CONFIG("time = { end = 9.0; };\n"
                          "events = ( { time = 7; set = { D = -1.0; }; } );"),
                   negative);
    static const char *const infinite[] = {
        "the event at t = 2 sets 'k' to inf",
        "the event at t = 2 causes this error; change what it sets", NULL};
    assert_refused(CONFIG("time = { end = 9.0; };\n"
                          "events = ( { time = 1; set = { D = 0.0; }; }, { time = 2; set = { k = "
                          "\"1 / D\"; }; } );"),
                   infinite);
}

static void too_many_steps_are_refused(void **state)
{
    (void)state;
    static const char *const words[] = {
        "the run has more than 4294967296 steps of at most 1e-09, limited by",
        "time.step in the configuration", NULL};
    assert_refused(CONFIG("time = { end = 9.0; step = 1e-9; };"), words);
    static const char *const far[] = {
        "stage.cfg:2: the run has more than 4294967296 steps of at most 8.128e-297, limited by the "
        "largest number of hops in a step for 'A' along x",
        NULL};
    assert_refused("grid = { voxels = 4; edge = 1.0; };\n"
                   "species = ( { name = \"A\"; diffusion = 1e300; } ); time = { end = 1.0; };",
                   far);
}

int test_forecast(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_of_all_stretches_are_counted),
        cmocka_unit_test(events_change_the_steps),
        cmocka_unit_test(the_first_step_has_the_first_rates),
        cmocka_unit_test(impossible_events_are_told_before_the_first_step),
        cmocka_unit_test(too_many_steps_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
