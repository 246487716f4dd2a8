/* test_fused - the plain passes that a step requests, and what runs on a machine with fused passes.
   The back end of the test only records. */
#include "kernels/core/fused_passes.h"
#include "sim/step.h"
#include "stage.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* List 0 (A) moves by the same displacement distributions everywhere, list 1 (B) does not. */
static const char two_lists[] = "sim/fused_lists.cfg";

/* Describes the passes of one step that run, as text: "number:PASS/list", where a pass of all lists
   has the list that was selected last. It takes the place of a machine. */
struct diary {
    char text[2000];
    size_t length;
    rd_fuser *fuser; /* NULL: the machine has no fused passes */
};

#define NAME(NUMBER, ...) #NUMBER,
static const char *const names[] = {RD_PASSES(NAME) RD_LIST_PASSES(NAME) "", RD_FUSED(NAME)};
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

static void note(struct diary *d, const struct rd_world *w, enum rd_pass pass)
{
    append(d, "%lld:%s/%d ", (long long)w->pass.step_clock->pass, names[pass], w->lists.at_list);
}

static void note_fused(void *to, enum rd_pass pass, const struct rd_request *request, int n)
{
    note(to, &request[n - 1].world, pass);
}

static void note_pass(rd_machine *m, const struct rd_world *w, enum rd_pass pass)
{
    struct diary *const d = (struct diary *)m;
    struct rd_world with_long_lists = *w; /* the passes of short lists are not fused */
    with_long_lists.lists.reach = RD_SHORT_LIST + 1;
    if (d->fuser)
        rd_fuser_take(d->fuser, &with_long_lists, pass, (struct rd_fusible){0});
    else
        note(d, w, pass);
}

static const struct rd_backend writer = {.name = "writer", .run = note_pass};

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
    if (d->fuser)
        rd_fuser_end(d->fuser);
    return sim.step_clock.pass;
}

/* The plain passes of the step: up to the update, the update from MAINTAIN to REINDEX, the rest of
   it, and the movement. */
#define COUNTING "1:RESERVE/0 2:REACT/0 3:CHECK_CAPACITY/0 4:CHECK_CAPACITY/1 "

#define PLAIN_UPDATE                                                                               \
    "5:MAINTAIN/1 6:COUNT_RUN/1 7:ROLL_BACK/1 "                                                    \
    "8:SCAN_BIRTHS/0 9:EXPAND/0 10:SCAN_OFFSETS/0 "                                                \
    "11:SCAN_BIRTHS/1 12:EXPAND/1 13:SCAN_OFFSETS/1 "                                              \
    "14:CHECK_MAXIMUM/1 15:PLACE_BIRTHS/1 16:REDUCE/0 17:REDUCE/1 18:REFILL/1 "                    \
    "19:FINISH_LINEAGE/1 20:REINDEX/0 21:REINDEX/1 "

#define PLAIN_REST                                                                                 \
    "22:COPY_LIST/0 23:COPY_LIST/1 24:RETURN_SLOTS/0 25:RETURN_SLOTS/1 26:COMMIT_LISTS/1 "

#define PLAIN_MOVEMENT                                                                             \
    "27:MOVE/0 28:MOVE/1 29:HOP/1 30:ENTER/1 31:LAND/1 "                                           \
    "32:SORT/0 33:INDEX/0 34:SORT/1 35:INDEX/1 "

#define PLAIN_END "36:RETURN_SLOTS/0 37:RETURN_SLOTS/1 38:COMMIT_LISTS/1 39:TALLY/1 "
enum { N_PLAIN = 39 };

static void steps_request_plain_passes(void **state)
{
    (void)state;
    struct stage s;
    struct diary d = {0};
    stage_open(&s, two_lists, NULL, 0.1);
    assert_int_equal(record_step(&d, &s, -1), N_PLAIN);
    assert_string_equal(d.text, COUNTING PLAIN_UPDATE PLAIN_REST PLAIN_MOVEMENT PLAIN_END);
    stage_close(&s);
}

/* Checks the passes that fused passes replace: the update is one pass, list A moves in the place of
   its INDEX, and list B is only sorted so. Counted species do not move. */
static void fused_passes_run_in_the_place_of_their_last_pass(void **state)
{
    (void)state;
    static const char expected[] =
        COUNTING "21:UPDATE_LISTS/1 " PLAIN_REST
                 "28:MOVE/1 33:MOVE_AND_SORT/0 35:SORT_BY_VOXEL/1 " PLAIN_END;
    struct stage s;
    struct diary d = {.fuser = rd_fuser_open(note_fused, &d)};
    stage_open(&s, two_lists, NULL, 0.1);
    for (int i = 0; i < 2; i++) { /* the second step begins as the first one */
        assert_int_equal(record_step(&d, &s, -1), N_PLAIN);
        assert_string_equal(d.text, expected);
    }
    stage_close(&s);
    rd_fuser_close(d.fuser);
}

/* Checks that a repeated step runs no pass, and that passes after the pause run as without one. */
static void passes_before_a_pause_are_only_counted(void **state)
{
    (void)state;
    static const struct {
        int64_t done;
        const char *first;
    } cases[] = {{N_PLAIN - 1, "39:TALLY/1 "},
                 {4, "21:UPDATE_LISTS/1 22:COPY_LIST/0 "},
                 {19, "20:REINDEX/0 21:REINDEX/1 22:COPY_LIST/0 "},
                 {27, "28:MOVE/1 33:SORT_BY_VOXEL/0 35:SORT_BY_VOXEL/1 "}};
    struct stage s;
    struct diary d = {.fuser = rd_fuser_open(note_fused, &d)};
    stage_open(&s, two_lists, NULL, 0.1);
    assert_int_equal(record_step(&d, &s, N_PLAIN), N_PLAIN);
    assert_int_equal(d.length, 0);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_int_equal(record_step(&d, &s, cases[i].done), N_PLAIN);
        if (strncmp(d.text, cases[i].first, strlen(cases[i].first)) != 0)
            fail_msg("after pass %d: %s", (int)cases[i].done, d.text);
    }
    stage_close(&s);
    rd_fuser_close(d.fuser);
}

/* Checks in which models individuals move and are sorted in one pass. */
static void individuals_that_move_alike_everywhere_move_and_sort(void **state)
{
    (void)state;
    static const struct {
        const char *set, *expected;
    } cases[] = {
        {"species.A.diffusion=1", "6:MOVE_AND_SORT/0 "},
        {"species.A.drift=(0.5, 0)", "6:MOVE_AND_SORT/0 "},
        {"grid.walls.y=reflect", "1:MOVE/0 6:SORT_BY_VOXEL/0 "},
        {"grid.walls.y=absorb", "1:MOVE/0 5:SORT/0 6:INDEX/0 "},
        {"species.A.diffusion=0", NULL},
        {"species.A.diffusion=1 + x", "1:MOVE/0 6:SORT_BY_VOXEL/0 "},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct stage s;
        struct diary d = {.fuser = rd_fuser_open(note_fused, &d)};
        stage_open(&s, "sim/fused_moves.cfg", SETS(cases[i].set), 1);
        record_step(&d, &s, -1);
        if (!cases[i].expected)
            assert_null(strstr(d.text, "MOVE"));
        else if (strncmp(d.text, cases[i].expected, strlen(cases[i].expected)) != 0)
            fail_msg("%s: %s", cases[i].set, d.text);
        stage_close(&s);
        rd_fuser_close(d.fuser);
    }
}

/* Checks that reactions of species in rows follow their movement in one pass. */
static void rows_react_where_they_land(void **state)
{
    (void)state;
    static const char text[] =
        "grid = { voxels = (4, 4); edge = 1.0; }; time = { end = 1.0; step = 0.1; };"
        "species = ( { name = \"A\"; diffusion = 1.0; store = \"list\"; } );"
        "reactions = ( { equation = \"A -> 0\"; rate = 1.0; } );";
    struct stage s;
    struct diary d = {0};
    stage_open_text(&s, text, 0.1);
    record_step(&d, &s, -1);
    assert_string_equal(d.text, "1:HOP_ROWS/0 1:LINK_ARRIVALS/0 1:LAND_ROWS/0 1:CLOSE_ROWS/0 "
                                "2:REACT_ROWS/0 ");
    d.fuser = rd_fuser_open(note_fused, &d);
    record_step(&d, &s, -1);
    assert_string_equal(d.text, "1:HOP_ROWS/0 1:LINK_ARRIVALS/0 2:REACT_LANDED/0 ");
    rd_fuser_close(d.fuser);
    stage_close(&s);
}

int test_fused(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_request_plain_passes),
        cmocka_unit_test(fused_passes_run_in_the_place_of_their_last_pass),
        cmocka_unit_test(passes_before_a_pause_are_only_counted),
        cmocka_unit_test(individuals_that_move_alike_everywhere_move_and_sort),
        cmocka_unit_test(rows_react_where_they_land),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
