/* test_expand - tests of capacity for newborn, and of the check that all of them fit: each pass on
   the arrays of the example, and over several runs. */
#include "kernels/passes/lists/expand.h"

#include "roll.h"
#include "sim/lists.h"

#include <string.h>

static const struct roll_example *const x = &roll_example;

static void first_individual_of_a_voxel_is_shifted_by_its_births(void **state)
{
    (void)state;
    struct stage s;
    roll_example_open(&s);
    roll_example_mark(&s);
    const struct rd_world *const w = &s.sim.world;
    memcpy(w->lists.capacity, x->capacity, sizeof x->capacity);
    for (int64_t voxel = 0; voxel < ROLL_VOXELS; voxel++)
        rd_expand(w, voxel);
    assert_memory_equal(w->lists.offset, x->expanded, sizeof x->expanded);
    stage_close(&s);
}

static void scans_give_the_values_of_the_example(void **state)
{
    (void)state;
    struct stage s;
    roll_example_open(&s);
    roll_example_mark(&s);
    const struct rd_world *const w = &s.sim.world;
    assert_memory_equal(w->lists.births, x->births, sizeof x->births);
    assert_memory_equal(w->lists.flag, x->flag, sizeof x->flag);
    rd_sim_run(&s.sim, RD_SCAN_BIRTHS);
    assert_memory_equal(w->lists.capacity, x->capacity, sizeof x->capacity);
    assert_memory_equal(w->lists.births, x->ranks, sizeof x->ranks);
    assert_memory_equal(w->lists.named, x->ranks, sizeof x->ranks);
    memcpy(w->lists.offset, x->expanded, sizeof x->expanded);
    rd_sim_run(&s.sim, RD_SCAN_OFFSETS);
    assert_memory_equal(w->lists.offset, x->scanned, sizeof x->scanned);
    stage_close(&s);
}

/* Tests the number of dead before each entry: b is entry 1 and d is entry 3. */
static void dead_before_each_entry_are_counted(void **state)
{
    (void)state;
    static const int64_t dead[] = {0, 0, 1, 1, 2, 2, 2};
    struct stage s;
    roll_example_open(&s);
    roll_example_scan(&s);
    const struct rd_world *const w = &s.sim.world;
    for (int64_t i = 0; i <= ROLL_LIVE; i++)
        assert_int_equal(rd_dead_before(&w->lists, &w->lists.now, i), dead[i]);
    for (int64_t voxel = 0; voxel <= ROLL_VOXELS; voxel++)
        assert_int_equal(rd_begin_then(&w->lists, &w->lists.now, voxel), x->first_then[voxel]);
    stage_close(&s);
}

static void births_that_fit_are_numbered(void **state)
{
    (void)state;
    struct stage s;
    roll_example_open(&s);
    roll_example_scan(&s);
    const struct rd_world *const w = &s.sim.world;
    rd_check_maximum(w, 0);
    assert_int_equal(w->runs.fault[RD_FAULT_FULL].number, 0);
    assert_int_equal(w->lists.coming[0], ROLL_THEN);
    assert_int_equal(w->lists.taken[0], ROLL_MOST - ROLL_LIVE);
    assert_int_equal(w->lists.rank_base[0], 0);
    assert_int_equal(w->lists.id_base[0], ROLL_NEXT_ID);
    assert_int_equal(w->lists.id_base[1], ROLL_NEXT_ID + ROLL_BORN);
    stage_close(&s);
}

/* Tests five births near the last id: the last id can be given, one more cannot. */
static void last_id_is_assigned_but_none_beyond(void **state)
{
    (void)state;
    struct stage s;
    roll_example_open(&s);
    roll_example_scan(&s);
    const struct rd_world *const w = &s.sim.world;
    w->lists.id_base[1] = RD_ID_END - ROLL_BORN;
    rd_check_maximum(w, 0);
    assert_int_equal(w->runs.fault[RD_FAULT_NAMES].number, 0);
    w->lists.id_base[1] = RD_ID_END - ROLL_BORN + 1;
    rd_check_maximum(w, 0);
    assert_int_equal(w->runs.fault[RD_FAULT_NAMES].number, 1);
    stage_close(&s);
}

static void newborn_precede_old_individuals(void **state)
{
    (void)state;
    struct stage s;
    roll_example_open(&s);
    roll_example_mark(&s);
    roll_example_scan(&s);
    const struct rd_world *const w = &s.sim.world;
    w->lists.rank_base[0] = 3;      /* as if another list had three births before */
    w->lists.newborn[1].place = -1; /* s died in the pass of its birth; no entry has its rank */
    memset(w->lists.standing, 0xff, 8 * sizeof *w->lists.standing);
    for (int64_t i = 0; i < ROLL_BORN; i++)
        rd_place_births(w, i);
    const int32_t expected[] = {-1, -1, -1, 0, 3, 4, 5, 8};
    for (int i = 0; i < 8; i++)
        assert_int_equal(w->lists.standing[i], i == 6 ? -1 : expected[i]);
    stage_close(&s);
}

/* Tests voxels 0 1 | 2 3 | 4 5 of runs 0, 1, 2. List A has individuals in 0 2 2 3 5, of which entry
   1 dies, and births 1 0 | 0 1 | 2 0. It therefore has 2, 3, 3 individuals afterwards. List B has
   one individual in 2, and births 0 1 | 0 1 | 0 0. The ids of a run continue from A to B. */
static void each_run_numbers_its_births(void **state)
{
    (void)state;
    static const int32_t of_a[] = {0, 2, 2, 3, 5}, of_b[] = {2};
    struct stage s;
    stage_open(&s, "passes/three_runs.cfg", NULL, 1.0);
    roll_put(&s, 0, of_a, 5);
    roll_put(&s, 1, of_b, 1);
    const struct rd_world *const w = &s.sim.world;
    const int32_t ranks_a[] = {0, 1, 1, 1, 2, 4, 4}, ranks_b[] = {0, 0, 1, 1, 2, 2, 2};
    /* capacity: 1, then | 0, then 1, then 2; the living therefore shift by 1 0 0 1 3 */
    const int32_t scanned_a[] = {1, 0, 0, 1, 3}, scanned_b[] = {1};
    memcpy(w->lists.births, ranks_a, sizeof ranks_a);
    memcpy(w->lists.births + 7, ranks_b, sizeof ranks_b);
    memcpy(w->lists.named, ranks_a, sizeof ranks_a);
    memcpy(w->lists.named + 7, ranks_b, sizeof ranks_b);
    memcpy(w->lists.offset, scanned_a, sizeof scanned_a);
    memcpy(w->lists.offset + w->lists.list[1].base, scanned_b, sizeof scanned_b);
    for (int64_t run = 0; run < 3; run++)
        rd_check_maximum(w, run);
    assert_int_equal(w->runs.fault[RD_FAULT_FULL].number, 0);
    assert_int_equal(w->lists.coming[0], 8);
    assert_int_equal(w->lists.taken[0], 4);
    assert_int_equal(w->lists.coming[1], 3);
    assert_int_equal(w->lists.taken[1], 2);
    assert_int_equal(w->lists.rank_base[1], 4);
    /* the ranks of A in runs 1, 2 begin at 1, 2; those of B at 1, 2 */
    const int64_t id_base[] = {1000, 999, 998, 1001, 1000, 1000, 1002, 1002, 1002};
    assert_memory_equal(w->lists.id_base, id_base, sizeof id_base);
    stage_close(&s);
}

int test_expand(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(first_individual_of_a_voxel_is_shifted_by_its_births),
        cmocka_unit_test(scans_give_the_values_of_the_example),
        cmocka_unit_test(dead_before_each_entry_are_counted),
        cmocka_unit_test(births_that_fit_are_numbered),
        cmocka_unit_test(last_id_is_assigned_but_none_beyond),
        cmocka_unit_test(newborn_precede_old_individuals),
        cmocka_unit_test(each_run_numbers_its_births),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
