/* test_density - the mean number of molecules per voxel at the start, as far as it follows from the
   configuration. */
#include "plan/step_limit.h"

#include "stage.h"
#include "stored.h"

static void means_are_over_the_region_of_a_species(void **state)
{
    (void)state;
    struct stage s;
    stage_plan(&s, "plan/initial_means.cfg", NULL);
    const double *const mean = s.plan.mean;
    assert_true(fabs(mean[0] - (40 / 20.0 + 3)) < 1e-12);
    assert_true(fabs(mean[1] - (5 / 10.0 + 10 * 4 / 10.0)) < 1e-12); /* 10 voxels, 4 of them low */
    assert_true(fabs(mean[2] - (4 * 1.0 + 20 / 20.0)) < 1e-12);      /* x is 1 on average */
    assert_true(mean[3] == 0);
    stage_close(&s);
}

/* Checks that an expression in one voxel reads the position, the regions and the fields of that
   voxel. */
static void expressions_use_their_voxel(void **state)
{
    (void)state;
    struct stage s;
    stage_plan(&s, "plan/initial_expressions.cfg", NULL);
    const double *const mean = s.plan.mean;
    assert_true(fabs(mean[0] - 275 / 20.0) < 1e-12);  /* x = 1.75 */
    assert_true(fabs(mean[1] - 12.5 / 20.0) < 1e-12); /* x = 1.25; the volume of a voxel is 1 */
    assert_true(fabs(mean[2] - 7 / 20.0) < 1e-12);
    assert_true(fabs(mean[3] - 3 / 10.0) < 1e-12); /* D lives in half of the voxels */
    stage_close(&s);
}

/* Checks that an earlier result contributes its mean over runs, for any first run. */
static void earlier_results_are_used(void **state)
{
    (void)state;
    enum { RUNS = 3, TIMES = 4, SITES = 5 * 4 * 3 };
    stored_folder("earlier_results_are_used");
    struct stored *const result = stored_make(5, 4, 3, RUNS, TIMES);
    stored_write(result, "out.h5");
    double last = 0, first = 0;
    for (int run = 0; run < RUNS; run++)
        for (int i = 0; i < SITES; i++) {
            last += stored_count(TIMES - 1, run, 0, i);
            first += stored_count(0, run, 2, i);
        }
    struct stage s;
    stage_plan(&s, "plan/initial_from.cfg", NULL);
    assert_true(fabs(s.plan.mean[0] - last / RUNS / SITES) < 1e-9);
    assert_true(fabs(s.plan.mean[1] - first / RUNS / SITES - 2) < 1e-9);
    assert_true(last > 0);
    stage_close(&s);
    stored_free(result);
    stored_leave();
}

/* Checks that invalid amounts are ignored here; they are reported when molecules are placed. */
static void invalid_amounts_are_ignored(void **state)
{
    (void)state;
    struct stage s;
    stage_plan(&s, "plan/initial_invalid.cfg", NULL);
    assert_true(s.plan.mean[0] == 0.5); /* voxel 1 has 1 by the first entry; voxel 0 has none */
    stage_close(&s);
}

int test_density(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(means_are_over_the_region_of_a_species),
        cmocka_unit_test(expressions_use_their_voxel),
        cmocka_unit_test(earlier_results_are_used),
        cmocka_unit_test(invalid_amounts_are_ignored),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
