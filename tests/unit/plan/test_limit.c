/* test_limit - the longest step and what limits it: each rule where it is decisive, and where it
   does not apply. */
#include "plan/step_limit.h"

#include "stage.h"

static const double most_hops = 64 * 254;

static void assert_limit(const char *const *sets, double step, const char *why)
{
    struct stage s;
    stage_open(&s, "plan/limit.cfg", sets, 1e-3);
    const struct rd_step_limit l = rd_step_limit_of(&s.plan);
    if (!(fabs(l.step - step) <= 1e-12 * step || l.step == step))
        fail_msg("%s: %.15g, not %.15g", l.why, l.step, step);
    assert_contains(l.why, why);
    stage_close(&s);
}

/* Checks D tau / h^2 = 1/6 along the axis with the smaller edge; if drift exceeds 2 D / h, the
   excess adds to D. */
static void diffusion_limits_the_step_with_reactions(void **state)
{
    (void)state;
    assert_limit(NULL, 1.0 / 12, "D tau / h^2 = 1/6 for 'A' along x");
    assert_limit(SETS("species.A.diffusion=(0, 2)", "species.A.drift=(0, 5)"), 1 / 7.5,
                 "for 'A' along y");
}

static void movement_alone_has_no_limit(void **state)
{
    (void)state;
    assert_limit(SETS("reactions=()"), most_hops / 4,
                 "the largest number of hops in a step for 'A'");
    assert_limit(SETS("species.A.diffusion=0", "reactions=()"), INFINITY,
                 "nothing: movement and reactions are exact");
    assert_limit(SETS("reactions[0].equation=2 A -> 0", "reactions[0].rate=9", "solver=exact"),
                 INFINITY, "nothing: the exact solver needs no step");
    assert_limit(
        SETS("reactions[0].equation=2 B -> 0", "reactions[0].rate=1e9", "species.A.diffusion=0"),
        INFINITY, "nothing");
}

static void fast_reactions_of_moving_species_limit_the_step(void **state)
{
    (void)state;
    assert_limit(SETS("reactions[0].equation=A -> 0", "reactions[0].rate=100"), 0.5 / 100,
                 "rate tau = 1/2 for 'A -> 0'");
    assert_limit(SETS("reactions[0].equation=2 A -> 0", "reactions[0].rate=100"),
                 0.25 / (2 * 100 / 2.0), "probability 1/4 of '2 A -> 0' per step");
    assert_limit(SETS("reactions[0].equation=A + B -> 0", "reactions[0].rate=80"),
                 0.25 / (80 / 2.0), "1/4 of 'A + B -> 0' per step");
    assert_limit(SETS("reactions[0].equation=B -> 0", "reactions[0].rate=1e6"), 1.0 / 12,
                 "for 'A' along x");
}

/* Checks the limit by crowding: with 200 B per voxel an A reacts at 0.5 x 200 / 2 per time, though
   a single pair is slow. */
static void crowding_limits_the_step(void **state)
{
    (void)state;
    assert_limit(
        SETS("reactions[0].equation=A + B -> 0", "reactions[0].rate=0.5", "initial[0].value=200"),
        0.5 / (0.5 * 200 / 2), "1/2 event of 'A + B -> 0' per molecule");
    assert_limit(SETS("reactions[0].equation=A + B -> 0", "reactions[0].rate=0.5",
                      "species.B.diffusion=1e-3", "initial[0].species=A", "initial[0].value=200"),
                 0.5 / (0.5 * 200 / 2), "1/2 event of 'A + B -> 0' per molecule");
}

static void rates_in_time_limit_the_step(void **state)
{
    (void)state;
    assert_limit(
        SETS("reactions[0].equation=B -> 0", "reactions[0].rate=k * t", "species.A.diffusion=0"),
        0.01, "1/1000 of time.end, since rates depend on t");
    assert_limit(SETS("reactions=( { equation = \"B -> 0\"; propensity = \"k * B\"; } )",
                      "species.A.diffusion=0"),
                 INFINITY, "nothing");
}

/* Checks that the step of the configuration is taken, whether it is longer or shorter than the
   limit. */
static void configured_step_is_used(void **state)
{
    (void)state;
    assert_limit(SETS("time.step=0.001"), 0.001, "time.step in the configuration");
    assert_limit(SETS("time.step=2"), 2, "time.step in the configuration");
}

static void current_rates_limit_the_step(void **state)
{
    (void)state;
    struct stage s;
    struct rd_error e = {0};
    stage_open(&s, "plan/limit.cfg", SETS("species.A.diffusion=k"), 0.01);
    assert_true(rd_step_limit_of(&s.plan).step == 1.0 / 6);
    assert_true(rd_plan_rates(&s.plan, (const double[]){4}, &e));
    assert_true(rd_step_limit_of(&s.plan).step == 1.0 / 24);
    stage_close(&s);
}

int test_limit(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(diffusion_limits_the_step_with_reactions),
        cmocka_unit_test(movement_alone_has_no_limit),
        cmocka_unit_test(fast_reactions_of_moving_species_limit_the_step),
        cmocka_unit_test(crowding_limits_the_step),
        cmocka_unit_test(rates_in_time_limit_the_step),
        cmocka_unit_test(configured_step_is_used),
        cmocka_unit_test(current_rates_limit_the_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
