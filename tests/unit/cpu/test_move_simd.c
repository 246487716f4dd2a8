/* test_move_simd - tests that move for lanes of the CPU gives the same bytes as the plain body. */
#include "kernels/cpu/move_simd.h"
#include "kernels/passes/movement/move.h"
#include "placed.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

static const char *const models[] = {"cpu/move_displacements.cfg", "cpu/move_in_region.cfg",
                                     "cpu/move_across_border.cfg", "cpu/move_own.cfg"};

/* Opens a stage with the individuals that the configuration places, and chooses the list of A. */
static void open_stage(struct stage *s, const char *name)
{
    placed_start(s, name, NULL, 0.6);
    s->sim.world.lists.at_list = 0;
    s->sim.world.lists.now = s->plan.list[0];
    s->sim.step_clock.step = 17;
    rd_sim_aim(&s->sim, 1, 0, 0.6);
}

static void assert_portions(const char *name, int64_t portion)
{
    struct stage one, many;
    open_stage(&one, name);
    open_stage(&many, name);
    const int64_t n = rd_n_listed(&one.sim.world.lists);
    assert_true(n > 2000);
    for (int64_t i = 0; i < n; i++)
        rd_move(&one.sim.world, i);
    for (int64_t i = 0; i < n; i += portion)
        rd_move_portion(&many.sim.world, i, i + portion < n ? i + portion : n);
    const struct rd_world *const a = &one.sim.world, *const b = &many.sim.world;
    assert_memory_equal(a->lists.key, b->lists.key, (size_t)a->lists.n_key * sizeof *a->lists.key);
    assert_int_equal(a->lists.coming[0], b->lists.coming[0]);
    if (a->counts.n_lost > 0)
        assert_memory_equal(a->counts.lost, b->counts.lost,
                            (size_t)a->counts.n_lost * sizeof *a->counts.lost);
    int64_t moved = 0;
    for (int64_t i = 1; i < n; i++)
        moved += a->lists.key[i] < a->lists.key[i - 1];
    assert_true(moved > n / 8);
    stage_close(&one);
    stage_close(&many);
}

static void portions_match_plain_body(void **state)
{
    (void)state;
    static const int64_t portions[] = {1, 3, 64, 65, 1000, 100000};
    for (size_t c = 0; c < sizeof models / sizeof *models; c++)
        for (size_t i = 0; i < sizeof portions / sizeof *portions; i++)
            assert_portions(models[c], portions[i]);
}

/* Returns one word of the call that belongs to entry i of the list. */
static uint64_t word_of(const struct rd_world *w, int64_t i, int which)
{
    const int64_t voxel = w->lists.key[w->lists.now.base + i];
    const struct rd_place p = rd_place_of(&w->lattice, voxel);
    const struct rd_stream s =
        rd_stream_of(w->pass.seed, w->lattice.first_run + p.run, w->pass.step_clock->step,
                     RD_FOR_MOVE + (uint32_t)w->lists.at_list, w->pass.part,
                     RD_MOVE_ITEM(RD_MOVE_VOXEL, p.site));
    uint32_t word[4];
    rd_stream_call(&s, (uint32_t)(i - w->lists.first[w->lists.now.voxels + voxel]), word);
    return word[which];
}

/* Tests ties: the word of an individual equals the threshold of leaving or of an axis, and a low
   word decides. */
static void second_word_decides_ties(void **state)
{
    (void)state;
    struct stage one, many;
    open_stage(&one, "cpu/move_periodic.cfg");
    open_stage(&many, "cpu/move_periodic.cfg");
    struct rd_world a = one.sim.world, b = many.sim.world;
    struct rd_transport m = a.movement.transport[0];
    assert_int_equal(a.lists.now.species, 0);
    a.movement.transport = b.movement.transport = &m;
    for (int64_t i = 0; i < 128; i++) {
        const bool is_way = i % 2;
        const uint64_t tie = word_of(&a, i, is_way) << 32 | UINT32_C(0x80000000);
        m.inner.leave = is_way ? UINT64_MAX : tie;
        m.inner.axes[0] = is_way ? tie : UINT64_MAX;
        m.inner.axes[1] = UINT64_MAX;
        m.inner.last = 1;
        rd_move(&a, i);
        rd_move_portion(&b, i, i + 1);
        assert_int_equal(a.lists.key[a.lists.now.base + i], b.lists.key[b.lists.now.base + i]);
    }
    stage_close(&one);
    stage_close(&many);
}

int test_move_simd(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(portions_match_plain_body),
        cmocka_unit_test(second_word_decides_ties),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
