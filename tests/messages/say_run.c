/* say_run - tests errors that occur during a run or at its start: the message has the place, and
   the process continues. Both solvers print the same. */
#include "lab.h"
#include "quotes.h"
#include "stage.h"

#include <stdlib.h>
#include <string.h>

/* Defines voxels of volume 1; events can set n = 3 and k = 1. In all texts, ' stands for ". */
#define CONFIG(species, rest)                                                                      \
    "grid = { voxels = (3, 2); edge = 1.0; };\n"                                                   \
    "parameters = { k = 1.0; n = 3.0; };\n"                                                        \
    "species = ( " species " );\n"                                                                 \
    "time = { end = 10.0; }; output = { every = 5.0; };\n" rest

#define A               "{ name = 'A'; diffusion = 0.1; }"
#define B               "{ name = 'B'; }"
#define REACTION(text)  "reactions = ( { equation = " text " } );\n"
#define INITIAL_A(text) "initial = ( { species = 'A'; " text " } );\n"
#define INITIAL_B(text) "initial = ( { species = 'B'; " text " } );\n"
#define EVENT(text)     "events = ( { time = 5; " text " } );\n"
#define RUNS(text)      "run = { " text " };\n"

static char *message_of(const struct lab *lab, const char *text, const char *const *sets)
{
    char *const quoted = with_quotes(text);
    char *const message = lab_try(lab, quoted, sets);
    free(quoted);
    return message;
}

static void assert_says(const char *text, const char *words)
{
    static const char *const solvers[] = {"solver=split", "solver=exact"};
    const struct lab one = {.threads = 1};
    for (int i = 0; i < 2; i++) {
        char *const message = message_of(&one, text, SETS(solvers[i]));
        if (!strstr(message, words))
            fail_msg("%s: '%s' is not in: %s\n%s", solvers[i], words, message, text);
        free(message);
    }
}

static void assert_says_nothing(const char *text)
{
    static const char *const solvers[] = {"solver=split", "solver=exact"};
    const struct lab one = {.threads = 1};
    for (int i = 0; i < 2; i++) {
        char *const message = message_of(&one, text, SETS(solvers[i]));
        if (message && *message)
            fail_msg("%s: %s\n%s", solvers[i], message, text);
        free(message);
    }
}

static void impossible_propensities(void **state)
{
    (void)state;
    assert_says(CONFIG(A, REACTION("'0 -> A'; propensity = '2 - A';")),
                "lab.cfg:5: the propensity of reaction '0 -> A' is negative or not a finite number "
                "in voxel (");
    assert_says(CONFIG(A ", " B, REACTION("'0 -> B'; propensity = '1 / A';")),
                "the propensity of reaction '0 -> B' is negative or not a finite number in voxel "
                "(0, 0) of run 0, before t = ");
    assert_says(CONFIG(A, REACTION("'A -> 0'; rate = 'cos(t)';")
                              INITIAL_A("value = 1000000; spread = 'even';")),
                "the propensity of reaction 'A -> 0' is negative");
    assert_says(CONFIG(A, REACTION("'0 -> A'; propensity = 'sqrt(y - x)';")),
                "in voxel (1, 0) of run 0, before t = ");
    assert_says(CONFIG(B, REACTION("'8 B -> 7 B'; rate = 1e250;") INITIAL_B("value = 1e9;")),
                "the propensity of reaction '8 B -> 7 B' is negative or not a finite number");
}

/* Checks that expressions are evaluated only where the reactants are: they would be negative or no
   numbers elsewhere, or let a reaction happen without its reactants. */
static void missing_reactants_end_no_run(void **state)
{
    (void)state;
    assert_says_nothing(CONFIG(A, REACTION("'A -> 0'; propensity = 'k';") INITIAL_A("value = 2;")));
    assert_says_nothing(
        CONFIG(A ", " B, REACTION("'2 A -> B'; propensity = 'k';") INITIAL_A("value = 1;")));
    assert_says_nothing(CONFIG(A ", " B, REACTION("'A -> B'; propensity = 'k * A / (A + B)';")
                                             INITIAL_A("value = 1;")));
    assert_says_nothing(
        CONFIG(A, REACTION("'A -> 0'; rate_law = 'A - 0.5';") INITIAL_A("value = 1;")));
    assert_says(
        CONFIG(A ", " B, REACTION("'A -> B'; propensity = 'k * A / B';") INITIAL_A("value = 1;")),
        "the propensity of reaction 'A -> B' is negative or not a finite number");
}

static void counts_that_are_too_large(void **state)
{
    (void)state;
    assert_says(CONFIG(B, REACTION("'0 -> B'; rate = 5;") INITIAL_B("value = 2147483640;")),
                "more than 2147483647 molecules of 'B' are in voxel (");
    assert_says(CONFIG(A, INITIAL_A("value = 2147483647;")),
                "more than 2147483647 molecules of 'A'");
    assert_says(CONFIG(B, EVENT("add = { species = 'B'; count = 2147483647; voxel = (0, 1); };")
                              INITIAL_B("value = 1;")),
                "lab.cfg:5: one voxel gets 2147483648 molecules of 'B'; place at most 2147483647");
}

static void impossible_amounts(void **state)
{
    (void)state;
    assert_says(CONFIG(A, INITIAL_A("value = '2 - x';")),
                "lab.cfg:5: '2 - x' is -0.5 at (2.5, 0.5); give a number >= 0");
    assert_says(CONFIG(A, INITIAL_A("density = 'log(x - 1)';")),
                "at (0.5, 0.5); give a number >= 0 everywhere");
    assert_says(CONFIG(A, INITIAL_A("value = '1e300 * x'; spread = 'poisson';")),
                "molecules of 'A'; place at most 2147483647 there");
    assert_says(CONFIG(A, INITIAL_A("count = 13000000000L;")),
                "molecules of 'A'; place at most 2147483647 there");
}

static void impossible_events(void **state)
{
    (void)state;
    assert_says(
        CONFIG(A, INITIAL_A("count = 4;") EVENT("remove = { species = 'A'; count = 5; };")),
        "lab.cfg:6: 5 molecules of 'A' are to be removed at t = 5, but there are only 4 in run 0; "
        "use all = true to remove what is there");
    assert_says(CONFIG(A, EVENT("set = { n = 2.5; }; add = { species = 'A'; count = 'n'; };")),
                "the count 'n' is 2.5; give an integer");
    assert_says(CONFIG(A, INITIAL_A("count = 9;") EVENT(
                              "set = { n = -1.0; }; remove = { species = 'A'; count = 'n'; };")),
                "the count 'n' to remove is -1; give an integer >= 0");
    assert_says(CONFIG(A, EVENT("set = { n = '1 / (t - 5)'; };")),
                "the event at t = 5 sets 'n' to inf; give a finite number");
    assert_says(CONFIG("{ name = 'A'; diffusion = 'k'; }", EVENT("set = { k = -1.0; };")),
                "species 'A': diffusion along x is -1; give a number >= 0");
    assert_says(CONFIG(A, REACTION("'A -> 0'; rate = 'k';") EVENT("set = { k = -2.0; };")),
                "reaction 'A -> 0': the rate is -2; give a number >= 0");
    assert_says(CONFIG("{ name = 'A'; diffusion = 1.0; walls = { xmin = { kind = 'absorb'; "
                       "probability = 'k / 2'; }; }; }",
                       EVENT("set = { k = 3.0; };")),
                "species 'A': the probability of wall xmin is 1.5; give a number from 0 to 1");
}

/* Tests movement that becomes impossible in a voxel during a run; the message has the voxel and the
   value. */
static void impossible_movement(void **state)
{
    (void)state;
    const struct lab one = {.threads = 1};
    static const struct {
        const char *species, *message;
    } fault[] = {
        {"diffusion = (1, '2 - A')",
         "lab.cfg:2: species 'A': diffusion along y is -3 in voxel (1, 0) of run 0, before t = 1, "
         "at (1.5, 1); give a finite number >= 0 everywhere"},
        {"diffusion = 1; drift = ('1 / (A - 5)', 0)",
         "lab.cfg:2: species 'A': drift along x is inf in voxel (1, 0) of run 0, before t = 1, at "
         "(1.5, 1); give a finite number everywhere"},
        {"diffusion = '1 / (t - 0.5)'", "diffusion along x is inf in voxel (0, 0) of run 0"},
        {"diffusion = '200 * A'", "movement that depends on counts needs more than 256 substeps in "
                                  "a step in run 0, before t = 1; set a shorter time.step"},
    };
    for (int i = 0; i < 4; i++) {
        char text[400];
        snprintf(text, sizeof text,
                 "grid = { voxels = (3, 1); edge = (1, 2); };\n"
                 "species = ( { name = 'A'; %s; } );\n"
                 "initial = ( { species = 'A'; count = 5; voxel = (1, 0); } );\n"
                 "time = { end = 2.0; step = 1.0; }; output = { every = 2.0; };\n",
                 fault[i].species);
        char *const message = message_of(&one, text, NULL);
        assert_contains(message, fault[i].message);
        free(message);
    }
}

static void reservoirs_that_are_too_large(void **state)
{
    (void)state;
    assert_says(
        CONFIG("{ name = 'A'; diffusion = 1.0; walls = { xmin = { kind = 'reservoir'; "
               "mean = 1e30; }; }; }",
               ""),
        "species 'A': the mean of a reservoir is 1e+30; give a number from 0 to 2147483647");
}

/* Tests runs that are too large for the memory, or for 64 bits. */
static void runs_that_are_too_large(void **state)
{
    (void)state;
    assert_says("grid = { voxels = (65536, 65536, 16); edge = 1.0; };\n"
                "species = ( { name = 'A'; } ); time = { end = 1.0; };\n",
                "1 run of 68719476736 voxels and 1 species need ");
    assert_says("grid = { voxels = (65536, 65536, 16); edge = 1.0; };\n"
                "species = ( { name = 'A'; } ); time = { end = 1.0; };\n"
                "run = { runs = 268435455; };\n",
                "268435455 runs of 68719476736 voxels and 1 species have more counts");
}

/* Tests that faults in several runs and voxels give one message, for the lowest voxel. */
static void many_faults_are_reported_once(void **state)
{
    (void)state;
    const struct lab two = {.threads = 2};
    const char *const text = CONFIG(B, REACTION("'0 -> B'; propensity = 'if(x > 2, -1, 0)';")
                                           RUNS("runs = 50; first = 7;"));
    char *const message = message_of(&two, text, NULL);
    assert_contains(message, "in voxel (2, 0) of run 7, ");
    assert_null(strchr(message, '\n'));
    free(message);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(impossible_propensities),
        cmocka_unit_test(missing_reactants_end_no_run),
        cmocka_unit_test(counts_that_are_too_large),
        cmocka_unit_test(impossible_amounts),
        cmocka_unit_test(impossible_events),
        cmocka_unit_test(impossible_movement),
        cmocka_unit_test(reservoirs_that_are_too_large),
        cmocka_unit_test(runs_that_are_too_large),
        cmocka_unit_test(many_faults_are_reported_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
