/* test_plan_zones - zones by regions, movement by zone, and transmission probabilities between
   zones. */
#include "stage.h"

#include <string.h>

static void no_zones_unless_needed(void **state)
{
    (void)state;
    struct stage s;
    stage_open(&s, "plan/zones.cfg", SETS("species.A.in=home"), 0.1);
    assert_int_equal(s.plan.world.lattice.zone_count, 0);
    assert_int_equal(s.plan.world.lattice.n_zone + s.plan.world.movement.n_border, 0);
    assert_int_equal(s.plan.world.movement.n_hop_rate, 0);
    assert_int_equal(s.plan.transport[0].kind, RD_MOVE_DISPLACEMENTS);
    stage_close(&s);
}

/* Checks zones of the regions that occur in expressions: aa##bb. */
static void movement_by_zone(void **state)
{
    (void)state;
    struct stage s;
    stage_open(&s, "plan/movement_by_zone.cfg", NULL, 0.1);
    static const uint8_t zone[] = {0, 0, 1, 1, 2, 2};
    assert_int_equal(s.plan.world.lattice.zone_count, 3);
    assert_memory_equal(s.plan.zone, zone, sizeof zone);
    assert_int_equal(s.plan.world.movement.n_hop_rate, 3);
    const struct rd_transport *const all = &s.plan.transport[0];
    const struct rd_hop_rate *const here = s.plan.hop_rate + all->hop_rates;
    assert_int_equal(all->hop_rate_kind, RD_HOP_RATE_BY_ZONE);
    assert_int_equal(all->kind, RD_MOVE_WALK);
    assert_int_equal(all->borders, -1);
    assert_int_equal(s.plan.transport[1].kind, RD_MOVE_DISPLACEMENTS);
    const double rate[3][2] = {{3, 3}, {2.5, 3.5}, {0.5, 1.5}};
    for (int z = 0; z < 3; z++) {
        assert_memory_equal(here[z].rate, rate[z], sizeof rate[z]);
        assert_true(here[z].total == rate[z][0] + rate[z][1] && here[z].probability > 0);
    }
    assert_true(here[0].probability > here[2].probability);
    assert_true(all->hop_rate.rate[0] == 3 && all->hop_rate.rate[1] == 3.5 &&
                all->hop_rate.total == 6.5);
    stage_close(&s);
}

/* Checks that a species moves without zones if its rates are equal in all zones where it lives. */
static void equal_zones_are_one(void **state)
{
    (void)state;
    struct stage s;
    stage_open(&s, "plan/equal_zones.cfg", NULL, 0.1);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(s.plan.transport[i].kind, RD_MOVE_DISPLACEMENTS);
        assert_true(s.plan.transport[i].hop_rate_kind == RD_HOP_RATE_ALIKE &&
                    s.plan.transport[i].borders == -1);
        assert_true(s.plan.transport[i].hop_rate.rate[0] == 1 &&
                    s.plan.transport[i].hop_rate.total == 2);
    }
    struct rd_error e = {0};
    const double other[] = {0.1, 2};
    assert_true(rd_plan_rates(&s.plan, other, &e));
    assert_int_equal(s.plan.transport[0].kind, RD_MOVE_WALK);
    assert_true(s.plan.transport[0].hop_rate_kind == RD_HOP_RATE_BY_ZONE &&
                s.plan.transport[0].borders >= 0);
    assert_true(s.plan.transport[1].hop_rate_kind == RD_HOP_RATE_ALIKE);
    stage_close(&s);
}

static double probability(const struct stage *s, int species, int from, int to)
{
    const struct rd_world *const w = &s->plan.world;
    return w->movement.border[s->plan.transport[species].borders +
                              w->lattice.zone[from] * w->lattice.zone_count + w->lattice.zone[to]];
}

static void borders_have_probabilities_between_zones(void **state)
{
    (void)state;
    struct stage s;
    stage_open(&s, "plan/borders.cfg", NULL, 0.1);
    assert_true(probability(&s, 1, 1, 2) == 0.25 && probability(&s, 1, 2, 1) == 1);
    assert_true(probability(&s, 1, 3, 4) == 0.25 && probability(&s, 1, 4, 3) == 1);
    assert_true(probability(&s, 1, 1, 1) == 1 && probability(&s, 1, 2, 3) == 1);
    assert_true(probability(&s, 0, 3, 4) == 0.25);
    /* Region b lies in home. The border of b and home applies from within home, but not from
       outside of both regions. */
    assert_true(probability(&s, 0, 1, 2) == 0.125 && probability(&s, 0, 2, 1) == 0.5);
    assert_true(probability(&s, 0, 0, 2) == 0.25);
    stage_close(&s);
}

/* Checks that a border applies to a species that lives in a region which no border names. */
static void borders_apply_within_the_region_of_a_species(void **state)
{
    (void)state;
    struct stage s;
    stage_open(&s, "plan/border_and_home.cfg", NULL, 0.1);
    for (int species = 0; species < 2; species++) {
        assert_true(s.plan.transport[species].borders >= 0);
        assert_true(probability(&s, species, 1, 2) == 0 && probability(&s, species, 2, 1) == 0);
        assert_true(probability(&s, species, 3, 4) == 0 && probability(&s, species, 4, 3) == 0);
        assert_true(probability(&s, species, 2, 3) == 1);
    }
    assert_true(s.plan.zone[0] != s.plan.zone[1]); /* home begins there */
    stage_close(&s);
    stage_open(&s, "plan/border_and_home.cfg", SETS("borders[0].species=(\"B\")"), 0.1);
    assert_true(s.plan.zone[0] == s.plan.zone[1]); /* no border concerns A */
    stage_close(&s);
}

/* Checks that a border along a surface does not limit the species of that surface, whose band lies
   on both sides of it, and that a border across the surface does. */
static void borders_along_a_surface_do_not_limit_its_species(void **state)
{
    (void)state;
    struct stage s;
    stage_open(&s, "plan/border_along_surface.cfg", NULL, 0.1);
    assert_true(s.plan.transport[0].borders >= 0 && s.plan.transport[1].borders == -1);
    stage_close(&s);
    stage_open(&s, "plan/border_along_surface.cfg", SETS("borders[0].between=(\"west\",\"east\")"),
               0.1);
    assert_true(s.plan.transport[0].borders >= 0 && s.plan.transport[1].borders >= 0);
    stage_close(&s);
}

/* Checks that the order of borders in the file does not change the result: a product of three
   probabilities rounds in several ways. */
static void order_of_borders_does_not_matter(void **state)
{
    (void)state;
    static const char *const border[] = {"{ from = \"unused\"; to = \"home\"; pass = 0.1; }",
                                         "{ from = \"unused\"; to = \"b\"; pass = 0.7; }",
                                         "{ from = \"a\"; to = \"b\"; pass = 0.3; }"};
    double first = 0;
    for (int i = 0; i < 6; i++) {
        const int one = i % 3, two = (one + 1 + i / 3) % 3, three = 3 - one - two;
        char borders[400];
        struct stage s;
        snprintf(borders, sizeof borders, "borders=( %s, %s, %s )", border[one], border[two],
                 border[three]);
        stage_open(&s, "plan/zones.cfg", SETS(borders), 0.1);
        const double product = probability(&s, 0, 0, 2);
        first = i == 0 ? product : first;
        assert_true(fabs(product - 0.021) < 1e-15 && product == first);
        stage_close(&s);
    }
}

static void impossible_rates_are_refused(void **state)
{
    (void)state;
    stage_refused(
        "plan/zones.cfg", SETS("species.A.diffusion=1 - 3 * (in(a) and in(b))"),
        "plan/zones.cfg:13: species 'A': diffusion along x is -2 in 'a', 'b'; give a number >= 0");
    stage_refused("plan/zones.cfg", SETS("species.A.diffusion=in(home) - 1"),
                  "plan/zones.cfg:13: species 'A': diffusion along x is -1 outside of all regions "
                  "that it names; give a number >= 0");
    stage_refused(
        "plan/zones.cfg", SETS("species.A.drift=in(b) / in(a)"),
        "plan/zones.cfg:13: species 'A': drift along x is inf in 'b'; give a finite number");
    /* Values outside of the region of the species do not matter. */
    struct stage s;
    stage_open(&s, "plan/zones.cfg", SETS("species.A.diffusion=in(home) - 1", "species.A.in=home"),
               0.1);
    stage_close(&s);
    struct rd_error e = {0};
    stage_plan(&s, "plan/border_and_home.cfg", SETS("borders[0].pass=p"));
    assert_false(rd_plan_rates(&s.plan, (const double[]){-0.5, 1}, &e));
    assert_string_equal(
        e.text,
        "plan/border_and_home.cfg:13: borders[0]: pass is -0.5; give a probability from 0 to 1");
    rd_error_free(&e);
    stage_close(&s);
}

/* Opens the plan of a line in which each voxel is a zone. Returns whether the plan opened. */
static bool open_zones(int voxels, int32_t *n_zones, struct rd_error *e)
{
    char set[64];
    rd_config *c = NULL;
    struct rd_model m;
    struct rd_plan p;
    snprintf(set, sizeof set, "grid.voxels=%d", voxels);
    assert_true(model_read(&c, "plan/many_zones.cfg", SETS(set), e) && rd_model_make(&m, c, e));
    const bool good = rd_plan_open(&p, &m, e);
    *n_zones = p.world.lattice.zone_count;
    rd_plan_free(&p);
    rd_model_free(&m);
    rd_config_free(c);
    return good;
}

static void at_most_256_zones(void **state)
{
    (void)state;
    int32_t n_zones;
    struct rd_error e = {0};
    assert_true(open_zones(256, &n_zones, &e));
    assert_int_equal(n_zones, 256);
    for (int voxels = 257; voxels <= 512; voxels += 255) {
        assert_false(open_zones(voxels, &n_zones, &e));
        assert_string_equal(e.text, "the regions in borders, diffusion and drift overlap in more "
                                    "than 256 combinations; use fewer of them there");
        rd_error_free(&e);
    }
}

int test_plan_zones(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_zones_unless_needed),
        cmocka_unit_test(movement_by_zone),
        cmocka_unit_test(equal_zones_are_one),
        cmocka_unit_test(borders_have_probabilities_between_zones),
        cmocka_unit_test(borders_apply_within_the_region_of_a_species),
        cmocka_unit_test(borders_along_a_surface_do_not_limit_its_species),
        cmocka_unit_test(order_of_borders_does_not_matter),
        cmocka_unit_test(impossible_rates_are_refused),
        cmocka_unit_test(at_most_256_zones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
