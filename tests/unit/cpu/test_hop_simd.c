/* test_hop_simd - tests that hop for lanes of the CPU gives the same bytes as the plain body. */
#include "kernels/cpu/hop_simd.h"
#include "kernels/passes/movement/hop.h"
#include "stage.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static const char *const models[] = {"cpu/hop_displacements.cfg",  "cpu/hop_in_region.cfg",
                                     "cpu/hop_across_borders.cfg", "cpu/hop_mixed.cfg",
                                     "cpu/hop_waiting_times.cfg",  "cpu/hop_left_out.cfg"};

/* Opens a stage with 0 to 26 molecules of each species in a voxel, more than are drawn one by one;
   every fourth voxel has 0 or 1. */
static void open_stage(struct stage *s, const char *name, double step)
{
    stage_open(s, name, NULL, step);
    const struct rd_world *const w = &s->sim.world;
    for (int64_t i = 0; i < w->counts.n_count; i++)
        w->counts.count[i] = (int32_t)(i % w->lattice.n_voxels % 4 == 0 ? i % 3 / 2 : i * 7 % 27);
    s->sim.step_clock.step = 17;
    rd_sim_aim(&s->sim, 1, 0, step);
}

/* Checks that portions give the same bytes as single voxels; returns the number of molecules that
   are moving. */
static int64_t hop_both(const struct rd_world *a, const struct rd_world *b, int64_t portion)
{
    for (int64_t i = 0; i < a->lattice.n_voxels; i++)
        rd_hop(a, i);
    for (int64_t i = 0; i < b->lattice.n_voxels; i += portion)
        rd_hop_portion(b, i, i + portion < b->lattice.n_voxels ? i + portion : b->lattice.n_voxels);
    assert_memory_equal(a->counts.count, b->counts.count,
                        (size_t)a->counts.n_count * sizeof *a->counts.count);
    assert_memory_equal(a->counts.arrive, b->counts.arrive,
                        (size_t)a->counts.n_arrive * sizeof *a->counts.arrive);
    if (a->counts.n_lost > 0)
        assert_memory_equal(a->counts.lost, b->counts.lost,
                            (size_t)a->counts.n_lost * sizeof *a->counts.lost);
    int64_t arriving = 0;
    for (int64_t i = 0; i < a->counts.n_arrive; i++)
        arriving += a->counts.arrive[i];
    return arriving;
}

static void assert_portions(const char *name, double step, int64_t portion)
{
    struct stage one, many;
    open_stage(&one, name, step);
    open_stage(&many, name, step);
    assert_true(hop_both(&one.sim.world, &many.sim.world, portion) >
                one.sim.world.lattice.n_voxels);
    stage_close(&one);
    stage_close(&many);
}

static void portions_match_plain_body(void **state)
{
    (void)state;
    static const int64_t portions[] = {1, 3, 64, 135, 1000};
    for (size_t c = 0; c < sizeof models / sizeof *models; c++)
        for (size_t i = 0; i < sizeof portions / sizeof *portions; i++) {
            assert_portions(models[c], 0.3, portions[i]);
            assert_portions(models[c], 4.0, portions[i]);
        }
}

/* Tests that no molecule leaves a voxel of a stopped run. */
static void stopped_runs_are_left_out(void **state)
{
    (void)state;
    struct stage one, many;
    for (int i = 0; i < 2; i++) {
        struct stage *const s = i == 0 ? &one : &many;
        open_stage(s, "cpu/hop_stopped.cfg", 0.5);
        s->sim.world.runs.frozen[1] = RD_FROZEN_STOPPED;
    }
    hop_both(&one.sim.world, &many.sim.world, 100);
    assert_int_equal(stage_arriving(&many, 1, 0), 0);
    assert_true(stage_arriving(&many, 2, 0) > 0);
    stage_close(&one);
    stage_close(&many);
}

/* Tests so many species that a voxel has more molecules than are drawn at once; some use
   displacement distributions, some uniformised walks. */
static void many_species(void **state)
{
    (void)state;
    for (int32_t each = 1; each < RD_BATCH_LEAST; each += 3) {
        struct stage one, many;
        open_stage(&one, "cpu/hop_many_species.cfg", 0.5);
        open_stage(&many, "cpu/hop_many_species.cfg", 0.5);
        for (int64_t i = 0; i < one.sim.world.counts.n_count; i++)
            one.sim.world.counts.count[i] = many.sim.world.counts.count[i] = each;
        assert_true(hop_both(&one.sim.world, &many.sim.world, 100) >
                    one.sim.world.counts.n_count / 8);
        stage_close(&one);
        stage_close(&many);
    }
}

/* Tests species that are listed block by block, since each is in few voxels; then they land. */
static void rare_species(void **state)
{
    (void)state;
    static const int64_t portions[] = {1, 3, 64, 135, 1000};
    for (size_t k = 0; k < sizeof portions / sizeof *portions; k++) {
        struct stage one, many;
        open_stage(&one, "cpu/rare_species.cfg", 0.5);
        open_stage(&many, "cpu/rare_species.cfg", 0.5);
        const struct rd_world *const a = &one.sim.world, *const b = &many.sim.world;
        for (int64_t i = 0; i < a->counts.n_count; i++)
            a->counts.count[i] = b->counts.count[i] =
                (int32_t)(i / 64 % 3 == 0 && i * i % 11 == 3 ? i % 27 : 0);
        assert_true(hop_both(a, b, portions[k]) > 100);
        a->counts.arrive[77] = b->counts.arrive[77] = -5;
        a->counts.arrive[333] = b->counts.arrive[333] = 2; /* one too many */
        a->counts.count[333] = b->counts.count[333] = INT32_MAX - 1;
        a->counts.arrive[400] = b->counts.arrive[400] = 2;
        a->counts.count[400] = b->counts.count[400] = INT32_MAX - 2;
        for (int64_t i = 0; i < a->lattice.n_voxels; i++)
            rd_land(a, i);
        for (int64_t i = 0; i < b->lattice.n_voxels; i += portions[k])
            rd_land_portion(b, i,
                            i + portions[k] < b->lattice.n_voxels ? i + portions[k]
                                                                  : b->lattice.n_voxels);
        assert_memory_equal(a->counts.count, b->counts.count,
                            (size_t)a->counts.n_count * sizeof *a->counts.count);
        assert_memory_equal(a->counts.arrive, b->counts.arrive,
                            (size_t)a->counts.n_arrive * sizeof *a->counts.arrive);
        assert_int_equal(b->runs.fault[RD_FAULT_OVERFLOW].number, 2);
        assert_int_equal(b->counts.count[400], INT32_MAX);
        assert_int_equal(b->runs.fault[RD_FAULT_OVERFLOW].first,
                         a->runs.fault[RD_FAULT_OVERFLOW].first);
        stage_close(&one);
        stage_close(&many);
    }
}

/* Tests ties: in each voxel the word of the last of five molecules equals a threshold, and a low
   word decides. */
enum { VOXELS = 32, N_DRAWN = 5 };
/* Holds two stages and one transport, which the test sets for each voxel. */
struct tie {
    struct stage one, many;
    struct rd_world a, b;
    struct rd_transport m;
};

static void tie_open(struct tie *t, const char *name)
{
    open_stage(&t->one, name, 0.5);
    open_stage(&t->many, name, 0.5);
    t->a = t->one.sim.world;
    t->b = t->many.sim.world;
    t->m = t->a.movement.transport[0];
    t->a.movement.transport = t->b.movement.transport = &t->m;
}

static void tie_close(struct tie *t)
{
    stage_close(&t->one);
    stage_close(&t->many);
}

static uint32_t word_of(const struct tie *t, int64_t voxel, uint32_t purpose, uint32_t call,
                        int which)
{
    const struct rd_place p = rd_place_of(&t->a.lattice, voxel);
    const struct rd_stream s = rd_hop_stream(&t->a, &p, purpose);
    uint32_t word[4];
    rd_stream_call(&s, call, word);
    return word[which];
}

static void hop_from(const struct tie *t, int64_t voxel)
{
    t->a.counts.count[voxel] = t->b.counts.count[voxel] = N_DRAWN;
    rd_hop(&t->a, voxel);
    rd_hop_portion(&t->b, voxel, voxel + 1);
    assert_int_equal(t->a.counts.count[voxel], t->b.counts.count[voxel]);
    assert_memory_equal(t->a.counts.arrive, t->b.counts.arrive,
                        (size_t)t->a.counts.n_arrive * sizeof *t->a.counts.arrive);
}

static void assert_ties(const char *name)
{
    struct tie t;
    int n_by_tie = 0;
    tie_open(&t, name);
    for (int64_t voxel = 0; voxel < VOXELS; voxel++) {
        const uint32_t last = word_of(&t, voxel, RD_FOR_STAY, 1, 0);
        t.m.hop_rate.probability = (last + 0.5) / 4294967296.0;
        t.m.inner.leave = rd_threshold(t.m.hop_rate.probability);
        hop_from(&t, voxel);
        n_by_tie += N_DRAWN - t.a.counts.count[voxel];
        for (int i = 0; i < N_DRAWN - 1; i++)
            n_by_tie -= word_of(&t, voxel, RD_FOR_STAY, 0, i) < last;
    }
    assert_in_range(n_by_tie, VOXELS / 4, VOXELS * 3 / 4);
    tie_close(&t);
}

static void ties_of_leaving(void **state)
{
    (void)state;
    assert_ties("cpu/hop_periodic.cfg");
    assert_ties("cpu/hop_border.cfg");
}

/* Tests ties of the axis: all molecules leave, along x or y. */
static void ties_of_axes(void **state)
{
    (void)state;
    struct tie t;
    tie_open(&t, "cpu/hop_periodic.cfg");
    t.m.inner.leave = t.m.inner.axes[1] = UINT64_MAX;
    t.m.inner.last = 1;
    for (int64_t voxel = 0; voxel < VOXELS; voxel++) {
        const uint64_t last = word_of(&t, voxel, RD_FOR_WHERE, N_DRAWN - 1, 0);
        t.m.inner.axes[0] = last << 32 | UINT32_C(0x80000000);
        hop_from(&t, voxel);
    }
    tie_close(&t);
}

int test_hop_simd(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(portions_match_plain_body),
        cmocka_unit_test(stopped_runs_are_left_out),
        cmocka_unit_test(many_species),
        cmocka_unit_test(rare_species),
        cmocka_unit_test(ties_of_leaving),
        cmocka_unit_test(ties_of_axes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
