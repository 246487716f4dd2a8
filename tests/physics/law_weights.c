/* law_weights - tests choices in proportion to a weight, rates that are sums over individuals, and
   tags without effect. A stated resolution is 5 standard errors. */
#include "chain.h"
#include "probability.h"
#include "theory.h"

#include <stdlib.h>
#include <string.h>

/* Individuals have four weights; those without a parent are born with the last one. */
enum { RUNS = 4000, IDS = 64, KINDS = 4, GROUPS = KINDS + 1 };
static const double weight_of[KINDS] = {1, 2, 5, 3};

/* Holds, for each group (the kinds, and those born since the start): how often a member was chosen
   minus the sum of its probabilities at each choice, and the sum of the variances. */
struct weight_choices {
    int kind[RUNS][IDS]; /* by id; -1: not alive */
    double away[GROUPS], variance[GROUPS];
};

static bool is_of(const struct weight_choices *c, int64_t run, int64_t id, int group)
{
    return group < KINDS ? c->kind[run][id] == group : id >= 9;
}

static void take_choice(struct weight_choices *c, int64_t run, int64_t chosen)
{
    double sum = 0, part[GROUPS] = {0};
    assert_true(c->kind[run][chosen] >= 0);
    for (int64_t id = 0; id < IDS; id++) {
        if (c->kind[run][id] < 0)
            continue;
        const double weight = weight_of[c->kind[run][id]];
        sum += weight;
        for (int g = 0; g < GROUPS; g++)
            part[g] += is_of(c, run, id, g) ? weight : 0;
    }
    for (int g = 0; g < GROUPS; g++) {
        const double probability = part[g] / sum;
        c->away[g] += is_of(c, run, chosen, g) - probability;
        c->variance[g] += probability * (1 - probability);
    }
}

static void live_choices(void *to, const struct rd_model *m, const struct rd_life *life, int64_t n)
{
    (void)m;
    struct weight_choices *const c = to;
    for (int64_t i = 0; i < n; i++) {
        int *const kind = c->kind[life[i].run];
        assert_true(life[i].id < IDS);
        if (!life[i].is_birth) {
            take_choice(c, life[i].run, life[i].id);
            kind[life[i].id] = -1;
        } else if (life[i].time > 0)
            kind[life[i].id] = life[i].parent < 0 ? KINDS - 1 : kind[life[i].parent];
    }
}

static void look_choices(void *to, const struct rd_model *m, const struct rd_snapshot *s)
{
    struct weight_choices *const c = to;
    const struct rd_individuals *const of = &s->individuals[0];
    for (int64_t run = 0, row = 0; run < m->n_runs; run++)
        for (const int64_t end = row + of->row_count[run]; row < end; row++) {
            int *const kind = &c->kind[run][of->id[row]];
            if (s->time == 0)
                *kind = (int)of->attribute[0][row];
            assert_true(*kind == of->attribute[0][row]);
        }
}

/* Tests that the individual that dies is drawn by weight from all that are alive at that time.
   40,000 deaths resolve .006 in the share of a kind, and .01 for those born in the same step.
   Detects: weights ignored; weights of the newborn ignored. */
static void law_choice_by_weight(void **state)
{
    (void)state;
    static const char *const step[] = {"1", "0.03"};
    struct verdict v = {0};
    struct weight_choices *const c = malloc(sizeof *c);
    assert_non_null(c);
    for (int i = 0; i < 2; i++) {
        *c = (struct weight_choices){.away = {0}};
        for (int k = 0; k < RUNS * IDS; k++)
            c->kind[k / IDS][k % IDS] = -1;
        trial_run_lineage(&(struct trial){__func__, "physics/choice_by_weight.cfg", .step = step[i],
                                          .runs = RUNS},
                          look_choices, live_choices, c);
        for (int g = 0; g < GROUPS; g++)
            verdict_add(&v, c->away[g] / sqrt(c->variance[g]), "step %s, group %d", step[i], g);
    }
    free(c);
    verdict_check(&v);
}

/* Tests an epidemic with two kinds of infected: S + I -> 2 I at the sum of their infectivities, .03
   and .09, where the newly infected is a child of the infector and has its kind; and I -> 0 at 1.5
   and .5 each. Molecules of two species have the same master equation. 20000 runs resolve 3 % of
   the mean numbers. Detects: infectors drawn with equal weight; sums without the newborn. */
static const struct chain epidemic = {
    .size = {21, 22, 22},
    .species = {0, CHAIN_KIND, CHAIN_KIND + 1},
    .n_reactions = 4,
    .reaction = {{.rate = 0.03, .takes = {1, 1}, .change = {-1, 1}},
                 {.rate = 0.09, .takes = {1, 0, 1}, .change = {-1, 0, 1}},
                 {.rate = 1.5, .takes = {0, 1}, .change = {0, -1}},
                 {.rate = 0.5, .takes = {0, 0, 1}, .change = {0, 0, -1}}}};

static void law_rates_summed_over_individuals(void **state)
{
    (void)state;
    static const char *const step[] = {"3", "0.05"};
    struct verdict v = {0};
    for (int i = 0; i < 2; i++) {
        const struct trial t = {__func__, "physics/summed_rates.cfg", .step = step[i],
                                .runs = i == 0 ? 20000 : 5000};
        chain_compare_from(&epidemic, (const int[CHAIN_SPECIES]){20, 1, 1}, &t, &v);
    }
    verdict_check(&v);
}

/* Tests W -> 0 and W -> V, each at an individual rate w, initially uniform in (0, 2), with factors
   .5 and 1. Of weight w, exp(-(1 + .5) w t) are left as W, and two thirds of the others became V,
   which keeps w. */
enum { SLICES = 10, PEOPLE = 50 };
struct slices {
    double alive[SLICES], became[SLICES];
};

static void add_slices(double slice[SLICES], const struct rd_individuals *of)
{
    for (int64_t i = 0; i < of->n; i++)
        slice[(int)(of->attribute[0][i] / 2 * SLICES)]++;
}

static void look_slices(void *to, const struct rd_model *m, const struct rd_snapshot *s)
{
    (void)m;
    struct slices *const a = to;
    add_slices(a->alive, &s->individuals[0]);
    add_slices(a->became, &s->individuals[1]);
}

/* Returns the mean of exp(-k w) over slice i of the weights. */
static double mean_decay(double k, int i)
{
    const double from = 2.0 * i / SLICES, to = 2.0 * (i + 1) / SLICES;
    return (exp(-k * from) - exp(-k * to)) / k / (to - from);
}

/* Tests that a sum in place of a rate gives each individual its own rate. 100,000 individuals
   resolve 3 to 6 % of the survivors and of the converted in each tenth. Detects: equal weights. */
static void law_own_rates(void **state)
{
    (void)state;
    static const char *const step[] = {"0.8", "0.1"};
    const int runs[] = {2000, 600};
    struct verdict v = {0};
    for (int i = 0; i < 2; i++) {
        struct slices a = {{0}, {0}};
        trial_run(
            &(struct trial){__func__, "physics/own_rates.cfg", .step = step[i], .runs = runs[i]},
            look_slices, &a);
        for (int k = 0; k < SLICES; k++) {
            const double all = (double)runs[i] * PEOPLE, stay = mean_decay(1.5 * 0.8, k);
            verdict_add(&v, theory_binomial_deviate(a.alive[k], all, stay / SLICES),
                        "step %s, alive in slice %d", step[i], k);
            verdict_add(&v, theory_binomial_deviate(a.became[k], all, (1 - stay) / 1.5 / SLICES),
                        "step %s, V in slice %d", step[i], k);
        }
    }
    verdict_check(&v);
}

/* Tests two tags without effect, in a population with division at .8 and competition at .1. The
   numbers of both obey the master equation of two species, so that a tag is fixed with the
   probability of its initial fraction, 2/7. */
static const struct chain tags = {.size = {36, 40},
                                  .species = {CHAIN_KIND, CHAIN_KIND + 1},
                                  .n_reactions = 6,
                                  .reaction = {{.rate = 0.8, .takes = {1}, .change = {1}},
                                               {.rate = 0.8, .takes = {0, 1}, .change = {0, 1}},
                                               {.rate = 0.1, .takes = {2}, .change = {-1}},
                                               {.rate = 0.1, .takes = {1, 1}, .change = {-1}},
                                               {.rate = 0.1, .takes = {1, 1}, .change = {0, -1}},
                                               {.rate = 0.1, .takes = {0, 2}, .change = {0, -1}}}};

struct fixation {
    double share, fixed, undecided;
};

static void look_fixation(void *to, const struct rd_model *m, const struct rd_snapshot *s)
{
    struct fixation *const f = to;
    const struct rd_individuals *const of = &s->individuals[0];
    for (int64_t run = 0, row = 0; run < m->n_runs; run++) {
        double zeros = 0;
        const double all = (double)of->row_count[run];
        for (const int64_t end = row + of->row_count[run]; row < end; row++)
            zeros += of->attribute[0][row] == 0;
        f->share += zeros / all;
        f->fixed += zeros == all;
        f->undecided += zeros > 0 && zeros < all;
    }
}

/* Resolves 5 % of the mean numbers, with 10000 runs. Detects: the first of the list chosen as
   parent. */
static void law_drift_of_tags(void **state)
{
    (void)state;
    static const char *const step[] = {"4", "0.05"};
    struct verdict v = {0};
    for (int i = 0; i < 2; i++) {
        const struct trial t = {__func__, "physics/tags.cfg", .step = step[i],
                                .runs = i == 0 ? 10000 : 3000};
        chain_compare_from(&tags, (const int[CHAIN_SPECIES]){2, 5}, &t, &v);
    }
    verdict_check(&v);
}

/* Tests the fixation at t = 120, when all but a few in a thousand runs are decided. 3000 runs
   resolve .041 in the probability. */
static void law_fixation_of_a_tag(void **state)
{
    (void)state;
    static const char *const step[] = {"120", "3"};
    const double runs = 3000, p = 2.0 / 7;
    struct verdict v = {0};
    for (int i = 0; i < 2; i++) {
        struct fixation f = {0};
        trial_run(&(struct trial){__func__, "physics/tags.cfg",
                                  .sets = SETS("time.end=120", "output.times=(120)"),
                                  .step = step[i], .runs = (int)runs},
                  look_fixation, &f);
        assert_true(f.undecided < 0.005 * runs);
        verdict_add(&v, (f.share / runs - p) / sqrt(p * (1 - p) / runs),
                    "step %s: fixed in %g of %g", step[i], f.fixed, runs);
    }
    verdict_check(&v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(law_choice_by_weight),
        cmocka_unit_test(law_rates_summed_over_individuals),
        cmocka_unit_test(law_own_rates),
        cmocka_unit_test(law_drift_of_tags),
        cmocka_unit_test(law_fixation_of_a_tag),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
