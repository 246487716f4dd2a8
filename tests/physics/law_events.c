/* law_events - tests the numbers of molecules that events take: binomial ones, fractions that are
   rounded at random, and given ones; and the times at which conditions become true. */
#include "theory.h"
#include "trial.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { RUNS = 20000, SITES = 6, D = 0, F, P, Q, C, E, SPECIES };

/* Holds sums over the runs: of totals, and of D and E in the first two voxels. */
struct event_counts {
    struct lab_sums total[SPECIES], voxel[SPECIES], both;
    int64_t odd; /* numbers of F that are neither 24 nor 25, or C + E that is not 60 */
};

static void see(void *to, const struct rd_model *m, const struct rd_snapshot *now)
{
    struct event_counts *const s = to;
    for (int64_t run = 0; run < m->n_runs; run++) {
        const int64_t *const total = now->totals + run * SPECIES;
        const int32_t *const count = now->counts + run * SPECIES * SITES;
        for (int i = 0; i < SPECIES; i++) {
            lab_add(&s->total[i], (double)total[i]);
            lab_add(&s->voxel[i], (double)count[i * SITES]);
        }
        lab_add(&s->both, (double)(count[D * SITES] + count[D * SITES + 1]));
        s->odd += (total[F] != 24 && total[F] != 25) + (total[C] + total[E] != 60) +
                  (total[P] + total[Q] != 50) + (total[E] != 30);
    }
}

/* Adds a binomial number of n with probability p. */
static void add_binomial(struct verdict *v, const struct lab_sums *s, double n, double p,
                         const char *what)
{
    const double variance = n * p * (1 - p);
    verdict_add_sums(v, s, variance, (1 - 6 * p * (1 - p)) / variance, "%s", what);
}

/* Tests D, each of which stays with probability 0.3: binomial in each voxel and in all, and
   independent between voxels; F, 21 % of which go: 6.51 is rounded to 6 or 7; P, each of which
   becomes Q with probability 0.4; and C, of which 30 of 60 in six voxels become E: hypergeometric
   in each voxel. Means are resolved to 0.4 %, variances to 5 %. Broken programs that fail: one
   binomial number for all voxels, spread evenly; the fraction rounded to the nearest; the
   probability of staying and going mixed up. */
static void law_shares(void **state)
{
    (void)state;
    struct verdict v = {0};
    const char *const steps[] = {"exact", "0.5"};
    for (int i = 0; i < 2; i++) {
        struct event_counts s = {
            .total = {{.mean = 27}, {.mean = 24.49}, {.mean = 30}, {.mean = 20}},
            .voxel = {{.mean = 4.5}, {0}, {0}, {0}, {0}, {.mean = 5}},
            .both.mean = 9};
        trial_run(&(struct trial){"law_shares", "physics/event_shares.cfg", .step = steps[i],
                                  .runs = RUNS},
                  see, &s);
        assert_int_equal(s.odd, 0);
        add_binomial(&v, &s.total[D], 90, 0.3, "D in all voxels");
        add_binomial(&v, &s.voxel[D], 15, 0.3, "D in a voxel");
        add_binomial(&v, &s.both, 30, 0.3, "D in two voxels");
        verdict_add(&v, lab_mean_z(&s.total[F], 0.49 * 0.51), "F");
        add_binomial(&v, &s.total[Q], 50, 0.4, "Q");
        const double variance = 10 * 0.5 * 0.5 * 50 / 59.0;
        verdict_add_sums(&v, &s.voxel[E], variance, -0.2, "E in a voxel");
    }
    verdict_check(&v);
}

/* ---- conditions ---- */

enum { PASSAGES = 4000, FIRST = 10, NEXT = 15 };
static const double birth = 6; /* per time, in all voxels */

/* Holds the times of the first events of each run. */
struct passages {
    struct lab_sums first, next, left, again;
    double time[PASSAGES][2];
    int n[PASSAGES];
};

static void see_passages(void *to, const struct rd_model *m, const struct rd_life *life, int64_t n)
{
    struct passages *const s = to;
    (void)m;
    for (int64_t i = 0; i < n; i++) {
        assert_int_equal(life[i].species, -1);
        const int event = (int)life[i].id;
        if (event == 1)
            s->n[life[i].run]++;
        if (event == 0 || s->n[life[i].run] == 1)
            s->time[life[i].run][event] = life[i].time;
        else if (s->n[life[i].run] == 2)
            lab_add(&s->again, life[i].time - s->time[life[i].run][1]);
    }
}

static void see_end(void *to, const struct rd_model *m, const struct rd_snapshot *now)
{
    struct passages *const s = to;
    for (int64_t run = 0; run < m->n_runs; run++) {
        assert_int_equal(now->totals[2 * run + 1], 1); /* the first event fired once */
        lab_add(&s->first, s->time[run][0]);
        lab_add(&s->next, s->time[run][1] - s->time[run][0]);
    }
}

/* Tests the time of the tenth birth, which has an Erlang distribution; the time from there to the
   fifteenth, at three times the rate; and the time from the first division, after which a binomial
   number of 15 is left, to the second one. By steps of length h the times are h / 2 later on
   average for the first; the next intervals differ by less than h. Means are resolved to 2.5 %.
   Broken programs that fail: a new rate for all runs; conditions that are not evaluated after the
   event; events at the end of the step in the exact solver. */
static void law_thresholds(void **state)
{
    (void)state;
    struct verdict v = {0};
    const char *const steps[] = {"exact", "0.005"};
    for (int i = 0; i < 2; i++) {
        static struct passages s;
        s = (struct passages){
            .first.mean = FIRST / birth + (i ? 0.0025 : 0),
            .next.mean = (NEXT - FIRST) / (3 * birth),
            .again.mean = 7.5 / (3 * birth),
        };
        trial_run_lineage(&(struct trial){"law_thresholds", "physics/thresholds.cfg",
                                          .step = steps[i], .runs = PASSAGES},
                          see_end, see_passages, &s);
        const double step = i ? 0.005 * 0.005 / 12 : 0;
        verdict_add_sums(&v, &s.first, FIRST / (birth * birth) + step, 6.0 / FIRST,
                         "tenth birth, step %s", steps[i]);
        verdict_add_sums(&v, &s.next, (NEXT - FIRST) / (9 * birth * birth) + 2 * step,
                         6.0 / (NEXT - FIRST), "fifteenth, step %s", steps[i]);
        /* 15 - binomial(15, 1/2) exponential times */
        verdict_add(&v, lab_mean_z(&s.again, (7.5 + 3.75) / (9 * birth * birth) + 2 * step),
                    "second division, step %s", steps[i]);
    }
    verdict_check(&v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(law_shares),
                                       cmocka_unit_test(law_thresholds)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
