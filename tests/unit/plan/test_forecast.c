/* test_forecast - the number of steps that a run will take, without taking them, and events that
   would make the run impossible. */
#include "plan/step_limit.h"

#include "stage.h"

#define MODEL "plan/decay.cfg"

static void assert_forecast(const char *name, const char *const *sets, int64_t n_steps,
                            double first, double shortest, double longest)
{
    struct stage s;
    struct rd_forecast o;
    struct rd_error e = {0};
    stage_plan(&s, name, sets);
    if (!rd_forecast_take(&o, &s.plan, &e))
        fail_msg("%s", e.text);
    assert_int_equal(o.n_steps, n_steps);
    assert_true(fabs(o.first - first) < 1e-9 * first);
    assert_true(fabs(o.shortest - shortest) < 1e-9 * shortest);
    assert_true(fabs(o.longest - longest) < 1e-9 * longest);
    assert_true(s.plan.step == o.first);
    stage_close(&s);
}

static void all_steps_are_counted(void **state)
{
    (void)state;
    assert_forecast(MODEL, SETS("output.every=0.5"), 2 * 3, 1.0 / 6, 1.0 / 6, 1.0 / 6);
    assert_forecast(MODEL, SETS("time.step=0.4", "output.times=(0.0, 0.3, 1.0)"), 1 + 2, 0.3, 0.3,
                    0.35);
    assert_forecast(MODEL,
                    SETS("time.step=1", "output.every=1",
                         "events=( { time = 0.25; add = { species = \"A\"; count = 1; }; } )"),
                    2, 0.25, 0.25, 0.75);
}

/* Checks the steps after events: from t = 1 on the limit of diffusion is six times longer; from t =
   2 on the reaction limits it. */
static void events_change_the_steps(void **state)
{
    (void)state;
    assert_forecast("plan/changing_steps.cfg", NULL, 6 + 1 + 100, 1.0 / 6, 0.01, 1);
}

/* Checks that the first step is computed with the first rates: a step as long as the later ones
   would have more hops than are allowed. */
static void first_step_has_the_first_rates(void **state)
{
    (void)state;
    assert_forecast("plan/slower_diffusion.cfg", NULL, 2, 1, 1, 100000);
}

static void assert_refused(const char *name, const char *const *sets, const char *const *words)
{
    struct stage s;
    struct rd_forecast o;
    struct rd_error e = {0};
    stage_plan(&s, name, sets);
    assert_false(rd_forecast_take(&o, &s.plan, &e));
    for (; *words; words++)
        assert_contains(e.text, *words);
    rd_error_free(&e);
    stage_close(&s);
}

static void impossible_events_are_refused(void **state)
{
    (void)state;
    static const char *const negative[] = {
        "plan/negative_diffusion.cfg:5: species 'A': diffusion along x is -1",
        "plan/negative_diffusion.cfg:7: the event at t = 7 causes this error; change what it sets",
        NULL};
    assert_refused("plan/negative_diffusion.cfg", NULL, negative);
    static const char *const infinite[] = {
        "the event at t = 2 sets 'k' to inf",
        "the event at t = 2 causes this error; change what it sets", NULL};
    assert_refused("plan/infinite_rate.cfg", NULL, infinite);
}

static void too_many_steps_are_refused(void **state)
{
    (void)state;
    static const char *const words[] = {
        "the run has more than 4294967296 steps of at most 1e-09, limited by",
        "time.step in the configuration", NULL};
    assert_refused(MODEL, SETS("time.end=9", "time.step=1e-9"), words);
    static const char *const far[] = {
        "plan/fastest_diffusion.cfg:4: the run has more than 4294967296 steps of at most "
        "8.128e-297, limited by the largest number of hops in a step for 'A' along x",
        NULL};
    assert_refused("plan/fastest_diffusion.cfg", NULL, far);
}

int test_forecast(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_steps_are_counted),
        cmocka_unit_test(events_change_the_steps),
        cmocka_unit_test(first_step_has_the_first_rates),
        cmocka_unit_test(impossible_events_are_refused),
        cmocka_unit_test(too_many_steps_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
