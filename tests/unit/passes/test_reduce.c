/* test_reduce - tests that the living are compacted with gaps for the newborn, and that the dead
   are moved behind: entry by entry, on the arrays of the example. */
#include "kernels/passes/lists/update_lists.h"

#include "roll.h"

#include <string.h>

static const struct roll_example *const x = &roll_example;

static void open_scanned(struct stage *s)
{
    roll_example_open(s);
    roll_example_scan(s);
    const struct rd_world *const w = &s->sim.world;
    w->lists.coming[0] = ROLL_THEN;
    w->lists.taken[0] = ROLL_MOST - ROLL_LIVE;
    memcpy(w->lists.standing, x->standing, sizeof x->standing);
    memset(w->lists.key_next, 0x11, ROLL_MOST * sizeof *w->lists.key_next);
    memset(w->lists.slot_next, 0x11, ROLL_MOST * sizeof *w->lists.slot_next);
}

/* Tests that a c d e f reach their places. The slot of b moves to the entry of t, that of d to the
   first entry of the pool. The entries of p q r s are not written. */
static void living_and_dead_move_to_their_entries(void **state)
{
    (void)state;
    static const bool is_written[] = {0, 1, 1, 0, 0, 0, 1, 1, 1, 1};
    struct stage s;
    open_scanned(&s);
    const struct rd_world *const w = &s.sim.world;
    for (int64_t i = 0; i < ROLL_LIVE; i++)
        rd_reduce(w, i);
    for (int i = 0; i < ROLL_MOST; i++) {
        const bool is_dead = i >= 8;
        assert_int_equal(w->lists.slot_next[i], is_written[i] ? x->slot[i] : 0x11111111);
        assert_int_equal(w->lists.key_next[i], is_dead         ? RD_KEY_NONE
                                               : is_written[i] ? x->key[i]
                                                               : 0x11111111);
    }
    stage_close(&s);
}

/* Tests that entries can be processed in any order, and that arrays which are read are not
   written. */
static void entries_come_in_any_order(void **state)
{
    (void)state;
    uint32_t key[ROLL_MOST], slot[ROLL_MOST];
    struct stage s;
    open_scanned(&s);
    const struct rd_world *const w = &s.sim.world;
    memcpy(key, w->lists.key, sizeof key);
    memcpy(slot, w->lists.slot, sizeof slot);
    for (int64_t i = ROLL_LIVE - 1; i >= 0; i--)
        rd_reduce(w, i);
    assert_int_equal(w->lists.slot_next[8], x->slot[8]);
    assert_int_equal(w->lists.slot_next[9], x->slot[9]);
    assert_memory_equal(w->lists.key, key, sizeof key);
    assert_memory_equal(w->lists.slot, slot, sizeof slot);
    stage_close(&s);
}

/* Tests that the slots of all dead go behind the living if the pool has enough slots for the
   newborn. */
static void slots_of_the_dead_are_reused_after_the_pool(void **state)
{
    (void)state;
    struct stage s;
    open_scanned(&s);
    const struct rd_world *const w = &s.sim.world;
    w->lists.taken[0] = ROLL_BORN;
    assert_int_equal(rd_entry_of_dead(w, &w->lists.now, 0), ROLL_THEN);
    assert_int_equal(rd_entry_of_dead(w, &w->lists.now, 1), ROLL_THEN + 1);
    w->lists.taken[0] = 3; /* two newborn take slots of the dead */
    assert_int_equal(rd_entry_of_dead(w, &w->lists.now, 0), x->standing[3]);
    assert_int_equal(rd_entry_of_dead(w, &w->lists.now, 1), x->standing[4]);
    assert_int_equal(rd_entry_of_dead(w, &w->lists.now, 2), ROLL_THEN);
    stage_close(&s);
}

int test_reduce(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(living_and_dead_move_to_their_entries),
        cmocka_unit_test(entries_come_in_any_order),
        cmocka_unit_test(slots_of_the_dead_are_reused_after_the_pool),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
