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

static struct rd_pair_rate rate_of(const char *text)
{
    struct stage s;
    struct rd_error e = {0};
    stage_plan_text(&s, text);
    assert_true(rd_plan_rates(&s.plan, s.model.value, &e));
    const struct rd_pair_rate q = rd_pair_rate_of(&s.plan, 0);
    stage_close(&s);
    return q;
}

#define MODEL(grid, moves, reaction)                                                               \
    "grid = { " grid " }; time = { end = 1.0; };\n"                                                \
    "regions = ( { name = \"half\"; where = \"x < 2\"; } );\n"                                     \
    "species = ( { name = \"A\"; diffusion = 1.5; " moves " }, { name = \"B\"; diffusion = 0.5; "  \
    "}, { name = \"F\"; } );\n"                                                                    \
    "reactions = ( { equation = " reaction " } );"
#define CUBE "voxels = (8, 9, 10); edge = 0.08;"
#define PAIR "\"A + B -> 0\"; rate = 0.5;"

static void assert_effective(const char *text, int dim, double rate, double effective)
{
    const struct rd_pair_rate q = rate_of(text);
    assert_true(q.is_pair);
    assert_string_equal(q.why, "");
    assert_int_equal(q.dim, dim);
    assert_near(q.rate, rate, 1e-12);
    assert_near(q.effective, effective, 1e-9);
}

/* Checks each formula with its numbers. */
static void formulas_hold(void **state)
{
    (void)state;
    const double cube = 0.25273100985866300 / 0.08;
    assert_effective(MODEL(CUBE, "", PAIR), 3, 0.5, 1 / (1 / 0.5 + cube / 2.0));
    assert_effective(MODEL(CUBE, "", "\"A + F -> 0\"; rate = 0.5;"), 3, 0.5,
                     1 / (1 / 0.5 + cube / 1.5));
    assert_effective(MODEL(CUBE, "", "\"2 A -> 0\"; rate = 0.5;"), 3, 0.5,
                     0.5 / (1 / 1.0 + cube / 3.0));
    assert_effective(MODEL("voxels = (16, 16); edge = 0.3;", "", PAIR), 2, 0.5,
                     1 / (1 / 0.5 + (log(16.0) / (2 * 3.14159265358979) + 0.04877) / 2.0));
    assert_effective(MODEL("voxels = (16, 1, 16); edge = (0.3, 0.4, 0.3);", "", PAIR), 2, 0.5,
                     1 / (1 / 0.5 + (log(16.0) / (2 * 3.14159265358979) + 0.04877) / (2.0 * 0.4)));
    assert_effective(MODEL("voxels = 50; edge = 0.3;", "", PAIR), 1, 0.5,
                     1 / (1 / 0.5 + 15.0 / (12 * 2.0)));
    /* half of the edge along z: the relative hops there are four times as many */
    const double flat = rd_pair_time((const double[]){200, 200, 800}) / (0.1 * 0.1 * 0.05);
    assert_effective(MODEL("voxels = (8, 9, 10); edge = (0.1, 0.1, 0.05);", "", PAIR), 3, 0.5,
                     1 / (1 / 0.5 + flat));
}

static void assert_unknown(const char *text, const char *why)
{
    const struct rd_pair_rate q = rate_of(text);
    assert_true(q.is_pair);
    assert_string_equal(q.why, why);
}

static void reasons_are_named(void **state)
{
    (void)state;
    assert_unknown(MODEL("voxels = (8, 7, 8); edge = 1.0;", "", PAIR),
                   "there are only 7 voxels along y, and 8 are needed");
    assert_unknown(MODEL("voxels = (8, 9); edge = 1.0;", "", PAIR),
                   "the formula holds for a square with equal hop rates");
    assert_unknown(MODEL("voxels = (8, 8); edge = (1.0, 2.0);", "", PAIR),
                   "the formula holds for a square with equal hop rates");
    assert_unknown(MODEL(CUBE, "drift = (0, 1, 0);", PAIR), "drift separates the two along y");
    assert_unknown(MODEL(CUBE, "in = \"half\";", PAIR), "'A' lives in a region");
    assert_unknown(MODEL(CUBE, "", PAIR " in = \"half\";"), "it happens in a region");
    assert_unknown(MODEL(CUBE, "", "\"A + B -> 0\"; rate = \"0.5 * x\";"),
                   "its rate is an expression");
    assert_unknown(MODEL(CUBE, "", "\"A + B -> 0\"; propensity = \"0.5 * A * B\";"),
                   "its propensity is an expression");
    assert_unknown("grid = { " CUBE " }; time = { end = 1.0; };\n"
                   "species = ( { name = \"A\"; diffusion = (1, 1, 0); } );\n"
                   "reactions = ( { equation = \"2 A -> 0\"; rate = 1; } );",
                   "neither moves along z");
    assert_unknown("grid = { " CUBE " }; time = { end = 1.0; };\n"
                   "species = ( { name = \"A\"; diffusion = \"1 + x\"; } );\n"
                   "reactions = ( { equation = \"2 A -> 0\"; rate = 1; } );",
                   "the movement of 'A' is not the same everywhere and always");
    assert_unknown("grid = { " CUBE " }; time = { end = 1.0; };\n"
                   "regions = ( { name = \"a\"; where = \"x < 0.3\"; }, { name = \"b\"; complement "
                   "= \"a\"; } );\n"
                   "borders = ( { between = (\"a\", \"b\"); pass = 0.1; } );\n"
                   "species = ( { name = \"A\"; diffusion = 1; } );\n"
                   "reactions = ( { equation = \"2 A -> 0\"; rate = 1; } );",
                   "'A' meets borders");
    assert_false(rate_of(MODEL(CUBE, "", "\"A -> 0\"; rate = 1;")).is_pair);
    assert_false(rate_of(MODEL(CUBE, "", "\"2 A + B -> 0\"; rate = 1;")).is_pair);
    assert_false(rate_of(MODEL(CUBE, "", "\"2 F -> 0\"; rate = 1;")).is_pair);
}

/* Tests that two molecules that drift alike do not drift apart. */
static void equal_drifts_do_not_matter(void **state)
{
    (void)state;
    assert_effective("grid = { " CUBE " }; time = { end = 1.0; };\n"
                     "species = ( { name = \"A\"; diffusion = 1; drift = (2, 0, 0); } );\n"
                     "reactions = ( { equation = \"2 A -> 0\"; rate = 0.5; } );",
                     3, 0.5, 0.5 / (1 / 1.0 + 0.25273100985866300 / 0.08 / 2.0));
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
