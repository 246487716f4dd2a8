/* test_plan_channels - reactions as the passes read them: rates by volume and order, reactants,
   changes, and expressions. */
#include "kernels/passes/reactions/ssa.h"
#include "stage.h"

#include <math.h>

/* Checks that the rate is k V^(1 - order), for orders 0 to 4. */
static void mass_action_scales_with_the_volume(void **state)
{
    (void)state;
    static const struct {
        const char *equation;
        double rate;
    } cases[] = {
        {"reactions[0].equation=0 -> A", 3 * 0.5},
        {"reactions[0].equation=A -> 0", 3},
        {"reactions[0].equation=A + B -> 0", 3 / 0.5},
        {"reactions[0].equation=2 A -> 0", 3 / 0.5},
        {"reactions[0].equation=2 A + B -> 0", 3 / 0.25},
        {"reactions[0].equation=2 A + 2 B -> 0", 3 / 0.125},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct stage s;
        stage_open(&s, "plan/channels.cfg", SETS(cases[i].equation), 0.1);
        assert_true(s.plan.channel[0].rate == cases[i].rate);
        assert_int_equal(s.plan.channel[0].expression_kind, RD_EXPRESSION_NONE);
        stage_close(&s);
    }
}

static void channels_have_reactants_and_changes(void **state)
{
    (void)state;
    struct stage s;
    stage_open(&s, "plan/channels.cfg", SETS("reactions[0].equation=2 B + A -> C + B"), 0.1);
    const struct rd_channel *const c = s.plan.channel;
    const struct rd_reactant takes[] = {{0, 1}, {1, 2}}, changes[] = {{0, -1}, {1, -1}, {2, 1}};
    assert_int_equal(c->n_reactants, 2);
    assert_int_equal(c->n_changes, 3);
    assert_memory_equal(s.plan.reactant + c->reactant, takes, sizeof takes);
    assert_memory_equal(s.plan.change + c->change, changes, sizeof changes);
    stage_close(&s);
}

/* Checks that a catalyst has no change and that a propensity expression has no reactants. */
static void channels_of_expressions_and_catalysts(void **state)
{
    (void)state;
    struct stage s;
    stage_open(&s, "plan/channel_expressions.cfg", NULL, 0.1);
    const struct rd_channel *const propensity = &s.plan.channel[0], *const rate =
                                                                        &s.plan.channel[1];
    assert_int_equal(propensity->expression_kind, RD_EXPRESSION_PROPENSITY);
    assert_int_equal(propensity->n_reactants, 0);
    assert_int_equal(propensity->n_changes, 1);
    assert_true(propensity->rate == 1 && propensity->n_program > 0);
    assert_int_equal(rate->expression_kind, RD_EXPRESSION_FACTOR);
    assert_int_equal(rate->n_reactants, 1);
    assert_true(s.plan.uses_time);
    const int32_t count[] = {5, 7, 0}; /* of A, B, C */
    const struct rd_eval_context eval_context = {.volume = 1, .count = count, .stride = 1};
    assert_true(rd_eval(s.plan.program + propensity->program, propensity->n_program,
                        &eval_context) == 3 * 5 * 7);
    stage_close(&s);
}

/* Checks that a constant, a propensity and a rate law that say the same give the same propensity in
   a voxel of volume 1/2 with 7 A and 5 B. */
static void three_spellings_say_the_same(void **state)
{
    (void)state;
    static const char *const law[] = {
        "reactions=( { equation = \"2 A + B -> 0\"; rate = \"k\"; } )",
        "reactions=( { equation = \"2 A + B -> 0\"; propensity = \"k * A * (A - 1) * B / "
        "volume^2\"; } )",
        "reactions=( { equation = \"2 A + B -> 0\"; rate_law = \"k * [A] * ([A] - 1 / volume) * "
        "[B]\"; } )",
    };
    int32_t count[] = {7, 5, 0}; /* of A, B, C */
    for (size_t i = 0; i < sizeof law / sizeof law[0]; i++) {
        struct stage s;
        stage_open(&s, "plan/channels.cfg", SETS(law[i]), 0.1);
        const struct rd_eval_context eval_context = {.volume = 0.5, .count = count, .stride = 1};
        const double found = rd_propensity(&s.plan.world, s.plan.channel, count, 1, &eval_context);
        assert_true(fabs(found - 3.0 * 7 * 6 * 5 / (0.5 * 0.5)) < 1e-9);
        stage_close(&s);
    }
}

int test_plan_channels(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mass_action_scales_with_the_volume),
        cmocka_unit_test(channels_have_reactants_and_changes),
        cmocka_unit_test(channels_of_expressions_and_catalysts),
        cmocka_unit_test(three_spellings_say_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
