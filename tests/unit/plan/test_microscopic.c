/* test_microscopic - rates of voxels for molecules that react when they touch. */
#include "plan/microscopic.h"
#include "plan/pair_rate.h"

#include "stage.h"

#include <math.h>
#include <string.h>

static void assert_near(double found, double expected)
{
    if (!(fabs(found - expected) <= 1e-12 * fabs(expected)))
        fail_msg("%.15g is not %.15g", found, expected);
}

#define TOUCH          "plan/microscopic.cfg"
#define TOUCH_AND_PART "plan/microscopic_back.cfg"

static const double pi = 3.14159265358979323846, watson = 0.25273100985866300;

/* Returns the rates of the first two reactions in the file's order, times volume^(order - 1). */
static void rates_of(const char *name, const char *const *sets, double rate[2], double effective[2])
{
    struct stage s;
    struct rd_error e = {0};
    stage_plan(&s, name, sets);
    if (!rd_plan_rates(&s.plan, s.model.value, &e))
        fail_msg("%s", e.text);
    for (int32_t i = 0; i < s.plan.world.reactions.n_reactions; i++) {
        const int r = s.plan.reaction_of[i];
        const bool is_pair = rd_pair_rate_of(&s.plan, i).is_pair;
        rate[r] = s.plan.channel[i].rate * (is_pair ? s.plan.world.lattice.volume : 1.0);
        effective[r] = rd_pair_rate_of(&s.plan, i).effective;
    }
    stage_close(&s);
}

/* Checks the formula, that its effective rate is Collins and Kimball's, and that the reverse has
   the same correction. */
static void the_lattice_reacts_as_space_does(void **state)
{
    (void)state;
    double rate[2], effective[2];
    const double search = 1 / (4 * pi * 2.0 * 0.02);
    rates_of(TOUCH_AND_PART, SETS("reactions[0].reverse=C -> A+B"), rate, effective);
    assert_near(rate[0], 1 / (1 / 3.0 + search - watson / (2.0 * 0.08)));
    assert_near(rate[1], 6.0 * rate[0] / 3.0);
    assert_near(effective[0], 1 / (1 / 3.0 + search));
    rates_of(TOUCH_AND_PART, SETS("grid.edge=0.3"), rate, effective);
    assert_near(rate[0], 1 / (1 / 3.0 + search - watson / (2.0 * 0.3)));
    assert_near(rate[1], 6.0);
}

/* Tests that two A react at 2 k as a pair, with the diffusivity of both. */
static void two_of_a_kind_count_as_a_pair(void **state)
{
    (void)state;
    double rate[2], effective[2];
    const double search = 1 / (4 * pi * 3.0 * 0.02);
    rates_of(TOUCH, SETS("reactions[0].equation=2 A -> C"), rate, effective);
    assert_near(2 * rate[0], 1 / (1 / 6.0 + search - watson / (3.0 * 0.08)));
    assert_near(2 * effective[0], 1 / (1 / 6.0 + search));
}

static void a_rate_of_0_stays_0(void **state)
{
    (void)state;
    double rate[2], effective[2];
    rates_of(TOUCH_AND_PART,
             SETS("grid.edge=0.001", "reactions[0].rate=0", "reactions[0].reverse=C -> A + B"),
             rate, effective);
    assert_true(rate[0] == 0);
    assert_near(rate[1], 6.0);
}

/* Checks the edge at which the rate becomes infinite: 3.176 s / (1 + 4 pi D s / k_r). */
static void the_smallest_voxel_is_known(void **state)
{
    (void)state;
    struct stage s;
    struct rd_error e = {0};
    struct rd_microscopic q;
    stage_plan(&s, TOUCH, NULL);
    assert_true(rd_plan_microscopic(&s.plan, &s.model.reaction[0], s.model.value, &q, &e));
    assert_true(fabs(q.smallest / (3.176 * 0.02 / (1 + 4 * pi * 2.0 * 0.02 / 3.0)) - 1) < 1e-4);
    assert_near(q.continuum, 1 / (1 / 3.0 + 1 / (4 * pi * 2.0 * 0.02)));
    s.plan.world.lattice.edge[0] = q.smallest * (1 + 1e-9);
    assert_true(rd_plan_microscopic(&s.plan, &s.model.reaction[0], s.model.value, &q, &e));
    s.plan.world.lattice.edge[0] = q.smallest * (1 - 1e-9);
    assert_false(rd_plan_microscopic(&s.plan, &s.model.reaction[0], s.model.value, &q, &e));
    assert_contains(e.text,
                    "microscopic.cfg:5: reaction 'A + B -> C': the edge of a voxel is 0.0544029,");
    assert_contains(e.text, "and must be above 0.0544029 ");
    assert_contains(e.text, "for molecules that touch at 0.02; take larger voxels");
    rd_error_free(&e);
    stage_close(&s);
}

static void assert_refused(const char *set, const char *words)
{
    struct stage s;
    struct rd_error e = {0};
    stage_plan(&s, TOUCH,
               SETS("grid.edge=1", "parameters.s=0.1", "reactions[0].equation=2 A -> 0",
                    "species.A.diffusion=1", set));
    assert_false(rd_plan_rates(&s.plan, s.model.value, &e));
    assert_contains(e.text, words);
    rd_error_free(&e);
    stage_close(&s);
}

static void movement_must_be_alike(void **state)
{
    (void)state;
    assert_refused("species.A.diffusion=(1, 1, 2)",
                   "but A diffuses faster along some axes than along others; change that, or");
    assert_refused("species.A.drift=(0, 0, 1)", "but A drifts; change that, or leave");
    assert_refused("species.A.diffusion=0",
                   "with a radius of 0.1 and a diffusivity of 0 of both together; both must be");
}

int test_microscopic(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_lattice_reacts_as_space_does),
        cmocka_unit_test(two_of_a_kind_count_as_a_pair),
        cmocka_unit_test(a_rate_of_0_stays_0),
        cmocka_unit_test(the_smallest_voxel_is_known),
        cmocka_unit_test(movement_must_be_alike),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
