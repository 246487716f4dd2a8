/* say_individuals - tests wrong models of individuals and the messages for them. */
#include "config_messages.h"
#include "quotes.h"

#include <stdio.h>
#include <string.h>

/* Holds the lines of each model, unless the sample replaces them. */
#define U      "{ name = 'u'; initial = 1; }"
#define V      "{ name = 'v'; initial = '2 * u'; birth = 'parent.v + normal(0, s)'; }"
#define M      "{ name = 'm'; }, "
#define B      ", { name = 'B'; individuals = { max = 50; attributes = ( " U " ); }; }"
#define A(x)   "{ name = 'A'; individuals = { max = 100; attributes = ( " x " ); }; }"
#define GRID   "grid = { voxels = (8, 4); edge = 0.5; };"
#define OF(x)  .species = "species = ( " M A(x) B " );"
#define OWN(x) OF("{ name = 'u'; initial = 1; " x " }")

struct message_sample {
    const char *part; /* part of the messages */
    const char *text; /* line 4 */
    const char *species, *grid;
};

static const struct message_sample names[] = {
    {"m.cfg:3: species 'A', attribute '2u': is not a name; write a letter, then letters, digits or "
     "_",
     OF("{ name = '2u'; initial = 1; }")},
    {"m.cfg:3: species 'A', attribute 'x': the name is reserved in expressions",
     OF("{ name = 'x'; initial = 1; }")},
    {"species 'A', attribute 'volume': the name is reserved in expressions",
     OF("{ name = 'volume'; initial = 1; }")},
    {"species 'A', attribute 'parent': the name is reserved in expressions",
     OF("{ name = 'parent'; initial = 1; }")},
    {"species 'A', attribute 'normal': the name is reserved in expressions",
     OF("{ name = 'normal'; initial = 1; }")},
    {"m.cfg:3: species 'A', attribute 'u' is declared twice; rename one of them", OF(U ", " U)},
    {"m.cfg:3: species 'A', attribute 's' has the name of a parameter; rename one of them",
     OF("{ name = 's'; initial = 1; }")},
    {"m.cfg:3: species 'A', attribute 'B' has the name of a species; rename one of them",
     OF("{ name = 'B'; initial = 1; }")},
    {"m.cfg:3: species 'A', attribute 'born': the name is reserved in results",
     OF("{ name = 'born'; initial = 1; }")},
};

static const struct message_sample keys[] = {
    {"m.cfg:3: species[0].individuals.max is missing; give an integer from 1 to 2147483647",
     .species = "species = ( { name = 'A'; individuals = { }; } );"},
    {"m.cfg:3: species[0].individuals.max is 0; give an integer from 1",
     .species = "species = ( { name = 'A'; individuals = { max = 0; }; } );"},
    {"m.cfg:3: species[0].individuals.max is 2147483648; give",
     .species = "species = ( { name = 'A'; individuals = { max = 2147483648L; }; } );"},
    {"m.cfg:3: species[0].individuals.record is \"al\"; give \"state\", \"lineage\" or \"none\"",
     .species = "species = ( { name = 'A'; individuals = { max = 1; record = 'al'; }; } );"},
    {"m.cfg:3: species[1].individuals.attributes[0].initial is missing; give a number or",
     OF("{ name = 'u'; }")},
    {"attributes[0].kind is \"int\"; give \"float\" or \"integer\"", OWN("kind = 'int';")},
    {"m.cfg:3: 'brith' is not a key of species[1].individuals.attributes[0]; did you mean 'birth'?",
     OWN("brith = 2;")},
};

static const struct message_sample rules[] = {
    {"m.cfg:3: species 'A', attribute 'u': initial uses 'v', which stands after 'u'; declare 'v' "
     "first",
     OF("{ name = 'u'; initial = 'v + 1'; }, { name = 'v'; initial = 2; }")},
    {"m.cfg:3: species 'A', attribute 'u': orphan uses 'u' itself; use other attributes",
     OWN("orphan = 'A.u';")},
    {"species 'A', attribute 'u': birth uses an attribute of B; use those of A",
     OWN("birth = 'B.u';")},
    {"m.cfg:3: species 'A', attribute 'v', initial: '2 * w', column 5: unknown name 'w'",
     OF(U ", { name = 'v'; initial = '2 * w'; }")},
    {"m.cfg:3: species 'A', attribute 'u', orphan: 'parent.u'", OWN("orphan = 'parent.u';")},
    {"m.cfg:3: species 'A', attribute 'u', birth: 'parent.w'", OWN("birth = 'parent.w';")},
    {"m.cfg:3: species 'A', attribute 'u', birth: 'sum(A.u)'", OWN("birth = 'sum(A.u)';")},
    {"m.cfg:3: species 'A', attribute 'u': initial is inf, since it divides by 0; give a finite "
     "number",
     OF("{ name = 'u'; initial = '1 / 0'; }")},
    {"m.cfg:3: species 'A', attribute 'u': initial is 2.5, but the attribute is an integer; give a "
     "whole number",
     OF("{ name = 'u'; kind = 'integer'; initial = 2.5; }")},
    {"attribute 'u': birth is 1e+17, but the attribute is an integer",
     OWN("kind = 'integer'; birth = 1e17;")},
};

#define MOVING(x) .species = "species = ( { name = 'm'; " x " }, " A(U ", " V) B " );"
#define MOVING_A(x)                                                                                \
    .species = "species = ( " M "{ name = 'A'; " x " individuals = { max = 9; attributes = ( " U   \
               " ); }; }" B " );"
static const struct message_sample movement[] = {
    {"m.cfg:3: species 'm', diffusion: 'u'", MOVING("diffusion = 'u';")},
    {"m.cfg:3: species 'm', drift: 'A.u'", MOVING("drift = ('A.u', 0);")},
    {"m.cfg:3: species 'A': drift uses an attribute of B; use those of A",
     MOVING_A("drift = ('B.u', 0);")},
    {"m.cfg:3: species 'A', diffusion: 'normal(0, 1)'", MOVING_A("diffusion = 'normal(0, 1)';")},
    {"m.cfg:3: species 'A': diffusion is -1", MOVING_A("diffusion = '0 - 1';")},
};

static const struct message_sample walls[] = {
    {"m.cfg:3: species 'm': a ballistic wall along y reflects individuals, and m has none; use "
     "\"reflect\"",
     MOVING("walls = { ymin = 'ballistic'; };")},
    {"m.cfg:1: species 'm': a ballistic wall along x reflects individuals, and m has none",
     .grid = "grid = { voxels = (8, 4); edge = 0.5; walls = { x = 'ballistic'; }; };"},
    {"m.cfg:3: species 'A': a ballistic wall along x changes the sign of the drift, but the drift "
     "along x is not an attribute; make it the name of one",
     MOVING_A("drift = ('2 * u', 0); walls = { x = 'ballistic'; };")},
    {"species 'A': a ballistic wall along y changes the sign of the drift, but the drift along y",
     MOVING_A("drift = ('u', 0); walls = { ymax = { kind = 'ballistic'; }; };")},
    {"m.cfg:3: species 'A': individuals do not enter from a reservoir; make them by a reaction '0 "
     "-> A' in a region at the wall",
     MOVING_A("walls = { x = { kind = 'reservoir'; mean = 1; }; };")},
    {"m.cfg:1: species 'B': individuals do not enter from a reservoir",
     .grid = "grid = { voxels = (8, 4); edge = 0.5; walls = { x = { kind = 'reservoir'; mean = 1; "
             "}; }; };"},
    {"species 'A', walls.x: the wall has a probability, but does not absorb; leave it out",
     MOVING_A("drift = ('u', 0); walls = { x = { kind = 'ballistic'; probability = 0.5; }; };")},
};

#define REACTION(x) .text = "reactions = ( { " x " } );"
static const struct message_sample weights[] = {
    {"m.cfg:4: reaction 'm -> 0': has a weight, but no reactant with individuals; leave it out",
     REACTION("equation = 'm -> 0'; rate = 1; weight = 'A.u';")},
    {"m.cfg:4: reaction 'A -> 0': weight uses no attribute, so all individuals are equal; leave it "
     "out",
     REACTION("equation = 'A -> 0'; rate = 1; weight = '2 * m';")},
    {"m.cfg:4: reaction 'A -> 0': weight uses an attribute of B, which is no reactant",
     REACTION("equation = 'A -> 0'; rate = 1; weight = 'B.u';")},
    {"m.cfg:4: reaction 'A + B -> 0', weight: 'A.u + B.u'",
     REACTION("equation = 'A + B -> 0'; rate = 1; weight = 'A.u + B.u';")},
    {"m.cfg:4: reaction 'A + B -> 0', weight: 'u'",
     REACTION("equation = 'A + B -> 0'; rate = 1; weight = 'u';")},
    {"m.cfg:4: reactions[0].weight is -1; give a number or \"expression\" >= 0",
     REACTION("equation = 'A -> 0'; rate = 1; weight = -1;")},
    {"m.cfg:4: reaction 'A -> 0': weight is -0.5; give a finite number >= 0",
     REACTION("equation = 'A -> 0'; rate = 1; weight = '-s';")},
    {"m.cfg:4: reaction 'A -> 0', weight: 'u * normal(0, 1)'",
     REACTION("equation = 'A -> 0'; rate = 1; weight = 'u * normal(0, 1)';")},
};

static const struct message_sample sums[] = {
    {"m.cfg:4: reaction 'm -> 0': rate sums over A, which is no reactant; write a propensity, "
     "which may sum over any individuals",
     REACTION("equation = 'm -> 0'; rate = 'sum(A.u)';")},
    {"reaction '2 A -> A': rate sums over A, of which 2 react, but a sum stands for one of them; "
     "write a propensity",
     REACTION("equation = '2 A -> A'; rate = 's * sum(A.u)';")},
    {"reaction 'A -> 0': has a weight, but which A react is drawn by the summand of its rate; "
     "leave the weight out",
     REACTION("equation = 'A -> 0'; rate = 'sum(A.u)'; weight = 'v';")},
    {"by the summand of its propensity",
     REACTION("equation = 'A + B -> 0'; propensity = 'sum(A.u) / (1 + sum(A.u))'; weight = "
              "'A.v';")},
    {"reaction 'A -> 0': propensity has different sums over A, so it is not clear which of them "
     "react; add a weight of attributes of A",
     REACTION("equation = 'A -> 0'; propensity = 'sum(A.u) / (1 + sum(A.v))';")},
    {"rate has different sums over B",
     REACTION("equation = 'A + B -> 0'; rate = 'sum(A.u) * sum(B.u) + sum(B.u^2)'; weight = "
              "'A.v';")},
    {"m.cfg:4: reaction 'A -> 0', rate: 'A.u'", REACTION("equation = 'A -> 0'; rate = 'A.u';")},
    {"m.cfg:4: reaction 'A -> 0', rate: 'sum(m)'",
     REACTION("equation = 'A -> 0'; rate = 'sum(m)';")},
};

static const struct message_sample births[] = {
    {"m.cfg:4: reaction '0 -> A': makes A without a parent, but birth of its attribute 'v' uses "
     "one; give 'v' an orphan = ...",
     REACTION("equation = '0 -> A'; rate = 1;")},
    {"reaction 'm -> 2 A': makes A without a parent", REACTION("equation = 'm -> 2 A'; rate = 1;")},
    {"m.cfg:4: reaction 'B -> A': makes A, whose birth of 'v' uses parent.v, but the parent B has "
     "no attribute 'v'; give it one",
     REACTION("equation = 'B -> A'; rate = 1;")},
    {"reaction 'B -> B + A': makes A, whose birth of 'v' uses parent.v, but the parent B",
     REACTION("equation = 'B -> B + A'; rate = 1;")},
    {"reaction '0 -> 257 B': makes 257 individuals; make at most 256",
     REACTION("equation = '0 -> 257 B'; rate = 1;")},
    {"reaction '9 B -> 0': takes 9 individuals; take at most 8",
     REACTION("equation = '9 B -> 0'; rate = 1;")},
};

#define INITIAL(x) .text = "initial = ( { " x " } );"
#define ADD(x)     .text = "events = ( { time = 1; add = ( { " x " } ); } );"
static const struct message_sample amounts[] = {
    {"m.cfg:4: initial[0]: m has no individuals, so no attributes; leave them out",
     INITIAL("species = 'm'; count = 1; attributes = { u = 1; };")},
    {"m.cfg:4: initial[0]: B has no attribute 'uu'; did you mean 'u'?",
     INITIAL("species = 'B'; count = 1; attributes = { uu = 1; };")},
    {"m.cfg:4: events[0]: A has no attribute 'speed'; declare it",
     ADD("species = 'A'; count = 1; attributes = { speed = 1; };")},
    {"m.cfg:4: initial[0]: u uses 'v', which stands after 'u'",
     INITIAL("species = 'A'; count = 1; attributes = { u = 'v'; };")},
    {"m.cfg:4: initial[0], u: 'parent.u'",
     INITIAL("species = 'A'; count = 1; attributes = { u = 'parent.u'; };")},
    {"m.cfg:4: initial[0].attributes.u is a list of 1; give a number or \"expression\"",
     INITIAL("species = 'A'; count = 1; attributes = { u = (1); };")},
    {"m.cfg:4: initial[0]: A has individuals, which a snapshot does not provide; use count, "
     "density or value",
     INITIAL("species = 'A'; from = 'o.h5';")},
    {"m.cfg:4: initial[0]: from covers all species, but A has individuals; name the other species, "
     "in an entry for each",
     INITIAL("from = 'o.h5';")},
};

static const struct message_sample limits[] = {
    {"m.cfg:3: species 'A': max is 100, but initial places 101; raise max",
     .text = "initial = ( { species = 'A'; count = 60; }, { species = 'A'; count = '82 * s'; "
             "} );"},
    {"m.cfg:3: species 'A': max is 2000000000 in each of 600 runs, over all runs more than 2^40",
     .text = "run = { runs = 600; };",
     .species = "species = ( { name = 'A'; individuals = { max = 2000000000; }; } );"},
    {"m.cfg:1: grid: the grid has 4295032832 voxels; use at most 2^32 - 2 with individuals",
     .grid = "grid = { voxels = (65536, 65537); edge = 0.5; };",
     .species = "species = ( { name = 'A'; individuals = { max = 1; }; } );"},
    {"m.cfg:4: solver: \"exact\" simulates no individuals, and A has them; use \"split\"",
     .text = "solver = 'exact';"},
};

static void expect(const struct message_sample *s, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        char text[3000];
        snprintf(text, sizeof text, "%s\ntime = { end = 10; }; parameters = { s = 0.5; };\n%s\n%s",
                 s[i].grid ? s[i].grid : GRID,
                 s[i].species ? s[i].species : "species = ( " M A(U ", " V) B " );",
                 s[i].text ? s[i].text : "");
        put_quotes(text);
        messages_have(text, s[i].part);
    }
}

#define SAYS(samples)                                                                              \
    static void say_##samples(void **state)                                                        \
    {                                                                                              \
        (void)state;                                                                               \
        expect(samples, sizeof samples / sizeof *samples);                                         \
    }
SAYS(names)
SAYS(keys)
SAYS(rules)
SAYS(movement)
SAYS(walls)
SAYS(weights)
SAYS(sums)
SAYS(births)
SAYS(amounts)
SAYS(limits)

/* Checks the message about the species on line 2: n groups between two texts. */
static void expect_too_many(int n, const char *group, const char *before, const char *after,
                            const char *part)
{
    char list[16384] = "", text[20000];
    for (int i = 0, used = 0; i < n; i++)
        used += snprintf(list + used, sizeof list - (size_t)used, "%s{ name = 'n%d'; %s }",
                         i == 0 ? "" : ", ", i, group);
    snprintf(text, sizeof text, "%s time = { end = 1; };\nspecies = ( %s%s%s );", GRID, before,
             list, after);
    put_quotes(text);
    struct rd_error e = messages_on(text);
    assert_string_equal(e.text ? e.text : "nothing", part);
    rd_error_free(&e);
}

static void say_too_many(void **state)
{
    (void)state;
    expect_too_many(RD_LISTS_MOST + 1, "individuals = { max = 1; };", "", "",
                    "m.cfg:2: 129 species have individuals; use at most 128 such species");
    expect_too_many(RD_ATTRIBUTES_MOST + 1, "initial = 1;",
                    "{ name = 'A'; individuals = { max = 1; attributes = ( ", " ); }; }",
                    "m.cfg:2: species 'A' has 65 attributes; use at most 64");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(say_names),    cmocka_unit_test(say_keys),
        cmocka_unit_test(say_rules),    cmocka_unit_test(say_movement),
        cmocka_unit_test(say_walls),    cmocka_unit_test(say_weights),
        cmocka_unit_test(say_sums),     cmocka_unit_test(say_births),
        cmocka_unit_test(say_amounts),  cmocka_unit_test(say_limits),
        cmocka_unit_test(say_too_many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
