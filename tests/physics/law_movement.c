/* law_movement - tests diffusion and drift between reflecting walls: exact for steps of any length,
   for any number of molecules, at any rate. The walk follows the master equation with hops along an
   axis at D / h^2 +- v / 2h (van Kampen 1992, VI.2), integrated by tests/support/theory.c. A stated
   resolution is 5 standard errors in the first variant of a test. */
#include "walkers.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

/* Tests the spreading from one of 17 x 12 voxels. 400,000 molecules resolve 6 % of a large voxel's
   mean and of D. Detects: D wrong by a factor of 2, leaking walls, one hop per step. */
static void law_diffusion_from_a_voxel(void **state)
{
    (void)state;
    struct theory_walk w = {.size = {17, 12, 1}};
    theory_set_rates(&w, 0, 1, 0, 0.5);
    theory_set_rates(&w, 1, 1, 0, 0.5);
    const struct walkers c = {.walk = &w, .n = 2000, .site = 140};
    const struct method method[] = {{"10", 200},   {"0.3", 200},  {"0.05", 200},
                                    {"0.008", 60}, {"exact", 40}, {NULL, 0}};
    walkers_test(&c, __func__, "physics/point.cfg", NULL, method);
}

/* Tests three axes with different edges, diffusivities and drifts. 400,000 molecules resolve 8 % of
   a voxel's mean. Detects: the edge of another axis, a drift of the wrong sign. */
static void law_unequal_axes(void **state)
{
    (void)state;
    struct theory_walk w = {.size = {5, 7, 3}};
    theory_set_rates(&w, 0, 0.4, 0.5, 0.5);
    theory_set_rates(&w, 1, 1.0, -0.9, 0.8);
    theory_set_rates(&w, 2, 0.7, 0.2, 1.3);
    const struct walkers c = {.walk = &w, .n = 1000, .site = 4 * 5 + 1};
    const struct method method[] = {
        {"1", 400}, {"0.07", 400}, {"0.004", 100}, {"exact", 200}, {NULL, 0}};
    walkers_test(&c, __func__, "physics/unequal_axes.cfg", NULL, method);
}

/* Tests a box one voxel wide, without movement across it. 300,000 molecules resolve 3 % of a
   voxel's mean. Detects: the edge of another axis. */
static void law_line_in_a_plane(void **state)
{
    (void)state;
    struct theory_walk w = {.size = {1, 9, 1}};
    theory_set_rates(&w, 1, 3, 1, 2);
    const struct walkers c = {.walk = &w, .n = 300, .site = 6};
    const struct method method[] = {{"4", 1000}, {"0.02", 300}, {"exact", 300}, {NULL, 0}};
    walkers_test(&c, __func__, "physics/line_in_plane.cfg", NULL, method);
}

/* Holds sums over all molecules of powers of x minus its expected mean. */
struct movement_moments {
    double mean;   /* expected */
    double sum[5]; /* of (x - mean)^k */
};

static void look_moments(void *to, const struct rd_model *m, const struct rd_snapshot *s)
{
    struct movement_moments *const a = to;
    for (int64_t i = 0; i < m->n_runs * m->grid.n_sites; i++) {
        const double x = ((double)(i % m->grid.n_sites) + 0.5) * m->grid.edge[0] - a->mean;
        for (int k = 0; k < 5; k++)
            a->sum[k] += s->counts[i] * pow(x, k);
    }
}

/* Describes drift v with diffusivity D on a line, far from walls. */
struct drifting {
    const char *name;
    double diffusion, drift;
};
static const double line_edge = 0.5, line_start = 20.25, line_time = 2;

/* Compares the cumulants of the displacement: v t, |hops| h^2 and |hops| h^4 with hops = total
   rates x t. They are v t, 2 D t, 2 D t h^2, or v t, |v| h t, |v| h^3 t if |v| h > 2 D. The
   standard errors of the 2nd and 4th moments are those of a normal distribution, within 20 %. */
static void compare_moments(struct verdict *v, const struct drifting *d, const struct trial *t)
{
    const double both = fmax(2 * d->diffusion, fabs(d->drift) * line_edge) * line_time;
    struct movement_moments a = {.mean = line_start + d->drift * line_time};
    trial_run(t, look_moments, &a);
    const double n = a.sum[0], fourth = both * line_edge * line_edge + 3 * both * both;
    verdict_add(v, a.sum[1] / sqrt(n * both), "%s, mean, step %s", d->name, t->step);
    verdict_add(v, (a.sum[2] / n - both) / sqrt((fourth - both * both) / n),
                "%s, variance, step %s", d->name, t->step);
    verdict_add(v, (a.sum[4] / n - fourth) / sqrt(96 * pow(both, 4) / n), "%s, fourth, step %s",
                d->name, t->step);
}

static void test_drift(const char *test, const struct drifting *d)
{
    struct verdict v = {0};
    char diffusion[64], drift[64];
    snprintf(diffusion, sizeof diffusion, "species.A.diffusion=%g", d->diffusion);
    snprintf(drift, sizeof drift, "species.A.drift=(%g)", d->drift);
    struct theory_walk w = {.size = {80, 1, 1}};
    theory_set_rates(&w, 0, d->diffusion, d->drift, line_edge);
    const struct walkers c = {.walk = &w, .n = 3000, .site = 40};
    const struct method method[] = {{"2", 200}, {"0.1", 200}, {"0.01", 100}, {"exact", 60}};
    for (int i = 0; i < 4; i++) {
        const struct trial t = {test, "physics/drift_line.cfg", .sets = SETS(diffusion, drift),
                                .step = method[i].step, .runs = method[i].runs};
        compare_moments(&v, d, &t);
        walkers_compare(&c, &t, &v);
    }
    verdict_check(&v);
}

/* Resolves 0.01 of the mean, 1 % of the variance and 2 % of the fourth moment, with 600,000
   molecules. Detects: upwind rates, whose variance is (2 D + |v| h) t. */
static void law_drift(void **state)
{
    (void)state;
    test_drift(__func__, &(struct drifting){"v h < 2 D", 0.6, 0.8});
}

/* Tests |v| h > 2 D: hops go in one direction only, the mean is exact and the variance is |v| h t.
   Detects: negative rates replaced by 0, whose mean is (D / h + v / 2) t. */
static void law_drift_at_high_peclet_number(void **state)
{
    (void)state;
    test_drift(__func__, &(struct drifting){"v h > 2 D", 0.1, -2.0});
}

/* Resolves the same errors as law_drift, with 600,000 molecules. */
static void law_drift_without_diffusion(void **state)
{
    (void)state;
    test_drift(__func__, &(struct drifting){"D = 0", 0, 1.5});
}

/* Tests that few molecules, which draw one random word each, and many, which are drawn in batches,
   have the same distribution. Each number is tested with 5e4 to 4e10 molecules, which resolve 15 to
   0.02 % of a voxel's mean. Detects: the last of a batch left out; numbers rounded from their
   means. */
static void law_any_number_of_molecules(void **state)
{
    (void)state;
    static const struct {
        int n, runs;
    } of[] = {{1, 50000}, {2, 20000},  {3, 20000},   {23, 3000},      {24, 3000},
              {25, 3000}, {1000, 200}, {100000, 50}, {2000000000, 20}};
    static const char *const step[] = {"1", "0.3"};
    struct theory_walk w = {.size = {5, 4, 3}, .pass = {[2] = -1, [3] = -1}};
    theory_set_rates(&w, 0, 1, 0.3, 1);
    theory_set_rates(&w, 1, 0.5, 0, 1);
    theory_set_rates(&w, 2, 0.2, 0, 1);
    struct verdict v = {0};
    for (size_t i = 0; i < 2 * sizeof of / sizeof of[0]; i++) {
        char test[64], count[64];
        const int n = of[i / 2].n;
        snprintf(test, sizeof test, "%s %d", __func__, n);
        snprintf(count, sizeof count, "initial[0].count=%d", n);
        const struct walkers c = {.walk = &w, .n = n, .site = 1 * 20 + 3 * 5 + 1};
        walkers_compare(&c,
                        &(struct trial){test, "physics/any_number.cfg", .sets = SETS(count),
                                        .step = step[i % 2], .runs = of[i / 2].runs},
                        &v);
    }
    verdict_check(&v);
}

/* Tests that a species a million times slower than the fastest is as accurate, and that one with D
   = 0 does not move. 2e6 of 5e10 molecules hop, which resolves 0.7 % of the slow D. Detects: the
   probability to leave computed as 1 - that to stay in single precision; the species after an
   absent one left out. */
static void law_slow_and_fast_species(void **state)
{
    (void)state;
    struct theory_walk slow = {.size = {4, 3, 1}}, fixed = slow, fast = slow;
    for (int axis = 0; axis < 2; axis++) {
        theory_set_rates(&slow, axis, 1e-6, 0, 1);
        theory_set_rates(&fast, axis, 1, 0, 1);
    }
    const struct walkers c[] = {{.walk = &slow, .n = 1000000000, .site = 5, .species = 0},
                                {.walk = &fixed, .n = 12345, .site = 6, .species = 1},
                                {.walk = &fast, .n = 900, .site = 11, .species = 2}};
    static const char *const step[] = {"10", "0.5", "0.03"};
    struct verdict v = {0};
    for (int i = 0; i < 9; i++)
        walkers_compare(
            &c[i % 3],
            &(struct trial){__func__, "physics/slow_and_fast.cfg", .step = step[i / 3], .runs = 50},
            &v);
    verdict_check(&v);
}

/* Tests the same with few molecules in the voxel, where probabilities of 2e-5 a step are 64-bit
   thresholds. 400,000 molecules with 800 hops resolve 18 % of D. Detects: 16 bits for the choice to
   stay or leave. */
static void law_few_slow_molecules(void **state)
{
    (void)state;
    struct theory_walk w = {.size = {5, 1, 1}};
    theory_set_rates(&w, 0, 1e-6, 0, 1);
    const struct walkers c = {.walk = &w, .n = 20, .site = 2};
    const struct method method[] = {{"1000", 20000}, {"10", 20000}, {"exact", 20000}, {NULL, 0}};
    walkers_test(&c, __func__, "physics/slow_and_few.cfg", NULL, method);
}

/* Tests that a species that is absent at first, and stands after one that stays absent, moves as
   soon as it has molecules. 250,000 molecules resolve 4 % of a voxel's mean. Detects: the species
   after an absent one left out. */
static void law_absent_at_first(void **state)
{
    (void)state;
    struct theory_walk w = {.size = {6, 3, 1}};
    theory_set_rates(&w, 0, 0.3, 0, 1);
    theory_set_rates(&w, 1, 0.3, 0, 1);
    const struct walkers c = {.walk = &w, .n = 500, .site = 10, .species = 1, .from = 1};
    const struct method method[] = {{"4", 500}, {"0.1", 500}, {"exact", 100}, {NULL, 0}};
    walkers_test(&c, __func__, "physics/absent_at_first.cfg", NULL, method);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(law_diffusion_from_a_voxel),
        cmocka_unit_test(law_unequal_axes),
        cmocka_unit_test(law_line_in_a_plane),
        cmocka_unit_test(law_drift),
        cmocka_unit_test(law_drift_at_high_peclet_number),
        cmocka_unit_test(law_drift_without_diffusion),
        cmocka_unit_test(law_any_number_of_molecules),
        cmocka_unit_test(law_slow_and_fast_species),
        cmocka_unit_test(law_few_slow_molecules),
        cmocka_unit_test(law_absent_at_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
