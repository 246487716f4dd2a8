/* law_stop - tests the times at which runs stop: extinction of a branching process and first
   passage of births and deaths, event by event and by steps. It tests also that a stopped run does
   not change. */
#include "theory.h"
#include "trial.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

/* Holds what all runs have at the last time. */
enum { RUNS = 20000 };
struct stop_counts {
    double stopped[RUNS];
    double total[RUNS]; /* of the first species */
};

static void see(void *to, const struct rd_model *m, const struct rd_snapshot *now)
{
    struct stop_counts *const s = to;
    assert_int_equal(m->n_runs, RUNS);
    for (int64_t run = 0; run < m->n_runs; run++) {
        s->stopped[run] = now->stopped[run];
        s->total[run] = (double)now->totals[run * m->n_species];
    }
}

static double stopped_by(const struct stop_counts *s, double t)
{
    double n = 0;
    for (int run = 0; run < RUNS; run++)
        n += s->stopped[run] <= t;
    return n;
}

/* Tests A -> 2 A at rate b and A -> 0 at rate d from one A: extinct by time t with the probability
   d (e - 1) / (b e - d), e = exp((b - d) t) (Kendall, Ann. Math. Stat. 19, 1, 1948). An extinct run
   stays extinct, so that the end of a step detects it as well as any other time. */
static void check_extinction(const char *name, const char *step, const char *voxels, const char *at,
                             struct verdict *v)
{
    const double b = 1.1, d = 0.8;
    static struct stop_counts s;
    char set_voxels[64], set_at[64];
    snprintf(set_voxels, sizeof set_voxels, "grid.voxels=%s", voxels);
    snprintf(set_at, sizeof set_at, "time.stop_at=%s", at);
    trial_run(&(struct trial){name, "physics/branching.cfg", .sets = SETS(set_voxels, set_at),
                              .step = step, .runs = RUNS},
              see, &s);
    for (double t = 0.5; t <= 3; t += 0.5) {
        const double e = exp((b - d) * t), probability = d * (e - 1) / (b * e - d);
        verdict_add(v, theory_binomial_deviate(stopped_by(&s, t + 1e-9), RUNS, probability),
                    "extinct by %g, step %s, asked at %s", t, step, at);
    }
    for (int run = 0; run < RUNS; run++)
        assert_true(isnan(s.stopped[run]) == (s.total[run] > 0));
}

static void law_extinction(void **state)
{
    (void)state;
    struct verdict v = {0};
    check_extinction("law_extinction", "exact", "1", "steps", &v);
    check_extinction("law_extinction of voxels", "exact", "(3, 2)", "outputs", &v);
    check_extinction("law_extinction by outputs", "0.25", "1", "outputs", &v);
    check_extinction("law_extinction by steps", "0.25", "(3, 2)", "steps", &v);
    verdict_check(&v);
}

/* Tests the first passage from 0 to N of 0 -> A at rate b, A -> 0 at rate d. The mean time from n
   to n + 1 is h(n) = 1 / b + h(n - 1) d n / b; its variance follows from the same first-step
   equation. */
enum { PASSAGE = 12 };
static const double birth = 6.0, death = 0.7;

/* Computes mean and variance of the time from 0 to PASSAGE. */
static void passage(double *mean, double *variance)
{
    double m = 0, second = 0; /* moments of the time from n to n + 1 */
    *mean = *variance = 0;
    for (int n = 0; n < PASSAGE; n++) {
        /* T = wait + (with probability p: T' + T''), T' from n - 1 to n, T'' with the distribution
           of T */
        const double down = death * n, all = birth + down, p = down / all;
        const double step = 1 / all, before = m, before_second = second;
        m = (step + p * before) / (1 - p);
        second =
            (2 * step * step + 2 * step * p * (before + m) + p * (before_second + 2 * before * m)) /
            (1 - p);
        *mean += m;
        *variance += second - m * m;
    }
}

static void law_first_passage(void **state)
{
    (void)state;
    static struct stop_counts s;
    struct verdict v = {0};
    double mean, variance;
    passage(&mean, &variance);
    trial_run(&(struct trial){"law_first_passage", "physics/first_passage.cfg", .step = "exact",
                              .runs = RUNS},
              see, &s);
    struct lab_sums sums = {.mean = mean};
    for (int run = 0; run < RUNS; run++) {
        assert_true(s.total[run] == PASSAGE); /* no event follows the stop */
        lab_add(&sums, s.stopped[run]);
    }
    verdict_add_sums(&v, &sums, variance, 9, "times of passage");
    verdict_check(&v);
}

/* Tests the passage with steps. It is detected at the end of a step, or missed if the run has
   returned by then. It is late by half a step to first order, and by no more than docs/theory.md
   states. */
static void law_first_passage_by_steps(void **state)
{
    (void)state;
    static struct stop_counts s;
    double mean, variance;
    passage(&mean, &variance);
    for (int i = 0; i < 2; i++) {
        const double tau = i == 0 ? 0.02 : 0.1;
        char step[16];
        snprintf(step, sizeof step, "%g", tau);
        trial_run(&(struct trial){"law_first_passage_by_steps", "physics/first_passage.cfg",
                                  .step = step, .runs = RUNS},
                  see, &s);
        double sum = 0;
        for (int run = 0; run < RUNS; run++) {
            assert_true(s.total[run] >= PASSAGE);
            assert_true(fabs(s.stopped[run] / tau - floor(s.stopped[run] / tau + 0.5)) < 1e-6);
            sum += s.stopped[run] / RUNS;
        }
        const double error = sqrt(variance / RUNS), late = sum - mean;
        print_message("             step %g: %.3f later than %.3f, +- %.3f\n", tau, late, mean,
                      error);
        assert_true(late > tau / 2 - 4 * error);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(law_extinction),
                                       cmocka_unit_test(law_first_passage),
                                       cmocka_unit_test(law_first_passage_by_steps)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
