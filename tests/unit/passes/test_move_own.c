/* test_move_own - tests of individuals with rates of their own: zero rates, impossible ones, walls
   that reverse the drift, and expressions that read neighbouring voxels. */
#include "kernels/passes/movement/move.h"

#include "roll.h"

/* Each individual has its own diffusion rate along x, and its own drift along x and y. */
enum {
    INDIVIDUALS = 400,
    D = 0,
    UX = 1,
    UY = 2,
    LOW = 20 * 40,
    HIGH = 20 * 40 + 39,
    TOP = 39 * 40 + 20
};

static void open_individuals(struct stage *s, int32_t voxel, double d, double ux, double uy)
{
    stage_open(s, "passes/move_own.cfg", NULL, 4.0);
    roll_into_voxel(s, 0, voxel, INDIVIDUALS);
    roll_give(s, 0, D, d);
    roll_give(s, 0, UX, ux);
    roll_give(s, 0, UY, uy);
    roll_move(s, 0);
}

static void individuals_without_rates_stay(void **state)
{
    (void)state;
    struct stage s;
    open_individuals(&s, HIGH, 0, 0, 0);
    for (int i = 0; i < INDIVIDUALS; i++)
        assert_int_equal(s.sim.world.lists.key[i], HIGH);
    stage_close(&s);
}

/* Tests individuals that drift towards a wall. An individual fails to reach the wall with
   probability exp(-8), and then keeps its drift. The wall reverses the drift of the others, which
   move away from it. */
static void walls_reverse_drift_towards_them(void **state)
{
    (void)state;
    static const struct {
        int32_t voxel, attribute;
        double ux, uy;
        int32_t back; /* offset of the next voxel away from the wall */
    } wall[] = {{LOW, UX, -2, 0, 1}, {HIGH, UX, 2, 0, -1}, {TOP, UY, 0, 2, -40}};
    for (int k = 0; k < 3; k++) {
        struct stage s;
        int turned = 0;
        open_individuals(&s, wall[k].voxel, 0, wall[k].ux, wall[k].uy);
        const double before = wall[k].attribute == UX ? wall[k].ux : wall[k].uy;
        for (int i = 0; i < INDIVIDUALS; i++) {
            const double after = roll_trait(&s, 0, i, wall[k].attribute);
            const int64_t hops = ((int64_t)s.sim.world.lists.key[i] - wall[k].voxel) / wall[k].back;
            assert_true(after == -before || (after == before && hops == 0));
            assert_in_range(hops, 0, 38);
            turned += after == -before;
        }
        assert_true(turned > INDIVIDUALS - 10);
        stage_close(&s);
    }
}

/* Tests individuals that drift away from a wall: diffusion leads them to it about seven times each,
   but does not reverse them. */
static void walls_keep_drift_away_from_them(void **state)
{
    (void)state;
    struct stage s;
    open_individuals(&s, HIGH, 4, -0.5, 0);
    int64_t moved = 0;
    for (int i = 0; i < INDIVIDUALS; i++) {
        assert_true(roll_trait(&s, 0, i, UX) == -0.5);
        moved += s.sim.world.lists.key[i] != HIGH;
    }
    assert_true(moved > INDIVIDUALS / 2);
    stage_close(&s);
    open_individuals(&s, LOW, 4, 0.5, 0);
    for (int i = 0; i < INDIVIDUALS; i++)
        assert_true(roll_trait(&s, 0, i, UX) == 0.5);
    stage_close(&s);
    open_individuals(&s, 20, 0, 0, -2); /* ymin reflects, and does not reverse the drift */
    for (int i = 0; i < INDIVIDUALS; i++)
        assert_true(roll_trait(&s, 0, i, UY) == -2 && s.sim.world.lists.key[i] == 20);
    stage_close(&s);
}

static void impossible_rates_are_faults(void **state)
{
    (void)state;
    static const double wrong[][2] = {{NAN, 0}, {-0.5, 0},     {INFINITY, 0},
                                      {1, NAN}, {1, INFINITY}, {1, -INFINITY}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct stage s;
        open_individuals(&s, HIGH, wrong[i][0], wrong[i][1], 0);
        const struct rd_fault *const f = &s.sim.world.runs.fault[RD_FAULT_MOTION];
        assert_int_equal(f->number, INDIVIDUALS);
        assert_int_equal(rd_fault_voxel(f), HIGH);
        assert_int_equal(rd_fault_what(f), 0);
        assert_int_equal(s.sim.world.lists.key[0], HIGH);
        stage_close(&s);
    }
}

/* Tests that rates are computed again in each voxel: individuals with drift only stop where it
   ends. */
static void individuals_stop_where_drift_ends(void **state)
{
    (void)state;
    struct stage s;
    stage_open(&s, "passes/drift_ends.cfg", NULL, 20.0);
    roll_into_voxel(&s, 0, 0, 100);
    roll_into_voxel(&s, 1, 0, 100);
    const int32_t food[] = {0, 2, 4, 4, 4, 4, 4, 4, 4}; /* it rises up to voxel 2, and in it */
    for (int64_t site = 0; site < 9; site++)
        *stage_count(&s, 0, 2, site) = food[site];
    roll_move(&s, 0);
    roll_move(&s, 1);
    for (int i = 0; i < 100; i++) {
        assert_int_equal(s.sim.world.lists.key[i], 3);
        assert_int_equal(s.sim.world.lists.key[100 + i], 3);
    }
    stage_close(&s);
}

static void slopes_end_at_walls_and_wrap_at_periodic_ones(void **state)
{
    (void)state;
    const struct rd_world w = {.lattice.size = {4, 3, 1}, .lattice.edge = {0.5, 2, 1}};
    const struct rd_transport m = {.pass = {-1, -1, 0, 0.5, 0, 0}};
    static const struct {
        int32_t at[3];
        int64_t ahead[2], behind[2];
        double per_length[2];
    } seen[] = {{{0, 0, 0}, {1, 4}, {3, 0}, {1, 0.5}},
                {{1, 1, 0}, {1, 4}, {-1, -4}, {1, 0.25}},
                {{3, 2, 0}, {-3, 0}, {-1, -4}, {1, 0.5}}};
    for (int i = 0; i < 3; i++) {
        const struct rd_sight sight = rd_sight_at(&w.lattice, &m, seen[i].at);
        for (int axis = 0; axis < 2; axis++) {
            assert_int_equal(sight.ahead[axis], seen[i].ahead[axis]);
            assert_int_equal(sight.behind[axis], seen[i].behind[axis]);
            assert_true(sight.per_length[axis] == seen[i].per_length[axis]);
        }
        assert_true(sight.ahead[2] == 0 && sight.behind[2] == 0 && sight.per_length[2] == 0);
    }
}

int test_move_own(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(individuals_without_rates_stay),
        cmocka_unit_test(walls_reverse_drift_towards_them),
        cmocka_unit_test(walls_keep_drift_away_from_them),
        cmocka_unit_test(impossible_rates_are_faults),
        cmocka_unit_test(individuals_stop_where_drift_ends),
        cmocka_unit_test(slopes_end_at_walls_and_wrap_at_periodic_ones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
