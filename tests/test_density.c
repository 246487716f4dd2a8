/* test_density - how many molecules a cell holds at the start, as far as the step may know. */
#include "density.h"

#include "stage.h"

static void amounts_are_means_over_the_home(void **state)
{
    (void)state;
    struct stage s;
    stage_plan(
        &s, "grid = { cells = (4, 5); edge = (0.5, 2); };\n"
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
            "cell = (1, 1); } );\n"
            "time = { end = 1.0; };\n");
    const double *const mean = s.plan.mean;
    assert_true(fabs(mean[0] - (40 / 20.0 + 3)) < 1e-12);
    assert_true(fabs(mean[1] - (5 / 10.0 + 10 * 4 / 10.0)) < 1e-12); /* 10 cells, 4 of them low */
    assert_true(fabs(mean[2] - (4 * 1.0 + 20 / 20.0)) < 1e-12);      /* x is 1 on average */
    assert_true(mean[3] == 0);
    stage_close(&s);
}

/* They are told where molecules are placed. */
static void faults_are_left_to_placing(void **state)
{
    (void)state;
    struct stage s;
    stage_plan(&s, "grid = { cells = 2; edge = 1.0; };\n"
                   "species = ( { name = \"A\"; } );\n"
                   "initial = ( { species = \"A\"; value = \"1 / (x - 0.5)\"; },\n"
                   "            { species = \"A\"; value = \"1 - 2 * x\"; } );\n"
                   "time = { end = 1.0; };\n");
    assert_true(s.plan.mean[0] == 0.5); /* of cell 1 by the first entry, 1; of cell 0, 0 */
    stage_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(amounts_are_means_over_the_home),
        cmocka_unit_test(faults_are_left_to_placing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
