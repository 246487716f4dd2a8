/* test_hop_simd - tests that hop for lanes of the CPU gives the same bytes as the plain body. */
#include "kernels/cpu/hop_simd.h"
#include "kernels/passes/movement/hop.h"
#include "stage.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#define RUNS "run = { runs = 3; first = 5; }; time = { end = 1; };"
#define HALVES                                                                                     \
    "regions = ( { name = \"left\"; where = \"x < 5\"; },"                                         \
    "            { name = \"right\"; complement = \"left\"; } );"

static const char *const configs[] = {
    /* displacement distributions: corners of two absorbing walls, a drift, a species that does not
       move */
    "grid = { voxels = (9, 5, 3); edge = 1; walls = { x = \"absorb\"; z = \"absorb\"; }; };"
    "species = ( { name = \"A\"; diffusion = 1; }, { name = \"B\"; diffusion = 0; },"
    "            { name = \"C\"; diffusion = 0.3; drift = (0.2, 0, 0.1); } );" RUNS,
    /* uniformised walks: a region; borders that close, that transmit with a probability and that
       transmit all; other hop rates beyond the borders; walls that are periodic, that absorb and
       that absorb with a probability */
    "grid = { voxels = (9, 5, 3); edge = 1; };"
    "regions = ( { name = \"ball\"; where = \"(x - 4)^2 + y^2 + z^2 < 20\"; } );"
    "species = ( { name = \"A\"; diffusion = 1; in = \"ball\"; },"
    "            { name = \"B\"; diffusion = 0.3; drift = (0.2, 0, 0.1); in = \"ball\"; } );" RUNS,
    "grid = { voxels = (9, 5, 3); edge = 1; walls = { y = \"periodic\"; xmin = \"absorb\";"
    "         zmax = { kind = \"absorb\"; probability = 0.4; }; }; };" HALVES
    "borders = ( { from = \"left\"; to = \"right\"; pass = 0.4; species = (\"A\"); },"
    "            { from = \"right\"; to = \"left\"; pass = 0; species = (\"A\"); } );"
    "species = ( { name = \"A\"; diffusion = \"if(in(left), 0.7, 2)\"; },"
    "            { name = \"B\"; diffusion = \"if(in(left), 0.7, 0)\"; } );" RUNS,
    /* uniformised walks and displacement distributions in the same voxel */
    "grid = { voxels = (9, 5, 3); edge = 1; walls = { x = \"absorb\"; y = \"absorb\"; }; };" HALVES
    "borders = ( { between = (\"left\", \"right\"); pass = 0.4; species = (\"A\", \"C\"); } );"
    "species = ( { name = \"A\"; diffusion = 0.7; }, { name = \"B\"; diffusion = 0.5; },"
    "            { name = \"C\"; diffusion = 0.9; }, { name = \"D\"; diffusion = 0.2; } );" RUNS,
    /* waiting times as well */
    "grid = { voxels = (9, 5, 3); edge = 1; };" HALVES
    "borders = ( { between = (\"left\", \"right\"); pass = 0.4; species = (\"A\"); } );"
    "species = ( { name = \"A\"; diffusion = 0.7; }, { name = \"B\"; diffusion = \"1 + x / 9\"; },"
    "            { name = \"C\"; diffusion = 0.9; } );" RUNS,
    /* individuals, and hop rates that depend on counts; both are left out by hop */
    "grid = { voxels = (9, 5, 3); edge = 1; };"
    "species = ( { name = \"A\"; diffusion = 1; }, { name = \"B\"; diffusion = \"1 + A\"; },"
    "            { name = \"C\"; diffusion = 1; individuals = { max = 9; }; } );" RUNS,
};

/* Opens a stage with 0 to 26 molecules of each species in a voxel, more than are drawn one by one;
   every fourth voxel has 0 or 1. */
static void open_stage(struct stage *s, const char *text, double step)
{
    stage_open(s, text, step);
    const struct rd_world *const w = &s->sim.world;
    for (int64_t i = 0; i < w->n_count; i++)
        w->count[i] = (int32_t)(i % w->n_voxels % 4 == 0 ? i % 3 / 2 : i * 7 % 27);
    s->sim.step_clock.step = 17;
    rd_sim_aim(&s->sim, 1, 0, step);
}

/* Checks that portions give the same bytes as single voxels; returns the number of molecules that
   are moving. */
static int64_t hop_both(const struct rd_world *a, const struct rd_world *b, int64_t portion)
{
    for (int64_t i = 0; i < a->n_voxels; i++)
        rd_hop(a, i);
    for (int64_t i = 0; i < b->n_voxels; i += portion)
        rd_hop_portion(b, i, i + portion < b->n_voxels ? i + portion : b->n_voxels);
    assert_memory_equal(a->count, b->count, (size_t)a->n_count * sizeof *a->count);
    assert_memory_equal(a->arrive, b->arrive, (size_t)a->n_arrive * sizeof *a->arrive);
    if (a->n_lost > 0)
        assert_memory_equal(a->lost, b->lost, (size_t)a->n_lost * sizeof *a->lost);
    int64_t arriving = 0;
    for (int64_t i = 0; i < a->n_arrive; i++)
        arriving += a->arrive[i];
    return arriving;
}

static void portions_do_what_single_ones_do(const char *text, double step, int64_t portion)
{
    struct stage one, many;
    open_stage(&one, text, step);
    open_stage(&many, text, step);
    assert_true(hop_both(&one.sim.world, &many.sim.world, portion) > one.sim.world.n_voxels);
    stage_close(&one);
    stage_close(&many);
}

static void portions_of_all_sizes(void **state)
{
    (void)state;
    static const int64_t portions[] = {1, 3, 64, 135, 1000};
    for (size_t c = 0; c < sizeof configs / sizeof *configs; c++)
        for (size_t i = 0; i < sizeof portions / sizeof *portions; i++) {
            portions_do_what_single_ones_do(configs[c], 0.3, portions[i]);
            portions_do_what_single_ones_do(configs[c], 4.0, portions[i]);
        }
}

/* Tests that no molecule leaves a voxel of a stopped run. */
static void runs_that_stand_frozen(void **state)
{
    (void)state;
    struct stage one, many;
    for (int i = 0; i < 2; i++) {
        struct stage *const s = i == 0 ? &one : &many;
        open_stage(s,
                   "grid = { voxels = (90); edge = 1; }; species = ( { name = \"A\"; diffusion = 1;"
                   "} ); run = { runs = 3; }; time = { end = 1; stop = \"A >= 100000\"; };",
                   0.5);
        s->sim.world.frozen[1] = RD_FROZEN_STOPPED;
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
    char text[4096];
    int n =
        snprintf(text, sizeof text,
                 "grid = { voxels = (40); edge = 1; };" HALVES
                 "borders = ( { between = (\"left\", \"right\"); pass = 0.4; species = (\"S0\"");
    for (int i = 1; i < 10; i++)
        n += snprintf(text + n, sizeof text - (size_t)n, ", \"S%d\"", i);
    n += snprintf(text + n, sizeof text - (size_t)n, "); } ); species = ( ");
    for (int i = 0; i < 20; i++)
        n += snprintf(text + n, sizeof text - (size_t)n, "%s{ name = \"S%d\"; diffusion = 1; }",
                      i > 0 ? ", " : "", i);
    snprintf(text + n, sizeof text - (size_t)n, " ); time = { end = 1; };");
    for (int32_t each = 1; each < RD_BATCH_LEAST; each += 3) {
        struct stage one, many;
        open_stage(&one, text, 0.5);
        open_stage(&many, text, 0.5);
        for (int64_t i = 0; i < one.sim.world.n_count; i++)
            one.sim.world.count[i] = many.sim.world.count[i] = each;
        assert_true(hop_both(&one.sim.world, &many.sim.world, 100) > one.sim.world.n_count / 8);
        stage_close(&one);
        stage_close(&many);
    }
}

/* Tests ties: in each voxel the word of the last of five molecules equals a threshold, and a low
   word decides. */
enum { VOXELS = 32, ASKED = 5 };
#define PERIODIC                                                                                   \
    "grid = { voxels = (8, 4, 2); edge = 1; walls = { x = \"periodic\"; y = \"periodic\";"         \
    "         z = \"periodic\"; }; }; species = ( { name = \"A\"; diffusion = 1; } );"             \
    "time = { end = 1; };"

/* Holds two stages and one transport, which the test sets for each voxel. */
struct tie {
    struct stage one, many;
    struct rd_world a, b;
    struct rd_transport m;
};

static void tie_open(struct tie *t, const char *text)
{
    open_stage(&t->one, text, 0.5);
    open_stage(&t->many, text, 0.5);
    t->a = t->one.sim.world;
    t->b = t->many.sim.world;
    t->m = t->a.transport[0];
    t->a.transport = t->b.transport = &t->m;
}

static void tie_close(struct tie *t)
{
    stage_close(&t->one);
    stage_close(&t->many);
}

static uint32_t word_of(const struct tie *t, int64_t voxel, uint32_t purpose, uint32_t call,
                        int which)
{
    const struct rd_place p = rd_place_of(&t->a, voxel);
    const struct rd_stream s = rd_hop_stream(&t->a, &p, purpose);
    uint32_t word[4];
    rd_stream_call(&s, call, word);
    return word[which];
}

static void hop_from(const struct tie *t, int64_t voxel)
{
    t->a.count[voxel] = t->b.count[voxel] = ASKED;
    rd_hop(&t->a, voxel);
    rd_hop_portion(&t->b, voxel, voxel + 1);
    assert_int_equal(t->a.count[voxel], t->b.count[voxel]);
    assert_memory_equal(t->a.arrive, t->b.arrive, (size_t)t->a.n_arrive * sizeof *t->a.arrive);
}

static void assert_ties(const char *text)
{
    struct tie t;
    int n_by_tie = 0;
    tie_open(&t, text);
    for (int64_t voxel = 0; voxel < VOXELS; voxel++) {
        const uint32_t last = word_of(&t, voxel, RD_FOR_STAY, 1, 0);
        t.m.hop_rate.probability = (last + 0.5) / 4294967296.0;
        t.m.inner.leave = rd_threshold(t.m.hop_rate.probability);
        hop_from(&t, voxel);
        n_by_tie += ASKED - t.a.count[voxel];
        for (int i = 0; i < ASKED - 1; i++)
            n_by_tie -= word_of(&t, voxel, RD_FOR_STAY, 0, i) < last;
    }
    assert_in_range(n_by_tie, VOXELS / 4, VOXELS * 3 / 4);
    tie_close(&t);
}

static void ties_of_those_who_stay_or_leave(void **state)
{
    (void)state;
    assert_ties(PERIODIC);
    assert_ties("grid = { voxels = (40); edge = 1; };" HALVES
                "borders = ( { between = (\"left\", \"right\"); pass = 0.4; } );"
                "species = ( { name = \"A\"; diffusion = 1; } ); time = { end = 1; };");
}

/* Tests ties of the axis: all molecules leave, along x or y. */
static void ties_of_those_who_go_by_rows(void **state)
{
    (void)state;
    struct tie t;
    tie_open(&t, PERIODIC);
    t.m.inner.leave = t.m.inner.axes[1] = UINT64_MAX;
    t.m.inner.last = 1;
    for (int64_t voxel = 0; voxel < VOXELS; voxel++) {
        const uint64_t last = word_of(&t, voxel, RD_FOR_WHERE, ASKED - 1, 0);
        t.m.inner.axes[0] = last << 32 | UINT32_C(0x80000000);
        hop_from(&t, voxel);
    }
    tie_close(&t);
}

int test_hop_simd(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(portions_of_all_sizes),
        cmocka_unit_test(runs_that_stand_frozen),
        cmocka_unit_test(many_species),
        cmocka_unit_test(ties_of_those_who_stay_or_leave),
        cmocka_unit_test(ties_of_those_who_go_by_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
