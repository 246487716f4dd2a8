/* law_voxels - tests how long two molecules take to react in voxels of several sizes: the smaller
   the voxels, the longer. */
#include "model_file.h"
#include "samples.h"
#include "trial.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

/* Describes the times at which the runs stop. */
struct voxel_counts {
    int64_t n;
    double sum, squares;
};

static void see(void *to, const struct rd_model *m, const struct rd_snapshot *now)
{
    struct voxel_counts *const s = to;
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

/* Runs one A and one B with D = 1 in a periodic cube of n x n x n voxels of edge h, and compares
   the mean time to their reaction. */
static void judge_pair(struct verdict *v, const char *name, int n, double h, const char *rate_model,
                       double rate, int runs, double mean)
{
    char voxels[64], edge[64], end[64], times[64], constant[64];
    snprintf(voxels, sizeof voxels, "grid.voxels=(%d, %d, %d)", n, n, n);
    snprintf(edge, sizeof edge, "grid.edge=%.17g", h);
    snprintf(end, sizeof end, "time.end=%.17g", 60 * mean);
    snprintf(times, sizeof times, "output.times=(%.17g)", 60 * mean);
    snprintf(constant, sizeof constant, "reactions[0].rate=%.17g", rate);
    struct voxel_counts s = {0};
    trial_run(&(struct trial){.test = name,
                              .model = "physics/pair_in_a_cube.cfg",
                              .sets = SETS(voxels, edge, end, times, constant, rate_model,
                                           rate_model ? "reactions[0].radius=1.0" : NULL),
                              .step = "exact",
                              .runs = runs},
              see, &s);
    const double found = s.sum / (double)s.n;
    const double variance = s.squares / (double)s.n - found * found;
    verdict_add(v, (found - mean) / sqrt(variance / (double)s.n),
                "%s: mean time %.5g instead of %.5g", name, found, mean);
}

/* Tests a cube of side .64, k = .5. Volume / mean time is the effective rate: .4472 for 2 x 2 x 2
   voxels to .1228 for 32 x 32 x 32. The standard errors are .5 %, .5 %, 1 %, 2 % and 6 % of the
   mean. */
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
        char name[64];
        snprintf(name, sizeof name, "%s %d", __func__, n);
        judge_pair(&v, name, n, h, NULL, 0.5, cases[i].runs, mean);
    }
    verdict_check(&v);
}

/* Tests two molecules that react at the distance s = 1 with the intrinsic rate k_r, D = 2 together,
   against Collins and Kimball's rate. In a periodic cube of side L the mean time is

       L^3 (1 / k_r + 1 / (4 pi D s) - 2.837297 / (4 pi D L))

   up to (s / L)^3, as the image of each molecule is at L (the constant: H. Hasimoto, J. Fluid Mech.
   5, 317, 1959). Voxels are from 1.1 of the smallest possible edge to 100 s. So few voxels are
   taken that their own error is below .2 %. The standard errors are .25 % at 1.1 of the smallest
   edge, and .3 % to .5 % above. CI, where samples are drawn, does a quarter of the runs. */
static void law_molecules_that_touch(void **state)
{
    (void)state;
    static const struct {
        double part;     /* 4 pi D s / k_r: how often contacts do not react */
        double smallest; /* h / h*; or 0 */
        double edge;     /* h / s */
        int n, runs;
    } cases[] = {{1, 1.1, 0, 6, 160000},
                 {0.001, 1.1, 0, 6, 160000},
                 {1, 0, 5, 4, 100000},
                 {0.1, 0, 20, 4, 40000},
                 {0.1, 0, 100, 2, 80000}};
    const double pi = acos(-1.0), search = 4 * pi * 2;
    struct verdict v = {0};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const double rate = search / cases[i].part;
        const double least = 3.17590 / (1 + cases[i].part);
        const double h = cases[i].edge > 0 ? cases[i].edge : cases[i].smallest * least;
        const double side = h * cases[i].n;
        const double mean =
            side * side * side * (1 / rate + 1 / search - 2.837297 / (search * side));
        char name[64];
        snprintf(name, sizeof name, "%s %d", __func__, (int)i);
        const int runs = samples_are_drawn() ? cases[i].runs / 4 : cases[i].runs;
        judge_pair(&v, name, cases[i].n, h, "reactions[0].rate_model=microscopic", rate, runs,
                   mean);
    }
    verdict_check(&v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(law_pair_in_a_cube),
        cmocka_unit_test(law_molecules_that_touch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
