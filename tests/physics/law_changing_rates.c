/* law_changing_rates - tests diffusivity and drift of counted species that depend on the time, on
   the counts in the voxel, or on the gradients of counts. The walk is exact while the rates are
   constant, and of first order in the substep if they change with every hop. The tests compare with
   the master equation and with the scheme's own Markov chain. A stated resolution is 5 standard
   errors in the first variant of a test. */
#include "walkers.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* Tests D = .2 + .3 t and v = .4 t. Each movement takes both at its middle, which is exact for
   linear functions; the walk has the distribution of the time-averaged rates. Resolves .01 in the
   mean with 150,000 molecules. Detects: the time of the step's begin, or of its end. */
static void law_rates_in_time(void **state)
{
    (void)state;
    struct theory_walk w = {.size = {60, 1, 1}};
    theory_set_rates(&w, 0, 0.2 + 0.3 * 1.25, 0.4 * 1.25, 0.5);
    const struct walkers c = {.walk = &w, .n = 3000, .site = 28};
    const struct method method[] = {{"0.5", 50}, {"0.1", 30}, {NULL, 0}};
    walkers_test(&c, __func__, "physics/rates_in_time.cfg", NULL, method);
}

/* Tests a drift up the gradient of immobile food, 3 i^2 in voxel i. Gradients are differences over
   both neighbours, or over one at a wall. Bulk species and individuals use the same expressions.
   Resolves 4 % of a voxel's mean with 200,000. Detects: gradients of the wrong sign; periodic
   neighbours at walls. */
static void law_drift_up_gradients(void **state)
{
    (void)state;
    double rates[8][THEORY_FACES] = {{0}};
    struct theory_walk w = {.size = {8, 1, 1}, .rates = rates};
    for (int i = 0; i < 8; i++) {
        const int up = i < 7 ? i + 1 : i, down = i > 0 ? i - 1 : i;
        const double slope = 3.0 * (up * up - down * down) / ((up - down) * 0.5);
        theory_set_rates_at(&w, i, 0, 0.3 + 0.006 * i * i, 0.02 * slope, 0.5);
    }
    const struct walkers c = {.walk = &w, .n = 400, .site = 2};
    const struct method bulk[] = {{"3", 500}, {"0.1", 100}, {NULL, 0}};
    const struct method individuals[] = {{"3", 100}, {NULL, 0}};
    walkers_test(&c, __func__, "physics/slopes.cfg", NULL, bulk);
    walkers_test(&c, "law_drift_up_gradients, individuals", "physics/slopes.cfg",
                 SETS("species.A.individuals={ max = 400; }"), individuals);
}

/* Starts without molecules; those that enter have rates that read counts but do not depend on them.
   Counts per voxel are Poisson numbers. Resolves 10 % of a voxel's mean with 1500 runs. */
static void law_molecules_that_enter(void **state)
{
    (void)state;
    double source[6] = {2};
    struct theory_walk w = {.size = {6, 1, 1}, .pass = {-1, -1}, .source = source};
    theory_set_rates(&w, 0, 0.5, 0.4, 1);
    const struct walkers c = {.walk = &w};
    const struct method method[] = {{"0.05", 1500}, {NULL, 0}};
    walkers_test(&c, __func__, "physics/newcomers.cfg", NULL, method);
}

/* Tests inflow through one face and absorption at the other with D that increases with time. Counts
   are Poisson numbers with the time-averaged rates if the rates of both faces are proportional. The
   test uses the sums of what entered only: mean D(t) / h^2 t. Resolves 4 % with 20,000. */
static void law_reservoir_in_time(void **state)
{
    (void)state;
    /* for one voxel, D scales inflow and outflow; the effective time is the integral of .4 t */
    double source[1] = {0};
    struct theory_walk w = {.size = {1, 1, 1}, .pass = {1, 0}, .source = source};
    theory_set_rates(&w, 0, 0.4, 0, 1);
    theory_add_inlet(&w, 0, 5, source);
    const struct walkers c = {.walk = &w};
    w.rate[0] = w.rate[1] = 0.4;
    const struct method method[] = {{"0.5", 5000}, {"0.1", 2000}, {NULL, 0}};
    walkers_test(&c, __func__, "physics/reservoir_in_time.cfg", NULL, method);
}

/* N molecules in two voxels with D = k A leave crowded voxels faster. */
enum { N = 12 };
static const double k = 0.02, end = 4;

/* Returns the mean in the first voxel at the end if all are in it at first: d<n>/dt = k (N - n)^2 -
   k n^2 = k N (N - 2 n). */
static double mean_exact(void)
{
    return N / 2.0 * (1 + exp(-2 * k * N * end));
}

static double binomial(int n, double p, int i)
{
    return exp(lgamma(n + 1) - lgamma(i + 1) - lgamma(n - i + 1)) * pow(p, i) * pow(1 - p, n - i);
}

/* Computes the probabilities of being in the first voxel after a time with constant rates, for a
   molecule that starts in it and for one that starts in the other voxel. */
static void frozen(int n, double time, double *stays, double *comes)
{
    const double out = k * n, in = k * (N - n), gone = 1 - exp(-(out + in) * time);
    *stays = 1 - out / (out + in) * gone;
    *comes = in / (out + in) * gone;
}

/* Computes the distribution of the count in the first voxel after a substep. */
static void go_substep(const double *p, double time, double *next)
{
    memset(next, 0, (N + 1) * sizeof *next);
    for (int n = 0; n <= N; n++) {
        double stays, comes;
        frozen(n, time, &stays, &comes);
        for (int i = 0; p[n] > 0 && i <= n; i++)
            for (int j = 0; j <= N - n; j++)
                next[i + j] += p[n] * binomial(n, stays, i) * binomial(N - n, comes, j);
    }
}

/* Holds the mean and the mean square at the end. */
struct rate_moments {
    double mean, square;
};

static void add_moments(struct rate_moments *to, const double *p)
{
    for (int n = 0; n <= N; n++) {
        to->mean += n * p[n];
        to->square += n * n * p[n];
    }
}

/* Returns the moments for substeps of this length. */
static struct rate_moments by_substeps(double time)
{
    double p[N + 1] = {[N] = 1}, next[N + 1];
    struct rate_moments m = {0};
    for (int step = 0; step < (int)(end / time + 0.5); step++) {
        go_substep(p, time, next);
        memcpy(p, next, sizeof p);
    }
    add_moments(&m, p);
    return m;
}

/* Adds the moments for adaptive substeps: the time left is divided into the fewest equal substeps
   with at most a third of a hop each (2 D time of the fuller voxel). The number is computed anew
   after each substep. */
static void by_need(double left, const double *p, struct rate_moments *to)
{
    if (left <= 0) {
        add_moments(to, p);
        return;
    }
    for (int substeps = 1; substeps <= N; substeps++) {
        double mine[N + 1], next[N + 1], all = 0;
        for (int n = 0; n <= N; n++) {
            const double hops = 2 * k * (n > N - n ? n : N - n) * left;
            mine[n] = (int)ceil(3 * hops) == substeps ? p[n] : 0;
            all += mine[n];
        }
        if (all == 0)
            continue;
        go_substep(mine, left / substeps, next);
        by_need(substeps > 1 ? left - left / substeps : 0, next, to);
    }
}

struct mean_of_runs {
    double sum, n;
};

static void look_first_voxel(void *to, const struct rd_model *m, const struct rd_snapshot *s)
{
    struct mean_of_runs *const f = to;
    for (int64_t run = 0; run < m->n_runs; run++)
        f->sum += s->counts[2 * run];
    f->n += (double)m->n_runs;
}

static double mean_of_runs(const char *test, const char *step, int runs)
{
    struct mean_of_runs f = {0};
    trial_run(&(struct trial){test, "physics/own_counts.cfg", .step = step, .runs = runs},
              look_first_voxel, &f);
    assert_true(f.n == runs);
    return f.sum / f.n;
}

static void compare_mean(struct verdict *v, const char *test, const char *step,
                         const struct rate_moments *m)
{
    enum { RUNS = 40000 };
    const double found = mean_of_runs(test, step, RUNS),
                 deviation = sqrt(m->square - m->mean * m->mean);
    printf("step %s: error %.4f, predicted %.4f\n", step, found - mean_exact(),
           m->mean - mean_exact());
    verdict_add(v, (found - m->mean) / deviation * sqrt(RUNS), "step %s", step);
}

/* Tests the error due to counts that are up to one substep old. It is of first order in the
   substep, -.108 at .5, where each step is one substep. 40,000 runs resolve .04. Detects: rates of
   the voxel in which the step began. */
static void law_rates_by_own_counts(void **state)
{
    (void)state;
    static const char *const step[] = {"0.5", "0.25", "0.125"};
    struct verdict v = {0};
    double before = 0;
    for (int i = 0; i < 3; i++) {
        const struct rate_moments m = by_substeps(0.5 / (1 << i));
        const double error = m.mean - mean_exact();
        compare_mean(&v, __func__, step[i], &m);
        if (i > 0)
            assert_true(before / error > 1.9 && before / error < 2.15);
        before = error;
    }
    verdict_check(&v);
}

/* Tests that the number of substeps in one long step follows the state of each run: six at first,
   fewer once the molecules have spread. 40,000 runs resolve .04. Detects: a single substep;
   substeps of half the length. */
static void law_substeps_follow_the_state(void **state)
{
    (void)state;
    const double p[N + 1] = {[N] = 1};
    struct rate_moments m = {0};
    struct verdict v = {0};
    by_need(end, p, &m);
    compare_mean(&v, __func__, "4", &m);
    verdict_check(&v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(law_rates_in_time),        cmocka_unit_test(law_drift_up_gradients),
        cmocka_unit_test(law_molecules_that_enter), cmocka_unit_test(law_reservoir_in_time),
        cmocka_unit_test(law_rates_by_own_counts),  cmocka_unit_test(law_substeps_follow_the_state),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
