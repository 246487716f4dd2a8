/* law_ensembles - tests the statistics over runs in a result against known distributions:
   quantiles, means and variances of births and deaths, covariances of conversions. */
#include "result/statistics/ensemble.h"
#include "theory.h"
#include "trial.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

/* 0 -> C at rate b and C -> 0 at rate d, from zero, give a Poisson number of mean (b / d) (1 -
   exp(-d t)). A <-> B from N of A is binomial: each is B with the probability p(t) = f / (f + g) (1
   - exp(-(f + g) t)). A and B have the covariance -N p (1 - p), and none with C. */
enum { RUNS = 20000, N = 40 };
enum { A, B, C, SPECIES };
static const double birth = 24.0, death = 1.1, forth = 0.9, back = 0.6;

static const double quantile[] = {0.02, 0.25, 0.5, 0.75, 0.98};
enum { QUANTILES = sizeof quantile / sizeof quantile[0] };

/* Returns the probability that a Poisson number is at most k. */
static double poisson_at_most(int64_t k, double mean)
{
    double sum = 0;
    for (int64_t n = 0; n <= k; n++)
        sum += exp((double)n * log(mean) - mean - lgamma((double)n + 1));
    return sum;
}

/* Tests the quantiles. A number is the quantile q if at most a fraction q lies below it and at
   least q does not exceed it. The deviation of the fraction of runs from the probability is given
   in standard errors. */
static void compare_quantiles(const struct rd_ensemble *m, double mean, struct verdict *v)
{
    for (int i = 0; i < QUANTILES; i++) {
        const double q = quantile[i], error = sqrt(q * (1 - q) / RUNS);
        const int64_t number = m->all.quantile[C * QUANTILES + i];
        const double below = (poisson_at_most(number - 1, mean) - q) / error;
        const double beyond = (q - poisson_at_most(number, mean)) / error;
        verdict_add(v, fmax(0, fmax(below, beyond)), "quantile %g is %lld", q, (long long)number);
    }
}

/* Returns the deviation of an observed variance, given the expected variance and excess
   kurtosis. */
static double variance_z(double found, double variance, double excess)
{
    return (found - variance) / (variance * sqrt(2.0 / (RUNS - 1) + excess / RUNS));
}

static void compare_moments(const struct rd_ensemble *m, double mean, double p, struct verdict *v)
{
    const double of_b = N * p * (1 - p), excess = (1 - 6 * p * (1 - p)) / of_b;
    const double *const with = m->all.covariance;
    verdict_add(v, (m->all.mean[C] - mean) / sqrt(mean / RUNS), "mean of C");
    verdict_add(v, (m->all.mean[B] - N * p) / sqrt(of_b / RUNS), "mean of B");
    verdict_add(v, variance_z(m->all.variance[C], mean, 1 / mean), "variance of C");
    verdict_add(v, variance_z(m->all.variance[A], of_b, excess), "variance of A");
    verdict_add(v, variance_z(-with[A * SPECIES + B], of_b, excess), "covariance of A and B");
    verdict_add(v, variance_z(-with[B * SPECIES + A], of_b, excess), "covariance of B and A");
    for (int of = A; of <= B; of++)
        verdict_add(v, with[of * SPECIES + C] / sqrt(of_b * mean / (RUNS - 1)),
                    "covariance of %c and C", "AB"[of]);
}

struct mean_comparison {
    struct rd_ensemble ensemble;
    struct verdict verdict;
};

static void compare(void *to, const struct rd_model *m, const struct rd_snapshot *now)
{
    struct mean_comparison *const j = to;
    struct rd_error e = {0};
    const double t = now->time, mean = birth / death * (1 - exp(-death * t));
    const double p = forth / (forth + back) * (1 - exp(-(forth + back) * t));
    assert_int_equal(m->n_runs, RUNS);
    assert_true(rd_ensemble_take(&j->ensemble, now->totals, NULL, NULL, NULL, NULL, &e));
    compare_quantiles(&j->ensemble, mean, &j->verdict);
    compare_moments(&j->ensemble, mean, p, &j->verdict);
}

static void check(const char *name, const char *step)
{
    static struct mean_comparison j;
    struct rd_error e = {0};
    static const int32_t species[SPECIES] = {A, B, C};
    const struct rd_ensemble of = {.n_runs = RUNS,
                                   .n_species = SPECIES,
                                   .paired = species,
                                   .n_paired = SPECIES,
                                   .n_sites = 2,
                                   .quantile = quantile,
                                   .n_quantiles = QUANTILES};
    j = (struct mean_comparison){.verdict = {0}};
    assert_true(rd_ensemble_make(&j.ensemble, &of, &e));
    trial_run(&(struct trial){name, "physics/statistics.cfg", .step = step, .runs = RUNS}, compare,
              &j);
    rd_ensemble_free(&j.ensemble);
    verdict_check(&j.verdict);
}

static void law_statistics_by_events(void **state)
{
    (void)state;
    check("law_statistics_by_events", "exact");
}

static void law_statistics_by_steps(void **state)
{
    (void)state;
    check("law_statistics_by_steps", "0.1");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(law_statistics_by_events),
                                       cmocka_unit_test(law_statistics_by_steps)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
