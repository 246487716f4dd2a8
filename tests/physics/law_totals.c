/* law_totals - tests rates that depend on totals of the run and of a region: extinction by a death
   rate in proportion to all molecules, a source by the molecules of a region, and decay by a total
   that stays. */
#include "theory.h"
#include "trial.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

/* Holds what all runs have at the last time. */
enum { RUNS = 8000, SPECIES_MOST = 4 };
struct totals_counts {
    struct lab_sums stopped, total[SPECIES_MOST];
};

static void see(void *to, const struct rd_model *m, const struct rd_snapshot *now)
{
    struct totals_counts *const s = to;
    for (int64_t run = 0; run < m->n_runs; run++) {
        if (now->stopped)
            lab_add(&s->stopped, now->stopped[run]);
        for (int i = 0; i < m->n_species; i++)
            lab_add(&s->total[i], (double)now->totals[run * m->n_species + i]);
    }
}

/* Tests A -> 0 at rate k n, where n is the number of all molecules: n falls to n - 1 at rate k n^2,
   so that the time to extinction is a sum of independent exponential times. The mean is resolved
   to 1.2 %. Broken programs that fail: propensities of other voxels are not computed again after an
   event (the mean falls), or totals are one event late. */
static void law_feedback(void **state)
{
    (void)state;
    enum { START = 12 };
    const double k = 0.01;
    double mean = 0, variance = 0, fourth = 0;
    struct verdict v = {0};
    for (int n = 1; n <= START; n++) {
        const double time = 1 / (k * n * n);
        mean += time;
        variance += time * time;
        fourth += 6 * time * time * time * time;
    }
    for (int i = 0; i < 2; i++) {
        struct totals_counts s = {.stopped.mean = mean};
        trial_run(&(struct trial){"law_feedback", "physics/feedback.cfg",
                                  .sets = SETS(i ? "grid.voxels=1" : "grid.voxels=(3, 2)"),
                                  .step = "exact", .runs = RUNS},
                  see, &s);
        verdict_add_sums(&v, &s.stopped, variance, fourth / (variance * variance), "extinction, %d",
                         i);
    }
    verdict_check(&v);
}

/* Tests a source by the molecules in half of the box. With hop rate r between neighbours, A is in
   the left half of four places with probability 1/2 + sum over odd modes. C decays at a constant
   rate, whose total never changes: any step is exact. */
static double time_on_the_left(double r, double t)
{
    /* P(left at t) of a walk on 4 places, uniform on places 0 and 1: modes q = 1, 3 of
       cos(pi q (i + 1/2) / 4) with rates 4 r sin^2(pi q / 8); weights 1/2 for the mean over two
       places, and 2/4 of the mode */
    double sum = t / 2;
    for (int q = 1; q <= 3; q += 2) {
        double half = 0;
        for (int i = 0; i < 2; i++)
            half += cos(acos(-1) * q * (i + 0.5) / 4);
        const double rate = 4 * r * pow(sin(acos(-1) * q / 8), 2);
        sum += 0.5 * (half * half / 2) * (1 - exp(-rate * t)) / rate;
    }
    return sum;
}

static void law_far_signal(void **state)
{
    (void)state;
    struct verdict v = {0};
    /* 3 V / V_left per voxel, 8 voxels: 6 for each A; the sum of the squares of the time of each A
       is bounded, so the variance is measured */
    const double made = 2 * 6 * time_on_the_left(0.5, 2), stays = exp(-0.7 * 2);
    const char *const steps[] = {"exact", "0.01"};
    for (int i = 0; i < 2; i++) {
        struct totals_counts s = {.total[1].mean = made, .total[2].mean = 100 * stays};
        trial_run(&(struct trial){"law_far_signal", "physics/far_signal.cfg", .step = steps[i],
                                  .runs = RUNS},
                  see, &s);
        const double variance = s.total[1].squares / s.total[1].n;
        verdict_add(&v, lab_mean_z(&s.total[1], variance), "B, step %s", steps[i]);
        verdict_add_sums(&v, &s.total[2], 100 * stays * (1 - stays), 0, "C, step %s", steps[i]);
    }
    struct totals_counts s = {.total[2].mean = 100 * stays};
    trial_run(
        &(struct trial){"law_far_signal", "physics/far_signal.cfg", .step = "1", .runs = RUNS}, see,
        &s);
    verdict_add_sums(&v, &s.total[2], 100 * stays * (1 - stays), 0, "C, step 1");
    verdict_check(&v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(law_feedback),
                                       cmocka_unit_test(law_far_signal)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
