/* test_plan_lists - lists of individuals, and what reactions do to individuals: participants and
   births, rules for attributes, weights of the choice, and individual movement. */
#include "stage.h"

#define LISTS  "plan/lists.cfg"
#define MOVING "plan/moving.cfg"
enum { A = 0, B = 1, VOXELS = 36 };

static void lists_are_sorted_by_name_and_contiguous(void **state)
{
    (void)state;
    struct stage s;
    stage_plan(&s, LISTS, NULL);
    const struct rd_list *const a = &s.plan.list[A], *const b = &s.plan.list[B];
    assert_int_equal(s.plan.world.lists.n_list, 2);
    assert_int_equal(s.plan.world.lists.most_traits, 4);
    static const int32_t list_of[] = {A, B, -1};
    assert_memory_equal(s.plan.list_of, list_of, sizeof list_of);
    assert_true(a->species == 0 && b->species == 1);
    assert_true(a->n_traits == 2 && b->n_traits == 4);
    assert_true(a->max == 10 && a->most == 30 && b->max == 6 && b->most == 18);
    assert_true(a->base == 0 && b->base == 30);
    assert_true(a->trait == 0 && b->trait == 60);
    assert_true(a->voxels == 0 && b->voxels == VOXELS + 1);
    assert_true(a->integers == 0 && b->integers == (1 << 1 | 1 << 3));
    assert_true(!a->has_lineage && b->has_lineage);
    stage_close(&s);
}

/* Describes the effect of a reaction: list, fate and new species of each participant; list and
   parent of each birth. */
struct effect {
    const char *equation;
    int n_participants, n_births;
    struct {
        int list, fate, becomes;
    } participant[4];
    struct {
        int list, parent;
    } birth[3];
};

static void reactions_have_participants_and_births(void **state)
{
    (void)state;
    static const struct effect effects[] = {
        {"reactions[0].equation=A -> 0", 1, 0, .participant = {{A, RD_FATE_DIE, -1}}},
        {"reactions[0].equation=m + A -> m", 1, 0, .participant = {{A, RD_FATE_DIE, -1}}},
        {"reactions[0].equation=A -> 2 A", 1, 1, .participant = {{A, RD_FATE_STAY, -1}},
         .birth = {{A, 0}}},
        {"reactions[0].equation=A -> B", 1, 0, .participant = {{A, RD_FATE_BECOME, B}}},
        {"reactions[0].equation=A -> m + 3 B", 1, 2, .participant = {{A, RD_FATE_BECOME, B}},
         .birth = {{B, 0}, {B, 0}}},
        {"reactions[0].equation=2 A + B -> A + B", 3, 0,
         .participant = {{A, RD_FATE_DIE, -1}, {A, RD_FATE_STAY, -1}, {B, RD_FATE_STAY, -1}}},
        {"reactions[0].equation=B + A -> 2 B + A", 2, 1,
         .participant = {{A, RD_FATE_STAY, -1}, {B, RD_FATE_STAY, -1}}, .birth = {{B, 1}}},
        {"reactions[0].equation=0 -> A + m + B", 0, 2, .birth = {{A, -1}, {B, -1}}},
        {.equation = "reactions[0].equation=A + m -> A + 2 m"}, /* no choice is needed */
    };
    for (size_t i = 0; i < sizeof effects / sizeof *effects; i++) {
        struct stage s;
        const struct effect *const d = &effects[i];
        stage_open(&s, LISTS, SETS(d->equation), 0.1);
        const struct rd_channel *const c = &s.plan.channel[0];
        assert_int_equal(c->n_participants, d->n_participants);
        assert_int_equal(c->n_births, d->n_births);
        for (int k = 0; k < d->n_participants; k++) {
            const struct rd_participant *const participant =
                &s.plan.participant[c->participant + k];
            assert_int_equal(participant->list, d->participant[k].list);
            assert_int_equal(participant->fate, d->participant[k].fate);
            assert_int_equal(participant->becomes, d->participant[k].becomes);
            assert_int_equal(participant->weight.n_program, 0);
        }
        for (int k = 0; k < d->n_births; k++) {
            const struct rd_birth *const birth = &s.plan.birth[c->birth + k];
            assert_int_equal(birth->list, d->birth[k].list);
            assert_int_equal(birth->parent, d->birth[k].parent);
        }
        assert_int_equal(s.plan.world.items.n_maintained,
                         d->n_participants + d->n_births > 0 ? VOXELS : 0);
        assert_false(s.plan.world.reactions.has_attribute_rates);
        stage_close(&s);
    }
}

/* Checks the attributes that the rules compute from those of PARENT. */
static void assert_born_with(const struct stage *s, int32_t rules, const double *parent,
                             const double *values, int n)
{
    double own[4] = {0};
    const struct rd_eval_context eval_context = {
        .own = own, .own_stride = 1, .parent = parent, .parent_stride = 1};
    for (int a = 0; a < n; a++) {
        const struct rd_rule *const rule = &s->plan.rule[rules + a];
        own[a] = rd_eval(s->plan.program + rule->program, rule->n_program, &eval_context);
        if (own[a] != values[a])
            fail_msg("attribute %d is %g instead of %g", a, own[a], values[a]);
    }
}

static void assert_birth_with(const char *equation, const double *parent, const double *values,
                              int n)
{
    struct stage s;
    stage_open(&s, LISTS, SETS(equation), 0.1);
    assert_born_with(&s, s.plan.birth[s.plan.channel[0].birth].rules, parent, values, n);
    stage_close(&s);
}

/* Checks that attributes of the same name are found at any place in the parent's species. */
static void newborn_inherit_attributes_by_name(void **state)
{
    (void)state;
    static const double of_a[] = {100, 30}, of_b[] = {0.5, 8, 0.25, 40};
    assert_birth_with("reactions[0].equation=B -> 2 B", of_b, (const double[]){0.5, 9, 1, 5}, 4);
    assert_birth_with("reactions[0].equation=A -> A + B", of_a, (const double[]){1, 31, 201, 5}, 4);
    assert_birth_with("reactions[0].equation=B -> B + A", of_b, (const double[]){0.25, 8}, 2);
    assert_birth_with("reactions[0].equation=0 -> B", NULL, (const double[]){1, 9, 7, 5}, 4);
    assert_birth_with("reactions[0].equation=m -> A", NULL, (const double[]){10, 20}, 2);
}

/* Checks that an individual that changes its species keeps the attributes that both species have;
   the others are set as in a birth. */
static void change_of_species_keeps_common_attributes(void **state)
{
    (void)state;
    struct stage s;
    stage_open(&s, LISTS,
               SETS("reactions=( { equation = \"A -> B\"; rate = 1; }, { equation = \"B -> A\"; "
                    "rate = 1; } )"),
               0.1);
    assert_born_with(&s, s.plan.participant[s.plan.channel[0].participant].rules,
                     (const double[]){100, 30}, (const double[]){1, 30, 100, 5}, 4);
    assert_born_with(&s, s.plan.participant[s.plan.channel[1].participant].rules,
                     (const double[]){1, 2, 3, 4}, (const double[]){3, 2}, 2);
    stage_close(&s);
}

/* Checks that new parameters compile new rules, and that the tables do not grow. */
static void rules_follow_parameters(void **state)
{
    (void)state;
    struct stage s;
    struct rd_error e = {0};
    stage_open(&s, LISTS, SETS("reactions[0].equation=0 -> B"), 0.1);
    const int64_t n_rule = s.plan.world.expressions.n_rule,
                  n_program = s.plan.world.expressions.n_program;
    assert_true(rd_plan_rates(&s.plan, (const double[]){70}, &e));
    assert_int_equal(s.plan.world.expressions.n_rule, n_rule);
    assert_int_equal(s.plan.world.expressions.n_program, n_program);
    assert_int_equal(s.plan.world.reactions.n_birth, 1);
    assert_born_with(&s, s.plan.birth[0].rules, NULL, (const double[]){1, 9, 70, 5}, 4);
    stage_close(&s);
}

/* Returns the value of a program for an individual with the attributes OWN. */
static double value_of(const struct stage *s, struct rd_rule rule, const double *own)
{
    const struct rd_eval_context eval_context = {.own = own, .own_stride = 1};
    return rd_eval(s->plan.program + rule.program, rule.n_program, &eval_context);
}

static void weights_apply_to_their_reactant(void **state)
{
    (void)state;
    struct stage s;
    stage_open(&s, LISTS, SETS("reactions[0].equation=A + B -> A", "reactions[0].weight=p * B.v"),
               0.1);
    assert_int_equal(s.plan.channel[0].n_sums, 0);
    assert_int_equal(s.plan.participant[0].weight.n_program, 0);
    assert_true(value_of(&s, s.plan.participant[1].weight, (const double[]){0, 0, 3, 0}) == 21);
    assert_false(s.plan.world.reactions.has_attribute_rates);
    stage_close(&s);
}

/* Checks that the summand of a reactant is its weight in the choice; a propensity may sum over
   other species. */
static void sums_are_weights_of_their_reactants(void **state)
{
    (void)state;
    struct stage s;
    stage_open(&s, LISTS,
               SETS("reactions[0].equation=A + B -> B",
                    "reactions[0].rate=0.5 * sum(B.u + 1) * sum(2 * A.w)"),
               0.1);
    const struct rd_channel *c = &s.plan.channel[0];
    assert_true(s.plan.world.reactions.has_attribute_rates &&
                s.plan.world.items.n_maintained == VOXELS);
    assert_int_equal(c->n_reactants, 0); /* the sums replace both counts */
    assert_int_equal(c->n_sums, 2);
    assert_int_equal(s.plan.sum[c->sum].list, B);
    assert_int_equal(s.plan.sum[c->sum + 1].list, A);
    assert_true(value_of(&s, s.plan.sum[c->sum].of, (const double[]){3, 0, 0, 0}) == 4);
    assert_true(value_of(&s, s.plan.sum[c->sum + 1].of, (const double[]){0, 6}) == 12);
    const struct rd_eval_context eval_context = {.sum = (const double[]){10, 100}, .volume = 0.25};
    assert_true(rd_eval(s.plan.program + c->program, c->n_program, &eval_context) == 500);
    assert_true(value_of(&s, s.plan.participant[c->participant].weight, (const double[]){0, 6}) ==
                12);
    assert_true(value_of(&s, s.plan.participant[c->participant + 1].weight,
                         (const double[]){3, 0, 0, 0}) == 4);
    stage_close(&s);
    stage_open(&s, LISTS,
               SETS("reactions=( { equation = \"A -> 0\"; propensity = \"sum(B.u)\"; } )"), 0.1);
    c = &s.plan.channel[0];
    assert_int_equal(s.plan.sum[c->sum].list, B);
    assert_int_equal(s.plan.participant[c->participant].weight.n_program, 0);
    stage_close(&s);
    stage_open(
        &s, LISTS,
        SETS("reactions=( { equation = \"A -> 0\"; propensity = \"sum(A.w) * sum(A.v)\"; } )",
             "reactions[0].weight=A.w"),
        0.1);
    c = &s.plan.channel[0];
    assert_true(value_of(&s, s.plan.participant[c->participant].weight, (const double[]){3, 5}) ==
                5);
    stage_close(&s);
    stage_open(&s, LISTS,
               SETS("reactions[0].equation=2 A + B -> 0", "reactions[0].rate=sum(B.u)",
                    "reactions[0].weight=A.v"),
               0.1);
    c = &s.plan.channel[0];
    for (int k = 0; k < 2; k++)
        assert_true(value_of(&s, s.plan.participant[c->participant + k].weight,
                             (const double[]){3, 0}) == 3);
    assert_true(value_of(&s, s.plan.participant[c->participant + 2].weight,
                         (const double[]){5, 0, 0, 0}) == 5);
    stage_close(&s);
}

static void individual_movement_has_six_programs(void **state)
{
    (void)state;
    struct stage s;
    stage_open(&s, MOVING,
               SETS("species.A.drift=(\"p * v\", 0.5)", "species.A.diffusion=(\"u^2\", 3)"), 0.1);
    const struct rd_list *const l = &s.plan.list[0];
    static const double own[] = {3, 5}, values[] = {9, 3, 0, 35, 0.5, 0};
    assert_int_equal(s.plan.transport[0].kind, RD_MOVE_OWN);
    for (int i = 0; i < 6; i++)
        assert_true(value_of(&s, s.plan.rule[l->motion + i], own) == values[i]);
    assert_true(!l->is_by_position && !l->uses_neighbours && !s.plan.uses_time);
    for (int face = 0; face < RD_FACES; face++)
        assert_int_equal(l->reversed[face], -1);
    assert_int_equal(s.plan.world.items.n_tallied, 12);
    stage_close(&s);
}

/* Checks that rates are marked for new computation after each hop if they depend on position or
   counts. */
static void individual_movement_is_marked_by_what_it_depends_on(void **state)
{
    (void)state;
    static const struct {
        const char *rates;
        bool is_by_position, uses_neighbours, uses_time;
    } cases[] = {
        {"species.A.drift=(\"u\", \"x\")", true, false, false},
        {"species.A.drift=(\"u\", \"m\")", true, false, false},
        {"species.A.drift=(\"slope_x(m)\", 0)", true, true, false},
        {"species.A.diffusion=u * t", false, false, true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct stage s;
        stage_open(&s, MOVING, SETS(cases[i].rates), 0.1);
        const struct rd_list *const l = &s.plan.list[0];
        assert_int_equal(l->is_by_position, cases[i].is_by_position);
        assert_int_equal(l->uses_neighbours, cases[i].uses_neighbours);
        assert_int_equal(s.plan.uses_time, cases[i].uses_time);
        stage_close(&s);
    }
}

static void ballistic_walls_reverse_an_attribute(void **state)
{
    (void)state;
    struct stage s;
    stage_open(&s, MOVING,
               SETS("species.A.drift=(\"v\", \"u\")", "species.A.walls.xmax=ballistic",
                    "species.A.walls.y=ballistic"),
               0.1);
    static const int32_t turn[RD_FACES] = {-1, 1, 0, 0, -1, -1};
    assert_memory_equal(s.plan.list[0].reversed, turn, sizeof turn);
    stage_close(&s);
}

static void resting_individuals_are_not_tallied(void **state)
{
    (void)state;
    struct stage s;
    stage_open(&s, MOVING, NULL, 0.1);
    assert_int_equal(s.plan.transport[0].kind, RD_MOVE_NOT);
    assert_int_equal(s.plan.world.items.n_tallied, 0);
    assert_int_equal(s.plan.world.items.n_maintained, 0);
    stage_close(&s);
}

int test_plan_lists(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_are_sorted_by_name_and_contiguous),
        cmocka_unit_test(reactions_have_participants_and_births),
        cmocka_unit_test(newborn_inherit_attributes_by_name),
        cmocka_unit_test(change_of_species_keeps_common_attributes),
        cmocka_unit_test(rules_follow_parameters),
        cmocka_unit_test(weights_apply_to_their_reactant),
        cmocka_unit_test(sums_are_weights_of_their_reactants),
        cmocka_unit_test(individual_movement_has_six_programs),
        cmocka_unit_test(individual_movement_is_marked_by_what_it_depends_on),
        cmocka_unit_test(ballistic_walls_reverse_an_attribute),
        cmocka_unit_test(resting_individuals_are_not_tallied),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
