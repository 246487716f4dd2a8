/* say_individuals_run - tests errors of individuals that occur during a run or at its start: the
   message with its place, and whether the configuration is wrong. */
#include "quotes.h"
#include "run/run.h"
#include "stage.h"

#include <stdlib.h>

/* Puts attributes of W on line 3, W and V on 2 and 4, the reaction on 5, and the rest from 6 on. In
   all texts, ' stands for ". */
#define CONFIG(rules, motion, reaction, rest)                                                      \
    "grid = { voxels = (3, 2); edge = 1.0; }; parameters = { nil = 0.0; }; species = ( { name = "  \
    "'A'; diffusion = 0.1; },\n"                                                                   \
    "{ name = 'W'; " motion " individuals = { max = 20; attributes = (\n"                          \
    "  { name = 'u'; " rules " } ); }; },\n"                                                       \
    "{ name = 'V'; diffusion = 0.1; individuals = { max = 9; }; } );\n"                            \
    "reactions = ( { equation = " reaction "; } );\n"                                              \
    "initial = ( { species = 'W'; count = 6; voxel = (1, 0); } );\n"                               \
    "time = { end = 10.0; step = 0.5; }; output = { every = 5.0; };\n" rest
#define RULE(text)       CONFIG(text, "diffusion = 0.1;", "'W -> 2 W'; rate = 0.1", "")
#define MOTION(text)     CONFIG("initial = 1;", text, "'A -> 0'; rate = 1", "")
#define REACTION(text)   CONFIG("initial = 'A + nil';", "", text, "")
#define PLACED(rules, x) CONFIG(rules, "", "'A -> 0'; rate = 1", x)

static bool record(void *to, struct rd_sim *sim, double time, struct rd_error *e)
{
    (void)to;
    (void)time;
    return rd_sim_check(sim, e);
}

/* Returns the messages of a run of the text, with or without verification of the lists after each
   step. */
static struct rd_error messages_of(const char *text, bool verify)
{
    struct stage s;
    struct rd_error e = {0};
    const struct rd_machine_of cpu = {.backend = "cpu", .threads = 1, .verify = verify};
    const struct rd_watch watch = {.record = record};
    double stopped;
    char *const quoted = with_quotes(text);
    stage_plan_text(&s, quoted);
    free(quoted);
    assert_true(rd_sim_open(&s.sim, &s.plan, &cpu, &e));
    const bool ok = rd_run(&s.plan, &s.sim, &watch, &stopped, &e);
    assert_int_equal(ok, e.n == 0);
    assert_true(isnan(stopped));
    stage_close(&s);
    return e;
}

/* Checks also e.wrong, which says that the configuration is wrong and decides the exit status of
   the program. */
static void assert_says(const char *text, bool is_wrong, const char *words)
{
    for (int verify = 0; verify < 2; verify++) {
        struct rd_error e = messages_of(text, verify);
        assert_int_equal(e.n, 1);
        assert_contains(e.text, words);
        assert_int_equal(e.wrong, is_wrong);
        rd_error_free(&e);
    }
}

static void more_than_max(void **state)
{
    (void)state;
    assert_says(CONFIG("initial = 1;", "", "'W -> 3 W'; rate = 1", ""), false,
                "stage.cfg:2: more than max = 20 individuals of 'W' live in run 0, before t = ");
    assert_says(CONFIG("initial = 1;", "", "'W -> W + V'; rate = 1", "run = { first = 7; };"),
                false,
                "stage.cfg:4: more than max = 9 individuals of 'V' live in run 7, before t = ");
    assert_says(PLACED("initial = 1;", "events = ( { time = 5; add = { species = 'W'; value = 3; "
                                       "}; } );"),
                false,
                "stage.cfg:2: run 0 gets 24 individuals of 'W' at t = 5, more than max = 20; raise "
                "individuals.max");
}

/* Tests numbers that are not constant in the text. */
static void more_than_max_at_the_start(void **state)
{
    (void)state;
    assert_says("grid = { voxels = 8; edge = 1.0; };\n"
                "species = ( { name = 'W'; individuals = { max = 20; }; } );\n"
                "initial = ( { species = 'W'; value = '1 + x / 2'; } );\n"
                "time = { end = 1.0; };\n",
                true,
                "stage.cfg:2: run 0 gets 22 individuals of 'W' at t = 0, more than max = 20; raise "
                "individuals.max");
}

static void attributes_that_are_not_finite(void **state)
{
    (void)state;
    assert_says(RULE("initial = 1; birth = 'log(parent.u - 2)';"), false,
                "stage.cfg:3: a rule of attribute 'u' of 'W' gives no finite number in voxel (");
    assert_says(RULE("initial = 1; kind = 'integer'; birth = 'parent.u / 2';"), false,
                "stage.cfg:3: a rule of attribute 'u' of 'W' gives no integer in voxel (");
    assert_says(PLACED("initial = '1 / A';", ""), true,
                "stage.cfg:3: attribute 'u' of 'W' begins as inf at (1.5, 0.5) in run 0; give a "
                "finite number");
    assert_says(PLACED("initial = 1;", "events = ( { time = 2; add = { species = 'W'; count = 1; "
                                       "attributes = { u = 'sqrt(1 - t)'; }; }; } );"),
                false, "stage.cfg:3: attribute 'u' of 'W' begins as ");
}

static void weights_that_choose_none(void **state)
{
    (void)state;
    static const char *const weights[] = {"W.u - 1", "W.u / W.u", "W.u", "1 / W.u"};
    for (size_t i = 0; i < sizeof weights / sizeof *weights; i++) {
        char text[2000];
        snprintf(text, sizeof text,
                 CONFIG("initial = 'nil';", "", "'W -> 0'; rate = 1; weight = '%s'", ""),
                 weights[i]);
        assert_says(text, false,
                    "stage.cfg:5: the weights of reaction 'W -> 0' are negative, not finite, or "
                    "all 0 in voxel (1, 0) of run 0, before t = ");
    }
}

/* Tests a reaction that takes two individuals when only one has a weight. */
static void weights_that_choose_too_few(void **state)
{
    (void)state;
    assert_says(
        CONFIG("initial = 'uniform(0, 1)';", "", "'2 W -> 0'; rate = 1; weight = 'W.u > 1'", ""),
        false, "stage.cfg:5: the weights of reaction '2 W -> 0' are negative, not finite,");
}

static void impossible_movement(void **state)
{
    (void)state;
    static const char *const motions[] = {MOTION("diffusion = 'u - 5';"),
                                          MOTION("diffusion = 'log(u - 2)';"),
                                          MOTION("drift = ('1 / (u - 1)', 0); diffusion = 0.1;"),
                                          MOTION("diffusion = (0.1, '0.1 - t * u');")};
    for (size_t i = 0; i < sizeof motions / sizeof *motions; i++)
        assert_says(motions[i], false,
                    "stage.cfg:2: the diffusion of an individual of 'W' is negative, or its "
                    "diffusion or drift is not finite, in voxel (");
}

/* Tests propensities above zero without enough individuals to take. */
/* Checks that expressions which are not 0 without reactants let no reaction happen there. */
static void missing_reactants_end_no_run(void **state)
{
    (void)state;
    static const char *const cases[] = {
        REACTION("'W -> 0'; propensity = '1'"),
        REACTION("'V -> W'; propensity = '1'"),
        REACTION("'V -> 2 V'; propensity = '1'"),
        REACTION("'7 W -> 6 W'; propensity = '1'"),
        REACTION("'V + W -> W'; propensity = 'W'"),
        REACTION("'V -> 2 V'; propensity = '1 + sum(W.u)'"),
    };
    assert_says(REACTION("'W -> W + V'; rate = '1 + sum(W.u)'"), false,
                "the weights of reaction 'W -> W + V' are negative, not finite, or all 0 in voxel");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int verify = 0; verify < 2; verify++) {
            struct rd_error e = messages_of(cases[i], verify);
            if (e.n > 0)
                fail_msg("%s\n%s", e.text, cases[i]);
            rd_error_free(&e);
        }
}

static void sums_below_zero(void **state)
{
    (void)state;
    assert_says(CONFIG("initial = -1;", "", "'W -> 0'; rate = 'sum(W.u)'", ""), false,
                "stage.cfg:5: the propensity of reaction 'W -> 0' is negative or not a finite "
                "number in voxel (1, 0) of run 0, before t = ");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(more_than_max),
        cmocka_unit_test(more_than_max_at_the_start),
        cmocka_unit_test(attributes_that_are_not_finite),
        cmocka_unit_test(weights_that_choose_none),
        cmocka_unit_test(weights_that_choose_too_few),
        cmocka_unit_test(impossible_movement),
        cmocka_unit_test(missing_reactants_end_no_run),
        cmocka_unit_test(sums_below_zero),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
