/* law_regions - tests species that live in a region: those in boxes move by displacement
   distributions, those in other shapes by uniformised walks. Both are exact for steps of any
   length. The reference is the master equation on the region's voxels (those with their centres in
   the shape), without hops out of it, integrated by tests/support/theory.c. A stated resolution is
   5 standard errors in the first variant of a test. */
#include "trial.h"
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

enum { PLACES = 4, KINDS = 3 };

struct shares {
    int n_looks;
    struct verdict verdict;
};

/* Returns the probability that a molecule of the species is in the region: the region's share of
   the voxels, or of the area of the surface. */
static double share_of(const struct rd_model *m, int species, uint64_t region)
{
    const int surface = m->species[species].surface;
    double in = 0, all = 0;
    for (int64_t i = 0; surface >= 0 && i < m->surface[surface].n_voxels; i++) {
        const struct rd_surface_voxel *const v = &m->surface[surface].voxel[i];
        in += m->mask[v->site] & region ? v->area : 0;
        all += v->area;
    }
    for (int64_t site = 0; surface < 0 && site < m->grid.n_sites; site++, all++)
        in += (m->mask[site] & region) != 0;
    return in / all;
}

/* Returns the number of molecules in the region by the counts of voxels. */
static int64_t count_in(const struct rd_model *m, const int32_t *count, uint64_t region)
{
    int64_t n = 0;
    for (int64_t site = 0; site < m->grid.n_sites; site++)
        n += m->mask[site] & region ? count[site] : 0;
    return n;
}

static void compare_share(struct shares *to, const struct rd_model *m,
                          const struct rd_snapshot *now, int place, int species, uint64_t region)
{
    const double p = share_of(m, species, region), n = (double)now->totals[species];
    struct lab_sums sums = {.mean = n * p};
    for (int64_t run = 0; run < m->n_runs; run++) {
        const int64_t found = now->region_totals[(run * PLACES + place) * KINDS + species];
        const int32_t *const count = now->counts + (run * KINDS + species) * m->grid.n_sites;
        assert_int_equal(found, count_in(m, count, region));
        lab_add(&sums, (double)found);
    }
    const double variance = n * p * (1 - p);
    if (variance > 0)
        verdict_add_sums(&to->verdict, &sums, variance, (1 - 6 * p * (1 - p)) / variance,
                         "%s in place %d", m->species[species].name, place);
}

static void compare_shares(void *to, const struct rd_model *m, const struct rd_snapshot *now)
{
    static const int regions[PLACES] = {0, 1, 3, 4}; /* by their order in the file */
    struct shares *const s = to;
    assert_int_equal(m->n_species, KINDS);
    assert_non_null(now->region_totals);
    for (int place = 0; place < PLACES; place++)
        for (int species = 0; species < KINDS; species++)
            compare_share(s, m, now, place, species, UINT64_C(1) << regions[place]);
    s->n_looks++;
}

/* Tests the totals in regions that overlap, of counted species, individuals and a species on a
   surface: they equal the sums of the snapshot's counts, and at equilibrium they are binomial with
   the region's share of the volume, or of the area. 3000 runs resolve 3 % of a mean. Detects:
   totals of another region, of all voxels, or of the regions in another order. */
static void law_region_totals(void **state)
{
    (void)state;
    struct shares s = {0};
    trial_run(&(struct trial){__func__, "physics/region_totals.cfg", .step = "0.25"},
              compare_shares, &s);
    assert_int_equal(s.n_looks, 2);
    verdict_check(&s.verdict);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(law_box),  cmocka_unit_test(law_box_around_a_ring),
        cmocka_unit_test(law_ball), cmocka_unit_test(law_oblique_tube),
        cmocka_unit_test(law_pore), cmocka_unit_test(law_region_totals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
