/* test_fused - fused passes: the plain passes that a step requests, and what the rules of the GPU
   run in their places. The back end of the test only records calls. */
#include "kernels/cuda/backend/fused_passes.h"
#include "sim/lists.h"
#include "sim/step.h"
#include "stage.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* List 0 (A) moves by the same displacement distributions everywhere, list 1 (B) does not. */
static const char two_lists[] =
    "grid = { voxels = (30, 20); edge = 1.0; walls = { x = \"periodic\"; y = \"periodic\"; }; };\n"
    "species = ( { name = \"A\"; individuals = { max = 1000; }; diffusion = 1; },\n"
    "            { name = \"B\"; individuals = { max = 1000; }; diffusion = \"1 + x\"; } );\n"
    "reactions = ( { equation = \"A -> 2 A\"; rate = 1; } );\n"
    "splitting = \"lie\"; time = { end = 1.0; step = 0.1; };\n";

/* The calls of one step that run, as text: "number:PASS/list", where a pass of all lists has the
   list that was selected last. It takes the place of a machine. */
struct diary {
    char text[2000];
    size_t length;
    bool fuses;   /* as the GPU does */
    bool updates; /* see rd_fuse */
};

#define NAME(NUMBER, ...) #NUMBER,
static const char *const names[] = {RD_PASSES(NAME) "none", RD_FUSED(NAME)};
#undef NAME

static void append(struct diary *d, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const size_t left = sizeof d->text - d->length;
    const int n = vsnprintf(d->text + d->length, left, format, arguments);
    va_end(arguments);
    assert_in_range(n, 1, left - 1);
    d->length += (size_t)n;
}

static void note_pass(rd_machine *m, const struct rd_world *w, enum rd_pass requested)
{
    struct diary *const d = (struct diary *)m;
    const enum rd_pass pass = d->fuses ? rd_fuse(w, requested, &d->updates) : requested;
    if (pass != RD_NO_PASS)
        append(d, "%lld:%s/%d ", (long long)w->pass.step_clock->pass, names[pass],
               w->lists.at_list);
}

static void note_scan(rd_machine *m, int32_t *x, const int64_t *n, int64_t most, bool with_itself)
{
    struct diary *const d = (struct diary *)m;
    (void)x;
    (void)n;
    (void)most;
    (void)with_itself;
    if (!d->updates)
        append(d, "scan ");
}

static void note_segments(rd_machine *m, int32_t *to, const int32_t *from, const uint8_t *flag,
                          int64_t n)
{
    struct diary *const d = (struct diary *)m;
    (void)to;
    (void)from;
    (void)flag;
    (void)n;
    if (!d->updates)
        append(d, "segments ");
}

static void note_sort(rd_machine *m, const struct rd_world *w, uint32_t *key, uint32_t *value,
                      uint32_t *key_to, uint32_t *value_to, const int64_t *n, int64_t most,
                      int bits)
{
    struct diary *const d = (struct diary *)m;
    (void)key;
    (void)value;
    (void)key_to;
    (void)value_to;
    (void)n;
    (void)most;
    (void)bits;
    if (!d->fuses || !rd_fuses_sort(w))
        append(d, "sort ");
}

static const struct rd_backend writer = {.name = "writer",
                                         .run = note_pass,
                                         .scan = note_scan,
                                         .scan_segments = note_segments,
                                         .sort = note_sort};

/* Does a step of the model on a back end that records, from pass number 1 on. Passes up to `done`
   were done before a pause. Returns the number of passes. */
static int64_t record_step(struct diary *d, struct stage *s, int64_t done)
{
    const struct rd_stretch stretch = {.step = 0.1, .n_steps = 4};
    struct rd_sim sim = s->sim;
    sim.backend = &writer;
    sim.machine = (rd_machine *)d;
    sim.is_timed = false;
    sim.world.pass.step_clock = &sim.step_clock;
    sim.step_clock.pass = 0;
    sim.done = done;
    d->length = 0;
    rd_step(&sim, &stretch, 1);
    return sim.step_clock.pass;
}

/* The plain passes of the step: up to the update, the update from MAINTAIN to REINDEX, the rest of
   it, and the movement. */
#define COUNTING "1:RESERVE/0 2:REACT/0 3:CHECK_CAPACITY/0 4:CHECK_CAPACITY/1 "

#define PLAIN_UPDATE                                                                               \
    "5:MAINTAIN/1 6:COUNT_RUN/1 7:ROLL_BACK/1 "                                                    \
    "segments scan scan 8:EXPAND/0 scan segments scan scan 9:EXPAND/1 scan "                       \
    "10:CHECK_MAXIMUM/1 11:PLACE_BIRTHS/1 12:REDUCE/0 13:REDUCE/1 14:REFILL/1 "                    \
    "15:FINISH_LINEAGE/1 16:REINDEX/0 17:REINDEX/1 "

#define PLAIN_REST                                                                                 \
    "18:COPY_LIST/0 19:COPY_LIST/1 20:RETURN_SLOTS/0 21:RETURN_SLOTS/1 22:COMMIT_LISTS/1 "

#define PLAIN_MOVEMENT                                                                             \
    "23:MOVE/0 24:MOVE/1 25:HOP/1 26:ENTER/1 27:LAND/1 sort 28:INDEX/0 sort 29:INDEX/1 "           \
    "30:RETURN_SLOTS/0 31:RETURN_SLOTS/1 32:COMMIT_LISTS/1 33:TALLY/1 "

static void steps_request_plain_passes(void **state)
{
    (void)state;
    struct stage s;
    struct diary d = {0};
    stage_open_text(&s, two_lists, 0.1);
    assert_int_equal(record_step(&d, &s, -1), 33);
    assert_string_equal(d.text, COUNTING PLAIN_UPDATE PLAIN_REST PLAIN_MOVEMENT);
    stage_close(&s);
}

/* Checks the passes, scans and sorts that fused passes replace: the update is one pass, list A
   moves in the place of its INDEX, and list B is only sorted so. */
static void fused_passes_run_in_their_places(void **state)
{
    (void)state;
    static const char expected[] =
        COUNTING "5:UPDATE_LISTS/1 " PLAIN_REST
                 "24:MOVE/1 25:HOP/1 26:ENTER/1 27:LAND/1 28:MOVE_AND_SORT/0 29:SORT_BY_VOXEL/1 "
                 "30:RETURN_SLOTS/0 31:RETURN_SLOTS/1 32:COMMIT_LISTS/1 33:TALLY/1 ";
    struct stage s;
    struct diary d = {.fuses = true};
    stage_open_text(&s, two_lists, 0.1);
    for (int i = 0; i < 2; i++) { /* the second step begins as the first one */
        assert_int_equal(record_step(&d, &s, -1), 33);
        assert_string_equal(d.text, expected);
    }
    stage_close(&s);
}

/* Checks that a repeated step runs no pass, and that passes after the pause run as without one. */
static void passes_before_a_pause_are_only_counted(void **state)
{
    (void)state;
    struct stage s;
    struct diary d = {.fuses = true};
    stage_open_text(&s, two_lists, 0.1);
    assert_int_equal(record_step(&d, &s, 33), 33);
    assert_int_equal(d.length, 0);
    assert_int_equal(record_step(&d, &s, 32), 33);
    assert_string_equal(d.text, "33:TALLY/1 ");
    assert_int_equal(record_step(&d, &s, 4), 33);
    assert_int_equal(strncmp(d.text, "5:UPDATE_LISTS/1 18:COPY_LIST/0 ", 32), 0);
    stage_close(&s);
}

/* Checks that an update without MAINTAIN, as after placing individuals, is plain. */
static void updates_without_events_are_plain(void **state)
{
    (void)state;
    struct stage s;
    bool updates = false;
    stage_open_text(&s, two_lists, 0.1);
    const struct rd_world *const w = &s.sim.world;
    assert_int_equal(rd_fuse(w, RD_EXPAND, &updates), RD_EXPAND);
    assert_int_equal(rd_fuse(w, RD_MAINTAIN, &updates), RD_UPDATE_LISTS);
    assert_int_equal(rd_fuse(w, RD_EXPAND, &updates), RD_NO_PASS);
    assert_true(updates);
    assert_int_equal(rd_fuse(w, RD_COPY_LIST, &updates), RD_COPY_LIST);
    assert_false(updates);
    assert_int_equal(rd_fuse(w, RD_EXPAND, &updates), RD_EXPAND);
    stage_close(&s);
}

/* Fails unless this runs in the places of MOVE and INDEX of the first list. */
static void assert_fused(struct stage *s, enum rd_pass of_move, enum rd_pass of_index)
{
    const struct rd_world *const w = &s->sim.world;
    bool updates = false;
    rd_lists_choose(&s->sim, 0);
    assert_int_equal(rd_fuse(w, RD_MOVE, &updates), of_move);
    assert_int_equal(rd_fuse(w, RD_INDEX, &updates), of_index);
    assert_int_equal(rd_fuses_sort(w), of_index != RD_INDEX);
    for (enum rd_pass pass = 0; pass < RD_N_PASSES; pass++)
        if (pass != RD_MOVE && pass != RD_INDEX && pass != RD_MAINTAIN)
            assert_int_equal(rd_fuse(w, pass, &updates), pass);
}

/* Checks in which models the GPU moves and sorts individuals in one pass. */
static void individuals_that_move_alike_everywhere_move_and_sort(void **state)
{
    (void)state;
    static const struct {
        const char *walls, *moves;
        enum rd_pass of_move, of_index;
    } cases[] = {
        {"x = \"periodic\"; y = \"periodic\";", "diffusion = 1;", RD_NO_PASS, RD_MOVE_AND_SORT},
        {"x = \"periodic\"; y = \"periodic\";", "diffusion = 1; drift = (0.5, 0);", RD_NO_PASS,
         RD_MOVE_AND_SORT},
        {"x = \"periodic\";", "diffusion = 1;", RD_MOVE, RD_SORT_BY_VOXEL},
        {"x = \"periodic\"; y = \"absorb\";", "diffusion = 1;", RD_MOVE, RD_INDEX},
        {"x = \"periodic\"; y = \"periodic\";", "", RD_MOVE, RD_SORT_BY_VOXEL},
        {"x = \"periodic\"; y = \"periodic\";", "diffusion = \"1 + x\";", RD_MOVE,
         RD_SORT_BY_VOXEL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[600];
        struct stage s;
        snprintf(text, sizeof text,
                 "grid = { voxels = (30, 20); edge = 1.0; walls = { %s }; };\n"
                 "species = ( { name = \"A\"; individuals = { max = 1000; }; %s } );\n"
                 "time = { end = 9.0; step = 0.1; };\n",
                 cases[i].walls, cases[i].moves);
        stage_open_text(&s, text, 1);
        assert_fused(&s, cases[i].of_move, cases[i].of_index);
        s.sim.world.runs.n_frozen = 1; /* a run may be frozen */
        assert_fused(&s, RD_MOVE,
                     cases[i].of_index == RD_MOVE_AND_SORT ? RD_SORT_BY_VOXEL : cases[i].of_index);
        s.sim.world.runs.n_frozen = 0;
        stage_close(&s);
    }
}

/* Checks the limits of the density at 600 voxels: 8 voxels for one individual, 4096 individuals in
   a voxel. */
static void sparse_and_dense_lists_are_sorted_plainly(void **state)
{
    (void)state;
    static const struct {
        int64_t reach;
        bool is_fused;
    } cases[] = {{74, false}, {75, true}, {4096 * 600, true}, {4096 * 600 + 1, false}};
    struct stage s;
    stage_open_text(&s, two_lists, 0.1);
    const int64_t before = s.sim.reach[0];
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        s.sim.reach[0] = cases[i].reach;
        assert_fused(&s, cases[i].is_fused ? RD_NO_PASS : RD_MOVE,
                     cases[i].is_fused ? RD_MOVE_AND_SORT : RD_INDEX);
    }
    s.sim.reach[0] = before;
    stage_close(&s);
}

/* Checks which passes of counted species form a fused step: LAND, REACT, HOP in this order. */
static void fused_steps_end_with_hop(void **state)
{
    (void)state;
    static const struct {
        bool has_land, has_react;
        enum rd_pass pass;
        bool begins;
    } cases[] = {
        {false, false, RD_LAND, false}, {false, false, RD_REACT, false},
        {false, false, RD_HOP, false},  {true, false, RD_LAND, true},
        {true, false, RD_REACT, false}, {true, false, RD_HOP, false},
        {false, true, RD_LAND, true},   {false, true, RD_REACT, true},
        {false, true, RD_HOP, false},   {true, true, RD_LAND, true},
        {true, true, RD_REACT, true},   {true, true, RD_HOP, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_int_equal(rd_begins_fused_step(cases[i].has_land, cases[i].has_react, cases[i].pass),
                         cases[i].begins);
    struct rd_world w = {0};
    assert_true(rd_is_of_fused_step(&w, RD_LAND, false) && rd_is_of_fused_step(&w, RD_HOP, false));
    assert_false(rd_is_of_fused_step(&w, RD_REACT, false));
    assert_true(rd_is_of_fused_step(&w, RD_REACT, true));
    assert_false(rd_is_of_fused_step(&w, RD_ENTER, true));
    w.movement.has_uniformised_walks = 1;
    assert_false(rd_is_of_fused_step(&w, RD_HOP, true));
}

int test_fused(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_request_plain_passes),
        cmocka_unit_test(fused_passes_run_in_their_places),
        cmocka_unit_test(passes_before_a_pause_are_only_counted),
        cmocka_unit_test(updates_without_events_are_plain),
        cmocka_unit_test(individuals_that_move_alike_everywhere_move_and_sort),
        cmocka_unit_test(sparse_and_dense_lists_are_sorted_plainly),
        cmocka_unit_test(fused_steps_end_with_hop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
