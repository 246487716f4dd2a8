/* test_reservoir - tests of the list of inlet voxels, of the number of molecules that enter through
   each, and of its totals. */
#include "kernels/passes/movement/reservoir.h"

#include "handmade.h"

#include <stdlib.h>

/* Tests that each voxel of each inlet face is listed once. */
static void inlets_are_the_voxels_of_their_faces(void **state)
{
    (void)state;
    const int32_t size[3] = {2, 3, 4};
    struct rd_world w = {.lattice.size = {2, 3, 4}};
    static const int faces[] = {0, 3, 4, 5};
    int64_t n = 0;
    for (size_t i = 0; i < 4; i++)
        n += w.movement.inlet[faces[i]] = 24 / size[faces[i] / 2];
    bool seen[RD_N_FACES][24] = {{false}};
    for (int64_t k = 0; k < n; k++) {
        int32_t at[3];
        const int face = rd_inlet_at(&w, k, at);
        assert_true(w.movement.inlet[face] > 0);
        assert_int_equal(at[face / 2], face % 2 ? size[face / 2] - 1 : 0);
        for (int axis = 0; axis < 3; axis++)
            assert_in_range(at[axis], 0, size[axis] - 1);
        bool *const here = &seen[face][rd_site_number(&w.lattice, at)];
        assert_false(*here);
        *here = true;
    }
}

/* Holds three voxels along x and two along y; the x faces are inlets of A and C, in two runs. */
struct inlets {
    struct handmade h;
    int32_t *arrive;
};

static void open_inlets(struct inlets *i, const char *name, int64_t runs)
{
    static const double rate[RD_N_FACES] = {0.5, 0.5, 0.25, 0.25, 0, 0};
    static const double pass[RD_N_FACES] = {1, 1, 0, 0, 0, 0};
    handmade_open(&i->h, name, (const int32_t[]){3, 2, 1}, runs);
    handmade_move(&i->h, 'A', rate, pass);
    handmade_move(&i->h, 'C', rate, pass);
    struct rd_world *const w = &i->h.world;
    w->movement.inlet[0] = w->movement.inlet[1] = 2;
    w->items.n_inlets = 4 * runs;
    w->pass.dt = 0.8;
    i->arrive = calloc((size_t)(HANDMADE_SPECIES * w->lattice.n_voxels), sizeof *i->arrive);
    assert_non_null(i->arrive);
    w->counts.arrive = i->arrive;
}

static void close_inlets(struct inlets *i)
{
    free(i->arrive);
    handmade_close(&i->h);
}

static int64_t at_faces(const int64_t *sums, int64_t run, int species)
{
    int64_t n = 0;
    for (int face = 0; face < RD_N_FACES; face++)
        n += sums[(run * HANDMADE_SPECIES + species) * RD_N_FACES + face];
    return n;
}

/* Tests that all molecules that entered arrive in the same run or are absorbed again, and that only
   species with inlets enter. */
static void molecules_that_enter_arrive_or_are_absorbed(void **state)
{
    (void)state;
    struct inlets i;
    open_inlets(&i, "molecules_that_enter_arrive_or_are_absorbed", 5);
    i.h.transport[0].mean[0] = 60;
    i.h.transport[2].mean[1] = 40;
    i.h.transport[2].region = 0;
    i.h.mask[2] = 0; /* C does not live at (2, 0) */
    for (int64_t k = 0; k < i.h.world.items.n_inlets; k++)
        rd_enter(&i.h.world, k);
    for (int64_t run = 0; run < 5; run++)
        for (int s = 0; s < HANDMADE_SPECIES; s++) {
            int64_t arrived = 0;
            for (int64_t site = 0; site < 6; site++)
                arrived += i.arrive[s * i.h.world.lattice.n_voxels + run * 6 + site];
            const int64_t entered = at_faces(i.h.entered, run, s);
            assert_int_equal(entered, arrived + at_faces(i.h.lost, run, s));
            assert_true((entered > 0) == (s != 1));
            assert_int_equal(i.arrive[2 * i.h.world.lattice.n_voxels + run * 6 + 2], 0);
        }
    assert_int_equal(i.h.entered[1], 0); /* A enters at xmin only */
    close_inlets(&i);
}

/* Tests that a Poisson number with mean enter dt enters through each voxel of the face. */
static void poisson_numbers_enter(void **state)
{
    (void)state;
    enum { RUNS = 4000 };
    const double enter = 3, mean = 2 * enter * 0.8; /* two voxels */
    struct inlets i;
    open_inlets(&i, "poisson_numbers_enter", RUNS);
    i.h.transport[0].mean[1] = enter / 0.5;
    double sum = 0, squares = 0;
    for (int64_t k = 0; k < i.h.world.items.n_inlets; k++)
        rd_enter(&i.h.world, k);
    for (int64_t run = 0; run < RUNS; run++) {
        const double d = (double)at_faces(i.h.entered, run, 0) - mean;
        sum += d;
        squares += d * d;
    }
    assert_deviation("mean", sum / sqrt(RUNS * mean));
    assert_deviation("variance", (squares / RUNS / mean - 1) * sqrt(RUNS / (2 + 1 / mean)));
    close_inlets(&i);
}

int test_reservoir(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(inlets_are_the_voxels_of_their_faces),
        cmocka_unit_test(molecules_that_enter_arrive_or_are_absorbed),
        cmocka_unit_test(poisson_numbers_enter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
