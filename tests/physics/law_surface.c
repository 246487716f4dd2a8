/* law_surface - tests the exchange between a volume and its surface, and reactions on the surface,
   against exact equilibria and a rate law. The areas of surfaces and the diffusion on them are
   tests of tests/unit/model/test_surface.c. */
#include "lab.h"
#include "model_file.h"

#include "model/surface.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

enum { A, M, F, B, C, N_SPECIES };

/* The totals of a run at its end, over all runs; and the volume and the surface of the model. */
struct count_balance {
    struct lab_sums sums[N_SPECIES];
    double volume, area;
};

/* Returns the volume of the voxels in region 0. */
static double volume_of(const struct rd_model *m)
{
    int64_t n = 0;
    for (int64_t site = 0; site < m->grid.n_sites; site++)
        n += (int64_t)(m->mask[site] & 1);
    return (double)n * m->grid.volume;
}

static void look(void *to, const struct rd_model *m, const struct rd_snapshot *snapshot)
{
    struct count_balance *const b = to;
    b->volume = volume_of(m);
    b->area = rd_surface_area(&m->surface[0]);
    for (int64_t run = 0; run < m->n_runs; run++)
        for (int s = 0; s < m->n_species; s++)
            lab_add(&b->sums[s], (double)snapshot->totals[run * m->n_species + s]);
}

/* Returns the mean number of C where b + 2 c = n, with the weights (k / (back area))^c / (b! c!) of
   detailed balance; sets the variance. */
static double pairs_of(int n, double per_area, double area, double *variance)
{
    double all = 0, sum = 0, squares = 0, weight = 1;
    for (int c = 0; 2 * c <= n; c++) {
        all += weight;
        sum += c * weight;
        squares += c * c * weight;
        const double b = n - 2 * c;
        weight *= per_area / area * b * (b - 1) / (c + 1);
    }
    *variance = squares / all - sum / all * (sum / all);
    return sum / all;
}

static void judge(const char *what, const struct lab_sums *s, double mean, double variance)
{
    struct lab_sums about = *s;
    about.sum -= about.n * mean; /* lab_add was told no mean */
    const double z = lab_mean_z(&about, variance);
    if (!(fabs(z) < 5))
        fail_msg("%s: mean %g, expected %g: %.1f standard errors", what, s->sum / s->n, mean, z);
}

/* Molecules in the volume, on the surface, and at rest on it: the numbers are in proportion to the
   volume, and to the area times the ratio of rates; they are multinomial. 2 runs of 40,000 resolve
   .5 %. Pairs on the surface have detailed balance, so that their distribution is that of one
   well-mixed area. */
static void judge_balance(const char *test, const char *solver)
{
    struct count_balance b = {0};
    char seed[40];
    snprintf(seed, sizeof seed, "run.seed=%lluL", (unsigned long long)lab_seed(test));
    char *const text = model_text("surface/balance.cfg");
    lab_run(&(struct lab){.look = look, .to = &b, .threads = 2}, text,
            SETS("run.runs=2", seed, solver));
    free(text);
    const double weight[] = {b.volume, 0.5 * b.area, 0.25 / 2 * b.area};
    const double all = weight[0] + weight[1] + weight[2];
    static const char *const name[] = {"in the volume", "on the surface", "at rest on it"};
    for (int s = A; s <= F; s++) {
        const double p = weight[s] / all;
        judge(name[s], &b.sums[s], 40000 * p, 40000 * p * (1 - p));
    }
    double variance;
    const double pairs = pairs_of(60, 0.05 / 1.0, b.area, &variance);
    judge("pairs", &b.sums[C], pairs, variance);
}

static void law_balance(void **state)
{
    (void)state;
    judge_balance(__func__, "solver=split");
}

/* The flux to the surface is k times the area times the concentration: within 1 % for a capsule of
   any direction, with 60,000 molecules. */
static void law_adsorption(void **state)
{
    (void)state;
    struct count_balance b = {0};
    char *const text = model_text("surface/adsorb.cfg");
    char seed[40];
    snprintf(seed, sizeof seed, "run.seed=%lluL", (unsigned long long)lab_seed(__func__));
    lab_run(&(struct lab){.look = look, .to = &b, .threads = 2}, text, SETS("run.runs=3", seed));
    free(text);
    static const double pi = 3.141592653589793;
    const double length = sqrt(0.36 + 0.16 + 0.01), area = 2 * pi * 0.5 * length + pi;
    const double left = exp(-0.02 * area / b.volume * 2.0);
    judge("left in the volume", &b.sums[A], 20000 * left, 20000 * left * (1 - left));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(law_balance),
        cmocka_unit_test(law_adsorption),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
