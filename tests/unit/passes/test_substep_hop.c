/* test_substep_hop - tests of the length of substeps, of the hop rates in them, and of the final
   voxels of molecules.

   Molecules stay in their region, are absorbed at absorbing ends, and enter from reservoirs. */
#include "kernels/passes/movement/substep_hop.h"

#include "stage.h"
#include "theory.h"

/* Computes the rates of all voxels, for a substep of length dt from time 1. */
static void update_rates(struct stage *s, double dt)
{
    const struct rd_world *const w = &s->sim.world;
    rd_sim_aim(&s->sim, 0, 1 - dt / 2, dt);
    for (int64_t run = 0; run < w->lattice.n_runs; run++)
        rd_substep_begin(w, run);
    for (int64_t voxel = 0; voxel < w->lattice.n_voxels; voxel++)
        rd_update_rates(w, voxel);
}

/* Tests the current rates. The fastest one leaves out species B, whose rates depend on time only,
   and voxels without A. */
static void rates_are_current(void **state)
{
    (void)state;
    struct stage s;
    stage_open(&s, "passes/rates_by_counts.cfg", NULL, 2.0);
    const struct rd_world *const w = &s.sim.world;
    *stage_count(&s, 0, 0, 1) = 20;
    *stage_count(&s, 0, 0, 3) = 5;
    *stage_count(&s, 1, 1, 3) = 5;
    update_rates(&s, 2.0);
    const struct rd_hop_rate *const a =
        w->movement.hop_rate_now + w->movement.transport[0].hop_rates;
    assert_true(a[1].rate[0] == 3 && a[1].rate[1] == 3 && a[1].rate[2] == 0 && a[1].total == 6);
    assert_true(a[3].total == 3 && a[0].total == 2 && a[5 + 3].total == 2);
    assert_true(w->movement.hop_rate_now[w->movement.transport[1].hop_rates + 5 + 2].rate[1] == 8);
    assert_true(rd_real_of((uint64_t)w->movement.substep[0].fastest) == 6);
    assert_int_equal(w->movement.substep[1].fastest, 0);
    stage_close(&s);
}

static void substeps_are_equal_and_few_in_number(void **state)
{
    (void)state;
    struct stage s;
    stage_open(&s, "passes/rates_by_counts.cfg", NULL, 2.0);
    const struct rd_world *const w = &s.sim.world;
    *stage_count(&s, 0, 0, 1) = 20;
    update_rates(&s, 2.0);
    rd_choose_substep(w, 0);
    rd_choose_substep(w, 1);
    assert_true(w->movement.substep[0].dt == 2.0 / 36 &&
                w->movement.substep[0].left == 2.0 - 2.0 / 36);
    assert_true(w->movement.substep[1].dt == 2.0 && w->movement.substep[1].left == 0);
    assert_int_equal(w->movement.substep[0].fastest, 0);
    update_rates(&s, 2.01); /* slightly more than 36 substeps can cover */
    rd_choose_substep(w, 0);
    assert_true(w->movement.substep[0].dt == 2.01 / 37);
    update_rates(&s, 1.0 / 18.1); /* less than a third of a hop */
    rd_choose_substep(w, 0);
    assert_true(w->movement.substep[0].dt == 1.0 / 18.1 && w->movement.substep[0].left == 0);
    assert_int_equal(w->runs.fault[RD_FAULT_SUBSTEPS].number, 0);
    s.sim.world.runs.n_first_faulting_pass = 1;
    *w->runs.first_faulting_pass = INT64_MAX;
    rd_check_substeps(w, 0);
    assert_int_equal(*w->runs.first_faulting_pass, INT64_MAX);
    w->movement.substep[1].left = 1e-9;
    rd_check_substeps(w, 1);
    assert_int_equal(*w->runs.first_faulting_pass, s.sim.step_clock.pass);
    stage_close(&s);
}

static void too_many_substeps_are_a_fault(void **state)
{
    (void)state;
    struct stage s;
    stage_open(&s, "passes/rates_by_counts.cfg", NULL, 2.0);
    const struct rd_world *const w = &s.sim.world;
    *stage_count(&s, 1, 0, 2) = 20;
    update_rates(&s, 2.0);
    s.sim.world.pass.part = RD_PART_END - 36;
    rd_choose_substep(w, 1);
    assert_int_equal(w->runs.fault[RD_FAULT_SUBSTEPS].number, 0);
    update_rates(&s, 2.0);
    s.sim.world.pass.part = RD_PART_END - 35;
    rd_choose_substep(w, 1);
    assert_int_equal(w->runs.fault[RD_FAULT_SUBSTEPS].number, 1);
    assert_int_equal(rd_fault_voxel(&w->runs.fault[RD_FAULT_SUBSTEPS]), 5);
    stage_close(&s);
}

/* Tests that a diffusion rate below 0 gives a fault only in the region where the species lives. */
static void impossible_rates_are_a_fault(void **state)
{
    (void)state;
    struct stage s;
    stage_open(&s, "passes/negative_rates.cfg", NULL, 1.0);
    const struct rd_world *const w = &s.sim.world;
    *stage_count(&s, 0, 0, 0) = -10;
    *stage_count(&s, 1, 1, 4) = 3;
    update_rates(&s, 1.0);
    assert_int_equal(w->runs.fault[RD_FAULT_HOP_RATE].number, 0);
    *stage_count(&s, 1, 1, 4) = 4;
    update_rates(&s, 1.0);
    assert_int_equal(w->runs.fault[RD_FAULT_HOP_RATE].number, 1);
    assert_int_equal(rd_fault_voxel(&w->runs.fault[RD_FAULT_HOP_RATE]), 9);
    assert_int_equal(rd_fault_what(&w->runs.fault[RD_FAULT_HOP_RATE]), 1);
    stage_close(&s);
}

/* Does one substep in run 0 only. */
static void substep(struct stage *s, double dt)
{
    const struct rd_world *const w = &s->sim.world;
    update_rates(s, dt);
    w->movement.substep[0].dt = dt;
    w->movement.substep[0].left = 7; /* any value */
    w->movement.substep[1].dt = 0;
    for (int64_t voxel = 0; voxel < w->lattice.n_voxels; voxel++)
        rd_substep_hop(w, voxel);
    for (int64_t voxel = 0; voxel < w->lattice.n_voxels; voxel++)
        rd_deposit(w, voxel);
}

/* Tests constant rates against the walk of the master equation; the test detects 0.5 % of the mean
   of a voxel. */
static void hops_follow_the_master_equation(void **state)
{
    (void)state;
    enum { N = 400000 };
    struct stage s;
    stage_open(&s, "passes/substep_walk.cfg", NULL, 1.0);
    const struct rd_world *const w = &s.sim.world;
    *stage_count(&s, 0, 0, 2) = N;
    *stage_count(&s, 1, 0, 2) = N;
    substep(&s, 1.0);
    static const bool home[] = {false, true, true, true, true};
    struct theory_walk walk = {.size = {5, 1, 1}, .pass = {0, 0.5}, .is_home = home};
    double m[5 + THEORY_FACES] = {0, 0, 1};
    theory_set_rates(&walk, 0, 0.8, 0.5, 1);
    theory_walk_on(&walk, 1.0, m);
    assert_int_equal(w->counts.count[0], 0);
    for (int site = 1; site < 5; site++)
        assert_deviation("voxel", theory_binomial_deviate(w->counts.count[site], N, m[site]));
    assert_deviation("lost", theory_binomial_deviate((double)stage_lost(&s, 0, 0, 1), N, m[5 + 1]));
    assert_int_equal(stage_total(&s, 0, 0) + stage_lost(&s, 0, 0, 1), N);
    assert_int_equal(w->counts.count[5 + 2], N); /* the other run does not move */
    stage_close(&s);
}

/* Tests that a Poisson number enters at the reservoir end only; a substep of half the length halves
   it. Each molecule walks for a uniform time. */
static void reservoir_inflow_is_poisson(void **state)
{
    (void)state;
    for (double dt = 1; dt > 0.4; dt /= 2) {
        struct stage s;
        stage_open(&s, "passes/substep_reservoir.cfg", NULL, 1.0);
        const struct rd_world *const w = &s.sim.world;
        substep(&s, dt);
        struct theory_walk walk = {.size = {5, 1, 1}, .pass = {1, 1}};
        double m[5 + THEORY_FACES] = {0}, source[5] = {200000};
        theory_set_rates(&walk, 0, 1, 0, 1);
        walk.source = source;
        theory_walk_on(&walk, dt, m);
        assert_deviation("came in",
                         ((double)stage_entered(&s, 0, 0, 0) - 200000 * dt) / sqrt(200000 * dt));
        for (int site = 0; site < 5; site++)
            assert_deviation("voxel", theory_poisson_deviate(w->counts.count[site], m[site]));
        assert_int_equal(stage_entered(&s, 0, 0, 1) + stage_entered(&s, 1, 0, 0), 0);
        stage_close(&s);
    }
}

int test_substep_hop(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rates_are_current),
        cmocka_unit_test(substeps_are_equal_and_few_in_number),
        cmocka_unit_test(too_many_substeps_are_a_fault),
        cmocka_unit_test(impossible_rates_are_a_fault),
        cmocka_unit_test(hops_follow_the_master_equation),
        cmocka_unit_test(reservoir_inflow_is_poisson),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
