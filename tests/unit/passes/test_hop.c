/* test_hop - tests of the molecules that leave a voxel in a step: their number is conserved, small
   and large numbers have the same distribution, and thresholds are exact. */
#include "kernels/passes/movement/hop.h"

#include "stage.h"
#include "theory.h"

#include <stdlib.h>
#include <string.h>

#define BOX "passes/hop_box.cfg"
static const double box_step = 0.5;
static const int64_t inner_site = (2 * 6 + 3) * 7 + 3;  /* far from absorbing walls */
static const int64_t corner_site = (4 * 6 + 0) * 7 + 0; /* where two absorbing walls meet */

static void clear(const struct stage *s)
{
    const struct rd_world *const w = &s->sim.world;
    memset(w->counts.arrive, 0, (size_t)w->counts.n_count * sizeof *w->counts.arrive);
    memset(w->counts.lost, 0, (size_t)w->counts.n_lost * sizeof *w->counts.lost);
}

static int64_t all_lost(const struct stage *s, int64_t run, int species)
{
    int64_t sum = 0;
    for (int face = 0; face < RD_N_FACES; face++)
        sum += stage_lost(s, run, species, face);
    return sum;
}

static void assert_kept(const struct stage *s, int64_t site, int32_t n)
{
    clear(s);
    *stage_count(s, 0, 0, site) = n;
    rd_hop(&s->sim.world, site);
    const int64_t stay = *stage_count(s, 0, 0, site);
    assert_true(stay >= 0);
    assert_int_equal(stay + stage_arriving(s, 0, 0) + all_lost(s, 0, 0), n);
    *stage_count(s, 0, 0, site) = 0;
}

static void hops_conserve_molecules(void **state)
{
    (void)state;
    static const int32_t numbers[] = {1, 2, RD_BATCH_LEAST - 1, RD_BATCH_LEAST, 1000, 100000};
    struct stage s;
    stage_open(&s, BOX, NULL, box_step);
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        for (int64_t site = 0; site < s.sim.world.lattice.n_sites; site++)
            assert_kept(&s, site, numbers[i]);
    assert_kept(&s, inner_site, INT32_MAX);
    stage_close(&s);
}

/* Returns n_sites + 6 probabilities: the place of one molecule after the step, by the rates of the
   walk, or the face that absorbed it; the caller frees. */
static double *probabilities_from(const struct stage *s, int64_t site)
{
    const struct rd_world *const w = &s->sim.world;
    struct theory_walk walk = {
        .size = {w->lattice.size[0], w->lattice.size[1], w->lattice.size[2]}};
    theory_set_rates(&walk, 0, 1, 0.5, 1);
    theory_set_rates(&walk, 1, 0.5, 0, 1.25);
    theory_set_rates(&walk, 2, 0.3, 0, 0.8);
    memcpy(walk.pass, (const double[]){1, 0, -1, -1, 0, 0.4}, sizeof walk.pass);
    double *const p = calloc((size_t)w->lattice.n_sites + RD_N_FACES, sizeof *p);
    assert_non_null(p);
    p[site] = 1;
    theory_walk_on(&walk, box_step, p);
    return p;
}

/* Checks the voxels of n molecules from the site after one step, in `runs` runs, with
   chi-square. */
static void assert_spread(const struct stage *s, int64_t site, int32_t n, int64_t runs)
{
    const struct rd_world *const w = &s->sim.world;
    const double all = (double)n * (double)runs;
    double *const p = probabilities_from(s, site), expected[256], rest_expected = all;
    int64_t seen[256], rest = n * runs;
    int bins = 0;
    clear(s);
    for (int64_t run = 0; run < runs; run++) {
        *stage_count(s, run, 0, site) = n;
        rd_hop(w, run * w->lattice.n_sites + site);
    }
    for (int64_t to = 0; to < w->lattice.n_sites + RD_N_FACES; to++) {
        if (p[to] * all < 20)
            continue;
        expected[bins] = p[to] * all;
        seen[bins] = 0;
        for (int64_t run = 0; run < runs; run++)
            seen[bins] +=
                to >= w->lattice.n_sites
                    ? stage_lost(s, run, 0, (int)(to - w->lattice.n_sites))
                    : *stage_count(s, run, 0, to) + w->counts.arrive[run * w->lattice.n_sites + to];
        rest_expected -= expected[bins];
        rest -= seen[bins++];
    }
    if (rest_expected >= 20) {
        expected[bins] = rest_expected;
        seen[bins++] = rest;
    }
    for (int64_t run = 0; run < runs; run++)
        *stage_count(s, run, 0, site) = 0;
    assert_true(bins > 5);
    assert_deviation("spread", chi_square_deviate(seen, expected, bins));
    free(p);
}

/* Tests numbers below the threshold, whose molecules are drawn one by one, and numbers from it on,
   which are drawn as binomial batches. Both are tested inside and where two absorbing walls
   meet. */
static void single_and_batched_molecules_spread_alike(void **state)
{
    (void)state;
    struct stage s;
    stage_open(&s, BOX, SETS("run.runs=2000"), box_step);
    const int64_t sites[] = {inner_site, corner_site};
    for (int i = 0; i < 2; i++) {
        assert_spread(&s, sites[i], 1, 2000);
        assert_spread(&s, sites[i], RD_BATCH_LEAST - 1, 2000);
        assert_spread(&s, sites[i], RD_BATCH_LEAST, 2000);
        assert_spread(&s, sites[i], 1000000, 3);
    }
    stage_close(&s);
}

static void molecules_stay_in_their_region(void **state)
{
    (void)state;
    struct stage s;
    stage_open(&s, "passes/hop_disc.cfg", NULL, 2.0);
    const struct rd_world *const w = &s.sim.world;
    assert_int_equal(s.plan.transport[0].kind, RD_MOVE_WALK);
    *stage_count(&s, 0, 0, 4 * 9 + 4) = 20000;
    *stage_count(&s, 0, 0, 4 * 9 + 5) = RD_BATCH_LEAST - 1;
    rd_hop(w, 4 * 9 + 4);
    rd_hop(w, 4 * 9 + 5);
    assert_int_equal(stage_total(&s, 0, 0) + stage_arriving(&s, 0, 0), 20000 + RD_BATCH_LEAST - 1);
    assert_in_range(*stage_count(&s, 0, 0, 4 * 9 + 4), 1, 200); /* exp(-8) 20000 = 6.7 */
    for (int64_t site = 0; site < w->lattice.n_sites; site++)
        assert_true(rd_is_in(&w->lattice, 0, site) || w->counts.arrive[site] == 0);
    assert_true(w->counts.arrive[2 * 9 + 4] > 0);
    stage_close(&s);
}

/* Tests that 64 bits decide whether a molecule leaves: if its word equals that of the threshold, a
   low word of its own follows. */
static void second_word_decides_ties(void **state)
{
    (void)state;
    struct stage s;
    stage_open(&s, BOX, NULL, box_step);
    struct rd_hop_state h = {.w = &s.sim.world,
                             .p = rd_place_of(&s.sim.world.lattice, 100),
                             .n_drawn = 3,
                             .tie_purpose = RD_FOR_TIE,
                             .tie_item = 100};
    const struct rd_stream stay = rd_hop_stream(h.w, &h.p, RD_FOR_STAY);
    const struct rd_stream tie = rd_hop_stream(h.w, &h.p, RD_FOR_TIE);
    uint32_t high[4], low[4];
    rd_stream_call(&stay, 0, high);
    rd_stream_call(&tie, 3, low);
    const uint64_t word = (uint64_t)high[0] << 32 | low[0];
    const uint64_t thresholds[] = {word, word + 1, word - 1, (uint64_t)high[0] << 32,
                                   (uint64_t)(high[0] + 1) << 32};
    const bool leaves[] = {false, true, false, false, true};
    for (int i = 0; i < 5; i++) {
        h.stay = stay;
        assert_int_equal(rd_leaves(&h, thresholds[i]), leaves[i]);
    }
    stage_close(&s);
}

static void jumps_end_below_their_thresholds(void **state)
{
    (void)state;
    const struct rd_jump jump[] = {{0, 0}, {100, 1}, {200, -1}, {UINT32_MAX, 5}};
    const struct rd_displacement row = {.first = 1, .n = 3};
    const struct rd_world w = {.movement.jump = jump};
    assert_int_equal(rd_shift(&w.movement, &row, 0), 1);
    assert_int_equal(rd_shift(&w.movement, &row, 99), 1);
    assert_int_equal(rd_shift(&w.movement, &row, 100), -1);
    assert_int_equal(rd_shift(&w.movement, &row, 199), -1);
    assert_int_equal(rd_shift(&w.movement, &row, 200), 5);
    assert_int_equal(rd_shift(&w.movement, &row, UINT32_MAX), 5);
}

static void voxels_near_an_end_have_their_own_displacements(void **state)
{
    (void)state;
    static const struct rd_displacement row[20];
    const struct rd_world w = {.movement.displacement = row};
    const struct rd_axis_table inner = {.lo = 10, .hi = 20, .reach = 3, .first = 2};
    const int expected[] = {0, 1, 2, 3, 3, 3, 3, 4, 5, 6};
    for (int32_t i = 0; i < 10; i++)
        assert_ptr_equal(rd_displacement_at(&w.movement, &inner, 10 + i), &row[2 + expected[i]]);
    const struct rd_axis_table each = {.lo = 4, .hi = 9, .reach = 5, .first = 0};
    for (int32_t i = 0; i < 5; i++)
        assert_ptr_equal(rd_displacement_at(&w.movement, &each, 4 + i), &row[i]);
    const struct rd_axis_table one = {.hi = 100, .first = 7};
    assert_ptr_equal(rd_displacement_at(&w.movement, &one, 0), &row[7]);
    assert_ptr_equal(rd_displacement_at(&w.movement, &one, 99), &row[7]);
}

static void periodic_axes_wrap_any_number_of_times(void **state)
{
    (void)state;
    for (int32_t i = -50; i < 50; i++) {
        const int32_t at = rd_wrap(i, 7);
        assert_in_range(at, 0, 6);
        assert_int_equal((i - at) % 7, 0);
    }
}

/* Tests that a later species in the canonical order does not change the words of earlier ones. */
static void later_species_do_not_change_words_of_earlier_ones(void **state)
{
    (void)state;
    struct stage one, both;
    stage_open(&one, "passes/hop_two_species.cfg", NULL, 0.3);
    stage_open(&both, "passes/hop_two_species.cfg", NULL, 0.3);
    *stage_count(&one, 0, 0, 12) = *stage_count(&both, 0, 0, 12) = 20;
    *stage_count(&both, 0, 1, 12) = 20;
    rd_hop(&one.sim.world, 12);
    rd_hop(&both.sim.world, 12);
    assert_memory_equal(one.sim.world.counts.arrive, both.sim.world.counts.arrive,
                        25 * sizeof(int32_t));
    assert_memory_not_equal(both.sim.world.counts.arrive, both.sim.world.counts.arrive + 25,
                            25 * sizeof(int32_t));
    stage_close(&one);
    stage_close(&both);
}

int test_hop(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hops_conserve_molecules),
        cmocka_unit_test(single_and_batched_molecules_spread_alike),
        cmocka_unit_test(molecules_stay_in_their_region),
        cmocka_unit_test(second_word_decides_ties),
        cmocka_unit_test(jumps_end_below_their_thresholds),
        cmocka_unit_test(voxels_near_an_end_have_their_own_displacements),
        cmocka_unit_test(periodic_axes_wrap_any_number_of_times),
        cmocka_unit_test(later_species_do_not_change_words_of_earlier_ones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
