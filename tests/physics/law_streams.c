/* law_streams - tests that molecules move independently: of their own and of other species, in one
   voxel and in neighbouring ones, in successive steps, in different runs and with different seeds.
   Shared random numbers do not change means and show in products only. A stated resolution is 5
   standard errors in the first variant of a test. */
#include "walkers.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

enum { SIDE = 12, SITES = SIDE * SIDE };

/* A and B start with equal numbers, n in each voxel of a periodic square. */
struct field {
    double n;
    double variance; /* expected variance of a voxel's number */
    /* sums over voxels of A's deviation times B's, and times A's own */
    struct lab_sums between, own;
    struct lab_sums neighbours; /* ... times A's in the next voxel */
};

static void look_products(void *to, const struct rd_model *m, const struct rd_snapshot *s)
{
    struct field *const f = to;
    for (int run = 0; run < m->n_runs; run++) {
        const int32_t *const a = s->counts + (int64_t)run * 2 * SITES, *const b = a + SITES;
        double between = 0, own = 0, neighbours = 0;
        for (int i = 0; i < SITES; i++) {
            const int next = i % SIDE == SIDE - 1 ? i + 1 - SIDE : i + 1;
            between += (a[i] - f->n) * (b[i] - f->n);
            own += (a[i] - f->n) * (a[i] - f->n);
            neighbours += (a[i] - f->n) * (a[next] - f->n);
        }
        lab_add(&f->between, between);
        lab_add(&f->own, own);
        lab_add(&f->neighbours, neighbours);
    }
}

/* Computes the expected moments. The sum over voxels s of n P(i|s) molecules is in i: variance n (1
   - sum P^2), covariance of neighbours -n sum P(i|s) P(i+1|s). */
static void expect(struct field *f, double time)
{
    struct theory_walk w = {.size = {SIDE, SIDE, 1}, .pass = {-1, -1, -1, -1}};
    theory_set_rates(&w, 0, 1, 0, 1);
    theory_set_rates(&w, 1, 1, 0, 1);
    double p[SITES + THEORY_FACES] = {1};
    theory_walk_on(&w, time, p);
    double same = 0, next = 0;
    for (int i = 0; i < SITES; i++) {
        same += p[i] * p[i];
        next += p[i] * p[i % SIDE == SIDE - 1 ? i + 1 - SIDE : i + 1];
    }
    f->own.mean = SITES * f->n * (1 - same);
    f->neighbours.mean = -SITES * f->n * next;
}

/* Returns the mean in standard errors that are estimated from the runs. */
static double studentised(const struct lab_sums *s)
{
    return s->sum / sqrt(s->squares);
}

/* Resolves correlations of 0.02, with 400 runs of 144 voxels. Detects: one stream for all species
   of one D (correlation 1); one for all voxels (variance 0). */
static void law_species_and_voxels_are_independent(void **state)
{
    (void)state;
    static const struct {
        int n; /* few draw one word each, many are drawn in batches */
        const char *step;
    } of[] = {{8, "0.6"}, {8, "0.1"}, {40, "0.6"}, {40, "0.1"}, {8, "exact"}};
    struct verdict v = {0};
    for (int i = 0; i < 5; i++) {
        char test[64], set[32];
        snprintf(test, sizeof test, "%s %d", __func__, of[i].n);
        snprintf(set, sizeof set, "parameters.n=%d", of[i].n);
        struct field f = {.n = of[i].n};
        expect(&f, 0.6);
        trial_run(&(struct trial){test, "physics/two_species.cfg", .sets = SETS(set),
                                  .step = of[i].step, .runs = 400},
                  look_products, &f);
        verdict_add(&v, studentised(&f.between), "A and B, %d, step %s", of[i].n, of[i].step);
        verdict_add(&v, studentised(&f.own), "voxels, %d, step %s", of[i].n, of[i].step);
        verdict_add(&v, studentised(&f.neighbours), "next voxels, %d, step %s", of[i].n,
                    of[i].step);
    }
    verdict_check(&v);
}

enum { RUNS = 40000, SEEDS = 3, STEPS = 3, LINE = 41 };

/* Holds the place of one molecule per run on a line after each step. */
struct stream_paths {
    int n; /* number of times stored */
    int16_t place[STEPS + 1][RUNS];
};

static void look_place(void *to, const struct rd_model *m, const struct rd_snapshot *s)
{
    struct stream_paths *const p = to;
    for (int run = 0; run < m->n_runs; run++)
        for (int16_t i = 0; i < LINE; i++)
            if (s->counts[run * LINE + i])
                p->place[p->n][run] = i;
    p->n++;
}

/* Returns the displacement of the molecule in a step, or whether it stayed, standardised. */
static double deviate(const struct stream_paths *p, int step, int run, bool stays)
{
    return walkers_deviate(p->place[step + 1][run] - p->place[step][run], stays);
}

/* Tests steps of 0.5 at D = h = 1. 40,000 pairs each resolve correlations of 0.025. Detects: the
   step missing from the counter; the seed's low bits; the run's number. */
static void law_steps_runs_and_seeds_are_independent(void **state)
{
    (void)state;
    struct stream_paths *const p = calloc(SEEDS, sizeof *p);
    assert_non_null(p);
    char *const text = model_text("physics/one_walker.cfg");
    for (int seed = 0; seed < SEEDS; seed++) {
        char set[32];
        snprintf(set, sizeof set, "run.seed=%d", seed);
        lab_run(&(struct lab){.look = look_place, .to = &p[seed]}, text, SETS(set));
    }
    free(text);
    struct verdict v = {0};
    for (int k = 0; k < 2 * SEEDS * STEPS;
         k++) { /* deviates of kind k % 2, seed k / 2 % 3, step k / 6 */
        const int kind = k % 2, seed = k / 2 % SEEDS, step = k / 2 / SEEDS;
        double next[3] = {0};
        for (int run = 0; run < RUNS; run++) {
            const double one = deviate(&p[seed], step, run, kind);
            next[0] += one * deviate(&p[(seed + 1) % SEEDS], step, run, kind);
            next[1] += one * deviate(&p[seed], (step + 1) % STEPS, run, kind);
            next[2] += one * deviate(&p[seed], step, (run + 1) % RUNS, kind);
        }
        static const char *const of[] = {"seeds", "steps", "runs"};
        for (int i = 0; i < 3; i++)
            verdict_add(&v, next[i] / sqrt(RUNS), "%s, seed %d, step %d", of[i], seed, step);
    }
    free(p);
    verdict_check(&v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(law_species_and_voxels_are_independent),
        cmocka_unit_test(law_steps_runs_and_seeds_are_independent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
