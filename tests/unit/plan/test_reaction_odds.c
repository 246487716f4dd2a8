/* test_reaction_odds - warnings about expressions that are too fast for a step that was derived
   from numbers only. */
#include "plan/reaction_odds.h"

#include "stage.h"

#include <string.h>

#define RATE       "plan/fast_rate.cfg"
#define PROPENSITY "plan/fast_propensity.cfg"

/* Returns the warnings about a step; the caller frees them. */
static struct rd_error warnings_of(const char *name, const char *const *sets, double step)
{
    struct stage s;
    struct rd_error warnings = {0};
    stage_plan(&s, name, sets);
    assert_true(rd_plan_rates(&s.plan, s.model.value, &warnings));
    rd_reaction_odds_report(&s.plan, step, &warnings);
    stage_close(&s);
    return warnings;
}

static void assert_reported(const char *name, const char *const *sets, double step,
                            const char *expected)
{
    struct rd_error warnings = warnings_of(name, sets, step);
    assert_int_equal(warnings.n, expected ? 1 : 0);
    if (expected)
        assert_string_equal(warnings.text, expected);
    rd_error_free(&warnings);
}

/* Checks the rate of a pair, of a single molecule, and of two molecules of one species, which can
   react in two ways. */
static void fast_expressions_are_reported(void **state)
{
    (void)state;
    assert_reported(RATE, NULL, 0.2,
                    "plan/fast_rate.cfg:11: the step of 0.2 does not follow from the expression of "
                    "'A + B -> B', by which those who have met react at a rate of 5; set time.step "
                    "to 0.05 or less");
    assert_reported(RATE, NULL, 0.1, NULL); /* limit: 1/20; up to twice the limit is accepted */
    assert_reported(
        PROPENSITY,
        SETS("reactions[0].equation=2 A -> 0", "reactions[0].propensity=3 * A * (A - 1)"), 0.2,
        "plan/fast_propensity.cfg:11: the step of 0.2 does not follow from the expression of "
        "'2 A -> 0', by which those who have met react at a rate of 6; set time.step to 0.042 or "
        "less");
    assert_reported(RATE, SETS("reactions[0].equation=A -> 0", "reactions[0].rate=10 * in(door)"),
                    0.2,
                    "plan/fast_rate.cfg:11: the step of 0.2 does not follow from the expression of "
                    "'A -> 0', by which one alone reacts at a rate of 10; set time.step to 0.05 or "
                    "less");
}

static void other_rates_are_not_reported(void **state)
{
    (void)state;
    assert_reported(RATE, SETS("reactions[0].rate=5"), 0.2, NULL);
    assert_reported(RATE, SETS("reactions[0].equation=0 -> A", "reactions[0].rate=50 * x"), 0.2,
                    NULL);
    assert_reported(PROPENSITY, NULL, 0.2, NULL);
    assert_reported(PROPENSITY, SETS("reactions[0].propensity=5 * A * B", "solver=exact"), 0.2,
                    NULL);
    assert_reported(PROPENSITY, SETS("reactions[0].propensity=5 * A * B", "time.step=0.2"), 0.2,
                    NULL);
    assert_reported(PROPENSITY,
                    SETS("reactions[0].equation=A -> 0", "reactions[0].propensity=50 * A",
                         "species.A.diffusion=0"),
                    0.2, NULL);
}

int test_reaction_odds(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fast_expressions_are_reported),
        cmocka_unit_test(other_rates_are_not_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
