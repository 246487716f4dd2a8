/* pair - one A and one B that walk on a lattice and react when they are in one voxel: the
   probability that both survive, exactly, and as each splitting of movement and reaction gives
   it. */
#include "pair.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Returns row[to][from], the transition probabilities of a walker in time t. */
static double *rows_of(const struct theory_walk *w, double t)
{
    const int n = theory_sites(w);
    double *const row = theory_zeros(n * n), *const mean = theory_zeros(n + THEORY_FACES);
    for (int from = 0; from < n; from++) {
        memset(mean, 0, (size_t)(n + THEORY_FACES) * sizeof *mean);
        mean[from] = 1;
        theory_walk_on(w, t, mean);
        for (int to = 0; to < n; to++)
            row[to * n + from] = mean[to];
    }
    free(mean);
    return row;
}

/* Holds the walkers' movement during one time, and the probability to survive in one voxel for
   another. */
struct acts {
    int n;
    double *row[2], *between, part;
};

static void move(const struct acts *a, double *probability)
{
    const int n = a->n;
    memset(a->between, 0, (size_t)(n * n) * sizeof *a->between);
    for (int to = 0; to < n; to++)
        for (int from = 0; from < n; from++)
            for (int b = 0; b < n; b++)
                a->between[to * n + b] += a->row[0][to * n + from] * probability[from * n + b];
    memset(probability, 0, (size_t)(n * n) * sizeof *probability);
    for (int i = 0; i < n; i++)
        for (int to = 0; to < n; to++)
            for (int from = 0; from < n; from++)
                probability[i * n + to] += a->row[1][to * n + from] * a->between[i * n + from];
}

static void react(const struct acts *a, double *probability)
{
    for (int i = 0; i < a->n; i++)
        probability[i * a->n + i] *= a->part;
}

void pair_advance(const struct pair *p, enum pair_scheme scheme, double step, int n_steps,
                  double *probability)
{
    const double moving = scheme == PAIR_MOVE_HALVED ? step / 2 : step;
    const double reacting = scheme == PAIR_REACT_HALVED ? step / 2 : step;
    struct acts a = {.n = theory_sites(p->walk[0]), .part = exp(-p->rate * reacting)};
    a.row[0] = rows_of(p->walk[0], moving);
    a.row[1] = rows_of(p->walk[1], moving);
    a.between = theory_zeros(a.n * a.n);
    for (int i = 0; i < n_steps; i++) {
        if (scheme == PAIR_MOVE_REACT || scheme == PAIR_MOVE_HALVED)
            move(&a, probability);
        react(&a, probability);
        if (scheme != PAIR_MOVE_REACT)
            move(&a, probability);
        if (scheme == PAIR_REACT_HALVED)
            react(&a, probability);
    }
    free(a.row[0]);
    free(a.row[1]);
    free(a.between);
}

double pair_survival(const struct pair *p, const double *probability)
{
    const int n = theory_sites(p->walk[0]);
    double sum = 0;
    for (int i = 0; i < n * n; i++)
        sum += probability[i];
    return sum;
}
