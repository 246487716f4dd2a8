/* test_expression_limits - the step that follows from rates by expressions: of molecules in one
   voxel, and of single ones. */
#include "plan/step_limit.h"

#include "stage.h"

#include <string.h>

/* D tau / h^2 = 1/6 for A */
static const double of_movement = 1.0 / 6.0;

static void assert_step_of(const char *name, const char *const *sets, double step, const char *why)
{
    struct stage s;
    struct rd_error e = {0};
    stage_plan(&s, name, sets);
    assert_true(rd_plan_rates(&s.plan, s.model.value, &e));
    const struct rd_step_limit l = rd_step_limit_of(&s.plan);
    if (!(fabs(l.step - step) <= 1e-12 * step))
        fail_msg("%s: %.15g, not %.15g", l.why, l.step, step);
    assert_contains(l.why, why);
    stage_close(&s);
}

static void assert_step(const char *const *sets, double step, const char *why)
{
    assert_step_of("plan/line_reaction.cfg", sets, step, why);
}

/* Checks the highest rate over space of a pair, of a single molecule, and of two molecules of one
   species, which can react in two ways. */
static void highest_rates_limit_the_step(void **state)
{
    (void)state;
    assert_step(SETS("reactions[0].equation=A + B -> B", "reactions[0].rate=5 * (x < 1)"), 0.25 / 5,
                "probability 1/4 of 'A + B -> B' per step of molecules in one voxel");
    assert_step(SETS("reactions[0].equation=2 A -> 0", "reactions[0].propensity=3 * A * (A - 1)"),
                0.25 / 6, "probability 1/4 of '2 A -> 0' per step");
    assert_step(SETS("reactions[0].rate=10 * in(door)"), 0.5 / 10, "rate tau = 1/2 for 'A -> 0'");
    assert_step(SETS("reactions[0].rate_law=10 * [A]"), 0.5 / 10, "rate tau = 1/2 for 'A -> 0'");
}

/* Checks that only places count where the reaction can happen. */
static void other_places_do_not_matter(void **state)
{
    (void)state;
    assert_step(SETS("reactions[0].rate=10 + 10 * x", "reactions[0].in=first"), 0.5 / 15,
                "rate tau = 1/2");
    assert_step(SETS("reactions[0].rate=10 + 10 * x", "species.A.in=first", "regions[0].box.to=2"),
                0.5 / 25, "rate tau = 1/2");
}

static void slow_and_unknown_rates_set_no_limit(void **state)
{
    (void)state;
    assert_step(SETS("reactions[0].equation=0 -> A", "reactions[0].rate=50 * x"), of_movement,
                "1/6");
    assert_step(SETS("reactions[0].equation=A + B -> B", "reactions[0].propensity=0.1 * A * B"),
                of_movement, "1/6");
    assert_step(SETS("reactions[0].propensity=0.1 * A / (1 - A)"), of_movement, "1/6");
    assert_step_of("plan/line_field.cfg", SETS("reactions[0].rate=1000 * f"), 0.004,
                   "a field changes"); /* 1/1000 of time.end */
    assert_step(
        SETS("reactions[0].propensity=50 * A", "species.A.diffusion=0", "species.B.diffusion=1"),
        of_movement, "for 'B' along x");
    assert_step(SETS("reactions[0].equation=A + B -> B", "reactions[0].propensity=5 * A * B",
                     "time.step=0.2"),
                0.2, "time.step in the configuration");
}

int test_expression_limits(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(highest_rates_limit_the_step),
        cmocka_unit_test(other_places_do_not_matter),
        cmocka_unit_test(slow_and_unknown_rates_set_no_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
