/* law_sources - tests molecules that enter from reservoirs or are born, move and die. Independent
   molecules from Poisson sources are independent Poisson numbers in every voxel at any time
   (Gardiner 2009, 11.2), with means dm/dt = Q m + s, integrated by tests/support/theory.c. A stated
   resolution is 5 standard errors in the first variant of a test. */
#include "walkers.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

/* Tests births with equal rates everywhere, deaths and diffusion, which commute, so that any step
   is exact. 2000 runs of 90 voxels with 1.998 at the end resolve 8 % of a voxel's mean, 1 % of the
   mean over all voxels, and covariances of neighbours of 2 % of the variance. Detects: one stream
   for all voxels, of hops or of reactions. */
static void law_immigration_and_death(void **state)
{
    (void)state;
    double source[90];
    struct theory_walk w = {.size = {6, 5, 3}, .decay = 0.3, .source = source};
    for (int axis = 0; axis < 3; axis++)
        theory_set_rates(&w, axis, 0.7, 0, 1);
    for (int i = 0; i < 90; i++)
        source[i] = 0.6;
    const struct walkers c = {.walk = &w};
    const struct method method[] = {{"30", 2000}, {"0.3", 1000}, {"exact", 500}, {NULL, 0}};
    walkers_test(&c, __func__, "physics/immigration.cfg", NULL, method);
}

/* Tests births at one end only. Strang's error at steps of 4 (rate tau = .004) is below 0.1
   molecules a voxel, a fifth of the standard error; 250 runs of 50 to 130 molecules a voxel resolve
   3 %. Detects: births outside of their region. */
static void law_morphogen(void **state)
{
    (void)state;
    static const double source[40] = {.3, .3, .3, .3, .3, .3, .3, .3};
    struct theory_walk w = {.size = {40, 1, 1}, .decay = 0.001, .source = source};
    theory_set_rates(&w, 0, 100, 0, 25);
    const struct walkers c = {.walk = &w};
    const struct method method[] = {{"4", 250}, {"exact", 50}, {NULL, 0}};
    walkers_test(&c, __func__, CONFIGS "morphogen.cfg", SETS("output.times=(600, 1800)"), method);
}

/* Tests reservoirs on two axes, absorbing walls and a drift against them. Molecules that enter
   during a long step spread through the rest of it along all axes together. 500 runs resolve 8 % of
   a voxel's mean and 2 % of what a face absorbs. Detects: all entering at the start of the step;
   inflow at the outward rate; inflow equal to its mean. */
static void law_reservoirs(void **state)
{
    (void)state;
    double source[24] = {0};
    struct theory_walk w = {.size = {6, 4, 1}, .pass = {1, 1, 0, 1}, .source = source};
    theory_set_rates(&w, 0, 1, 0.5, 0.8);
    theory_set_rates(&w, 1, 0.4, 0.3, 1.1);
    theory_add_inlet(&w, 0, 10, source);
    theory_add_inlet(&w, 3, 3, source);
    const struct walkers c = {.walk = &w};
    const struct method method[] = {
        {"15", 500}, {"0.5", 500}, {"0.05", 200}, {"exact", 300}, {NULL, 0}};
    walkers_test(&c, __func__, "physics/reservoirs.cfg", NULL, method);
}

/* Adds up the inflow through each face. */
static void look_entered(void *to, const struct rd_model *m, const struct rd_snapshot *s)
{
    double *const entered = to;
    memset(entered, 0, RD_FACES * sizeof *entered);
    for (int64_t i = 0; i < m->n_runs * RD_FACES; i++)
        entered[i % RD_FACES] += (double)s->entered[i];
}

/* Tests that the inflow through a face is Poisson: mean x inward rate x time for each of its
   voxels. 1e5 and 1e4 of them resolve 1.5 and 4 %. A reservoir given as a density holds density x
   volume. Detects: inflow at the outward rate. */
static void law_inflow(void **state)
{
    (void)state;
    static const char *const step[] = {"20", "0.1", "exact"};
    struct theory_walk w = {.size = {3, 2, 2}};
    theory_set_rates(&w, 0, 0.3, -0.2, 0.5);
    theory_set_rates(&w, 2, 2, 1, 1);
    struct verdict v = {0};
    for (int i = 0; i < 3; i++) {
        double entered[RD_FACES] = {0};
        const int runs = 200;
        trial_run(&(struct trial){__func__, "physics/entrances.cfg", .step = step[i], .runs = runs},
                  look_entered, entered);
        const double mean[RD_FACES] = {
            [0] = 7 * w.rate[1] * 4 * 20, [5] = 0.4 * w.rate[4] * 6 * 20};
        for (int face = 0; face < RD_FACES; face++)
            verdict_add(&v, theory_poisson_deviate(entered[face], mean[face] * runs),
                        "face %d, step %s", face, step[i]);
    }
    verdict_check(&v);
}

/* Tests a square with a reservoir of 10 below and absorbing walls on the other sides, which at t =
   150 is within 1e-6 of the steady state. In its voxels and corners every long step has molecules
   that two walls would absorb. 400 runs resolve 0.5 % of what the sides absorb. Detects: jumps
   before an absorption cut off in steps with more than 46; a reservoir that does not absorb. */
static void law_slab(void **state)
{
    (void)state;
    double source[256] = {0};
    struct theory_walk w = {.size = {16, 16, 1}, .pass = {1, 1, 1, 1}, .source = source};
    theory_set_rates(&w, 0, 1, 0, 1);
    theory_set_rates(&w, 1, 1, 0, 1);
    theory_add_inlet(&w, 2, 10, source);
    const struct walkers c = {.walk = &w};
    const struct method method[] = {{"150", 400}, {"20", 400}, {"1", 50}, {"exact", 20}, {NULL, 0}};
    walkers_test(&c, __func__, CONFIGS "slab.cfg",
                 SETS("grid.voxels=(16, 16)", "grid.edge=2.5", "species.A.diffusion=6.25",
                      "time.end=150", "output.times=(150)"),
                 method);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(law_immigration_and_death),
        cmocka_unit_test(law_morphogen),
        cmocka_unit_test(law_reservoirs),
        cmocka_unit_test(law_inflow),
        cmocka_unit_test(law_slab),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
