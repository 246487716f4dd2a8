/* test_count_events - tests that react only counts events of individuals: it finds the capacity
   that they need, and changes nothing. */
#include "kernels/passes/reactions/react.h"

#include "kernels/passes/lists/capacity.h"
#include "roll.h"

#include <string.h>

/* Tests a reaction in which one individual of list 0 dies, another joins list 1, and a third stays
   and has two children in list 1. Only list 0 has a lineage. The voxel is number 1 of two; each
   list has three entries, for two voxels and their end. */
static void newborn_and_lineage_of_a_reaction_are_counted(void **state)
{
    (void)state;
    const struct rd_list list[] = {{.has_lineage = 1}, {.voxels = 3}};
    const struct rd_participant participant[] = {{.list = 1}, /* belongs to another reaction */
                                                 {.list = 0, .fate = RD_FATE_BECOME, .becomes = 1},
                                                 {.list = 0, .fate = RD_FATE_DIE},
                                                 {.list = 0, .fate = RD_FATE_STAY}};
    const struct rd_birth birth[] = {
        {.list = 1, .parent = 2}, {.list = 1, .parent = 2}, {.list = 0, .parent = -1}};
    const struct rd_channel takes = {
        .participant = 1, .n_participants = 3, .birth = 0, .n_births = 2};
    const struct rd_channel comes = {.birth = 2, .n_births = 1};
    int32_t births[6] = {0};
    const struct rd_world w = {.lists.n_list = 2,
                               .lists.list = list,
                               .reactions.participant = participant,
                               .reactions.birth = birth,
                               .lists.births = births};
    struct rd_ssa ssa = {.w = &w, .p = {.voxel = 1}};
    rd_count_newborn(&ssa, &takes);
    assert_int_equal(ssa.n_notes, 1); /* one death */
    rd_count_newborn(&ssa, &comes);
    assert_int_equal(ssa.n_notes, 2); /* and one birth */
    assert_memory_equal(births, ((const int32_t[]){0, 1, 0, 0, 3, 0}), sizeof births);
}

static void only_voxels_with_events_are_marked(void **state)
{
    (void)state;
    struct stage s;
    stage_open(&s, "passes/deaths.cfg", NULL, 1.0);
    const struct rd_world *const w = &s.sim.world;
    roll_put(&s, 0, (const int32_t[]){1, 1}, 2);
    memset(w->lists.touched, 7, 3);
    w->lists.births[0] = 9;
    *w->lists.need = (struct rd_need){0};
    for (int64_t voxel = 0; voxel < 3; voxel++)
        rd_react(w, voxel);
    assert_memory_equal(w->lists.touched, ((const uint8_t[]){0, 1, 0}), 3);
    assert_int_equal(w->lists.births[0], 0);
    const struct rd_need need = {.touched = 1};
    assert_memory_equal(w->lists.need, &need, sizeof need);
    stage_close(&s);
}

/* Tests that react restores counts and fired. */
static void dry_run_restores_counts(void **state)
{
    (void)state;
    struct stage s;
    stage_open(&s, "passes/births_and_deaths.cfg", NULL, 1.0);
    roll_put(&s, 0, (const int32_t[]){0, 0, 2}, 3);
    *stage_count(&s, 0, 1, 0) = 4;
    const struct rd_world *const w = &s.sim.world;
    int32_t count[6];
    memcpy(count, w->counts.count, sizeof count);
    *w->lists.need = (struct rd_need){0};
    const uint64_t before = roll_fingerprint(&s);
    for (int64_t voxel = 0; voxel < 3; voxel++)
        rd_react(w, voxel);
    assert_true(w->lists.need->touched > 0 && w->lists.need->newborn > 0);
    assert_memory_equal(w->counts.count, count, sizeof count);
    assert_int_equal(roll_fingerprint(&s), before);
    for (int64_t i = 0; i < w->counts.n_arrive; i++)
        assert_int_equal(w->counts.arrive[i], 0);
    for (int64_t i = 0; i < w->counts.n_fired; i++)
        assert_int_equal(w->counts.fired[i], 0);
    stage_close(&s);
}

/* Tests a propensity that is negative after three births: the births stay counted, and the counts
   keep their values. */
static void fault_in_dry_run_keeps_counts(void **state)
{
    (void)state;
    struct stage s;
    stage_open(&s, "passes/fault_after_births.cfg", NULL, 1.0);
    const struct rd_world *const w = &s.sim.world;
    roll_put(&s, 0, NULL, 0);
    *stage_count(&s, 0, 1, 2) = 5;
    rd_react(w, 2);
    assert_int_equal(w->runs.fault[RD_FAULT_PROPENSITY].number, 1);
    assert_int_equal(*stage_count(&s, 0, 0, 2), 0);
    assert_int_equal(*stage_count(&s, 0, 1, 2), 5);
    assert_int_equal(w->lists.need->newborn, 3);
    assert_true(w->counts.arrive[2] == 0 && w->counts.arrive[3 + 2] == 0);
    stage_close(&s);
}

/* Tests a rate that depends on individuals: deaths and births are simulated, but only to be
   counted. */
static void dry_run_marks_no_deaths(void **state)
{
    (void)state;
    struct stage s;
    stage_open(&s, "passes/rate_by_attribute.cfg", NULL, 1.0);
    const struct rd_world *const w = &s.sim.world;
    assert_true(w->reactions.has_attribute_rates);
    roll_put(&s, 0, (const int32_t[]){0, 0, 2}, 3);
    roll_give(&s, 0, 0, 1);
    roll_open(&s);
    rd_reserve(w, 0);
    const uint64_t before = roll_fingerprint(&s);
    for (int64_t voxel = 0; voxel < 3; voxel++)
        rd_react(w, voxel);
    assert_true(w->lists.need->touched == 3 && w->lists.need->newborn > 0);
    assert_int_equal(roll_fingerprint(&s), before);
    for (int i = 0; i < 3; i++)
        assert_int_equal(w->lists.offset[i], 0);
    stage_close(&s);
}

/* Tests that a voxel whose individuals exceed max gives a fault, at the same event with and without
   attributes in the rate. */
static void voxel_above_max_is_a_fault(void **state)
{
    (void)state;
    static const char *const rate[] = {"reactions[0].rate=9", "reactions[0].rate=9 * sum(A.w)"};
    for (int has_attribute_rates = 0; has_attribute_rates < 2; has_attribute_rates++) {
        struct stage s;
        stage_open(&s, "passes/deaths.cfg",
                   SETS("reactions[0].equation=A -> 2 A", rate[has_attribute_rates]), 1.0);
        const struct rd_world *const w = &s.sim.world;
        assert_int_equal(w->reactions.has_attribute_rates, has_attribute_rates);
        roll_put(&s, 0, (const int32_t[]){1, 1, 2}, 3);
        roll_give(&s, 0, 0, 1);
        roll_open(&s);
        rd_reserve(w, 0);
        rd_react(w, 2);
        assert_int_equal(w->runs.fault[RD_FAULT_FULL].number, 1);
        assert_int_equal(rd_fault_voxel(&w->runs.fault[RD_FAULT_FULL]), 2);
        assert_int_equal(rd_fault_what(&w->runs.fault[RD_FAULT_FULL]), 0);
        assert_int_equal(w->lists.need->newborn, 49);
        assert_int_equal(*stage_count(&s, 0, 0, 2), 1);
        stage_close(&s);
    }
}

int test_count_events(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(voxel_above_max_is_a_fault),
        cmocka_unit_test(newborn_and_lineage_of_a_reaction_are_counted),
        cmocka_unit_test(only_voxels_with_events_are_marked),
        cmocka_unit_test(dry_run_restores_counts),
        cmocka_unit_test(fault_in_dry_run_keeps_counts),
        cmocka_unit_test(dry_run_marks_no_deaths),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
