/* law_wellmixed - tests reactions in one volume against their master equation, solved on its
   states: propensities of every order, stationary distributions, epidemics that end. A run is one
   voxel without movement, where neither solver has an error at any step. R runs resolve 5 standard
   deviations / sqrt(R) in the mean, and a Pearson sum of about 5 sqrt(2 bins) / R in the
   distribution. */
#include "chain.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static const char *const steps[] = {"auto", "0.37", "exact"};
enum { N_STEPS = sizeof steps / sizeof steps[0] };

/* Compares one step, steps that do not divide the time, and the exact solver with the chain. */
static void compare(const char *test, const char *model, const char *const *sets,
                    const struct chain *c, const int start[CHAIN_SPECIES])
{
    struct verdict v = {0};
    for (int i = 0; i < N_STEPS; i++) {
        const struct trial t = {test, model, .sets = sets, .step = steps[i]};
        chain_compare_from(c, start, &t, &v);
    }
    verdict_check(&v);
}

/* Tests 2A -> 0, A + B -> 0, 0 -> A, 0 -> B with propensities .001 n (n - 1), .01 a b, 1.2, 1 from
   (10, 12): Erban, Chapman and Maini, arXiv 0704.1908 (2007). At t = 600 the chain must give the
   numbers of models.md, and the program must agree with the chain. 20000 runs resolve .15 in mean
   A, .22 in mean B and 5 % of the variances. A propensity of n^2 instead of n (n - 1) shifts mean A
   by .5. */
static const int ab_start[CHAIN_SPECIES] = {10, 12};

static void law_ab_reaction(void **state)
{
    (void)state;
    const struct chain ab = chain_ab(0);
    compare(__func__, "physics/ab.cfg", NULL, &ab, ab_start);
}

static void law_ab_reaction_at_late_times(void **state)
{
    (void)state;
    const struct chain ab = chain_ab(0);
    struct verdict v = {0};
    const struct trial t = {__func__, "physics/ab.cfg",
                            .sets = SETS("time.end=600", "output.times=(600)"), .step = "auto"};
    chain_compare_from(&ab, ab_start, &t, &v);
    verdict_check(&v);
}

/* Checks the chain against the published numbers. */
static void law_ab_chain_is_as_published(void **state)
{
    (void)state;
    const struct chain ab = chain_ab(0);
    double *const p = chain_zeros(&ab), a = 0, b = 0, aa = 0, bb = 0, cross = 0;
    p[chain_state(&ab, ab_start)] = 1;
    chain_advance(&ab, 600, p);
    for (int i = 0; i < ab.size[0] * ab.size[1]; i++) {
        const double na = i % ab.size[0], nb = i / ab.size[0];
        a += p[i] * na;
        b += p[i] * nb;
        aa += p[i] * na * na;
        bb += p[i] * nb * nb;
        cross += p[i] * na * nb;
    }
    free(p);
    assert_true(fabs(a - 9.58890) < 2e-5 && fabs(b - 12.11888) < 2e-5);
    assert_true(fabs(aa - a * a - 17.67335) < 2e-4 && fabs(bb - b * b - 39.62992) < 2e-4);
    assert_true(fabs(cross - a * b + 16.21131) < 2e-4);
}

/* Tests an epidemic: S + I -> 2 I with the propensity b S I / N as an expression, I -> R; b = 1.6,
   g = 1, N = 60. It must end: no individual is infected at the end. 40000 runs resolve .4 in the
   mean final size, 14.83440 from one and 23.62745 from two; both follow from the chain. */
static void compare_epidemic(const char *test, int infected, double published)
{
    const struct chain sir = {.size = {61, 61},
                              .species = {0, 1},
                              .n_reactions = 2,
                              .reaction = {{.rate = 1.6 / 60, .takes = {1, 1}, .change = {-1, 1}},
                                           {.rate = 1.0, .takes = {0, 1}, .change = {0, -1}}}};
    const int start[CHAIN_SPECIES] = {60 - infected, infected};
    double *const p = chain_zeros(&sir), size = 0;
    p[chain_state(&sir, start)] = 1;
    chain_advance(&sir, 300, p);
    for (int s = 0; s < 61; s++)
        size += p[s] * (60 - s);
    assert_true(fabs(size - published) < 2e-5);
    char healthy[32], ill[32];
    snprintf(healthy, sizeof healthy, "initial[0].count=%d", 60 - infected);
    snprintf(ill, sizeof ill, "initial[1].count=%d", infected);
    struct verdict v = {0};
    const struct chain ended = {.size = {61, 1}, .species = {0, 1}};
    const struct trial t = {test, "physics/epidemic.cfg", .sets = SETS(healthy, ill),
                            .step = "auto"};
    chain_compare(&ended, p, &t,
                  &v); /* fails if infected are left: such a state is out of bounds */
    verdict_check(&v);
    free(p);
}

static void law_epidemic_from_one(void **state)
{
    (void)state;
    compare_epidemic(__func__, 1, 14.83440);
}

static void law_epidemic_from_two(void **state)
{
    (void)state;
    compare_epidemic(__func__, 2, 23.62745);
}

/* Tests every order from 0 to 4, in voxels of a plane and of a box whose volume is not 1. The
   constant is rate V^(1 - order), with falling factorials and no factor for the multiplicity of a
   species (Gillespie, Physica A 188, 404 (1992), with the textbook's rate equation d[A]/dt = -m k
   [A]^m). Each reaction is tested separately, for the time in which about half of it happens. 20000
   runs resolve 2 % of the propensities. */
struct reaction_order {
    const char *equation;
    int takes[CHAIN_SPECIES], gives[CHAIN_SPECIES];
    double first; /* initial propensity, 12 A, 8 B, 6 C */
    int order;
};
static const struct reaction_order orders[] = {
    {"0 -> A", {0}, {1}, 1, 0},
    {"A -> 0", {1}, {0}, 12, 1},
    {"2 A -> B", {2}, {0, 1}, 12 * 11, 2},
    {"A + B -> C", {1, 1}, {0, 0, 1}, 12 * 8, 2},
    {"3 A -> 2 A", {3}, {2}, 12 * 11 * 10, 3},
    {"2 A + B -> 3 A", {2, 1}, {3}, 12 * 11 * 8, 3},
    {"A + B + C -> 0", {1, 1, 1}, {0}, 12 * 8 * 6, 3},
    {"4 A -> B", {4}, {0, 1}, 12 * 11 * 10 * 9, 4},
    {"2 A + 2 B -> C", {2, 2}, {0, 0, 1}, 12 * 11 * 8 * 7, 4},
};

static void compare_order(const char *test, const struct reaction_order *o, const char *voxels,
                          const char *edge, double volume, struct verdict *v)
{
    /* four events per time at the start */
    const double rate = 4 / o->first;
    struct chain c = {.size = {36, 15, 15}, .species = {0, 1, 2}, .n_reactions = 1};
    c.reaction[0].rate = rate;
    for (int s = 0; s < CHAIN_SPECIES; s++) {
        c.reaction[0].takes[s] = o->takes[s];
        c.reaction[0].change[s] = o->gives[s] - o->takes[s];
    }
    char name[64], set_equation[64], set_rate[64];
    snprintf(set_equation, sizeof set_equation, "reactions[0].equation=%s", o->equation);
    snprintf(set_rate, sizeof set_rate, "reactions[0].rate=%.17g",
             rate * pow(volume, o->order - 1));
    snprintf(name, sizeof name, "%s %s %g", test, o->equation, volume);
    for (int i = 0; i < N_STEPS; i++) {
        const struct trial t = {name, "physics/order.cfg",
                                .sets = SETS(voxels, edge, set_equation, set_rate),
                                .step = steps[i]};
        chain_compare_from(&c, (const int[CHAIN_SPECIES]){12, 8, 6}, &t, v);
    }
}

static void law_propensities_of_every_order(void **state)
{
    (void)state;
    struct verdict v = {0};
    for (size_t i = 0; i < sizeof orders / sizeof orders[0]; i++) {
        compare_order(__func__, &orders[i], "grid.voxels=(1, 1)", "grid.edge=(0.5, 0.8)", 0.4, &v);
        compare_order(__func__, &orders[i], "grid.voxels=(1, 1, 1)", "grid.edge=(2.0, 0.8, 1.5)",
                      2.4, &v);
    }
    verdict_check(&v);
}

/* Tests two reactions that compete for the same molecules, each at its own rate; and two equal
   reactions, which act as one with the sum of their rates. 10000 runs resolve 2.5 % of the share of
   each. */
static void law_competing_reactions(void **state)
{
    (void)state;
    const struct chain c = {
        .size = {21, 16, 16},
        .species = {0, 1, 2},
        .n_reactions = 2,
        .reaction = {{.rate = 0.06 / 2, .takes = {1, 1}, .change = {-1, -1}},
                     {.rate = 0.08 / 2, .takes = {1, 1}, .change = {-1, -1, 1}}}};
    compare(__func__, "physics/competition.cfg", NULL, &c, (const int[CHAIN_SPECIES]){20, 15});
}

/* Tests Schloegl's two states (Z. Phys. 253, 147 (1972)) with a loss of fourth order. It is a chain
   of single steps, whose stationary probabilities follow from p(n) / p(n - 1) = up(n - 1) /
   down(n). 10000 runs resolve .3 in the mean, 6.9. */
static void law_schloegl_is_stationary(void **state)
{
    (void)state;
    const struct chain c = {.size = {80}, .species = {0}};
    double *const p = chain_zeros(&c), sum = 1;
    p[0] = 1;
    for (int n = 1; n < c.size[0]; n++) {
        const double m = n - 1, up = 6 + 0.2 * m * (m - 1);
        const double down =
            n * (2 + 0.005 * (n - 1) * (n - 2) + 1e-4 * (n - 1) * (n - 2) * (n - 3));
        sum += p[n] = p[n - 1] * up / down;
    }
    for (int n = 0; n < c.size[0]; n++)
        p[n] /= sum;
    struct verdict v = {0};
    for (int i = 0; i < N_STEPS; i++) {
        const struct trial t = {__func__, "physics/schloegl.cfg", .step = steps[i]};
        chain_compare(&c, p, &t, &v);
    }
    verdict_check(&v);
    free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(law_ab_reaction),
        cmocka_unit_test(law_ab_reaction_at_late_times),
        cmocka_unit_test(law_ab_chain_is_as_published),
        cmocka_unit_test(law_epidemic_from_one),
        cmocka_unit_test(law_epidemic_from_two),
        cmocka_unit_test(law_propensities_of_every_order),
        cmocka_unit_test(law_competing_reactions),
        cmocka_unit_test(law_schloegl_is_stationary),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
