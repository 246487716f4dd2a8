/* twin_sweep - tests that the fused step, movement and reactions of counted species on the GPU in
   tiles, gives the same bytes as the plain passes on the CPU. It covers tiles that do not fit the
   lattice, all walls, few and many molecules, and many that cross between tiles. */
#include "lab.h"
#include "quotes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void assert_same_text(const char *text, const char *const *sets)
{
    const struct lab cpu = {.backend = "cpu", .threads = 8}, cuda = {.backend = "cuda"};
    /* several steps in one launch */
    const struct lab unverified = {.backend = "cuda", .unverified = true};
    const uint64_t right = lab_fingerprint(&cpu, text, sets);
    for (int i = 0; sets && sets[i]; i++)
        printf("%s ", sets[i]);
    printf("\n");
    if (lab_fingerprint(&cuda, text, sets) != right)
        fail_msg("the GPU gives other numbers than the CPU for\n%s", text);
    if (lab_fingerprint(&unverified, text, sets) != right)
        fail_msg("the GPU gives other numbers, of several steps at once, for\n%s", text);
}

/* Compares tests/models/identical/NAME.cfg with these settings. */
static void assert_same(const char *name, const char *const *sets)
{
    char file[64];
    snprintf(file, sizeof file, "identical/%s.cfg", name);
    char *const text = model_text(file);
    assert_same_text(text, sets);
    free(text);
}

#define PERIODIC_X "grid.walls.x=periodic"
#define PERIODIC   PERIODIC_X, "grid.walls.y=periodic", "grid.walls.z=periodic"
#define TILES(...) assert_same("tiles", SETS(__VA_ARGS__))

static void lattices_that_tiles_do_not_fit(void **state)
{
    (void)state;
    static const char *const box[] = {
        "(17, 5, 3)",   "(64, 32, 48)", "(33, 31, 9)", "(5, 70, 41)", "(40, 3, 90)", "(1, 1, 700)",
        "(2048, 1, 1)", "(31, 33, 40)", "(7, 7, 7)",   "(2, 2, 2)",   "(129, 8, 8)",
    };
    static const char *const plane[] = {"(300, 7)", "(63, 65)", "(1, 513)"};
    char voxels[64];
    for (size_t i = 0; i < sizeof box / sizeof *box; i++) {
        snprintf(voxels, sizeof voxels, "grid.voxels=%s", box[i]);
        TILES(voxels, PERIODIC, "parameters.load=0.8");
    }
    for (size_t i = 0; i < sizeof plane / sizeof *plane; i++) {
        snprintf(voxels, sizeof voxels, "grid.voxels=%s", plane[i]);
        TILES(voxels, PERIODIC_X, "run.runs=2", "parameters.load=1.5");
    }
    TILES("grid.voxels=2049", "parameters.load=2");
    TILES("grid.voxels=255", PERIODIC_X, "run.runs=9", "parameters.load=2");
}

static void ensembles(void **state)
{
    (void)state;
    TILES("grid.voxels=(1, 1, 1)", "run.runs=3000", "parameters.load=5");
    TILES("grid.voxels=(3, 2, 2)", PERIODIC, "run.runs=400");
    TILES("grid.voxels=(10, 11, 12)", "run.runs=5");
    TILES("grid.voxels=(40, 33, 20)", "grid.walls.x=absorb", "run.runs=3");
}

static void walls(void **state)
{
    (void)state;
    TILES("grid.voxels=(50, 20, 30)", "parameters.load=1.5");
    TILES("grid.voxels=(50, 20, 30)", "grid.walls.xmin=absorb", "grid.walls.ymax.kind=absorb",
          "grid.walls.ymax.probability=0.4", "parameters.load=1.5", "splitting=lie");
    TILES("grid.voxels=(50, 20, 30)", "grid.walls.z=absorb", "grid.walls.x=absorb",
          "grid.walls.y=absorb", "parameters.load=3");
    TILES("grid.voxels=(40, 20, 30)", "grid.walls.zmin.kind=reservoir", "grid.walls.zmin.mean=4",
          PERIODIC_X, "grid.walls.ymax.kind=reservoir", "grid.walls.ymax.mean=0.3", "run.runs=2",
          "parameters.load=0.5");
    TILES("grid.voxels=(2, 2, 90)", "grid.walls.x=absorb", "parameters.load=4");
    TILES("grid.voxels=(40, 20, 30)", "grid.walls.xmin.kind=reservoir", "grid.walls.xmin.mean=0.4",
          "grid.walls.y=periodic", "grid.walls.z=periodic", "parameters.load=0.1");
}

/* Tests voxels, some or all, with too many molecules for one draw each. */
static void many_molecules(void **state)
{
    (void)state;
    static const char *const load[] = {"parameters.load=0.01", "parameters.load=8",
                                       "parameters.load=22", "parameters.load=60"};
    for (size_t i = 0; i < sizeof load / sizeof *load; i++) {
        TILES("grid.voxels=(40, 40, 24)", PERIODIC, load[i]);
        TILES("grid.voxels=(40, 20, 12)", "run.runs=2", load[i]);
    }
    assert_same("tiles_burst", NULL);
    assert_same("tiles_far", NULL);
}

/* Tests n species. In the text, ' stands for ". */
static void with_species(int n)
{
    char text[8000];
    int at = snprintf(text, sizeof text,
                      "grid = { voxels = (35, 18, 20); edge = 1.0; walls = { x = 'periodic'; y = "
                      "'periodic'; }; };\nspecies = (");
    for (int i = 0; i < n; i++)
        at += snprintf(text + at, sizeof text - (size_t)at, "%s { name = 'S%d'; diffusion = %g; }",
                       i ? "," : "", i, i == 3 ? 0.0 : 0.1 * (i % 6 + 1));
    at += snprintf(text + at, sizeof text - (size_t)at,
                   " );\nreactions = ( { equation = '0 -> S0'; rate = 0.01; }, { equation = '2 "
                   "S0 -> S%d'; rate = 0.1; }, { equation = '3 S0 -> 0'; rate = 0.01; }",
                   n - 1);
    for (int i = 3; i < n; i++)
        at += snprintf(text + at, sizeof text - (size_t)at,
                       ", { equation = 'S%d -> S%d'; rate = 0.1; }, { equation = 'S%d + S%d -> "
                       "S%d'; rate = 0.2; }",
                       i, i - 1, i - 1, i - 2, i);
    at += snprintf(text + at, sizeof text - (size_t)at, " );\ninitial = (");
    for (int i = 0; i < n; i++)
        at += snprintf(text + at, sizeof text - (size_t)at,
                       "%s { species = 'S%d'; value = %g; spread = 'poisson'; }", i ? "," : "", i,
                       i == 3 ? 300.0 : 0.7);
    snprintf(text + at, sizeof text - (size_t)at,
             " );\ntime = { end = 4.0; step = 0.5; }; output = { every = 2.0; };\n");
    put_quotes(text);
    assert_same_text(text, NULL);
}

/* Tests numbers of species and reactions, the last ones too many for a fused step. */
static void one_to_many_species(void **state)
{
    (void)state;
    static const int n[] = {1, 2, 3, 4, 5, 8, 9, 24, 32, 40};
    for (size_t i = 0; i < sizeof n / sizeof *n; i++)
        with_species(n[i]);
}

/* Tests events between two outputs, uniformised walks, regions, propensities, and long lists of
   reactants. */
static void models_that_are_not_simple(void **state)
{
    (void)state;
    TILES("events=( { time = 2.25; add = { species = \"A\"; count = 500; }; } )");
    assert_same("tiles_regions", NULL);
    assert_same("tiles_propensities", NULL);
}

/* Checks that the message is the same, whatever happened in other tiles of the same step. */
static void assert_same_message(const char *name, const char *const *sets, const char *part)
{
    const struct lab cpu = {.backend = "cpu", .threads = 8}, cuda = {.backend = "cuda"};
    char *const text = model_text(name);
    char *const a = lab_try(&cpu, text, sets), *const b = lab_try(&cuda, text, sets);
    if (!strstr(a, part))
        fail_msg("no fault on the CPU: %s", a);
    assert_string_equal(a, b);
    free(a);
    free(b);
    free(text);
}

static void faults(void **state)
{
    (void)state;
    assert_same_message("identical/tiles_overflow.cfg", NULL, "molecules of 'A'");
    assert_same_message(
        "identical/tiles_overflow.cfg",
        SETS("species.A.drift=(0, 0, 0)", "reactions[0].equation=B -> 3 B", "reactions[0].rate=3"),
        "molecules of 'B'");
    assert_same_message("identical/tiles_two_overflows.cfg", NULL, "'A' are in voxel (1, 39, 30)");
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
        cmocka_unit_test(many_molecules),
        cmocka_unit_test(one_to_many_species),
        cmocka_unit_test(models_that_are_not_simple),
        cmocka_unit_test(faults),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
