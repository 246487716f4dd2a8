/* test_members - tests of the living individuals of a voxel while its events are applied: places,
   sums, weights, capacity for newborn. */
#include "kernels/passes/reactions/members.h"

#include "roll.h"

#include <string.h>

/* Voxel 1 has three individuals, entries 1, 2, 3 in slots 18, 17, 16; their attribute w is 1, 0,
   3. */
enum { VOXEL = 1, OLD = 3, MOST = 20 };

static void open_voxel(struct stage *s)
{
    static const int32_t voxel[] = {0, 1, 1, 1};
    stage_open(s, "passes/members.cfg", NULL, 1.0);
    roll_put(s, 0, voxel, 4);
    double *const w = s->sim.world.lists.trait + MOST;
    w[18] = 1;
    w[17] = 0;
    w[16] = 3;
    w[19] = 100; /* in another voxel */
    rd_members_open(&s->sim.world.lists, &s->sim.world.lists.list[0], VOXEL);
}

/* Adds a newborn with v and w to the voxel, but not to the members. */
static uint32_t add_newborn(const struct stage *s, bool is_enacted, double v, double w)
{
    const struct rd_world *const of = &s->sim.world;
    const struct rd_list *const l = &of->lists.list[0];
    assert_true(rd_members_reserve(&of->lists, l, VOXEL, is_enacted));
    const uint32_t member = RD_NEWBORN | (uint32_t)of->lists.births[VOXEL]++;
    rd_newborn_of(&of->lists, l, VOXEL, member)->id = (int64_t)v;
    double *const trait = of->lists.newborn_trait +
                          2 * (rd_newborn_of(&of->lists, l, VOXEL, member) - of->lists.newborn);
    trait[0] = v;
    trait[1] = w;
    return member;
}

static void places_begin_in_the_order_of_the_list(void **state)
{
    (void)state;
    struct stage s;
    open_voxel(&s);
    const struct rd_world *const w = &s.sim.world;
    const struct rd_list *const l = &w->lists.list[0];
    for (int64_t k = 0; k < OLD; k++) {
        assert_int_equal(*rd_members_at(&w->lists, l, VOXEL, k), k);
        assert_int_equal(rd_entry_of(&w->lists, l, VOXEL, (uint32_t)k), 1 + k);
    }
    rd_members_swap(&w->lists, l, VOXEL, 0, 2);
    rd_members_swap(&w->lists, l, VOXEL, 1, 1);
    assert_int_equal(*rd_members_at(&w->lists, l, VOXEL, 0), 2);
    assert_int_equal(*rd_members_at(&w->lists, l, VOXEL, 1), 1);
    assert_int_equal(*rd_members_at(&w->lists, l, VOXEL, 2), 0);
    assert_int_equal(rd_members_old(&w->lists, l, 2), 0);
    stage_close(&s);
}

/* Tests that the old members have places in the second buffer, and the newborn behind them
   elsewhere. Entries of other voxels do not change. */
static void newborn_have_places_after_old_members(void **state)
{
    (void)state;
    struct stage s;
    open_voxel(&s);
    const struct rd_world *const w = &s.sim.world;
    w->lists.capacity[VOXEL] = 5;
    assert_ptr_equal(rd_members_at(&w->lists, &w->lists.list[0], VOXEL, OLD - 1),
                     &w->lists.slot_next[3]);
    assert_ptr_equal(rd_members_at(&w->lists, &w->lists.list[0], VOXEL, OLD), &w->lists.members[5]);
    assert_ptr_equal(rd_members_at(&w->lists, &w->lists.list[0], VOXEL, OLD + 2),
                     &w->lists.members[7]);
    assert_ptr_equal(rd_newborn_of(&w->lists, &w->lists.list[0], VOXEL, RD_NEWBORN | 2),
                     &w->lists.newborn[7]);
    assert_int_equal(w->lists.slot_next[0], 19);
    assert_int_equal(w->lists.slot_next[4], 15);
    assert_true(rd_is_newborn(RD_NEWBORN) && !rd_is_newborn(5));
    stage_close(&s);
}

static void attributes_of_members_are_found(void **state)
{
    (void)state;
    struct stage s;
    open_voxel(&s);
    const struct rd_world *const w = &s.sim.world;
    w->lists.capacity[VOXEL] = 6;
    const uint32_t newborn = add_newborn(&s, true, 8, 9);
    int64_t stride;
    const double *const old = rd_traits_of(&w->lists, &w->lists.list[0], VOXEL, 2, &stride);
    assert_true(old[1 * stride] == 3);
    const double *const young = rd_traits_of(&w->lists, &w->lists.list[0], VOXEL, newborn, &stride);
    assert_true(young[0 * stride] == 8 && young[1 * stride] == 9);
    stage_close(&s);
}

/* Tests a sum of 1 + 0 + 3 over the old members; a newborn of weight 5 replaces the one of weight
   1. */
static void sums_include_living_members_only(void **state)
{
    (void)state;
    struct stage s;
    open_voxel(&s);
    const struct rd_world *const w = &s.sim.world;
    const struct rd_place p = rd_place_of(&w->lattice, VOXEL);
    struct rd_eval_context eval_context = rd_eval_context_at(w, &p);
    assert_true(rd_members_sum(w, p.voxel, &w->reactions.sum[0], &eval_context) == 4);
    w->lists.capacity[VOXEL] = 0;
    *rd_members_at(&w->lists, &w->lists.list[0], VOXEL, 0) = add_newborn(&s, true, 0, 5);
    assert_true(rd_members_sum(w, p.voxel, &w->reactions.sum[0], &eval_context) == 8);
    w->counts.count[VOXEL] = 1;
    assert_true(rd_members_sum(w, p.voxel, &w->reactions.sum[0], &eval_context) == 5);
    w->counts.count[VOXEL] = 0;
    assert_true(rd_members_sum(w, p.voxel, &w->reactions.sum[0], &eval_context) == 0);
    stage_close(&s);
}

/* Tests places 0 to 3 with weights 1, 0, 3 and, for the newborn, 4. */
static void draws_are_proportional_to_weights(void **state)
{
    (void)state;
    enum { N = 4000 };
    int64_t seen[4] = {0};
    struct stage s;
    open_voxel(&s);
    const struct rd_world *const w = &s.sim.world;
    const struct rd_place p = rd_place_of(&w->lattice, VOXEL);
    struct rd_eval_context eval_context = rd_eval_context_at(w, &p);
    struct rd_stream stream = stream_of("draws_are_proportional_to_weights", 0);
    w->lists.capacity[VOXEL] = 2;
    const uint32_t newborn = add_newborn(&s, true, 0, 4);
    *rd_members_at(&w->lists, &w->lists.list[0], VOXEL, OLD) = newborn;
    for (int i = 0; i < N; i++) {
        const int64_t k = rd_members_weigh(w, &w->lists.list[0], VOXEL, 4, &w->reactions.sum[0].of,
                                           &eval_context, &stream);
        assert_in_range(k, 0, 3);
        seen[k]++;
    }
    assert_int_equal(seen[1], 0);
    seen[1] = seen[3];
    assert_deviation("weights",
                     chi_square_deviate(seen, (const double[]){N / 8.0, N / 2.0, N * 3 / 8.0}, 3));
    for (int i = 0; i < 100; i++) /* only one of the first two has a weight above 0 */
        assert_int_equal(rd_members_weigh(w, &w->lists.list[0], VOXEL, 2, &w->reactions.sum[0].of,
                                          &eval_context, &stream),
                         0);
    stage_close(&s);
}

static void zero_weights_draw_no_member(void **state)
{
    (void)state;
    static const double wrong[] = {-1, -1e-300, NAN, INFINITY, -INFINITY};
    struct stage s;
    open_voxel(&s);
    const struct rd_world *const w = &s.sim.world;
    const struct rd_place p = rd_place_of(&w->lattice, VOXEL);
    struct rd_eval_context eval_context = rd_eval_context_at(w, &p);
    struct rd_stream stream = stream_of("zero_weights_draw_no_member", 0);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        w->lists.trait[MOST + 17] = wrong[i];
        assert_int_equal(rd_members_weigh(w, &w->lists.list[0], VOXEL, OLD, &w->reactions.sum[0].of,
                                          &eval_context, &stream),
                         -1);
    }
    for (int64_t i = MOST; i < 2 * MOST; i++)
        w->lists.trait[i] = 0;
    assert_int_equal(rd_members_weigh(w, &w->lists.list[0], VOXEL, OLD, &w->reactions.sum[0].of,
                                      &eval_context, &stream),
                     -1);
    w->lists.trait[MOST + 16] = 1e308;
    w->lists.trait[MOST + 17] = 1e308; /* each is finite, the sum is not */
    assert_int_equal(rd_members_weigh(w, &w->lists.list[0], VOXEL, OLD, &w->reactions.sum[0].of,
                                      &eval_context, &stream),
                     -1);
    stage_close(&s);
}

/* Tests that capacity for newborn which are only counted grows to 4, 8, 16, ..., and that the old
   contents are copied. */
static void capacity_doubles_and_keeps_contents(void **state)
{
    (void)state;
    enum { N = 40 };
    struct stage s;
    open_voxel(&s);
    const struct rd_world *const w = &s.sim.world;
    const struct rd_list *const l = &w->lists.list[0];
    *w->lists.need = (struct rd_need){.guessed = 3}; /* in other voxels */
    for (int k = 0; k < N; k++) {
        const uint32_t member = add_newborn(&s, false, k, 2 * k);
        *rd_members_at(&w->lists, l, VOXEL, OLD + k) = member;
        for (int i = 0; i <= k; i++) {
            int64_t stride;
            const uint32_t i_th = *rd_members_at(&w->lists, l, VOXEL, OLD + i);
            assert_int_equal(i_th, RD_NEWBORN | (uint32_t)i);
            assert_int_equal(rd_newborn_of(&w->lists, l, VOXEL, i_th)->id, i);
            assert_true(rd_traits_of(&w->lists, l, VOXEL, i_th, &stride)[1] == 2 * i);
        }
    }
    assert_int_equal(w->lists.need->guessed, 3 + 4 + 8 + 16 + 32 + 64);
    assert_int_equal(w->lists.capacity[VOXEL], 3 + 4 + 8 + 16 + 32);
    stage_close(&s);
}

static void missing_capacity_is_recorded(void **state)
{
    (void)state;
    struct stage s;
    open_voxel(&s);
    struct rd_world *const w = &s.sim.world;
    *w->lists.need = (struct rd_need){0};
    w->lists.n_newborn = 11; /* 4 fit, 4 + 8 do not */
    for (int k = 0; k < 4; k++)
        add_newborn(&s, false, k, k);
    assert_false(rd_members_reserve(&w->lists, &w->lists.list[0], VOXEL, false));
    /* They were counted before, so there is capacity. */
    assert_true(rd_members_reserve(&w->lists, &w->lists.list[0], VOXEL, true));
    w->lists.n_newborn = 12;
    w->lists.need->guessed = 4;
    assert_true(rd_members_reserve(&w->lists, &w->lists.list[0], VOXEL, false));
    stage_close(&s);
}

int test_members(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(places_begin_in_the_order_of_the_list),
        cmocka_unit_test(newborn_have_places_after_old_members),
        cmocka_unit_test(attributes_of_members_are_found),
        cmocka_unit_test(sums_include_living_members_only),
        cmocka_unit_test(draws_are_proportional_to_weights),
        cmocka_unit_test(zero_weights_draw_no_member),
        cmocka_unit_test(capacity_doubles_and_keeps_contents),
        cmocka_unit_test(missing_capacity_is_recorded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
