/* law_borders - tests molecules and individuals that cross region borders with a transmission
   probability and hop at the rates of their region (Ito). Uniformised walks are exact for steps of
   any length. The master equation is integrated by tests/support/theory.c or solved on paper. A
   stated resolution is 5 standard errors in the first variant of a test. */
#include "walkers.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

/* Two chambers fill a plane that is periodic along x; sites with x < 3 are the left one. */
enum { NX = 7, NY = 4, SITES = NX * NY };

static bool is_left(int site)
{
    return site % NX < 3;
}

static double passes_chambers(int from, int to)
{
    if (is_left(from) == is_left(to))
        return 1;
    return is_left(from) ? 0.3 : 0.05;
}

static const struct theory_walk chambers = {
    .size = {NX, NY, 1}, .pass = {-1, -1, 0, 1}, .passes = passes_chambers};

/* Resolves 4 % of a voxel's mean with 300,000 molecules, many of them in one voxel at first.
   Detects: borders that are open to the first hop, or to all but the first; the probabilities of
   both directions exchanged; a probability applied at an open border. */
static void law_membrane(void **state)
{
    (void)state;
    struct theory_walk w = chambers;
    theory_set_rates(&w, 0, 1, 0.3, 1);
    theory_set_rates(&w, 1, 0.1, 0, 0.5);
    const struct walkers c = {.walk = &w, .n = 600, .site = 2 * NX + 1};
    const struct method method[] = {{"4", 500}, {"0.05", 500}, {"exact", 300}, {NULL, 0}};
    walkers_test(&c, __func__, "physics/membrane.cfg", NULL, method);
}

/* Does the same for individuals. Resolves 5 % of a voxel's mean with 200,000. */
static void law_membrane_of_individuals(void **state)
{
    (void)state;
    struct theory_walk w = chambers;
    theory_set_rates(&w, 0, 1, 0.3, 1);
    theory_set_rates(&w, 1, 0.1, 0, 0.5);
    const struct walkers c = {.walk = &w, .n = 200, .site = 2 * NX + 1};
    const struct method method[] = {{"4", 1000}, {"0.1", 200}, {NULL, 0}};
    walkers_test(&c, __func__, "physics/membrane.cfg",
                 SETS("species.A.individuals={ max = 200; }", "initial[0].count=200"), method);
}

/* Returns the depth of nesting: a nucleus within a living cell, within a box. The border of the
   nucleus has one probability in both directions. */
static int depth(int site)
{
    const double x = site % NX + 0.5 - 3.5, y = site / NX + 0.5 - 2;
    return (x * x + y * y < 2) + (x * x / 9 + y * y / 4 <= 1);
}

static double passes_shells(int from, int to)
{
    static const double probability[3][3] = {{1, 0.5, 0}, {1, 1, 0.2}, {0, 0.2, 1}};
    return probability[depth(from)][depth(to)];
}

/* Tests a cell whose border is one-way; a hop from the box into the nucleus would cross both
   borders; no two voxels are such neighbours. Resolves 4 % of a voxel's mean with 300,000
   molecules. Detects: borders of nested regions that are open, or closed to hops within one
   region. */
static void law_nested_regions(void **state)
{
    (void)state;
    struct theory_walk w = {.size = {NX, NY, 1}, .pass = {0, 0, 1}, .passes = passes_shells};
    theory_set_rates(&w, 0, 1, 0, 1);
    theory_set_rates(&w, 1, 1, 0, 1);
    const struct walkers c = {.walk = &w, .n = 600, .site = 3 * NX + 6};
    const struct method method[] = {{"8", 500}, {"0.2", 500}, {"exact", 300}, {NULL, 0}};
    walkers_test(&c, __func__, "physics/nested_regions.cfg", NULL, method);
}

static void set_hop_rates(double hop_rate[SITES])
{
    for (int site = 0; site < SITES; site++)
        hop_rate[site] = is_left(site) ? 0.2 : 1;
}

/* Tests two diffusivities and drifts in neighbouring regions. The stationary density is
   proportional to 1 / D (Ito) times the density due to the drift. Resolves 4 % of a voxel's mean
   with 300,000 molecules. Detects: the rates of the first voxel kept through the step; those of the
   target voxel; first hops at the highest rate. */
static void law_two_diffusivities(void **state)
{
    (void)state;
    double hop_rate[SITES];
    set_hop_rates(hop_rate);
    struct theory_walk w = {.size = {NX, NY, 1}, .hop_rate = hop_rate};
    theory_set_rates(&w, 0, 1, 0.4, 1);
    theory_set_rates(&w, 1, 1, 0, 1);
    const struct walkers c = {.walk = &w, .n = 600, .site = NX + 2};
    const struct method method[] = {{"40", 500}, {"0.2", 20}, {"exact", 200}, {NULL, 0}};
    walkers_test(&c, __func__, "physics/gel.cfg", NULL, method);
}

/* Tests individuals with one diffusivity per region, and individuals whose own diffusivity depends
   on the region. Resolves 7 % of a voxel's mean with 100,000 each. Detects: the errors above; own
   rates that are not updated. */
static void law_two_diffusivities_of_individuals(void **state)
{
    (void)state;
    double hop_rate[SITES];
    set_hop_rates(hop_rate);
    struct theory_walk w = {.size = {NX, NY, 1}, .hop_rate = hop_rate};
    theory_set_rates(&w, 0, 1, 0.4, 1);
    theory_set_rates(&w, 1, 1, 0, 1);
    const struct walkers c = {.walk = &w, .n = 200, .site = NX + 2};
    const struct method method[] = {{"30", 500}, {"0.4", 50}, {NULL, 0}};
    walkers_test(
        &c, __func__, "physics/gel_own_rates.cfg",
        SETS("species.A.diffusion=if(in(gel), slow, 1)", "species.A.individuals={ max = 200; }"),
        method);
    walkers_test(&c, __func__, "physics/gel_own_rates.cfg", NULL, method);
}

/* Tests reservoirs, which let molecules in at the rates of the region at their face. Resolves 10 %
   of a voxel's mean with 1000 runs. Detects: one rate of entry for the whole face. */
static void law_reservoir_by_region(void **state)
{
    (void)state;
    double hop_rate[SITES], source[SITES] = {0};
    set_hop_rates(hop_rate);
    struct theory_walk w = {
        .size = {NX, NY, 1}, .pass = {0, 1, 1}, .hop_rate = hop_rate, .source = source};
    theory_set_rates(&w, 0, 1, 0, 1);
    theory_set_rates(&w, 1, 1, 0, 1);
    theory_add_inlet(&w, 2, 3, source);
    const struct walkers c = {.walk = &w};
    const struct method method[] = {{"8", 1000}, {"0.2", 1000}, {"exact", 500}, {NULL, 0}};
    walkers_test(&c, __func__, "physics/gel_reservoir.cfg", NULL, method);
}

/* Returns the factor of hops across a membrane whose permeability is .6 from left to right and .2
   back. D is .2 in the left chamber and 1 in the right one, and the edge is 1. */
static double permeates_chambers(int from, int to)
{
    if (is_left(from) == is_left(to))
        return 1;
    const double left = 0.6 / 0.2, right = 0.2 / 1;
    return (is_left(from) ? left : right) / (1 + (left + right) / 2);
}

/* Resolves 4 % of a voxel's mean with 300,000 molecules. Detects: the resistance of the voxels
   ignored; that of one chamber used for both; the edge of another axis; directions exchanged; a
   border that is open where the walls are periodic. */
static void law_permeability(void **state)
{
    (void)state;
    double hop_rate[SITES];
    set_hop_rates(hop_rate);
    struct theory_walk w = chambers;
    w.pass[3] = 0;
    w.passes = permeates_chambers;
    w.hop_rate = hop_rate;
    theory_set_rates(&w, 0, 1, 0, 1);
    theory_set_rates(&w, 1, 0.1, 0, 0.5);
    const struct walkers c = {.walk = &w, .n = 600, .site = 2 * NX + 1};
    const struct method method[] = {{"4", 500}, {"0.05", 500}, {"exact", 300}, {NULL, 0}};
    walkers_test(&c, __func__, "physics/permeability.cfg", NULL, method);
}

/* Compares the number of the first species in the first region, over all runs, with a known
   probability as a function of time. */
struct share {
    double (*probability)(double t);
    const struct trial *trial;
    struct verdict verdict;
};

static void look_share(void *to, const struct rd_model *m, const struct rd_snapshot *s)
{
    struct share *const h = to;
    double inside = 0, all = 0;
    for (int64_t run = 0; run < m->n_runs; run++)
        for (int64_t site = 0; site < m->grid.n_sites; site++) {
            const int32_t n = s->counts[run * m->n_species * m->grid.n_sites + site];
            all += n;
            inside += m->mask[site] & 1 ? n : 0;
        }
    verdict_add(&h->verdict, theory_binomial_deviate(inside, all, h->probability(s->time)),
                "step %s, t = %g: %g of %g instead of %g", h->trial->step, s->time, inside, all,
                h->probability(s->time) * all);
}

/* Tests a model with each solver, with these settings. */
static void test_share(double (*probability)(double t), const char *test, const char *model,
                       const char *const *sets)
{
    static const char *const step[] = {"9", "0.3", "exact"};
    struct share h = {.probability = probability};
    for (int i = 0; i < 3; i++) {
        const struct trial t = {test, model, .sets = sets, .step = step[i]};
        h.trial = &t;
        trial_run(&t, look_share, &h);
    }
    verdict_check(&h.verdict);
}

/* Returns the probability for two voxels of edge h with hops at D p / h^2 each way: the difference
   decays at twice that rate. */
static double relaxed(double t)
{
    return (1 + exp(-2 * 0.7 * 0.04 / 0.25 * t)) / 2;
}

/* Resolves .25 % of the probability with 1,000,000 molecules. Detects: the transmission drawn
   twice; a rate of p^2. */
static void law_relaxation_through_a_membrane(void **state)
{
    (void)state;
    test_share(relaxed, __func__, "physics/membrane_relaxation.cfg", NULL);
}

/* Returns the probability to be in a sphere of radius 1 with 2147 of 8000 voxels, if both sides are
   well mixed and the permeability is .05. */
static double left_in_vesicle(double t)
{
    const double inside = 2147 / 512.0, outside = 5853 / 512.0, area = 4 * 3.14159265358979;
    const double last = inside / (inside + outside);
    return last + (1 - last) * exp(-0.05 * area * (1 / inside + 1 / outside) * t);
}

/* Resolves 16 % of the permeability with 4000 molecules. Detects: the faces of the voxels, which
   have 1.5 times the area of the sphere. */
static void law_permeability_of_a_round_membrane(void **state)
{
    (void)state;
    test_share(left_in_vesicle, __func__, "physics/round_membrane.cfg", NULL);
}

/* Returns the stationary probability: densities are proportional to the transmission probabilities.
   There are 12 voxels outside and 3 within, with probability .1 inwards and .4 outwards. */
static double stationary(double t)
{
    (void)t;
    return 3 * 0.1 / (3 * 0.1 + 12 * 0.4);
}

/* Returns the same for equal probabilities: the share of the voxels. */
static double equal(double t)
{
    (void)t;
    return 3 / 15.0;
}

/* Resolves 6 % of the probability with 100,000 molecules. Detects: both directions exchanged. */
static void law_densities_at_a_membrane(void **state)
{
    (void)state;
    test_share(stationary, __func__, "physics/settling.cfg", NULL);
    test_share(equal, __func__, "physics/settling.cfg", SETS("borders[1].pass=0.1"));
}

/* Tests that no molecule crosses a closed border, and that through a one-way border all enter and
   none leaves. */
static double all(double t)
{
    (void)t;
    return 1;
}

static void law_closed_and_one_way_borders(void **state)
{
    (void)state;
    test_share(all, __func__, "physics/settling.cfg",
               SETS("borders[0].pass=1", "borders[1].pass=0"));
    test_share(all, "one way", "physics/one_way_border.cfg", NULL);
}

/* Returns the survival under a reaction in the voxels of a membrane only, with a rate that depends
   on the region that the membrane crosses. */
static double membrane_survives(double t)
{
    const double rim = 8 * (exp(-0.7 * t) + exp(-0.2 * t)) / 2;
    return (16 - 8 + rim) / (48 + rim - 8);
}

/* Uses a sphere of 16 voxels in a plane of 48, with 8 of them at its rim; the reaction is slower in
   the upper half. Resolves .2 % of the probability with 4.8 million molecules. Detects: corners
   taken as neighbours; the other side of the border. */
static void law_reaction_on_a_membrane(void **state)
{
    (void)state;
    test_share(membrane_survives, __func__, "physics/membrane_reaction.cfg", NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(law_membrane),
        cmocka_unit_test(law_membrane_of_individuals),
        cmocka_unit_test(law_nested_regions),
        cmocka_unit_test(law_two_diffusivities),
        cmocka_unit_test(law_two_diffusivities_of_individuals),
        cmocka_unit_test(law_reservoir_by_region),
        cmocka_unit_test(law_permeability),
        cmocka_unit_test(law_relaxation_through_a_membrane),
        cmocka_unit_test(law_permeability_of_a_round_membrane),
        cmocka_unit_test(law_densities_at_a_membrane),
        cmocka_unit_test(law_closed_and_one_way_borders),
        cmocka_unit_test(law_reaction_on_a_membrane),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
