/* test_refill - tests that newborn get slots, ids and attributes, that the lineage gets ids, and
   that both buffers hold the same pool: item by item, on arrays that the test writes. */
#include "kernels/passes/lists/update_lists.h"

#include "roll.h"

#include <string.h>

static const struct roll_example *const x = &roll_example;

/* Opens the example after reduce: the slot of b stands at the entry of t, that of d behind the
   living. */
static void open_reduced(struct stage *s)
{
    roll_example_open(s);
    roll_example_mark(s);
    roll_example_scan(s);
    const struct rd_world *const w = &s->sim.world;
    w->lists.coming[0] = ROLL_THEN;
    w->lists.taken[0] = ROLL_MOST - ROLL_LIVE;
    w->lists.rank_base[0] = 0;
    w->lists.id_base[0] = ROLL_NEXT_ID;
    memcpy(w->lists.standing, x->standing, sizeof x->standing);
    memcpy(w->lists.key_next, x->key, sizeof x->key);
    memcpy(w->lists.slot_next, x->slot, sizeof x->slot);
    for (int i = 0; i < ROLL_BORN; i++)
        w->lists.key_next[x->standing[i]] = RD_KEY_NONE;
    for (int i = 0; i < ROLL_BORN - 1; i++)
        w->lists.slot_next[x->standing[i]] = 0x11111111;
}

static void newborn_take_slots_of_the_pool_then_of_the_dead(void **state)
{
    (void)state;
    struct stage s;
    open_reduced(&s);
    const struct rd_world *const w = &s.sim.world;
    for (int64_t i = 0; i < ROLL_BORN; i++)
        rd_refill(w, i);
    assert_memory_equal(w->lists.key_next, x->key, sizeof x->key);
    assert_memory_equal(w->lists.slot_next, x->slot, sizeof x->slot);
    for (int i = 0; i < ROLL_BORN; i++)
        assert_int_equal(w->lists.id[x->slot[x->standing[i]]], ROLL_NEXT_ID + i);
    stage_close(&s);
}

static void newborn_that_died_has_no_slot(void **state)
{
    (void)state;
    struct stage s;
    open_reduced(&s);
    const struct rd_world *const w = &s.sim.world;
    const uint64_t before = roll_fingerprint(&s);
    w->lists.newborn[2].place = -1;
    rd_refill(w, 2);
    assert_int_equal(roll_fingerprint(&s), before);
    assert_int_equal(w->lists.slot_next[3], 0x11111111);
    stage_close(&s);
}

/* Tests both kinds of slots of the pool: those between the living and the rest of the pool, and
   this rest. */
static void the_pool_is_inactive_in_both_buffers(void **state)
{
    (void)state;
    struct stage s;
    open_reduced(&s);
    const struct rd_world *const w = &s.sim.world;
    assert_int_equal(rd_n_returned(&w->lists), 1);
    rd_return_slots(w, 0);
    const int last = ROLL_MOST - 1;
    assert_true(w->lists.key[last] == RD_KEY_NONE && w->lists.key_next[last] == RD_KEY_NONE);
    assert_true(w->lists.slot[last] == 6 && w->lists.slot_next[last] == 6);
    w->lists.taken[0] = 0; /* there are no births, and four deaths */
    w->lists.coming[0] = ROLL_LIVE - 4;
    assert_int_equal(rd_n_returned(&w->lists), 4);
    stage_close(&s);
}

/* Tests a newborn B of voxel 3 in run 1, whose parent was born there as an A in the same step. It
   belongs to list 1 and has rank 4 of all lists; it gets slot 2 of its list, the third of four.
   Attributes are stored as [attribute][slot]. */
static void newborn_data_are_copied_to_the_slot(void **state)
{
    (void)state;
    struct stage s;
    stage_open(&s, "passes/refill.cfg", NULL, 1.0);
    roll_put(&s, 0, NULL, 0);
    roll_put(&s, 1, (const int32_t[]){0}, 1);
    const struct rd_world *const w = &s.sim.world;
    const struct rd_list *const b = &w->lists.list[1];
    const int32_t named[] = {0, 0, 2, 5, 7, 0, 1, 1, 2, 3};
    const int32_t births[] = {0, 0, 1, 1, 3, 0, 0, 0, 0, 1};
    memcpy(w->lists.named, named, sizeof named);
    memcpy(w->lists.births, births, sizeof births);
    w->lists.rank_base[1] = 3;
    w->lists.taken[1] = 1;
    w->lists.standing[3] = 1; /* after the individual of voxel 0 */
    w->lists.id_base[0 * 2 + 1] = 500;
    w->lists.id_base[1 * 2 + 1] = 600;
    w->lists.newborn[0] = (struct rd_newborn){.id = 1,
                                              .parent = 2,
                                              .born = 0.75,
                                              .id_of = 1,
                                              .parent_of = 0,
                                              .voxel = 3,
                                              .list = 1,
                                              .place = 0};
    w->lists.newborn_trait[0] = 12.5;
    rd_refill(w, 0);
    assert_int_equal(w->lists.key_next[b->base + 1], 3);
    assert_int_equal(w->lists.slot_next[b->base + 1], 2);
    assert_int_equal(w->lists.id[b->base + 2], 600 + 2 + 1);
    assert_int_equal(w->lists.parent[b->base + 2], 500 + 5 + 2);
    assert_true(w->lists.born[b->base + 2] == 0.75);
    assert_true(w->lists.trait[b->trait + 2] == 12.5);
    stage_close(&s);
}

/* Tests two attributes of the second newborn, which are copied from [newborn][attribute] to
   [attribute][slot]. */
static void attributes_are_transposed(void **state)
{
    (void)state;
    struct stage s;
    stage_open(&s, "passes/refill.cfg", NULL, 1.0);
    roll_put(&s, 0, NULL, 0);
    const struct rd_world *const w = &s.sim.world;
    w->lists.taken[0] = 1;
    w->lists.newborn[1] = (struct rd_newborn){.id = 77, .parent = -1, .id_of = -1, .parent_of = -1};
    w->lists.newborn_trait[2] = 3.5;
    w->lists.newborn_trait[3] = 4.5;
    rd_refill(w, 1);
    assert_int_equal(w->lists.slot_next[0], 5);
    assert_int_equal(w->lists.id[5], 77);
    assert_int_equal(w->lists.parent[5], -1);
    assert_true(w->lists.trait[5] == 3.5 && w->lists.trait[6 + 5] == 4.5);
    stage_close(&s);
}

static void lineage_entries_get_ids(void **state)
{
    (void)state;
    struct rd_note note[] = {{.id = 7, .parent = -1, .id_of = -1, .parent_of = -1, .voxel = 1},
                             {.id = 2, .parent = 7, .id_of = 0, .parent_of = -1, .voxel = 1},
                             {.id = 0, .parent = 3, .id_of = 1, .parent_of = 0, .voxel = 3}};
    const struct rd_list list[] = {{.voxels = 0}, {.voxels = 5}};
    int32_t named[] = {0, 10, 20, 30, 40, 0, 1, 2, 3, 4};
    int64_t id_base[] = {100, 200, 300, 400, 0, 0};
    struct rd_need need = {.n_reported = 1}; /* the first note has its ids */
    const struct rd_world w = {.lattice.n_sites = 2,
                               .lattice.n_voxels = 4,
                               .lattice.n_runs = 2,
                               .lists.need = &need,
                               .lists.note = note,
                               .lists.list = list,
                               .lists.n_list = 2,
                               .lists.named = named,
                               .lists.id_base = id_base};
    const int64_t id[] = {7, 100 + 10 + 2, 400 + 3}, parent[] = {-1, 7, 200 + 30 + 3};
    for (int i = 0; i < 3; i++) {
        if (i > 0)
            rd_finish_lineage(&w, i - 1);
        assert_int_equal(note[i].id, id[i]);
        assert_int_equal(note[i].parent, parent[i]);
    }
}

int test_refill(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(newborn_take_slots_of_the_pool_then_of_the_dead),
        cmocka_unit_test(newborn_that_died_has_no_slot),
        cmocka_unit_test(the_pool_is_inactive_in_both_buffers),
        cmocka_unit_test(newborn_data_are_copied_to_the_slot),
        cmocka_unit_test(attributes_are_transposed),
        cmocka_unit_test(lineage_entries_get_ids),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
