/* law_closed - tests whole models whose answer has a closed form: coalescing walks, run-and-tumble
   robots, ages, generations. A stated resolution is 5 standard errors. */
#include "trial.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

/* Holds sums of one number per run at each output time. */
enum { TIMES = 3 };
struct series {
    int n;
    double time[TIMES], runs[TIMES], sum[TIMES], squares[TIMES];
};

static void add(struct series *s, double x)
{
    s->runs[s->n] += 1;
    s->sum[s->n] += x;
    s->squares[s->n] += x * x;
}

/* Returns the deviation of the mean from the expectation in standard errors, which are estimated
   from the runs. */
static double mean_z(const struct series *s, int k, double expected)
{
    const double n = s->runs[k], mean = s->sum[k] / n;
    return (mean - expected) / sqrt((s->squares[k] / n - mean * mean) / (n - 1));
}

static int64_t total(const struct rd_model *m, const struct rd_snapshot *s, int64_t run,
                     int species)
{
    int64_t sum = 0;
    for (int64_t i = 0; i < m->grid.n_sites; i++)
        sum += s->counts[(run * m->n_species + species) * m->grid.n_sites + i];
    return sum;
}

static void look_totals(void *to, const struct rd_model *m, const struct rd_snapshot *s)
{
    struct series *const all = to;
    assert_true(all->n < TIMES);
    all->time[all->n] = s->time;
    for (int64_t run = 0; run < m->n_runs; run++)
        add(all, (double)total(m, s, run, 0));
    all->n++;
}

/* Computes e^-a (I_0(a) + I_1(a)) by the power series. */
static double bessel_sum(double a)
{
    double term = exp(-a), sum = 0; /* term of I_0: (a/2)^2k / k!^2 */
    for (int k = 0; k < 400; k++) {
        sum += term * (1 + a / 2 / (k + 1));
        term *= a / 2 / (k + 1) * (a / 2 / (k + 1));
    }
    return sum;
}

/* Tests walkers of which one remains when two meet, with one in each voxel at first. The remaining
   fraction at time t is e^-a (I_0(a) + I_1(a)), a = 4 D t / h^2 (Bramson and Griffeath, Ann. Prob.
   8, 183, 1980). It decreases as t^-1/2, whereas rate equations give 1 / t. Resolves 2 %. */
static void law_coalescing_walks(void **state)
{
    (void)state;
    struct series all = {.n = 0};
    struct verdict v = {0};
    trial_run(&(struct trial){__func__, "physics/coalescence.cfg", .step = "exact", .runs = 60},
              look_totals, &all);
    for (int k = 0; k < TIMES; k++)
        verdict_add(&v, mean_z(&all, k, 1000 * bessel_sum(2 * all.time[k])), "t = %g", all.time[k]);
    verdict_check(&v);
}

/* Adds the squared distances of the individuals from the middle. */
static void look_squares(void *to, const struct rd_model *m, const struct rd_snapshot *s)
{
    struct series *const all = to;
    const int64_t n = m->grid.n_sites;
    all->time[all->n] = s->time;
    for (int64_t i = 0; i < n * m->n_runs * m->n_species; i++)
        for (int32_t k = 0; k < s->counts[i]; k++) {
            const double x = (double)(i % n - n / 2) * m->grid.edge[0];
            add(all, x * x);
        }
    all->n++;
}

/* Tests robots that turn at rate a to any direction. A turn converts between two species with the
   same movement, since a birth rule draws the direction. The mean square along an axis is 2 D t +
   (v/a)^2 (a t - 1 + e^-at). Resolves 7 %. */
static void law_run_and_tumble(void **state)
{
    (void)state;
    struct series all = {.n = 0};
    struct verdict v = {0};
    trial_run(&(struct trial){__func__, "physics/run_and_tumble.cfg", .step = "0.02", .runs = 4},
              look_squares, &all);
    for (int k = 0; k < TIMES; k++) {
        const double t = all.time[k];
        assert_true(all.runs[k] == 20000);
        verdict_add(&v, mean_z(&all, k, 0.4 * t + (2 * t - 1 + exp(-2 * t)) / 4), "t = %g", t);
    }
    verdict_check(&v);
}

/* Tests a death rate c a at the age a, from an attribute that stores the time of birth: a fraction
   exp(-c t^2 / 2) of the initial individuals is alive at t, for any step. Resolves 2 to 7 %. */
static void law_ages(void **state)
{
    (void)state;
    static const char *const step[] = {"0.25", "0.05"};
    struct verdict v = {0};
    for (int i = 0; i < 2; i++) {
        struct series all = {.n = 0};
        trial_run(&(struct trial){__func__, "physics/ages.cfg", .step = step[i], .runs = 50},
                  look_totals, &all);
        for (int k = 0; k < TIMES; k++) {
            const double t = all.time[k], left = exp(-0.4 * t * t);
            verdict_add(&v, (all.sum[k] - 20000 * left) / sqrt(20000 * left * (1 - left)),
                        "step %s, t = %g", step[i], t);
        }
    }
    verdict_check(&v);
}

enum { GENERATIONS = 6 };

/* Counts the living individuals of each generation in each run. */
static void look_generations(void *to, const struct rd_model *m, const struct rd_snapshot *s)
{
    struct series *const of = to;
    const struct rd_individuals *const all = &s->individuals[0];
    for (int64_t run = 0, row = 0; run < m->n_runs; run++) {
        int64_t n[GENERATIONS] = {0};
        for (const int64_t end = row + all->row_count[run]; row < end; row++)
            if (all->attribute[0][row] < GENERATIONS)
                n[(int)all->attribute[0][row]]++;
        for (int g = 0; g < GENERATIONS; g++)
            add(&of[g], (double)n[g]);
    }
}

/* Tests divisions at rate 1 from one moving individual. Generation g, counted by an inherited
   attribute, has t^g / g! living members at time t on average. Resolves 7 to 30 %. */
static void law_generations(void **state)
{
    (void)state;
    struct series of[GENERATIONS] = {{.n = 0}};
    struct verdict v = {0};
    trial_run(&(struct trial){__func__, "physics/generations.cfg", .step = "0.5", .runs = 8000},
              look_generations, of);
    /* the first individual stays alive */
    assert_true(of[0].sum[0] == 8000 && of[0].squares[0] == 8000);
    double expected = 1;
    for (int g = 1; g < GENERATIONS; g++) {
        expected *= 2.0 / g;
        verdict_add(&v, mean_z(&of[g], 0, expected), "generation %d", g);
    }
    verdict_check(&v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(law_coalescing_walks),
        cmocka_unit_test(law_run_and_tumble),
        cmocka_unit_test(law_ages),
        cmocka_unit_test(law_generations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
