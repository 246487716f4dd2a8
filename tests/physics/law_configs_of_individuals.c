/* law_configs_of_individuals - tests the configurations of configs/ that have individuals against
   their documented results, unchanged or reduced. */
#include "chain.h"

#include "probability.h"
#include "theory.h"

#include <stdlib.h>

/* Tests 2 A -> 0, A + B -> 0, 0 -> A, 0 -> B with the propensities of Erban, Chapman and Maini,
   arXiv 0704.1908 (2007), in every voxel from zero. Species 0 and 1 are individuals, 2 and 3 are
   counted; both follow the master equation. 2 runs of 2304 voxels resolve .31 in mean A, .46 in
   mean B and 10 % of the variances. */
static void law_ab_individuals(void **state)
{
    (void)state;
    const struct trial trial = {__func__, CONFIGS "ab_individuals.cfg", .step = "auto", .runs = 2};
    struct verdict v = {0};
    for (int first = 0; first < 4; first += 2) {
        const struct chain ab = chain_ab(first);
        chain_compare_from(&ab, (const int[CHAIN_SPECIES]){0}, &trial, &v);
    }
    verdict_check(&v);
}

/* Tests the same reactions with newborn that draw how they move, and with one counted species per
   kind of movement. The counts in all voxels have the same means, variances and covariances, within
   a voxel and with the next one. 12 runs of 576 voxels resolve 3 % of the numbers, 11 % of the
   variances and 6 % of the quick ones. */
enum { TRANSPORT_RUNS = 12, TRANSPORT_SUMS = 6 };
struct transports {
    struct verdict *v;
    double sum[2][TRANSPORT_SUMS][TRANSPORT_RUNS]; /* of individuals; of molecules */
};

/* Computes the sums over n voxels in rows of `width`, with periodic rows. */
static void sum_transports(double sum[TRANSPORT_SUMS][TRANSPORT_RUNS], int64_t run,
                           const int32_t *a, const int32_t *b, int64_t n, int64_t width)
{
    for (int64_t site = 0; site < n; site++) {
        const int64_t next = site % width + 1 < width ? site + 1 : site + 1 - width;
        sum[0][run] += a[site];
        sum[1][run] += b[site];
        sum[2][run] += (double)a[site] * a[site];
        sum[3][run] += (double)a[site] * b[site];
        sum[4][run] += (double)a[site] * a[next];
    }
    const double mean = sum[0][run] / (double)n;
    sum[2][run] -= sum[0][run] * mean;
    sum[3][run] -= sum[1][run] * mean;
    sum[4][run] -= sum[0][run] * mean;
}

/* Returns Student's t as a normal deviate (Wallace, Ann. Math. Stat. 30, 1121 (1959)). */
static double difference_of(const double x[TRANSPORT_RUNS], const double y[TRANSPORT_RUNS])
{
    const double freedom = TRANSPORT_RUNS - 1;
    double mean = 0, squares = 0;
    for (int run = 0; run < TRANSPORT_RUNS; run++)
        mean += (x[run] - y[run]) / TRANSPORT_RUNS;
    for (int run = 0; run < TRANSPORT_RUNS; run++)
        squares += (x[run] - y[run] - mean) * (x[run] - y[run] - mean);
    const double t = mean / sqrt(squares / freedom / TRANSPORT_RUNS);
    const double z = sqrt(freedom * log1p(t * t / freedom));
    return (t < 0 ? -z : z) * (8 * freedom + 1) / (8 * freedom + 3);
}

static void look_at_transports(void *to, const struct rd_model *m, const struct rd_snapshot *s)
{
    static const char *const what[TRANSPORT_SUMS] = {"A",  "B",          "variance",
                                                     "AB", "A beside A", "quick A"};
    struct transports *const all = to;
    const int64_t n = m->grid.n_sites, width = m->grid.size[0];
    memset(all->sum, 0, sizeof all->sum);
    if (s->time == 0)
        return;
    int32_t *const ab = malloc((size_t)(2 * n) * sizeof *ab);
    assert_non_null(ab);
    const double *hop_rate = s->individuals[0].attribute[0];
    for (int64_t run = 0; run < TRANSPORT_RUNS; run++) {
        /* counts of the species A, B, quick and slow a, quick and slow b */
        const int32_t *const count = s->counts + run * 6 * n;
        for (int64_t i = 0; i < 2 * n; i++)
            ab[i] = count[(2 + i / n * 2) * n + i % n] + count[(3 + i / n * 2) * n + i % n];
        sum_transports(all->sum[0], run, count, count + n, n, width);
        sum_transports(all->sum[1], run, ab, ab + n, n, width);
        for (int64_t site = 0; site < n; site++)
            all->sum[1][5][run] += count[2 * n + site];
        for (int64_t i = 0; i < s->individuals[0].row_count[run]; i++)
            all->sum[0][5][run] += *hop_rate++;
    }
    free(ab);
    for (int i = 0; i < TRANSPORT_SUMS; i++)
        verdict_add(all->v, difference_of(all->sum[0][i], all->sum[1][i]), "t = %g, %s", s->time,
                    what[i]);
}

static void law_ab_transports(void **state)
{
    (void)state;
    struct verdict v = {0};
    struct transports all = {.v = &v};
    trial_run(&(struct trial){__func__, CONFIGS "ab_transports.cfg",
                              .sets = SETS("grid.voxels=(24, 24)", "time.end=40",
                                           "output.times=(15, 40)"),
                              .step = "0.25", .runs = TRANSPORT_RUNS},
              look_at_transports, &all);
    assert_int_equal(v.n, 2 * TRANSPORT_SUMS);
    verdict_check(&v);
}

/* Tests Fisher's wave (Vigelius, Lane and Meyer, Bioinformatics 27, 288 (2011)) on a strip of 2
   voxels instead of 256. Walkers, which are individuals, and molecules have the same mean and the
   same variance in every occupied block of 16 columns, and in total. 200 runs resolve 6 % of the
   blocks' means and 3 % of the total. They resolve a factor of 2 in the variance of a block and 35
   % in that of all blocks together. */
enum { WAVES = 200, BLOCKS = 16, ALL = BLOCKS, NUMBERS };
struct waves {
    double number[2][NUMBERS][WAVES]; /* of the last snapshot */
};

static void look_at_waves(void *to, const struct rd_model *m, const struct rd_snapshot *s)
{
    struct waves *const w = to;
    const int64_t width = m->grid.size[0], n_sites = m->grid.n_sites;
    memset(w, 0, sizeof *w);
    for (int64_t run = 0; run < m->n_runs; run++)
        for (int64_t i = 0; i < 2 * n_sites; i++) {
            const double n = s->counts[run * 2 * n_sites + i];
            w->number[i / n_sites][i % width * BLOCKS / width][run] += n;
            w->number[i / n_sites][ALL][run] += n;
        }
}

struct attribute_moments {
    double mean, variance;
    double error; /* squared error of the logarithm of the variance: (kurtosis - 1) / n */
};

static struct attribute_moments moments_of(const double number[WAVES])
{
    struct attribute_moments m = {0};
    double fourth = 0;
    for (int run = 0; run < WAVES; run++)
        m.mean += number[run] / WAVES;
    for (int run = 0; run < WAVES; run++) {
        m.variance += pow(number[run] - m.mean, 2) / (WAVES - 1);
        fourth += pow(number[run] - m.mean, 4) / WAVES;
    }
    m.error = (fourth / m.variance / m.variance - 1) / WAVES;
    return m;
}

static void law_fisher_individuals(void **state)
{
    (void)state;
    const struct trial trial = {
        __func__, CONFIGS "fisher_individuals.cfg",
        .sets = SETS("grid.voxels=(256, 2)", "species.walker.individuals.max=1000"), .step = "auto",
        .runs = WAVES};
    struct waves *const w = calloc(1, sizeof *w);
    struct verdict v = {0};
    trial_run(&trial, look_at_waves, w);
    double ratios = 0, errors = 0;
    for (int i = 0; i < NUMBERS; i++) {
        const struct attribute_moments a = moments_of(w->number[0][i]),
                                       b = moments_of(w->number[1][i]);
        if (b.mean < 50)
            continue;
        const double ratio = log(a.variance / b.variance), error = a.error + b.error;
        verdict_add(&v, (a.mean - b.mean) / sqrt((a.variance + b.variance) / WAVES),
                    "means of block %d: %g and %g", i, a.mean, b.mean);
        verdict_add(&v, ratio / sqrt(error), "variances of block %d: %g and %g", i, a.variance,
                    b.variance);
        ratios += i < ALL ? ratio : 0;
        errors += i < ALL ? error : 0;
    }
    assert_true(v.n >= 2 * 6);
    verdict_add(&v, ratios / sqrt(errors), "variances of all blocks");
    verdict_check(&v);
    free(w);
}

/* Tests the walk on the lattice far from walls: mean v t, variance 2 D t, fourth cumulant 2 D t h^2
   along an axis, exact at every t (Vigelius and Meyer, PLoS ONE 7, e33384 (2012)). Individual
   velocities, normal with standard deviation s, add s^2 t^2 to the variance; displacement and
   velocity have the covariance s^2 t. 20000 of each species resolve .1 in the mean place at t = 5
   and 5 % of the variances; that of goats is 37 % more than that of sheep. */
enum { DUST, SHEEP, GOATS, SPECIES };
static const char *const cloud_names[SPECIES] = {"dust", "sheep", "goats"};
struct clouds {
    struct verdict verdict;
    double time;
    struct lab_sums along[SPECIES][2], own; /* displacements, and their products with velocities */
};
static const double spread[2] = {0.6, 0.8}, drift[2] = {0.8, 0.4}, deviation = 0.3;

/* Adds n individuals of the species at the site; returns their displacement along x minus the
   mean. */
static double add_to_cloud(struct clouds *c, const struct rd_model *m, int species, int64_t site,
                           int n)
{
    const int64_t at[2] = {site % m->grid.size[0], site / m->grid.size[0]};
    double came[2];
    for (int axis = 0; axis < 2; axis++) {
        came[axis] = (double)(at[axis] - 80) * m->grid.edge[axis];
        for (int i = 0; i < n; i++)
            lab_add(&c->along[species][axis], came[axis]);
    }
    return came[0] - drift[0] * c->time;
}

static void compare_clouds(struct clouds *c, double edge)
{
    const double t = c->time, own = deviation * deviation * t;
    for (int species = 0; species < SPECIES; species++)
        for (int axis = 0; axis < 2; axis++) {
            const bool differs = species == GOATS && axis == 0;
            const double walk = 2 * spread[axis] * t, variance = walk + (differs ? own * t : 0);
            const double fourth = (walk + (differs ? 4 * own * t : 0)) * edge * edge;
            const struct lab_sums *const sums = &c->along[species][axis];
            verdict_add_sums(&c->verdict, sums, variance, fourth / variance / variance,
                             "%s, axis %d, t = %g", cloud_names[species], axis, t);
        }
    const double product = deviation * deviation * (2 * spread[0] * t + own * t) + own * own;
    verdict_add(&c->verdict, lab_mean_z(&c->own, product), "velocity and way, t = %g", t);
}

static void look_at_clouds(void *to, const struct rd_model *m, const struct rd_snapshot *s)
{
    struct clouds *const c = to;
    if (s->time == 0)
        return;
    c->time = s->time;
    memset(c->along, 0, sizeof c->along);
    for (int species = 0; species < SPECIES; species++)
        for (int axis = 0; axis < 2; axis++)
            c->along[species][axis].mean = drift[axis] * s->time;
    c->own = (struct lab_sums){.mean = deviation * deviation * s->time};
    for (int64_t site = 0; site < m->grid.n_sites; site++)
        add_to_cloud(c, m, DUST, site, s->counts[site]);
    for (const struct rd_individuals *of = s->individuals; of < s->individuals + 2; of++)
        for (int64_t i = 0; i < of->n; i++) {
            const double farther = add_to_cloud(c, m, of->species, of->site[i], 1);
            if (of->species == GOATS)
                lab_add(&c->own, farther * (of->attribute[0][i] - drift[0]));
        }
    compare_clouds(c, m->grid.edge[0]);
}

static void law_drift_individuals(void **state)
{
    (void)state;
    struct clouds c = {.time = 0};
    trial_run(&(struct trial){__func__, CONFIGS "drift_individuals.cfg", .step = "auto"},
              look_at_clouds, &c);
    verdict_check(&c.verdict);
}

/* Tests an epidemic among 16 in which one in five is five times as infectious and the others are
   not. The numbers of healthy and of infected of both kinds follow their master equation. 20000
   runs resolve .15 in the mean number of healthy at t = 20. Detects: rates by the number of
   infected instead of the sum, which make three times as many epidemics. */
enum { PEOPLE = 16 };

static void law_epidemic_of_few_spreaders(void **state)
{
    (void)state;
    const double infection = 1.6 / PEOPLE * 5;
    const struct chain c = {
        .size = {PEOPLE, PEOPLE + 1, PEOPLE + 1},
        .species = {0, CHAIN_KIND + 0, CHAIN_KIND + 5},
        .n_reactions = 4,
        .reaction = {{.rate = infection * 0.8, .takes = {1, 0, 1}, .change = {-1, 1, 0}},
                     {.rate = infection * 0.2, .takes = {1, 0, 1}, .change = {-1, 0, 1}},
                     {.rate = 1, .takes = {0, 1, 0}, .change = {0, -1, 0}},
                     {.rate = 1, .takes = {0, 0, 1}, .change = {0, 0, -1}}}};
    double *const p = chain_zeros(&c);
    p[chain_state(&c, (const int[CHAIN_SPECIES]){PEOPLE - 1, 1, 0})] = 0.8;
    p[chain_state(&c, (const int[CHAIN_SPECIES]){PEOPLE - 1, 0, 1})] = 0.2;
    struct verdict v = {0};
    chain_compare(&c, p,
                  &(struct trial){__func__, CONFIGS "epidemic.cfg",
                                  .sets = SETS("parameters.N=16", "species.ill.individuals.max=16",
                                               "time.end=20", "output.keep=all", "run.runs=20000"),
                                  .step = "auto"},
                  &v);
    verdict_check(&v);
    free(p);
}

/* Tests whether an epidemic breaks out, here: more than a tenth of 500 are infected. A branching
   process has the probability of spreaders (1 - 1 / b). 1000 runs resolve .04 and .08; the
   probability in a finite population differs by less than .01. */
static void look_at_outbreaks(void *to, const struct rd_model *m, const struct rd_snapshot *s)
{
    double *const n = to;
    *n = 0;
    for (int64_t run = 0; run < m->n_runs; run++)
        *n += s->totals[run * m->n_species + 2] > 50;
}

static void law_probability_of_outbreaks(void **state)
{
    (void)state;
    static const double spreaders[] = {0.2, 1};
    struct verdict v = {0};
    for (int i = 0; i < 2; i++) {
        char set[64], test[64];
        snprintf(set, sizeof set, "parameters.spreaders=%g", spreaders[i]);
        snprintf(test, sizeof test, "%s %g", __func__, spreaders[i]);
        double n;
        trial_run(&(struct trial){test, CONFIGS "epidemic.cfg", .sets = SETS(set), .step = "auto"},
                  look_at_outbreaks, &n);
        verdict_add(&v, theory_binomial_deviate(n, 1000, spreaders[i] * (1 - 1 / 1.6)),
                    "%g of 1000 break out where %g spread", n, spreaders[i]);
    }
    verdict_check(&v);
}

/* Tests selection of speed and neutrality of the mark on a 24 x 24 meadow. The mean of log speed
   increases by .6 until t = 60, that of the mark is constant (its errors are a martingale). 64 runs
   resolve .15 in both. */
enum { MEADOWS = 64 };
struct evolution {
    struct lab_sums speed, mark; /* mean of the logarithm in each run */
};

static void look_at_evolution(void *to, const struct rd_model *m, const struct rd_snapshot *s)
{
    struct evolution *const v = to;
    const struct rd_individuals *const of = s->individuals;
    *v = (struct evolution){0};
    for (int64_t run = 0, row = 0; run < m->n_runs; run++) {
        double speed = 0, mark = 0;
        const double n = (double)of->row_count[run];
        for (const int64_t end = row + of->row_count[run]; row < end; row++) {
            speed += log(of->attribute[0][row] / 0.1) / n;
            mark += log(of->attribute[1][row] / 0.1) / n;
        }
        lab_add(&v->speed, speed);
        lab_add(&v->mark, mark);
    }
}

static void law_evolution(void **state)
{
    (void)state;
    struct evolution e = {0};
    struct verdict v = {0};
    trial_run(
        &(struct trial){__func__, CONFIGS "evolution.cfg",
                        .sets = SETS("grid.voxels=(24, 24)", "species.walker.individuals.max=700",
                                     "initial[1].count=80", "time.end=60"),
                        .step = "0.2", .runs = MEADOWS},
        look_at_evolution, &e);
    const double speed = e.speed.sum / MEADOWS, mark = e.mark.sum / MEADOWS;
    print_message("             log of speed %.3f, of the mark %.3f\n", speed, mark);
    verdict_add(&v, mark / sqrt(e.mark.squares / MEADOWS / MEADOWS), "mean log of the mark: %g",
                mark);
    verdict_check(&v);
    assert_true(speed > 0.4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(law_ab_transports),
        cmocka_unit_test(law_ab_individuals),
        cmocka_unit_test(law_fisher_individuals),
        cmocka_unit_test(law_drift_individuals),
        cmocka_unit_test(law_epidemic_of_few_spreaders),
        cmocka_unit_test(law_probability_of_outbreaks),
        cmocka_unit_test(law_evolution),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
