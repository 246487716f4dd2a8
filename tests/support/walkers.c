/* walkers - independent molecules compared with the master equation: the number in each voxel, and
   the number absorbed by each face, at every output time. */
#include "walkers.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Bins with a smaller expected number over all runs are merged before squares are taken. */
static const double least = 1000;

/* Holds numbers per run, and their expectations. */
struct bins {
    int n_runs, n;
    double *mean;  /* [bin] */
    double *found; /* [run][bin] */
    double n_all;  /* fixed total number; 0: Poisson numbers */
};

struct walker_watching {
    const struct walkers *walkers;
    const struct trial *trial;
    struct verdict *verdict;
    struct bins bins; /* voxels, then faces */
    double time;
};

/* Stores the numbers of voxels and faces at the snapshot, and checks that every molecule is
   counted. */
static void take(struct walker_watching *w, const struct rd_model *m, const struct rd_snapshot *s)
{
    const int n_sites = (int)m->grid.n_sites;
    for (int run = 0; run < m->n_runs; run++) {
        const int64_t row = (int64_t)run * m->n_species + w->walkers->species;
        double *const found = w->bins.found + run * w->bins.n;
        int64_t all = 0;
        for (int i = 0; i < n_sites; i++)
            all += s->counts[row * n_sites + i];
        for (int i = 0; i < n_sites; i++)
            found[i] = s->counts[row * n_sites + i];
        for (int face = 0; face < THEORY_FACES; face++) {
            const int64_t lost = s->lost ? s->lost[row * THEORY_FACES + face] : 0;
            found[n_sites + face] = (double)lost;
            all += lost;
            if (s->entered)
                all -= s->entered[row * THEORY_FACES + face];
        }
        if (w->walkers->n > 0 || s->entered)
            assert_int_equal(all, w->walkers->n);
    }
}

static void compare_sums(const struct walker_watching *w)
{
    const struct bins *const b = &w->bins;
    for (int i = 0; i < b->n; i++) {
        double sum = 0;
        for (int run = 0; run < b->n_runs; run++)
            sum += b->found[run * b->n + i];
        const double z =
            b->n_all > 0 ? theory_binomial_deviate(sum, b->n_all * b->n_runs, b->mean[i] / b->n_all)
                         : theory_poisson_deviate(sum, b->mean[i] * b->n_runs);
        verdict_add(w->verdict, z, "step %s, t = %g, voxel or face %d: %g instead of %g",
                    w->trial->step, w->time, i, sum / b->n_runs, b->mean[i]);
    }
}

/* Merges `by` neighbouring bins into one, and those that are too small into the largest. */
static struct bins coarse(const struct bins *b, int by)
{
    struct bins c = {.n_runs = b->n_runs, .n_all = b->n_all};
    int *const to = calloc((size_t)b->n, sizeof *to);
    c.mean = theory_zeros(b->n);
    assert_non_null(to);
    int largest = 0;
    for (int i = 0; i < b->n; i++)
        largest = b->mean[i] > b->mean[largest] ? i : largest;
    for (int i = 0; i < b->n; i += by) {
        double mean = 0;
        for (int k = i; k < i + by && k < b->n; k++)
            mean += b->mean[k];
        const bool is_own = i / by != largest / by && mean * b->n_runs >= least;
        c.n += is_own;
        c.mean[is_own ? c.n : 0] += mean;
        for (int k = i; k < i + by && k < b->n; k++)
            to[k] = is_own ? c.n : 0;
    }
    c.n++;
    c.found = theory_zeros(c.n_runs * c.n);
    for (int run = 0; run < b->n_runs; run++)
        for (int i = 0; i < b->n; i++)
            c.found[run * c.n + to[i]] += b->found[run * b->n + i];
    free(to);
    return c;
}

/* Returns the sum over bins of (found - mean) (other run's - mean) / mean. */
static double product(const struct bins *b, int run, int other)
{
    double sum = 0;
    for (int i = 0; i < b->n; i++)
        sum += (b->found[run * b->n + i] - b->mean[i]) * (b->found[other * b->n + i] - b->mean[i]) /
               b->mean[i];
    return sum;
}

/* Compares Pearson's sum over bins and the product of successive runs. For c Poisson numbers the
   sum has mean c and variance 2 c + sum 1 / mean. For multinomial numbers of total N it has mean c
   - 1 and variance 2 (c - 1) - (c^2 + 2 c - 2) / N + sum 1 / mean (Haldane 1937). The product of
   two independent runs has mean 0 and variance c, or c - 1. */
static void compare_squares(const struct walker_watching *w, int by)
{
    struct bins b = coarse(&w->bins, by);
    double squares = 0, products = 0, inverse = 0;
    for (int i = 0; i < b.n; i++)
        inverse += 1 / b.mean[i];
    for (int run = 0; run < b.n_runs; run++) {
        squares += product(&b, run, run);
        products += run > 0 ? product(&b, run, run - 1) : 0;
    }
    const double n = b.n, freedom = b.n_all > 0 ? n - 1 : n;
    const double variance =
        2 * freedom + inverse - (b.n_all > 0 ? (n * n + 2 * n - 2) / b.n_all : 0);
    if (freedom > 0 && b.mean[0] * b.n_runs >= least && b.n_runs > 1) {
        verdict_add(w->verdict, (squares / b.n_runs - freedom) / sqrt(variance / b.n_runs),
                    "step %s, t = %g, squares by %d", w->trial->step, w->time, by);
        verdict_add(w->verdict, products / sqrt(freedom * (b.n_runs - 1)),
                    "step %s, t = %g, runs by %d", w->trial->step, w->time, by);
    }
    free(b.mean);
    free(b.found);
}

static void look(void *to, const struct rd_model *m, const struct rd_snapshot *s)
{
    struct walker_watching *const w = to;
    struct bins *const b = &w->bins;
    if (s->time < w->walkers->from)
        return;
    if (!b->mean) {
        b->n_runs = (int)m->n_runs;
        b->n = (int)m->grid.n_sites + THEORY_FACES;
        b->mean = theory_zeros(b->n);
        b->found = theory_zeros(b->n_runs * b->n);
        b->n_all = (double)w->walkers->n;
        b->mean[w->walkers->site] = b->n_all;
        w->time = w->walkers->from;
        assert_int_equal(m->grid.n_sites, theory_sites(w->walkers->walk));
    }
    theory_walk_on(w->walkers->walk, s->time - w->time, b->mean);
    w->time = s->time;
    take(w, m, s);
    compare_sums(w);
    for (int by = 1; by <= 8; by *= by == 1 ? 2 : 4)
        compare_squares(w, by);
}

void walkers_compare(const struct walkers *all, const struct trial *t, struct verdict *v)
{
    struct walker_watching w = {.walkers = all, .trial = t, .verdict = v};
    const int64_t before = v->n;
    trial_run(t, look, &w);
    assert_true(v->n > before);
    free(w.bins.mean);
    free(w.bins.found);
}

void walkers_test(const struct walkers *w, const char *test, const char *model,
                  const char *const *sets, const struct method *method)
{
    struct verdict v = {0};
    for (; method->step; method++) {
        const struct trial t = {test, model, sets, method->step, method->runs};
        walkers_compare(w, &t, &v);
    }
    verdict_check(&v);
}

double walkers_deviate(int displacement, bool stays)
{
    const double probability = 0.46575960759364043;
    return stays ? ((displacement == 0) - probability) / sqrt(probability * (1 - probability))
                 : displacement;
}
