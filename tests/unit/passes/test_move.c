/* test_move - tests of single moves and of whole movements of individuals.

   Displacement distributions and uniformised walks follow the same distribution; ties and regions
   are tested as well. Each individual moves once in a movement. */
#include "kernels/passes/movement/move.h"

#include "roll.h"
#include "sim/lists.h"
#include "sim/step.h"
#include "theory.h"

#include <stdlib.h>
#include <string.h>

enum { MANY = 20000 };

static const double box_step = 0.8;

static double *probabilities_from(int64_t site, int *n)
{
    struct theory_walk walk = {.size = {5, 4, 4}};
    theory_set_rates(&walk, 0, 1.2, 0.5, 1);
    theory_set_rates(&walk, 1, 0.9, 0, 1.25);
    theory_set_rates(&walk, 2, 0.7, -0.3, 0.8);
    memcpy(walk.pass, (const double[]){1, 0, 1, 0, 0.4, 0}, sizeof walk.pass);
    *n = theory_sites(&walk) + THEORY_FACES;
    double *const p = calloc((size_t)*n, sizeof *p);
    assert_non_null(p);
    p[site] = 1;
    theory_walk_on(&walk, box_step, p);
    return p;
}

/* Checks voxels and faces with chi-square; bins with fewer than 20 expected are merged. */
static void assert_spread(struct stage *s, int64_t list, int32_t site)
{
    int n, bins = 1;
    double *const p = probabilities_from(site, &n), expected[100] = {0};
    int64_t seen[100] = {0}, number[100] = {0};
    const struct rd_world *const w = &s->sim.world;
    roll_into_voxel(s, list, site, MANY);
    roll_give(s, 1, 0, 1);
    memset(w->counts.lost, 0, (size_t)w->counts.n_lost * sizeof *w->counts.lost);
    roll_move(s, list);
    int64_t left = MANY;
    for (int64_t i = 0; i < MANY; i++)
        if (w->lists.key[w->lists.list[list].base + i] != RD_KEY_NONE)
            number[w->lists.key[w->lists.list[list].base + i]]++;
    for (int face = 0; face < RD_N_FACES; face++) {
        number[n - RD_N_FACES + face] = stage_lost(s, 0, (int)list, face);
        left -= number[n - RD_N_FACES + face];
    }
    assert_int_equal(w->lists.coming[list], left);
    for (int i = 0; i < n; i++) {
        assert_true(number[i] == 0 || p[i] > 0);
        const int bin = p[i] * MANY < 20 ? 0 : bins++;
        expected[bin] += p[i] * MANY;
        seen[bin] += number[i];
    }
    free(p);
    assert_true(bins > 25 && expected[0] > 20);
    assert_deviation("spread", chi_square_deviate(seen, expected, bins));
}

static void displacements_and_hops_follow_the_master_equation(void **state)
{
    (void)state;
    static const int32_t corner = 0, inner = (2 * 4 + 2) * 5 + 3, edge = (3 * 4 + 0) * 5 + 0;
    struct stage s;
    stage_open(&s, "passes/move_box.cfg", NULL, box_step);
    assert_int_equal(s.plan.transport[0].kind, RD_MOVE_DISPLACEMENTS);
    assert_int_equal(s.plan.transport[1].kind, RD_MOVE_OWN);
    for (int64_t list = 0; list < 2; list++) {
        assert_spread(&s, list, corner);
        assert_spread(&s, list, inner);
        assert_spread(&s, list, edge);
    }
    stage_close(&s);
}

enum { PERIODIC_VOXEL = 4 * 9 + 4, THIRD = 2 };

/* Opens a stage with three individuals in the middle; returns the words of the third one. */
static void open_periodic(struct stage *s, uint32_t word[4], uint32_t more[4])
{
    static const int32_t voxel[] = {PERIODIC_VOXEL, PERIODIC_VOXEL, PERIODIC_VOXEL};
    stage_open(s, "passes/move_periodic.cfg", NULL, 1.0);
    roll_put(s, 0, voxel, 3);
    rd_lists_choose(&s->sim, 0);
    const struct rd_world *const w = &s->sim.world;
    const struct rd_stream first =
        rd_stream_of(w->pass.seed, 0, w->pass.step_clock->step, RD_FOR_MOVE, w->pass.part,
                     RD_MOVE_ITEM(RD_MOVE_VOXEL, PERIODIC_VOXEL));
    const struct rd_stream second =
        rd_stream_of(w->pass.seed, 0, w->pass.step_clock->step, RD_FOR_MOVE, w->pass.part,
                     RD_MOVE_ITEM(RD_MOVE_MORE, PERIODIC_VOXEL));
    rd_stream_call(&first, THIRD, word);
    rd_stream_call(&second, THIRD, more);
}

/* Returns the voxel to which the third individual moves with these departure probabilities. */
static uint32_t voxel_after_move(struct stage *s, struct rd_departure departure)
{
    struct rd_error e = {0};
    s->plan.transport[0].inner = departure;
    assert_true(rd_sim_take(&s->sim, &e));
    s->sim.world.lists.key[THIRD] = PERIODIC_VOXEL;
    rd_move(&s->sim.world, THIRD);
    return s->sim.world.lists.key[THIRD];
}

static void second_word_decides_ties_of_leaving(void **state)
{
    (void)state;
    uint32_t word[4], more[4];
    struct stage s;
    open_periodic(&s, word, more);
    const uint64_t number = (uint64_t)word[0] << 32 | more[0];
    const uint64_t threshold[] = {number,
                                  number + 1,
                                  number - 1,
                                  (uint64_t)word[0] << 32,
                                  ((uint64_t)word[0] + 1) << 32,
                                  number | UINT32_MAX};
    const bool leaves[] = {false, true, false, false, true, true};
    for (int i = 0; i < 6; i++) {
        struct rd_departure departure = s.plan.transport[0].inner;
        departure.leave = threshold[i];
        assert_int_equal(voxel_after_move(&s, departure) != PERIODIC_VOXEL, leaves[i]);
    }
    stage_close(&s);
}

/* Tests that an individual moves along x below the first threshold, else along y. */
static void second_word_decides_ties_of_axes(void **state)
{
    (void)state;
    uint32_t word[4], more[4];
    struct stage s;
    open_periodic(&s, word, more);
    const uint64_t number = (uint64_t)word[1] << 32 | more[1];
    const uint64_t threshold[] = {number + 1, number, (uint64_t)word[1] << 32,
                                  ((uint64_t)word[1] + 1) << 32};
    const bool along_x[] = {true, false, false, true};
    for (int i = 0; i < 4; i++) {
        struct rd_departure departure = s.plan.transport[0].inner;
        departure.leave = UINT64_MAX;
        departure.axes[0] = threshold[i];
        for (int k = 1; k < RD_N_MOVES; k++)
            departure.axes[k] = UINT64_MAX;
        const uint32_t to = voxel_after_move(&s, departure);
        assert_int_equal(to / 9 == PERIODIC_VOXEL / 9, along_x[i]);
        assert_int_equal(to % 9 == PERIODIC_VOXEL % 9, !along_x[i]);
    }
    stage_close(&s);
}

static void individuals_stay_in_their_region(void **state)
{
    (void)state;
    struct stage s;
    stage_open(&s, "passes/hop_disc.cfg", SETS("species.A.individuals.max=2000"), 2.0);
    assert_int_equal(s.plan.transport[0].kind, RD_MOVE_WALK);
    roll_into_voxel(&s, 0, PERIODIC_VOXEL, 2000);
    roll_move(&s, 0);
    int64_t moved = 0;
    for (int i = 0; i < 2000; i++) {
        assert_true(rd_is_in(&s.sim.world.lattice, 0, s.sim.world.lists.key[i]));
        moved += s.sim.world.lists.key[i] != PERIODIC_VOXEL;
    }
    assert_true(moved > 1600);
    stage_close(&s);
}

static void one_step(struct stage *s)
{
    static const struct rd_stretch stretch = {.from = 0, .to = 1, .n_steps = 1, .step = 1};
    rd_step(&s->sim, &stretch, 0);
    assert_sound(s);
}

/* Tests that the voxel of each id after the step is the result of a single move, also if the way
   leads through voxels that were empty. */
static void each_individual_moves_once_in_a_step(void **state)
{
    (void)state;
    enum { N = 30, VOXELS = 200 };
    int32_t voxel[N];
    uint32_t expected[N];
    struct stage s;
    stage_open(&s, "passes/move_far.cfg", NULL, 1.0);
    for (int i = 0; i < N; i++)
        voxel[i] = i * i / 5;
    roll_put(&s, 0, voxel, N);
    rd_sim_aim(&s.sim, 0, 0, 1);
    roll_move(&s, 0);
    memcpy(expected, s.sim.world.lists.key, sizeof expected);
    roll_put(&s, 0, voxel, N);
    one_step(&s);
    const struct rd_world *const w = &s.sim.world;
    int moved = 0;
    for (int i = 0; i < N; i++) {
        const int64_t was = w->lists.id[w->lists.slot[i]] - 100;
        assert_int_equal(w->lists.key[i], expected[was]);
        moved += expected[was] != (uint32_t)voxel[was];
    }
    assert_true(moved > N / 2);
    stage_close(&s);
}

/* Tests moves along x: an individual that is not lost stays in its row, and never enters the next
   one. */
static void absorbing_walls_do_not_wrap(void **state)
{
    (void)state;
    struct stage s;
    stage_open(&s, "passes/move_absorbing.cfg", NULL, 1.0);
    roll_into_voxel(&s, 0, 1 * 4 + 3, 100);
    roll_into_voxel(&s, 1, 1 * 4 + 0, 100);
    roll_give(&s, 1, 0, 2);
    one_step(&s);
    for (int list = 0; list < 2; list++) {
        const struct rd_world *const w = &s.sim.world;
        int64_t lost = 0;
        for (int face = 0; face < RD_N_FACES; face++)
            lost += stage_lost(&s, 0, list, face);
        assert_in_range(lost, 20, 80);
        assert_int_equal(w->lists.live[list], 100 - lost);
        for (int64_t i = 0; i < w->lists.live[list]; i++)
            assert_in_range(w->lists.key[w->lists.list[list].base + i], 4, 7);
    }
    stage_close(&s);
}

/* Tests a species whose individuals all die: the newborn of a later step move as the old ones
   did. */
static void newborn_of_a_dead_species_moves(void **state)
{
    (void)state;
    enum { RUNS = 50, VOXELS = 11 };
    int32_t voxel[RUNS];
    struct stage s;
    stage_open(&s, "passes/move_line.cfg", NULL, 1.0);
    for (int run = 0; run < RUNS; run++)
        voxel[run] = run * VOXELS + 5;
    roll_put(&s, 0, voxel, RUNS);
    roll_open(&s);
    for (int run = 0; run < RUNS; run++)
        roll_kill(&s, 0, run);
    rd_step_update_lists(&s.sim);
    assert_int_equal(s.sim.world.lists.live[0], 0);
    one_step(&s);
    roll_open(&s);
    for (int run = 0; run < RUNS; run++)
        roll_bear(&s, 0, voxel[run], 1);
    rd_step_update_lists(&s.sim);
    one_step(&s);
    int moved = 0;
    assert_int_equal(s.sim.world.lists.live[0], RUNS);
    for (int run = 0; run < RUNS; run++)
        moved += s.sim.world.lists.key[run] != (uint32_t)voxel[run];
    assert_true(moved > RUNS / 2);
    stage_close(&s);
}

int test_move(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(displacements_and_hops_follow_the_master_equation),
        cmocka_unit_test(second_word_decides_ties_of_leaving),
        cmocka_unit_test(second_word_decides_ties_of_axes),
        cmocka_unit_test(individuals_stay_in_their_region),
        cmocka_unit_test(each_individual_moves_once_in_a_step),
        cmocka_unit_test(absorbing_walls_do_not_wrap),
        cmocka_unit_test(newborn_of_a_dead_species_moves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
