/* test_update_lists - the stages of a list update in sequence, as in a step: marks are set by hand,
   and the expected lists are written by hand. */
#include "lab.h"
#include "roll.h"
#include "sim/step.h"

#include <stdio.h>
#include <stdlib.h>

/* A line of five voxels. The lists of dead entries and of voxels with births end with -1; slots are
   in descending order. */
enum { ROW = 5, MOST = 10, FIRST_ID = 100 };
struct list_sample {
    int max;
    int n, n_then, n_pool;
    int32_t voxel[MOST];
    int dead[MOST], born[MOST];
    struct roll_line then[MOST];
    int32_t pool[MOST];
};

static const struct list_sample empty_list = {
    .max = 3, .dead = {-1}, .born = {-1}, .n_pool = 3, .pool = {2, 1, 0}};

static const struct list_sample births_into_an_empty_list = {.max = 3,
                                                             .dead = {-1},
                                                             .born = {3, 1, -1},
                                                             .n_then = 2,
                                                             .then = {{1, 2, 1000}, {3, 1, 1001}},
                                                             .n_pool = 1,
                                                             .pool = {0}};

static const struct list_sample all_die = {.max = 4,
                                           .n = 3,
                                           .voxel = {0, 2, 2},
                                           .dead = {0, 1, 2, -1},
                                           .born = {-1},
                                           .n_pool = 4,
                                           .pool = {3, 2, 1, 0}};

static const struct list_sample last_dies_and_births_follow = {
    .max = 6,
    .n = 2,
    .voxel = {0, 2},
    .dead = {1, -1},
    .born = {4, 3, 4, -1},
    .n_then = 4,
    .then = {{0, 5, 100}, {3, 3, 1000}, {4, 2, 1001}, {4, 1, 1002}},
    .n_pool = 2,
    .pool = {4, 0}};

static const struct list_sample births_between = {
    .max = 6,
    .n = 2,
    .voxel = {1, 4},
    .dead = {-1},
    .born = {3, 2, 0, -1},
    .n_then = 5,
    .then = {{0, 3, 1000}, {1, 5, 100}, {2, 2, 1001}, {3, 1, 1002}, {4, 4, 101}},
    .n_pool = 1,
    .pool = {0}};

static const struct list_sample births_in_every_voxel = {.max = 9,
                                                         .n = 3,
                                                         .voxel = {1, 1, 3},
                                                         .dead = {0, -1},
                                                         .born = {0, 1, 2, 3, 4, -1},
                                                         .n_then = 7,
                                                         .then = {{0, 5, 1000},
                                                                  {1, 4, 1001},
                                                                  {1, 7, 101},
                                                                  {2, 3, 1002},
                                                                  {3, 2, 1003},
                                                                  {3, 6, 102},
                                                                  {4, 1, 1004}},
                                                         .n_pool = 2,
                                                         .pool = {8, 0}};

static const struct list_sample births_up_to_max = {
    .max = 4,
    .n = 2,
    .voxel = {0, 1},
    .dead = {-1},
    .born = {1, 4, -1},
    .n_then = 4,
    .then = {{0, 3, 100}, {1, 1, 1000}, {1, 2, 101}, {4, 0, 1001}}};

static const struct list_sample full_list_takes_one_for_one = {
    .max = 3,
    .n = 3,
    .voxel = {0, 2, 4},
    .dead = {1, -1},
    .born = {3, -1},
    .n_then = 3,
    .then = {{0, 2, 100}, {3, 1, 1000}, {4, 0, 102}}};

static const struct list_sample full_list_is_replaced = {
    .max = 3,
    .n = 3,
    .voxel = {0, 0, 0},
    .dead = {0, 1, 2, -1},
    .born = {2, 1, 1, -1},
    .n_then = 3,
    .then = {{1, 2, 1000}, {1, 1, 1001}, {2, 0, 1002}}};

static void open_row(struct stage *s, int max, int n_runs, int first)
{
    char most[64], runs[32], from[32];
    snprintf(most, sizeof most, "species.A.individuals.max=%d", max);
    snprintf(runs, sizeof runs, "run.runs=%d", n_runs);
    snprintf(from, sizeof from, "run.first=%d", first);
    stage_open(s, "sim/row.cfg", SETS(most, runs, from), 1.0);
    rd_sim_aim(&s->sim, 0, 0, 1);
}

static void mark(const struct stage *s, const int *dead, const int *born)
{
    roll_open(s);
    for (; *dead >= 0; dead++)
        roll_kill(s, 0, *dead);
    for (; *born >= 0; born++)
        roll_bear(s, 0, *born, 1);
}

static void assert_update(void **state)
{
    const struct list_sample *const x = *state;
    struct stage s;
    open_row(&s, x->max, 1, 0);
    roll_put(&s, 0, x->voxel, x->n);
    mark(&s, x->dead, x->born);
    rd_step_update_lists(&s.sim);
    assert_roll(&s, 0, x->then, x->n_then);
    assert_pool(&s, 0, x->pool, x->n_pool);
    stage_close(&s);
}

/* Checks that a step without births and deaths changes nothing, also after another one. */
static void second_update_changes_nothing(void **state)
{
    (void)state;
    struct stage s;
    const struct list_sample *const x = &births_in_every_voxel;
    open_row(&s, x->max, 1, 0);
    roll_put(&s, 0, x->voxel, x->n);
    mark(&s, x->dead, x->born);
    rd_step_update_lists(&s.sim);
    const uint64_t before = roll_fingerprint(&s);
    roll_open(&s);
    rd_step_update_lists(&s.sim);
    assert_roll(&s, 0, x->then, x->n_then);
    assert_int_equal(roll_fingerprint(&s), before);
    stage_close(&s);
}

static void assert_reported(struct stage *s, const char *words)
{
    struct rd_error e = {0};
    assert_false(rd_sim_check(&s->sim, &e));
    assert_int_equal(e.n, 1);
    assert_contains(e.text, words);
    rd_error_free(&e);
}

static void births_above_max_change_nothing(void **state)
{
    (void)state;
    struct stage s;
    open_row(&s, 3, 1, 0);
    roll_put(&s, 0, (const int32_t[]){0, 2, 4}, 3);
    mark(&s, (const int[]){0, -1}, (const int[]){4, 1, -1});
    const uint64_t before = roll_fingerprint(&s);
    rd_step_update_lists(&s.sim);
    assert_int_equal(roll_fingerprint(&s), before);
    assert_reported(&s, "sim/row.cfg:4: more than max = 3 individuals of 'A' live in run 0, before "
                        "t = 1; raise individuals.max");
    stage_close(&s);
}

/* Counts the snapshots; none is taken after the fault. */
static void count_snapshots(void *to, const struct rd_model *m, const struct rd_snapshot *snapshot)
{
    (void)m;
    (void)snapshot;
    ++*(int *)to;
}

static void run_ends_with_births_above_max(void **state)
{
    (void)state;
    int n = 0;
    const struct lab lab = {.look = count_snapshots, .to = &n};
    char *const text = model_text("sim/births.cfg");
    char *const messages = lab_try(&lab, text, NULL);
    free(text);
    assert_contains(messages,
                    "lab.cfg:4: more than max = 20 individuals of 'A' live in run 0, before t = ");
    assert_in_range(n, 2, 30); /* 20 births take about one unit of time */
    free(messages);
}

/* Checks that a fault names its run: runs 41 and 42 exceed max by one, though the capacity of all
   runs suffices. */
static void fault_contains_its_run(void **state)
{
    (void)state;
    struct stage s;
    open_row(&s, 3, 4, 40);
    s.sim.world.runs.faults_are_separate = 0; /* a fault ends all runs */
    roll_put(&s, 0, (const int32_t[]){5, 7, 12}, 3);
    mark(&s, (const int[]){-1}, (const int[]){10, 11, 14, 9, 9, -1});
    const uint64_t before = roll_fingerprint(&s);
    rd_step_update_lists(&s.sim);
    assert_int_equal(roll_fingerprint(&s), before);
    assert_int_equal(s.sim.world.runs.fault[RD_FAULT_FULL].number, 2);
    assert_reported(&s, "of 'A' live in run 41,");
    stage_close(&s);
}

/* Checks that each run has its own max, here three, and numbers its own newborn. */
static void each_run_numbers_its_individuals(void **state)
{
    (void)state;
    struct stage s;
    open_row(&s, 3, 3, 0);
    roll_put(&s, 0, (const int32_t[]){0, 5, 6, 14}, 4);
    s.sim.world.lists.id_base[3 + 1] = 2000;
    mark(&s, (const int[]){1, -1}, (const int[]){3, 4, 9, 6, 10, -1});
    rd_step_update_lists(&s.sim);
    /* Slots 8 7 6 5 are in use, and 4 3 2 1 0 are free; slot 7 becomes free. */
    const struct roll_line then[] = {{0, 8, 100}, {3, 4, 1000}, {4, 3, 1001},  {6, 2, 2000},
                                     {6, 6, 102}, {9, 1, 2001}, {10, 0, 1000}, {14, 5, 103}};
    assert_roll(&s, 0, then, 8);
    assert_pool(&s, 0, (const int32_t[]){7}, 1);
    const int64_t next[] = {1002, 2002, 1001};
    assert_memory_equal(s.sim.world.lists.id_base + 3, next, sizeof next);
    stage_close(&s);
}

/* Checks that the ids of one step continue from the first list to the second. */
static void ids_continue_from_list_to_list(void **state)
{
    (void)state;
    struct stage s;
    stage_open(&s, "sim/lists_in_one_step.cfg", NULL, 1.0);
    roll_put(&s, 0, (const int32_t[]){0, 1, 1}, 3);
    roll_put(&s, 1, (const int32_t[]){1, 2}, 2);
    roll_open(&s);
    roll_bear(&s, 1, 2, 1);
    roll_bear(&s, 0, 2, 2);
    roll_bear(&s, 1, 0, 1);
    roll_kill(&s, 0, 1);
    roll_kill(&s, 1, 1);
    rd_step_update_lists(&s.sim);
    /* List A uses slots 3 2 1, and 0 is free; the second newborn takes slot 2 of the dead. */
    const struct roll_line of_a[] = {{0, 3, 100}, {1, 1, 102}, {2, 0, 1000}, {2, 2, 1001}};
    /* List B uses slots 2 1, and 0 is free; its newborn takes slot 1 of the dead. */
    const struct roll_line of_b[] = {{0, 0, 1002}, {1, 2, 200}, {2, 1, 1003}};
    assert_roll(&s, 0, of_a, 4);
    assert_roll(&s, 1, of_b, 3);
    stage_close(&s);
}

/* Checks that the stages leave the same capacity for the next step. */
static void capacity_is_the_same_after_many_steps(void **state)
{
    (void)state;
    struct stage s;
    open_row(&s, 3, 1, 0);
    roll_put(&s, 0, (const int32_t[]){0, 2, 4}, 3);
    for (int step = 0; step < 50; step++) {
        mark(&s, (const int[]){step % 3, -1}, (const int[]){step * 7 % ROW, -1});
        rd_step_update_lists(&s.sim);
        assert_int_equal(s.sim.world.lists.live[0], 3);
        assert_int_equal(s.sim.world.lists.id_base[1], ROLL_NEXT_ID + step + 1);
    }
    assert_sound(&s);
    stage_close(&s);
}

#define UPDATES(sample)                                                                            \
    {                                                                                              \
#sample, assert_update, NULL, NULL, (void *)(uintptr_t)&sample                             \
    }

int test_update_lists(void)
{
    const struct CMUnitTest tests[] = {
        UPDATES(empty_list),
        UPDATES(births_into_an_empty_list),
        UPDATES(all_die),
        UPDATES(last_dies_and_births_follow),
        UPDATES(births_between),
        UPDATES(births_in_every_voxel),
        UPDATES(births_up_to_max),
        UPDATES(full_list_takes_one_for_one),
        UPDATES(full_list_is_replaced),
        cmocka_unit_test(second_update_changes_nothing),
        cmocka_unit_test(births_above_max_change_nothing),
        cmocka_unit_test(run_ends_with_births_above_max),
        cmocka_unit_test(fault_contains_its_run),
        cmocka_unit_test(each_run_numbers_its_individuals),
        cmocka_unit_test(ids_continue_from_list_to_list),
        cmocka_unit_test(capacity_is_the_same_after_many_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
