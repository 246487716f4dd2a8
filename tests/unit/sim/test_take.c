/* test_take - the largest numbers of molecules that an event may take from voxels, and by which
   conversions may fill one. */
#include "sim/place.h"

#include "stage.h"

#include <stdlib.h>

#define REMOVE "sim/place_removal.cfg"
enum { SITES = 20, B_AT = 6 };

/* Places the start of the model and applies its event in the first run. Returns the messages, or
   NULL; then left[] has the counts of A and B at the sites. */
static char *take(const char *const *sets, int32_t left[2][SITES])
{
    struct stage s;
    struct rd_error e = {0};
    struct rd_placements placements = {0};
    stage_plan(&s, REMOVE, sets);
    const int64_t n = s.plan.world.lattice.n_voxels;
    int32_t *const count = calloc((size_t)n * 2, sizeof *count);
    assert_non_null(count);
    struct rd_host_counts counts = rd_host_counts_of(&s.plan, count);
    assert_true(rd_place_start(&s.plan, s.model.value, &counts, &placements, &e));
    const struct rd_occasion seven = {
        .event = s.model.event, .time = 0.5, .step = 9, .value = (const double[]){7}};
    assert_true(rd_place_event(&s.plan, &seven, &counts, &placements, &e) == (e.n == 0));
    for (int species = 0; species < 2; species++)
        memcpy(left[species], count + species * n, sizeof left[species]);
    rd_placements_free(&placements);
    free(count);
    stage_close(&s);
    return e.text;
}

static void assert_refused(const char *const *sets, const char *words)
{
    int32_t left[2][SITES];
    char *const messages = take(sets, left);
    assert_contains(messages, words);
    free(messages);
}

static void each_voxel_gives_all_it_has(void **state)
{
    (void)state;
    int32_t left[2][SITES];
    assert_null(take(SETS("events[0].remove={ species = \"A\"; each = 10; }"), left));
    for (int site = 0; site < SITES; site++)
        assert_int_equal(left[0][site], 0);
    assert_refused(SETS("events[0].remove={ species = \"A\"; each = 11; }"),
                   "11 molecules of 'A' are to be removed at t = 0.5 in voxel number 0, but there "
                   "are only 10 in run 0");
}

static void shares_are_at_most_all(void **state)
{
    (void)state;
    int32_t left[2][SITES];
    assert_null(take(SETS("events[0].remove={ species = \"A\"; fraction = \"8 - n\"; }"), left));
    assert_int_equal(left[0][0], 0);
    assert_refused(SETS("events[0].remove={ species = \"A\"; probability = \"8.5 - n\"; }"),
                   "'8.5 - n' is 1.5; give a number from 0 to 1");
    assert_refused(SETS("events[0].remove={ species = \"A\"; fraction = \"n - 7.5\"; }"),
                   "'n - 7.5' is -0.5; give a number from 0 to 1");
}

static void conversions_fill_a_voxel(void **state)
{
    (void)state;
    static const char *const convert = "events=( { time = 0.5; convert = { equation = \"A -> B\"; "
                                       "all = true; in = \"l\"; }; } )";
    int32_t left[2][SITES];
    assert_null(take(SETS("initial=( { species = \"A\"; value = 1; }, "
                          "{ species = \"B\"; count = 2147483646; voxel = (1, 1); } )",
                          convert),
                     left));
    assert_int_equal(left[1][B_AT], INT32_MAX);
    assert_int_equal(left[0][B_AT], 0);
    assert_refused(SETS("initial=( { species = \"A\"; value = 1; }, "
                        "{ species = \"B\"; count = 2147483647; voxel = (1, 1); } )",
                        convert),
                   "one voxel gets more than 2147483647 molecules of 'B'; convert fewer");
}

int test_take(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_voxel_gives_all_it_has),
        cmocka_unit_test(shares_are_at_most_all),
        cmocka_unit_test(conversions_fill_a_voxel),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
