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
    static const char text[] =
        "grid = { voxels = 1000; edge = 1.0; walls = { x = \"periodic\"; }; };"
        "species = ( { name = \"A\"; diffusion = 0.5; } );"
        "reactions = ( { equation = \"2 A -> A\"; rate = 1e7; } );"
        "initial = ( { species = \"A\"; value = 1; } );"
        "time = { end = 20.0; }; output = { times = (1.0, 5.0, 20.0); };";
    struct series all = {.n = 0};
    struct verdict v = {0};
    trial_run(&(struct trial){__func__, text, "exact", 60}, look_totals, &all);
    for (int k = 0; k < TIMES; k++)
        verdict_hear(&v, mean_z(&all, k, 1000 * bessel_sum(2 * all.time[k])), "t = %g",
                     all.time[k]);
    verdict_give(&v);
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
    static const char text[] =
        "grid = { voxels = 201; edge = 0.25; };"
        "species = ( { name = \"A\"; diffusion = 0.2; drift = \"cos(phi)\"; individuals = { max = "
        "5000; attributes = ( { name = \"phi\"; initial = \"uniform(0, 2 * pi)\"; birth = "
        "\"uniform(0, 2 * pi)\"; } ); }; },"
        "  { name = \"B\"; diffusion = 0.2; drift = \"cos(psi)\"; individuals = { max = 5000; "
        "attributes = ( { name = \"psi\"; initial = 0; birth = \"uniform(0, 2 * pi)\"; } ); }; } );"
        "reactions = ( { equation = \"A -> B\"; rate = 2; }, { equation = \"B -> A\"; rate = 2; } "
        ");"
        "initial = ( { species = \"A\"; count = 5000; voxel = 100; } );"
        "time = { end = 4.0; }; output = { times = (0.5, 1.0, 4.0); };";
    struct series all = {.n = 0};
    struct verdict v = {0};
    trial_run(&(struct trial){__func__, text, "0.02", 4}, look_squares, &all);
    for (int k = 0; k < TIMES; k++) {
        const double t = all.time[k];
        assert_true(all.runs[k] == 20000);
        verdict_hear(&v, mean_z(&all, k, 0.4 * t + (2 * t - 1 + exp(-2 * t)) / 4), "t = %g", t);
    }
    verdict_give(&v);
}

/* Tests a death rate c a at the age a, from an attribute that stores the time of birth: a fraction
   exp(-c t^2 / 2) of the initial individuals is alive at t, for any step. Resolves 2 to 7 %. */
static void law_ages(void **state)
{
    (void)state;
    static const char text[] =
        "grid = { voxels = (5, 5); edge = 1.0; };"
        "species = ( { name = \"fly\"; diffusion = 0.3; individuals = { max = 400; attributes = ( "
        "{ name = \"since\"; initial = \"t\"; birth = \"t\"; } ); }; } );"
        "reactions = ( { equation = \"fly -> 0\"; rate = \"0.8 * sum(max(0, t - fly.since))\"; } );"
        "initial = ( { species = \"fly\"; count = 400; } );"
        "time = { end = 2.0; }; output = { times = (0.5, 1.0, 2.0); };";
    static const char *const step[] = {"0.25", "0.05"};
    struct verdict v = {0};
    for (int i = 0; i < 2; i++) {
        struct series all = {.n = 0};
        trial_run(&(struct trial){__func__, text, step[i], 50}, look_totals, &all);
        for (int k = 0; k < TIMES; k++) {
            const double t = all.time[k], left = exp(-0.4 * t * t);
            verdict_hear(&v, (all.sum[k] - 20000 * left) / sqrt(20000 * left * (1 - left)),
                         "step %s, t = %g", step[i], t);
        }
    }
    verdict_give(&v);
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
    static const char text[] =
        "grid = { voxels = (3, 3); edge = 1.0; };"
        "species = ( { name = \"W\"; diffusion = 0.5; individuals = { max = 400; attributes = ( { "
        "name = \"g\"; kind = \"integer\"; initial = 0; birth = \"parent.g + 1\"; } ); }; } );"
        "reactions = ( { equation = \"W -> 2 W\"; rate = 1.0; } );"
        "initial = ( { species = \"W\"; count = 1; } );"
        "time = { end = 2.0; }; output = { times = (2.0); };";
    struct series of[GENERATIONS] = {{.n = 0}};
    struct verdict v = {0};
    trial_run(&(struct trial){__func__, text, "0.5", 8000}, look_generations, of);
    /* the first individual stays alive */
    assert_true(of[0].sum[0] == 8000 && of[0].squares[0] == 8000);
    double expected = 1;
    for (int g = 1; g < GENERATIONS; g++) {
        expected *= 2.0 / g;
        verdict_hear(&v, mean_z(&of[g], 0, expected), "generation %d", g);
    }
    verdict_give(&v);
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
