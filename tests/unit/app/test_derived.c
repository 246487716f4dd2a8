/* test_derived - the names and values of the metadata that a result holds besides its data. */
#define _POSIX_C_SOURCE 200809L
#include "app/derived.h"

#include "rd_version.h"
#include "stage.h"

#include <string.h>
#include <unistd.h>

#define MODEL "app/derived.cfg"

static const struct rd_fact *fact_of(const struct rd_facts *f, const char *name)
{
    const struct rd_fact *found = NULL;
    for (int i = 0; i < f->n; i++)
        if (strcmp(f->fact[i].name, name) == 0) {
            assert_null(found); /* each name occurs once */
            found = &f->fact[i];
        }
    return found;
}

static void assert_number(const struct rd_facts *f, const char *name, double value)
{
    const struct rd_fact *const fact = fact_of(f, name);
    if (!fact || fact->text)
        fail_msg("%s is not a number", name);
    else if (!(fabs(fact->number - value) <= 1e-9 * fabs(value)))
        fail_msg("%s is %g, not %g", name, fact->number, value);
}

static void assert_text(const struct rd_facts *f, const char *name, const char *value)
{
    const struct rd_fact *const fact = fact_of(f, name);
    if (!fact || !fact->text)
        fail_msg("%s is not a text", name);
    else
        assert_string_equal(fact->text, value);
}

static void facts_describe_plan(void **state)
{
    (void)state;
    struct stage s;
    struct rd_forecast o;
    struct rd_error e = {0};
    struct rd_facts f = {.n = 7}; /* remains of an earlier use */
    stage_plan(&s, MODEL, NULL);
    assert_true(rd_forecast_take(&o, &s.plan, &e));
    s.plan.moves = 3;
    o.longest = 1.0 / 16;
    rd_facts_derived(&f, &s.plan, &o);
    stage_close(&s);
    o.limit.why[0] = 0; /* the facts hold a copy */
    assert_int_equal(f.n, 8);
    assert_number(&f, "steps", 24 + 6);
    assert_number(&f, "longest_step", 1.0 / 16);
    assert_number(&f, "shortest_step", 1.0 / 24);
    assert_text(&f, "step_limited_by", "D tau / h^2 = 1/6 for 'A' along x");
    assert_number(&f, "movements_per_step", 3);
    assert_number(&f, "voxel_volume", 0.25);
    assert_number(&f, "snapshots", 3);
    assert_number(&f, "end_time", 1.25);
}

static void facts_describe_provenance(void **state)
{
    (void)state;
    struct stage s;
    struct rd_facts f = {.n = 7};
    char host[256] = "";
    stage_open(&s, MODEL, NULL, 0.1);
    s.sim.world.pass.seed = RD_SEED_END - 1;
    rd_facts_provenance(&f, &s.sim);
    stage_close(&s);
    assert_text(&f, "program", "rdsim " RD_VERSION);
    assert_text(&f, "commit", RD_COMMIT);
    assert_number(&f, "stream_version", RD_STREAM_VERSION);
    assert_text(&f, "backend", "cpu");
    assert_text(&f, "device", "CPU");
    assert_number(&f, "threads", 1);
    assert_true(fact_of(&f, "seed")->number == (double)(RD_SEED_END - 1));
    assert_true((int64_t)fact_of(&f, "seed")->number == RD_SEED_END - 1); /* exact */
    const bool has_host = gethostname(host, sizeof host - 1) == 0;
    if (has_host)
        assert_text(&f, "host", host);
    assert_int_equal(f.n, 7 + has_host);
}

/* Checks that a pass that never ran is left out; times of recording and the number of steps are
   always present. */
static void facts_contain_time_of_each_pass(void **state)
{
    (void)state;
    struct stage s;
    struct rd_facts f = {.n = 7};
    const struct rd_recorder r = {.seconds = 0.125, .times = {.waited = 0.25, .worked = 8.5}};
    stage_open(&s, MODEL, NULL, 0.1);
    for (int pass = 0; pass < RD_N_TIMES; pass++)
        s.sim.seconds[pass] = 0.0;
    s.sim.step_clock.step = 0;
    rd_facts_timing(&f, &s.sim, &r);
    assert_int_equal(f.n, 4);
    assert_number(&f, "seconds_RECORD", 0.125);
    assert_number(&f, "seconds_WAIT", 0.25);
    assert_number(&f, "seconds_WRITE", 8.5);
    assert_number(&f, "steps_done", 0);
    s.sim.seconds[RD_REACT] = 1.5;
    s.sim.seconds[RD_LAND] = 2.5;
    s.sim.step_clock.step = 4000000000u;
    rd_facts_timing(&f, &s.sim, &r);
    assert_int_equal(f.n, 6);
    assert_number(&f, "seconds_REACT", 1.5);
    assert_number(&f, "seconds_LAND", 2.5);
    assert_number(&f, "steps_done", 4e9);
    s.sim.seconds[RD_HOP] = 3.5;
    s.sim.seconds[RD_ENTER] = 4.5;
    s.sim.seconds[RD_TIME_EXACT] = 5.5;
    s.sim.seconds[RD_SORT] = 6.5;
    s.sim.seconds[RD_TIME_PLACE] = 7.5;
    rd_facts_timing(&f, &s.sim, &r);
    stage_close(&s);
    assert_int_equal(f.n, 6 + 5);
    assert_number(&f, "seconds_PLACE", 7.5);
    assert_number(&f, "seconds_HOP", 3.5);
    assert_number(&f, "seconds_ENTER", 4.5);
    assert_number(&f, "seconds_EXACT", 5.5);
    assert_number(&f, "seconds_SORT", 6.5);
}

int test_derived(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(facts_describe_plan),
        cmocka_unit_test(facts_describe_provenance),
        cmocka_unit_test(facts_contain_time_of_each_pass),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
