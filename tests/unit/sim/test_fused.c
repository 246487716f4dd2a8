/* test_fused - fused passes: which passes a step offers to the back end, what runs if the back end
   accepts or declines, and how passes are counted. The back end of the test only records calls. */
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

/* The calls of one step, as text: "?PASS/list" is offered, "number:PASS/list" is run, where a pass
   of all lists has the list that was selected last. It takes the place of a machine. */
struct diary {
    char text[2000];
    size_t length;
    bool declines; /* all offers */
};

#define NAME(NUMBER, ...) #NUMBER,
static const char *const names[RD_N_PASSES] = {RD_PASSES(NAME) RD_FUSED(NAME)};
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

static void note_pass(rd_machine *m, const struct rd_world *w, enum rd_pass pass)
{
    append((struct diary *)m, "%lld:%s/%d ", (long long)w->pass.step_clock->pass, names[pass],
           w->lists.at_list);
}

static void note_scan(rd_machine *m, int32_t *x, const int64_t *n, int64_t most, bool with_itself)
{
    (void)x;
    (void)n;
    (void)most;
    (void)with_itself;
    append((struct diary *)m, "scan ");
}

static void note_segments(rd_machine *m, int32_t *to, const int32_t *from, const uint8_t *flag,
                          int64_t n)
{
    (void)to;
    (void)from;
    (void)flag;
    (void)n;
    append((struct diary *)m, "segments ");
}

static void note_sort(rd_machine *m, uint32_t *key, uint32_t *value, uint32_t *key_to,
                      uint32_t *value_to, const int64_t *n, int64_t most, int bits)
{
    (void)key;
    (void)value;
    (void)key_to;
    (void)value_to;
    (void)n;
    (void)most;
    (void)bits;
    append((struct diary *)m, "sort ");
}

/* Records the offer, and accepts what the GPU would accept unless the test declines all. */
static enum rd_pass note_offer(const rd_machine *m, const struct rd_world *w,
                               const struct rd_transport *transport, enum rd_pass pass)
{
    struct diary *const d = (struct diary *)(uintptr_t)m;
    append(d, "?%s/%d ", names[pass], w->lists.at_list);
    return d->declines ? pass : rd_fused_pass(w, transport, pass);
}

#define WRITER                                                                                     \
    .name = "writer", .run = note_pass, .scan = note_scan, .scan_segments = note_segments,         \
    .sort = note_sort
static const struct rd_backend writer = {WRITER}, offered = {WRITER, .fused = note_offer};

/* Does a step of the model on a back end that records, from pass number 1 on. Passes up to `done`
   were done before a pause. Returns the number of passes. */
static int64_t record_step(struct diary *d, struct stage *s, const struct rd_backend *backend,
                           int64_t done)
{
    const struct rd_stretch stretch = {.step = 0.1, .n_steps = 4};
    struct rd_sim sim = s->sim;
    sim.backend = backend;
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

/* With what is recorded for each offer of MOVE and INDEX. */
#define PLAIN_MOVEMENT(move_0, move_1, index_0, index_1)                                           \
    move_0 "23:MOVE/0 " move_1 "24:MOVE/1 25:HOP/1 26:ENTER/1 27:LAND/1 " index_0                  \
           "sort 28:INDEX/0 " index_1 "sort 29:INDEX/1 "                                           \
           "30:RETURN_SLOTS/0 31:RETURN_SLOTS/1 32:COMMIT_LISTS/1 33:TALLY/1 "

static void all_passes_are_plain_without_fused_ones(void **state)
{
    (void)state;
    struct stage s;
    struct diary d = {0};
    stage_open_text(&s, two_lists, 0.1);
    assert_int_equal(record_step(&d, &s, &writer, -1), 33);
    assert_string_equal(d.text, COUNTING PLAIN_UPDATE PLAIN_REST PLAIN_MOVEMENT("", "", "", ""));
    stage_close(&s);
}

static void all_passes_are_plain_if_the_back_end_declines(void **state)
{
    (void)state;
    static const char expected[] = COUNTING "?MAINTAIN/1 " PLAIN_UPDATE PLAIN_REST PLAIN_MOVEMENT(
        "?MOVE/0 ", "?MOVE/1 ", "?INDEX/0 ", "?INDEX/1 ");
    struct stage s;
    struct diary d = {.declines = true};
    stage_open_text(&s, two_lists, 0.1);
    assert_int_equal(record_step(&d, &s, &offered, -1), 33);
    assert_string_equal(d.text, expected);
    stage_close(&s);
}

/* Checks the passes, scans and sorts that fused passes replace: the update is one pass, list A
   moves in the place of its INDEX, and list B is only sorted so. */
static void fused_passes_run_in_their_places(void **state)
{
    (void)state;
    static const char expected[] =
        COUNTING "?MAINTAIN/1 5:UPDATE_LISTS/1 "
                 "6:COPY_LIST/0 7:COPY_LIST/1 8:RETURN_SLOTS/0 9:RETURN_SLOTS/1 10:COMMIT_LISTS/1 "
                 "?MOVE/0 ?MOVE/1 12:MOVE/1 13:HOP/1 14:ENTER/1 15:LAND/1 "
                 "?INDEX/0 16:MOVE_AND_SORT/0 ?INDEX/1 17:SORT_BY_VOXEL/1 "
                 "18:RETURN_SLOTS/0 19:RETURN_SLOTS/1 20:COMMIT_LISTS/1 21:TALLY/1 ";
    struct stage s;
    struct diary d = {0};
    stage_open_text(&s, two_lists, 0.1);
    assert_int_equal(record_step(&d, &s, &offered, -1), 21);
    assert_string_equal(d.text, expected);
    stage_close(&s);
}

/* Checks that a repeated step counts the same passes and runs none, and that other bounds of the
   lists, for which sort and movement are plain, do not change the number. */
static void passes_keep_their_numbers_after_a_pause(void **state)
{
    (void)state;
    struct stage s;
    struct diary d = {0};
    stage_open_text(&s, two_lists, 0.1);
    assert_int_equal(record_step(&d, &s, &offered, 21), 21);
    assert_string_equal(d.text, "?MAINTAIN/1 ?MOVE/0 ?MOVE/1 ?INDEX/0 ?INDEX/1 ");
    s.sim.reach[0] = s.sim.reach[1] = 1;
    assert_int_equal(record_step(&d, &s, &offered, 21), 21);
    assert_int_equal(record_step(&d, &s, &offered, -1), 21);
    assert_non_null(strstr(d.text, "?MOVE/0 11:MOVE/0 ?MOVE/1 12:MOVE/1 13:HOP/1"));
    assert_non_null(
        strstr(d.text, "?INDEX/0 sort 16:INDEX/0 ?INDEX/1 sort 17:INDEX/1 18:RETURN_SLOTS/0"));
    stage_close(&s);
}

/* Fails unless the GPU has these fused passes for MOVE and INDEX of the first list. */
static void assert_fused(struct stage *s, enum rd_pass of_move, enum rd_pass of_index)
{
    const struct rd_world *const w = &s->sim.world;
    rd_lists_choose(&s->sim, 0);
    const struct rd_transport *const t = &s->plan.world.movement.transport[w->lists.now.species];
    assert_int_equal(rd_fused_pass(w, t, RD_MOVE), of_move);
    assert_int_equal(rd_fused_pass(w, t, RD_INDEX), of_index);
    assert_int_equal(rd_fused_pass(w, t, RD_MAINTAIN), RD_UPDATE_LISTS);
    for (enum rd_pass pass = 0; pass < RD_N_PASSES; pass++)
        if (pass != RD_MOVE && pass != RD_INDEX && pass != RD_MAINTAIN)
            assert_int_equal(rd_fused_pass(w, t, pass), pass);
}

/* Checks in which models the GPU moves and sorts individuals in one pass. */
static void individuals_that_move_alike_everywhere_move_and_sort(void **state)
{
    (void)state;
    static const struct {
        const char *walls, *moves;
        enum rd_pass of_move, of_index;
    } cases[] = {
        {"x = \"periodic\"; y = \"periodic\";", "diffusion = 1;", RD_MOVE_AND_SORT,
         RD_MOVE_AND_SORT},
        {"x = \"periodic\"; y = \"periodic\";", "diffusion = 1; drift = (0.5, 0);",
         RD_MOVE_AND_SORT, RD_MOVE_AND_SORT},
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
        assert_fused(&s, cases[i].is_fused ? RD_MOVE_AND_SORT : RD_MOVE,
                     cases[i].is_fused ? RD_MOVE_AND_SORT : RD_INDEX);
    }
    s.sim.reach[0] = before;
    stage_close(&s);
}

int test_fused(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_passes_are_plain_without_fused_ones),
        cmocka_unit_test(all_passes_are_plain_if_the_back_end_declines),
        cmocka_unit_test(fused_passes_run_in_their_places),
        cmocka_unit_test(passes_keep_their_numbers_after_a_pause),
        cmocka_unit_test(individuals_that_move_alike_everywhere_move_and_sort),
        cmocka_unit_test(sparse_and_dense_lists_are_sorted_plainly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
