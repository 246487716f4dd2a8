/* chain - the master equation of a few species in one well-mixed volume, on all states up to
   bounds, compared with what many runs show. */
#include "chain.h"
#include "theory.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Sets the expected number in a bin of Pearson's sum, at least. */
static const double least = 20;
/* Uniformised jumps at a time, at most: exp(-256) is still a normal number. */
static const double most_jumps = 256;
/* A probability below this is not moved, since denormal numbers are slow. */
static const double negligible = 1e-30;

static int size_of(const struct chain *c, int s)
{
    return c->size[s] > 0 ? c->size[s] : 1;
}

static int n_states(const struct chain *c)
{
    return size_of(c, 0) * size_of(c, 1) * size_of(c, 2);
}

struct chain chain_ab(int first)
{
    return (struct chain){.size = {48, 126},
                          .species = {first, first + 1},
                          .n_reactions = 4,
                          .reaction = {{.rate = 0.001, .takes = {2}, .change = {-2}},
                                       {.rate = 0.01, .takes = {1, 1}, .change = {-1, -1}},
                                       {.rate = 1.2, .change = {1}},
                                       {.rate = 1.0, .change = {0, 1}}},
                          .each_voxel = true};
}

struct chain chain_linear(void)
{
    return (struct chain){.size = {130, 80},
                          .species = {0, 1},
                          .n_reactions = 4,
                          .reaction = {{.rate = 0.5, .takes = {1}, .change = {1}},
                                       {.rate = 0.3, .takes = {1}, .change = {-1, 1}},
                                       {.rate = 0.2, .takes = {0, 1}, .change = {1, -1}},
                                       {.rate = 0.4, .takes = {0, 1}, .change = {0, -1}}}};
}

double *chain_zeros(const struct chain *c)
{
    return theory_zeros(n_states(c));
}

int chain_state(const struct chain *c, const int count[CHAIN_SPECIES])
{
    int state = 0;
    for (int s = CHAIN_SPECIES - 1; s >= 0; s--) {
        if (count[s] < 0 || count[s] >= size_of(c, s))
            return -1;
        state = state * size_of(c, s) + count[s];
    }
    return state;
}

static void counts_of(const struct chain *c, int state, int count[CHAIN_SPECIES])
{
    for (int s = 0; s < CHAIN_SPECIES; state /= size_of(c, s++))
        count[s] = state % size_of(c, s);
}

/* Holds the reactions that can happen in each state. */
struct jumps {
    int n_states, n_reactions;
    double most;  /* largest total propensity of any state */
    double *rate; /* [state][reaction] */
    int *to;      /* [state][reaction]; -1: out of bounds */
};

static struct jumps jumps_of(const struct chain *c)
{
    struct jumps j = {.n_states = n_states(c), .n_reactions = c->n_reactions};
    const int n = j.n_states * j.n_reactions;
    j.rate = theory_zeros(n + 1);
    j.to = calloc((size_t)n + 1, sizeof *j.to);
    assert_non_null(j.to);
    for (int state = 0; state < j.n_states; state++) {
        double total = 0;
        for (int r = 0; r < c->n_reactions; r++) {
            int count[CHAIN_SPECIES];
            counts_of(c, state, count);
            double a = c->reaction[r].rate;
            for (int s = 0; s < CHAIN_SPECIES; s++) {
                for (int k = 0; k < c->reaction[r].takes[s]; k++)
                    a *= count[s] - k;
                count[s] += c->reaction[r].change[s];
            }
            j.rate[state * j.n_reactions + r] = a;
            j.to[state * j.n_reactions + r] = chain_state(c, count);
            total += a;
        }
        j.most = fmax(j.most, total);
    }
    return j;
}

/* Computes next = p after one jump of the uniformised chain. */
static void jump(const struct jumps *j, const double *p, double *next)
{
    memcpy(next, p, (size_t)j->n_states * sizeof *next);
    for (int state = 0; state < j->n_states; state++) {
        for (int r = 0; r < j->n_reactions && p[state] > negligible; r++) {
            const int to = j->to[state * j->n_reactions + r];
            const double field_rate = p[state] * j->rate[state * j->n_reactions + r] / j->most;
            next[state] -= field_rate;
            if (to >= 0)
                next[to] += field_rate;
        }
    }
}

/* Computes exp(Q t) by uniformisation: sum over k of the Poisson probability of k jumps in t, times
   the distribution after k jumps. */
void chain_advance(const struct chain *c, double t, double *p)
{
    const struct jumps j = jumps_of(c);
    const int pieces = 1 + (int)(j.most * t / most_jumps);
    const double mean = j.most * t / pieces;
    double *at = chain_zeros(c), *next = chain_zeros(c);
    for (int piece = 0; piece < pieces && mean > 0; piece++) {
        memcpy(at, p, (size_t)j.n_states * sizeof *p);
        memset(p, 0, (size_t)j.n_states * sizeof *p);
        double probability = exp(-mean);
        for (int k = 0; k < mean || probability > 1e-18; probability *= mean / ++k) {
            for (int state = 0; state < j.n_states; state++)
                p[state] += probability * at[state];
            jump(&j, at, next);
            double *const swap = at;
            at = next;
            next = swap;
        }
    }
    free(at);
    free(next);
    free(j.rate);
    free(j.to);
}

struct chain_watching {
    const struct chain *chain;
    const struct trial *trial;
    struct verdict *verdict;
    double *p;       /* [state], at the current time */
    double *seen;    /* [state]: number of runs, or of voxels */
    double *feature; /* [state] */
    double n, time;
};

/* Compares the mean of w->feature over the observed states with its expectation. */
static void compare_mean(const struct chain_watching *w, const char *what, int i, int k)
{
    double mean = 0, square = 0, found = 0;
    for (int state = 0; state < n_states(w->chain); state++) {
        mean += w->p[state] * w->feature[state];
        square += w->p[state] * w->feature[state] * w->feature[state];
        found += w->seen[state] * w->feature[state] / w->n;
    }
    const double variance = square - mean * mean;
    const double error = sqrt(fmax(variance, 1e-12 * square) / w->n);
    verdict_add(w->verdict, error > 0 ? (found - mean) / error : 0,
                "step %s, t = %g, %s %d %d: %g instead of %g", w->trial->step, w->time, what, i, k,
                found, mean);
}

static double mean_count(const struct chain_watching *w, int s)
{
    double mean = 0;
    for (int state = 0; state < n_states(w->chain); state++) {
        int count[CHAIN_SPECIES];
        counts_of(w->chain, state, count);
        mean += w->p[state] * count[s];
    }
    return mean;
}

static void compare_moments(const struct chain_watching *w)
{
    double mean[CHAIN_SPECIES];
    int count[CHAIN_SPECIES];
    for (int s = 0; s < CHAIN_SPECIES; s++)
        mean[s] = mean_count(w, s);
    for (int i = 0; i < CHAIN_SPECIES && w->chain->size[i] > 0; i++) {
        for (int state = 0; state < n_states(w->chain); state++) {
            counts_of(w->chain, state, count);
            w->feature[state] = count[i];
        }
        compare_mean(w, "mean", i, i);
        for (int k = 0; k <= i; k++) {
            for (int state = 0; state < n_states(w->chain); state++) {
                counts_of(w->chain, state, count);
                w->feature[state] = (count[i] - mean[i]) * (count[k] - mean[k]);
            }
            compare_mean(w, "covariance", i, k);
        }
    }
}

/* Computes Pearson's sum. Successive states share a bin until enough is expected in it; the rest at
   the end joins the last bin. */
static void compare_shape(const struct chain_watching *w)
{
    double sum = 0, expected = 0, seen = 0, rest = w->n, rest_seen = w->n;
    int bins = 0;
    for (int state = 0; state < n_states(w->chain); state++) {
        if (!(w->p[state] > 0) && w->seen[state] > 0)
            verdict_add(w->verdict, INFINITY, "step %s, t = %g: state %d cannot be", w->trial->step,
                        w->time, state);
        expected += w->n * w->p[state];
        seen += w->seen[state];
        if (expected < least || rest - expected < least)
            continue;
        sum += (seen - expected) * (seen - expected) / expected;
        rest -= expected;
        rest_seen -= seen;
        expected = seen = 0;
        bins++;
    }
    if (bins == 0)
        return;
    sum += (rest_seen - rest) * (rest_seen - rest) / rest;
    verdict_add(w->verdict, theory_chi_square_deviate(sum, bins), "step %s, t = %g, %d bins",
                w->trial->step, w->time, bins + 1);
}

/* Holds the counts of each species in a run, or in one voxel of it. */
typedef int chain_counts[CHAIN_SPECIES];

static void count_molecules(const struct chain *c, const struct rd_model *m,
                            const struct rd_snapshot *s, chain_counts *count)
{
    const int64_t voxels = c->each_voxel ? m->grid.n_sites : 1;
    for (int64_t i = 0; i < m->n_runs * voxels; i++)
        for (int k = 0; k < CHAIN_SPECIES && c->size[k] > 0; k++) {
            const int64_t row = i / voxels * m->n_species + c->species[k];
            if (c->species[k] < CHAIN_KIND)
                count[i][k] =
                    c->each_voxel ? s->counts[row * voxels + i % voxels] : (int)s->totals[row];
        }
}

static void count_kinds(const struct chain *c, const struct rd_model *m,
                        const struct rd_snapshot *s, chain_counts *count)
{
    const struct rd_individuals *const of = s->individuals;
    for (int64_t run = 0, row = 0; s->n_individuals > 0 && run < m->n_runs; run++)
        for (const int64_t end = row + of->row_count[run]; row < end; row++)
            for (int k = 0; k < CHAIN_SPECIES; k++)
                if (c->species[k] >= CHAIN_KIND)
                    count[c->each_voxel ? run * m->grid.n_sites + of->site[row] : run][k] +=
                        of->attribute[0][row] == c->species[k] - CHAIN_KIND;
}

static void tally(struct chain_watching *w, const struct rd_model *m, const struct rd_snapshot *s)
{
    const int64_t n = m->n_runs * (w->chain->each_voxel ? m->grid.n_sites : 1);
    chain_counts *const count = calloc((size_t)n, sizeof *count);
    assert_non_null(count);
    count_molecules(w->chain, m, s, count);
    count_kinds(w->chain, m, s, count);
    memset(w->seen, 0, (size_t)n_states(w->chain) * sizeof *w->seen);
    w->n = (double)n;
    for (int64_t i = 0; i < n; i++) {
        const int state = chain_state(w->chain, count[i]);
        if (state < 0)
            fail_msg("(%d, %d, %d) is beyond the states", count[i][0], count[i][1], count[i][2]);
        w->seen[state]++;
    }
    free(count);
}

static void look(void *to, const struct rd_model *m, const struct rd_snapshot *s)
{
    struct chain_watching *const w = to;
    chain_advance(w->chain, s->time - w->time, w->p);
    w->time = s->time;
    double sum = 0;
    for (int state = 0; state < n_states(w->chain); state++)
        sum += w->p[state];
    assert_true(fabs(sum - 1) < 1e-6); /* fails if the bounds are too narrow */
    tally(w, m, s);
    compare_shape(w);
    compare_moments(w);
}

void chain_compare(const struct chain *c, const double *p, const struct trial *t, struct verdict *v)
{
    struct chain_watching w = {.chain = c, .trial = t, .verdict = v};
    w.p = chain_zeros(c);
    w.seen = chain_zeros(c);
    w.feature = chain_zeros(c);
    memcpy(w.p, p, (size_t)n_states(c) * sizeof *p);
    const int64_t before = v->n;
    trial_run(t, look, &w);
    assert_true(v->n > before);
    free(w.p);
    free(w.seen);
    free(w.feature);
}

void chain_compare_from(const struct chain *c, const int count[CHAIN_SPECIES],
                        const struct trial *t, struct verdict *v)
{
    double *const p = chain_zeros(c);
    p[chain_state(c, count)] = 1;
    chain_compare(c, p, t, v);
    free(p);
}

void chain_compare_binding(const struct trial *t, struct verdict *v)
{
    enum { A = 30, B = 20 };
    const struct chain c = {.size = {B + 1}, .species = {2}};
    double *const p = chain_zeros(&c), sum = 0;
    for (int n = 0; n <= B; n++)
        sum += p[n] =
            exp(n * log(0.06 / (0.5 * 3)) - lgamma(A + 1 - n) - lgamma(B + 1 - n) - lgamma(1 + n));
    for (int n = 0; n <= B; n++)
        p[n] /= sum;
    chain_compare(&c, p, t, v);
    free(p);
}
