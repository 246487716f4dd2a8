/* twin_snapshots_gpu - tests that lists of individuals on the GPU give the same bytes as on the
   CPU: small and large, empty, full, dying out and born again, of several species, in lattices of
   many shapes. */
#include "lab.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Lattices: one voxel; sizes that are no multiples of a block; more than a block's voxels in one
   row, in one plane, in many runs. */
static const char *const grids[] = {
    "voxels = 1; edge = 1.0;",
    "voxels = 7; edge = 1.0; walls = { x = \"periodic\"; };",
    "voxels = 5000; edge = 1.0;",
    "voxels = (33, 70); edge = 1.0; walls = { x = \"periodic\"; };",
    "voxels = (17, 5, 3); edge = 1.0; walls = { z = \"periodic\"; };",
    ("voxels = (37, 19, 11); edge = 1.0;"
     "walls = { x = \"periodic\"; y = \"periodic\"; z = \"periodic\"; };"),
    "voxels = (64, 32, 3); edge = (1.0, 2.0, 0.5); walls = { xmin = \"absorb\"; y = \"absorb\"; };",
};
enum { N_GRIDS = sizeof grids / sizeof grids[0] };

/* Models of the individuals: the rest of a configuration. */
struct life {
    const char *name, *text;
    int runs;
};
static const struct life lives[] = {
    {"one list, of constant turnover",
     "species = ( { name = \"A\"; diffusion = 0.3; individuals = { max = 9000; }; } );\n"
     "reactions = ( { equation = \"A -> 2 A\"; rate = 0.3; },\n"
     "              { equation = \"A -> 0\"; rate = 0.3; } );\n"
     "initial = ( { species = \"A\"; count = 4000; } );\n"
     "time = { end = 3.0; step = 0.5; }; output = { every = 1.0; };\n",
     1},
    {"none at first, then births, then death of all, then births again",
     "parameters = { birth = 0.0; death = 0.0; };\n"
     "species = ( { name = \"A\"; diffusion = 0.3; individuals = { max = 9000;\n"
     "    record = \"lineage\"; }; } );\n"
     "reactions = ( { equation = \"A -> 0\"; rate = \"death\"; },\n"
     "              { equation = \"0 -> A\"; propensity = \"birth\"; } );\n"
     "events = ( { time = 1.0; set = { birth = 0.2; }; },\n"
     "           { time = 2.0; set = { birth = 0.0; death = 60.0; }; },\n"
     "           { time = 3.0; set = { birth = 0.1; death = 0.1; }; } );\n"
     "time = { end = 4.0; step = 0.25; }; output = { every = 1.0; };\n",
     1},
    {"a list that is full takes one for one",
     "species = ( { name = \"A\"; diffusion = 0.3; individuals = { max = 1000;\n"
     "    record = \"lineage\"; attributes = ( { name = \"age\"; initial = 1.0;\n"
     "    birth = \"parent.age + 1\"; orphan = 0.0; } ); }; }, { name = \"B\"; } );\n"
     "reactions = ( { equation = \"A -> B\"; rate = 1.0; },\n"
     "              { equation = \"A + B -> 2 A\"; rate = 0.5; } );\n"
     "initial = ( { species = \"A\"; count = 1000; } );\n"
     "time = { end = 3.0; step = 0.25; }; output = { every = 1.0; };\n",
     1},
    {"three lists that become each other, in several runs",
     "species = ( { name = \"A\"; diffusion = 0.5; individuals = { max = 3000;\n"
     "    record = \"lineage\"; attributes = ( { name = \"tag\"; initial = \"uniform(0, 1)\";\n"
     "    birth = \"normal(1, 1)\"; } ); }; },\n"
     "  { name = \"C\"; diffusion = 1.5; individuals = { max = 2000; }; },\n"
     "  { name = \"B\"; individuals = { max = 2500; record = \"lineage\"; attributes = (\n"
     "    { name = \"tag\"; initial = 3.0; birth = \"normal(0, 1)\"; } ); }; },\n"
     "  { name = \"S\"; diffusion = 1.0; } );\n"
     "reactions = ( { equation = \"A -> B\"; rate = 0.8; }, { equation = \"B -> A\"; rate = 0.7; "
     "},\n"
     "  { equation = \"A + B -> 2 C\"; rate = 0.02; }, { equation = \"C -> A\"; rate = 0.4; },\n"
     "  { equation = \"A -> 2 A + S\"; rate = 0.2; }, { equation = \"B -> 0\"; rate = 0.2;\n"
     "    weight = \"B.tag^2 + 0.1\"; }, { equation = \"0 -> C\"; rate = 0.01; } );\n"
     "initial = ( { species = \"A\"; count = 700; }, { species = \"B\"; count = 300; } );\n"
     "time = { end = 2.0; step = 0.25; }; output = { every = 1.0; };\n",
     3},
    {"two simple lists that become each other, meet and react with counted ones, in several runs",
     "species = ( { name = \"A\"; diffusion = 0.5; individuals = { max = 3000; }; },\n"
     "  { name = \"C\"; diffusion = 1.5; individuals = { max = 3000; }; },\n"
     "  { name = \"S\"; diffusion = 1.0; } );\n"
     "reactions = ( { equation = \"A -> C\"; rate = 0.8; }, { equation = \"C -> A\"; rate = 0.7; "
     "},\n"
     "  { equation = \"2 A -> 2 C + S\"; rate = 0.03; }, { equation = \"A -> 3 A\"; rate = 0.3; "
     "},\n"
     "  { equation = \"C + S -> 2 C\"; rate = 0.5; }, { equation = \"A -> S\"; rate = 0.4; },\n"
     "  { equation = \"C -> 0\"; rate = 0.4; }, { equation = \"0 -> A\"; rate = 0.01; } );\n"
     "initial = ( { species = \"A\"; count = 700; }, { species = \"C\"; count = 300; } );\n"
     "time = { end = 2.0; step = 0.5; }; output = { every = 1.0; };\n",
     3},
    {"one list that goes far in a step",
     "species = ( { name = \"A\"; diffusion = 30.0; individuals = { max = 9000;\n"
     "    }; } );\n"
     "reactions = ( { equation = \"A -> 2 A\"; rate = 0.3; },\n"
     "              { equation = \"A -> 0\"; rate = 0.3; } );\n"
     "initial = ( { species = \"A\"; count = 4000; } );\n"
     "time = { end = 2.0; step = 0.5; }; output = { every = 1.0; };\n",
     1},
};
enum { N_LIVES = sizeof lives / sizeof lives[0] };

/* Very many individuals in few voxels, and in one. */
static const char *const crowds[] = {
    "grid = { voxels = (40, 3); edge = 1.0; };\n"
    "species = ( { name = \"A\"; diffusion = 0.2; individuals = { max = 150000; }; } );\n"
    "reactions = ( { equation = \"A -> 2 A\"; rate = 0.05; }, { equation = \"A -> 0\"; rate = "
    "0.05; } );\n"
    "initial = ( { species = \"A\"; count = 100000; voxel = (11, 1); } );\n"
    "time = { end = 1.0; step = 0.25; }; output = { every = 1.0; };\n",
    "grid = { voxels = (50, 30, 20); edge = 1.0;\n"
    "    walls = { x = \"periodic\"; y = \"periodic\"; z = \"periodic\"; }; };\n"
    "regions = ( { name = \"ball\"; sphere = { centre = (40, 3, 2); radius = 7; }; },\n"
    "            { name = \"core\"; sphere = { centre = (40, 3, 2); radius = 2; }; } );\n"
    "species = ( { name = \"A\"; diffusion = 0.2; individuals = { max = 120000; }; } );\n"
    "initial = ( { species = \"A\"; count = 60000; }, { species = \"A\"; count = 20000;\n"
    "    in = \"ball\"; }, { species = \"A\"; count = 20000; in = \"core\"; } );\n"
    "time = { end = 4.0; step = 1.0; }; output = { every = 2.0; };\n",
    /* so many births and deaths that all entries move, and too many arrive in some boxes */
    "grid = { voxels = (50, 30, 20); edge = 1.0;\n"
    "    walls = { x = \"periodic\"; y = \"periodic\"; z = \"periodic\"; }; };\n"
    "regions = ( { name = \"core\"; sphere = { centre = (40, 3, 2); radius = 2; }; } );\n"
    "species = ( { name = \"A\"; diffusion = 0.4; individuals = { max = 110000; }; } );\n"
    "reactions = ( { equation = \"A -> 2 A\"; rate = 0.1; }, { equation = \"A -> 0\"; rate = "
    "0.1; } );\n"
    "initial = ( { species = \"A\"; count = 60000; }, { species = \"A\"; count = 40000;\n"
    "    in = \"core\"; } );\n"
    "time = { end = 6.0; step = 1.0; }; output = { every = 3.0; };\n",
    /* few at first, sorted as they arrive; then so many that they are sorted by boxes, from a pause
       on */
    "grid = { voxels = (30, 30, 30); edge = 1.0;\n"
    "    walls = { x = \"periodic\"; y = \"periodic\"; z = \"periodic\"; }; };\n"
    "species = ( { name = \"A\"; diffusion = 0.3; individuals = { max = 60000; }; } );\n"
    "reactions = ( { equation = \"A -> 2 A\"; rate = 1.5; } );\n"
    "initial = ( { species = \"A\"; count = 500; } );\n"
    "time = { end = 3.0; step = 0.25; }; output = { every = 1.0; };\n",
    "grid = { voxels = 1; edge = 1.0; };\n"
    "species = ( { name = \"A\"; individuals = { max = 50000; }; } );\n"
    "reactions = ( { equation = \"A -> 2 A\"; rate = 0.05; }, { equation = \"A -> 0\"; rate = "
    "0.05; } );\n"
    "initial = ( { species = \"A\"; count = 40000; } );\n"
    "time = { end = 0.2; step = 0.1; }; output = { every = 0.1; };\n",
};
enum { N_CROWDS = sizeof crowds / sizeof crowds[0] };

static const struct lab cpu = {.backend = "cpu"}, cuda = {.backend = "cuda"};
/* whole graphs of steps */
static const struct lab seldom = {.backend = "cuda", .unverified = true};

static void assert_twins(const char *text)
{
    const uint64_t right = lab_fingerprint(&cpu, text, NULL);
    assert_int_equal(lab_fingerprint(&cuda, text, NULL), right);
    assert_int_equal(lab_fingerprint(&seldom, text, NULL), right);
}

static void every_life_in_every_lattice(void **state)
{
    (void)state;
    for (int l = 0; l < N_LIVES; l++)
        for (int g = 0; g < N_GRIDS; g++) {
            char text[4000];
            snprintf(text, sizeof text, "grid = { %s };\n%srun = { seed = %d; runs = %d; };\n",
                     grids[g], lives[l].text, 100 + g, lives[l].runs);
            printf("%s: %s\n", lives[l].name, grids[g]);
            assert_twins(text);
        }
}

static void crowds_in_few_voxels(void **state)
{
    (void)state;
    for (int i = 0; i < N_CROWDS; i++)
        assert_twins(crowds[i]);
}

/* Tests that of several faults the same first one is reported. */
static void faults_are_the_same(void **state)
{
    (void)state;
    static const char text[] =
        "grid = { voxels = (50, 40); edge = 1.0; };\n"
        "species = ( { name = \"A\"; diffusion = 1.0; individuals = { max = 4000; }; },\n"
        "            { name = \"B\"; diffusion = 1.0; individuals = { max = 4000; }; } );\n"
        "reactions = ( { equation = \"A -> 2 A\"; rate = 0.5; },\n"
        "              { equation = \"B -> 2 B\"; rate = 0.4; } );\n"
        "initial = ( { species = \"A\"; count = 1000; }, { species = \"B\"; count = 1000; } );\n"
        "time = { end = 20.0; step = 0.5; }; output = { every = 20.0; }; run = { runs = 4; };\n";
    char *const by_cpu = lab_try(&cpu, text, NULL), *const by_cuda = lab_try(&cuda, text, NULL);
    assert_non_null(strstr(by_cpu, "more than max = 4000 individuals"));
    assert_string_equal(by_cuda, by_cpu);
    free(by_cpu);
    free(by_cuda);
}

int main(void)
{
    if (!lab_has_gpu()) {
        printf("skipped: this machine has no NVIDIA GPU, or the program was built without CUDA\n");
        return 77;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_life_in_every_lattice),
        cmocka_unit_test(crowds_in_few_voxels),
        cmocka_unit_test(faults_are_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
