/* twin_sweep - tests that the fused step, movement and reactions of counted species on the GPU in
   tiles, gives the same bytes as the plain passes on the CPU. It covers tiles that do not fit the
   lattice, all walls, few and many molecules, and many that cross between tiles. */
#include "lab.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void same_on_both(const char *text)
{
    const struct lab cpu = {.backend = "cpu", .threads = 8}, cuda = {.backend = "cuda"};
    /* several steps in one launch */
    const struct lab seldom = {.backend = "cuda", .unverified = true};
    const uint64_t right = lab_fingerprint(&cpu, text, NULL);
    if (lab_fingerprint(&cuda, text, NULL) != right)
        fail_msg("the GPU gives other numbers than the CPU for\n%s", text);
    if (lab_fingerprint(&seldom, text, NULL) != right)
        fail_msg("the GPU gives other numbers, of several steps at once, for\n%s", text);
}

/* Compares A + B <-> C at a mean of `load` per voxel of each; `voxels` is the size of the
   lattice. */
static void a_case(const char *voxels, const char *walls, int runs, double load, const char *more)
{
    char text[4000];
    snprintf(text, sizeof text,
             "grid = { voxels = %s; edge = 1.0; walls = { %s }; };\n"
             "species = ( { name = \"A\"; diffusion = 0.1; }, { name = \"B\"; diffusion = 0.17; },"
             " { name = \"C\"; diffusion = 0.1; } );\n"
             "reactions = ( { equation = \"A + B -> C\"; rate = 0.05; },"
             " { equation = \"C -> A + B\"; rate = 0.02; } );\n"
             "initial = ( { species = \"A\"; value = %g; spread = \"poisson\"; },"
             " { species = \"B\"; value = %g; spread = \"poisson\"; } );\n"
             "time = { end = 6.0; step = 0.5; }; output = { every = 1.5; };\n"
             "run = { seed = 5; runs = %d; first = 3; };\n%s",
             voxels, walls, load, load, runs, more);
    same_on_both(text);
}

static const char round_all[] = "x = \"periodic\"; y = \"periodic\"; z = \"periodic\";";

static void lattices_that_tiles_do_not_fit(void **state)
{
    (void)state;
    static const char *const voxels[] = {
        "(17, 5, 3)",   "(64, 32, 48)", "(33, 31, 9)", "(5, 70, 41)", "(40, 3, 90)", "(1, 1, 700)",
        "(2048, 1, 1)", "(31, 33, 40)", "(7, 7, 7)",   "(2, 2, 2)",   "(129, 8, 8)",
    };
    for (size_t i = 0; i < sizeof voxels / sizeof *voxels; i++)
        a_case(voxels[i], round_all, 1, 0.8, "");
    static const char *const flat[] = {"(300, 7)", "(63, 65)", "(1, 513)"};
    for (size_t i = 0; i < sizeof flat / sizeof *flat; i++)
        a_case(flat[i], "x = \"periodic\"; y = \"reflect\";", 2, 1.5, "");
    a_case("(2049)", "", 1, 2.0, "");
    a_case("(255)", "x = \"periodic\";", 9, 2.0, "");
}

static void ensembles(void **state)
{
    (void)state;
    a_case("(1, 1, 1)", "", 3000, 5.0, "");
    a_case("(3, 2, 2)", round_all, 400, 1.0, "");
    a_case("(10, 11, 12)", "", 5, 1.0, "");
    a_case("(40, 33, 20)", "x = \"absorb\";", 3, 1.0, "");
}

static void walls(void **state)
{
    (void)state;
    a_case("(50, 20, 30)", "", 1, 1.5, "");
    a_case("(50, 20, 30)", "xmin = \"absorb\"; ymax = { kind = \"absorb\"; probability = 0.4; };",
           1, 1.5, "splitting = \"lie\";");
    a_case("(50, 20, 30)", "z = \"absorb\"; x = \"absorb\"; y = \"absorb\";", 1, 3.0, "");
    a_case("(40, 20, 30)",
           "zmin = { kind = \"reservoir\"; mean = 4.0; }; x = \"periodic\"; ymax = { kind = "
           "\"reservoir\"; mean = 0.3; };",
           2, 0.5, "");
    a_case("(2, 2, 90)", "x = \"absorb\";", 1, 4.0, "");
    a_case("(40, 20, 30)",
           "xmin = { kind = \"reservoir\"; mean = 0.4; }; y = \"periodic\"; z = \"periodic\";", 1,
           0.1, "");
}

/* Tests voxels, some or all, with too many molecules for one draw each. */
static void many(void **state)
{
    (void)state;
    static const double load[] = {0.01, 8.0, 22.0, 60.0};
    for (size_t i = 0; i < sizeof load / sizeof *load; i++) {
        a_case("(40, 40, 24)", round_all, 1, load[i], "");
        a_case("(40, 20, 12)", "", 2, load[i], "");
    }
    /* all in one voxel, from which they exceed the capacity of the outbox */
    same_on_both("grid = { voxels = (64, 64, 64); edge = 1.0; };\n"
                 "species = ( { name = \"A\"; diffusion = 2.0; }, { name = \"B\"; diffusion = 2.0; "
                 "} );\n"
                 "reactions = ( { equation = \"A -> B\"; rate = 0.3; } );\n"
                 "initial = ( { species = \"A\"; count = 300000; voxel = (31, 32, 33); } );\n"
                 "time = { end = 8.0; step = 1.0; }; output = { every = 2.0; };\n");
}

/* Tests movement of so many molecules between tiles that the outbox overflows. */
static void far(void **state)
{
    (void)state;
    same_on_both("grid = { voxels = (96, 64, 48); edge = 1.0; walls = { x = \"periodic\"; y = "
                 "\"periodic\"; }; };\n"
                 "species = ( { name = \"A\"; diffusion = 30.0; }, { name = \"B\"; diffusion = "
                 "25.0; drift = (9, -3, 0); } );\n"
                 "reactions = ( { equation = \"A + B -> 2 B\"; rate = 0.01; } );\n"
                 "initial = ( { species = \"A\"; value = 5; spread = \"poisson\"; }, { species = "
                 "\"B\"; value = 4; spread = \"poisson\"; } );\n"
                 "time = { end = 4.0; step = 1.0; }; output = { every = 2.0; };\n");
}

static void with_species(int n)
{
    char text[8000];
    int at = snprintf(text, sizeof text,
                      "grid = { voxels = (35, 18, 20); edge = 1.0; walls = { x = \"periodic\"; y = "
                      "\"periodic\"; }; };\nspecies = (");
    for (int i = 0; i < n; i++)
        at +=
            snprintf(text + at, sizeof text - (size_t)at, "%s { name = \"S%d\"; diffusion = %g; }",
                     i ? "," : "", i, i == 3 ? 0.0 : 0.1 * (i % 6 + 1));
    at += snprintf(text + at, sizeof text - (size_t)at,
                   " );\nreactions = ( { equation = \"0 -> S0\"; rate = 0.01; }, { equation = \"2 "
                   "S0 -> S%d\"; rate = 0.1; }, { equation = \"3 S0 -> 0\"; rate = 0.01; }",
                   n - 1);
    for (int i = 3; i < n; i++)
        at += snprintf(text + at, sizeof text - (size_t)at,
                       ", { equation = \"S%d -> S%d\"; rate = 0.1; }, { equation = \"S%d + S%d -> "
                       "S%d\"; rate = 0.2; }",
                       i, i - 1, i - 1, i - 2, i);
    at += snprintf(text + at, sizeof text - (size_t)at, " );\ninitial = (");
    for (int i = 0; i < n; i++)
        at += snprintf(text + at, sizeof text - (size_t)at,
                       "%s { species = \"S%d\"; value = %g; spread = \"poisson\"; }", i ? "," : "",
                       i, i == 3 ? 300.0 : 0.7);
    snprintf(text + at, sizeof text - (size_t)at,
             " );\ntime = { end = 4.0; step = 0.5; }; output = { every = 2.0; };\n");
    same_on_both(text);
}

/* Tests numbers of species and reactions, the last ones too many for a fused step. */
static void one_to_many_species(void **state)
{
    (void)state;
    static const int n[] = {1, 2, 3, 4, 5, 8, 9, 24, 32, 40};
    for (size_t i = 0; i < sizeof n / sizeof *n; i++)
        with_species(n[i]);
}

/* Tests walkers, propensities, regions, long lists of reactants, and events in between. */
static void what_is_not_simple(void **state)
{
    (void)state;
    a_case("(40, 20, 12)", "", 1, 1.0,
           "events = ( { time = 2.25; add = { species = \"A\"; count = 500; }; } );");
    same_on_both(
        "grid = { voxels = (34, 20, 18); edge = 1.0; walls = { x = \"periodic\"; }; };\n"
        "regions = ( { name = \"ball\"; sphere = { centre = (17, 10, 9); radius = 7.0; }; },\n"
        "            { name = \"left\"; box = { from = (0, 0, 0); to = (12, 20, 18); }; } );\n"
        "species = ( { name = \"A\"; diffusion = 0.5; in = \"ball\"; }, { name = \"B\"; diffusion "
        "= 0.4; in = \"left\"; },\n"
        "            { name = \"C\"; diffusion = 0.3; drift = (0.2, 0, 0); }, { name = \"D\"; } "
        ");\n"
        "reactions = ( { equation = \"A -> C\"; rate = 0.1; in = \"ball\"; }, { equation = \"0 -> "
        "B\"; rate = 0.1; in = \"left\"; },\n"
        "              { equation = \"2 C + 3 D -> C + 4 D\"; rate = 0.001; }, { equation = \"B + "
        "C "
        "-> D\"; rate = 0.3; } );\n"
        "initial = ( { species = \"A\"; count = 2000; }, { species = \"C\"; value = 1.5; spread = "
        "\"poisson\"; }, { species = \"D\"; count = 5000; } );\n"
        "time = { end = 4.0; step = 0.5; }; output = { every = 1.0; };\n");
    same_on_both(
        "grid = { voxels = (34, 20); edge = 1.0; };\n"
        "species = ( { name = \"S\"; diffusion = 0.4; }, { name = \"P\"; diffusion = 0.2; } );\n"
        "reactions = ( { equation = \"S -> P\"; propensity = \"3 * S / (10 + S)\"; }, { equation = "
        "\"P -> "
        "S\"; rate = \"0.1 * (1 + sin(t))\"; } );\n"
        "initial = ( { species = \"S\"; value = 9; spread = \"poisson\"; } );\n"
        "time = { end = 4.0; step = 0.25; }; output = { every = 1.0; };\n");
}

/* Checks that the message is the same, whatever happened in other tiles of the same step. */
static void same_message(const char *text, const char *part)
{
    const struct lab cpu = {.backend = "cpu", .threads = 8}, cuda = {.backend = "cuda"};
    char *const a = lab_try(&cpu, text, NULL), *const b = lab_try(&cuda, text, NULL);
    if (!strstr(a, part))
        fail_msg("no fault on the CPU: %s", a);
    assert_string_equal(a, b);
    free(a);
    free(b);
}

static void faults(void **state)
{
    (void)state;
    /* more arrive at the wall than can be counted, and reactions make too many elsewhere */
    static const char text[] =
        "grid = { voxels = (4, 40, 40); edge = 1.0; };\n"
        "species = ( { name = \"A\"; diffusion = 0.2; drift = %s; }, { name = \"B\"; } );\n"
        "reactions = ( { equation = \"B -> %s\"; rate = %s; } );\n"
        "initial = ( { species = \"A\"; count = 2147483000; voxel = (1, 38, 9); },\n"
        "            { species = \"A\"; count = 2147483000; voxel = (1, 39, 9); },\n"
        "            { species = \"B\"; count = 2147483646; voxel = (1, 3, 3); },\n"
        "            { species = \"B\"; count = 1; voxel = (1, 20, 39); } );\n"
        "time = { end = 4.0; step = 0.25; }; output = { every = 4.0; };\n";
    char made[4000];
    snprintf(made, sizeof made, text, "(0, 4, 0)", "0", "1e-12");
    same_message(made, "molecules of 'A'");
    snprintf(made, sizeof made, text, "(0, 0, 0)", "3 B", "3.0");
    same_message(made, "molecules of 'B'");
    /* in the same step too many arrive, and reactions make too many in a voxel before it: only the
       first of the two is reported */
    same_message(
        "grid = { voxels = (4, 40, 40); edge = 1.0; };\n"
        "species = ( { name = \"A\"; diffusion = 0.2; drift = (0, 4, 0); }, { name = \"B\"; "
        "} );\n"
        "reactions = ( { equation = \"A + B -> A + 2 B\"; rate = 1e-9; } );\n"
        "initial = ( { species = \"A\"; count = 2147483000; voxel = (1, 38, 30); },\n"
        "            { species = \"A\"; count = 2147483000; voxel = (1, 39, 30); },\n"
        "            { species = \"A\"; count = 1000; voxel = (1, 19, 3); },\n"
        "            { species = \"B\"; count = 2147483646; voxel = (1, 20, 3); } );\n"
        "time = { end = 4.0; step = 0.25; }; output = { every = 4.0; };\n",
        "'A' in voxel (1, 39, 30)");
}

int main(void)
{
    if (!lab_has_gpu()) {
        printf("skipped: this machine has no NVIDIA GPU, or the program was built without CUDA\n");
        return 77;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lattices_that_tiles_do_not_fit),
        cmocka_unit_test(ensembles),
        cmocka_unit_test(walls),
        cmocka_unit_test(many),
        cmocka_unit_test(far),
        cmocka_unit_test(one_to_many_species),
        cmocka_unit_test(what_is_not_simple),
        cmocka_unit_test(faults),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
