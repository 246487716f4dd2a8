/* test_verify - correct lists, and one wrong number at a time with its message. */
#include "sim/verify.h"

#include "placed.h"
#include "sim/step.h"

#include <stdlib.h>

enum { SITES = 4, MOST_A = 6, LIVE_A = 4, N_RUNS = 2, N_LISTS = 2 };

static void assert_verified(struct stage *s)
{
    struct rd_error e = {0};
    if (!rd_verify(&s->sim, &e))
        fail_msg("%s", e.text);
}

static void correct_lists_are_accepted(void **state)
{
    (void)state;
    struct stage s;
    stage_open(&s, "sim/verify.cfg", SETS("initial=()"), 0.5);
    assert_verified(&s); /* all slots are in the pool */
    stage_close(&s);
    placed_start(&s, "sim/verify.cfg", NULL, 0.5);
    assert_verified(&s);
    const struct rd_stretch stretch = {.from = 0, .to = 10, .n_steps = 20, .step = 0.5};
    for (int64_t j = 0; j < stretch.n_steps; j++) {
        rd_step(&s.sim, &stretch, j);
        assert_verified(&s);
    }
    int n_moved = 0;
    for (int64_t i = 0; i < LIVE_A; i++)
        n_moved += placed_one(&s, 0, i).voxel % SITES != 1;
    assert_true(n_moved > 0);
    stage_close(&s);
}

static void model_without_lists_is_accepted(void **state)
{
    (void)state;
    struct stage s;
    stage_open(&s, "sim/one_species.cfg", NULL, 1);
    assert_verified(&s);
    stage_close(&s);
}

static void slot_out_of_range(struct rd_world *w)
{
    w->lists.slot[1] = MOST_A;
}

static void same_slot(struct rd_world *w)
{
    w->lists.slot[5] = w->lists.slot[4];
}

static void more_than_slots(struct rd_world *w)
{
    w->lists.live[0] = MOST_A + 1;
}

static void unsorted(struct rd_world *w)
{
    w->lists.key[1] = 2;
    w->lists.key[2] = 1;
}

static void voxel_out_of_range(struct rd_world *w)
{
    w->lists.key[3] = N_RUNS * SITES;
}

static void late_begin(struct rd_world *w)
{
    w->lists.first[0] = 1;
}

static void early_end(struct rd_world *w)
{
    w->lists.first[N_RUNS * SITES] = LIVE_A - 1;
}

static void falling_index(struct rd_world *w)
{
    w->lists.first[1] = -1;
}

static void index_beyond(struct rd_world *w)
{
    w->lists.first[7] = LIVE_A + 1;
}

static void other_count(struct rd_world *w)
{
    w->counts.count[1]++;
}

/* Shifts individuals to the previous voxel in index and counts. */
static void index_of_another(struct rd_world *w)
{
    w->lists.first[1] = 2;
    w->counts.count[0] = 2;
    w->counts.count[1] = 0;
}

static void active_pool(struct rd_world *w)
{
    w->lists.key[LIVE_A] = 7;
}

static void active_other_pool(struct rd_world *w)
{
    w->lists.key_next[MOST_A - 1] = 7;
}

static void pools_differ(struct rd_world *w)
{
    w->lists.slot_next[LIVE_A] = w->lists.slot[LIVE_A + 1];
}

/* Puts all four individuals into the voxel of the first run. */
static void crowded_run(struct rd_world *w)
{
    for (int voxel = 2; voxel <= N_RUNS * SITES; voxel++)
        w->lists.first[voxel] = LIVE_A;
    for (int i = 0; i < LIVE_A; i++)
        w->lists.key[i] = 1;
    w->counts.count[1] = LIVE_A;
    w->counts.count[SITES + 1] = 0;
}

static void same_id(struct rd_world *w)
{
    w->lists.id[w->lists.slot[1]] = w->lists.id[w->lists.slot[0]];
}

/* Copies the id of an individual of A in the same run. */
static void same_id_in_another_list(struct rd_world *w)
{
    w->lists.id[MOST_A + w->lists.slot[MOST_A]] = w->lists.id[w->lists.slot[0]];
}

static void future_id(struct rd_world *w)
{
    w->lists.id[w->lists.slot[1]] = w->lists.id_base[N_LISTS * N_RUNS];
}

static void negative_id(struct rd_world *w)
{
    w->lists.id[w->lists.slot[1]] = -1;
}

static void each_error_has_its_message(void **state)
{
    (void)state;
    static const struct {
        void (*break_it)(struct rd_world *w);
        const char *list, *message;
    } cases[] = {
        {more_than_slots, "A", "there are more living individuals than slots"},
        {unsorted, "A", "the list is not sorted by voxel"},
        {voxel_out_of_range, "A", "the list is not sorted by voxel"},
        {late_begin, "A", "the index does not end where the list does"},
        {early_end, "A", "the index does not end where the list does"},
        {falling_index, "A", "the index decreases"},
        {index_beyond, "A", "the index decreases"},
        {other_count, "A", "the count of a voxel differs from the list"},
        {index_of_another, "A", "the index points to another voxel"},
        {slot_out_of_range, "A", "a slot occurs twice"},
        {same_slot, "A", "a slot occurs twice"},
        {active_pool, "A", "a slot of the pool is active"},
        {active_other_pool, "A", "a slot of the pool is active"},
        {pools_differ, "A", "the pool differs between the two buffers"},
        {crowded_run, "A", "a run has more living individuals than max"},
        {same_id, "A", "an id occurs twice"},
        {same_id_in_another_list, "", "an id occurs twice"},
        {future_id, "A", "an id was never assigned"},
        {negative_id, "A", "an id was never assigned"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct stage s;
        struct rd_error e = {0};
        char words[200];
        placed_start(&s, "sim/verify.cfg", NULL, 0.5);
        assert_verified(&s);
        s.sim.step_clock.step = 7;
        cases[i].break_it(&s.sim.world);
        assert_false(rd_verify(&s.sim, &e));
        assert_int_equal(e.n, 1);
        snprintf(words, sizeof words, "the list of '%s", cases[i].list);
        assert_contains(e.text, words);
        snprintf(words, sizeof words, "' is wrong after step 7: %s; report this defect of rdsim",
                 cases[i].message);
        assert_contains(e.text, words);
        rd_error_free(&e);
        stage_close(&s);
    }
}

/* Checks that each wrong list has its own message. */
static void all_lists_are_verified(void **state)
{
    (void)state;
    struct stage s;
    struct rd_error e = {0};
    placed_start(&s, "sim/verify.cfg", NULL, 0.5);
    s.sim.world.lists.key[MOST_A + 9] = 0;
    s.sim.world.counts.count[1] = 9;
    assert_false(rd_verify(&s.sim, &e));
    assert_int_equal(e.n, 2);
    assert_contains(e.text, "the list of 'A' is wrong after step 0: the count of a voxel differs");
    assert_contains(e.text, "the list of 'Z' is wrong after step 0: a slot of the pool is active");
    rd_error_free(&e);
    stage_close(&s);
}

int test_verify(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(correct_lists_are_accepted),
        cmocka_unit_test(model_without_lists_is_accepted),
        cmocka_unit_test(each_error_has_its_message),
        cmocka_unit_test(all_lists_are_verified),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
