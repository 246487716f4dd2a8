/* test_individuals - tests of the settings of individuals in the model that is made of a
   configuration. */
#include "asked.h"

#define GRID "grid = { voxels = (8, 4); edge = 0.5; };\n"
#define TIME "time = { end = 10; }; parameters = { s = 0.5; };\n"
#define WALKER                                                                                     \
    "{ name = \"walker\"; diffusion = \"size * (1 + x)\"; drift = (\"walker.vx\", "                \
    "\"slope_y(food)\");\n"                                                                        \
    "  walls = { x = \"ballistic\"; };\n"                                                          \
    "  individuals = { max = 1000; record = \"lineage\"; attributes = (\n"                         \
    "    { name = \"vx\"; initial = \"normal(0, 1)\"; birth = \"parent.heat + s\"; orphan = 0; "   \
    "},\n"                                                                                         \
    "    { name = \"size\"; initial = \"vx^2\"; },\n"                                              \
    "    { name = \"age\"; kind = \"integer\"; initial = \"6 * s\"; birth = 0; } ); }; }"
#define EGG                                                                                        \
    "{ name = \"egg\"; individuals = { max = 5; attributes = (\n"                                  \
    "    { name = \"size\"; initial = 1; }, { name = \"heat\"; initial = 2; } ); }; }"
#define SPECIES "species = ( { name = \"food\"; },\n" WALKER ",\n" EGG " );\n"

static void test_species_have_attributes(void **state)
{
    (void)state;
    struct rd_model m = model_of(GRID TIME SPECIES);
    const struct rd_species *const x = &m.species[1];
    assert_false(m.species[0].is_individual);
    assert_true(x->is_individual && m.species[2].is_individual);
    assert_int_equal(x->max, 1000);
    assert_int_equal(x->record, RD_KEEPS_LINEAGE);
    assert_int_equal(m.species[2].record, RD_KEEPS_STATE);
    assert_int_equal(x->n_attributes, 3);
    assert_string_equal(x->attribute[1].name, "size");
    assert_string_equal(x->attribute[1].place, "dir/model.v2.cfg:8");
    assert_int_equal(x->wall[0].kind, RD_WALL_BALLISTIC);
    assert_int_equal(x->wall[1].kind, RD_WALL_BALLISTIC);
    assert_int_equal(x->wall[2].kind, RD_WALL_REFLECT);
    rd_model_free(&m);
}

static void test_rules_look_at_what_they_may(void **state)
{
    (void)state;
    struct rd_model m = model_of(GRID TIME SPECIES);
    const struct rd_attribute *const a = m.species[1].attribute;
    assert_int_equal(a[0].first.uses, RD_USES_PROBABILITY);
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

static void test_movement_may_differ(void **state)
{
    (void)state;
    struct rd_model m = model_of(GRID TIME SPECIES);
    const struct rd_species *const x = &m.species[1];
    assert_int_equal(x->diffusion[1].uses, RD_USES_OWN | RD_USES_SPACE);
    assert_int_equal(x->drift[0].uses, RD_USES_OWN);
    assert_int_equal(x->drift[0].of, 1);
    assert_int_equal(x->drift[1].uses, RD_USES_SLOPES);
    rd_model_free(&m);
}

static void test_parents_have_every_name_once(void **state)
{
    (void)state;
    static const char *const name[] = {"vx", "size", "age", "heat"};
    struct rd_model m = model_of(GRID TIME SPECIES);
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

static void test_reactions_choose(void **state)
{
    (void)state;
    struct rd_model m = model_of(
        GRID TIME SPECIES
        "reactions = ( { equation = \"walker + food -> walker\"; rate = \"s * sum(walker.size)\"; "
        "},\n"
        "{ equation = \"walker + food -> food\"; rate = 1; weight = \"1 / (1 + age * t)\"; },\n"
        "{ equation = \"walker + egg -> egg\"; rate = 1; weight = \"egg.heat\"; },\n"
        "{ equation = \"walker -> 0\"; propensity = \"sum(walker.size) * sum(walker.age)\"; weight "
        "= "
        "\"age\"; },\n"
        "{ equation = \"food -> 0\"; propensity = \"sum(walker.size) + sum(walker.age)\"; } );");
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
static void test_births_are_possible(void **state)
{
    (void)state;
    struct rd_model m = model_of(
        GRID TIME "species = ( { name = \"A\"; individuals = { max = 9; attributes = (\n"
                  "{ name = \"u\"; initial = 1; birth = \"parent.w\"; orphan = 3; }, "
                  "{ name = \"v\"; initial = 1; } ); }; },\n"
                  "{ name = \"B\"; individuals = { max = 9; attributes = ( { name = \"u\"; initial "
                  "= 2; } ); }; },\n"
                  "{ name = \"C\"; individuals = { max = 9; attributes = ( { name = \"w\"; initial "
                  "= 2; } ); }; } );\n"
                  "reactions = ( { equation = \"0 -> 2 A\"; rate = 1; }, { equation = \"B -> A\"; "
                  "rate = 1; },\n"
                  "{ equation = \"C -> A + C\"; rate = 1; }, { equation = \"0 -> 256 B\"; rate = "
                  "1; } );");
    assert_int_equal(m.n_reactions, 4);
    rd_model_free(&m);
}

static void test_amounts_have_rules_of_their_own(void **state)
{
    (void)state;
    struct rd_model m = model_of(
        GRID TIME SPECIES
        "initial = ( { species = \"walker\"; count = 1000; attributes = { age = 7; size = \"vx + "
        "t\"; }; },\n"
        "{ species = \"egg\"; value = 0.1; }, { species = \"food\"; from = \"o.h5\"; } );\n"
        "events = ( { time = 1; add = { species = \"egg\"; count = 1; attributes = { heat = 4; }; "
        "};\n"
        "remove = { species = \"egg\"; all = true; }; } );");
    const struct rd_amount *const a = &m.initial[0], *const b = &m.event[0].add[0];
    assert_int_equal(a->attribute[0].n, 0);
    assert_int_equal(a->attribute[1].uses, RD_USES_OWN | RD_USES_TIME);
    assert_true(value_of(&a->attribute[2], &m) == 7);
    assert_null(m.initial[1].attribute);
    assert_null(m.initial[2].attribute);
    assert_int_equal(b->attribute[0].n, 0);
    assert_true(value_of(&b->attribute[1], &m) == 4);
    assert_null(m.event[0].remove[0].attribute);
    rd_model_free(&m);
}

/* Tests that bulk species replace the ballistic wall of the grid by a wall of their own. */
static void test_walls_of_the_grid_may_be_ballistic(void **state)
{
    (void)state;
    struct rd_model m = model_of(
        "grid = { voxels = 8; edge = 1; walls = { x = \"ballistic\"; }; };\n" TIME
        "species = ( { name = \"m\"; walls = { x = \"absorb\"; }; },\n"
        "{ name = \"A\"; drift = (\"u\"); individuals = { max = 9; attributes = ( { name = \"u\"; "
        "initial = 1; } ); }; } );");
    assert_int_equal(m.species[0].wall[0].kind, RD_WALL_ABSORB);
    assert_int_equal(m.species[1].wall[1].kind, RD_WALL_BALLISTIC);
    rd_model_free(&m);
}

static void test_effective_text_has_their_defaults(void **state)
{
    (void)state;
    struct rd_error e = {0};
    rd_config *c = NULL;
    assert_true(rd_config_parse(&c, "m.cfg", GRID TIME SPECIES, NULL, 0, &e));
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

static void test_set_reaches_them(void **state)
{
    (void)state;
    const struct rd_set set[] = {
        {.path = "species.walker.individuals.max", .value = "77"},
        {.path = "species.walker.individuals.attributes.size.birth", .value = "2 * s"},
        {.path = "species.food.individuals.max", .value = "3"}};
    struct rd_error e = {0};
    rd_config *c = NULL;
    struct rd_model m = {0};
    assert_true(rd_config_parse(&c, "m.cfg", GRID TIME SPECIES, set, 3, &e));
    assert_true(rd_model_make(&m, c, &e));
    assert_int_equal(m.species[1].max, 77);
    assert_true(value_of(&m.species[1].attribute[1].birth, &m) == 1);
    assert_true(m.species[0].is_individual && m.species[0].n_attributes == 0);
    rd_model_free(&m);
    rd_config_free(c);
}

int test_individuals(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_species_have_attributes),
        cmocka_unit_test(test_rules_look_at_what_they_may),
        cmocka_unit_test(test_movement_may_differ),
        cmocka_unit_test(test_parents_have_every_name_once),
        cmocka_unit_test(test_reactions_choose),
        cmocka_unit_test(test_births_are_possible),
        cmocka_unit_test(test_amounts_have_rules_of_their_own),
        cmocka_unit_test(test_walls_of_the_grid_may_be_ballistic),
        cmocka_unit_test(test_effective_text_has_their_defaults),
        cmocka_unit_test(test_set_reaches_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
