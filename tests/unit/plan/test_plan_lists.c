/* test_plan_lists - lists of individuals, and what reactions do to individuals: participants and
   births, rules for attributes, weights of the choice, and individual movement. */
#include "stage.h"

/* The file has m, B, A. List 0 is A with v, w; list 1 is B with u, w, v, k. */
#define CONFIG(list)                                                                               \
    "grid = { voxels = (4, 3); edge = 0.5; };\n"                                                   \
    "parameters = { p = 7.0; };\n"                                                                 \
    "species = ( { name = \"m\"; },\n"                                                             \
    "{ name = \"B\"; individuals = { max = 6; record = \"lineage\"; attributes = (\n"              \
    "  { name = \"u\"; initial = 1; },\n"                                                          \
    "  { name = \"w\"; kind = \"integer\"; initial = 2; birth = \"parent.w + 1\"; orphan = 9; "    \
    "},\n"                                                                                         \
    "  { name = \"v\"; initial = 3; birth = \"2 * parent.v + u\"; orphan = \"p\"; },\n"            \
    "  { name = \"k\"; kind = \"integer\"; initial = 4; birth = 5; } ); }; },\n"                   \
    "{ name = \"A\"; individuals = { max = 10; attributes = ( { name = \"v\"; initial = 10; }, { " \
    "name = \"w\"; initial = 20; } ); }; } );\n"                                                   \
    "reactions = ( " list " );\n"                                                                  \
    "time = { end = 1.0; }; run = { runs = 3; };\n"
#define REACTION(text) CONFIG("{ equation = " text "; }")
enum { A = 0, B = 1, VOXELS = 36 };

static void lists_stand_by_name_and_behind_each_other(void **state)
{
    (void)state;
    struct stage s;
    stage_plan(&s, REACTION("\"A -> 0\"; rate = 1"));
    const struct rd_list *const a = &s.plan.list[A], *const b = &s.plan.list[B];
    assert_int_equal(s.plan.world.n_list, 2);
    assert_int_equal(s.plan.world.most_traits, 4);
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

/* The effect of a reaction: list, fate and new species of each participant; list and parent of each
   birth. */
struct deed {
    const char *text;
    int n_participants, n_births;
    struct {
        int list, fate, becomes;
    } participant[4];
    struct {
        int list, parent;
    } birth[3];
};

static void reactions_take_and_make(void **state)
{
    (void)state;
    static const struct deed deeds[] = {
        {REACTION("\"A -> 0\"; rate = 1"), 1, 0, .participant = {{A, RD_FATE_DIE, -1}}},
        {REACTION("\"m + A -> m\"; rate = 1"), 1, 0, .participant = {{A, RD_FATE_DIE, -1}}},
        {REACTION("\"A -> 2 A\"; rate = 1"), 1, 1, .participant = {{A, RD_FATE_STAY, -1}},
         .birth = {{A, 0}}},
        {REACTION("\"A -> B\"; rate = 1"), 1, 0, .participant = {{A, RD_FATE_BECOME, B}}},
        {REACTION("\"A -> m + 3 B\"; rate = 1"), 1, 2, .participant = {{A, RD_FATE_BECOME, B}},
         .birth = {{B, 0}, {B, 0}}},
        {REACTION("\"2 A + B -> A + B\"; rate = 1"), 3, 0,
         .participant = {{A, RD_FATE_DIE, -1}, {A, RD_FATE_STAY, -1}, {B, RD_FATE_STAY, -1}}},
        {REACTION("\"B + A -> 2 B + A\"; rate = 1"), 2, 1,
         .participant = {{A, RD_FATE_STAY, -1}, {B, RD_FATE_STAY, -1}}, .birth = {{B, 1}}},
        {REACTION("\"0 -> A + m + B\"; rate = 1"), 0, 2, .birth = {{A, -1}, {B, -1}}},
        {.text = REACTION("\"A + m -> A + 2 m\"; rate = 1")}, /* no choice is needed */
    };
    for (size_t i = 0; i < sizeof deeds / sizeof *deeds; i++) {
        struct stage s;
        const struct deed *const d = &deeds[i];
        stage_open(&s, d->text, 0.1);
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
        assert_int_equal(s.plan.world.n_maintained,
                         d->n_participants + d->n_births > 0 ? VOXELS : 0);
        assert_false(s.plan.world.has_attribute_rates);
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

static void assert_birth_with(const char *text, const double *parent, const double *values, int n)
{
    struct stage s;
    stage_open(&s, text, 0.1);
    assert_born_with(&s, s.plan.birth[s.plan.channel[0].birth].rules, parent, values, n);
    stage_close(&s);
}

/* Checks that attributes of the same name are found at any place in the parent's species. */
static void attributes_follow_the_parents_species(void **state)
{
    (void)state;
    static const double of_a[] = {100, 30}, of_b[] = {0.5, 8, 0.25, 40};
    assert_birth_with(REACTION("\"B -> 2 B\"; rate = 1"), of_b, (const double[]){0.5, 9, 1, 5}, 4);
    assert_birth_with(REACTION("\"A -> A + B\"; rate = 1"), of_a, (const double[]){1, 31, 201, 5},
                      4);
    assert_birth_with(REACTION("\"B -> B + A\"; rate = 1"), of_b, (const double[]){0.25, 8}, 2);
    assert_birth_with(REACTION("\"0 -> B\"; rate = 1"), NULL, (const double[]){1, 9, 7, 5}, 4);
    assert_birth_with(REACTION("\"m -> A\"; rate = 1"), NULL, (const double[]){10, 20}, 2);
}

/* Checks that an individual that changes its species keeps the attributes that both species have;
   the others are set as in a birth. */
static void attributes_are_kept_by_who_becomes_another(void **state)
{
    (void)state;
    struct stage s;
    stage_open(&s,
               CONFIG("{ equation = \"A -> B\"; rate = 1; }, { equation = \"B -> A\"; rate = 1; }"),
               0.1);
    assert_born_with(&s, s.plan.participant[s.plan.channel[0].participant].rules,
                     (const double[]){100, 30}, (const double[]){1, 30, 100, 5}, 4);
    assert_born_with(&s, s.plan.participant[s.plan.channel[1].participant].rules,
                     (const double[]){1, 2, 3, 4}, (const double[]){3, 2}, 2);
    stage_close(&s);
}

/* Checks that new parameters compile new rules, and that the tables do not grow. */
static void rules_follow_the_parameters(void **state)
{
    (void)state;
    struct stage s;
    struct rd_error e = {0};
    stage_open(&s, REACTION("\"0 -> B\"; rate = 1"), 0.1);
    const int64_t n_rule = s.plan.world.n_rule, n_program = s.plan.world.n_program;
    assert_true(rd_plan_rates(&s.plan, (const double[]){70}, &e));
    assert_int_equal(s.plan.world.n_rule, n_rule);
    assert_int_equal(s.plan.world.n_program, n_program);
    assert_int_equal(s.plan.world.n_birth, 1);
    assert_born_with(&s, s.plan.birth[0].rules, NULL, (const double[]){1, 9, 70, 5}, 4);
    stage_close(&s);
}

/* Returns the value of a program for an individual with the attributes OWN. */
static double of_one(const struct stage *s, struct rd_rule rule, const double *own)
{
    const struct rd_eval_context eval_context = {.own = own, .own_stride = 1};
    return rd_eval(s->plan.program + rule.program, rule.n_program, &eval_context);
}

static void who_reacts_is_drawn_by_weight(void **state)
{
    (void)state;
    struct stage s;
    stage_open(&s, REACTION("\"A + B -> A\"; rate = 1; weight = \"p * B.v\""), 0.1);
    assert_int_equal(s.plan.channel[0].n_sums, 0);
    assert_int_equal(s.plan.participant[0].weight.n_program, 0);
    assert_true(of_one(&s, s.plan.participant[1].weight, (const double[]){0, 0, 3, 0}) == 21);
    assert_false(s.plan.world.has_attribute_rates);
    stage_close(&s);
}

/* Checks that the summand of a reactant is its weight in the choice; a propensity may sum over
   other species. */
static void sums_weigh_those_they_sum_over(void **state)
{
    (void)state;
    struct stage s;
    stage_open(&s, REACTION("\"A + B -> B\"; rate = \"0.5 * sum(B.u + 1) * sum(2 * A.w)\""), 0.1);
    const struct rd_channel *c = &s.plan.channel[0];
    assert_true(s.plan.world.has_attribute_rates && s.plan.world.n_maintained == VOXELS);
    assert_int_equal(c->n_reactants, 0); /* the sums replace both counts */
    assert_int_equal(c->n_sums, 2);
    assert_int_equal(s.plan.sum[c->sum].list, B);
    assert_int_equal(s.plan.sum[c->sum + 1].list, A);
    assert_true(of_one(&s, s.plan.sum[c->sum].of, (const double[]){3, 0, 0, 0}) == 4);
    assert_true(of_one(&s, s.plan.sum[c->sum + 1].of, (const double[]){0, 6}) == 12);
    const struct rd_eval_context eval_context = {.sum = (const double[]){10, 100}, .volume = 0.25};
    assert_true(rd_eval(s.plan.program + c->program, c->n_program, &eval_context) == 500);
    assert_true(of_one(&s, s.plan.participant[c->participant].weight, (const double[]){0, 6}) ==
                12);
    assert_true(of_one(&s, s.plan.participant[c->participant + 1].weight,
                       (const double[]){3, 0, 0, 0}) == 4);
    stage_close(&s);
    stage_open(&s, REACTION("\"A -> 0\"; propensity = \"sum(B.u)\""), 0.1);
    c = &s.plan.channel[0];
    assert_int_equal(s.plan.sum[c->sum].list, B);
    assert_int_equal(s.plan.participant[c->participant].weight.n_program, 0);
    stage_close(&s);
    stage_open(&s, REACTION("\"A -> 0\"; propensity = \"sum(A.w) * sum(A.v)\"; weight = \"A.w\""),
               0.1);
    c = &s.plan.channel[0];
    assert_true(of_one(&s, s.plan.participant[c->participant].weight, (const double[]){3, 5}) == 5);
    stage_close(&s);
    stage_open(&s, REACTION("\"2 A + B -> 0\"; rate = \"sum(B.u)\"; weight = \"A.v\""), 0.1);
    c = &s.plan.channel[0];
    for (int k = 0; k < 2; k++)
        assert_true(
            of_one(&s, s.plan.participant[c->participant + k].weight, (const double[]){3, 0}) == 3);
    assert_true(of_one(&s, s.plan.participant[c->participant + 2].weight,
                       (const double[]){5, 0, 0, 0}) == 5);
    stage_close(&s);
}

#define MOVING(drift, diffusion, more)                                                             \
    "grid = { voxels = (4, 3); edge = 0.5; };\n"                                                   \
    "parameters = { p = 7.0; };\n"                                                                 \
    "species = ( { name = \"m\"; diffusion = 0.1; }, { name = \"A\"; diffusion = " diffusion "; "  \
    "drift = (" drift "); individuals = { max = 10; attributes = ( { name = \"u\"; initial = 1; "  \
    "}, { name = \"v\"; initial = 2; } ); }; " more " } );\n"                                      \
    "time = { end = 1.0; };\n"

static void own_motion_has_six_programs(void **state)
{
    (void)state;
    struct stage s;
    stage_open(&s, MOVING("\"p * v\", 0.5", "(\"u^2\", 3)", ""), 0.1);
    const struct rd_list *const l = &s.plan.list[0];
    static const double own[] = {3, 5}, values[] = {9, 3, 0, 35, 0.5, 0};
    assert_int_equal(s.plan.transport[0].kind, RD_MOVE_OWN);
    for (int i = 0; i < 6; i++)
        assert_true(of_one(&s, s.plan.rule[l->motion + i], own) == values[i]);
    assert_true(!l->is_by_position && !l->uses_neighbours && !s.plan.uses_time);
    for (int face = 0; face < RD_FACES; face++)
        assert_int_equal(l->reversed[face], -1);
    assert_int_equal(s.plan.world.n_tallied, 12);
    stage_close(&s);
}

/* Checks that rates are marked for new computation after each hop if they depend on position or
   counts. */
static void own_motion_tells_what_it_depends_on(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool is_by_position, uses_neighbours, uses_time;
    } cases[] = {
        {MOVING("\"u\", \"x\"", "0.1", ""), true, false, false},
        {MOVING("\"u\", \"m\"", "0.1", ""), true, false, false},
        {MOVING("\"slope_x(m)\", 0", "0.1", ""), true, true, false},
        {MOVING("0, 0", "\"u * t\"", ""), false, false, true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct stage s;
        stage_open(&s, cases[i].text, 0.1);
        const struct rd_list *const l = &s.plan.list[0];
        assert_int_equal(l->is_by_position, cases[i].is_by_position);
        assert_int_equal(l->uses_neighbours, cases[i].uses_neighbours);
        assert_int_equal(s.plan.uses_time, cases[i].uses_time);
        stage_close(&s);
    }
}

static void ballistic_walls_know_whose_drift_they_turn(void **state)
{
    (void)state;
    struct stage s;
    stage_open(
        &s, MOVING("\"v\", \"u\"", "0.1", "walls = { xmax = \"ballistic\"; y = \"ballistic\"; };"),
        0.1);
    static const int32_t turn[RD_FACES] = {-1, 1, 0, 0, -1, -1};
    assert_memory_equal(s.plan.list[0].reversed, turn, sizeof turn);
    stage_close(&s);
}

static void those_that_never_move_are_not_counted_anew(void **state)
{
    (void)state;
    struct stage s;
    stage_open(&s, MOVING("0, 0", "0", ""), 0.1);
    assert_int_equal(s.plan.transport[0].kind, RD_MOVE_NOT);
    assert_int_equal(s.plan.world.n_tallied, 0);
    assert_int_equal(s.plan.world.n_maintained, 0);
    stage_close(&s);
}

int test_plan_lists(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_stand_by_name_and_behind_each_other),
        cmocka_unit_test(reactions_take_and_make),
        cmocka_unit_test(attributes_follow_the_parents_species),
        cmocka_unit_test(attributes_are_kept_by_who_becomes_another),
        cmocka_unit_test(rules_follow_the_parameters),
        cmocka_unit_test(who_reacts_is_drawn_by_weight),
        cmocka_unit_test(sums_weigh_those_they_sum_over),
        cmocka_unit_test(own_motion_has_six_programs),
        cmocka_unit_test(own_motion_tells_what_it_depends_on),
        cmocka_unit_test(ballistic_walls_know_whose_drift_they_turn),
        cmocka_unit_test(those_that_never_move_are_not_counted_anew),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
