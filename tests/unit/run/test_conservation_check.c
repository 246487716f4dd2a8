/* test_conservation_check - counts that the test corrupts are reported at the next snapshot;
   events, walls and individuals cause no report. */
#include "record/record.h"
#include "run/run.h"

#include "stage.h"

#include <stdlib.h>

/* A recorder, and the count that is corrupted before one of the snapshots. */
struct breaking {
    struct stage stage;
    struct rd_recorder recorder;
    int at, n; /* the number of that snapshot, from 0, and the number of snapshots so far */
    int64_t run;
    int species; /* canonical number */
    int32_t by;
};

static bool record(void *to, struct rd_sim *s, double time, struct rd_error *e)
{
    struct breaking *const b = to;
    if (b->n++ == b->at)
        *stage_count(&b->stage, b->run, b->species, 1) += b->by;
    return rd_recorder_take(&b->recorder, s, time, e);
}

/* Runs a configuration. Returns the message, or NULL if the run succeeded. The caller frees it and
   closes b. */
static char *broken(struct breaking *b, const char *text)
{
    const struct rd_machine_of cpu = {.backend = "cpu", .threads = 1};
    const struct rd_watch watch = {.record = record, .record_to = b};
    struct rd_error e = {0};
    double stopped;
    stage_plan(&b->stage, text);
    const bool ok = rd_sim_open(&b->stage.sim, &b->stage.plan, &cpu, &e) &&
                    rd_recorder_open(&b->recorder, &b->stage.sim, 1, &e) &&
                    rd_run(&b->stage.plan, &b->stage.sim, &watch, &stopped, &e);
    assert_true(ok == (e.n == 0));
    return e.text;
}

static void close_all(struct breaking *b, char *said)
{
    free(said);
    rd_recorder_close(&b->recorder, &b->stage.sim);
    stage_close(&b->stage);
}

#define BINDING                                                                                    \
    "grid = { voxels = (4, 3); edge = 1.0; };\n"                                                   \
    "species = ( { name = \"B\"; diffusion = 0.1; }, { name = \"A\"; }, { name = \"C\"; } );\n"    \
    "reactions = ( { equation = \"A + 2 B -> C\"; rate = 0.1; } );\n"                              \
    "initial = ( { species = \"A\"; count = 50; }, { species = \"B\"; count = 70; } );\n"          \
    "time = { end = 4.0; }; output = { every = 1.0; }; run = { first = 7; runs = 3; };\n"

static void a_flipped_count_is_told(void **state)
{
    (void)state;
    struct breaking b = {.at = 2, .run = 1, .species = 0, .by = 3}; /* adds three A */
    char *said = broken(&b, BINDING);
    assert_said(said, "run 8, t = 2: the conserved sum A + C is 53 instead of 50: the program or "
                      "the machine's memory failed after t = 1, and the snapshot is discarded");
    assert_int_equal(b.n, 3);
    assert_int_equal(b.recorder.n_written, 2);
    close_all(&b, said);
    b = (struct breaking){.at = 3, .run = 0, .species = 1, .by = -1}; /* removes one B */
    said = broken(&b, BINDING);
    assert_said(said, "run 7, t = 3: the conserved sum B + 2 C is 69 instead of 70");
    close_all(&b, said);
    b = (struct breaking){.at = 0, .run = 2, .species = 2, .by = 1}; /* placed counts are known */
    said = broken(&b, BINDING);
    assert_said(said, "run 9, t = 0: the conserved sum A + C is 51 instead of 50");
    assert_said(said, "memory failed, and the snapshot");
    close_all(&b, said);
}

static void nothing_is_told_otherwise(void **state)
{
    (void)state;
    struct breaking b = {.at = -1};
    assert_null(broken(&b, BINDING));
    assert_int_equal(b.n, 5);
    close_all(&b, NULL);
}

#define EVENTS                                                                                     \
    BINDING                                                                                        \
    "events = ( { time = 1.0; every = 0.5; add = { species = \"A\"; count = 10; };\n"              \
    "remove = { species = \"C\"; count = 4; }; }, { time = 2; remove = { species = \"B\"; "        \
    "all = true; }; } );\n"

/* Checks the sums after events: 50 A at the start, and 10 A more and at most 4 C fewer at each
   event. */
static void events_change_what_is_expected(void **state)
{
    (void)state;
    struct breaking b = {.at = -1};
    assert_null(broken(&b, EVENTS));
    assert_int_equal(b.n, 5);
    const int64_t n = b.stage.sim.placed[1] + b.stage.sim.placed[2]; /* A and C of the first run */
    assert_true(n >= 50 + 7 * 10 - 7 * 4 && n < 50 + 7 * 10);
    assert_int_equal(n, stage_total(&b.stage, 0, 0) + stage_total(&b.stage, 0, 2));
    close_all(&b, NULL);
    b = (struct breaking){.at = 4, .run = 0, .species = 2, .by = 1};
    char *const said = broken(&b, EVENTS);
    assert_said(said, "run 7, t = 4: the conserved sum A + C is ");
    close_all(&b, said);
}

#define WALLS                                                                                      \
    "grid = { voxels = (4, 3); edge = 1.0;\n"                                                      \
    "         walls = { x = \"absorb\"; y = { kind = \"reservoir\"; mean = 5.0; }; }; };\n"        \
    "species = ( { name = \"A\"; diffusion = 1.0; }, { name = \"B\"; diffusion = 0.5; } );\n"      \
    "reactions = ( { equation = \"A -> B\"; rate = 1.0; } );\n"                                    \
    "initial = ( { species = \"A\"; count = 500; } );\n"                                           \
    "time = { end = 3.0; }; output = { every = 1.0; }; run = { runs = 2; };\n"

static void walls_are_counted_in(void **state)
{
    (void)state;
    static const char *const solvers[] = {WALLS, WALLS "solver = \"exact\";\n"};
    for (int i = 0; i < 2; i++) {
        struct breaking b = {.at = -1};
        assert_null(broken(&b, solvers[i]));
        assert_true(stage_total(&b.stage, 0, 0) + stage_total(&b.stage, 0, 1) != 500);
        close_all(&b, NULL);
        b = (struct breaking){.at = 3, .run = 1, .species = 0, .by = 1};
        char *const said = broken(&b, solvers[i]);
        assert_said(said, "run 1, t = 3: the conserved sum A + B is 501 instead of 500");
        close_all(&b, said);
    }
}

#define LIVING                                                                                     \
    "grid = { voxels = 4; edge = 1.0; walls = { x = \"absorb\"; }; };\n"                           \
    "species = ( { name = \"A\"; diffusion = 0.3; individuals = { max = 300; }; }, { name = "      \
    "\"B\"; individuals = { max = 300; }; }, { name = \"m\"; } );\n"                               \
    "reactions = ( { equation = \"A -> B + m\"; rate = 0.5; }, { equation = \"B -> A\"; rate = "   \
    "1.0; } );\n"                                                                                  \
    "initial = ( { species = \"A\"; count = 100; } );\n"                                           \
    "events = ( { time = 1; add = { species = \"B\"; count = 20; }; remove = { species = \"A\"; "  \
    "count = 30; }; } );\n"                                                                        \
    "time = { end = 3.0; }; output = { every = 1.0; };\n"

static void individuals_are_species_too(void **state)
{
    (void)state;
    struct breaking b = {.at = -1};
    assert_null(broken(&b, LIVING));
    assert_int_equal(b.stage.plan.conserved.law.n, 1);
    assert_int_equal(b.stage.sim.placed[0] + b.stage.sim.placed[1], 90);
    assert_true(stage_total(&b.stage, 0, 0) + stage_total(&b.stage, 0, 1) < 90);
    close_all(&b, NULL);
}

static void networks_without_laws_are_not_watched(void **state)
{
    (void)state;
    struct breaking b = {.at = 1, .by = 1};
    assert_null(broken(&b, "grid = { voxels = 4; edge = 1.0; };\n"
                           "species = ( { name = \"A\"; } );\n"
                           "reactions = ( { equation = \"A -> 0\"; rate = 1.0; } );\n"
                           "time = { end = 2.0; }; output = { every = 1.0; };\n"));
    assert_null(b.stage.sim.placed);
    assert_null(b.recorder.conservation_check.apart);
    close_all(&b, NULL);
}

/* Checks a resumed run: its start is unknown, so the others are compared with the first
   snapshot. */
static void runs_that_are_taken_up_begin_there(void **state)
{
    (void)state;
    struct breaking b = {.at = -1};
    struct rd_error e = {0};
    assert_null(broken(&b, BINDING));
    rd_recorder_close(&b.recorder, &b.stage.sim);
    assert_true(rd_recorder_open(&b.recorder, &b.stage.sim, 1, &e));
    b.stage.sim.is_begun = false;
    b.stage.sim.placed[1] = 999;
    assert_true(rd_recorder_take(&b.recorder, &b.stage.sim, 4, &e));
    assert_true(rd_recorder_take(&b.recorder, &b.stage.sim, 5, &e));
    ++*stage_count(&b.stage, 0, 0, 0);
    assert_false(rd_recorder_take(&b.recorder, &b.stage.sim, 6, &e));
    assert_said(e.text, "run 7, t = 6: the conserved sum A + C is 51 instead of 50");
    assert_said(e.text, "failed after t = 5");
    close_all(&b, e.text);
}

int test_conservation_check(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_flipped_count_is_told),
        cmocka_unit_test(nothing_is_told_otherwise),
        cmocka_unit_test(events_change_what_is_expected),
        cmocka_unit_test(walls_are_counted_in),
        cmocka_unit_test(individuals_are_species_too),
        cmocka_unit_test(networks_without_laws_are_not_watched),
        cmocka_unit_test(runs_that_are_taken_up_begin_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
