/* law_lattice - tests reactions among moving molecules with results that are exact at any step:
   conserved quantities, equilibria, and results that do not depend on the places of the
   molecules. */
#include "chain.h"
#include "theory.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

/* Tests A + B <-> C in 24 voxels at any step, since movement and reaction each preserve the
   stationary probabilities. 2000 runs resolve .22 in the mean of C. Detects: net changes over a
   step instead of events. */
static void law_binding_in_equilibrium(void **state)
{
    (void)state;
    static const char *const steps[] = {"auto", "6", "exact"};
    struct verdict v = {0};
    for (int i = 0; i < 3; i++)
        chain_compare_binding(&(struct trial){__func__, "physics/binding.cfg", .step = steps[i]},
                              &v);
    verdict_check(&v);
}

/* Tests two types that divide, convert into each other and die. The totals do not depend on
   places, so that they follow the well-mixed chain at any step. 4000 runs resolve 4 % of the
   mean totals. */
static void law_totals_of_a_linear_network(void **state)
{
    (void)state;
    static const char *const steps[] = {"auto", "0.05", "2", "exact"};
    const struct chain c = chain_linear();
    struct verdict v = {0};
    for (int i = 0; i < 4; i++)
        chain_compare_from(
            &c, (const int[CHAIN_SPECIES]){20},
            &(struct trial){__func__, "physics/linear_network.cfg", .step = steps[i]}, &v);
    verdict_check(&v);
}

/* Tests birth and death: the mean is n0 e^{(l - m) t}, the variance n0 (l + m) / (l - m) e^{(l - m)
   t} (e^{(l - m) t} - 1) (Kendall, Ann. Math. Stat. 19, 1 (1948)). The formulas check the chain,
   too. 4000 runs resolve 2 % of the mean. */
static void law_births_and_deaths(void **state)
{
    (void)state;
    const struct chain c = {.size = {260},
                            .species = {0},
                            .n_reactions = 2,
                            .reaction = {{.rate = 0.6, .takes = {1}, .change = {1}},
                                         {.rate = 0.4, .takes = {1}, .change = {-1}}}};
    double *const p = chain_zeros(&c), mean = 0, square = 0;
    p[40] = 1;
    chain_advance(&c, 3, p);
    for (int n = 0; n < c.size[0]; n++) {
        mean += p[n] * n;
        square += p[n] * n * n;
    }
    free(p);
    const double growth = exp(0.2 * 3);
    assert_true(fabs(mean / (40 * growth) - 1) < 1e-6);
    assert_true(fabs((square - mean * mean) / (40 * 5 * growth * (growth - 1)) - 1) < 1e-4);
    struct verdict v = {0};
    chain_compare_from(&c, (const int[CHAIN_SPECIES]){40},
                       &(struct trial){__func__, "physics/births_and_deaths.cfg", .step = "auto"},
                       &v);
    chain_compare_from(&c, (const int[CHAIN_SPECIES]){40},
                       &(struct trial){__func__, "physics/births_and_deaths.cfg", .step = "3"}, &v);
    verdict_check(&v);
}

/* Tests the AB reaction (law_wellmixed) in 48^2 voxels without movement of A and B, while an inert
   species hops. Every voxel follows the chain, from zero. The chain must give the numbers of
   models.md at t = 100 and 500. 4 runs of 2304 voxels resolve .22 in mean A and .33 in mean B. */
static void law_voxels_without_movement(void **state)
{
    (void)state;
    static const double published[2][2] = {{10.098, 11.055}, {9.5946, 12.1045}};
    const struct chain c = chain_ab(0);
    double *const p = chain_zeros(&c);
    p[0] = 1;
    for (int i = 0; i < 2; i++) {
        double a = 0, b = 0;
        chain_advance(&c, i == 0 ? 100 : 400, p);
        for (int k = 0; k < c.size[0] * c.size[1]; k++) {
            a += p[k] * (k % c.size[0]);
            b += p[k] * (k / c.size[0]);
        }
        assert_true(fabs(a - published[i][0]) < 6e-4 && fabs(b - published[i][1]) < 6e-4);
    }
    free(p);
    struct verdict v = {0};
    chain_compare_from(&c, (const int[CHAIN_SPECIES]){0},
                       &(struct trial){__func__, "physics/ab_immobile.cfg", .step = "auto"}, &v);
    verdict_check(&v);
}

/* Tests A + B -> C with one diffusivity for all. Free and bound A walk as without reactions, so
   that A + C in voxel i is a sum of independent walkers. Its mean is sum_j a_j P_ij and its
   variance sum_j a_j P_ij (1 - P_ij), for any rate. There are 24 voxels with 20 A in each of the
   left half and 20 B in each of the right half. 3000 runs resolve 2 % of the means and 13 % of the
   variances. */
enum { VOXELS = 24, HALF = VOXELS / 2, EACH = 20 };

struct line_walk {
    const char *step;
    double row[VOXELS][VOXELS]; /* [from][to] at the time of the snapshot */
    struct verdict *verdict;
};

static void compare_walkers(const struct line_walk *w, const struct rd_model *m,
                            const struct rd_snapshot *s, int species, int voxel)
{
    double mean = 0, variance = 0, fourth = 0;
    for (int j = 0; j < HALF; j++) {
        const double p = w->row[species * HALF + j][voxel], spread = p * (1 - p);
        mean += EACH * p;
        variance += EACH * spread;
        fourth += EACH * spread * (1 - 6 * spread);
    }
    struct lab_sums sums = {.mean = mean};
    for (int64_t run = 0; run < m->n_runs; run++) {
        const int32_t *const counts = s->counts + run * m->n_species * VOXELS;
        lab_add(&sums, counts[species * VOXELS + voxel] + counts[2 * VOXELS + voxel]);
    }
    verdict_add_sums(w->verdict, &sums, variance, fourth / variance / variance,
                     "numbers in voxel %d, step %s, t = %g", voxel, w->step, s->time);
}

static void look_walkers(void *to, const struct rd_model *m, const struct rd_snapshot *s)
{
    struct line_walk *const w = to;
    for (int voxel = 0; voxel < VOXELS; voxel++)
        for (int species = 0; species < 2; species++)
            compare_walkers(w, m, s, species, voxel);
}

static void law_binding_does_not_change_walks(void **state)
{
    (void)state;
    static const char *const steps[] = {"auto", "0.5", "4", "exact"};
    const struct theory_walk line = {.size = {VOXELS, 1, 1}, .rate = {1, 1}};
    struct verdict v = {0};
    struct line_walk w = {.verdict = &v};
    for (int from = 0; from < VOXELS; from++) {
        double mean[VOXELS + THEORY_FACES] = {0};
        mean[from] = 1;
        theory_walk_on(&line, 4, mean);
        for (int to = 0; to < VOXELS; to++)
            w.row[from][to] = mean[to];
    }
    for (int i = 0; i < 4; i++) {
        w.step = steps[i];
        trial_run(&(struct trial){__func__, "physics/binding_line.cfg", .step = steps[i]},
                  look_walkers, &w);
    }
    verdict_check(&v);
}

/* Tests A that dies in the left part of a line only: m' = (walk - k where it dies) m. The exact
   solver is compared with the exponential of the whole operator, the steps with the product of both
   exponentials in Strang's order. 2000 runs of 50 A from one voxel resolve 10 % of every mean, or
   less. */
enum { LINE = 10, MORTAL = 4 };
static const double kill = 1.5, lifetime = 2;

static void add_walk(double q[LINE * LINE])
{
    for (int i = 0; i + 1 < LINE; i++) {
        q[i * LINE + i + 1] += 1;
        q[(i + 1) * LINE + i] += 1;
        q[i * LINE + i] -= 1;
        q[(i + 1) * LINE + i + 1] -= 1;
    }
}

static void add_death(double q[LINE * LINE])
{
    for (int i = 0; i < MORTAL; i++)
        q[i * LINE + i] -= kill;
}

static void apply(const double p[LINE * LINE], double m[LINE])
{
    double sum[LINE] = {0};
    for (int i = 0; i < LINE; i++)
        for (int k = 0; k < LINE; k++)
            sum[i] += p[i * LINE + k] * m[k];
    for (int i = 0; i < LINE; i++)
        m[i] = sum[i];
}

static void predict_deaths(double step, double m[LINE])
{
    double walk[LINE * LINE] = {0}, death[LINE * LINE] = {0}, moved[LINE * LINE], died[LINE * LINE];
    add_walk(walk);
    add_death(death);
    if (step > 0) {
        theory_expm(walk, LINE, step, moved);
        theory_expm(death, LINE, step / 2, died);
        for (long i = lround(lifetime / step); i > 0; i--) {
            apply(died, m);
            apply(moved, m);
            apply(died, m);
        }
        return;
    }
    add_death(walk);
    theory_expm(walk, LINE, lifetime, moved);
    apply(moved, m);
}

struct deaths {
    double mean[LINE];
    const char *step;
    struct verdict *verdict;
};

static void look_deaths(void *to, const struct rd_model *m, const struct rd_snapshot *s)
{
    const struct deaths *const d = to;
    for (int voxel = 0; voxel < LINE; voxel++) {
        double sum = 0;
        for (int64_t run = 0; run < m->n_runs; run++)
            sum += s->counts[run * LINE + voxel];
        verdict_add(d->verdict,
                    theory_binomial_deviate(sum, 50 * (double)m->n_runs, d->mean[voxel]),
                    "step %s, voxel %d", d->step, voxel);
    }
}

static void law_reactions_stay_in_their_region(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        double step;
    } how[] = {{"0.125", 0.125}, {"0.5", 0.5}, {"exact", 0}};
    struct verdict v = {0};
    for (int i = 0; i < 3; i++) {
        struct deaths d = {.step = how[i].name, .verdict = &v};
        d.mean[MORTAL] = 1;
        predict_deaths(how[i].step, d.mean);
        trial_run(&(struct trial){__func__, "physics/death_in_region.cfg", .step = how[i].name},
                  look_deaths, &d);
    }
    verdict_check(&v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(law_binding_in_equilibrium),
        cmocka_unit_test(law_totals_of_a_linear_network),
        cmocka_unit_test(law_births_and_deaths),
        cmocka_unit_test(law_voxels_without_movement),
        cmocka_unit_test(law_binding_does_not_change_walks),
        cmocka_unit_test(law_reactions_stay_in_their_region),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
