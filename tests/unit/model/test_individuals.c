/* test_individuals - tests of the settings of individuals in the model that is made of a
   configuration. */
#include "make_model.h"

#define MODEL "model/individuals.cfg"

static void test_species_have_attributes(void **state)
{
    (void)state;
    struct rd_model m = model_from(MODEL, NULL);
    const struct rd_species *const x = &m.species[1];
    assert_false(m.species[0].is_individual);
    assert_true(x->is_individual && m.species[2].is_individual);
    assert_int_equal(x->max, 1000);
    assert_int_equal(x->record, RD_KEEPS_LINEAGE);
    assert_int_equal(m.species[2].record, RD_KEEPS_STATE);
    assert_int_equal(x->n_attributes, 3);
    assert_string_equal(x->attribute[1].name, "size");
    assert_string_equal(x->attribute[1].place, "model/individuals.cfg:14");
    assert_int_equal(x->wall[0].kind, RD_WALL_BALLISTIC);
    assert_int_equal(x->wall[1].kind, RD_WALL_BALLISTIC);
    assert_int_equal(x->wall[2].kind, RD_WALL_REFLECT);
    rd_model_free(&m);
}

static void test_rules_use_other_values(void **state)
{
    (void)state;
    struct rd_model m = model_from(MODEL, NULL);
    const struct rd_attribute *const a = m.species[1].attribute;
    assert_int_equal(a[0].first.uses, RD_USES_RANDOM);
    assert_int_equal(a[0].birth.uses, RD_USES_PARENT | RD_USES_PARAMETERS);
    assert_true(a[0].has_birth && a[0].has_orphan);
    assert_true(value_of(&a[0].orphan, &m) == 0);
    assert_int_equal(a[1].first.uses, RD_USES_OWN);
    assert_int_equal(a[1].first.of, 1);
    assert_false(a[1].has_birth || a[1].has_orphan);
    assert_false(a[1].is_integer);
    assert_true(a[2].is_integer && a[2].has_birth && !a[2].has_orphan);
    assert_true(value_of(&a[2].first, &m) == 3);
    rd_model_free(&m);
}

static void test_movement_by_attributes(void **state)
{
    (void)state;
    struct rd_model m = model_from(MODEL, NULL);
    const struct rd_species *const x = &m.species[1];
    assert_int_equal(x->diffusion[1].uses, RD_USES_OWN | RD_USES_SPACE);
    assert_int_equal(x->drift[0].uses, RD_USES_OWN);
    assert_int_equal(x->drift[0].of, 1);
    assert_int_equal(x->drift[1].uses, RD_USES_SLOPES);
    rd_model_free(&m);
}

static void test_scope_of_parents(void **state)
{
    (void)state;
    static const char *const name[] = {"vx", "size", "age", "heat"};
    struct rd_model m = model_from(MODEL, NULL);
    const struct rd_scope scope = rd_model_scope(&m, RD_USES_PARENT);
    assert_int_equal(scope.parents.n, 4);
    for (int i = 0; i < 4; i++)
        assert_string_equal(scope.parents.name[i], name[i]);
    assert_int_equal(m.species[1].attribute[0].birth.op[0].code, RD_OP_PARENT);
    assert_int_equal(m.species[1].attribute[0].birth.op[0].index, 3);
    assert_int_equal(scope.attributes[0].n, 0);
    assert_int_equal(scope.attributes[1].n, 3);
    assert_string_equal(scope.attributes[2].name[1], "heat");
    rd_model_free(&m);
}

static void test_weights_and_sums(void **state)
{
    (void)state;
    struct rd_model m = model_from(MODEL, NULL);
    const struct rd_reaction *const x = m.reaction;
    assert_true(x[0].rate.uses & RD_USES_SUMS);
    assert_false(x[0].has_weight);
    assert_true(x[1].has_weight);
    assert_int_equal(x[1].weight.of, 1);
    assert_int_equal(x[2].weight.of, 2);
    assert_true(x[3].has_propensity && x[3].has_weight);
    rd_model_free(&m);
}

/* Tests that a birth rule may use a parent that does not exist if no reaction needs the rule.
   Orphans have their own rule; an individual that changes species keeps the attributes of both
   species. */
static void test_births_without_a_needed_parent(void **state)
{
    (void)state;
    struct rd_model m = model_from("model/births.cfg", NULL);
    assert_int_equal(m.n_reactions, 4);
    rd_model_free(&m);
}

static void test_amounts_with_attributes(void **state)
{
    (void)state;
    struct rd_model m = model_from(MODEL, NULL);
    const struct rd_amount *const a = &m.initial[0], *const b = &m.event[0].add[0];
    assert_int_equal(a->attribute[0].n, 0);
    assert_int_equal(a->attribute[1].uses, RD_USES_OWN | RD_USES_TIME);
    assert_true(value_of(&a->attribute[2], &m) == 7);
    assert_null(m.initial[1].attribute);
    assert_null(m.initial[2].attribute);
    assert_int_equal(b->attribute[0].n, 0);
    assert_true(value_of(&b->attribute[1], &m) == 4);
    assert_null(m.event[0].take[0].attribute);
    rd_model_free(&m);
}

/* Tests that bulk species replace the ballistic wall of the grid by a wall of their own. */
static void test_ballistic_walls_of_the_grid(void **state)
{
    (void)state;
    struct rd_model m = model_from("model/ballistic_grid.cfg", NULL);
    assert_int_equal(m.species[0].wall[0].kind, RD_WALL_ABSORB);
    assert_int_equal(m.species[1].wall[1].kind, RD_WALL_BALLISTIC);
    rd_model_free(&m);
}

static void test_effective_text_has_defaults(void **state)
{
    (void)state;
    struct rd_error e = {0};
    rd_config *c = NULL;
    assert_true(model_read(&c, MODEL, NULL, &e));
    char *const text = rd_config_effective(c);
    assert_non_null(strstr(text, "record = \"state\";"));
    assert_non_null(strstr(text, "birth = \"parent.heat + s\";"));
    assert_non_null(strstr(text, "initial = 2;\n            kind = \"float\";"));
    struct rd_model m = model_of(text);
    assert_int_equal(m.species[2].n_attributes, 2);
    rd_model_free(&m);
    free(text);
    rd_config_free(c);
}

static void test_settings_of_attributes(void **state)
{
    (void)state;
    struct rd_model m = model_from(
        MODEL, SETS("species.walker.individuals.max=77",
                    "species.walker.individuals.attributes.size.birth=2 * s",
                    "species.food.individuals.max=3", "reactions=()", "initial=()", "events=()"));
    assert_int_equal(m.species[1].max, 77);
    assert_true(value_of(&m.species[1].attribute[1].birth, &m) == 1);
    assert_true(m.species[0].is_individual && m.species[0].n_attributes == 0);
    rd_model_free(&m);
}

int test_individuals(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_species_have_attributes),
        cmocka_unit_test(test_rules_use_other_values),
        cmocka_unit_test(test_movement_by_attributes),
        cmocka_unit_test(test_scope_of_parents),
        cmocka_unit_test(test_weights_and_sums),
        cmocka_unit_test(test_births_without_a_needed_parent),
        cmocka_unit_test(test_amounts_with_attributes),
        cmocka_unit_test(test_ballistic_walls_of_the_grid),
        cmocka_unit_test(test_effective_text_has_defaults),
        cmocka_unit_test(test_settings_of_attributes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
