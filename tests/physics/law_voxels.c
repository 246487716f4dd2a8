/* law_voxels - tests how long two molecules take to react in voxels of several sizes: the smaller
   the voxels, the longer. */
#include "trial.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

/* The times at which the runs stop. */
struct seen {
    int64_t n;
    double sum, squares;
};

static void see(void *to, const struct rd_model *m, const struct rd_snapshot *now)
{
    struct seen *const s = to;
    for (int64_t run = 0; run < m->n_runs; run++) {
        const double t = now->stopped[run];
        if (isnan(t))
            fail_msg("run %d has not stopped", (int)run);
        s->n++;
        s->sum += t;
        s->squares += t * t;
    }
}

/* Returns the mean time until two molecules, which begin anywhere in a periodic cube, react: the
   total volume divided by k, and the mean time of a walk to a given site (Montroll, J. Math. Phys.
   10, 753, 1969). n: voxels along an edge; hops: of both per time and direction. */
static double mean_time(int n, double volume, double k, double hops)
{
    const double two_pi = 2 * acos(-1.0);
    double sum = 0;
    for (int i = 1; i < n * n * n; i++) {
        const int at[3] = {i % n, i / n % n, i / n / n};
        double l = 0;
        for (int axis = 0; axis < 3; axis++)
            l += cos(two_pi * at[axis] / n) / 3;
        sum += 1 / (1 - l);
    }
    return volume / k + sum / (6 * hops);
}

/* Tests one A and one B with D = 1 in a periodic cube of side .64, k = .5. Volume / mean time is
   the effective rate: .4472 for 2 x 2 x 2 voxels to .1228 for 32 x 32 x 32. The standard errors are
   .5 %, .5 %, 1 %, 2 % and 6 % of the mean. */
static void law_pair_in_a_cube(void **state)
{
    (void)state;
    static const struct {
        int n, runs;
        double rate;
    } cases[] = {{2, 40000, 0.4472},
                 {4, 40000, 0.3821},
                 {8, 10000, 0.2938},
                 {16, 2500, 0.2007},
                 {32, 300, 0.1228}};
    const double side = 0.64, volume = side * side * side;
    struct verdict v = {0};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const int n = cases[i].n;
        const double h = side / n, mean = mean_time(n, volume, 0.5, 2 / (h * h));
        assert_true(fabs(volume / mean - cases[i].rate) < 5e-5);
        char name[64], voxels[64], edge[64];
        snprintf(name, sizeof name, "%s %d", __func__, n);
        snprintf(voxels, sizeof voxels, "grid.voxels=(%d, %d, %d)", n, n, n);
        snprintf(edge, sizeof edge, "grid.edge=%.17g", h);
        struct seen s = {0};
        trial_run(&(struct trial){.test = name,
                                  .model = "physics/pair_in_a_cube.cfg",
                                  .sets = SETS(voxels, edge),
                                  .step = "exact",
                                  .runs = cases[i].runs},
                  see, &s);
        const double found = s.sum / (double)s.n;
        const double variance = s.squares / (double)s.n - found * found;
        verdict_add(&v, (found - mean) / sqrt(variance / (double)s.n),
                     "%d voxels: mean time %.5g instead of %.5g", n, found, mean);
    }
    verdict_check(&v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(law_pair_in_a_cube),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
