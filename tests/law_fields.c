/* law_fields - tests initial numbers, births and deaths that depend on a field. */
#include "trial.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

/* Tests immigration at 0.5 (1 + x y / 4) + |f'| and death at 0.8 in voxels of edge 1, with f = x^2
   / 4 and without movement. Each voxel has a Poisson number of its own mean (1 - exp(-.8 t)) m /
   .8. The initial numbers are Poisson with mean f, of which exp(-.8 t) remain. Gradients are x / 2,
   but (b - a) / h at walls: .5 and 2 in the first and the last of five voxels. 2000 runs resolve 2
   % of each mean. */
enum { NX = 5, NY = 2, N_RUNS = 2000 };

static double mean_at(int x, int y, double t)
{
    const double cx = x + 0.5, cy = y + 0.5, left = exp(-0.8 * t);
    const double slope = x == 0 ? 0.5 : x == NX - 1 ? 2 : cx / 2;
    return (0.5 * (1 + cx * cy / 4) + slope) * (1 - left) / 0.8 + cx * cx / 4 * left;
}

static void judge(void *to, const struct rd_model *m, const struct rd_snapshot *s)
{
    for (int site = 0; site < NX * NY; site++) {
        const double mean = mean_at(site % NX, site / NX, s->time);
        struct lab_sums sums = {.mean = mean};
        for (int64_t run = 0; run < m->n_runs; run++)
            lab_add(&sums, s->counts[run * NX * NY + site]);
        verdict_hear(to, lab_mean_z(&sums, mean), "mean in site %d at %g", site, s->time);
        verdict_hear(to, lab_variance_z(&sums, mean, 1 / mean), "variance in site %d at %g", site,
                     s->time);
    }
}

static void law_rates_and_starts_by_fields(void **state)
{
    (void)state;
    static const char text[] =
        "grid = { voxels = (5, 2); edge = 1.0; };"
        "fields = ( { name = \"g\"; value = \"x * y\"; }, { name = \"f\"; value = \"x^2 / 4\"; } );"
        "species = ( { name = \"A\"; } );"
        "reactions = ( { equation = \"0 -> A\"; rate = \"0.5 * (1 + g / 4) + gradient_x(f)\"; },"
        "              { equation = \"A -> 0\"; propensity = \"0.8 * A\"; } );"
        "initial = ( { species = \"A\"; value = \"f\"; spread = \"poisson\"; } );"
        "time = { end = 2.0; }; output = { every = 1.0; };";
    static const char *const steps[] = {"1.0", "0.25", "exact"};
    struct verdict v = {0};
    for (int i = 0; i < 3; i++)
        trial_run(&(struct trial){__func__, text, steps[i], N_RUNS}, judge, &v);
    verdict_give(&v);
}

/* Tests molecules and individuals that drift at 0.3 times the gradient 2 of a linear field and
   diffuse at 0.5, far from walls. The mean place moves by v t = .6 t, its variance grows by 2 D t.
   Mean and variance of 3000 of them, at the middle of voxels, are exact on the lattice. */
static void judge_drift(void *to, const struct rd_model *m, const struct rd_snapshot *s)
{
    const double t = s->time;
    struct lab_sums sums = {.mean = 0.6 * t};
    for (int64_t site = 0; site < m->grid.n_sites; site++)
        for (int32_t i = 0; i < s->counts[site]; i++)
            lab_add(&sums, ((double)site - 100) * 0.5);
    verdict_hear(to, lab_mean_z(&sums, t), "mean place at %g", t);
    verdict_hear(to, lab_variance_z(&sums, t, 0), "spread at %g", t);
}

#define UP_A_FIELD(individuals)                                                                    \
    "grid = { voxels = 201; edge = 0.5; origin = -50.25; };"                                       \
    "fields = ( { name = \"f\"; value = \"2 * x - 7\"; } );"                                       \
    "species = ( { name = \"A\"; diffusion = 0.5; drift = \"0.3 * gradient(f)\"; " individuals     \
    " } ); initial = ( { species = \"A\"; count = 3000; at = (0.0); } );"                          \
    "time = { end = 20.0; }; output = { times = (10.0, 20.0); };"

static void law_a_drift_up_a_field(void **state)
{
    (void)state;
    static const char counted[] = UP_A_FIELD("");
    static const char individuals[] = UP_A_FIELD("individuals = { max = 3000; };");
    struct verdict v = {0};
    trial_run(&(struct trial){__func__, counted, "10.0", 0}, judge_drift, &v);
    trial_run(&(struct trial){__func__, counted, "exact", 0}, judge_drift, &v);
    trial_run(&(struct trial){__func__, individuals, "10.0", 0}, judge_drift, &v);
    verdict_give(&v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(law_rates_and_starts_by_fields),
        cmocka_unit_test(law_a_drift_up_a_field),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
