/* test_surface - tests the area of surfaces, and the relaxation of modes on them, against exact
   values. The master equation of one molecule is integrated, so that there is no noise. The
   tolerances are the errors that docs/theory.md states. */
#include "model_file.h"

#include "model/surface.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

static const double pi = 3.141592653589793;

/* Describes a model with one surface, and the numbers of molecules on it. */
struct band {
    rd_config *config;
    struct rd_model m;
    const struct rd_surface *s;
    double (*rate)[RD_FACES];    /* [voxel]: hop rates at diffusivity 1 */
    int64_t (*beside)[RD_FACES]; /* [voxel]: the voxel that the hop leads to */
    double *n, *change;          /* [voxel]: mean numbers, and their change */
    double fastest;
};

static int64_t voxel_beside(const struct band *b, int64_t i, int face)
{
    const struct rd_grid *const g = &b->m.grid;
    const int64_t stride = face / 2 == 0   ? 1
                           : face / 2 == 1 ? g->size[0]
                                           : (int64_t)g->size[0] * g->size[1];
    const struct rd_surface_voxel *const to =
        rd_surface_at(b->s, b->s->voxel[i].site + (face % 2 ? stride : -stride));
    return to ? to - b->s->voxel : -1;
}

static void band_open(struct band *b, const char *name, const char *const *sets)
{
    struct rd_error e = {0};
    *b = (struct band){0};
    if (!model_read(&b->config, name, sets, &e) || !rd_model_make(&b->m, b->config, &e))
        fail_msg("%s", e.text);
    b->s = &b->m.surface[0];
    b->rate = calloc((size_t)b->s->n_voxels, sizeof *b->rate);
    b->beside = calloc((size_t)b->s->n_voxels, sizeof *b->beside);
    b->n = calloc((size_t)b->s->n_voxels, sizeof *b->n);
    b->change = calloc((size_t)b->s->n_voxels, sizeof *b->change);
    for (int64_t i = 0; i < b->s->n_voxels; i++) {
        double sum = 0;
        rd_surface_rates(&b->m, b->s, &b->s->voxel[i], b->rate[i]);
        for (int face = 0; face < RD_FACES; face++) {
            sum += b->rate[i][face];
            b->beside[i][face] = b->rate[i][face] > 0 ? voxel_beside(b, i, face) : -1;
        }
        b->fastest = fmax(b->fastest, sum);
    }
}

static void band_close(struct band *b)
{
    free(b->rate);
    free(b->beside);
    free(b->n);
    free(b->change);
    rd_model_free(&b->m);
    rd_config_free(b->config);
}

static void centre_of(const struct band *b, int64_t i, double x[3])
{
    const struct rd_grid *const g = &b->m.grid;
    const int64_t site = b->s->voxel[i].site;
    const int32_t at[3] = {(int32_t)(site % g->size[0]), (int32_t)(site / g->size[0] % g->size[1]),
                           (int32_t)(site / g->size[0] / g->size[1])};
    rd_grid_centre(g, at, x);
}

static void step_band(struct band *b, double dt)
{
    for (int64_t i = 0; i < b->s->n_voxels; i++)
        b->change[i] = 0;
    for (int64_t i = 0; i < b->s->n_voxels; i++)
        for (int face = 0; face < RD_FACES; face++)
            if (b->beside[i][face] >= 0) {
                b->change[i] -= b->rate[i][face] * b->n[i];
                b->change[b->beside[i][face]] += b->rate[i][face] * b->n[i];
            }
    for (int64_t i = 0; i < b->s->n_voxels; i++)
        b->n[i] += dt * b->change[i];
}

typedef double mode(const struct band *b, const double x[3], const double *of);

/* Returns the sum of f over the molecules. */
static double overlap(const struct band *b, mode *f, const double *of)
{
    double sum = 0, x[3];
    for (int64_t i = 0; i < b->s->n_voxels; i++) {
        centre_of(b, i, x);
        sum += b->n[i] * f(b, x, of);
    }
    return sum;
}

/* Returns the rate at which the density f decays, from time `from` to `to`. */
static double decay_of(struct band *b, mode *f, const double *of, double from, double to)
{
    const double dt = 0.4 / b->fastest;
    double x[3], t = 0, first = 0, start = 0;
    for (int64_t i = 0; i < b->s->n_voxels; i++) {
        centre_of(b, i, x);
        b->n[i] = b->s->voxel[i].area * f(b, x, of);
    }
    for (; t < to; t += dt) {
        if (first == 0 && t >= from) {
            first = overlap(b, f, of);
            start = t;
        }
        step_band(b, dt);
    }
    return log(first / overlap(b, f, of)) / (t - start);
}

static double exchange_area(const struct band *b, bool is_inside)
{
    double area = 0;
    for (int64_t i = 0; i < b->s->n_voxels; i++)
        if ((b->s->voxel[i].distance > 0) == is_inside)
            area += b->s->voxel[i].exchange;
    return area;
}

static void assert_within(const char *what, double found, double expected, double share)
{
    if (!(fabs(found / expected - 1) <= share))
        fail_msg("%s is %.6g, which is %.2f %% off %.6g", what, found, 100 * (found / expected - 1),
                 expected);
}

static void assert_areas(const struct band *b, double area, double share)
{
    assert_within("the area", rd_surface_area(b->s), area, share);
    assert_within("the area inside", exchange_area(b, true), area, share);
    assert_within("the area outside", exchange_area(b, false), area, share);
}

/* Harmonics of a sphere or a disc around the model's centre: a component of the position, a product
   of two, or (for a disc) x^2 - y^2. */
static void position(const struct band *b, const double x[3], double p[3])
{
    double square = 0;
    for (int axis = 0; axis < 3; axis++) {
        p[axis] = axis < b->m.grid.dim ? x[axis] - b->m.region[0].from[axis] : 0;
        square += p[axis] * p[axis];
    }
    for (int axis = 0; axis < 3; axis++)
        p[axis] /= sqrt(square);
}

static double linear(const struct band *b, const double x[3], const double *of)
{
    double p[3];
    position(b, x, p);
    return p[0] * of[0] + p[1] * of[1] + p[2] * of[2];
}

static double quadratic(const struct band *b, const double x[3], const double *of)
{
    double p[3];
    position(b, x, p);
    return of[0] * p[0] * p[1] + of[1] * (p[0] * p[0] - p[1] * p[1]);
}

/* Hops balance if the numbers are in proportion to the areas of voxels (hops_balance), so that
   these areas are the density at equilibrium. It is the same around any place: the mean of exp(4 (c
   - 1)), c the cosine of the angle to that place, is (1 - exp(-8)) / 8. The same holds for the
   areas by which molecules enter and leave. */
static void a_spot(void **state)
{
    (void)state;
    static const double ways[][3] = {{0, 0, 1},  {0, -1, 0}, {1, 0, 0},   {0.8, 0.6, 0},
                                     {2, -1, 2}, {-3, 7, 5}, {-1, -1, -1}};
    const double mean = (1 - exp(-8)) / 8;
    struct band b;
    band_open(&b, "surface/ball.cfg", NULL);
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        const double *const w = ways[i];
        const double size = sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
        double here = 0, exchange[2] = {0}, x[3];
        for (int64_t v = 0; v < b.s->n_voxels; v++) {
            const struct rd_surface_voxel *const at = &b.s->voxel[v];
            centre_of(&b, v, x);
            const double f = exp(4 * (linear(&b, x, w) / size - 1));
            here += f * at->area;
            exchange[at->distance > 0] += f * at->exchange;
        }
        const double area = rd_surface_area(b.s);
        assert_within("the density around a place", here / area, mean, 0.0001);
        assert_within("the exchange with the inside", exchange[1] / area, mean, 0.006);
        assert_within("the exchange with the outside", exchange[0] / area, mean, 0.006);
    }
    band_close(&b);
}

/* Tests that modes l = 1 and l = 2 decay at l (l + 1) D / R^2. */
static void a_sphere(void **state)
{
    (void)state;
    static const double ways[][3] = {{0, 0, 1}, {1, 1, 0}, {0.3, -0.7, 0.5}};
    struct band b;
    band_open(&b, "surface/ball.cfg", NULL);
    assert_areas(&b, 4 * pi * 4, 0.0015);
    for (int i = 0; i < 3; i++)
        assert_within("the rate of l = 1", decay_of(&b, linear, ways[i], 0.1, 0.3), 2 / 4.0, 0.005);
    for (int i = 1; i < 3; i++)
        assert_within("the rate of l = 2", decay_of(&b, quadratic, ways[i], 0.1, 0.2), 6 / 4.0,
                      0.005);
    band_close(&b);
}

/* Tests that modes of a circle decay at m^2 D / R^2, for any place of its centre. */
static void a_rim(void **state)
{
    (void)state;
    static const double ways[][3] = {{1, 0, 0}, {0, 1, 0}, {0.6, 0.8, 0}};
    const char *const *const sets[] = {NULL, SETS("parameters.cx=0.05", "parameters.cy=0.05"),
                                       SETS("parameters.cx=0.0", "parameters.cy=0.0")};
    for (int k = 0; k < 3; k++) {
        struct band b;
        band_open(&b, "surface/disc.cfg", sets[k]);
        assert_areas(&b, 2 * pi * 2.7, 0.001);
        for (int i = 0; i < 3; i++)
            assert_within("the rate of m = 1", decay_of(&b, linear, ways[i], 0.1, 1), 1 / 2.7 / 2.7,
                          0.002);
        assert_within("the rate of m = 2", decay_of(&b, quadratic, ways[2], 0.1, 0.5),
                      4 / 2.7 / 2.7, 0.0035);
        band_close(&b);
    }
}

/* The lowest mode along the inclined x axis; of[0] is the angle. */
static double along_plane(const struct band *b, const double x[3], const double *of)
{
    (void)b;
    const double shift = b->m.value[1];
    const double along = x[0] * cos(of[0]) + (x[2] - shift) * sin(of[0]);
    return sin(pi * along * cos(of[0]) / 4);
}

/* Tests that on a plane of length 4 / cos(angle) between two reflecting walls the mode decays at
   (pi / length)^2 D. */
static void a_plane(void **state)
{
    (void)state;
    static const struct {
        const char *angle, *shift;
        double value;
    } plane[] = {
        {"parameters.angle=0", "parameters.shift=0.013", 0},
        {"parameters.angle=0", "parameters.shift=0.05", 0},
        {"parameters.angle=0.34906585039886592", "parameters.shift=0.021", 0.34906585039886592},
        {"parameters.angle=0.78539816339744831", "parameters.shift=0.037", 0.78539816339744831}};
    for (int k = 0; k < 4; k++) {
        struct band b;
        band_open(&b, "surface/plane.cfg", SETS(plane[k].angle, plane[k].shift));
        const double length = 4 / cos(plane[k].value), rate = pi * pi / length / length;
        assert_within("the area", rd_surface_area(b.s), length * 1, 0.001);
        assert_within("the rate", decay_of(&b, along_plane, &plane[k].value, 0.3, 1), rate, 0.003);
        band_close(&b);
    }
}

/* Returns what is left of u at the equator of a capsule, from the pole, at this rate: the equation
   (rho u')' = -rate rho u along the meridian, where rho is the distance from the axis. */
static double equator(double radius, double half_length, double rate)
{
    enum { N = 20000 };
    const double end = radius * pi / 2 + half_length, ds = end / N;
    double u = 1, flux = 0;
    for (int i = 0; i < N; i++) {
        const double s = (i + 0.5) * ds;
        const double rho = s < radius * pi / 2 ? radius * sin(s / radius) : radius;
        flux -= rate * rho * u * ds;
        u += flux / rho * ds;
    }
    return u;
}

static double axial(const struct band *b, const double x[3], const double *of)
{
    (void)b;
    const double along = (x[0] * of[0] + x[1] * of[1] + x[2] * of[2]) / 1.2;
    return sin(pi / 2 * fmax(fmin(along / 2.0, 1), -1));
}

/* Tests that the distribution between the ends of a capsule relaxes at the lowest eigenvalue. */
static void a_capsule(void **state)
{
    (void)state;
    static const double axis[][3] = {
        {1.2, 0, 0}, {0.6928203, 0.6928203, 0.6928203}, {0.72, 0.96, 0}};
    const char *const *const sets[] = {
        NULL, SETS("parameters.ax=0.6928203", "parameters.ay=0.6928203", "parameters.az=0.6928203"),
        SETS("parameters.ax=0.72", "parameters.ay=0.96")};
    double low = 0.1, high = 2;
    while (high - low > 1e-9) {
        const double middle = (low + high) / 2;
        *(equator(0.8, 1.2, middle) > 0 ? &low : &high) = middle;
    }
    for (int k = 0; k < 3; k++) {
        struct band b;
        band_open(&b, "surface/capsule.cfg", sets[k]);
        assert_areas(&b, 2 * pi * 0.8 * 2.4 + 4 * pi * 0.64, 0.0025);
        assert_within("the rate", decay_of(&b, axial, axis[k], 0.4, 1), low, 0.006);
        band_close(&b);
    }
}

/* Hops between two voxels balance if each holds molecules in proportion to its area. */
static void hops_balance(void **state)
{
    (void)state;
    struct band b;
    band_open(&b, "surface/disc.cfg", NULL);
    for (int64_t i = 0; i < b.s->n_voxels; i++)
        for (int face = 0; face < RD_FACES; face++) {
            const int64_t j = b.beside[i][face];
            const double there = j < 0 ? 0 : b.s->voxel[i].area * b.rate[i][face];
            const double back = j < 0 ? 0 : b.s->voxel[j].area * b.rate[j][face ^ 1];
            assert_true(fabs(there - back) <= 1e-12 * there);
        }
    band_close(&b);
}

/* Tests the delay of exchange at a plane along the grid, whose place between the voxels varies,
   in units of h^2 / D. The values are those of the equations for the few voxels along the
   normal, solved apart from the program. Both sides together have the same delay from above and
   from below. */
static void a_delay(void **state)
{
    (void)state;
    static const struct {
        const char *shift;
        double inside, both;
    } plane[] = {{"parameters.shift=0.013", 0.504283, 0.0296211},
                 {"parameters.shift=0.04", 1.10978, 0.177361},
                 {"parameters.shift=0.06", 0.125098, 0.177361},
                 {"parameters.shift=0.08", 0.192007, 0.0518144}};
    for (int k = 0; k < 4; k++) {
        struct band b;
        band_open(&b, "surface/plane.cfg", SETS(plane[k].shift));
        const double unit = 0.1 * 0.1;
        assert_within("the delay inside",
                      rd_surface_delay(&b.m, b.s, (const bool[]){false, true}) / unit,
                      plane[k].inside, 0.01);
        assert_within("the delay of both sides",
                      rd_surface_delay(&b.m, b.s, (const bool[]){true, true}) / unit, plane[k].both,
                      0.01);
        band_close(&b);
    }
}

int test_surface(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_spot),  cmocka_unit_test(a_sphere),  cmocka_unit_test(a_rim),
        cmocka_unit_test(a_plane), cmocka_unit_test(a_capsule), cmocka_unit_test(hops_balance),
        cmocka_unit_test(a_delay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
