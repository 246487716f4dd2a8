/* test_limit - the longest step and what limits it: each rule where it is decisive, and where it
   does not apply. */
#include "plan/step_limit.h"

#include "stage.h"

static const double most_hops = 64 * 254;

#define CONFIG(species, reactions, rest)                                                           \
    "grid = { voxels = (5, 4); edge = (1, 2); };\n"                                                \
    "parameters = { k = 1.0; };\n"                                                                 \
    "species = ( " species " );\n"                                                                 \
    "reactions = ( " reactions " );\n" rest

#define END "time = { end = 10.0; };\n"

static void assert_limit(const char *text, double step, const char *why)
{
    struct stage s;
    stage_open(&s, text, 1e-3);
    const struct rd_step_limit l = rd_step_limit_of(&s.plan);
    if (!(fabs(l.step - step) <= 1e-12 * step || l.step == step))
        fail_msg("%s: %.15g, not %.15g", l.why, l.step, step);
    assert_said(l.why, why);
    stage_close(&s);
}

#define A_MOVES "{ name = \"A\"; diffusion = 2.0; }"
#define B_RESTS "{ name = \"B\"; }"

/* Checks D tau / h^2 = 1/6 along the axis with the smaller edge; if drift exceeds 2 D / h, the
   excess adds to D. */
static void movement_limits_where_there_are_reactions(void **state)
{
    (void)state;
    assert_limit(CONFIG(A_MOVES, "{ equation = \"0 -> A\"; rate = 1.0; }", END), 1.0 / 12,
                 "D tau / h^2 = 1/6 for 'A' along x");
    assert_limit(CONFIG("{ name = \"A\"; diffusion = (0, 2); drift = (0, 5); }",
                        "{ equation = \"0 -> A\"; rate = 1.0; }", END),
                 1 / 7.5, "for 'A' along y");
}

static void movement_alone_is_exact(void **state)
{
    (void)state;
    assert_limit(CONFIG(A_MOVES, "", END), most_hops / 4,
                 "the largest number of hops in a step for 'A'");
    assert_limit(CONFIG(B_RESTS, "", END), INFINITY, "nothing: movement and reactions are exact");
    assert_limit(
        CONFIG(A_MOVES, "{ equation = \"2 A -> 0\"; rate = 9.0; }", END "solver = \"exact\";\n"),
        INFINITY, "nothing: the exact solver needs no step");
    assert_limit(CONFIG(B_RESTS, "{ equation = \"2 B -> 0\"; rate = 1e9; }", END), INFINITY,
                 "nothing");
}

static void fast_reactions_of_what_moves_limit(void **state)
{
    (void)state;
    assert_limit(CONFIG(A_MOVES, "{ equation = \"A -> 0\"; rate = 100.0; }", END), 0.5 / 100,
                 "rate tau = 1/2 for 'A -> 0'");
    assert_limit(CONFIG(A_MOVES, "{ equation = \"2 A -> 0\"; rate = 100.0; }", END),
                 0.25 / (2 * 100 / 2.0), "probability 1/4 of '2 A -> 0' per step");
    assert_limit(CONFIG(A_MOVES ", " B_RESTS, "{ equation = \"A + B -> 0\"; rate = 80.0; }", END),
                 0.25 / (80 / 2.0), "1/4 of 'A + B -> 0' per step");
    assert_limit(CONFIG(A_MOVES ", " B_RESTS, "{ equation = \"B -> 0\"; rate = 1e6; }", END),
                 1.0 / 12, "for 'A' along x");
}

/* Checks the limit by crowding: with 200 B per voxel an A reacts at 0.5 x 200 / 2 per time, though
   a single pair is slow. */
static void crowds_limit(void **state)
{
    (void)state;
    assert_limit(CONFIG(A_MOVES ", " B_RESTS, "{ equation = \"A + B -> 0\"; rate = 0.5; }",
                        "initial = ( { species = \"B\"; value = 200; } );\n" END),
                 0.5 / (0.5 * 200 / 2), "1/2 event of 'A + B -> 0' per molecule");
    assert_limit(CONFIG(A_MOVES ", { name = \"B\"; diffusion = 1e-3; }",
                        "{ equation = \"A + B -> 0\"; rate = 0.5; }",
                        "initial = ( { species = \"A\"; count = 4000; } );\n" END),
                 0.5 / (0.5 * 200 / 2), "1/2 event of 'A + B -> 0' per molecule");
}

static void laws_in_time_limit(void **state)
{
    (void)state;
    assert_limit(CONFIG(B_RESTS, "{ equation = \"B -> 0\"; rate = \"k * t\"; }", END), 0.01,
                 "1/1000 of time.end, since rates depend on t");
    assert_limit(CONFIG(B_RESTS, "{ equation = \"B -> 0\"; propensity = \"k * B\"; }", END),
                 INFINITY, "nothing");
}

/* Checks that the step of the configuration is taken, whether it is longer or shorter than the
   limit. */
static void a_step_that_was_asked_for_is_taken(void **state)
{
    (void)state;
    assert_limit(CONFIG(A_MOVES, "{ equation = \"0 -> A\"; rate = 1.0; }",
                        "time = { end = 10.0; step = 0.001; };\n"),
                 0.001, "time.step in the configuration");
    assert_limit(CONFIG(A_MOVES, "{ equation = \"0 -> A\"; rate = 1.0; }",
                        "time = { end = 10.0; step = 2.0; };\n"),
                 2, "time.step in the configuration");
}

static void rates_of_now_count(void **state)
{
    (void)state;
    struct stage s;
    struct rd_error e = {0};
    stage_open(
        &s,
        CONFIG("{ name = \"A\"; diffusion = \"k\"; }", "{ equation = \"0 -> A\"; rate = 1; }", END),
        0.01);
    assert_true(rd_step_limit_of(&s.plan).step == 1.0 / 6);
    assert_true(rd_plan_rates(&s.plan, (const double[]){4}, &e));
    assert_true(rd_step_limit_of(&s.plan).step == 1.0 / 24);
    stage_close(&s);
}

int test_limit(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(movement_limits_where_there_are_reactions),
        cmocka_unit_test(movement_alone_is_exact),
        cmocka_unit_test(fast_reactions_of_what_moves_limit),
        cmocka_unit_test(crowds_limit),
        cmocka_unit_test(laws_in_time_limit),
        cmocka_unit_test(a_step_that_was_asked_for_is_taken),
        cmocka_unit_test(rates_of_now_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
