/* test_maintain - tests that the lists of a voxel agree with its counts: what maintain leaves for
   the later stages, and that it repeats the events that react counted. */
#include "kernels/passes/lists/maintain.h"

#include "roll.h"
#include "sim/lists.h"

/* Opens voxels with individuals: A in 0, 0, 0, 2, 2 and B in 2; voxels 1 and 3 are empty. */
static void open_turnover(struct stage *s)
{
    stage_open(s, "passes/turnover.cfg", NULL, 1.0);
    roll_put(s, 0, (const int32_t[]){0, 0, 0, 2, 2}, 5);
    roll_put(s, 1, (const int32_t[]){2}, 1);
    rd_sim_aim(&s->sim, 0, 0, 1.0);
    *s->sim.world.lists.need = (struct rd_need){0};
}

/* Tests that death marks of the last step are cleared, and that flags are set for voxels after
   occupied ones, even if no event occurs. */
static void voxels_begin_with_flags_and_without_deaths(void **state)
{
    (void)state;
    struct stage s;
    open_turnover(&s);
    const struct rd_world *const w = &s.sim.world;
    memset(w->lists.offset, 0x11, (size_t)w->lists.n_offset * sizeof *w->lists.offset);
    memset(w->lists.flag + 1, 0x11, 4);
    w->lists.births[4] = w->lists.named[4] = 9;
    for (int64_t voxel = 0; voxel < 4; voxel++) {
        w->lists.births[voxel] = w->lists.named[voxel] = 0; /* as react leaves them */
        w->lists.touched[voxel] = 0;
        rd_maintain(w, voxel);
    }
    static const uint8_t flag_a[] = {0, 1, 0, 1, 0}, flag_b[] = {0, 0, 0, 1, 0};
    assert_memory_equal(w->lists.flag, flag_a, sizeof flag_a);
    assert_memory_equal(w->lists.flag + 5, flag_b, sizeof flag_b);
    for (int i = 0; i < 5; i++)
        assert_int_equal(w->lists.offset[i], 0);
    assert_true(w->lists.births[4] == 0 && w->lists.named[4] == 0);
    assert_int_equal(w->lists.need->n_newborn, 0);
    stage_close(&s);
}

/* Checks that marked deaths, living newborn and counts of a voxel agree. */
static void assert_voxel_is_consistent(const struct stage *s, int64_t list, int64_t voxel)
{
    const struct rd_world *const w = &s->sim.world;
    const struct rd_list *const l = &w->lists.list[list];
    int32_t n = 0, places = 0, alive = 0;
    for (int64_t i = w->lists.first[l->voxels + voxel]; i < w->lists.first[l->voxels + voxel + 1];
         i++) {
        const int32_t offset = w->lists.offset[l->base + i];
        assert_true(offset == 0 || offset == -1);
        n += 1 + offset;
    }
    for (int64_t i = 0; i < w->lists.need->n_newborn; i++) {
        const struct rd_newborn *const b = &w->lists.newborn[i];
        if (b->list != list || b->voxel != voxel || b->place < 0)
            continue;
        alive++;
        places += b->place;
    }
    assert_int_equal(alive, w->lists.births[l->voxels + voxel]);
    assert_int_equal(places, alive * (alive - 1) / 2); /* 0 ... alive - 1 */
    assert_int_equal(n + alive, w->counts.count[l->species * w->lattice.n_voxels + voxel]);
}

static void individuals_match_counts(void **state)
{
    (void)state;
    struct stage s;
    open_turnover(&s);
    struct rd_world *const w = &s.sim.world;
    int64_t dead = 0, turnover_seen = 0;
    for (s.sim.step_clock.step = 0; s.sim.step_clock.step < 50; s.sim.step_clock.step++) {
        *w->lists.need = (struct rd_need){0};
        roll_put(&s, 0, (const int32_t[]){0, 0, 0, 2, 2}, 5);
        roll_put(&s, 1, (const int32_t[]){2}, 1);
        for (int64_t voxel = 0; voxel < 4; voxel++)
            rd_react(w, voxel);
        const struct rd_need counted = *w->lists.need;
        for (int64_t voxel = 0; voxel < 4; voxel++)
            rd_maintain(w, voxel);
        assert_int_equal(w->lists.need->n_newborn, counted.newborn);
        assert_int_equal(w->lists.need->n_notes, counted.notes);
        for (int64_t voxel = 0; voxel < 4; voxel++)
            for (int64_t list = 0; list < 2; list++)
                assert_voxel_is_consistent(&s, list, voxel);
        for (int i = 0; i < 5; i++)
            dead += w->lists.offset[i] < 0;
        for (int64_t i = 0; i < w->lists.need->n_newborn; i++)
            turnover_seen += w->lists.newborn[i].place < 0;
    }
    assert_true(dead > 50 && turnover_seen > 50); /* enough deaths and short lives occurred */
    stage_close(&s);
}

/* Tests 0 -> A, A -> 0: each of four individuals is equally likely to die, however many are born
   meanwhile. Some of the survivors were born in the pass. */
static void each_is_equally_likely_to_die(void **state)
{
    (void)state;
    enum { N = 4000, OLD = 4 };
    int64_t died[OLD] = {0}, all = 0;
    struct stage s;
    stage_open(&s, "passes/birth_death.cfg", NULL, 0.7);
    struct rd_world *const w = &s.sim.world;
    for (s.sim.step_clock.step = 0; s.sim.step_clock.step < N; s.sim.step_clock.step++) {
        *w->lists.need = (struct rd_need){0};
        roll_put(&s, 0, (const int32_t[]){0, 0, 0, 0}, OLD);
        rd_react(w, 0);
        rd_maintain(w, 0);
        for (int i = 0; i < OLD; i++) {
            died[i] += w->lists.offset[i] < 0;
            all += w->lists.offset[i] < 0;
        }
    }
    const double dies = 1 - exp(-0.7), n = N * OLD;
    assert_deviation("how many", ((double)all - n * dies) / sqrt(n * dies * (1 - dies)));
    const double each[] = {(double)all / OLD, (double)all / OLD, (double)all / OLD,
                           (double)all / OLD};
    assert_deviation("which dies", chi_square_deviate(died, each, OLD));
    stage_close(&s);
}

int test_maintain(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(voxels_begin_with_flags_and_without_deaths),
        cmocka_unit_test(individuals_match_counts),
        cmocka_unit_test(each_is_equally_likely_to_die),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
