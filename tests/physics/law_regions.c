/* law_regions - tests species that live in a region: those in boxes move by displacement
   distributions, those in other shapes by uniformised walks. Both are exact for steps of any
   length. The reference is the master equation on the region's voxels (those with their centres in
   the shape), without hops out of it, integrated by tests/theory.c. A stated resolution is 5
   standard errors in the first variant of a test. */
#include "walkers.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { MOST_SITES = 256 };

/* Finds the voxels with their centres in the shape. */
static void find_home(struct theory_walk *w, const double edge[3], bool (*has)(const double p[3]),
                      bool home[MOST_SITES])
{
    assert_true(theory_sites(w) <= MOST_SITES);
    for (int site = 0; site < theory_sites(w); site++) {
        const int at[3] = {site % w->size[0], site / w->size[0] % w->size[1],
                           site / w->size[0] / w->size[1]};
        double p[3];
        for (int axis = 0; axis < 3; axis++)
            p[axis] = (at[axis] + 0.5) * edge[axis];
        home[site] = has(p);
    }
    w->is_home = home;
}

static bool in_box(const double p[3])
{
    return p[0] > 2 && p[0] < 6 && p[1] < 3;
}

/* Tests a box that does not span its periodic axis, at a wall that absorbs half of the hops.
   300,000 molecules resolve 4 % of a voxel's mean. Detects: displacement distributions of the whole
   axis. */
static void law_box(void **state)
{
    (void)state;
    bool home[MOST_SITES];
    struct theory_walk w = {.size = {7, 5, 1}, .pass = {-1, -1, 0.5, 1}};
    theory_set_rates(&w, 0, 1, 0.3, 1);
    theory_set_rates(&w, 1, 0.4, 0.2, 1);
    find_home(&w, (const double[]){1, 1, 1}, in_box, home);
    const struct walkers c = {.walk = &w, .n = 600, .site = 12};
    const struct method method[] = {{"3", 500}, {"0.05", 500}, {"exact", 300}, {NULL, 0}};
    walkers_test(&c, __func__, "physics/box.cfg", NULL, method);
}

static bool in_ring(const double p[3])
{
    return p[1] > 1 && p[1] < 3;
}

/* Tests a box that spans a periodic axis, so that movement continues across its ends. 200,000
   molecules resolve 5 % of a voxel's mean. Detects: periodic axes that reflect; displacement
   distributions of the whole axis. */
static void law_box_around_a_ring(void **state)
{
    (void)state;
    bool home[MOST_SITES];
    struct theory_walk w = {.size = {4, 5, 1}, .pass = {-1, -1, 1, 1}};
    theory_set_rates(&w, 0, 1, 1.3, 1);
    theory_set_rates(&w, 1, 0.4, 0.2, 1);
    find_home(&w, (const double[]){1, 1, 1}, in_ring, home);
    const struct walkers c = {.walk = &w, .n = 20, .site = 11};
    const struct method method[] = {{"2", 10000}, {"0.05", 5000}, {"exact", 5000}, {NULL, 0}};
    walkers_test(&c, __func__, "physics/belt.cfg", NULL, method);
}

static bool in_ball(const double p[3])
{
    return pow(p[0] - 2.1, 2) + pow(p[1] - 2.4, 2) + pow(p[2] - 0.9, 2) <= 2.25;
}

/* Tests a ball cut by a wall with absorption probability .4, with many molecules in one voxel
   at the start and few later. 200,000 molecules resolve 5 % of a voxel's mean. Detects: a walk
   that stops after its first hop, or that uses the time before it twice; a walk through voxels
   outside. */
static void law_ball(void **state)
{
    (void)state;
    bool home[MOST_SITES];
    struct theory_walk w = {.size = {6, 5, 4}, .pass = {0, 1, 0, 0, 0.4, 0}};
    theory_set_rates(&w, 0, 1, 0.4, 0.7);
    theory_set_rates(&w, 1, 0.5, 0, 1);
    theory_set_rates(&w, 2, 0.8, -0.3, 0.8);
    find_home(&w, (const double[]){0.7, 1, 0.8}, in_ball, home);
    const struct walkers c = {.walk = &w, .n = 400, .site = 1 * 30 + 2 * 6 + 3};
    const struct method method[] = {
        {"5", 500}, {"0.2", 500}, {"0.01", 100}, {"exact", 200}, {NULL, 0}};
    walkers_test(&c, __func__, "physics/ball.cfg", NULL, method);
}

/* Returns whether p is within half a unit of the line from (0, 0) to (8, 4), between those
   points. */
static bool in_tube(const double p[3])
{
    const double along = (8 * p[0] + 4 * p[1]) / 80, off = (8 * p[1] - 4 * p[0]) / sqrt(80);
    return along >= 0 && along <= 1 && fabs(off) <= 0.9;
}

/* Tests an oblique tube in a plane, periodic along x: molecules that leave its end at x = 8 enter
   at x = 0, in a voxel of the tube or not. 200,000 molecules resolve 4 % of a voxel's mean.
   Detects: the errors of law_ball. */
static void law_oblique_tube(void **state)
{
    (void)state;
    bool home[MOST_SITES];
    struct theory_walk w = {.size = {8, 4, 1}, .pass = {-1, -1}};
    theory_set_rates(&w, 0, 1, 1, 1);
    theory_set_rates(&w, 1, 1, 0.7, 1);
    find_home(&w, (const double[]){1, 1, 1}, in_tube, home);
    const struct walkers c = {.walk = &w, .n = 20, .site = 11};
    const struct method method[] = {{"8", 10000}, {"0.1", 2000}, {"exact", 2000}, {NULL, 0}};
    walkers_test(&c, __func__, "physics/tube.cfg", NULL, method);
}

static bool in_pore(const double p[3])
{
    return pow(p[1] - 2, 2) + pow(p[2] - 1.5, 2) <= 1;
}

/* Tests a pore between a reservoir and an absorbing wall: molecules enter through its mouth only.
   1000 runs resolve 12 % of a voxel's mean. Detects: inflow through the whole face. */
static void law_pore(void **state)
{
    (void)state;
    bool home[MOST_SITES];
    double source[60] = {0};
    struct theory_walk w = {.size = {5, 4, 3}, .pass = {1, 1}, .source = source};
    theory_set_rates(&w, 0, 1, 0, 1);
    theory_set_rates(&w, 1, 0.3, 0, 1);
    theory_set_rates(&w, 2, 0.3, 0, 1);
    find_home(&w, (const double[]){1, 1, 1}, in_pore, home);
    theory_add_inlet(&w, 0, 4, source);
    const struct walkers c = {.walk = &w};
    const struct method method[] = {{"10", 1000}, {"0.2", 1000}, {"exact", 500}, {NULL, 0}};
    walkers_test(&c, __func__, "physics/pore.cfg", NULL, method);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(law_box),  cmocka_unit_test(law_box_around_a_ring),
        cmocka_unit_test(law_ball), cmocka_unit_test(law_oblique_tube),
        cmocka_unit_test(law_pore),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
