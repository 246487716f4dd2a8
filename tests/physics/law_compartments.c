/* law_compartments - tests well-mixed compartments beside the lattice against master equations: the
   error of splitting is the predicted one, of second order, and the exact solver has none. */
#include "lab.h"
#include "model_file.h"
#include "theory.h"

#include "model/surface.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- a region of three voxels and two compartments: linear.cfg ---- */

enum { A0, A1, A2, P, Q, PLACES };
typedef double matrix[PLACES * PLACES];
static const double initial[PLACES] = {40, 0, 0, 30, 12};

static void add_rate(double *q, int from, int to, double rate)
{
    q[from * PLACES + to] += rate;
    q[from * PLACES + from] -= rate;
}

/* Sets the generators of the three parts of a step: reactions within compartments, exchange,
   movement. */
static void make_parts(matrix react, matrix exchange, matrix move)
{
    memset(react, 0, sizeof(matrix));
    memset(exchange, 0, sizeof(matrix));
    memset(move, 0, sizeof(matrix));
    add_rate(react, P, Q, 0.6);
    add_rate(react, Q, P, 0.3);
    add_rate(exchange, A0, P, 2.0);
    for (int a = A0; a <= A2; a++)
        add_rate(exchange, P, a, 0.75 / 3);
    for (int a = A0; a < A2; a++) {
        add_rate(move, a, a + 1, 0.8);
        add_rate(move, a + 1, a, 0.8);
    }
}

/* Replaces p by p exp(q t). */
static void advance(double *p, const double *q, double t)
{
    matrix by, product = {0};
    theory_expm(q, PLACES, t, by);
    for (int i = 0; i < PLACES; i++)
        for (int j = 0; j < PLACES; j++)
            for (int k = 0; k < PLACES; k++)
                product[i * PLACES + k] += p[i * PLACES + j] * by[j * PLACES + k];
    memcpy(p, product, sizeof product);
}

/* Computes the probabilities [from][to] at t = 2, exactly (step 0) or with this step. */
static void transitions(double step, matrix p)
{
    matrix react, exchange, move, all;
    make_parts(react, exchange, move);
    memset(p, 0, sizeof(matrix));
    for (int i = 0; i < PLACES; i++)
        p[i * PLACES + i] = 1;
    for (int i = 0; i < PLACES * PLACES; i++)
        all[i] = react[i] + exchange[i] + move[i];
    if (step == 0)
        advance(p, all, 2);
    for (int i = 0; step > 0 && i < (int)lround(2 / step); i++) {
        advance(p, react, step / 2);
        advance(p, exchange, step / 2);
        advance(p, move, step);
        advance(p, exchange, step / 2);
        advance(p, react, step / 2);
    }
}

static double error_of(double step)
{
    matrix exact, split;
    double sum = 0;
    transitions(0, exact);
    transitions(step, split);
    for (int i = 0; i < PLACES * PLACES; i++)
        sum += fabs(split[i] - exact[i]);
    return sum;
}

static void law_order_of_the_prediction(void **state)
{
    (void)state;
    for (double step = 0.5; step > 0.1; step /= 2) {
        const double ratio = error_of(step) / error_of(step / 2);
        assert_true(ratio > 3.6 && ratio < 4.4);
    }
}

struct compartment_counts {
    struct lab_sums sums[PLACES];
};

static void look_places(void *to, const struct rd_model *m, const struct rd_snapshot *s)
{
    struct compartment_counts *const x = to;
    for (int64_t run = 0; run < m->n_runs; run++) {
        for (int a = A0; a <= A2; a++)
            lab_add(&x->sums[a], s->counts[run * 15 + a]);
        lab_add(&x->sums[P], (double)s->totals[run * 3 + 1]);
        lab_add(&x->sums[Q], (double)s->totals[run * 3 + 2]);
    }
}

/* Compares means and variances of all places with the sums over independent molecules, which have
   the probabilities p[from][to]. */
static void judge_places(const char *test, const char *file, const char *const *sets,
                         const double *p)
{
    struct compartment_counts x = {0};
    double variance[PLACES] = {0};
    for (int j = 0; j < PLACES; j++)
        for (int i = 0; i < PLACES; i++) {
            x.sums[j].mean += initial[i] * p[i * PLACES + j];
            variance[j] += initial[i] * p[i * PLACES + j] * (1 - p[i * PLACES + j]);
        }
    char *const text = lab_model(file, sets);
    char seed[40];
    snprintf(seed, sizeof seed, "run.seed=%lluL", (unsigned long long)lab_seed(test));
    lab_run(&(struct lab){.look = look_places, .to = &x, .threads = 2}, text, SETS(seed));
    free(text);
    for (int j = 0; j < PLACES; j++) {
        const double z = lab_mean_z(&x.sums[j], variance[j]);
        const double y = lab_variance_z(&x.sums[j], variance[j], 0);
        if (!(fabs(z) < 4.5 && fabs(y) < 4.5))
            fail_msg("place %d: mean %.1f and variance %.1f standard errors off", j, z, y);
    }
}

/* Tests that the error of a long step is many standard errors, and it is the predicted one. */
static void law_split_errors_are_as_predicted(void **state)
{
    (void)state;
    matrix p;
    assert_true(error_of(1.0) > 0.05);
    transitions(1.0, p);
    judge_places("split_1", "compartments/linear.cfg", SETS("time.step=1.0"), p);
    transitions(0.25, p);
    judge_places("split_0.25", "compartments/linear.cfg", SETS("time.step=0.25"), p);
}

static void law_exact_solver(void **state)
{
    (void)state;
    matrix p;
    transitions(0, p);
    judge_places("exact", "compartments/linear.cfg", SETS("solver=exact"), p);
}

/* Computes the probabilities at t = 2 if voxels and pool are mixed after each movement. */
static void mixed_transitions(double step, matrix p)
{
    const double share = 2.0 / (2.0 + 3.0);
    matrix react, exchange, move;
    make_parts(react, exchange, move);
    memset(p, 0, sizeof(matrix));
    for (int i = 0; i < PLACES; i++)
        p[i * PLACES + i] = 1;
    for (int i = 0; i < (int)lround(2 / step); i++) {
        advance(p, react, step / 2);
        advance(p, move, step);
        for (int from = 0; from < PLACES; from++) {
            double *const to = p + from * PLACES;
            const double all = to[A0] + to[A1] + to[A2] + to[P];
            to[A0] = to[A1] = to[A2] = all * (1 - share) / 3;
            to[P] = all * share;
        }
        advance(p, react, step / 2);
    }
}

static void law_instant_mixing(void **state)
{
    (void)state;
    matrix p;
    mixed_transitions(0.25, p);
    judge_places("mixing_0.25", "compartments/mixing.cfg", SETS("time.step=0.25"), p);
    mixed_transitions(1.0, p);
    judge_places("mixing_1", "compartments/mixing.cfg", SETS("time.step=1.0"), p);
}

/* Tests that without reactions in compartments and movement nothing is split. */
static void law_exchange_is_exact_at_any_step(void **state)
{
    (void)state;
    matrix q = {0}, p;
    struct compartment_counts x = {0};
    double variance[PLACES] = {0};
    add_rate(q, A0, P, 2.0);
    for (int a = A0; a <= A2; a++)
        add_rate(q, P, a, 0.75 / 3);
    theory_expm(q, PLACES, 2, p);
    for (int j = 0; j < PLACES; j++)
        for (int i = 0; i < PLACES; i++) {
            x.sums[j].mean += initial[i] * p[i * PLACES + j];
            variance[j] += initial[i] * p[i * PLACES + j] * (1 - p[i * PLACES + j]);
        }
    char seed[40];
    snprintf(seed, sizeof seed, "run.seed=%lluL", (unsigned long long)lab_seed(__func__));
    char *const text =
        lab_model("compartments/linear.cfg", SETS("time.step=2.0", "species[0].diffusion=0",
                                                  "reactions[2].rate=0", "reactions[3].rate=0"));
    lab_run(&(struct lab){.look = look_places, .to = &x, .threads = 2}, text, SETS(seed));
    free(text);
    for (int j = 0; j < Q; j++)
        assert_true(fabs(lab_mean_z(&x.sums[j], variance[j])) < 4.5 &&
                    fabs(lab_variance_z(&x.sums[j], variance[j], 0)) < 4.5);
}

/* ---- recruitment: neutral.cfg ---- */

enum { N = 60 };
struct numbers {
    double mean[2], variance[2]; /* expected at the two outputs */
    struct lab_sums sums[2];
    int at;
};

static void look_numbers(void *to, const struct rd_model *m, const struct rd_snapshot *s)
{
    struct numbers *const x = to;
    x->sums[x->at].mean = x->mean[x->at];
    for (int64_t run = 0; run < m->n_runs; run++) {
        assert_int_equal(s->totals[2 * run] + s->totals[2 * run + 1], N);
        lab_add(&x->sums[x->at], (double)s->totals[2 * run]);
    }
    x->at++;
}

/* Computes the moments of the number on the lattice at time t by the master equation. */
static void solve_numbers(double t, double *mean, double *variance)
{
    static double q[(N + 1) * (N + 1)], p[(N + 1) * (N + 1)];
    memset(q, 0, sizeof q);
    for (int n = 0; n <= N; n++) {
        const double up = (0.05 + 0.5 / 50 * n) * (N - n), down = 0.3 * n;
        q[n * (N + 1) + n] = -up - down;
        if (n < N)
            q[n * (N + 1) + n + 1] = up;
        if (n > 0)
            q[n * (N + 1) + n - 1] = down;
    }
    theory_expm(q, N + 1, t, p);
    double sum = 0, squares = 0;
    for (int n = 0; n <= N; n++) {
        sum += n * p[n];
        squares += (double)n * n * p[n];
    }
    *mean = sum;
    *variance = squares - sum * sum;
}

static void judge_numbers(const char *test, const char *solver)
{
    struct numbers x = {0};
    solve_numbers(1, &x.mean[0], &x.variance[0]);
    solve_numbers(4, &x.mean[1], &x.variance[1]);
    char seed[40];
    snprintf(seed, sizeof seed, "run.seed=%lluL", (unsigned long long)lab_seed(test));
    char *const text = lab_model("compartments/neutral.cfg", SETS(solver));
    lab_run(&(struct lab){.look = look_numbers, .to = &x, .threads = 2}, text, SETS(seed));
    free(text);
    for (int i = 0; i < 2; i++) {
        const double z = lab_mean_z(&x.sums[i], x.variance[i]);
        const double y = lab_variance_z(&x.sums[i], x.variance[i], 0);
        if (!(fabs(z) < 4.5 && fabs(y) < 4.5))
            fail_msg("%s: mean %.1f and variance %.1f standard errors off", solver, z, y);
    }
}

static void law_recruitment_split(void **state)
{
    (void)state;
    judge_numbers(__func__, "solver=split");
}

static void law_recruitment_exact(void **state)
{
    (void)state;
    judge_numbers(__func__, "solver=exact");
}

/* ---- where products appear: landing.cfg ---- */

/* Compares the counts with multinomial ones whose probabilities are in proportion to the weights.
 */
static void judge_counts(const int32_t *count, const double *weight, int64_t n_sites)
{
    double all = 0, n = 0, chi_square = 0;
    int freedom = -1;
    for (int64_t site = 0; site < n_sites; site++) {
        all += weight[site];
        n += count[site];
        assert_true(weight[site] > 0 || count[site] == 0);
    }
    for (int64_t site = 0; site < n_sites; site++) {
        const double mean = n * weight[site] / all;
        if (mean < 20)
            continue;
        chi_square += (count[site] - mean) * (count[site] - mean) / mean;
        freedom++;
    }
    assert_true(freedom > 30);
    assert_true(fabs(theory_chi_square_deviate(chi_square, freedom)) < 4.5);
}

/* Runs a model once and fails unless the function has seen its snapshot. */
static void run_and_look(const char *model, uint64_t seed, lab_look *look)
{
    bool is_seen = false;
    char set[40];
    snprintf(set, sizeof set, "run.seed=%lluL", (unsigned long long)seed);
    char *const text = model_text(model);
    lab_run(&(struct lab){.look = look, .to = &is_seen}, text, SETS(set));
    free(text);
    assert_true(is_seen);
}

static void look_landing(void *to, const struct rd_model *m, const struct rd_snapshot *s)
{
    const int64_t n = m->grid.n_sites;
    double *const weight = calloc((size_t)n, sizeof *weight);
    assert_non_null(weight);
    for (int64_t i = 0; i < m->surface[0].n_voxels; i++)
        weight[m->surface[0].voxel[i].site] = m->surface[0].voxel[i].area;
    judge_counts(s->counts, weight, n);
    for (int64_t site = 0; site < n; site++)
        weight[site] = (m->mask[site] & 3) == 3;
    judge_counts(s->counts + n, weight, n);
    free(weight);
    *(bool *)to = true;
}

static void law_products_appear_by_area_and_volume(void **state)
{
    (void)state;
    run_and_look("compartments/landing.cfg", lab_seed(__func__), look_landing);
}

/* ---- where mixed molecules are: mixed_places.cfg ---- */

static void look_mixed(void *to, const struct rd_model *m, const struct rd_snapshot *s)
{
    enum { M, A, B, FIRST_POOLED };
    static const double share[] = {0.25, 0.5, 0.0}, all[] = {200000, 200000, 3000};
    const int64_t n = m->grid.n_sites;
    const int columns = m->grid.size[0];
    double *const weight = calloc((size_t)n, sizeof *weight);
    int32_t in_column[50] = {0};
    assert_non_null(weight);
    for (int i = 0; i < FIRST_POOLED; i++) {
        const double pooled = (double)s->totals[FIRST_POOLED + i];
        assert_true((double)s->totals[i] + pooled == all[i]);
        assert_true(fabs(pooled - share[i] * all[i]) <=
                    4.5 * sqrt(all[i] * share[i] * (1 - share[i])));
    }
    for (int64_t i = 0; i < m->surface[0].n_voxels; i++)
        weight[m->surface[0].voxel[i].site] = m->surface[0].voxel[i].area;
    judge_counts(s->counts, weight, n);
    for (int64_t site = 0; site < n; site++)
        weight[site] = (m->mask[site] & 3) == 3;
    judge_counts(s->counts + n, weight, n);
    assert_int_equal(columns, 50);
    for (int64_t site = 0; site < n; site++)
        in_column[site % columns] += s->counts[2 * n + site];
    for (int i = 0; i < columns; i++)
        weight[i] = 1;
    judge_counts(in_column, weight, columns);
    free(weight);
    *(bool *)to = true;
}

static void law_mixed_molecules_are_placed_by_area_and_volume(void **state)
{
    (void)state;
    run_and_look("compartments/mixed_places.cfg", lab_seed(__func__), look_mixed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(law_order_of_the_prediction),
        cmocka_unit_test(law_split_errors_are_as_predicted),
        cmocka_unit_test(law_exact_solver),
        cmocka_unit_test(law_exchange_is_exact_at_any_step),
        cmocka_unit_test(law_recruitment_split),
        cmocka_unit_test(law_recruitment_exact),
        cmocka_unit_test(law_products_appear_by_area_and_volume),
        cmocka_unit_test(law_instant_mixing),
        cmocka_unit_test(law_mixed_molecules_are_placed_by_area_and_volume),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
