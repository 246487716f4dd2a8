/* law_configs - tests configurations of configs/ that have exact results, unchanged or reduced:
   movement, annihilation, voting. (law_configs_of_individuals.c tests those with individuals,
   law_sources.c the slab and the morphogen, law_published.c Fisher's wave and the overlapping
   sources.) */
#include "chain.h"
#include "walkers.h"

#include "probability.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Tests A and B that annihilate in every voxel (tests/support/chain.c). 1024 voxels and 4 runs
   resolve 2 % of the means. */
static void law_ab_reaction_in_all_voxels(void **state)
{
    (void)state;
    const struct chain ab = chain_ab(0);
    struct verdict v = {0};
    chain_compare_from(&ab, (const int[CHAIN_SPECIES]){0},
                       &(struct trial){__func__, CONFIGS "ab_reaction.cfg",
                                       .sets = SETS("grid.voxels=(32, 32)", "time.end=300",
                                                    "output.times=(100, 300)"),
                                       .step = "auto", .runs = 4},
                       &v);
    verdict_check(&v);
}

/* Tests 1e5 molecules from one voxel, on half of the plane: counts are multinomial. 4 runs resolve
   3 % in the fullest voxels. */
static void law_diffusion_from_a_point(void **state)
{
    (void)state;
    struct theory_walk w = {.size = {64, 64, 1}};
    for (int axis = 0; axis < 2; axis++)
        theory_set_rates(&w, axis, 1, 0, 100.0 / 128);
    const struct walkers c = {.walk = &w, .n = 100000, .site = 32 * 64 + 32};
    const struct method method[] = {{"auto", 3}, {"0.7", 1}, {NULL, 0}};
    walkers_test(&c, __func__, CONFIGS "diffusion.cfg",
                 SETS("grid.voxels=(64, 64)", "initial[0].voxel=(32, 32)", "output.times=(1, 20)"),
                 method);
}

/* Tests the cloud on voxels of eight times the edge against the exact distribution on the
   lattice. */
static void law_drift_of_a_cloud(void **state)
{
    (void)state;
    struct theory_walk w = {.size = {64, 64, 1}};
    theory_set_rates(&w, 0, 0.6, 0.8, 0.5);
    theory_set_rates(&w, 1, 0.8, 0.4, 0.5);
    const struct walkers c = {.walk = &w, .n = 100000, .site = 32 * 64 + 32};
    const struct method method[] = {{"auto", 3}, {"0.05", 1}, {NULL, 0}};
    walkers_test(&c, __func__, CONFIGS "drift.cfg",
                 SETS("grid.voxels=(64, 64)", "grid.edge=0.5", "output.times=(1, 5)",
                      "initial[0].voxel=(32, 32)"),
                 method);
}

/* Tests that molecules with a drift up a field of constant gradient move as with the equivalent
   constant drift, on 64 x 64 voxels. */
static void law_drift_by_a_field(void **state)
{
    (void)state;
    struct theory_walk w = {.size = {64, 64, 1}};
    theory_set_rates(&w, 0, 0.6, 0.8, 0.5);
    theory_set_rates(&w, 1, 0.8, 0.4, 0.5);
    const struct walkers c = {.walk = &w, .n = 20000, .site = 32 * 64 + 32};
    const struct method method[] = {{"auto", 4}, {"0.2", 2}, {NULL, 0}};
    walkers_test(&c, __func__, CONFIGS "drift_field.cfg",
                 SETS("grid.voxels=(64, 64)", "grid.edge=0.5", "initial[0].voxel=(32, 32)",
                      "initial[0].count=20000", "output.times=(1, 5)"),
                 method);
}

/* Tests the saddle on 64 x 64 voxels, starting where |v| h > 2 D, against the exact distribution on
   the lattice. */
static void law_ornstein_uhlenbeck_in_a_plane(void **state)
{
    (void)state;
    enum { SIDE = 64, SITES = SIDE * SIDE };
    struct theory_walk w = {.size = {SIDE, SIDE, 1}};
    w.rates = calloc(SITES, sizeof *w.rates);
    assert_non_null(w.rates);
    for (int site = 0; site < SITES; site++) {
        const double x = (site % SIDE + 0.5) / 2 - 16, y = (site / SIDE + 0.5) / 2 - 16;
        theory_set_rates_at(&w, site, 0, 1, -0.5 * x - 0.6 * y, 0.5);
        theory_set_rates_at(&w, site, 1, 1, -0.7 * x - 0.8 * y, 0.5);
    }
    const struct walkers c = {.walk = &w, .n = 10000, .site = 16 * SIDE + 16};
    const struct method method[] = {{"auto", 4}, {"0.5", 2}, {NULL, 0}};
    walkers_test(&c, __func__, CONFIGS "ornstein_uhlenbeck.cfg",
                 SETS("grid.voxels=(64, 64)", "grid.edge=0.5", "output.times=(1, 10)"), method);
    free(w.rates);
}

/* Tests the mean place of molecules whose drift contains it: 4.25 (the voxel's centre) times (2
   exp(-step) - 1) per step, which replaces exp(-2 t) because the mean is constant during a step.
   The final variance is 1. 20000 molecules resolve .04 in the mean place and 5 % of the
   variance. */
static void look_at_places(void *to, const struct rd_model *m, const struct rd_snapshot *s)
{
    struct verdict *const v = to;
    struct lab_sums x = {.mean = 4.25 * pow(2 * exp(-0.01) - 1, s->time / 0.01)};
    lab_add_places(&x, m, s);
    if (s->time > 0)
        verdict_add(v, x.sum / x.n / sqrt(x.squares / x.n / x.n), "t = %g: the middle", s->time);
    if (s->time > 3)
        verdict_add(v, lab_variance_z(&x, 1, 0), "t = %g: the variance", s->time);
}

static void law_drift_by_the_mean_place(void **state)
{
    (void)state;
    struct verdict v = {0};
    trial_run(&(struct trial){__func__, CONFIGS "mean_field.cfg", .step = "0.01", .runs = 1},
              look_at_places, &v);
    verdict_check(&v);
}

/* Tests the neurons on coarse voxels. The mean place of 17600 neurons is constant for a day, within
   .5 um; on the next day it moves left by 9 um. The number beyond 100 um on the right changes by
   less than 3 %. */
struct neurons {
    double middle[3], right[3];
    int n_looks;
};

static void look_at_neurons(void *to, const struct rd_model *m, const struct rd_snapshot *s)
{
    struct neurons *const w = to;
    const int64_t side = m->grid.size[0];
    double all = 0, sum = 0, right = 0;
    for (int64_t i = 0; i < m->grid.n_sites; i++) {
        const double x = ((double)(i % side) + 0.5) * m->grid.edge[0] - 300;
        all += s->counts[i];
        sum += s->counts[i] * x;
        right += x > 100 ? s->counts[i] : 0;
    }
    w->middle[w->n_looks] = sum / all;
    w->right[w->n_looks++] = right;
}

static void law_neurons_avoid_slit(void **state)
{
    (void)state;
    struct neurons w = {.n_looks = 0};
    trial_run(&(struct trial){__func__, CONFIGS "slit.cfg",
                              .sets = SETS("parameters.n=24", "output.every=24 * 3600"),
                              .step = "300", .runs = 1},
              look_at_neurons, &w);
    print_message("             the middle at %.2f and %.2f um; %g and %g on the right\n",
                  w.middle[1], w.middle[2], w.right[1], w.right[2]);
    assert_true(fabs(w.middle[1]) < 5 * 150 / sqrt(17600));
    assert_true(w.middle[2] < -5);
    assert_true(w.right[1] > 2000 && fabs(w.right[2] / w.right[1] - 1) < 0.03);
}

/* Tests A and B with equal movement: the mean of A - B in a voxel is that of walkers without
   reactions, for any rate: dm/dt = Q m. In every run, equally many A and B are left at every time.
   Both hold for any step. 40 runs with 10000 of each, in blocks of 8 x 8 voxels, resolve about 20
   per block. */
enum { FIELD = 64, TILE = 8, TILES = FIELD / TILE, FEW = 10000 };
struct config_difference {
    struct theory_walk walk;
    double mean[FIELD * FIELD + THEORY_FACES];
    double time;
    struct verdict verdict;
};

static void look_at_difference(void *to, const struct rd_model *m, const struct rd_snapshot *s)
{
    struct config_difference *const d = to;
    struct lab_sums sums[TILES * TILES] = {0};
    theory_walk_on(&d->walk, s->time - d->time, d->mean);
    d->time = s->time;
    for (int i = 0; i < FIELD * FIELD; i++)
        sums[i / FIELD / TILE * TILES + i % FIELD / TILE].mean += d->mean[i];
    for (int64_t run = 0; run < m->n_runs; run++) {
        const int32_t *const a = s->counts + run * 2 * FIELD * FIELD, *const b = a + FIELD * FIELD;
        double found[TILES * TILES] = {0};
        for (int i = 0; i < FIELD * FIELD; i++)
            found[i / FIELD / TILE * TILES + i % FIELD / TILE] += a[i] - b[i];
        assert_int_equal(s->totals[run * 2], s->totals[run * 2 + 1]);
        for (int i = 0; i < TILES * TILES; i++)
            lab_add(&sums[i], found[i]);
    }
    for (int i = 0; i < TILES * TILES; i++) {
        const double mean = sums[i].sum / sums[i].n;
        const double variance = sums[i].squares / sums[i].n - mean * mean;
        verdict_add(&d->verdict, lab_mean_z(&sums[i], variance), "t = %g, block %d: %g off",
                    s->time, i, mean);
    }
}

static void law_annihilation_with_drift(void **state)
{
    (void)state;
    struct config_difference *const d = calloc(1, sizeof *d);
    assert_non_null(d);
    d->walk = (struct theory_walk){.size = {FIELD, FIELD, 1}};
    for (int axis = 0; axis < 2; axis++)
        theory_set_rates(&d->walk, axis, 1, 0.5, 0.2);
    for (int i = 0; i < FIELD * FIELD; i++) {
        const bool is_centre = (i / FIELD + 1) / 2 == 16 && (i % FIELD + 1) / 2 == 16;
        d->mean[i] = (double)FEW / (FIELD * FIELD) - (is_centre ? FEW / 4 : 0);
    }
    trial_run(&(struct trial){__func__, CONFIGS "annihilation.cfg",
                              .sets = SETS("parameters.N=10000", "output.every=2"), .step = "0.5",
                              .runs = 40},
              look_at_difference, d);
    verdict_check(&d->verdict);
    free(d);
}

/* Tests three robots in one voxel, two of them red. The notes and the opinion of a robot make 30
   states; the master equation is solved on all 27000 states of three robots. It gives the mean
   number of robots in each state and the probability that all are red. 20000 runs resolve .02 and 3
   %. */
enum { ROBOTS = 3, PAGES = 15, KINDS = 2 * PAGES, STATES = KINDS * KINDS * KINDS, NOTES = 5 };

/* Returns the number of a page with so many red and green notes, fewer than five in all. */
static int page_of(int red, int green)
{
    return red * NOTES - red * (red - 1) / 2 + green;
}

/* Returns the state of a robot after meeting one with this opinion (0 red, 1 green). A state is
   opinion * PAGES + page. */
static int after_meeting(int kind, int opinion)
{
    int red = 0, rest = kind % PAGES;
    while (rest >= NOTES - red)
        rest -= NOTES - red++;
    red += opinion == 0;
    const int green = rest + (opinion == 1);
    if (red + green == NOTES)
        return (red > green ? 0 : 1) * PAGES;
    return kind / PAGES * PAGES + page_of(red, green);
}

static int meet(int state, const int robot[2])
{
    const int weight[ROBOTS] = {1, KINDS, KINDS * KINDS};
    int kind[2], to = state;
    for (int i = 0; i < 2; i++)
        kind[i] = state / weight[robot[i]] % KINDS;
    for (int i = 0; i < 2; i++)
        to += (after_meeting(kind[i], kind[1 - i] / PAGES) - kind[i]) * weight[robot[i]];
    return to;
}

/* Advances the probabilities: each pair meets at the rate k, so that the number of meetings is
   Poisson with mean 3 k t, equal for all pairs. */
static void let_meet(double jumps, double *p)
{
    static const int pair[3][2] = {{0, 1}, {0, 2}, {1, 2}};
    double *const now = calloc(2 * STATES, sizeof *now), *const next = now + STATES;
    assert_non_null(now);
    memcpy(now, p, STATES * sizeof *p);
    memset(p, 0, STATES * sizeof *p);
    double weight = exp(-jumps);
    for (int n = 1; n < 200; weight *= jumps / n++) {
        memset(next, 0, STATES * sizeof *next);
        for (int state = 0; state < STATES; state++) {
            p[state] += weight * now[state];
            for (int i = 0; now[state] > 0 && i < 3; i++)
                next[meet(state, pair[i])] += now[state] / 3;
        }
        memcpy(now, next, STATES * sizeof *now);
    }
    free(now);
}

struct vote {
    double p[STATES], time;
    struct verdict verdict;
};

static void look_at_votes(void *to, const struct rd_model *m, const struct rd_snapshot *s)
{
    struct vote *const v = to;
    double mean[KINDS] = {0}, square[KINDS] = {0}, found[KINDS] = {0}, all = 0, all_red = 0;
    if (s->time == 0)
        return;
    let_meet(3 * 0.485675 * (s->time - v->time), v->p);
    v->time = s->time;
    for (int state = 0; state < STATES; state++) {
        const int kind[ROBOTS] = {state % KINDS, state / KINDS % KINDS, state / KINDS / KINDS};
        all += v->p[state] * (kind[0] < PAGES && kind[1] < PAGES && kind[2] < PAGES);
        for (int i = 0; i < ROBOTS; i++)
            for (int k = 0; k < ROBOTS; k++) {
                mean[kind[i]] += i == k ? v->p[state] : 0;
                square[kind[i]] += kind[i] == kind[k] ? v->p[state] : 0;
            }
    }
    for (int64_t run = 0; run < m->n_runs; run++) {
        int64_t red = 0;
        for (int kind = 0; kind < KINDS; kind++) {
            found[kind] += (double)s->totals[run * KINDS + kind];
            red += kind < PAGES ? s->totals[run * KINDS + kind] : 0;
        }
        all_red += red == ROBOTS;
    }
    const double runs = (double)m->n_runs;
    verdict_add(&v->verdict, theory_binomial_deviate(all_red, runs, all), "t = %g: all red",
                s->time);
    for (int kind = 0; kind < KINDS; kind++)
        if (mean[kind] * runs > 400)
            verdict_add(&v->verdict,
                        (found[kind] - mean[kind] * runs) /
                            sqrt((square[kind] - mean[kind] * mean[kind]) * runs),
                        "t = %g: species %d", s->time, kind);
}

static void law_majority_vote(void **state)
{
    (void)state;
    static const char *const step[] = {"exact", "auto"};
    struct vote *const v = calloc(1, sizeof *v);
    assert_non_null(v);
    for (int i = 0; i < 2; i++) {
        memset(v->p, 0, sizeof v->p);
        v->p[PAGES] = 1; /* two red, one green */
        v->time = 0;
        trial_run(
            &(struct trial){__func__, CONFIGS "majority_vote.cfg",
                            .sets = SETS("grid.voxels=1", "parameters.N=3", "parameters.red=2",
                                         "time.end=40", "output.every=20"),
                            .step = step[i], .runs = 20000},
            look_at_votes, v);
    }
    verdict_check(&v->verdict);
    free(v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(law_ab_reaction_in_all_voxels),
        cmocka_unit_test(law_diffusion_from_a_point),
        cmocka_unit_test(law_drift_of_a_cloud),
        cmocka_unit_test(law_drift_by_a_field),
        cmocka_unit_test(law_ornstein_uhlenbeck_in_a_plane),
        cmocka_unit_test(law_neurons_avoid_slit),
        cmocka_unit_test(law_drift_by_the_mean_place),
        cmocka_unit_test(law_annihilation_with_drift),
        cmocka_unit_test(law_majority_vote),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
