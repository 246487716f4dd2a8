/* test_fused_passes - the recogniser of fused passes: which sequences of plain passes run as fused
   ones, in which places, and what ends a sequence before it is complete. */
#include "kernels/core/fused_passes.h"

#include "probability.h"

#include <stdio.h>
#include <string.h>

/* Sets lists that are not short. */
enum { VOXELS = 500000, INDIVIDUALS = 1000000, LISTS = 2 };

/* Holds a fuser, what ran, and the world of the requested passes. Passes run as text: "PASS/list ",
   with the list of its last part, or "FUSED(parts)/list ". */
struct pass_trial {
    rd_fuser *fuser;
    char text[2000];
    struct rd_world world;
    struct rd_step_clock step_clock;
    struct rd_fusible can;
};

#define NAME(NUMBER, ...) #NUMBER,
static const char *const names[] = {RD_PASSES(NAME) RD_LIST_PASSES(NAME) "", RD_FUSED(NAME)};
#undef NAME

static void append(struct pass_trial *t, const char *text)
{
    assert_true(strlen(t->text) + strlen(text) < sizeof t->text);
    strcat(t->text, text);
}

/* Records a pass. Its requests have copies of the step clocks, in their order. */
static void note(void *to, enum rd_pass pass, const struct rd_request *request, int n)
{
    struct pass_trial *const t = to;
    char list[16];
    assert_true(n > 0 && (pass > RD_N_PASSES || (n == 1 && request[0].pass == pass)));
    for (int i = 0; i < n; i++) {
        assert_ptr_equal(request[i].world.pass.step_clock, &request[i].step_clock);
        assert_true(i == 0 || request[i].step_clock.pass > request[i - 1].step_clock.pass);
    }
    append(t, names[pass]);
    for (int i = 0; pass == RD_FUSED_STEP && i < n; i++) {
        append(t, i > 0 ? "," : "(");
        append(t, names[request[i].pass]);
        append(t, i == n - 1 ? ")" : "");
    }
    snprintf(list, sizeof list, "/%d ", request[n - 1].world.lists.at_list);
    append(t, list);
}

/* Begins with counted species that react and move, and two lists that move alike. */
static void trial_open(struct pass_trial *t)
{
    *t = (struct pass_trial){.can = {true, true}};
    assert_non_null(t->fuser = rd_fuser_open(note, t));
    struct rd_world *const w = &t->world;
    w->lattice.n_voxels = VOXELS;
    w->lattice.n_runs = 1;
    w->items.n_reacting = w->items.n_moving = w->items.n_maintained = w->items.n_tallied = VOXELS;
    w->lists.n_list = LISTS;
    w->lists.reach = w->lists.n_newborn = INDIVIDUALS;
    w->lists.now.moves_alike = 1;
    w->pass.step_clock = &t->step_clock;
}

static void trial_close(struct pass_trial *t)
{
    rd_fuser_close(t->fuser);
}

static void take(struct pass_trial *t, enum rd_pass pass, int32_t list)
{
    t->step_clock.pass++;
    t->world.lists.at_list = list;
    rd_fuser_take(t->fuser, &t->world, pass, t->can);
}

/* Takes passes for list 0. */
static void take_all(struct pass_trial *t, const enum rd_pass *pass, int n)
{
    for (int i = 0; i < n; i++)
        take(t, pass[i], 0);
}
#define TAKE(t, ...)                                                                               \
    take_all(t, (const enum rd_pass[]){__VA_ARGS__},                                               \
             sizeof(const enum rd_pass[]){__VA_ARGS__} / sizeof(enum rd_pass))

/* Fails unless exactly this ran since the last call, and so many passes are held. */
static void assert_ran(struct pass_trial *t, const char *expected, int held)
{
    assert_string_equal(t->text, expected);
    assert_int_equal(rd_fuser_held(t->fuser), held);
    *t->text = 0;
}

/* ---- fused steps ---- */

static void fused_steps_cross_steps_of_time(void **state)
{
    (void)state;
    struct pass_trial t;
    trial_open(&t);
    t.world.items.n_maintained = t.world.lists.n_list = 0;
    TAKE(&t, RD_REACT, RD_HOP); /* the first step begins with half a reaction */
    assert_ran(&t, "FUSED_STEP(REACT,HOP)/0 ", 0);
    for (uint32_t step = 0; step < 3; step++) {
        t.step_clock.step = step;
        TAKE(&t, RD_ENTER, RD_LAND, RD_REACT); /* ENTER has no items */
        assert_ran(&t, "", 2);
        t.step_clock.step = step + 1;
        TAKE(&t, RD_HOP);
        assert_ran(&t, "FUSED_STEP(LAND,REACT,HOP)/0 ", 0);
    }
    trial_close(&t);
}

static void parts_of_fused_steps_keep_their_order(void **state)
{
    (void)state;
    struct pass_trial t;
    trial_open(&t);
    TAKE(&t, RD_HOP, RD_LAND, RD_LAND, RD_HOP, RD_REACT, RD_LAND, RD_REACT, RD_REACT);
    assert_ran(&t,
               "FUSED_STEP(HOP)/0 FUSED_STEP(LAND)/0 FUSED_STEP(LAND,HOP)/0 "
               "FUSED_STEP(REACT)/0 FUSED_STEP(LAND,REACT)/0 ",
               1);
    TAKE(&t, RD_LAND);
    rd_fuser_end(t.fuser);
    assert_ran(&t, "FUSED_STEP(REACT)/0 FUSED_STEP(LAND)/0 ", 0);
    trial_close(&t);
}

/* Tests every pass between LAND, REACT and HOP, such as those of outputs, stop conditions and
   events: with items it ends the fused step, and without items it does nothing. */
static void other_passes_end_fused_steps(void **state)
{
    (void)state;
    for (enum rd_pass pass = 0; pass < RD_N_PASSES; pass++) {
        struct pass_trial t;
        char expected[200];
        const bool is_part = pass == RD_LAND || pass == RD_REACT || pass == RD_HOP;
        const bool is_held = pass == RD_MOVE || pass == RD_SORT || pass == RD_MAINTAIN;
        if (is_part || is_held)
            continue;
        trial_open(&t);
        const bool has_items = rd_has_items(&t.world, pass);
        TAKE(&t, RD_LAND, RD_REACT, pass, RD_HOP);
        snprintf(expected, sizeof expected,
                 has_items ? "FUSED_STEP(LAND,REACT)/0 %s/0 FUSED_STEP(HOP)/0 "
                           : "FUSED_STEP(LAND,REACT,HOP)/0 ",
                 names[pass]);
        assert_ran(&t, expected, 0);
        trial_close(&t);
    }
}

static void passes_with_items_end_fused_steps(void **state)
{
    (void)state;
    struct pass_trial t;
    trial_open(&t);
    t.world.items.n_inlets = t.world.items.n_tested = t.world.items.n_summed = 1;
    t.world.runs.n_total = t.world.runs.n_stopped = 1;
    TAKE(&t, RD_LAND, RD_REACT, RD_CLEAR_TOTALS, RD_SUM_TOTALS, RD_STOP_RUN, RD_TEST_EVENTS, RD_HOP,
         RD_ENTER, RD_LAND);
    assert_ran(&t,
               "FUSED_STEP(LAND,REACT)/0 CLEAR_TOTALS/0 SUM_TOTALS/0 STOP_RUN/0 TEST_EVENTS/0 "
               "FUSED_STEP(HOP)/0 ENTER/0 ",
               1);
    trial_close(&t);
}

/* Tests the end of all sequences: a back end ends them before an output, a checkpoint, a host that
   reads, and a graph. */
static void nothing_is_held_after_an_end(void **state)
{
    (void)state;
    struct pass_trial t;
    trial_open(&t);
    TAKE(&t, RD_LAND, RD_REACT, RD_MOVE);
    assert_ran(&t, "", 3);
    rd_fuser_end(t.fuser);
    assert_ran(&t, "FUSED_STEP(LAND,REACT)/0 MOVE/0 ", 0);
    rd_fuser_end(t.fuser);
    TAKE(&t, RD_HOP, RD_SORT, RD_INDEX);
    assert_ran(&t, "FUSED_STEP(HOP)/0 SORT_BY_VOXEL/0 ", 0);
    TAKE(&t, RD_LAND, RD_MOVE, RD_SORT); /* SORT ends the older of two sequences */
    assert_ran(&t, "FUSED_STEP(LAND)/0 ", 2);
    TAKE(&t, RD_INDEX);
    assert_ran(&t, "MOVE_AND_SORT/0 ", 0);
    TAKE(&t, RD_LAND, RD_MOVE);
    rd_fuser_end_parts(t.fuser); /* to measure the time of LAND */
    assert_ran(&t, "FUSED_STEP(LAND)/0 ", 1);
    trial_close(&t); /* what is held is dropped */
}

static void fused_steps_need_suitable_passes(void **state)
{
    (void)state;
    struct pass_trial t;
    trial_open(&t);
    t.can.reacts = false;
    TAKE(&t, RD_LAND, RD_REACT, RD_HOP);
    assert_ran(&t, "FUSED_STEP(LAND)/0 REACT/0 FUSED_STEP(HOP)/0 ", 0);
    t.can.reacts = true;
    t.world.movement.has_uniformised_walks = 1;
    TAKE(&t, RD_LAND, RD_REACT, RD_HOP);
    assert_ran(&t, "FUSED_STEP(LAND,REACT)/0 HOP/0 ", 0);
    t.world.movement.has_uniformised_walks = 0;
    t.can.steps = false;
    TAKE(&t, RD_LAND, RD_REACT, RD_HOP);
    assert_ran(&t, "LAND/0 REACT/0 HOP/0 ", 0);
    t.can.steps = true;
    t.world.items.n_reacting = 0;
    TAKE(&t, RD_LAND, RD_REACT, RD_HOP);
    assert_ran(&t, "FUSED_STEP(LAND,HOP)/0 ", 0);
    t.world.items.n_moving = 0;
    TAKE(&t, RD_LAND, RD_REACT, RD_HOP);
    assert_ran(&t, "", 0);
    trial_close(&t);
}

/* ---- movement and sorts of lists ---- */

/* Takes a movement of two lists. */
static void take_movement(struct pass_trial *t, int alike_0, int alike_1)
{
    const int alike[LISTS] = {alike_0, alike_1};
    for (int32_t list = 0; list < LISTS; list++) {
        t->world.lists.now.moves_alike = alike[list];
        take(t, RD_MOVE, list);
    }
    TAKE(t, RD_HOP, RD_ENTER, RD_LAND);
    for (int32_t list = 0; list < LISTS; list++) {
        t->world.lists.now.moves_alike = alike[list];
        take(t, RD_SORT, list);
        take(t, RD_INDEX, list);
    }
    take(t, RD_TALLY, 1);
}

static void lists_move_in_the_place_of_their_index(void **state)
{
    (void)state;
    struct pass_trial t;
    trial_open(&t);
    TAKE(&t, RD_REACT);
    take_movement(&t, 1, 1);
    assert_ran(&t,
               "FUSED_STEP(REACT,HOP)/0 FUSED_STEP(LAND)/0 MOVE_AND_SORT/0 MOVE_AND_SORT/1 "
               "TALLY/1 ",
               0);
    TAKE(&t, RD_REACT);
    take_movement(&t, 1, 0);
    assert_ran(&t,
               "FUSED_STEP(REACT)/0 MOVE/1 FUSED_STEP(HOP)/0 FUSED_STEP(LAND)/0 "
               "MOVE_AND_SORT/0 SORT_BY_VOXEL/1 TALLY/1 ",
               0);
    t.can.steps = false;
    t.world.items.n_inlets = 1;
    take_movement(&t, 0, 1);
    assert_ran(&t, "MOVE/0 HOP/0 ENTER/0 LAND/0 SORT_BY_VOXEL/0 MOVE_AND_SORT/1 TALLY/1 ", 0);
    t.world.items.n_inlets = 0;
    t.world.counts.n_lost = 1; /* a wall removes individuals */
    take_movement(&t, 1, 1);
    assert_ran(&t, "MOVE/0 MOVE/1 HOP/0 LAND/0 SORT/0 INDEX/0 SORT/1 INDEX/1 TALLY/1 ", 0);
    t.world.counts.n_lost = 0;
    t.world.runs.n_frozen = 1; /* a run may be frozen */
    take_movement(&t, 1, 1);
    assert_ran(&t, "MOVE/0 MOVE/1 HOP/0 LAND/0 SORT_BY_VOXEL/0 SORT_BY_VOXEL/1 TALLY/1 ", 0);
    trial_close(&t);
}

/* Tests the limits of the density: 8 voxels for one individual, 4096 individuals in a voxel. */
static void sparse_and_dense_lists_are_sorted_plainly(void **state)
{
    (void)state;
    static const struct {
        int64_t reach;
        const char *expected;
    } cases[] = {{0, "INDEX/0 "},
                 {VOXELS / 8 - 1, "MOVE/0 SORT/0 INDEX/0 "},
                 {VOXELS / 8, "MOVE_AND_SORT/0 "},
                 {4096 * VOXELS, "MOVE_AND_SORT/0 "},
                 {4096 * VOXELS + 1, "MOVE/0 SORT/0 INDEX/0 "}};
    struct pass_trial t;
    trial_open(&t);
    t.world.lists.n_list = 1;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        t.world.lists.reach = cases[i].reach;
        TAKE(&t, RD_MOVE, RD_SORT, RD_INDEX);
        assert_ran(&t, cases[i].expected, 0);
    }
    trial_close(&t);
}

/* Tests that plain passes of several short lists are left to run beside each other. */
static void short_lists_are_sorted_plainly(void **state)
{
    (void)state;
    struct pass_trial t;
    trial_open(&t);
    t.world.lists.reach = RD_SHORT_LIST;
    TAKE(&t, RD_MOVE, RD_SORT, RD_INDEX);
    assert_ran(&t, "MOVE/0 SORT/0 INDEX/0 ", 0);
    t.world.lists.reach = RD_SHORT_LIST + 1;
    TAKE(&t, RD_MOVE, RD_SORT, RD_INDEX);
    assert_ran(&t, "MOVE_AND_SORT/0 ", 0);
    trial_close(&t);
}

/* Tests passes that a movement of a list cannot be exchanged with. */
static void other_passes_end_movements(void **state)
{
    (void)state;
    struct pass_trial t;
    trial_open(&t);
    TAKE(&t, RD_MOVE, RD_TALLY, RD_SORT, RD_INDEX);
    assert_ran(&t, "MOVE/0 TALLY/0 SORT_BY_VOXEL/0 ", 0);
    TAKE(&t, RD_MOVE, RD_SORT, RD_TALLY, RD_INDEX);
    assert_ran(&t, "MOVE/0 SORT/0 TALLY/0 INDEX/0 ", 0);
    TAKE(&t, RD_MOVE, RD_REACT, RD_SORT, RD_MOVE, RD_INDEX);
    assert_ran(&t, "MOVE/0 FUSED_STEP(REACT)/0 SORT/0 MOVE/0 INDEX/0 ", 0);
    take(&t, RD_SORT, 0);
    take(&t, RD_INDEX, 1); /* the index of another list */
    assert_ran(&t, "SORT/0 INDEX/1 ", 0);
    trial_close(&t);
}

/* ---- rows ---- */

static void rows_land_and_react_at_once(void **state)
{
    (void)state;
    struct pass_trial t;
    trial_open(&t);
    t.world.rows.n_row = VOXELS;
    t.world.rows.n_capacity = 1;
    t.world.items.n_maintained = 0;
    TAKE(&t, RD_LAND_ROWS, RD_CLOSE_ROWS);
    assert_ran(&t, "", 2);
    TAKE(&t, RD_REACT_ROWS);
    assert_ran(&t, "REACT_LANDED/0 ", 0);
    TAKE(&t, RD_LAND_ROWS, RD_CLOSE_ROWS, RD_HOP_ROWS, RD_REACT_ROWS);
    assert_ran(&t, "LAND_ROWS/0 CLOSE_ROWS/0 HOP_ROWS/0 REACT_ROWS/0 ", 0);
    t.world.items.n_maintained = VOXELS; /* individuals react, too */
    TAKE(&t, RD_LAND_ROWS, RD_CLOSE_ROWS, RD_REACT_ROWS);
    assert_ran(&t, "LAND_ROWS/0 CLOSE_ROWS/0 REACT_ROWS/0 ", 0);
    trial_close(&t);
}

static void steps_of_rows_are_fused_unless_they_are_declined(void **state)
{
    (void)state;
    struct pass_trial t;
    trial_open(&t);
    t.can.rows = true;
    t.world.rows.n_row = t.world.rows.n_outbox = VOXELS;
    t.world.rows.n_capacity = 1;
    t.world.items.n_maintained = 0;
    TAKE(&t, RD_HOP_ROWS, RD_LINK_ARRIVALS, RD_LAND_ROWS, RD_CLOSE_ROWS);
    assert_ran(&t, "", 4);
    TAKE(&t, RD_REACT_ROWS);
    assert_ran(&t, "ROW_STEP/0 ", 0);
    TAKE(&t, RD_HOP_ROWS, RD_LINK_ARRIVALS, RD_TALLY, RD_LAND_ROWS, RD_CLOSE_ROWS, RD_REACT_ROWS);
    assert_ran(&t, "HOP_ROWS/0 LINK_ARRIVALS/0 TALLY/0 REACT_LANDED/0 ", 0);
    t.world.rows.declines = 1;
    TAKE(&t, RD_HOP_ROWS, RD_LINK_ARRIVALS, RD_LAND_ROWS, RD_CLOSE_ROWS, RD_REACT_ROWS);
    assert_ran(&t, "HOP_ROWS/0 LINK_ARRIVALS/0 REACT_LANDED/0 ", 0);
    trial_close(&t);
}

/* ---- updates of lists ---- */

static const enum rd_pass per_list[3][3] = {
    {RD_SCAN_BIRTHS, RD_EXPAND, RD_SCAN_OFFSETS}, {RD_REDUCE}, {RD_REINDEX}};

static void take_each(struct pass_trial *t, int group, int n)
{
    for (int32_t list = 0; list < t->world.lists.n_list; list++)
        for (int i = 0; i < n; i++)
            take(t, per_list[group][i], list);
}

/* Takes an update without its MAINTAIN. */
static void take_update(struct pass_trial *t)
{
    TAKE(t, RD_COUNT_RUN, RD_ROLL_BACK);
    take_each(t, 0, 3);
    TAKE(t, RD_CHECK_MAXIMUM, RD_PLACE_BIRTHS);
    take_each(t, 1, 1);
    TAKE(t, RD_REFILL, RD_FINISH_LINEAGE);
    take_each(t, 2, 1);
}

static void updates_of_lists_are_one_pass(void **state)
{
    (void)state;
    struct pass_trial t;
    trial_open(&t);
    for (int64_t n = 1; n <= 9; n++) {
        char expected[100];
        t.world.lists.n_list = n;
        TAKE(&t, RD_RESERVE, RD_CHECK_CAPACITY, RD_MAINTAIN);
        take_update(&t);
        TAKE(&t, RD_COMMIT_LISTS);
        snprintf(expected, sizeof expected, "UPDATE_LISTS/%d COMMIT_LISTS/0 ", (int)n - 1);
        assert_ran(&t, expected, 0);
    }
    trial_close(&t);
}

/* Tests updates that begin in the middle, as after placing individuals, or are not complete. */
static void incomplete_updates_are_plain(void **state)
{
    (void)state;
    static const char rest[] = "SCAN_BIRTHS/0 EXPAND/0 SCAN_OFFSETS/0 CHECK_MAXIMUM/0 "
                               "PLACE_BIRTHS/0 REDUCE/0 REFILL/0 REINDEX/0 ";
    struct pass_trial t;
    trial_open(&t);
    t.world.lists.n_list = 1;
    take_update(&t);
    assert_ran(&t, rest, 0);
    TAKE(&t, RD_MAINTAIN, RD_COUNT_RUN, RD_ROLL_BACK, RD_SCAN_BIRTHS);
    assert_ran(&t, "", 4);
    rd_fuser_end(t.fuser);
    TAKE(&t, RD_EXPAND);
    assert_ran(&t, "MAINTAIN/0 SCAN_BIRTHS/0 EXPAND/0 ", 0);
    TAKE(&t, RD_MAINTAIN, RD_ROLL_BACK, RD_SCAN_BIRTHS);
    assert_ran(&t, "MAINTAIN/0 SCAN_BIRTHS/0 ", 0);
    t.world.lists.n_list = 2;
    TAKE(&t, RD_MAINTAIN, RD_COUNT_RUN, RD_ROLL_BACK);
    take(&t, RD_SCAN_BIRTHS, 1); /* the second list first */
    assert_ran(&t, "MAINTAIN/0 SCAN_BIRTHS/1 ", 0);
    t.world.lattice.n_voxels = INT64_C(1) << 32;
    TAKE(&t, RD_MAINTAIN);
    assert_ran(&t, "MAINTAIN/0 ", 0);
    trial_close(&t);
}

int test_fused_passes(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fused_steps_cross_steps_of_time),
        cmocka_unit_test(parts_of_fused_steps_keep_their_order),
        cmocka_unit_test(other_passes_end_fused_steps),
        cmocka_unit_test(passes_with_items_end_fused_steps),
        cmocka_unit_test(nothing_is_held_after_an_end),
        cmocka_unit_test(fused_steps_need_suitable_passes),
        cmocka_unit_test(lists_move_in_the_place_of_their_index),
        cmocka_unit_test(sparse_and_dense_lists_are_sorted_plainly),
        cmocka_unit_test(short_lists_are_sorted_plainly),
        cmocka_unit_test(other_passes_end_movements),
        cmocka_unit_test(rows_land_and_react_at_once),
        cmocka_unit_test(steps_of_rows_are_fused_unless_they_are_declined),
        cmocka_unit_test(updates_of_lists_are_one_pass),
        cmocka_unit_test(incomplete_updates_are_plain),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
