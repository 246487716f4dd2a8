/* theory - exact results for comparison: mean numbers of walks on a lattice, matrix exponentials,
   and the deviation of a number under its distribution. */
#include "theory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Taylor terms of an exponential with an argument of norm <= 1; the remainder is below 1e-25. */
enum { TERMS = 25 };

double *theory_zeros(int n)
{
    double *const p = calloc((size_t)n, sizeof *p);
    if (!p)
        abort();
    return p;
}

int theory_sites(const struct theory_walk *w)
{
    return w->size[0] * w->size[1] * w->size[2];
}

void theory_set_rates(struct theory_walk *w, int axis, double diffusion, double drift, double edge)
{
    const double spread = diffusion / (edge * edge), lean = drift / (2 * edge);
    const double both = fmax(spread, fabs(lean));
    w->rate[2 * axis] = both - lean;
    w->rate[2 * axis + 1] = both + lean;
}

void theory_set_rates_at(struct theory_walk *w, int site, int axis, double diffusion, double drift,
                         double edge)
{
    struct theory_walk one;
    theory_set_rates(&one, axis, diffusion, drift, edge);
    memcpy(&w->rates[site][2 * axis], &one.rate[2 * axis], 2 * sizeof *one.rate);
}

/* Returns the rate of hops of a molecule at the site towards the face. */
static double rate_at(const struct theory_walk *w, int site, int face)
{
    return (w->hop_rate ? w->hop_rate[site] : 1) * (w->rates ? w->rates[site] : w->rate)[face];
}

static bool is_home(const struct theory_walk *w, int site)
{
    return !w->is_home || w->is_home[site];
}

/* Returns the target of a hop from `at` towards the face, a voxel or n_sites + face, and its
 *probability. */
static int target(const struct theory_walk *w, const int at[3], int face, double *probability)
{
    const int axis = face / 2, size = w->size[axis];
    int to[3] = {at[0], at[1], at[2]};
    to[axis] += face % 2 ? 1 : -1;
    if ((to[axis] < 0 || to[axis] >= size) && w->pass[face] >= 0) {
        *probability = w->pass[face];
        return theory_sites(w) + face;
    }
    to[axis] = (to[axis] + size) % size;
    const int site = (to[2] * w->size[1] + to[1]) * w->size[0] + to[0];
    const int from = (at[2] * w->size[1] + at[1]) * w->size[0] + at[0];
    *probability = is_home(w, site) * (w->passes ? w->passes(from, site) : 1);
    return site;
}

static void place_of(const struct theory_walk *w, int site, int at[3])
{
    at[0] = site % w->size[0];
    at[1] = site / w->size[0] % w->size[1];
    at[2] = site / w->size[0] / w->size[1];
}

void theory_add_inlet(const struct theory_walk *w, int face, double mean, double *source)
{
    for (int site = 0; site < theory_sites(w); site++) {
        int at[3];
        place_of(w, site, at);
        if (at[face / 2] == (face % 2 ? w->size[face / 2] - 1 : 0) && is_home(w, site))
            source[site] += mean * rate_at(w, site, face ^ 1);
    }
}

/* Computes to = Q from: flow from each voxel to its neighbours and into the faces, and deaths. */
static void field_rate(const struct theory_walk *w, const double *from, double *to)
{
    const int n = theory_sites(w);
    memset(to, 0, (size_t)(n + THEORY_FACES) * sizeof *to);
    for (int site = 0; site < n; site++) {
        int at[3];
        place_of(w, site, at);
        to[site] -= w->decay * from[site];
        for (int face = 0; face < THEORY_FACES; face++) {
            double probability;
            const int next = target(w, at, face, &probability);
            const double hops = rate_at(w, site, face) * probability * from[site];
            to[site] -= hops;
            to[next] += hops;
        }
    }
}

void theory_walk_on(const struct theory_walk *w, double t, double *m)
{
    const size_t n = (size_t)theory_sites(w), all = n + THEORY_FACES;
    double total = 0;
    for (int site = 0; site < (int)n; site++) {
        double here = 0;
        for (int face = 0; face < THEORY_FACES; face++)
            here += rate_at(w, site, face);
        total = fmax(total, here);
    }
    total += w->decay;
    const int steps = 1 + (int)(2 * total * t); /* the norm of Q is at most twice the total */
    const double dt = t / steps;
    double *term = theory_zeros((int)(2 * all)), *next = term + all, *const owned = term;
    for (int step = 0; step < steps; step++) {
        memcpy(term, m, all * sizeof *m);
        for (int k = 1; k <= TERMS; k++) {
            field_rate(w, term, next);
            for (size_t i = 0; i < all; i++) {
                if (k == 1 && w->source && i < n)
                    next[i] += w->source[i];
                next[i] *= dt / k;
                m[i] += next[i];
            }
            double *const swap = term;
            term = next;
            next = swap;
        }
    }
    free(owned);
}

/* Computes c = a b. */
static void multiply(const double *a, const double *b, int n, double *c)
{
    memset(c, 0, (size_t)n * (size_t)n * sizeof *c);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++)
            for (int j = 0; j < n; j++)
                c[i * n + j] += a[i * n + k] * b[k * n + j];
}

void theory_expm(const double *q, int n, double t, double *p)
{
    const size_t all = (size_t)n * (size_t)n;
    double norm = 0;
    for (size_t i = 0; i < all; i++)
        norm = fmax(norm, n * fabs(q[i] * t));
    int halvings = 0;
    frexp(norm, &halvings);
    halvings = halvings > 0 ? halvings : 0;
    double *const small = theory_zeros((int)(3 * all)), *const term = small + all,
                  *const next = term + all;
    for (size_t i = 0; i < all; i++) {
        small[i] = ldexp(q[i] * t, -halvings);
        p[i] = term[i] = i % ((size_t)n + 1) == 0;
    }
    for (int k = 1; k <= TERMS; k++) {
        multiply(term, small, n, next);
        for (size_t i = 0; i < all; i++)
            p[i] += term[i] = next[i] / k;
    }
    for (; halvings > 0; halvings--) {
        multiply(p, p, n, next);
        memcpy(p, next, all * sizeof *p);
    }
    free(small);
}

double theory_normal_tail(double z)
{
    return erfc(z / sqrt(2)) / 2;
}

double theory_deviate(double tail)
{
    double low = 0, high = 38; /* beyond 38 the tail is no normal double */
    for (int k = 0; k < 60; k++) {
        const double z = (low + high) / 2;
        if (theory_normal_tail(z) > tail)
            low = z;
        else
            high = z;
    }
    return low;
}

/* Above this variance the tail of a normal distribution is accurate enough out to 5 standard
   errors. */
static const double large = 1e6;

/* Holds a distribution on 0 ... n (n = INFINITY: Poisson) with its mean. */
struct law {
    double n, p, mean;
};

/* Returns the probability of k + 1 over that of k. */
static double ratio(const struct law *l, double k)
{
    return isinf(l->n) ? l->mean / (k + 1) : (l->n - k) / (k + 1) * (l->p / (1 - l->p));
}

static double log_probability(const struct law *l, double k)
{
    if (isinf(l->n))
        return k * log(l->mean) - l->mean - lgamma(k + 1);
    return lgamma(l->n + 1) - lgamma(k + 1) - lgamma(l->n - k + 1) + k * log(l->p) +
           (l->n - k) * log1p(-l->p);
}

/* Returns the probability of k and of all values farther from the mean on its side. */
static double tail(const struct law *l, double k)
{
    const bool is_high = k > l->mean;
    const double first = exp(log_probability(l, k));
    double term = 1, sum = 1;
    while (term > 1e-12 * sum && (is_high ? k < l->n : k > 0)) {
        term *= is_high ? ratio(l, k) : 1 / ratio(l, k - 1);
        k += is_high ? 1 : -1;
        sum += term;
    }
    return sum * first;
}

static double deviate(const struct law *l, double k)
{
    const double variance = isinf(l->n) ? l->mean : l->mean * (1 - l->p);
    if (k < 0 || k > l->n)
        return k < 0 ? -INFINITY : INFINITY;
    if (!(variance > 0))
        return fabs(k - l->mean) < 0.5 ? 0 : INFINITY;
    if (variance > large)
        return (k - l->mean) / sqrt(variance);
    return copysign(theory_deviate(tail(l, k)), k - l->mean);
}

double theory_poisson_deviate(double k, double mean)
{
    return deviate(&(struct law){INFINITY, 0, mean}, k);
}

double theory_binomial_deviate(double k, double n, double p)
{
    /* the rarer outcome is counted, since 1 - p would cancel */
    return p > 0.5 ? -deviate(&(struct law){n, 1 - p, n * (1 - p)}, n - k)
                   : deviate(&(struct law){n, p, n * p}, k);
}

double theory_chi_square_deviate(double x, double freedom)
{
    const double width = 2 / (9 * freedom);
    return (cbrt(x / freedom) - (1 - width)) / sqrt(width);
}
