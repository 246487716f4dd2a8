/* test_apply_event - tests of events that apply_events to individuals.

   The tests check species, parent, birth time and attributes after an event, and which individuals
   are drawn. They write the events into the world themselves. */
#include "kernels/passes/reactions/apply_event.h"

#include "roll.h"
#include "sim/step.h"

/* The reactions of passes/families.cfg. */
enum { COMES, SPLITS, DIES, BECOMES, BUDS, RETURNS, PAIRS, ARISES, FAILS };
enum { OF_A, OF_B, SIZE_A = 0, GEN_A = 1, HEAT_B = 0, GEN_B = 1, SIZE_B = 2 };

/* Opens voxel 1 with n individuals of A: size 3.5, 4.5, ...; generation 10, 11, ...; parent 42,
   born at 0.25. The pass lasts from 1 to 2. */
static void open_families(struct stage *s, int64_t n)
{
    static const int32_t voxel[] = {1, 1, 1, 1};
    stage_open(s, "passes/families.cfg", NULL, 1.0);
    roll_put(s, OF_A, voxel, n);
    roll_put(s, OF_B, NULL, 0);
    const struct rd_world *const w = &s->sim.world;
    for (int64_t i = 0; i < n; i++) {
        const int64_t slot = w->lists.slot[i];
        w->lists.parent[slot] = 42;
        w->lists.born[slot] = 0.25;
        w->lists.trait[SIZE_A * 20 + slot] = 3.5 + (double)i;
        w->lists.trait[GEN_A * 20 + slot] = 10 + (double)i;
    }
    rd_sim_aim(&s->sim, 0, 1.0, 1.0);
    roll_open(s);
}

/* Describes the individual at entry i of the list. */
struct one {
    int64_t id, parent;
    double born;
};

static void assert_one(const struct stage *s, int64_t list, int64_t i, struct one expected)
{
    const struct rd_world *const w = &s->sim.world;
    const struct rd_list *const l = &w->lists.list[list];
    const int64_t at = l->base + w->lists.slot[l->base + i];
    assert_true(i < w->lists.live[list]);
    assert_int_equal(w->lists.id[at], expected.id);
    assert_int_equal(w->lists.parent[at], expected.parent);
    assert_true(fabs(w->lists.born[at] - expected.born) < 1e-15);
}

static void update_lists(struct stage *s, int64_t n_a, int64_t n_b)
{
    rd_step_update_lists(&s->sim);
    assert_sound(s);
    assert_int_equal(s->sim.world.lists.live[OF_A], n_a);
    assert_int_equal(s->sim.world.lists.live[OF_B], n_b);
}

static void apply_events(struct stage *s, int64_t voxel, const int32_t *reaction, int64_t n_a,
                         int64_t n_b)
{
    roll_happen(s, voxel, reaction);
    update_lists(s, n_a, n_b);
}

static void change_of_species_keeps_identity(void **state)
{
    (void)state;
    struct stage s;
    open_families(&s, 1);
    apply_events(&s, 1, (const int32_t[]){BECOMES, -1}, 0, 1);
    assert_one(&s, OF_B, 0, (struct one){100, 42, 0.25});
    /* Both species have this attribute, so no rule is used. */
    assert_true(roll_trait(&s, OF_B, 0, SIZE_B) == 3.5);
    assert_true(roll_trait(&s, OF_B, 0, GEN_B) == 10);
    assert_true(roll_trait(&s, OF_B, 0, HEAT_B) == 7);
    assert_int_equal(s.sim.world.lists.id_base[2], ROLL_NEXT_ID); /* no birth occurred */
    assert_pool(&s, OF_A, (const int32_t[]){19, 18}, 2);
    stage_close(&s);
}

static void two_changes_of_species_keep_identity(void **state)
{
    (void)state;
    struct stage s;
    open_families(&s, 1);
    apply_events(&s, 1, (const int32_t[]){BECOMES, RETURNS, -1}, 1, 0);
    assert_one(&s, OF_A, 0, (struct one){100, 42, 0.25});
    assert_true(roll_trait(&s, OF_A, 0, SIZE_A) == 3.5 && roll_trait(&s, OF_A, 0, GEN_A) == 10);
    /* It has a slot of the pool; its former slot joins the pool. */
    assert_int_equal(s.sim.world.lists.slot[0], 18);
    assert_pool(&s, OF_A, (const int32_t[]){19, 17}, 2);
    stage_close(&s);
}

static void newborn_have_parent_time_and_attributes(void **state)
{
    (void)state;
    struct stage s;
    open_families(&s, 1);
    apply_events(&s, 1, (const int32_t[]){SPLITS, BUDS, -1}, 2, 1);
    assert_one(&s, OF_A, 0, (struct one){1000, 100, 1 + 1 / 3.0});
    assert_true(roll_trait(&s, OF_A, 0, SIZE_A) == 3.5); /* inherited */
    assert_true(roll_trait(&s, OF_A, 0, GEN_A) == 11);
    assert_one(&s, OF_A, 1, (struct one){100, 42, 0.25});
    assert_true(roll_trait(&s, OF_A, 1, GEN_A) == 10);
    const int64_t parent = s.sim.world.lists.parent[s.sim.world.lists.list[OF_B].base + 19];
    assert_true(parent == 100 || parent == 1000);
    assert_one(&s, OF_B, 0, (struct one){1001, parent, 1 + 2 / 3.0});
    assert_true(roll_trait(&s, OF_B, 0, SIZE_B) == 2 * 3.5 && roll_trait(&s, OF_B, 0, HEAT_B) == 7);
    assert_true(roll_trait(&s, OF_B, 0, GEN_B) == (parent == 100 ? 10 : 11));
    stage_close(&s);
}

static void birth_without_parent(void **state)
{
    (void)state;
    struct stage s;
    open_families(&s, 0);
    apply_events(&s, 2, (const int32_t[]){COMES, -1}, 1, 0);
    assert_one(&s, OF_A, 0, (struct one){1000, -1, 1.5});
    assert_int_equal(s.sim.world.lists.key[0], 2);
    assert_true(roll_trait(&s, OF_A, 0, SIZE_A) == 1.5 && roll_trait(&s, OF_A, 0, GEN_A) == 40);
    stage_close(&s);
}

/* Tests that rules use the time of the event; propensities use the middle of the pass. */
static void rules_use_the_time_of_the_event(void **state)
{
    (void)state;
    struct stage s;
    open_families(&s, 0);
    apply_events(&s, 2, (const int32_t[]){ARISES, COMES, -1}, 1, 1);
    assert_true(fabs(roll_trait(&s, OF_B, 0, SIZE_B) - (1 + 1 / 3.0)) < 1e-15);
    stage_close(&s);
}

static void parent_may_die_in_the_same_step(void **state)
{
    (void)state;
    struct stage s;
    open_families(&s, 1);
    apply_events(&s, 1, (const int32_t[]){BUDS, DIES, -1}, 0, 1);
    assert_one(&s, OF_B, 0, (struct one){1000, 100, 1 + 1 / 3.0});
    stage_close(&s);
}

/* Tests that the newborn B is listed before the parent, which becomes a B after the birth. */
static void parent_may_change_species_in_the_same_step(void **state)
{
    (void)state;
    struct stage s;
    open_families(&s, 1);
    apply_events(&s, 1, (const int32_t[]){BUDS, BECOMES, -1}, 0, 2);
    assert_one(&s, OF_B, 0, (struct one){1000, 100, 1 + 1 / 3.0});
    assert_one(&s, OF_B, 1, (struct one){100, 42, 0.25});
    stage_close(&s);
}

/* Tests that ids are numbered by list, voxel and birth: voxel 0 has 1000, voxel 2 has 1001 and 1002
   of A, and then B has 1003. */
static void newborn_may_be_parents_in_the_same_step(void **state)
{
    (void)state;
    struct stage s;
    open_families(&s, 0);
    roll_happen(&s, 2, (const int32_t[]){COMES, SPLITS, -1});
    roll_happen(&s, 0, (const int32_t[]){COMES, BUDS, -1});
    update_lists(&s, 3, 1);
    assert_one(&s, OF_A, 0, (struct one){1000, -1, 1 + 1 / 3.0});
    assert_one(&s, OF_A, 1, (struct one){1001, -1, 1 + 1 / 3.0});
    assert_one(&s, OF_A, 2, (struct one){1002, 1001, 1 + 2 / 3.0});
    assert_true(roll_trait(&s, OF_A, 2, GEN_A) == 41);
    assert_one(&s, OF_B, 0, (struct one){1003, 1000, 1 + 2 / 3.0});
    stage_close(&s);
}

static void individual_that_is_born_and_dies_has_an_id_but_no_slot(void **state)
{
    (void)state;
    struct stage s;
    open_families(&s, 0);
    roll_happen(&s, 0, (const int32_t[]){COMES, DIES, -1});
    roll_happen(&s, 1, (const int32_t[]){COMES, BUDS, DIES, -1});
    update_lists(&s, 0, 1);
    assert_one(&s, OF_B, 0, (struct one){1002, 1001, 1.5});
    assert_int_equal(s.sim.world.lists.id_base[2], 1003);
    assert_pool(&s, OF_A, (const int32_t[]){19, 18, 17}, 3);
    stage_close(&s);
}

/* Tests an individual that is born as an A, with the only new id of its voxel, and becomes a B. */
static void individual_that_is_born_and_changes_species_keeps_its_id(void **state)
{
    (void)state;
    struct stage s;
    open_families(&s, 0);
    roll_happen(&s, 0, (const int32_t[]){COMES, -1});
    roll_happen(&s, 2, (const int32_t[]){COMES, BECOMES, -1});
    update_lists(&s, 1, 1);
    assert_one(&s, OF_B, 0, (struct one){1001, -1, 1 + 1 / 3.0});
    assert_int_equal(s.sim.world.lists.id_base[2], 1002);
    stage_close(&s);
}

static void assert_life(const struct rd_life *life, struct rd_life expected)
{
    assert_true(fabs(life->time - expected.time) < 1e-15);
    assert_int_equal(life->run, 0);
    assert_int_equal(life->site, expected.site);
    assert_int_equal(life->id, expected.id);
    assert_int_equal(life->parent, expected.parent);
    assert_int_equal(life->species, expected.species);
    assert_int_equal(life->is_birth, expected.is_birth);
}

/* Tests the order of the lineage: by voxel, then by event. A change of species is neither a birth
   nor a death. */
static void lineage_contains_births_and_deaths(void **state)
{
    (void)state;
    struct stage s;
    open_families(&s, 1);
    roll_happen(&s, 2, (const int32_t[]){COMES, SPLITS, DIES, DIES, -1});
    roll_happen(&s, 1, (const int32_t[]){BUDS, BECOMES, -1});
    update_lists(&s, 0, 2);
    const struct rd_life *const life = s.sim.life;
    assert_int_equal(s.sim.n_lives, 5);
    assert_life(&life[0], (struct rd_life){1 + 1 / 3.0, 0, 0, 0, 1, 1002, 100, OF_B, true});
    assert_life(&life[1], (struct rd_life){1.2, 0, 0, 0, 2, 1000, -1, OF_A, true});
    assert_life(&life[2], (struct rd_life){1.4, 0, 0, 0, 2, 1001, 1000, OF_A, true});
    const bool first_dies_first = life[3].id == 1000;
    const struct rd_life first = {0, 0, 0, 0, 2, 1000, -1, OF_A, false};
    const struct rd_life second = {0, 0, 0, 0, 2, 1001, 1000, OF_A, false};
    struct rd_life third = first_dies_first ? first : second;
    struct rd_life fourth = first_dies_first ? second : first;
    third.time = 1.6;
    fourth.time = 1.8;
    assert_life(&life[3], third);
    assert_life(&life[4], fourth);
    stage_close(&s);
}

/* Tests 2 A -> A + B: one changes species, the other stays; each of three is equally likely to be
   either. */
static void pairs_are_drawn_uniformly(void **state)
{
    (void)state;
    enum { N = 3000, OF = 3 };
    int64_t changed[OF] = {0}, pairs[OF * OF] = {0};
    struct stage s;
    open_families(&s, OF);
    struct rd_world *const w = &s.sim.world;
    const int32_t r = roll_reaction(&s, PAIRS);
    for (s.sim.step_clock.step = 0; s.sim.step_clock.step < N; s.sim.step_clock.step++) {
        struct rd_ssa ssa;
        uint32_t member[RD_PARTICIPANTS_MOST];
        rd_ssa_open(&ssa, w, 1);
        rd_ssa_cast(&ssa, true);
        assert_true(rd_draw_participants(&ssa, r, member));
        assert_true(member[0] != member[1] && member[0] < OF && member[1] < OF);
        changed[member[0]]++;
        pairs[member[0] * OF + member[1]]++;
        assert_int_equal(*rd_members_at(&w->lists, &w->lists.list[OF_A], 1, OF - 1), member[0]);
        assert_int_equal(*rd_members_at(&w->lists, &w->lists.list[OF_A], 1, OF - 2), member[1]);
    }
    const double each[] = {N / 3.0, N / 3.0, N / 3.0};
    assert_deviation("which changes", chi_square_deviate(changed, each, OF));
    const int64_t seen[] = {pairs[1], pairs[2], pairs[3], pairs[5], pairs[6], pairs[7]};
    const double pair[] = {N / 6.0, N / 6.0, N / 6.0, N / 6.0, N / 6.0, N / 6.0};
    assert_deviation("pairs", chi_square_deviate(seen, pair, 6));
    stage_close(&s);
}

/* Tests 2 A -> A: the first drawn dies, the second stays. One weight is so large that this
   individual is drawn first. */
static void first_drawn_of_two_dies(void **state)
{
    (void)state;
    static const int32_t voxel[] = {1, 1, 1};
    for (int heavy = 0; heavy < 3; heavy++) {
        struct stage s;
        stage_open(&s, "passes/merging.cfg", NULL, 1.0);
        roll_put(&s, 0, voxel, 3);
        const struct rd_world *const w = &s.sim.world;
        for (int i = 0; i < 3; i++)
            w->lists.trait[w->lists.slot[i]] = i == heavy ? 5.0 : 2.0;
        rd_sim_aim(&s.sim, 0, 1.0, 1.0);
        roll_open(&s);
        roll_happen(&s, 1, (const int32_t[]){0, -1});
        rd_step_update_lists(&s.sim);
        assert_int_equal(w->lists.live[0], 2);
        assert_true(roll_trait(&s, 0, 0, 0) == 2.0 && roll_trait(&s, 0, 1, 0) == 2.0);
        stage_close(&s);
    }
}

/* Tests weights 0, 1, 2 of the sizes 3.5, 4.5, 5.5. If only the first is left, none can be
   drawn. */
static void draws_are_proportional_to_weights(void **state)
{
    (void)state;
    enum { N = 3000 };
    int64_t died[3] = {0};
    struct stage s;
    open_families(&s, 3);
    struct rd_world *const w = &s.sim.world;
    struct rd_ssa ssa;
    uint32_t member[RD_PARTICIPANTS_MOST];
    for (s.sim.step_clock.step = 0; s.sim.step_clock.step < N; s.sim.step_clock.step++) {
        rd_ssa_open(&ssa, w, 1);
        rd_ssa_cast(&ssa, true);
        assert_true(rd_draw_participants(&ssa, roll_reaction(&s, FAILS), member));
        died[member[0]]++;
    }
    assert_int_equal(died[0], 0);
    assert_deviation("second", ((double)died[1] - N / 3.0) / sqrt(N * 2 / 9.0));
    w->counts.count[1] = 1;
    rd_ssa_cast(&ssa, true);
    assert_false(rd_draw_participants(&ssa, roll_reaction(&s, FAILS), member));
    assert_int_equal(w->runs.fault[RD_FAULT_WEIGHT].number, 1);
    assert_int_equal(rd_fault_what(&w->runs.fault[RD_FAULT_WEIGHT]), roll_reaction(&s, FAILS));
    stage_close(&s);
}

/* Tests a propensity that lets a reaction occur without its individuals. */
static void missing_individual_is_a_fault(void **state)
{
    (void)state;
    struct stage s;
    open_families(&s, 1);
    const struct rd_world *const w = &s.sim.world;
    struct rd_ssa ssa;
    rd_ssa_open(&ssa, w, 1);
    rd_ssa_cast(&ssa, true);
    assert_false(rd_apply_event(&ssa, roll_reaction(&s, PAIRS)));
    assert_int_equal(w->runs.fault[RD_FAULT_NEGATIVE].number, 1);
    assert_int_equal(rd_fault_voxel(&w->runs.fault[RD_FAULT_NEGATIVE]), 1);
    stage_close(&s);
}

/* Tests a rule that gives 2^53 + 1, which no double represents: list 0, attribute 1. */
static void rule_without_integer_value_is_a_fault(void **state)
{
    (void)state;
    struct stage s;
    open_families(&s, 1);
    const struct rd_world *const w = &s.sim.world;
    w->lists.trait[GEN_A * 20 + w->lists.slot[0]] = 9007199254740992.0 * 2;
    struct rd_ssa ssa;
    rd_ssa_open(&ssa, w, 1);
    rd_ssa_cast(&ssa, true);
    assert_false(rd_apply_event(&ssa, roll_reaction(&s, SPLITS)));
    assert_int_equal(w->runs.fault[RD_FAULT_TRAIT].number, 1);
    assert_int_equal(rd_fault_what(&w->runs.fault[RD_FAULT_TRAIT]), OF_A * 64 + GEN_A);
    stage_close(&s);
}

int test_apply_event(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(change_of_species_keeps_identity),
        cmocka_unit_test(two_changes_of_species_keep_identity),
        cmocka_unit_test(newborn_have_parent_time_and_attributes),
        cmocka_unit_test(birth_without_parent),
        cmocka_unit_test(rules_use_the_time_of_the_event),
        cmocka_unit_test(parent_may_die_in_the_same_step),
        cmocka_unit_test(parent_may_change_species_in_the_same_step),
        cmocka_unit_test(newborn_may_be_parents_in_the_same_step),
        cmocka_unit_test(individual_that_is_born_and_dies_has_an_id_but_no_slot),
        cmocka_unit_test(individual_that_is_born_and_changes_species_keeps_its_id),
        cmocka_unit_test(lineage_contains_births_and_deaths),
        cmocka_unit_test(pairs_are_drawn_uniformly),
        cmocka_unit_test(first_drawn_of_two_dies),
        cmocka_unit_test(draws_are_proportional_to_weights),
        cmocka_unit_test(missing_individual_is_a_fault),
        cmocka_unit_test(rule_without_integer_value_is_a_fault),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
