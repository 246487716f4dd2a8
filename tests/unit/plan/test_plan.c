/* test_plan - the model as tables: canonical order, bounds, rates and walls, shared displacement
   distributions, movements per step, and what is refused. */
#include "stage.h"

static const char *species_named(const struct stage *s, int32_t canonical)
{
    return s->model.species[s->plan.species_of[canonical]].name;
}

static void species_are_sorted_by_name(void **state)
{
    (void)state;
    struct stage s;
    stage_plan(&s, "plan/species_order.cfg", NULL);
    static const char *const order[] = {"B10", "B2", "a", "b"}; /* sorted by bytes */
    for (int32_t i = 0; i < 4; i++) {
        assert_string_equal(species_named(&s, i), order[i]);
        assert_int_equal(s.plan.species_at[s.plan.species_of[i]], i);
    }
    stage_close(&s);
}

/* Checks that the order of reactions in the file and the order of species on a side do not
   matter. */
static void reactions_are_sorted_by_content(void **state)
{
    (void)state;
    struct stage s, t;
    stage_plan(&s, "plan/reactions_order.cfg", NULL);
    stage_plan(&t, "plan/reactions_reordered.cfg", NULL);
    for (int32_t r = 0; r < 3; r++) {
        const struct rd_reaction *const x = &s.model.reaction[s.plan.reaction_of[r]];
        const struct rd_reaction *const y = &t.model.reaction[t.plan.reaction_of[r]];
        assert_int_equal(x->n_reactants, y->n_reactants);
        assert_int_equal(x->n_products, y->n_products);
        assert_string_equal(x->rate.text, y->rate.text);
    }
    stage_close(&s);
    stage_close(&t);
}

static void bounds_are_boxes_around_regions(void **state)
{
    (void)state;
    struct stage s;
    stage_plan(&s, "plan/bounds.cfg", NULL);
    const struct rd_bounds expected[] = {
        {{0, 0, 0}, {8, 6, 4}, true}, {{1, 0, 2}, {4, 6, 3}, true}, {{2, 1, 0}, {6, 5, 4}, false}};
    for (int i = 0; i < 3; i++) {
        assert_memory_equal(s.plan.domain[i].lo, expected[i].lo, sizeof expected[i].lo);
        assert_memory_equal(s.plan.domain[i].hi, expected[i].hi, sizeof expected[i].hi);
        assert_int_equal(s.plan.domain[i].is_box, expected[i].is_box);
    }
    stage_close(&s);
}

static void hop_rates_follow_from_diffusion_drift_and_edges(void **state)
{
    (void)state;
    struct stage s;
    stage_open(&s, "plan/hop_rates.cfg", NULL, 0.01);
    const double a[] = {3.2, 4.8, 1, 0.5, 0, 0}; /* D / h^2 -+ v / 2h */
    const double b[] = {0, 8, 0, 0.25, 0, 0};    /* v h > 2 D: forward only, at v / h */
    double total = 0;
    for (int face = 0; face < RD_N_FACES; face++) {
        assert_true(fabs(s.plan.transport[0].hop_rate.rate[face] - a[face]) < 1e-14);
        assert_true(fabs(s.plan.transport[1].hop_rate.rate[face] - b[face]) < 1e-14);
        total += a[face];
    }
    assert_true(fabs(s.plan.transport[0].hop_rate.total - total) < 1e-14);
    assert_int_equal(s.plan.transport[0].kind, RD_MOVE_DISPLACEMENTS);
    assert_int_equal(s.plan.transport[2].kind, RD_MOVE_NOT);
    assert_int_equal(s.plan.world.items.n_moving, 48);
    stage_close(&s);
}

/* Checks that molecules do not move along an axis of one voxel, unless its walls absorb. */
static void single_voxels_have_hops_at_absorbing_walls_only(void **state)
{
    (void)state;
    struct stage s;
    stage_open(&s, "plan/single_voxel.cfg", NULL, 0.5);
    const struct rd_transport *const a = &s.plan.transport[0];
    assert_true(a->hop_rate.rate[0] == 0 && a->hop_rate.rate[4] == 0);
    assert_true(a->hop_rate.rate[2] == 2 && a->hop_rate.rate[3] == 2);
    assert_true(fabs(a->inner.probability) < 1e-15 || a->axis_table[1].reach > 0);
    const struct rd_displacement *const row =
        &s.plan.displacements.displacement[a->axis_table[1].first];
    assert_true(fabs(row->leave - (1 - exp(-2 * 0.5))) < 1e-9);
    assert_int_equal(s.plan.transport[1].kind, RD_MOVE_NOT);
    stage_close(&s);
}

static void walls_have_probabilities_and_inlets(void **state)
{
    (void)state;
    struct stage s;
    stage_open(&s, "plan/walls.cfg", NULL, 0.01);
    const double a[] = {0, 1, -1, -1, 0.25, 0}, b[] = {0, 0, -1, -1, 0.25, 0};
    const int64_t inlets[] = {0, 6, 0, 0, 0, 0};
    assert_memory_equal(s.plan.transport[0].pass, a, sizeof a);
    assert_memory_equal(s.plan.transport[1].pass, b, sizeof b);
    assert_memory_equal(s.plan.world.movement.inlet, inlets, sizeof inlets);
    assert_int_equal(s.plan.world.items.n_inlets, 6 * 7);
    assert_true(s.plan.transport[0].mean[1] == 3 &&
                s.plan.transport[0].hop_rate.rate[0] == 3); /* D / h^2 - v / 2h, inwards */
    assert_true(s.plan.transport[1].mean[1] == 0);
    assert_true(s.plan.has_lost && s.plan.has_entered);
    stage_close(&s);
}

static void equal_walks_share_displacements(void **state)
{
    (void)state;
    struct stage s;
    stage_open(&s, "plan/equal_walks.cfg", NULL, 0.25);
    const struct rd_transport *const a = &s.plan.transport[0], *const b = &s.plan.transport[1];
    assert_int_equal(a->axis_table[0].first, a->axis_table[1].first);
    assert_int_not_equal(a->axis_table[0].first, a->axis_table[2].first); /* the axis is shorter */
    assert_int_equal(b->axis_table[0].first, a->axis_table[0].first);
    assert_int_not_equal(b->axis_table[1].first, a->axis_table[0].first);
    assert_int_equal(b->axis_table[2].first, a->axis_table[2].first);
    const double q[3] = {
        s.plan.displacements.displacement[a->axis_table[0].first + a->axis_table[0].reach].leave,
        s.plan.displacements.displacement[a->axis_table[1].first + a->axis_table[1].reach].leave,
        s.plan.displacements.displacement[a->axis_table[2].first + a->axis_table[2].reach].leave};
    const double probability = 1 - (1 - q[0]) * (1 - q[1]) * (1 - q[2]);
    assert_true(fabs(a->inner.probability - probability) < 1e-15);
    stage_close(&s);
}

/* Checks that walks which differ only at one end have different distributions. */
static void other_walls_have_other_displacements(void **state)
{
    (void)state;
    struct stage s;
    stage_open(&s, "plan/walls_of_species.cfg", NULL, 0.25);
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < i; k++)
            assert_int_not_equal(s.plan.transport[i].axis_table[0].first,
                                 s.plan.transport[k].axis_table[0].first);
    stage_close(&s);
}

/* Checks that regions of the same width at different places share their displacement
   distributions. */
static void equal_bounds_share_displacements(void **state)
{
    (void)state;
    struct stage s;
    stage_open(&s, "plan/equal_boxes.cfg", NULL, 0.25);
    const struct rd_axis_table *const a = &s.plan.transport[0].axis_table[0],
                                      *const b = &s.plan.transport[1].axis_table[0];
    assert_int_equal(a->first, b->first);
    assert_true(a->lo == 1 && a->hi == 5 && b->lo == 6 && b->hi == 10);
    stage_close(&s);
}

/* Checks that one table holds at most 64 hops along an axis; longer steps consist of several
   movements. */
static void long_steps_have_several_movements(void **state)
{
    (void)state;
    static const struct {
        double step;
        int32_t moves;
    } cases[] = {{0.1, 1}, {1, 1}, {1.001, 2}, {2, 2}, {100.5, 101}, {254, 254}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct stage s;
        stage_open(&s, "plan/fast_diffusion.cfg", NULL, cases[i].step); /* 64 hops per time */
        assert_int_equal(s.plan.moves, cases[i].moves);
        stage_close(&s);
    }
    struct stage s;
    struct rd_error e = {0};
    stage_open(&s, "plan/fast_diffusion.cfg", NULL, 1);
    assert_false(rd_plan_step(&s.plan, 255, &e));
    assert_contains(e.text, "a step of 255 has 1.63e+04 hops along one axis, more than 16256");
    rd_error_free(&e);
    stage_close(&s);
}

static void parameters_change_rates(void **state)
{
    (void)state;
    struct stage s;
    struct rd_error e = {0};
    stage_open(&s, "plan/parameters.cfg", NULL, 0.1);
    assert_true(rd_plan_rates(&s.plan, (const double[]){0.5, 7, 0.25, 3}, &e));
    assert_true(s.plan.transport[0].hop_rate.rate[1] == 0.5 && s.plan.transport[0].pass[0] == 0.25);
    assert_true(s.plan.transport[0].mean[2] * s.plan.transport[0].hop_rate.rate[3] == 1.5 &&
                s.plan.channel[0].rate == 7);
    assert_true(rd_plan_rates(&s.plan, (const double[]){0, 7, 0.25, 3}, &e));
    assert_int_equal(s.plan.world.items.n_moving, 0);
    assert_int_equal(e.n, 0);
    static const struct {
        double value[4];
        const char *message;
    } faults[] = {
        {{-1, 1, 1, 1}, "plan/parameters.cfg:7: species 'A': diffusion along x is -1"},
        {{NAN, 1, 1, 1}, "diffusion along y is"},
        {{1, -2, 1, 1}, "reaction 'A -> 0': the rate is -2; give a number >= 0"},
        {{1, INFINITY, 1, 1}, "the rate is inf"},
        {{1, 1, 1.5, 1}, "the probability of wall xmin is 1.5; give a number from 0 to 1"},
        {{1, 1, 1, -3}, "the mean of a reservoir is -3"},
        {{1, 1, 1, 1e10}, "the mean of a reservoir is 1e+10"}};
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        assert_false(rd_plan_rates(&s.plan, faults[i].value, &e));
        assert_contains(e.text, faults[i].message);
        rd_error_free(&e);
    }
    stage_close(&s);
}

/* Checks the number of stripes, the copies of counters for blocks of sites; there are fewer if
   there are many runs. */
static void sums_have_stripes(void **state)
{
    (void)state;
    struct stage s;
    stage_plan(&s, "plan/stripes.cfg", NULL);
    const struct rd_world *const w = &s.plan.world;
    assert_in_range(w->lattice.n_stripes, 32, 64);
    assert_int_equal(999 >> w->lattice.stripe_shift, w->lattice.n_stripes - 1);
    stage_close(&s);
    stage_plan(&s, "plan/stripes.cfg", SETS("run.runs=10000000"));
    assert_int_equal(s.plan.world.lattice.n_stripes, 1);
    assert_int_equal(999 >> s.plan.world.lattice.stripe_shift, 0);
    stage_close(&s);
}

static void too_many_voxels_are_refused(void **state)
{
    (void)state;
    struct rd_model m = {.grid = {.size = {65536, 65536, 16}, .n_sites = INT64_C(1) << 36},
                         .n_species = 1,
                         .n_runs = (1 << 28) - 1};
    struct rd_plan p;
    struct rd_error e = {0};
    assert_false(rd_plan_open(&p, &m, &e));
    assert_contains(e.text, "268435455 runs of 68719476736 voxels");
    rd_plan_free(&p);
    rd_error_free(&e);
}

int test_plan(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(species_are_sorted_by_name),
        cmocka_unit_test(reactions_are_sorted_by_content),
        cmocka_unit_test(bounds_are_boxes_around_regions),
        cmocka_unit_test(hop_rates_follow_from_diffusion_drift_and_edges),
        cmocka_unit_test(single_voxels_have_hops_at_absorbing_walls_only),
        cmocka_unit_test(walls_have_probabilities_and_inlets),
        cmocka_unit_test(equal_walks_share_displacements),
        cmocka_unit_test(other_walls_have_other_displacements),
        cmocka_unit_test(equal_bounds_share_displacements),
        cmocka_unit_test(long_steps_have_several_movements),
        cmocka_unit_test(parameters_change_rates),
        cmocka_unit_test(sums_have_stripes),
        cmocka_unit_test(too_many_voxels_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
