/* surface_delay - how much later molecules leave a surface than they would if every voxel of its
   band exchanged molecules with the volume.

   A molecule in voxel v leaves at the rate k w[v] / m, where w is the exchange area over the area,
   m the mean of w over the surface (1 for each side), and k the mean rate. It diffuses between
   voxels; L is the symmetric matrix of hops, rates times areas. To first order in k, the slowest
   rate is

     k (1 - x),   x = (k / D) sum a f phi / sum a,   f = w / m - 1,   L phi = a f,

   so that k / (1 + x) is right for small x, and close for large ones (docs/theory.md). L is made
   regular by a small rate of loss: imbalances that are wider than about 20 voxels are differences
   between places of the surface, not delays. */
#include "model/surface.h"

#include <stdlib.h>

enum { STEPS_MOST = 300 };
static const double loss = 1e-3, precision = 1e-3;

/* Describes the linear equations, and the state of conjugate gradients with diagonal scaling. */
struct delay_equations {
    const struct rd_surface *s;
    double (*hop)[RD_FACES];     /* [voxel]: area times hop rate at diffusivity 1 */
    int64_t (*beside)[RD_FACES]; /* [voxel]: the voxel that the hop leads to */
    double *diagonal, *source, *phi, *rest, *scaled, *along, *product;
};

static void fill_voxel(const struct rd_model *m, struct delay_equations *q, int64_t i)
{
    const struct rd_surface_voxel *const v = &q->s->voxel[i];
    rd_surface_rates(m, q->s, v, q->hop[i]);
    q->diagonal[i] = loss * v->area / (q->s->spread * q->s->spread);
    for (int face = 0; face < RD_FACES; face++) {
        const struct rd_surface_voxel *const to =
            q->hop[i][face] > 0.0 ? rd_surface_beside(m, q->s, v, face) : NULL;
        q->hop[i][face] *= v->area;
        q->beside[i][face] = to ? to - q->s->voxel : i;
        q->diagonal[i] += q->hop[i][face];
    }
}

/* Multiplies `along` by the matrix; returns the scalar product of both. */
static double multiply_matrix(struct delay_equations *q)
{
    double sum = 0.0;
    for (int64_t i = 0; i < q->s->n_voxels; i++) {
        double x = q->diagonal[i] * q->along[i];
        for (int face = 0; face < RD_FACES; face++)
            x -= q->hop[i][face] * q->along[q->beside[i][face]];
        q->product[i] = x;
        sum += x * q->along[i];
    }
    return sum;
}

/* Scales the rest by the diagonal; returns the scalar product of both. */
static double scale_rest(struct delay_equations *q)
{
    double sum = 0.0;
    for (int64_t i = 0; i < q->s->n_voxels; i++) {
        q->scaled[i] = q->rest[i] / q->diagonal[i];
        sum += q->scaled[i] * q->rest[i];
    }
    return sum;
}

static void solve_delay(struct delay_equations *q)
{
    const int64_t n = q->s->n_voxels;
    for (int64_t i = 0; i < n; i++)
        q->rest[i] = q->source[i];
    double before = scale_rest(q);
    const double goal = precision * precision * before;
    for (int64_t i = 0; i < n; i++)
        q->along[i] = q->scaled[i];
    for (int step = 0; step < STEPS_MOST && before > goal; step++) {
        const double length = before / multiply_matrix(q);
        for (int64_t i = 0; i < n; i++) {
            q->phi[i] += length * q->along[i];
            q->rest[i] -= length * q->product[i];
        }
        const double after = scale_rest(q), turn = after / before;
        for (int64_t i = 0; i < n; i++)
            q->along[i] = q->scaled[i] + turn * q->along[i];
        before = after;
    }
}

/* Returns the result of the equations for the sides. */
static double delay_between(const struct rd_model *m, struct delay_equations *q, const bool side[2])
{
    const int64_t n = q->s->n_voxels;
    double exchange = 0.0, area = 0.0, sum = 0.0;
    for (int64_t i = 0; i < n; i++) {
        const struct rd_surface_voxel *const v = &q->s->voxel[i];
        q->source[i] = side[v->distance > 0.0] ? v->exchange : 0.0;
        exchange += q->source[i];
        area += v->area;
        fill_voxel(m, q, i);
    }
    if (!(exchange > 0.0))
        return 0.0;
    for (int64_t i = 0; i < n; i++)
        q->source[i] -= exchange / area * q->s->voxel[i].area;
    solve_delay(q);
    for (int64_t i = 0; i < n; i++)
        sum += q->source[i] * q->phi[i];
    return sum * area / (exchange * exchange);
}

double rd_surface_delay(const struct rd_model *m, const struct rd_surface *s, const bool side[2])
{
    enum { ROWS = 7 };
    const size_t n = (size_t)s->n_voxels;
    struct delay_equations q = {.s = s};
    double *const row = calloc(ROWS * n + 1, sizeof *row);
    q.hop = calloc(n + 1, sizeof *q.hop);
    q.beside = calloc(n + 1, sizeof *q.beside);
    double delay = 0.0;
    if (row && q.hop && q.beside) {
        double **const of[ROWS] = {&q.diagonal, &q.source, &q.phi,    &q.rest,
                                   &q.scaled,   &q.along,  &q.product};
        for (size_t i = 0; i < ROWS; i++)
            *of[i] = row + i * n;
        delay = delay_between(m, &q, side);
    }
    free(row);
    free(q.hop);
    free(q.beside);
    return delay;
}
