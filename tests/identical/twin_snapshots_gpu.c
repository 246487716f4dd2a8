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

/* Lists lattices: one voxel; sizes that are no multiples of a block; more than a block's voxels in
   one row, in one plane, in many runs. */
enum { GRID_SETS = 4 };
static const char *const grids[][GRID_SETS] = {
    {"grid.voxels=1"},
    {"grid.voxels=7", "grid.walls.x=periodic"},
    {"grid.voxels=5000"},
    {"grid.voxels=(33, 70)", "grid.walls.x=periodic"},
    {"grid.voxels=(17, 5, 3)", "grid.walls.z=periodic"},
    {"grid.voxels=(37, 19, 11)", "grid.walls.x=periodic", "grid.walls.y=periodic",
     "grid.walls.z=periodic"},
    {"grid.voxels=(64, 32, 3)", "grid.edge=(1.0, 2.0, 0.5)", "grid.walls.xmin=absorb",
     "grid.walls.y=absorb"},
};
enum { N_GRIDS = sizeof grids / sizeof grids[0] };

static const struct lab cpu = {.backend = "cpu"}, cuda = {.backend = "cuda"};
/* Runs whole graphs of steps. */
static const struct lab unverified = {.backend = "cuda", .unverified = true};

/* Compares tests/models/identical/NAME.cfg with these settings. */
static void assert_same(const char *name, const char *const *sets)
{
    char file[64];
    snprintf(file, sizeof file, "identical/%s.cfg", name);
    printf("%s %s\n", file, sets ? sets[0] : "");
    char *const text = model_text(file);
    const uint64_t right = lab_fingerprint(&cpu, text, sets);
    assert_int_equal(lab_fingerprint(&cuda, text, sets), right);
    assert_int_equal(lab_fingerprint(&unverified, text, sets), right);
    free(text);
}

static void every_model_in_every_lattice(void **state)
{
    (void)state;
    static const char *const models[] = {"turnover",    "empty_lists",      "full_list",
                                         "three_lists", "two_simple_lists", "far_movement"};
    for (size_t i = 0; i < sizeof models / sizeof models[0]; i++)
        for (int g = 0; g < N_GRIDS; g++) {
            char seed[32];
            const char *const *const of = grids[g];
            snprintf(seed, sizeof seed, "run.seed=%d", 100 + g);
            assert_same(models[i], SETS(seed, of[0], of[1], of[2], of[3]));
        }
}

/* Tests very many individuals in few voxels, and in one. */
static void many_individuals_in_few_voxels(void **state)
{
    (void)state;
    static const char *const models[] = {"crowded_plane", "crowded_ball", "crowded_core",
                                         "growing_box", "crowded_voxel"};
    for (size_t i = 0; i < sizeof models / sizeof models[0]; i++)
        assert_same(models[i], NULL);
}

/* Tests that of several faults the same first one is reported. */
static void faults_are_the_same(void **state)
{
    (void)state;
    char *const text = model_text("identical/two_full_lists.cfg");
    char *const by_cpu = lab_try(&cpu, text, NULL), *const by_cuda = lab_try(&cuda, text, NULL);
    assert_non_null(strstr(by_cpu, "more than max = 4000 individuals"));
    assert_string_equal(by_cuda, by_cpu);
    free(by_cpu);
    free(by_cuda);
    free(text);
}

int main(void)
{
    if (!lab_has_gpu()) {
        printf("skipped: this machine has no NVIDIA GPU, or the program was built without CUDA\n");
        return 77;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_model_in_every_lattice),
        cmocka_unit_test(many_individuals_in_few_voxels),
        cmocka_unit_test(faults_are_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
