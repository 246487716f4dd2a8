/* test_expression_limits - the step that follows from rates by expressions: of molecules in one
   voxel, and of single ones. */
#include "plan/step_limit.h"

#include "stage.h"

#include <string.h>

#define LINE   "grid = { voxels = 6; edge = 1.0; };\ntime = { end = 4.0; };\n"
#define FROZEN "species = ( { name = \"A\"; }, { name = \"C\"; diffusion = 1.0; } );\n"
#define PAIR                                                                                       \
    "species = ( { name = \"B\"; diffusion = 0.5; }, { name = \"A\"; diffusion = 1.0; } );\n"
#define DOOR "regions = ( { name = \"door\"; box = { from = 5; to = 6; }; } );"

/* D tau / h^2 = 1/6 for A */
static const double of_movement = 1.0 / 6.0;

static void assert_step(const char *text, double step, const char *why)
{
    struct stage s;
    struct rd_error e = {0};
    stage_plan_text(&s, text);
    assert_true(rd_plan_rates(&s.plan, s.model.value, &e));
    const struct rd_step_limit l = rd_step_limit_of(&s.plan);
    if (!(fabs(l.step - step) <= 1e-12 * step))
        fail_msg("%s: %.15g, not %.15g", l.why, l.step, step);
    assert_contains(l.why, why);
    stage_close(&s);
}

/* Checks the highest rate over space of a pair, of a single molecule, and of two molecules of one
   species, which can react in two ways. */
static void highest_rates_limit_the_step(void **state)
{
    (void)state;
    assert_step(LINE PAIR "reactions = ( { equation = \"A + B -> B\"; rate = \"5 * (x < 1)\"; } );",
                0.25 / 5, "probability 1/4 of 'A + B -> B' per step of molecules in one voxel");
    assert_step(LINE PAIR
                "reactions = ( { equation = \"2 A -> 0\"; propensity = \"3 * A * (A - 1)\"; } );",
                0.25 / 6, "probability 1/4 of '2 A -> 0' per step");
    assert_step(LINE PAIR
                "reactions = ( { equation = \"A -> 0\"; rate = \"10 * in(door)\"; } );\n" DOOR,
                0.5 / 10, "rate tau = 1/2 for 'A -> 0'");
    assert_step(LINE PAIR "reactions = ( { equation = \"A -> 0\"; rate_law = \"10 * [A]\"; } );",
                0.5 / 10, "rate tau = 1/2 for 'A -> 0'");
}

/* Checks that only places count where the reaction can happen. */
static void other_places_do_not_matter(void **state)
{
    (void)state;
    assert_step(LINE PAIR "reactions = ( { equation = \"A -> 0\"; rate = \"10 + 10 * x\"; in = "
                          "\"first\"; } );\n"
                          "regions = ( { name = \"first\"; box = { from = 0; to = 1; }; } );",
                0.5 / 15, "rate tau = 1/2");
    assert_step(LINE "species = ( { name = \"A\"; diffusion = 1.0; in = \"first\"; } );\n"
                     "reactions = ( { equation = \"A -> 0\"; rate = \"10 + 10 * x\"; } );\n"
                     "regions = ( { name = \"first\"; box = { from = 0; to = 2; }; } );",
                0.5 / 25, "rate tau = 1/2");
}

static void slow_and_unknown_rates_set_no_limit(void **state)
{
    (void)state;
    static const char *const content[] = {
        PAIR "reactions = ( { equation = \"0 -> A\"; rate = \"50 * x\"; } );",
        PAIR "reactions = ( { equation = \"A + B -> B\"; propensity = \"0.1 * A * B\"; } );",
        PAIR "reactions = ( { equation = \"A -> 0\"; propensity = \"0.1 * A / (1 - A)\"; } );",
        PAIR "fields = ( { name = \"f\"; value = 1; rate = \"-1e-9 * f\"; } );\n"
             "reactions = ( { equation = \"A -> 0\"; rate = \"1000 * f\"; } );"};
    for (size_t i = 0; i < sizeof content / sizeof content[0]; i++) {
        char text[1024];
        snprintf(text, sizeof text, "%s%s", LINE, content[i]);
        const bool has_field = i == 3; /* 1/1000 of time.end */
        assert_step(text, has_field ? 0.004 : of_movement, has_field ? "a field changes" : "1/6");
    }
    assert_step(LINE FROZEN "reactions = ( { equation = \"A -> 0\"; propensity = \"50 * A\"; } );",
                of_movement, "for 'C' along x");
    assert_step("grid = { voxels = 6; edge = 1.0; };\ntime = { end = 4.0; step = 0.2; };\n" PAIR
                "reactions = ( { equation = \"A + B -> B\"; propensity = \"5 * A * B\"; } );",
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
