/* law_patterns - tests the waves and patterns of configs/, reduced. Many molecules follow the
   equations for means (tests/support/means.c); a pattern that grows from noise must have the
   wavelength that grows. */
#include "means.h"
#include "trial.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* A run of many molecules is compared with the equations for means from its initial state, in
   blocks of voxels. */
enum { BLOCK = 8 };
/* Limits the molecules of a block: with fewer, it deviates from the equations for means. */
static const double least = 1000;
struct front {
    struct means means;
    double *number;
    double time, worst;
};

static double sum_of(const double *number, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += number[i];
    return sum;
}

static void compare_species(struct front *f, const double *expected, const int32_t *found,
                            int n_voxels)
{
    double most = 0, worst = 0;
    for (int from = 0; from < n_voxels; from += BLOCK) {
        const int n = n_voxels - from < BLOCK ? n_voxels - from : BLOCK;
        double number = 0;
        for (int i = 0; i < n; i++)
            number += found[from + i];
        most = fmax(most, sum_of(expected + from, n));
        worst = fmax(worst, fabs(number - sum_of(expected + from, n)));
    }
    if (most > least)
        f->worst = fmax(f->worst, worst / most);
}

static void look_at_front(void *to, const struct rd_model *m, const struct rd_snapshot *s)
{
    struct front *const f = to;
    const int n_voxels = (int)m->grid.n_sites, n = f->means.n_species * n_voxels;
    if (!f->number) {
        assert_int_equal(n_voxels, f->means.size[0] * f->means.size[1]);
        f->number = calloc((size_t)n, sizeof *f->number);
        assert_non_null(f->number);
        for (int i = 0; i < n; i++)
            f->number[i] = s->counts[i];
        return;
    }
    means_advance(&f->means, s->time - f->time, f->number);
    f->time = s->time;
    for (int species = 0; species < f->means.n_species; species++)
        compare_species(f, f->number + species * n_voxels, s->counts + species * n_voxels,
                        n_voxels);
}

static void compare_front(const char *test, const char *model, const char *const *sets,
                          const char *step, double unseen, struct means means)
{
    struct front f = {.means = means};
    trial_run(&(struct trial){test, model, .sets = sets, .step = step, .runs = 1}, look_at_front,
              &f);
    print_message("             at most %.4f of the most beside the equations for means\n",
                  f.worst);
    assert_true(f.time > 0 && f.worst < unseen);
    free(f.number);
}

/* Tests calcium on a line along which the wave runs, with twenty times the molecules, to 4 % of the
   peak. The time is short: calcium in the rest state increases by itself, and noise increases with
   it. */
static void react_calcium(const double *n, double *change)
{
    const double uM = 11218, channels = 20000, open = 0.567 + 0.433 * 0.095 / 4.095;
    const double ca = n[0] / uM, share = n[1] / channels;
    change[0] =
        uM * (0.02 + 8.1 * open * share * (0.111 + 0.889 * ca / (0.7 + ca)) - 2 * ca / (0.1 + ca));
    change[1] = channels / 2 * (0.49 / (0.49 + ca * ca) - share);
}

static void law_calcium_wave(void **state)
{
    (void)state;
    compare_front(__func__, CONFIGS "calcium.cfg",
                  SETS("grid.voxels=(1, 128)", "parameters.micromolar=11218",
                       "parameters.channels=20000", "time.end=2", "output.every=1"),
                  "0.01", 0.04,
                  (struct means){.size = {1, 128},
                                 .edge = 250.0 / 128,
                                 .n_species = 2,
                                 .diffusion = {20},
                                 .react = react_calcium,
                                 .step = 0.005});
}

/* Tests X, Y, Z, Y1, Y2 of the Oregonator in a row of voxels that crosses the wedge. */
static void react_oregonator(const double *n, double *change)
{
    const double size = 8e-11, x = n[0], y = n[1], z = n[2], y1 = n[3], y2 = n[4];
    const double meet = 1.045e-9 / size * x * y, pair = 100 * y1 * y1, other = 100 * y2 * y2;
    change[0] = 843.2 * y - meet + 4.216 * x - 2 * 5.22e-15 / size * x * x;
    change[1] = -843.2 * y - meet + pair;
    change[2] = 2 * 4.216 * x - 0.048 * z;
    change[3] = 0.048 * z - 2 * pair + other;
    change[4] = 0.048 * z - 2 * other;
}

static void law_oregonator_wave(void **state)
{
    (void)state;
    compare_front(__func__, CONFIGS "oregonator.cfg",
                  SETS("parameters.n=32", "grid.voxels=(1, 32)", "parameters.size=8e-11",
                       "time.end=1.5", "output.every=0.75"),
                  "0.002", 0.03,
                  (struct means){.size = {1, 32},
                                 .edge = 0.54 / 256,
                                 .n_species = 5,
                                 .diffusion = {1.5e-5, 0, 0.9e-5},
                                 .react = react_oregonator,
                                 .step = 4e-6});
}

/* Uses a hundred times the molecules, and steps of .1, since the front is 2 % late with steps of
   .5. */
static void react_gray_scott(const double *n, double *change)
{
    const double full = 25000, u = n[0], v = n[1], eaten = u * v * v / full / full;
    change[0] = 0.0025 * (full - u) - eaten;
    change[1] = eaten - 0.025 * v;
}

static void law_gray_scott_wave(void **state)
{
    (void)state;
    compare_front(
        __func__, CONFIGS "gray_scott.cfg",
        SETS("grid.voxels=(1, 256)", "parameters.full=25000", "time.end=100", "output.every=50"),
        "0.1", 0.03,
        (struct means){.size = {1, 256},
                       .edge = 89.4 / 256,
                       .n_species = 2,
                       .diffusion = {0, 0.005},
                       .react = react_gray_scott,
                       .step = 0.02});
}

/* Tests the wave of illness among 100000 per voxel, to 2 % of them. There are thousands of infected
   ahead of it: at a front of single individuals noise matters, and even among so many it makes the
   wave 5 % slower (Brunet and Derrida, Phys. Rev. E 56, 2597 (1997)). */
static void react_epidemic(const double *n, double *change)
{
    const double infected = 2.0 / 100000 * n[0] * n[1];
    change[0] = -infected;
    change[1] = infected - n[1];
    change[2] = n[1];
}

static void law_epidemic_wave(void **state)
{
    (void)state;
    compare_front(__func__, CONFIGS "epidemic_wave.cfg",
                  SETS("grid.voxels=(48, 1)", "parameters.K=100000",
                       "initial=({ species=\"healthy\"; value=\"K\"; },"
                       "{ species=\"ill\"; value=\"K * e^(-x / 4)\"; })",
                       "time.end=3", "output.every=1.5"),
                  "0.02", 0.02,
                  (struct means){.size = {48, 1},
                                 .edge = 1,
                                 .n_species = 3,
                                 .diffusion = {0.5, 0.5, 0.5},
                                 .react = react_epidemic,
                                 .step = 0.02});
}

/* Tests clocks on a ring that are early on one side and late on the other, to 3 % of the peak. Both
   halves are equal, so that reflecting walls are right as well. */
static void react_brusselator(const double *n, double *change)
{
    const double size = 20000, grown = n[0] * n[0] * n[1] / size / size;
    change[0] = size - 4 * n[0] + grown;
    change[1] = 3 * n[0] - grown;
}

static void law_brusselators(void **state)
{
    (void)state;
    compare_front(__func__, CONFIGS "brusselator.cfg",
                  SETS("grid.voxels=(32, 1)", "parameters.size=20000", "time.end=2",
                       "output.every=1", "initial[0].value=size * (1.2 + cos(2 * pi * x / 32))"),
                  "0.02", 0.03,
                  (struct means){.size = {32, 1},
                                 .edge = 1,
                                 .n_species = 2,
                                 .diffusion = {0.2, 0.2},
                                 .react = react_brusselator,
                                 .step = 0.005});
}

/* Tests one clock of many molecules: the time between two rises of X is 7.157 in the equations for
   means. The average over three resolves 1 %. */
struct clock {
    double before, first, last;
    int rises;
};

static void look_at_clock(void *to, const struct rd_model *m, const struct rd_snapshot *s)
{
    (void)m;
    struct clock *const c = to;
    const double x = (double)s->totals[0] / 1e5;
    if (c->before < 1.5 && x >= 1.5) {
        c->first = c->rises == 0 ? s->time : c->first;
        c->last = s->time;
        c->rises++;
    }
    c->before = x;
}

static void law_period_of_a_brusselator(void **state)
{
    (void)state;
    struct clock c = {.before = 9};
    trial_run(&(struct trial){__func__, CONFIGS "brusselator.cfg",
                              .sets = SETS("grid.voxels=1", "grid.walls={}", "parameters.size=1e5",
                                           "time.end=26", "output.every=0.02",
                                           "initial[0].value=2 * size"),
                              .step = "auto", .runs = 1},
              look_at_clock, &c);
    assert_true(c.rises >= 3);
    const double period = (c.last - c.first) / (c.rises - 1);
    print_message("             period %.3f\n", period);
    assert_true(fabs(period / 7.157 - 1) < 0.01);
}

/* Tests small deviations from the steady state of Schnakenberg's model. The covariances C of the
   wave with q half periods along the line follow dC/dt = J C + C J' + B, where J is the
   linearisation of the equations for means and B the noise of reactions and hops (van Kampen 2007,
   VIII and X). 300 runs until t = 100 resolve 40 % in the variance of each of 12 waves and 12 % in
   all together. The wave with 6 half periods then has 1.5 times the variance that B gives without
   J, the one with 12 has .7 times. */
enum { LINE = 40, WAVES = 13 };
struct turing {
    struct lab_sums wave[WAVES];
    struct verdict verdict;
};

static double variance_of_wave(int q, double t)
{
    const double h = 0.025, lambda = (2 - 2 * cos(acos(-1.0) * q / LINE)) / (h * h);
    const double j[2][2] = {{0.01 - 1e-5 * lambda, 0.04}, {-0.03, -0.04 - 1e-3 * lambda}};
    const double b[3] = {8 + 2 * 1e-5 * lambda * 200, -3, 6 + 2 * 1e-3 * lambda * 75};
    const int steps = 20000;
    double c[3] = {0}; /* covariances AA, AB, BB */
    for (int i = 0; i < steps; i++) {
        const double aa = 2 * (j[0][0] * c[0] + j[0][1] * c[1]) + b[0];
        const double ab = j[0][0] * c[1] + j[0][1] * c[2] + j[1][0] * c[0] + j[1][1] * c[1] + b[1];
        const double bb = 2 * (j[1][0] * c[1] + j[1][1] * c[2]) + b[2];
        c[0] += aa * t / steps;
        c[1] += ab * t / steps;
        c[2] += bb * t / steps;
    }
    return c[0];
}

static double wave_of(const int32_t *count, int q)
{
    double sum = 0;
    for (int i = 0; i < LINE; i++)
        sum += count[i] * cos(acos(-1.0) * q * (i + 0.5) / LINE);
    return sum * sqrt(2.0 / LINE);
}

static void look_at_waves(void *to, const struct rd_model *m, const struct rd_snapshot *s)
{
    struct turing *const t = to;
    if (s->time == 0)
        return;
    for (int64_t run = 0; run < m->n_runs; run++)
        for (int q = 1; q < WAVES; q++)
            lab_add(&t->wave[q], wave_of(s->counts + run * 2 * LINE, q));
}

static void law_growth_of_turing_waves(void **state)
{
    (void)state;
    struct turing t = {.wave = {{0}}};
    double sum = 0;
    trial_run(&(struct trial){__func__, CONFIGS "schnakenberg.cfg",
                              .sets = SETS("time.end=100", "output.every=100"), .step = "auto",
                              .runs = 300},
              look_at_waves, &t);
    for (int q = 1; q < WAVES; q++) {
        const double z = lab_variance_z(&t.wave[q], variance_of_wave(q, 100), 0);
        verdict_add(&t.verdict, z, "wave with %d half periods: variance %g instead of %g", q,
                    t.wave[q].squares / t.wave[q].n, variance_of_wave(q, 100));
        sum += z / sqrt(WAVES - 1);
    }
    verdict_add(&t.verdict, sum, "all waves");
    verdict_check(&t.verdict);
}

/* Tests that one wave dominates in the end: one of 4 to 9 half periods, which can grow, in each of
   8 runs. */
static void look_at_the_end(void *to, const struct rd_model *m, const struct rd_snapshot *s)
{
    int *const seen = to;
    if (s->time == 0)
        return;
    for (int64_t run = 0; run < m->n_runs; run++) {
        const int32_t *const a = s->counts + run * 2 * LINE;
        int highest = 1;
        for (int q = 2; q < LINE; q++)
            highest = fabs(wave_of(a, q)) > fabs(wave_of(a, highest)) ? q : highest;
        assert_in_range(highest, 4, 9);
        assert_true(fabs(wave_of(a, highest)) > 5 * sqrt(200));
        seen[highest]++;
    }
}

static void law_turing_pattern(void **state)
{
    (void)state;
    int seen[LINE] = {0};
    trial_run(&(struct trial){__func__, CONFIGS "schnakenberg.cfg",
                              .sets = SETS("output.every=1800"), .step = "auto", .runs = 8},
              look_at_the_end, seen);
    for (int q = 4; q < 10; q++)
        print_message("             %d runs with %d half periods\n", seen[q], q);
}

/* Tests MinD on a lattice of coarse voxels, which behaves about as the finer one. After 20 s most
   of the bound molecules, by half, are at one end, then at the other, at least four times in a
   minute. */
struct ends {
    int side, changes;
};

static void look_at_ends(void *to, const struct rd_model *m, const struct rd_snapshot *s)
{
    struct ends *const e = to;
    const int64_t width = m->grid.size[0], n_sites = m->grid.n_sites;
    double at[2] = {0};
    if (s->time < 20)
        return;
    for (int64_t i = 0; i < n_sites; i++)
        at[i % width * 2 / width] += s->counts[3 * n_sites + i] + s->counts[4 * n_sites + i];
    const int side = 2 * at[0] > 3 * at[1] ? 1 : 2 * at[1] > 3 * at[0] ? 2 : 0;
    e->changes += side != 0 && e->side != 0 && side != e->side;
    e->side = side != 0 ? side : e->side;
}

static void law_min_oscillates(void **state)
{
    (void)state;
    struct ends e = {0};
    trial_run(&(struct trial){__func__, CONFIGS "min_de.cfg",
                              .sets = SETS("parameters.side=0.15", "time.end=80", "output.every=1"),
                              .step = "0.004", .runs = 1},
              look_at_ends, &e);
    print_message("             %d changes of sides in 60 s\n", e.changes);
    assert_in_range(e.changes, 4, 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(law_calcium_wave),           cmocka_unit_test(law_oregonator_wave),
        cmocka_unit_test(law_gray_scott_wave),        cmocka_unit_test(law_epidemic_wave),
        cmocka_unit_test(law_brusselators),           cmocka_unit_test(law_period_of_a_brusselator),
        cmocka_unit_test(law_growth_of_turing_waves), cmocka_unit_test(law_turing_pattern),
        cmocka_unit_test(law_min_oscillates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
