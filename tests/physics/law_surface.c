/* law_surface - tests the exchange between a volume and its surface, and reactions on the surface,
   against exact equilibria and a rate law; and the diffusion of molecules on a sphere, a rim, a
   capsule and planes against exact relaxation. tests/unit/model/test_surface.c tests the areas, and
   the same relaxation without noise. */
#include "lab.h"
#include "model_file.h"
#include "trial.h"

#include "model/surface.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

enum { A, M, F, B, C, N_SPECIES };

/* Holds the totals of a run at its end, over all runs; and the volume and the surface of the
   model. */
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
    about.sum -= about.n * mean; /* lab_add received no mean */
    const double z = lab_mean_z(&about, variance);
    if (!(fabs(z) < 5))
        fail_msg("%s: mean %g, expected %g: %.1f standard errors", what, s->sum / s->n, mean, z);
}

/* Tests the numbers of molecules in the volume, on the surface, and at rest on it: they are in
   proportion to the volume, and to the area times the ratio of rates, and they are multinomial. 2
   runs of 40,000 resolve .5 %, 2 of 4000 with the exact solver 1.6 %. Pairs on the surface have
   detailed balance, so that their distribution is that of one well-mixed area. */
static void judge_balance(const char *test, const char *solver, int molecules)
{
    struct count_balance b = {0};
    char seed[40], count[40];
    snprintf(seed, sizeof seed, "run.seed=%lluL", (unsigned long long)lab_seed(test));
    snprintf(count, sizeof count, "initial[0].count=%d", molecules);
    char *const text = model_text("surface/balance.cfg");
    lab_run(&(struct lab){.look = look, .to = &b, .threads = 2}, text,
            SETS("run.runs=2", seed, count, solver));
    free(text);
    const double weight[] = {b.volume, 0.5 * b.area, 0.25 / 2 * b.area};
    const double all = weight[0] + weight[1] + weight[2];
    static const char *const name[] = {"in the volume", "on the surface", "at rest on it"};
    for (int s = A; s <= F; s++) {
        const double p = weight[s] / all;
        judge(name[s], &b.sums[s], molecules * p, molecules * p * (1 - p));
    }
    double variance;
    const double pairs = pairs_of(60, 0.05 / 1.0, b.area, &variance);
    judge("pairs", &b.sums[C], pairs, variance);
}

static void law_balance(void **state)
{
    (void)state;
    judge_balance(__func__, "solver=split", 40000);
}

static void law_balance_exact(void **state)
{
    (void)state;
    judge_balance(__func__, "solver=exact", 4000);
}

/* Tests that the flux to the surface is k times the area times the concentration: within 1 % for a
   capsule of any direction, with 60,000 molecules for each of three. */
static void law_adsorption(void **state)
{
    (void)state;
    static const double pi = 3.141592653589793;
    const double length = sqrt(0.36 + 0.16 + 0.01), area = 2 * pi * 0.5 * length + pi;
    const char *const *const ways[] = {
        NULL, SETS("parameters.ax=0.36400549446", "parameters.ay=0.0", "parameters.az=0.0"),
        SETS("parameters.ax=0.21015867", "parameters.ay=-0.21015867", "parameters.az=0.21015867")};
    for (int k = 0; k < 3; k++) {
        struct count_balance b = {0};
        char name[40];
        snprintf(name, sizeof name, "law_adsorption %d", k);
        trial_run(&(struct trial){name, "surface/adsorb.cfg", ways[k], "auto", 3}, look, &b);
        const double left = exp(-0.02 * area / b.volume * 2.0);
        judge("left in the volume", &b.sums[A], 20000 * left, 20000 * left * (1 - left));
    }
}

/* ---- diffusion ---- */

/* Describes functions on a surface whose means over independent molecules decay exponentially. */
struct walk;
typedef double mode(const struct walk *w, const double x[3]);
enum { N_MODES = 2, N_ARC = 2000 };
struct walk {
    const char *name;
    mode *f[N_MODES]; /* NULL: none */
    double decay[N_MODES], start[N_MODES];
    double axis[3];
    double angle; /* of a plane */
    double radius, half,
        *shape; /* of a capsule; [0..N_ARC]: its mode, from the pole to the middle */
    struct verdict *v;
};

static void look_at_walk(void *to, const struct rd_model *m, const struct rd_snapshot *s)
{
    struct walk *const w = to;
    const struct rd_grid *const g = &m->grid;
    for (int i = 0; i < N_MODES && w->f[i]; i++) {
        double n = 0, sum = 0, squares = 0, x[3];
        for (int64_t site = 0; site < g->n_sites; site++) {
            const int32_t at[3] = {(int32_t)(site % g->size[0]),
                                   (int32_t)(site / g->size[0] % g->size[1]),
                                   (int32_t)(site / g->size[0] / g->size[1])};
            rd_grid_centre(g, at, x);
            x[2] = g->dim == 3 ? x[2] : 0; /* on a plane it is the middle of the only layer */
            const double f = s->counts[site] ? w->f[i](w, x) : 0;
            n += s->counts[site];
            sum += s->counts[site] * f;
            squares += s->counts[site] * f * f;
        }
        const double mean = sum / n, variance = squares / n - mean * mean;
        if (s->time == 0)
            w->start[i] = mean;
        const double expected = w->start[i] * exp(-w->decay[i] * s->time);
        if (s->time > 0)
            verdict_add(w->v, (mean - expected) / sqrt(variance / n),
                        "%s, mode %d at t = %g: %g instead of %g", w->name, i, s->time, mean,
                        expected);
    }
}

static void walk(struct walk *w, const char *model, const char *const *sets)
{
    trial_run(&(struct trial){w->name, model, sets, "auto", 1}, look_at_walk, w);
}

static double along(const struct walk *w, const double x[3])
{
    return x[0] * w->axis[0] + x[1] * w->axis[1] + x[2] * w->axis[2];
}

static double cosine(const struct walk *w, const double x[3])
{
    return along(w, x) / sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
}

static double second_legendre(const struct walk *w, const double x[3])
{
    return 1.5 * cosine(w, x) * cosine(w, x) - 0.5;
}

static double second_cosine(const struct walk *w, const double x[3])
{
    return 2 * cosine(w, x) * cosine(w, x) - 1;
}

/* Tests that the modes l = 1 and l = 2 of a sphere decay at l (l + 1) D / R^2, from any place.
   30,000 molecules resolve 1 % of the rate. */
static void law_sphere(void **state)
{
    (void)state;
    struct verdict v = {0};
    struct walk w = {.name = "law_sphere z",
                     .f = {cosine, second_legendre},
                     .decay = {2 / 6.25, 6 / 6.25},
                     .axis = {0, 0, 1},
                     .v = &v};
    walk(&w, "surface/pole.cfg", NULL);
    w.name = "law_sphere xyz";
    w.axis[0] = 2 / 3.0, w.axis[1] = -1 / 3.0, w.axis[2] = 2 / 3.0;
    walk(&w, "surface/pole.cfg",
         SETS("parameters.nx=0.6666667", "parameters.ny=-0.3333333", "parameters.nz=0.6666667"));
    verdict_check(&v);
}

/* Tests that the modes of a rim decay at m^2 D / R^2. 8000 molecules resolve 2 % of the rate. */
static void law_rim(void **state)
{
    (void)state;
    struct verdict v = {0};
    struct walk w = {.name = "law_rim x",
                     .f = {cosine, second_cosine},
                     .decay = {1 / 7.29, 4 / 7.29},
                     .axis = {1, 0, 0},
                     .v = &v};
    walk(&w, "surface/rim.cfg", NULL);
    w.name = "law_rim xy";
    w.axis[0] = 0.6, w.axis[1] = 0.8;
    walk(&w, "surface/rim.cfg", SETS("parameters.nx=0.6", "parameters.ny=0.8"));
    verdict_check(&v);
}

/* Fills the shape of the mode of a capsule that decays at this rate: (rho u')' = -rate rho u along
   the meridian, where rho is the distance from the axis. Returns its value in the middle. */
static double capsule_mode(struct walk *w, double rate)
{
    const double cap = w->radius * acos(0.0), ds = (cap + w->half) / N_ARC;
    double u = 1, flux = 0;
    for (int i = 0; i <= N_ARC; i++) {
        const double s = (i + 0.5) * ds, rho = s < cap ? w->radius * sin(s / w->radius) : w->radius;
        w->shape[i] = u;
        flux -= rate * rho * u * ds;
        u += flux / rho * ds;
    }
    return w->shape[N_ARC];
}

static double on_capsule(const struct walk *w, const double x[3])
{
    const double z = along(w, x), far = fabs(z) - w->half, cap = w->radius * acos(0.0);
    const double square = x[0] * x[0] + x[1] * x[1] + x[2] * x[2] - z * z;
    const double s = far > 0 ? w->radius * atan2(sqrt(fmax(square, 0)), far) : cap - far;
    const int i = (int)(s / (cap + w->half) * N_ARC);
    return z < 0 ? -w->shape[i] : w->shape[i];
}

/* Tests the lowest mode between the ends of a capsule, along an axis and across the lattice.
   20,000 molecules resolve 2 % of the rate. */
static void law_capsule(void **state)
{
    (void)state;
    struct verdict v = {0};
    double shape[N_ARC + 1], low = 0.1, high = 2;
    struct walk w = {.name = "law_capsule x",
                     .f = {on_capsule},
                     .axis = {1, 0, 0},
                     .radius = 0.8,
                     .half = 1.2,
                     .shape = shape,
                     .v = &v};
    while (high - low > 1e-9) {
        w.decay[0] = (low + high) / 2;
        *(capsule_mode(&w, w.decay[0]) > 0 ? &low : &high) = w.decay[0];
    }
    walk(&w, "surface/rod.cfg", NULL);
    w.name = "law_capsule xyz";
    w.axis[0] = 2 / 3.0, w.axis[1] = -1 / 3.0, w.axis[2] = 2 / 3.0;
    walk(&w, "surface/rod.cfg",
         SETS("parameters.nx=0.6666667", "parameters.ny=-0.3333333", "parameters.nz=0.6666667"));
    verdict_check(&v);
}

static double half_wave(const struct walk *w, const double x[3])
{
    const double along = x[0] * cos(w->angle) + x[2] * sin(w->angle);
    return sin(acos(-1.0) * along * cos(w->angle) / 4);
}

static double whole_wave(const struct walk *w, const double x[3])
{
    return 1 - 2 * half_wave(w, x) * half_wave(w, x);
}

/* Tests that modes on planes of the length L = 4 / cos(angle) between two walls, at 0, 20 and 45
   degrees, decay at (pi / L)^2 D and (2 pi / L)^2 D. 10,000 molecules resolve 2 % of the rate. */
static void law_plane(void **state)
{
    (void)state;
    static const double degrees[] = {0, 20, 45};
    struct verdict v = {0};
    for (int k = 0; k < 3; k++) {
        char name[40], angle[60];
        snprintf(name, sizeof name, "law_plane %g", degrees[k]);
        struct walk w = {.name = name,
                         .f = {half_wave, whole_wave},
                         .angle = degrees[k] * acos(-1.0) / 180,
                         .v = &v};
        const double rate = acos(-1.0) * cos(w.angle) / 4;
        w.decay[0] = rate * rate;
        w.decay[1] = 4 * rate * rate;
        snprintf(angle, sizeof angle, "parameters.angle=%.17g", w.angle);
        walk(&w, "surface/slope.cfg", SETS(angle));
    }
    verdict_check(&v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(law_balance),    cmocka_unit_test(law_balance_exact),
        cmocka_unit_test(law_adsorption), cmocka_unit_test(law_sphere),
        cmocka_unit_test(law_rim),        cmocka_unit_test(law_capsule),
        cmocka_unit_test(law_plane),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
