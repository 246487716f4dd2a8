/* test_lists - the host's part of the lists: sizes, capacity that grows, sorting by as few bits as
   needed, and the transfer of lineage. */
#include "kernels/core/list_passes.h"
#include "sim/lists.h"

#include "placed.h"
#include "sim/capacity.h"
#include "sim/step.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MODEL    "sim/two_lists.cfg"
#define LINEAGE  "species.B.individuals.record=lineage"
#define ABSORBED "species.B.diffusion=1", "species.B.walls.x=absorb"
enum { MOST_A = 4000, MOST_B = 20, ENTRIES = MOST_A + MOST_B, VOXELS = 24, N_LISTS = 2 };

static void arrays_have_their_sizes(void **state)
{
    (void)state;
    struct stage s;
    stage_open(&s, MODEL, NULL, 1);
    const struct rd_world *const w = &s.sim.world;
    assert_int_equal(w->lists.n_key, ENTRIES);
    assert_int_equal(w->lists.n_slot_next, ENTRIES);
    assert_int_equal(w->lists.n_parent, ENTRIES);
    assert_int_equal(w->lists.n_trait, MOST_A + 2 * MOST_B);
    assert_int_equal(w->lists.n_first, N_LISTS * (VOXELS + 1));
    assert_int_equal(w->lists.n_flag, N_LISTS * (VOXELS + 1));
    assert_int_equal(w->lists.n_touched, VOXELS);
    assert_int_equal(w->lists.n_id_base, (N_LISTS + 1) * 4);
    assert_int_equal(w->lists.n_newborn_trait, 2 * w->lists.n_newborn);
    assert_int_equal(w->lists.n_note, 0);
    stage_close(&s);
    stage_open(&s, MODEL, SETS(LINEAGE), 1);
    assert_int_equal(w->lists.n_note, w->lists.n_newborn);
    stage_close(&s);
    stage_open(&s, MODEL, SETS(LINEAGE, ABSORBED), 1);
    assert_int_equal(w->lists.n_note,
                     w->lists.n_newborn + ENTRIES); /* all may be absorbed in a step */
    stage_close(&s);
}

static void all_slots_begin_in_the_pools(void **state)
{
    (void)state;
    struct stage s;
    stage_open(&s, MODEL, NULL, 1);
    const struct rd_world *const w = &s.sim.world;
    for (int64_t i = 0; i < ENTRIES; i++) {
        const int64_t slot = i < MOST_A ? i : i - MOST_A;
        assert_true(w->lists.key[i] == RD_KEY_NONE && w->lists.key_next[i] == RD_KEY_NONE);
        assert_true(w->lists.slot[i] == slot && w->lists.slot_next[i] == slot);
    }
    rd_lists_choose(&s.sim, 1);
    assert_int_equal(w->lists.at_list, 1);
    assert_int_equal(w->lists.now.base, MOST_A);
    stage_close(&s);
}

/* Returns whether a pass of the counting has too little capacity for NEED. */
static bool lacks(struct stage *s, struct rd_need need)
{
    *s->sim.world.lists.need = need;
    rd_capacity_check(&s->sim);
    return rd_capacity_lacked(&s->sim);
}

/* Checks that the counted needs fit, or that capacity grows and the counting is repeated. */
static void capacity_grows_with_counted_need(void **state)
{
    (void)state;
    struct stage s;
    stage_open(&s, MODEL, SETS(LINEAGE), 1);
    struct rd_world *const w = &s.sim.world;
    const int64_t before = w->lists.n_newborn;
    assert_false(lacks(
        &s, (struct rd_need){.newborn = before, .guessed = before, .notes = before, .touched = 3}));
    assert_false(rd_capacity_is_idle(&s.sim));
    const struct rd_need more[] = {
        {.newborn = 2 * before}, {.guessed = 4 * before}, {.notes = 9 * before}};
    for (int i = 0; i < 3; i++) {
        assert_true(lacks(&s, more[i]));
        assert_int_equal(*w->runs.first_faulting_pass, INT64_MAX);
        assert_false(lacks(&s, more[i]));
        assert_true(rd_capacity_is_idle(&s.sim));
    }
    assert_int_equal(w->lists.n_newborn, 6 * before); /* capacity is half more than requested */
    assert_int_equal(w->lists.n_members, 6 * before);
    assert_int_equal(w->lists.n_standing, 6 * before);
    assert_int_equal(w->lists.n_newborn_trait, 12 * before);
    assert_int_equal(w->lists.n_note, 9 * before + 9 * before / 2);
    w->lists.newborn[6 * before - 1].id = 7;
    stage_close(&s);
}

/* Checks that lineage rows on the machine take capacity until the host reads them: with those of a
   step they exceed it, unless they are transferred first. */
static void stored_lineage_takes_capacity(void **state)
{
    (void)state;
    struct stage s;
    stage_open(&s, MODEL, SETS(LINEAGE), 1);
    const int64_t most = s.sim.world.lists.n_note;
    assert_false(lacks(&s, (struct rd_need){.notes = most / 2}));
    assert_true(lacks(&s, (struct rd_need){.n_notes = most - most / 2 + 1, .notes = most / 2}));
    assert_int_equal(s.sim.world.lists.need->n_notes, 0);
    assert_int_equal(s.sim.n_lives, most - most / 2 + 1);
    stage_close(&s);
    stage_open(&s, MODEL, SETS(LINEAGE, ABSORBED), 1);
    struct rd_world *const w = &s.sim.world;
    w->lists.live[0] = w->lists.live[1] = 2; /* walls may absorb these */
    assert_false(lacks(&s, (struct rd_need){.newborn = 4, .notes = w->lists.n_note - 8}));
    assert_true(lacks(&s, (struct rd_need){.newborn = 4, .notes = w->lists.n_note - 7}));
    stage_close(&s);
}

/* Checks the upper bound of living individuals until the next check, on a machine where a check
   takes time. */
static void number_of_living_has_a_bound(void **state)
{
    (void)state;
    struct stage s;
    struct rd_error e = {0};
    stage_open(&s, MODEL, NULL, 1);
    struct rd_world *const w = &s.sim.world;
    struct rd_backend far = *s.sim.backend;
    far.shares_host_memory = false;
    assert_true(rd_sim_check(&s.sim, &e) && s.sim.reach[0] == MOST_A); /* the CPU uses max */
    s.sim.backend = &far;
    w->lists.live[0] = 8;
    assert_true(rd_sim_check(&s.sim, &e));
    assert_true(s.sim.reach[0] == 8 + 2 + 1024 && s.sim.reach[1] == MOST_B);
    w->lists.live[0] = 900; /* fits; another bound would need another CUDA graph */
    assert_true(rd_sim_check(&s.sim, &e) && s.sim.reach[0] == 1034);
    w->lists.live[0] = 1000;
    assert_true(rd_sim_check(&s.sim, &e) && s.sim.reach[0] == 2274);
    w->lists.need->newborn = 1275;
    rd_capacity_check(&s.sim);
    assert_int_equal(*w->runs.first_faulting_pass, s.sim.step_clock.pass - 1);
    assert_int_equal(w->lists.need->lacks, 1);
    assert_true(rd_sim_check(&s.sim, &e) && s.sim.reach[0] == 2275 + 568 + 1024);
    assert_int_equal(*w->runs.first_faulting_pass, INT64_MAX);
    stage_close(&s);
}

static void too_many_births_are_refused(void **state)
{
    (void)state;
    struct stage s;
    struct rd_error e = {0};
    stage_open(&s, MODEL, NULL, 1);
    const int64_t before = s.sim.world.lists.n_newborn;
    assert_false(rd_capacity_reserve(&s.sim, INT64_C(1) << 31, 0, &e));
    assert_contains(e.text,
                    "a step needs room for 2147483648 births, more than 2147483647; set a shorter");
    assert_int_equal(s.sim.world.lists.n_newborn, before);
    rd_error_free(&e);
    stage_close(&s);
}

static void *no_memory(rd_machine *m, size_t bytes, struct rd_error *e)
{
    (void)m;
    rd_fail(e, "no %zu bytes", bytes);
    return NULL;
}

/* Checks that a machine without memory skips all further steps until the next check returns the
   reason. */
static void machine_without_memory_stops(void **state)
{
    (void)state;
    struct stage s;
    struct rd_error e = {0};
    stage_open(&s, MODEL, SETS(LINEAGE, "reactions=( { equation = \"0 -> 64 A\"; rate = 1; } )"),
               1);
    const struct rd_backend *const cpu = s.sim.backend;
    struct rd_backend poor = *cpu;
    poor.alloc = no_memory;
    s.sim.backend = &poor;
    const struct rd_stretch stretch = {.from = 0, .to = 2, .n_steps = 2, .step = 1};
    rd_step(&s.sim, &stretch, 0);
    rd_step(&s.sim, &stretch, 1);
    assert_int_equal(placed_live(&s, 0), 0);
    assert_false(rd_sim_check(&s.sim, &e));
    assert_int_equal(e.n, 1);
    assert_contains(e.text, "no ");
    assert_contains(e.text, " bytes");
    rd_error_free(&e);
    s.sim.backend = cpu;
    stage_close(&s);
}

static void lists_are_swapped(void **state)
{
    (void)state;
    struct stage s;
    stage_open(&s, MODEL, NULL, 1);
    struct rd_world *const w = &s.sim.world;
    uint32_t *const key = w->lists.key, *const key_next = w->lists.key_next,
                    *const slot = w->lists.slot;
    rd_lists_swap(&s.sim);
    assert_true(w->lists.key == key_next && w->lists.key_next == key && w->lists.slot_next == slot);
    stage_close(&s);
}

/* Stores the number of bits of a sort in the int that the machine points to. */
static void record_bits(rd_machine *m, uint32_t *key, uint32_t *value, uint32_t *key_to,
                        uint32_t *value_to, const int64_t *n, int64_t most, int bits)
{
    assert_true(key && value && key_to && value_to && n && most > 0);
    *(int *)m = bits;
}

static int sorted_bits(int voxels, const char *walls)
{
    char size[64], wall[64];
    struct stage s;
    snprintf(size, sizeof size, "grid.voxels=%d", voxels);
    snprintf(wall, sizeof wall, "grid.walls.x=%s", walls);
    stage_open(&s, "sim/line_of_individuals.cfg", SETS(size, wall), 1);
    const struct rd_list_operations recording = {.sort = record_bits};
    int n_bits = 0;
    rd_lists_choose(&s.sim, 0);
    assert_true(rd_run_list_pass((rd_machine *)&n_bits, &recording, &s.sim.world, RD_SORT));
    stage_close(&s);
    return n_bits;
}

/* Checks the number of sorted bits: enough to distinguish all voxels and, if walls absorb
   individuals, also the key of those. */
static void keys_are_sorted_by_as_few_bits_as_needed(void **state)
{
    (void)state;
    static const int voxels[] = {1, 2, 3, 4, 7, 8, 9, 1023, 1024};
    static const int closed[] = {1, 1, 2, 2, 3, 3, 4, 10, 10};
    static const int open[] = {1, 2, 2, 3, 3, 4, 4, 10, 11};
    for (size_t i = 0; i < sizeof voxels / sizeof *voxels; i++) {
        assert_int_equal(sorted_bits(voxels[i], "reflect"), closed[i]);
        assert_int_equal(sorted_bits(voxels[i], "absorb"), open[i]);
    }
}

/* Checks the order of lineage rows. Voxel 7 is site 1 of run 1; the last note has an earlier order
   key. */
static void lineage_is_sorted_by_order_key_voxel_and_order(void **state)
{
    (void)state;
    static const struct rd_note notes[] = {
        {.order_key = 1,
         .voxel = 7,
         .order = 1,
         .list = 0,
         .id = 10,
         .parent = 9,
         .time = 0.5,
         .is_birth = 1},
        {.order_key = 1,
         .voxel = 7,
         .order = 0,
         .list = 1,
         .id = 9,
         .parent = -1,
         .time = 0.25,
         .is_birth = 1},
        {.order_key = 1, .voxel = 3, .order = 2, .list = 1, .id = 4, .parent = 3, .time = 0.75},
        {.order_key = 1, .voxel = 3, .order = 2, .list = 0, .id = 5, .parent = 3, .time = 0.75},
        {.order_key = 0, .voxel = 23, .order = 0, .list = 0, .id = 6, .parent = -1, .time = 0.125}};
    static const int order[] = {4, 3, 2, 1, 0};
    struct stage s;
    stage_open(&s, MODEL, SETS(LINEAGE), 1);
    struct rd_world *const w = &s.sim.world;
    struct rd_error e = {0};
    for (int round = 0; round < 2; round++) { /* the second round appends to the first */
        memcpy(w->lists.note, notes, sizeof notes);
        w->lists.need->n_notes = 5;
        w->lists.need->n_newborn = 2;
        assert_true(rd_sim_check(&s.sim, &e));
        assert_int_equal(s.sim.n_lives, 5 * (round + 1));
        assert_int_equal(w->lists.need->n_notes + w->lists.need->n_reported, 0);
    }
    for (int i = 0; i < 10; i++) {
        const struct rd_life *const life = &s.sim.life[i];
        const struct rd_note *const note = &notes[order[i % 5]];
        assert_true(life->time == note->time);
        assert_int_equal(life->run, note->voxel / 6);
        assert_int_equal(life->site, note->voxel % 6);
        assert_int_equal(life->id, note->id);
        assert_int_equal(life->parent, note->parent);
        assert_int_equal(life->species, note->list == 0); /* B is the first species of the file */
        assert_int_equal(life->is_birth, note->is_birth);
    }
    stage_close(&s);
}

/* Checks that existing rows stay unchanged, and that capacity grows by more than the request. */
static void lineage_array_grows(void **state)
{
    (void)state;
    struct stage s;
    struct rd_error e = {0};
    stage_open(&s, MODEL, SETS(LINEAGE), 1);
    int64_t n_grown = 0;
    for (int64_t i = 0; i < 1000; i++) {
        const int64_t before = s.sim.lives_capacity;
        assert_true(rd_capacity_for_lives(&s.sim, 1, &e));
        n_grown += s.sim.lives_capacity > before;
        s.sim.life[s.sim.n_lives++] = (struct rd_life){.id = i};
    }
    for (int64_t i = 0; i < 1000; i++)
        assert_int_equal(s.sim.life[i].id, i);
    assert_in_range(n_grown, 1, 10);
    stage_close(&s);
}

/* Checks that lineage of a faulty step is discarded: its ids were never assigned. */
static void lineage_of_a_faulty_step_is_discarded(void **state)
{
    (void)state;
    struct stage s;
    stage_open(&s, MODEL, SETS(LINEAGE), 1);
    struct rd_error e = {0};
    s.sim.world.runs.faults_are_separate = 0; /* a fault ends all runs */
    s.sim.world.lists.need->n_notes = 5;
    s.sim.world.runs.fault[RD_FAULT_NAMES] = (struct rd_fault){1, 0};
    assert_false(rd_sim_check(&s.sim, &e));
    rd_error_free(&e);
    assert_int_equal(s.sim.n_lives, 0);
    stage_close(&s);
}

int test_lists(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arrays_have_their_sizes),
        cmocka_unit_test(all_slots_begin_in_the_pools),
        cmocka_unit_test(capacity_grows_with_counted_need),
        cmocka_unit_test(too_many_births_are_refused),
        cmocka_unit_test(machine_without_memory_stops),
        cmocka_unit_test(stored_lineage_takes_capacity),
        cmocka_unit_test(number_of_living_has_a_bound),
        cmocka_unit_test(lists_are_swapped),
        cmocka_unit_test(keys_are_sorted_by_as_few_bits_as_needed),
        cmocka_unit_test(lineage_is_sorted_by_order_key_voxel_and_order),
        cmocka_unit_test(lineage_array_grows),
        cmocka_unit_test(lineage_of_a_faulty_step_is_discarded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
