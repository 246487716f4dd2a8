/* test_move_simd - tests that move for lanes of the CPU gives the same bytes as the plain body. */
#include "kernels/cpu/move_simd.h"
#include "kernels/passes/movement/move.h"
#include "stage.h"

#include "sim/place_individuals.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#define INDIVIDUALS                                                                                \
    "time = { end = 1; }; run = { runs = 3; first = 5; };"                                         \
    "initial = ( { species = \"B\"; count = 30; at = (0, 0, 0); },"                                \
    "            { species = \"A\"; count = 500; }, { species = \"A\"; count = 400; at = (0, 0, "  \
    "0); } );"

static const char *const configs[] = {
    /* displacement distributions: absorbing, periodic and reflecting walls, a drift, more than one
       bunch in a voxel */
    "grid = { voxels = (9, 4, 3); edge = 1; walls = { x = \"absorb\"; y = \"periodic\"; }; };"
    "species = ( { name = \"A\"; diffusion = 0.7; drift = (0.2, 0, 0);"
    "              individuals = { max = 1000; }; },"
    "            { name = \"B\"; individuals = { max = 99; }; } );" INDIVIDUALS,
    /* uniformised walks in a region; then across borders with other hop rates beyond them, to an
       absorbing wall */
    "grid = { voxels = (9, 4, 3); edge = 1; };"
    "regions = ( { name = \"ball\"; where = \"x^2 + y^2 + z^2 < 20\"; } );"
    "species = ( { name = \"A\"; diffusion = 0.7; drift = (0.2, 0, 0); in = \"ball\";"
    "              individuals = { max = 1000; }; },"
    "            { name = \"B\"; individuals = { max = 99; }; } );" INDIVIDUALS,
    "grid = { voxels = (9, 4, 3); edge = 1; walls = { y = \"absorb\"; }; };"
    "regions = ( { name = \"left\"; where = \"x < 3\"; },"
    "            { name = \"right\"; complement = \"left\"; } );"
    "borders = ( { between = (\"left\", \"right\"); pass = 0.4; } );"
    "species = ( { name = \"A\"; diffusion = \"if(in(left), 0.7, 0.3)\";"
    "              individuals = { max = 1000; }; },"
    "            { name = \"B\"; individuals = { max = 99; }; } );" INDIVIDUALS,
    /* each individual has its own diffusion rate */
    "grid = { voxels = (9, 4, 3); edge = 1; };"
    "species = ( { name = \"A\"; diffusion = \"d\"; individuals = { max = 1000;"
    "              attributes = ( { name = \"d\"; initial = \"uniform(0, 2)\"; } ); }; },"
    "            { name = \"B\"; individuals = { max = 99; }; } );" INDIVIDUALS,
};

/* Opens a stage with the individuals that the configuration places, and chooses the list of A. */
static void open_stage(struct stage *s, const char *text)
{
    struct rd_error e = {0};
    struct rd_placements placements = {0};
    stage_open(s, text, 0.6);
    int32_t *const count = calloc((size_t)s->sim.world.n_count, sizeof *count);
    assert_true(rd_place_start(&s->plan, s->model.value, count, &placements, &e) &&
                rd_sim_put_counts(&s->sim, count, &e) &&
                rd_place_individuals(&s->sim, &placements, s->model.value, count, -1, 0, &e));
    rd_placements_free(&placements);
    free(count);
    s->sim.world.at_list = 0;
    s->sim.world.now = s->plan.list[0];
    s->sim.step_clock.step = 17;
    rd_sim_aim(&s->sim, 1, 0, 0.6);
}

static void portions_do_what_single_ones_do(const char *text, int64_t portion)
{
    struct stage one, many;
    open_stage(&one, text);
    open_stage(&many, text);
    const int64_t n = rd_n_listed(&one.sim.world);
    assert_true(n > 2000);
    for (int64_t i = 0; i < n; i++)
        rd_move(&one.sim.world, i);
    for (int64_t i = 0; i < n; i += portion)
        rd_move_portion(&many.sim.world, i, i + portion < n ? i + portion : n);
    const struct rd_world *const a = &one.sim.world, *const b = &many.sim.world;
    assert_memory_equal(a->key, b->key, (size_t)a->n_key * sizeof *a->key);
    assert_int_equal(a->coming[0], b->coming[0]);
    if (a->n_lost > 0)
        assert_memory_equal(a->lost, b->lost, (size_t)a->n_lost * sizeof *a->lost);
    int64_t moved = 0;
    for (int64_t i = 1; i < n; i++)
        moved += a->key[i] < a->key[i - 1];
    assert_true(moved > n / 8);
    stage_close(&one);
    stage_close(&many);
}

static void portions_of_all_sizes(void **state)
{
    (void)state;
    static const int64_t portions[] = {1, 3, 64, 65, 1000, 100000};
    for (size_t c = 0; c < sizeof configs / sizeof *configs; c++)
        for (size_t i = 0; i < sizeof portions / sizeof *portions; i++)
            portions_do_what_single_ones_do(configs[c], portions[i]);
}

/* Returns one word of the call that belongs to entry i of the list. */
static uint64_t word_of(const struct rd_world *w, int64_t i, int which)
{
    const int64_t voxel = w->key[w->now.base + i];
    const struct rd_place p = rd_place_of(w, voxel);
    const struct rd_stream s = rd_stream_of(w->seed, w->first_run + p.run, w->step_clock->step,
                                            RD_FOR_MOVE + (uint32_t)w->at_list, w->part,
                                            RD_MOVE_ITEM(RD_MOVE_VOXEL, p.site));
    uint32_t word[4];
    rd_stream_call(&s, (uint32_t)(i - w->first[w->now.voxels + voxel]), word);
    return word[which];
}

/* Tests ties: the word of an individual equals the threshold of leaving or of an axis, and a low
   word decides. */
static void ties_are_broken_by_a_second_word(void **state)
{
    (void)state;
    struct stage one, many;
    const char *const text =
        "grid = { voxels = (9, 4, 3); edge = 1; walls = { x = \"periodic\"; y = \"periodic\";"
        "         z = \"periodic\"; }; };"
        "species = ( { name = \"A\"; diffusion = 0.7; individuals = { max = 1000; }; },"
        "            { name = \"B\"; individuals = { max = 99; }; } );" INDIVIDUALS;
    open_stage(&one, text);
    open_stage(&many, text);
    struct rd_world a = one.sim.world, b = many.sim.world;
    struct rd_transport m = a.transport[0];
    assert_int_equal(a.now.species, 0);
    a.transport = b.transport = &m;
    for (int64_t i = 0; i < 128; i++) {
        const bool is_way = i % 2;
        const uint64_t tie = word_of(&a, i, is_way) << 32 | UINT32_C(0x80000000);
        m.inner.leave = is_way ? UINT64_MAX : tie;
        m.inner.axes[0] = is_way ? tie : UINT64_MAX;
        m.inner.axes[1] = UINT64_MAX;
        m.inner.last = 1;
        rd_move(&a, i);
        rd_move_portion(&b, i, i + 1);
        assert_int_equal(a.key[a.now.base + i], b.key[b.now.base + i]);
    }
    stage_close(&one);
    stage_close(&many);
}

int test_move_simd(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(portions_of_all_sizes),
        cmocka_unit_test(ties_are_broken_by_a_second_word),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
