/* law_places - tests diffusivity and drift that depend on the place: each molecule hops at the
   rates of its present voxel (Ito) through the whole of a step of any length. The walk is exact:
   the master equation with those rates is integrated by tests/support/theory.c. A stated resolution
   is 5 standard errors in the first variant of a test. */
#include "walkers.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { MOST_SITES = 128 };

/* Sets the rates along an axis from diffusivity and drift at the centres of the voxels. */
static void set_axis(struct theory_walk *w, int axis, const double edge[2], const double origin[2],
                     double (*diffusion)(double x, double y), double (*drift)(double x, double y))
{
    assert_true(theory_sites(w) <= MOST_SITES);
    for (int site = 0; site < theory_sites(w); site++) {
        const double x = origin[0] + (site % w->size[0] + 0.5) * edge[0];
        const double y = origin[1] + (site / w->size[0] + 0.5) * edge[1];
        theory_set_rates_at(w, site, axis, diffusion(x, y), drift(x, y), edge[axis]);
    }
}

static double nothing(double x, double y)
{
    (void)x, (void)y;
    return 0;
}

static double one(double x, double y)
{
    (void)x, (void)y;
    return 1;
}

static double back(double x, double y)
{
    (void)y;
    return -x / 2;
}

/* Checks that the means and variances of the place in models.md for this test are those of the
   theory. */
static void check_ornstein_uhlenbeck(struct theory_walk *w)
{
    static const double known[2][3] = {{1, 2.501939, 1.264241}, {4, 0.558258, 1.963369}};
    for (int i = 0; i < 2; i++) {
        double m[MOST_SITES + THEORY_FACES] = {[64] = 1}, mean = 0, square = 0;
        theory_walk_on(w, known[i][0], m);
        for (int site = 0; site < 96; site++) {
            const double x = -11.875 + 0.25 * site;
            mean += m[site] * x;
            square += m[site] * x * x;
        }
        assert_true(fabs(mean - known[i][1]) < 1e-6);
        assert_true(fabs(square - mean * mean - known[i][2]) < 1e-6);
    }
}

/* Tests drift towards 0, of bulk species and of individuals with the same expressions. 300,000
   molecules resolve .01 in the mean place. Detects: the rates of the voxel in which the step began;
   drift a tenth too large. */
static void law_ornstein_uhlenbeck(void **state)
{
    (void)state;
    double rates[MOST_SITES][THEORY_FACES] = {{0}};
    struct theory_walk w = {.size = {96, 1, 1}, .rates = rates};
    set_axis(&w, 0, (const double[]){0.25, 1}, (const double[]){-12, 0}, one, back);
    check_ornstein_uhlenbeck(&w);
    const struct walkers c = {.walk = &w, .n = 3000, .site = 64};
    const struct method bulk[] = {{"4", 100}, {"0.1", 100}, {"exact", 50}, {NULL, 0}};
    const struct method individuals[] = {{"4", 30}, {NULL, 0}};
    walkers_test(&c, __func__, "physics/ornstein_uhlenbeck.cfg", NULL, bulk);
    walkers_test(&c, "law_ornstein_uhlenbeck, individuals", "physics/ornstein_uhlenbeck.cfg",
                 SETS("species.A.individuals={ max = 3000; }"), individuals);
}

static double rising(double x, double y)
{
    (void)y;
    return 0.2 + 0.3 * x;
}

/* Tests Ito's rule: stationary numbers are proportional to 1 / D. 200,000 molecules resolve 4 % of
   a voxel's mean. */
static void law_stationary_density_is_ito(void **state)
{
    (void)state;
    double rates[MOST_SITES][THEORY_FACES] = {{0}}, sum = 0, m[MOST_SITES + THEORY_FACES] = {1};
    struct theory_walk w = {.size = {10, 1, 1}, .rates = rates};
    set_axis(&w, 0, (const double[]){0.5, 1}, (const double[]){0, 0}, rising, nothing);
    theory_walk_on(&w, 200, m);
    for (int i = 0; i < 10; i++)
        sum += 1 / rising(0.25 + 0.5 * i, 0);
    for (int i = 0; i < 10; i++)
        assert_true(fabs(m[i] - 1 / rising(0.25 + 0.5 * i, 0) / sum) < 1e-9);
    const struct walkers c = {.walk = &w, .n = 400, .site = 7};
    const struct method method[] = {{"15", 500}, {"0.2", 100}, {"exact", 50}, {NULL, 0}};
    walkers_test(&c, __func__, "physics/diffusion_by_place.cfg", NULL, method);
}

static double patch(double x, double y)
{
    return x > 2 && x < 4 && y < 2 ? 0.5 : 0;
}

static double swirl_x(double x, double y)
{
    (void)x;
    return y - 2;
}

static double swirl_y(double x, double y)
{
    (void)y;
    return 2.5 - x;
}

/* Tests a rotation with diffusion only in a patch: rates are 0 along some axes of some voxels, and
   Peclet numbers are high nearly everywhere. 200,000 molecules resolve 5 % of a voxel's mean.
   Detects: rates below 0 used as they are; a minimum diffusivity twice as large. */
static void law_rotation(void **state)
{
    (void)state;
    double rates[MOST_SITES][THEORY_FACES] = {{0}};
    struct theory_walk w = {.size = {5, 4, 1}, .pass = {0, 0, 0, 0.2}, .rates = rates};
    const double edge[2] = {1, 1}, origin[2] = {0, 0};
    set_axis(&w, 0, edge, origin, patch, swirl_x);
    set_axis(&w, 1, edge, origin, patch, swirl_y);
    const struct walkers c = {.walk = &w, .n = 400, .site = 6};
    const struct method method[] = {{"5", 500}, {"0.1", 200}, {"exact", 200}, {NULL, 0}};
    walkers_test(&c, __func__, "physics/rotation.cfg", NULL, method);
}

static double faster_up(double x, double y)
{
    return 0.4 + 0.1 * x + 0.2 * y;
}

static double slower_right(double x, double y)
{
    (void)y;
    return 0.3 * (x < 2);
}

static double steady(double x, double y)
{
    (void)x, (void)y;
    return 0.7;
}

static bool in_bend(int site)
{
    return site < 6 || site > 8;
}

/* Tests a bent region between a reservoir and an absorbing wall, with a periodic axis: the inflow
   has the rates of the voxel at the face. 1000 runs resolve 12 % of a voxel's mean. Detects: the
   rates of the first voxel used for all inlets. */
static void law_reservoir_of_a_bent_region(void **state)
{
    (void)state;
    double rates[MOST_SITES][THEORY_FACES] = {{0}}, source[MOST_SITES] = {0};
    bool home[MOST_SITES];
    struct theory_walk w = {.size = {4, 5, 1},
                            .pass = {1, 1, -1, -1},
                            .rates = rates,
                            .source = source,
                            .is_home = home};
    const double edge[2] = {0.5, 1}, origin[2] = {0, 0};
    set_axis(&w, 0, edge, origin, faster_up, nothing);
    set_axis(&w, 1, edge, origin, steady, slower_right);
    for (int site = 0; site < 20; site++)
        home[site] = in_bend(site);
    theory_add_inlet(&w, 0, 4, source);
    const struct walkers c = {.walk = &w};
    const struct method method[] = {{"10", 1000}, {"0.2", 500}, {"exact", 500}, {NULL, 0}};
    walkers_test(&c, __func__, "physics/reservoir_and_bend.cfg", NULL, method);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(law_ornstein_uhlenbeck),
        cmocka_unit_test(law_stationary_density_is_ito),
        cmocka_unit_test(law_rotation),
        cmocka_unit_test(law_reservoir_of_a_bent_region),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
