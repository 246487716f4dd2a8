/* law_lifetimes - tests the choice of individuals that die or reproduce: every individual that is
   alive in the voxel at the time of the event has the same probability, including those born in the
   same step. A stated resolution is 5 standard errors in the first variant of a test. */
#include "probability.h"
#include "theory.h"
#include "trial.h"

#include <stdlib.h>
#include <string.h>

/* Tests 4 initial individuals with immigration at rate 2 and death at rate 1. After a time of 1/2,
   4 exp(-1/2) = 2.426 of them are left on average, in one step or in many. Each survives with
   probability exp(-1/2); the newcomers are Poisson with mean 2 (1 - exp(-1/2)). */
enum { FIRST = 4, NEW = 5 };
struct survival {
    double initial;
    int64_t seen[(FIRST + 1) * NEW];
};

static void look_survival(void *to, const struct rd_model *m, const struct rd_snapshot *s)
{
    struct survival *const v = to;
    const struct rd_individuals *const of = &s->individuals[0];
    for (int64_t run = 0, row = 0; run < m->n_runs; run++) {
        int old = 0, new = 0;
        for (const int64_t end = row + of->row_count[run]; row < end; row++)
            *(of->id[row] < FIRST ? &old : &new) += 1;
        v->initial += old;
        v->seen[old * NEW + (new < NEW ? new : NEW - 1)]++;
    }
}

static double binomial(int n, int k, double p)
{
    return tgamma(n + 1) / tgamma(k + 1) / tgamma(n - k + 1) * pow(p, k) * pow(1 - p, n - k);
}

static double poisson(double mean, int k)
{
    return exp(-mean) * pow(mean, k) / tgamma(k + 1);
}

/* Resolves .024 in the mean, with 40000 runs. Detects: deaths drawn from all at the end of the
   step; newborn drawn half as often. */
static void law_initial_individuals_survive(void **state)
{
    (void)state;
    static const char *const step[] = {"0.5", "0.013"};
    const double p = exp(-0.5), fresh = 2 * (1 - p);
    enum { RUNS = 40000 };
    struct verdict v = {0};
    for (int i = 0; i < 2; i++) {
        struct survival found = {0};
        double expected[(FIRST + 1) * NEW], rest = 1;
        for (int k = 0; k < NEW - 1; k++)
            rest -= poisson(fresh, k);
        for (int b = 0; b < (FIRST + 1) * NEW; b++)
            expected[b] = RUNS * binomial(FIRST, b / NEW, p) *
                          (b % NEW < NEW - 1 ? poisson(fresh, b % NEW) : rest);
        trial_run(&(struct trial){__func__, "physics/survivors.cfg", .step = step[i], .runs = RUNS},
                  look_survival, &found);
        verdict_add(&v, (found.initial / RUNS - 4 * p) / sqrt(4 * p * (1 - p) / RUNS),
                    "step %s: %g of the initial ones", step[i], found.initial / RUNS);
        verdict_add(&v, chi_square_deviate(found.seen, expected, (FIRST + 1) * NEW),
                    "step %s, probabilities", step[i]);
    }
    verdict_check(&v);
}

/* The line has three parts that differ in density only. */
enum { PART = 1000, PARTS = 3, AGES = 5, TIMES = 20, IDS = 120000 };
static const double density[PARTS] = {0.3, 3, 20}; /* also immigrants per voxel and time */
static const double age_end[AGES] = {0.04, 0.2, 0.5, 1, 2};
static const double last = 2;

struct lifetimes {
    int64_t n;
    double born[IDS];
    int part[IDS];
    double dead[PARTS][AGES], lived[PARTS][AGES]; /* totals in this range of ages */
    double births[PARTS][TIMES], ages[PARTS][AGES];
};

/* Adds the lifetime of an individual from its birth to the given time. */
static void add_time(struct lifetimes *l, int64_t id, double time, bool dies)
{
    const double age = time - l->born[id];
    assert_true(age >= 0);
    for (int a = 0; a < AGES; a++) {
        const double begin = a == 0 ? 0 : age_end[a - 1];
        l->lived[l->part[id]][a] += fmax(0, fmin(age, age_end[a]) - begin);
        l->dead[l->part[id]][a] += dies && age >= begin && age < age_end[a];
    }
}

static void live_lifetimes(void *to, const struct rd_model *m, const struct rd_life *life,
                           int64_t n)
{
    (void)m;
    struct lifetimes *const l = to;
    for (int64_t i = 0; i < n; i++) {
        const int64_t id = life[i].id;
        assert_true(id < IDS);
        if (!life[i].is_birth) {
            add_time(l, id, life[i].time, true);
            l->born[id] = NAN; /* an individual dies only once */
            continue;
        }
        l->n += id >= l->n ? id + 1 - l->n : 0;
        l->born[id] = life[i].time;
        l->part[id] = (int)(life[i].site / PART);
        if (life[i].time > 0)
            l->births[l->part[id]][(int)(life[i].time / last * TIMES)]++;
    }
}

static void look_lifetimes(void *to, const struct rd_model *m, const struct rd_snapshot *s)
{
    (void)m;
    struct lifetimes *const l = to;
    const struct rd_individuals *const of = &s->individuals[0];
    for (int64_t i = 0; i < of->n; i++) {
        assert_true(l->born[of->id[i]] == of->born[i]); /* equal to the bit; the id is alive */
        add_time(l, of->id[i], s->time, false);
        for (int a = 0; a < AGES && of->born[i] > 0; a++) {
            const double age = s->time - of->born[i];
            l->ages[l->part[of->id[i]]][a] += age < age_end[a] && (a == 0 || age >= age_end[a - 1]);
        }
    }
}

static void compare_lifetimes(struct verdict *v, const struct lifetimes *l, const char *how)
{
    for (int part = 0; part < PARTS; part++) {
        const double births = density[part] * PART;
        for (int a = 0; a < AGES; a++) {
            const double lived = l->lived[part][a], from = a == 0 ? 0 : age_end[a - 1];
            verdict_add(v, (l->dead[part][a] - lived) / sqrt(lived),
                        "%s, part %d, age below %g: %g dead instead of %g", how, part, age_end[a],
                        l->dead[part][a], lived);
            const double ages = births * (exp(-from) - exp(-age_end[a]));
            verdict_add(v, theory_poisson_deviate(l->ages[part][a], ages),
                        "%s, part %d, %g younger than %g instead of %g", how, part,
                        l->ages[part][a], age_end[a], ages);
        }
        for (int t = 0; t < TIMES; t++)
            verdict_add(v, theory_poisson_deviate(l->births[part][t], births * last / TIMES),
                        "%s, part %d, births at %g", how, part, last * t / TIMES);
    }
}

/* Tests immigration and death at rate 1, from stationary numbers. The number of deaths of a group
   is the time lived by its members, for any age, voxel, density and step (a martingale: its
   variance is its mean). Births in every interval of time are Poisson numbers, and so are the
   numbers of each age. 44,000 deaths resolve 2.5 % of the hazard in the dense part and 6 % at each
   age. Detects: deaths drawn at the end of the step; times of birth equal to the step's. */
static void law_lifetimes(void **state)
{
    (void)state;
    static const struct {
        const char *step, *diffusion;
    } way[] = {{"2", "species.W.diffusion=0"},
               {"0.03", "species.W.diffusion=0"},
               {"auto", "species.W.diffusion=0.2"}};
    struct verdict v = {0};
    struct lifetimes *const l = calloc(1, sizeof *l);
    assert_non_null(l);
    for (int i = 0; i < 3; i++) {
        memset(l, 0, sizeof *l);
        trial_run_lineage(&(struct trial){__func__, "physics/lifetimes.cfg",
                                          .sets = SETS(way[i].diffusion), .step = way[i].step,
                                          .runs = 1},
                          look_lifetimes, live_lifetimes, l);
        compare_lifetimes(&v, l, way[i].step);
    }
    free(l);
    verdict_check(&v);
}

/* Holds the living individuals of each run's single voxel in the order of their births, and how
   often the one in each place died or was a parent. */
enum { RUNS_OF_CHOICES = 3000, ALIVE = 64 };
enum { DIES, IS_PARENT, N_PARTS };
struct lifetime_choices {
    int n[RUNS_OF_CHOICES];
    int64_t id[RUNS_OF_CHOICES][ALIVE];
    double seen[N_PARTS][ALIVE + 1][ALIVE]; /* [number alive][place] */
};

static int place_of(const struct lifetime_choices *l, int64_t run, int64_t id)
{
    for (int i = 0; i < l->n[run]; i++)
        if (l->id[run][i] == id)
            return i;
    fail_msg("%lld is not alive in run %lld", (long long)id, (long long)run);
    return -1;
}

static void live_choices(void *to, const struct rd_model *m, const struct rd_life *life, int64_t n)
{
    (void)m;
    struct lifetime_choices *const l = to;
    for (int64_t i = 0; i < n; i++) {
        int64_t *const id = l->id[life[i].run];
        int *const alive = &l->n[life[i].run];
        assert_true(*alive < ALIVE);
        if (life[i].is_birth) {
            if (life[i].parent >= 0)
                l->seen[IS_PARENT][*alive][place_of(l, life[i].run, life[i].parent)]++;
            id[(*alive)++] = life[i].id;
            continue;
        }
        const int place = place_of(l, life[i].run, life[i].id);
        l->seen[DIES][*alive][place]++;
        memmove(id + place, id + place + 1, (size_t)(--*alive - place) * sizeof *id);
    }
}

/* Checks that the list holds exactly those that were born and have not died. */
static void look_choices(void *to, const struct rd_model *m, const struct rd_snapshot *s)
{
    const struct lifetime_choices *const l = to;
    const struct rd_individuals *const of = &s->individuals[0];
    for (int64_t run = 0, row = 0; run < m->n_runs; run++) {
        assert_int_equal(of->row_count[run], l->n[run]);
        for (const int64_t end = row + of->row_count[run]; row < end; row++)
            place_of(l, run, of->id[row]);
    }
}

/* Tests that each place among n living ones is equally likely: Pearson's sums of all n together,
   and the mean place. */
static void compare_choices(struct verdict *v, const struct lifetime_choices *l, const char *step)
{
    for (int role = 0; role < N_PARTS; role++) {
        double squares = 0, freedom = 0, sum = 0, variance = 0;
        for (int n = 2; n <= ALIVE; n++) {
            double all = 0;
            for (int i = 0; i < n; i++) {
                all += l->seen[role][n][i];
                sum += l->seen[role][n][i] * (2 * i + 1 - n);
            }
            variance += all * ((double)n * n - 1) / 3;
            if (all < 20 * n)
                continue;
            for (int i = 0; i < n; i++)
                squares += pow(l->seen[role][n][i] - all / n, 2) / (all / n);
            freedom += n - 1;
        }
        verdict_add(v, theory_chi_square_deviate(squares, freedom), "step %s, places of %s", step,
                    role == DIES ? "deaths" : "parents");
        verdict_add(v, sum / sqrt(variance), "step %s, mean place of %s", step,
                    role == DIES ? "deaths" : "parents");
    }
}

/* Tests that each individual in the voxel is equally likely to die and to be a parent, whatever its
   place in the order of birth. Births and deaths take one or two individuals, in one step and in
   many. 35,000 deaths and 25,000 births by parents resolve one place among 12 of twice the
   probability, and .03 of the range in the mean place. Detects: the first or the last in the voxel
   chosen; newborn drawn half as often. */
static void law_equal_choice_in_a_voxel(void **state)
{
    (void)state;
    static const char *const step[] = {"1", "0.5", "0.02"};
    struct verdict v = {0};
    struct lifetime_choices *const l = malloc(sizeof *l);
    assert_non_null(l);
    for (int i = 0; i < 3; i++) {
        memset(l, 0, sizeof *l);
        trial_run_lineage(&(struct trial){__func__, "physics/equal_choice.cfg", .step = step[i],
                                          .runs = RUNS_OF_CHOICES},
                          look_choices, live_choices, l);
        compare_choices(&v, l, step[i]);
    }
    free(l);
    verdict_check(&v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(law_initial_individuals_survive),
        cmocka_unit_test(law_lifetimes),
        cmocka_unit_test(law_equal_choice_in_a_voxel),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
