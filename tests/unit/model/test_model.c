/* test_model - tests that the model holds what the configuration defines. */
#include "make_model.h"

#define PLAIN "model/plain.v2.cfg"

static void absent_settings_have_defaults(void **state)
{
    (void)state;
    struct rd_model m = model_from(PLAIN, NULL);
    assert_string_equal(m.title, "");
    assert_string_equal(m.file, "plain.v2.h5");
    assert_string_equal(m.length_unit, "");
    assert_int_equal(m.output[0].keep, RD_KEEP_ALL);
    assert_int_equal(m.output[0].compression, 4);
    assert_int_equal(m.seed, 1);
    assert_int_equal(m.n_runs, 1);
    assert_int_equal(m.first_run, 0);
    assert_int_equal(m.solver, RD_SOLVER_SPLIT);
    assert_int_equal(m.splitting, RD_SPLITTING_STRANG);
    assert_true(m.step == 0);
    assert_int_equal(m.n_moments, 101);
    assert_true(m.moment[3] == 3 * 0.1 && m.moment[100] == 10);
    for (int f = 0; f < RD_FACES; f++)
        assert_int_equal(m.species[0].wall[f].kind, RD_WALL_REFLECT);
    assert_true(value_of(&m.species[1].diffusion[1], &m) == 0);
    assert_int_equal(m.species[1].region, -1);
    assert_false(m.species[1].is_individual);
    assert_int_equal(m.warnings.n, 0);
    rd_model_free(&m);
    rd_model_free(&m);
}

static void grid_has_its_dimension(void **state)
{
    (void)state;
    struct rd_model m = model_from(PLAIN, NULL);
    assert_int_equal(m.grid.dim, 2);
    assert_int_equal(m.grid.size[1], 4);
    assert_int_equal(m.grid.size[2], 1);
    assert_int_equal(m.grid.n_sites, 32);
    assert_true(m.grid.edge[2] == 1 && m.grid.volume == 1);
    rd_model_free(&m);
    m = model_from(PLAIN, SETS("grid.voxels=7", "grid.edge=0.5", "grid.origin=-1"));
    assert_int_equal(m.grid.dim, 1);
    assert_true(m.grid.volume == 0.5 && m.grid.origin[0] == -1);
    rd_model_free(&m);
    m = model_from(PLAIN,
                   SETS("grid.voxels=(2, 3, 5)", "grid.edge=h / 2", "parameters={ h = 1; }"));
    assert_int_equal(m.grid.dim, 3);
    assert_true(m.grid.n_sites == 30 && m.grid.volume == 0.125);
    rd_model_free(&m);
}

static void parameters_may_have_any_order(void **state)
{
    (void)state;
    struct rd_model m = model_from("model/parameters.cfg", NULL);
    const double expected[] = {1.5, 1, 0.5, 1.5, 7};
    assert_int_equal(m.n_parameters, 5);
    assert_memory_equal(m.value, expected, sizeof expected);
    rd_model_free(&m);
}

static void walls_of_faces_and_species_have_priority(void **state)
{
    (void)state;
    struct rd_model m = model_from("model/walls.cfg", NULL);
    const struct rd_wall *const a = m.species[0].wall, *const b = m.species[1].wall;
    assert_int_equal(a[0].kind, RD_WALL_ABSORB);
    assert_true(value_of(&a[0].probability, &m) == 1);
    assert_int_equal(a[1].kind, RD_WALL_REFLECT);
    assert_int_equal(a[2].kind, RD_WALL_PERIODIC);
    assert_int_equal(a[3].kind, RD_WALL_PERIODIC);
    assert_int_equal(b[0].kind, RD_WALL_ABSORB);
    assert_int_equal(b[1].kind, RD_WALL_ABSORB);
    assert_true(value_of(&b[1].probability, &m) == 0.25);
    assert_int_equal(b[2].kind, RD_WALL_RESERVOIR);
    assert_true(value_of(&b[2].mean, &m) == 2);
    assert_true(value_of(&b[3].mean, &m) == 3);
    rd_model_free(&m);
}

static void density_of_a_reservoir_is_per_volume(void **state)
{
    (void)state;
    struct rd_model m = model_from("model/wall_density.cfg", NULL);
    assert_true(value_of(&m.species[0].wall[0].mean, &m) == 3);
    assert_true(value_of(&m.species[1].wall[3].mean, &m) == 4);
    rd_model_free(&m);
}

static void movement_is_read_per_axis(void **state)
{
    (void)state;
    struct rd_model m = model_from("model/movement.cfg", NULL);
    assert_true(value_of(&m.species[0].diffusion[0], &m) == 2);
    assert_true(value_of(&m.species[0].diffusion[1], &m) == 2);
    assert_true(value_of(&m.species[0].diffusion[2], &m) == 0);
    assert_true(value_of(&m.species[0].drift[0], &m) == -1);
    assert_true(value_of(&m.species[0].drift[1], &m) == 0.5);
    assert_true(value_of(&m.species[1].diffusion[0], &m) == 4);
    assert_int_equal(m.species[1].region, 0);
    rd_model_free(&m);
}

static void shapes_are_read(void **state)
{
    (void)state;
    struct rd_model m = model_from("model/shapes.cfg", NULL);
    assert_int_equal(m.n_regions, 4);
    assert_int_equal(m.region[0].shape, RD_SHAPE_BOX);
    assert_true(m.region[0].from[0] == 0 && m.region[0].to[1] == 8); /* clipped to the grid */
    assert_string_equal(
        m.warnings.text,
        "model/shapes.cfg:7: region 'b': the box (-1 to 2 along x) is cut, since it "
        "exceeds the grid (0 to 4); make it smaller\n"
        "model/shapes.cfg:7: region 'b': the box (2 to 9 along y) is cut, since it "
        "exceeds the grid (0 to 8); make it smaller");
    assert_int_equal(m.region[1].shape, RD_SHAPE_SPHERE);
    assert_true(m.region[1].radius == 2 && m.region[1].from[1] == 3);
    assert_int_equal(m.region[2].shape, RD_SHAPE_CYLINDER);
    assert_int_equal(m.region[3].shape, RD_SHAPE_CAPSULE);
    assert_string_equal(m.region[3].place, "model/shapes.cfg:10");
    rd_model_free(&m);
}

static void reactions_are_resolved(void **state)
{
    (void)state;
    struct rd_model m = model_from("model/reactions.cfg", NULL);
    const struct rd_reaction *const x = m.reaction;
    assert_string_equal(x[0].equation, "A + 2 B -> B");
    assert_int_equal(x[0].n_reactants, 2);
    assert_int_equal(x[0].reactant[1].species, 1);
    assert_int_equal(x[0].reactant[1].number, 2);
    assert_false(x[0].has_propensity);
    assert_int_equal(x[0].region, -1);
    assert_true(value_of(&x[0].rate, &m) == 6);
    assert_true(x[1].has_propensity);
    assert_int_equal(x[1].region, 0);
    assert_int_equal(x[1].propensity.uses & RD_USES_COUNTS, RD_USES_COUNTS);
    rd_model_free(&m);
}

static void amounts_are_resolved(void **state)
{
    (void)state;
    struct rd_model m = model_from("model/amounts.cfg", NULL);
    const struct rd_amount *const a = m.initial;
    assert_int_equal(m.n_initial, 6);
    assert_int_equal(a[0].kind, RD_AMOUNT_COUNT);
    assert_true(value_of(&a[0].much, &m) == 42);
    assert_int_equal(a[0].spread, RD_SPREAD_EVEN);
    assert_int_equal(a[0].region, 0);
    assert_int_equal(a[1].kind, RD_AMOUNT_DENSITY);
    assert_int_equal(a[1].spread, RD_SPREAD_POISSON);
    assert_int_equal(a[2].kind, RD_AMOUNT_VALUE);
    assert_int_equal(a[2].spread, RD_SPREAD_DEFAULT);
    assert_true(a[2].is_at && a[2].voxel[0] == 7 && a[2].voxel[1] == 3);
    assert_true(a[3].is_at && a[3].voxel[0] == 7 && a[3].voxel[1] == 3 && a[3].voxel[2] == 0);
    assert_int_equal(a[4].kind, RD_AMOUNT_FROM);
    assert_string_equal(a[4].file, "old.h5");
    assert_true(a[4].species == -1 && a[4].has_at_time && a[4].at_time == 3);
    assert_true(a[5].species == 1 && !a[5].has_at_time);
    rd_model_free(&m);
}

/* Tests entries of initial and of events. */
static void positions_on_faces_belong_to_the_upper_voxel(void **state)
{
    (void)state;
    struct rd_model m = model_from("model/positions.cfg", NULL);
    const struct rd_amount *const of[] = {&m.initial[0], &m.initial[1], &m.event[0].add[0],
                                          &m.event[0].take[0]};
    static const int32_t voxel[4][2] = {{3, 6}, {7, 9}, {7, 2}, {6, 3}};
    for (int i = 0; i < 4; i++)
        assert_memory_equal(of[i]->voxel, voxel[i], sizeof voxel[i]);
    rd_model_free(&m);
}

static void events_are_resolved(void **state)
{
    (void)state;
    struct rd_model m = model_from("model/events.cfg", NULL);
    const struct rd_event *const x = m.event;
    assert_int_equal(m.n_events, 3);
    assert_true(x[0].time == 2 && x[0].every == 2 && x[0].until == 7);
    assert_int_equal(x[0].set[0].parameter, 0);
    assert_int_equal(x[0].set[0].value.uses, RD_USES_PARAMETERS | RD_USES_TIME);
    assert_int_equal(x[0].n_add, 2);
    assert_int_equal(x[0].add[1].kind, RD_AMOUNT_DENSITY);
    assert_true(x[1].time == 0 && x[1].every == 3 && x[1].until == 10);
    assert_true(x[1].take[0].share == RD_SHARE_ALL);
    assert_true(x[2].every == 0 && x[2].take[0].share == RD_SHARE_COUNT && x[2].take[0].is_at);
    assert_non_null(
        strstr(m.warnings.text, "events[2]: its time, 11, is after the end, 10; move one of them"));
    rd_model_free(&m);
}

static void outputs_are_at_multiples(void **state)
{
    (void)state;
    struct rd_model m = model_from(PLAIN, SETS("time.end=1", "time.step=0.01", "output.every=0.1"));
    assert_int_equal(m.n_moments, 11);
    assert_true(m.step == 0.01);
    for (int k = 0; k < 10; k++)
        assert_true(m.moment[k] == k * 0.1);
    assert_true(m.moment[10] == 1);
    rd_model_free(&m);
    m = model_from(PLAIN, SETS("time.end=0.3", "output.every=0.1"));
    assert_int_equal(m.n_moments, 4);
    assert_true(m.moment[3] == 0.3); /* not 3 * 0.1 */
    rd_model_free(&m);
    m = model_from(PLAIN, SETS("time.end=1", "output.every=0.4"));
    assert_int_equal(m.n_moments, 4);
    assert_true(m.moment[2] == 0.8 && m.moment[3] == 1);
    rd_model_free(&m);
    m = model_from(PLAIN, SETS("time.end=1", "output.every=2"));
    assert_int_equal(m.n_moments, 2);
    assert_true(m.moment[0] == 0 && m.moment[1] == 1);
    rd_model_free(&m);
    m = model_from(PLAIN, SETS("output.times=(0.5, \"1 + 1\", 10)"));
    assert_int_equal(m.n_moments, 3);
    assert_true(m.moment[0] == 0.5 && m.moment[1] == 2 && m.moment[2] == 10);
    rd_model_free(&m);
}

static void settings_are_read(void **state)
{
    (void)state;
    struct rd_model m = model_from("model/settings.cfg", NULL);
    assert_string_equal(m.title, "T");
    assert_string_equal(m.length_unit, "um");
    assert_string_equal(m.time_unit, "s");
    assert_string_equal(m.file, "o.h5");
    assert_int_equal(m.output[0].keep, RD_KEEP_STATISTICS);
    assert_int_equal(m.output[0].compression, 9);
    assert_true(m.seed == (UINT64_C(1) << 48) - 1);
    assert_int_equal(m.n_runs, (1 << 28) - 1);
    assert_int_equal(m.first_run, 1);
    assert_int_equal(m.solver, RD_SOLVER_EXACT);
    assert_int_equal(m.splitting, RD_SPLITTING_LIE);
    rd_model_free(&m);
}

static void number_of_kept_runs(void **state)
{
    static const struct {
        const char *keep;
        int64_t kept;
        bool has_voxels;
    } c[] = {{"output.keep=all", 12, true},
             {"output.keep=totals", 12, false},
             {"output.keep=statistics", 0, false},
             {"output.keep=first 1", 1, true},
             {"output.keep=first 11", 11, true},
             {"output.keep=first 12", 12, true},
             {"output.keep=first 4000000000", 12, true}};
    (void)state;
    for (size_t i = 0; i < sizeof c / sizeof *c; i++) {
        struct rd_model m = model_from(PLAIN, SETS("run.runs=12", c[i].keep));
        assert_int_equal(rd_output_kept(&m, &m.output[0]), c[i].kept);
        assert_int_equal(rd_output_keeps_voxels(&m.output[0]), c[i].has_voxels);
        assert_int_equal(m.n_quantiles, 5);
        rd_model_free(&m);
    }
}

/* Tests that a box ends where the grid does, with a warning. */
static void boxes_end_with_the_grid(void **state)
{
    (void)state;
    struct rd_model m = model_from(
        PLAIN, SETS("regions=( { name = \"r\"; box = { from = (-1, 1); to = (3, 9); }; } )"));
    assert_int_equal(m.warnings.n, 2);
    assert_true(m.region[0].from[0] == 0.0 && m.region[0].from[1] == 1.0);
    assert_true(m.region[0].to[0] == 3.0 && m.region[0].to[1] == m.grid.edge[1] * 4);
    rd_model_free(&m);
}

/* Tests that times of two groups that differ by rounding are one: 3 * 0.1 is not 0.3. */
static void times_of_groups_are_merged(void **state)
{
    (void)state;
    struct rd_model m = model_from(
        PLAIN,
        SETS("output=( { name = \"a\"; every = 0.1; }, { name = \"b\"; times = (0.3, 0.65); } )"));
    assert_int_equal(m.n_moments, 102);
    assert_int_equal(m.due[2], 1);
    assert_int_equal(m.due[3], 3);
    assert_int_equal(m.due[7], 2);
    assert_true(m.moment[3] == 0.3 && m.moment[7] == 0.65);
    rd_model_free(&m);
}

/* Tests that the quantiles of all groups are merged in rising order. */
static void quantiles_of_groups_are_merged(void **state)
{
    (void)state;
    static const double expected[] = {0.1, 0.3, 0.5, 0.7, 0.9};
    struct rd_model m =
        model_from(PLAIN, SETS("output=( { name = \"a\"; every = 1; quantiles = (0.3, 0.9); },"
                               "         { name = \"b\"; every = 2; quantiles = (0.1, 0.3, 0.7); },"
                               "         { name = \"c\"; every = 5; quantiles = (0.5, 0.7); } )"));
    assert_int_equal(m.n_quantiles, 5);
    assert_memory_equal(m.quantile, expected, sizeof expected);
    rd_model_free(&m);
}

/* Tests that a product may live in a larger region than its reaction occurs in: S lives in a part
   of the region of P. */
static void products_may_live_in_larger_regions(void **state)
{
    (void)state;
    struct rd_model m = model_from("model/products.cfg", NULL);
    assert_int_equal(m.warnings.n, 0);
    rd_model_free(&m);
}

static void assert_warned(const char *name, const char *const *sets, const char *words)
{
    struct rd_model m = model_from(name, sets);
    assert_int_equal(m.warnings.n, 1);
    if (!strstr(m.warnings.text, words))
        fail_msg("%s", m.warnings.text);
    rd_model_free(&m);
}

static void odd_models_have_warnings(void **state)
{
    (void)state;
    assert_warned(PLAIN, SETS("reactions=( { equation = \"A + B -> B + A\"; rate = 1; } )"),
                  "reaction 'A + B -> B + A': it changes nothing; remove it");
    assert_warned("model/separate_reactants.cfg", NULL, "it never happens");
    assert_warned(
        "model/reservoir_off_region.cfg", NULL,
        "species 'A': no voxel of 'l' lies at xmax, so nothing enters there; remove the reservoir");
    assert_warned(PLAIN, SETS("time.stop_at=steps"),
                  "time: stop_at is \"steps\", but there is no stop");
    assert_warned(
        PLAIN,
        SETS("parameters={ k = 1; k2 = \"2 * k\"; }", "events=( { time = 1; set = { k = 0; }; } )"),
        "'k' is set, but 'k2', computed from it at the start, keeps its value");
}

static void species_are_in_the_scope(void **state)
{
    (void)state;
    struct rd_model m = model_from(PLAIN, NULL);
    const struct rd_scope scope = rd_model_scope(&m, RD_USES_COUNTS);
    assert_int_equal(scope.n_species, 2);
    assert_string_equal(scope.species[1], "B");
    rd_model_free(&m);
}

int test_model(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(absent_settings_have_defaults),
        cmocka_unit_test(grid_has_its_dimension),
        cmocka_unit_test(parameters_may_have_any_order),
        cmocka_unit_test(walls_of_faces_and_species_have_priority),
        cmocka_unit_test(density_of_a_reservoir_is_per_volume),
        cmocka_unit_test(movement_is_read_per_axis),
        cmocka_unit_test(shapes_are_read),
        cmocka_unit_test(reactions_are_resolved),
        cmocka_unit_test(amounts_are_resolved),
        cmocka_unit_test(positions_on_faces_belong_to_the_upper_voxel),
        cmocka_unit_test(events_are_resolved),
        cmocka_unit_test(outputs_are_at_multiples),
        cmocka_unit_test(settings_are_read),
        cmocka_unit_test(number_of_kept_runs),
        cmocka_unit_test(boxes_end_with_the_grid),
        cmocka_unit_test(times_of_groups_are_merged),
        cmocka_unit_test(quantiles_of_groups_are_merged),
        cmocka_unit_test(products_may_live_in_larger_regions),
        cmocka_unit_test(odd_models_have_warnings),
        cmocka_unit_test(species_are_in_the_scope),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
