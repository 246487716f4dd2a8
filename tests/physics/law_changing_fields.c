/* law_changing_fields - tests fields that change and mean places against exact solutions, with the
   order of their error. */
#include "trial.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

/* Stores the value of the first field in the first voxel of the first run, at the last time. */
static void note_field(void *to, const struct rd_model *m, const struct rd_snapshot *s)
{
    (void)m;
    *(double *)to = s->field[0][0];
}

/* Returns the value at time 2 of a field with this initial value and rate, in a voxel with three
   molecules, for steps of this length. */
static double field_at_2(const char *value, const char *rate, double step)
{
    char set_value[64], set_rate[64], set_step[64];
    double result = NAN;
    snprintf(set_value, sizeof set_value, "fields.f.value=%s", value);
    snprintf(set_rate, sizeof set_rate, "fields.f.rate=%s", rate);
    snprintf(set_step, sizeof set_step, "time.step=%.17g", step);
    const struct lab lab = {.look = note_field, .to = &result};
    char *const text = model_text("physics/field.cfg");
    lab_run(&lab, text, SETS(set_value, set_rate, set_step));
    free(text);
    return result;
}

/* Tests that f' = p - q f is exact for a step of any length, however large q is. */
static void law_linear_fields_are_exact(void **state)
{
    (void)state;
    static const struct {
        const char *value, *rate;
        double p, q, f;
    } cases[] = {
        {"0.0", "2 * A - 0.5 * f", 6, 0.5, 0},
        {"7.0", "-3 * f", 0, 3, 7},
        {"1.0", "A + 4", 7, 0, 1},
        {"-2.0", "1000 * (A - f)", 3000, 1000, -2},
        {"1e9", "A - 0.001 * f", 3, 0.001, 1e9},
    };
    static const double steps[] = {2, 0.5, 0.01};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (size_t k = 0; k < sizeof steps / sizeof *steps; k++) {
            const double p = cases[i].p, q = cases[i].q;
            const double exact =
                q > 0 ? p / q + (cases[i].f - p / q) * exp(-2 * q) : cases[i].f + 2 * p;
            const double found = field_at_2(cases[i].value, cases[i].rate, steps[k]);
            if (!(fabs(found - exact) <= 1e-8 * fabs(exact)))
                fail_msg("%s by %g: %.15g instead of %.15g", cases[i].rate, steps[k], found, exact);
        }
}

/* Tests that other fields are of second order: half the step gives a quarter of the error. */
static void law_other_fields_are_of_second_order(void **state)
{
    (void)state;
    const double wave = (sin(2.0) - cos(2.0) + exp(-2.0)) / 2;
    const struct {
        const char *value, *rate;
        double exact;
    } cases[] = {
        {"0.1", "f * (1 - f)", 1 / (1 + 9 * exp(-2))},
        {"0.0", "sin(t) - f", wave},
        {"2.0", "-f^2", 0.4},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double error[2];
        for (int k = 0; k < 2; k++)
            error[k] = fabs(field_at_2(cases[i].value, cases[i].rate, k == 0 ? 0.1 : 0.05) -
                            cases[i].exact);
        print_message(
            "             %s: error %.3g at a step of .1, %.2f times that of half of it\n",
            cases[i].rate, error[0], error[0] / error[1]);
        assert_true(error[0] < 3e-3 && error[0] / error[1] > 3.6 && error[0] / error[1] < 4.4);
    }
}

/* Tests c' = k A in each voxel, for A that decays at rate d and moves. The sum of c over all voxels
   has the mean k N (1 - exp(-d t)) / d wherever the molecules are. Its variance is that of the
   molecules' lifetimes min(t, an exponential time): k^2 N var. Strang's error with steps of 1/40 is
   below 1e-4 of it. 2000 runs resolve .2 % of the mean. */
enum { N_SOURCES = 200 };
static const double decay = 0.8, k_made = 0.5;

static void compare_made(void *to, const struct rd_model *m, const struct rd_snapshot *s)
{
    const double t = s->time, alive = exp(-decay * t);
    const double mean = (1 - alive) / decay, square = 2 / decay * (mean - t * alive);
    struct lab_sums sums = {.mean = k_made * N_SOURCES * mean};
    for (int64_t run = 0; run < m->n_runs; run++) {
        double sum = 0;
        for (int64_t site = 0; site < m->grid.n_sites; site++)
            sum += s->field[0][run * m->grid.n_sites + site];
        lab_add(&sums, sum);
    }
    verdict_add(to, lab_mean_z(&sums, k_made * k_made * N_SOURCES * (square - mean * mean)),
                "what was made by %g", t);
}

static void law_field_made_by_molecules(void **state)
{
    (void)state;
    struct verdict v = {0};
    trial_run(
        &(struct trial){__func__, "physics/field_of_molecules.cfg", .step = "0.025", .runs = 2000},
        compare_made, &v);
    verdict_check(&v);
}

/* Tests a rate that is a field: c' = 1 gives Poisson numbers of mean t^2 / 2 in each voxel, since
   the midpoint of each merged reaction with a step of .1 is exact. Tests also a drift up the
   gradient of a field that grows as x t: the mean place moves by t^2 / 2 times the factor. 1000
   runs with 12 voxels resolve 1 %. */
static void compare_grown(void *to, const struct rd_model *m, const struct rd_snapshot *s)
{
    const double mean = s->time * s->time / 2;
    struct lab_sums sums = {.mean = mean};
    for (int64_t i = 0; i < m->n_runs * m->grid.n_sites; i++)
        lab_add(&sums, s->counts[i]);
    verdict_add_sums(to, &sums, mean, 1 / mean, "numbers at %g", s->time);
}

static void law_rates_by_a_changing_field(void **state)
{
    (void)state;
    struct verdict v = {0};
    trial_run(&(struct trial){__func__, "physics/rate_by_field.cfg", .step = "0.1", .runs = 1000},
              compare_grown, &v);
    verdict_check(&v);
}

static void compare_places(void *to, const struct rd_model *m, const struct rd_snapshot *s)
{
    const double t = s->time;
    struct lab_sums sums = {.mean = 0.5 * t * t / 2};
    lab_add_places(&sums, m, s);
    verdict_add(to, lab_mean_z(&sums, t), "mean place at %g", t);
}

static void law_drift_up_a_changing_field(void **state)
{
    (void)state;
    struct verdict v = {0};
    trial_run(&(struct trial){__func__, "physics/drift_up_changing_field.cfg", .step = "0.5"},
              compare_places, &v);
    verdict_check(&v);
}

/* Compares fields whose rate is a mean place with that place, after a time of 1. The species are a
   cloud with known counts, one individual with another place in each run, and an empty species,
   whose mean place is the middle. */
static void note_places(void *to, const struct rd_model *m, const struct rd_snapshot *s)
{
    (void)to;
    const int64_t n = m->grid.n_sites;
    for (int64_t run = 0; run < m->n_runs; run++) {
        double sum[4] = {0}, one[3] = {0};
        for (int site = 0; site < n; site++) {
            const double at[3] = {-1 + (site % 5 + 0.5) * 0.5, (site / 5 % 4 + 0.5) * 1.0,
                                  2 + (site / 20 + 0.5) * 2.0};
            const double here = s->counts[(run * 3 + 0) * n + site];
            sum[3] += here;
            for (int a = 0; a < 3; a++) {
                sum[a] += here * at[a];
                one[a] += s->counts[(run * 3 + 1) * n + site] * at[a];
            }
        }
        for (int i = 0; i < m->n_fields; i++) {
            static const double middle[3] = {0.25, 2, 5};
            const double right = i < 3 ? sum[i] / sum[3] : i < 6 ? one[i - 3] : middle[i - 6];
            const double found = s->field[i][run * n + 7];
            if (!(fabs(found - right) < 1e-12))
                fail_msg("field %d of run %d: %.17g instead of %.17g", i, (int)run, found, right);
        }
    }
}

static void law_mean_places(void **state)
{
    (void)state;
    const struct lab lab = {.look = note_places};
    char *const text = model_text("physics/mean_places.cfg");
    lab_run(&lab, text, NULL);
    free(text);
}

/* Tests twenty individuals attracted to their own mean place, dx = -k (x - mean) dt + sqrt(2 D) dW,
   from one voxel. The mean has no drift and the variance 2 D t / N. The sum of squares about it is
   (N - 1) D / k (1 - exp(-2 k t)), except for an error of first order in the step and the lattice's
   h^2 / 12. 500 runs, each with its own mean, resolve 6 and 1.5 % of the two variances. */
enum { GROUP = 20, RANGE = 161 };

static void compare_group(void *to, const struct rd_model *m, const struct rd_snapshot *s)
{
    const double t = s->time, D = 0.5, k = 0.8;
    struct lab_sums means = {0}, spread = {.mean = (GROUP - 1) * D / k * (1 - exp(-2 * k * t))};
    for (int64_t run = 0; run < m->n_runs; run++) {
        double sum = 0, squares = 0;
        for (int site = 0; site < RANGE; site++) {
            const double x = 0.25 * (site - 80), n = s->counts[run * RANGE + site];
            sum += n * x;
            squares += n * x * x;
        }
        lab_add(&means, sum / GROUP);
        lab_add(&spread, squares - sum * sum / GROUP);
    }
    const double sigma = D / k * (1 - exp(-2 * k * t));
    verdict_add_sums(to, &means, 2 * D * t / GROUP, 0, "means at %g", t);
    verdict_add(to, lab_mean_z(&spread, 2 * (GROUP - 1) * sigma * sigma), "spread at %g", t);
}

static void law_drift_to_the_mean(void **state)
{
    (void)state;
    struct verdict v = {0};
    trial_run(
        &(struct trial){__func__, "physics/drift_to_the_mean.cfg", .step = "0.02", .runs = 500},
        compare_group, &v);
    verdict_check(&v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(law_linear_fields_are_exact),
        cmocka_unit_test(law_other_fields_are_of_second_order),
        cmocka_unit_test(law_field_made_by_molecules),
        cmocka_unit_test(law_rates_by_a_changing_field),
        cmocka_unit_test(law_drift_up_a_changing_field),
        cmocka_unit_test(law_mean_places),
        cmocka_unit_test(law_drift_to_the_mean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
