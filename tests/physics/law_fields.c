/* law_fields - tests initial numbers, births and deaths that depend on a field. */
#include "trial.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

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

static void compare(void *to, const struct rd_model *m, const struct rd_snapshot *s)
{
    for (int site = 0; site < NX * NY; site++) {
        const double mean = mean_at(site % NX, site / NX, s->time);
        struct lab_sums sums = {.mean = mean};
        for (int64_t run = 0; run < m->n_runs; run++)
            lab_add(&sums, s->counts[run * NX * NY + site]);
        verdict_add_sums(to, &sums, mean, 1 / mean, "numbers in site %d at %g", site, s->time);
    }
}

static void law_rates_and_initial_numbers_by_fields(void **state)
{
    (void)state;
    static const char *const steps[] = {"1.0", "0.25", "exact"};
    struct verdict v = {0};
    for (int i = 0; i < 3; i++)
        trial_run(&(struct trial){__func__, "physics/rates_by_fields.cfg", .step = steps[i],
                                  .runs = N_RUNS},
                  compare, &v);
    verdict_check(&v);
}

/* Tests molecules and individuals that drift at 0.3 times the gradient 2 of a linear field and
   diffuse at 0.5, far from walls. The mean place moves by v t = .6 t, its variance grows by 2 D t.
   Mean and variance of 3000 of them, at the middle of voxels, are exact on the lattice. */
static void compare_drift(void *to, const struct rd_model *m, const struct rd_snapshot *s)
{
    const double t = s->time;
    struct lab_sums sums = {.mean = 0.6 * t};
    lab_add_places(&sums, m, s);
    verdict_add_sums(to, &sums, t, 0, "places at %g", t);
}

static void law_drift_up_a_field(void **state)
{
    (void)state;
    const struct trial counted = {.test = __func__, .model = "physics/drift_up_field.cfg"};
    struct trial t[] = {counted, counted, counted};
    t[0].step = t[2].step = "10.0";
    t[1].step = "exact";
    t[2].sets = SETS("species.A.individuals={ max = 3000; }");
    struct verdict v = {0};
    for (int i = 0; i < 3; i++)
        trial_run(&t[i], compare_drift, &v);
    verdict_check(&v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(law_rates_and_initial_numbers_by_fields),
        cmocka_unit_test(law_drift_up_a_field),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
