/* test_meeting - warnings about expressions that are too fast for a step that was derived from
   numbers only. */
#include "plan/step_limit.h"

#include "stage.h"

#include <string.h>

#define LINE   "grid = { voxels = 6; edge = 1.0; };\ntime = { end = 4.0; };\n"
#define FROZEN "species = ( { name = \"A\"; }, { name = \"C\"; diffusion = 1.0; } );\n"
#define PAIR                                                                                       \
    "species = ( { name = \"B\"; diffusion = 0.5; }, { name = \"A\"; diffusion = 1.0; } );\n"

/* Returns the warnings about a step; the caller frees them. */
static struct rd_error told(const char *text, double step)
{
    struct stage s;
    struct rd_error said = {0};
    stage_plan(&s, text);
    assert_true(rd_plan_rates(&s.plan, s.model.value, &said));
    rd_step_limit_warn(&s.plan, step, &said);
    stage_close(&s);
    return said;
}

static void assert_told(const char *text, double step, const char *expected)
{
    struct rd_error said = told(text, step);
    assert_int_equal(said.n, expected ? 1 : 0);
    if (expected)
        assert_string_equal(said.text, expected);
    rd_error_free(&said);
}

/* Checks the rate of a pair, of a single molecule, and of two molecules of one species, which can
   react in two ways. */
static void rates_of_those_who_met(void **state)
{
    (void)state;
    static const char pair[] =
        LINE PAIR "reactions = ( { equation = \"A + B -> B\"; rate = \"5 * (x < 1)\"; } );";
    assert_told(
        pair, 0.2,
        "stage.cfg:4: the automatic step of 0.2 ignores the expression of 'A + B -> B', whose "
        "propensity for the reactants in one voxel is 5; set time.step to 0.05 or less");
    assert_told(pair, 0.1, NULL); /* the limit is 1/20; up to twice the limit is accepted */
    assert_told(
        LINE PAIR "reactions = ( { equation = \"2 A -> 0\"; propensity = \"3 * A * (A - 1)\"; } );",
        0.2,
        "stage.cfg:4: the automatic step of 0.2 ignores the expression of '2 A -> 0', whose "
        "propensity for the reactants in one voxel is 6; set time.step to 0.042 or less");
    assert_told(LINE PAIR "reactions = ( { equation = \"A -> 0\"; rate = \"10 * in(door)\"; } );\n"
                          "regions = ( { name = \"door\"; box = { from = 5; to = 6; }; } );",
                0.2,
                "stage.cfg:4: the automatic step of 0.2 ignores the expression of 'A -> 0', whose "
                "propensity for one molecule is 10; set time.step to 0.05 or less");
}

static void nothing_is_said_where_the_step_is_known_or_does_not_matter(void **state)
{
    (void)state;
    static const char *const content[] = {
        PAIR "reactions = ( { equation = \"A + B -> B\"; rate = 5; } );",
        PAIR "reactions = ( { equation = \"0 -> A\"; rate = \"50 * x\"; } );",
        PAIR "reactions = ( { equation = \"A + B -> B\"; propensity = \"0.1 * A * B\"; } );",
        PAIR "solver = \"exact\"; reactions = ( { equation = \"A + B -> B\"; propensity = \"5 * A "
             "* B\"; "
             "} );",
        FROZEN "reactions = ( { equation = \"A -> 0\"; propensity = \"50 * A\"; } );"};
    for (size_t i = 0; i < sizeof content / sizeof content[0]; i++) {
        char text[1024];
        snprintf(text, sizeof text, "%s%s", LINE, content[i]);
        assert_told(text, 0.2, NULL);
    }
    assert_told("grid = { voxels = 6; edge = 1.0; };\ntime = { end = 4.0; step = 0.2; };\n" PAIR
                "reactions = ( { equation = \"A + B -> B\"; propensity = \"5 * A * B\"; } );",
                0.2, NULL);
}

int test_meeting(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rates_of_those_who_met),
        cmocka_unit_test(nothing_is_said_where_the_step_is_known_or_does_not_matter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
