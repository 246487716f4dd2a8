/* test_density - the mean number of molecules per voxel at the start, as far as it follows from the
   configuration. */
#include "plan/step_limit.h"

#include "stage.h"
#include "stored.h"

static void amounts_are_means_over_the_home(void **state)
{
    (void)state;
    struct stage s;
    stage_plan(
        &s, "grid = { voxels = (4, 5); edge = (0.5, 2); };\n"
            "parameters = { c = 3.0; };\n"
            "regions = ( { name = \"l\"; box = { from = (0, 0); to = (1, 10); }; },\n"
            "            { name = \"low\"; box = { from = (0, 0); to = (2, 4); }; } );\n"
            "species = ( { name = \"D\"; }, { name = \"B\"; in = \"l\"; }, { name = \"A\"; },\n"
            "            { name = \"C\"; } );\n"
            "initial = ( { species = \"A\"; count = 40; }, { species = \"A\"; density = \"c\"; "
            "},\n"
            "            { species = \"B\"; count = 5; }, { species = \"B\"; value = 10; in = "
            "\"low\"; },\n"
            "            { species = \"C\"; value = \"4 * x\"; }, { species = \"C\"; count = 20; "
            "voxel = (1, 1); } );\n"
            "time = { end = 1.0; };\n");
    const double *const mean = s.plan.mean;
    assert_true(fabs(mean[0] - (40 / 20.0 + 3)) < 1e-12);
    assert_true(fabs(mean[1] - (5 / 10.0 + 10 * 4 / 10.0)) < 1e-12); /* 10 voxels, 4 of them low */
    assert_true(fabs(mean[2] - (4 * 1.0 + 20 / 20.0)) < 1e-12);      /* x is 1 on average */
    assert_true(mean[3] == 0);
    stage_close(&s);
}

/* Checks that an expression in one voxel reads the position, the regions and the fields of that
   voxel. */
static void expressions_see_their_voxel(void **state)
{
    (void)state;
    struct stage s;
    stage_plan(&s,
               "grid = { voxels = (4, 5); edge = (0.5, 2); };\n"
               "regions = ( { name = \"l\"; box = { from = (0, 0); to = (1, 10); }; } );\n"
               "fields = ( { name = \"f\"; value = \"1 + x\"; } );\n"
               "species = ( { name = \"A\"; }, { name = \"B\"; }, { name = \"C\"; }, "
               "{ name = \"D\"; in = \"l\"; } );\n"
               "initial = ( { species = \"A\"; value = \"100 * f\"; voxel = (3, 1); },\n"
               "            { species = \"B\"; density = \"10 * x\"; at = (1.1, 3); },\n"
               "            { species = \"C\"; value = \"7 * in(l)\"; voxel = (0, 0); },\n"
               "            { species = \"D\"; value = \"3 * gradient_x(f)\"; voxel = (1, 1); } "
               ");\n"
               "time = { end = 1.0; };\n");
    const double *const mean = s.plan.mean;
    assert_true(fabs(mean[0] - 275 / 20.0) < 1e-12);  /* x = 1.75 */
    assert_true(fabs(mean[1] - 12.5 / 20.0) < 1e-12); /* x = 1.25; the volume of a voxel is 1 */
    assert_true(fabs(mean[2] - 7 / 20.0) < 1e-12);
    assert_true(fabs(mean[3] - 3 / 10.0) < 1e-12); /* D lives in half of the voxels */
    stage_close(&s);
}

/* Checks that an earlier result contributes its mean over runs, for any first run. */
static void earlier_results_count(void **state)
{
    (void)state;
    enum { RUNS = 3, TIMES = 4, SITES = 5 * 4 * 3 };
    stored_folder("earlier_results_count");
    struct stored *const result = stored_make(5, 4, 3, RUNS, TIMES);
    stored_write(result, "out.h5");
    double last = 0, first = 0;
    for (int run = 0; run < RUNS; run++)
        for (int i = 0; i < SITES; i++) {
            last += stored_count(TIMES - 1, run, 0, i);
            first += stored_count(0, run, 2, i);
        }
    struct stage s;
    stage_plan(&s, "grid = { voxels = (5, 4, 3); edge = (0.5, 0.25, 2.0); };\n"
                   "species = ( { name = \"C\"; }, { name = \"A\"; } );\n"
                   "initial = ( { from = \"out.h5\"; species = \"A\"; },\n"
                   "            { species = \"C\"; value = 2; },\n"
                   "            { from = \"out.h5\"; species = \"C\"; at_time = 0; } );\n"
                   "time = { end = 1.0; };\n");
    assert_true(fabs(s.plan.mean[0] - last / RUNS / SITES) < 1e-9);
    assert_true(fabs(s.plan.mean[1] - first / RUNS / SITES - 2) < 1e-9);
    assert_true(last > 0);
    stage_close(&s);
    stored_free(result);
    stored_leave();
}

/* Checks that invalid amounts are ignored here; they are reported when molecules are placed. */
static void faults_are_left_to_placing(void **state)
{
    (void)state;
    struct stage s;
    stage_plan(&s, "grid = { voxels = 2; edge = 1.0; };\n"
                   "species = ( { name = \"A\"; } );\n"
                   "initial = ( { species = \"A\"; value = \"1 / (x - 0.5)\"; },\n"
                   "            { species = \"A\"; value = \"1 - 2 * x\"; } );\n"
                   "time = { end = 1.0; };\n");
    assert_true(s.plan.mean[0] == 0.5); /* voxel 1 has 1 by the first entry; voxel 0 has none */
    stage_close(&s);
}

int test_density(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(amounts_are_means_over_the_home),
        cmocka_unit_test(expressions_see_their_voxel),
        cmocka_unit_test(earlier_results_count),
        cmocka_unit_test(faults_are_left_to_placing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
