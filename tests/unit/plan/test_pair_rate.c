/* test_pair_rate - effective rates of two molecules that react, and why they are not known. */
#include "plan/pair_rate.h"

#include "stage.h"

#include <math.h>
#include <string.h>

static void assert_near(double found, double expected, double tolerance)
{
    if (!(fabs(found - expected) <= tolerance * fabs(expected)))
        fail_msg("%.15g is not %.15g", found, expected);
}

/* Compares with Watson's integral, and with integrals computed by another program (adaptive
   quadrature of scipy 1.17) for unequal axes. */
static void integrals_are_known(void **state)
{
    (void)state;
    assert_near(rd_pair_time((const double[]){1, 1, 1}), RD_PAIR_OF_CUBES, 1e-12);
    assert_near(rd_pair_time((const double[]){7e5, 7e5, 7e5}), RD_PAIR_OF_CUBES / 7e5, 1e-12);
    assert_near(rd_pair_time((const double[]){1, 2, 5}), 0.10906187850528, 1e-10);
    assert_near(rd_pair_time((const double[]){0.01, 1, 1}), 0.64105963600143, 1e-10);
}

static struct rd_pair_rate rate_of(const char *name, const char *const *sets)
{
    struct stage s;
    struct rd_error e = {0};
    stage_plan(&s, name, sets);
    assert_true(rd_plan_rates(&s.plan, s.model.value, &e));
    const struct rd_pair_rate q = rd_pair_rate_of(&s.plan, 0);
    stage_close(&s);
    return q;
}

#define PAIR "plan/pair.cfg"

static void assert_effective(const char *const *sets, int dim, double effective)
{
    const struct rd_pair_rate q = rate_of(PAIR, sets);
    assert_true(q.is_pair);
    assert_string_equal(q.why, "");
    assert_int_equal(q.dim, dim);
    assert_near(q.rate, 0.5, 1e-12);
    assert_near(q.effective, effective, 1e-9);
}

/* Checks each formula with its numbers. */
static void formulas_hold(void **state)
{
    (void)state;
    const double cube = 0.25273100985866300 / 0.08;
    const double square = (log(16.0) / (2 * 3.14159265358979) + 0.04877) / 2.0;
    assert_effective(NULL, 3, 1 / (1 / 0.5 + cube / 2.0));
    assert_effective(SETS("reactions[0].equation=A + F -> 0"), 3, 1 / (1 / 0.5 + cube / 1.5));
    assert_effective(SETS("reactions[0].equation=2 A -> 0"), 3, 0.5 / (1 / 1.0 + cube / 3.0));
    assert_effective(SETS("grid.voxels=(16, 16)", "grid.edge=0.3"), 2, 1 / (1 / 0.5 + square));
    assert_effective(SETS("grid.voxels=(16, 1, 16)", "grid.edge=(0.3, 0.4, 0.3)"), 2,
                     1 / (1 / 0.5 + square / 0.4));
    assert_effective(SETS("grid.voxels=50", "grid.edge=0.3"), 1, 1 / (1 / 0.5 + 15.0 / (12 * 2.0)));
    /* half of the edge along z: the relative hops there are four times as many */
    const double flat = rd_pair_time((const double[]){200, 200, 800}) / (0.1 * 0.1 * 0.05);
    assert_effective(SETS("grid.edge=(0.1, 0.1, 0.05)"), 3, 1 / (1 / 0.5 + flat));
}

static void assert_unknown_of(const char *name, const char *const *sets, const char *why)
{
    const struct rd_pair_rate q = rate_of(name, sets);
    assert_true(q.is_pair);
    assert_string_equal(q.why, why);
}

static void assert_unknown(const char *const *sets, const char *why)
{
    assert_unknown_of(PAIR, sets, why);
}

static void reasons_are_named(void **state)
{
    (void)state;
    assert_unknown(SETS("grid.voxels=(8, 7, 8)", "grid.edge=1"),
                   "there are only 7 voxels along y, and 8 are needed");
    assert_unknown(SETS("grid.voxels=(8, 9)", "grid.edge=1"),
                   "the formula holds for a square with equal hop rates");
    assert_unknown(SETS("grid.voxels=(8, 8)", "grid.edge=(1.0, 2.0)"),
                   "the formula holds for a square with equal hop rates");
    assert_unknown(SETS("species.A.drift=(0, 1, 0)"), "drift separates the two along y");
    assert_unknown(SETS("species.A.in=half"), "'A' lives in a region");
    assert_unknown(SETS("reactions[0].in=half"), "it happens in a region");
    assert_unknown(SETS("reactions[0].rate=0.5 * x"), "its rate is an expression");
    assert_unknown_of("plan/pair_by_propensity.cfg", NULL, "its propensity is an expression");
    assert_unknown(SETS("species.A.diffusion=(1, 1, 0)", "reactions[0].equation=2 A -> 0"),
                   "neither moves along z");
    assert_unknown(SETS("species.A.diffusion=1 + x", "reactions[0].equation=2 A -> 0"),
                   "the movement of 'A' is not the same everywhere and always");
    assert_unknown_of("plan/pair_at_border.cfg", NULL, "'A' meets borders");
    assert_false(rate_of(PAIR, SETS("reactions[0].equation=A -> 0")).is_pair);
    assert_false(rate_of(PAIR, SETS("reactions[0].equation=2 A + B -> 0")).is_pair);
    assert_false(rate_of(PAIR, SETS("reactions[0].equation=2 F -> 0")).is_pair);
}

/* Tests that two molecules that drift alike do not drift apart. */
static void equal_drifts_do_not_matter(void **state)
{
    (void)state;
    assert_effective(SETS("species.A.diffusion=1", "species.A.drift=(2, 0, 0)",
                          "reactions[0].equation=2 A -> 0"),
                     3, 0.5 / (1 / 1.0 + 0.25273100985866300 / 0.08 / 2.0));
}

int test_pair_rate(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integrals_are_known),
        cmocka_unit_test(formulas_hold),
        cmocka_unit_test(reasons_are_named),
        cmocka_unit_test(equal_drifts_do_not_matter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
