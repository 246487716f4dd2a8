/* propensity_lanes - the sums of propensities of neighbouring voxels, side by side. Each lane does
   the additions and multiplications of the plain body in their order, so that the sums have the
   same bytes. */
#include "kernels/cpu/propensity_lanes.h"

#include <string.h>

void rd_propensity_lanes_begin(struct rd_propensity_lanes *x, const struct rd_world *w,
                               int64_t begin, int n)
{
    x->w = w;
    x->begin = begin;
    x->n = n;
    x->last = 0;
    memset(x->sum, 0, sizeof x->sum);
    for (int k = 0; k < n; k++)
        x->place[k] = rd_place_apart(&w->lattice, begin + k);
}

/* Closes the blocks and nodes that end before the reaction, as rd_block_sums_add does. */
static void close_nodes(struct rd_propensity_lanes *x, int32_t reaction)
{
    const int32_t other = reaction ^ x->last;
    for (int i = 0; i + 1 < RD_BLOCK_LEVELS && other >> (i + 1) * RD_BLOCK_BITS != 0; i++)
        for (int k = 0; k < x->n; k++) {
            x->sum[i + 1][k] += x->sum[i][k];
            x->sum[i][k] = 0.0;
        }
    x->last = reaction;
}

/* Computes the propensities of the reaction as rd_propensity does. */
static RD_WIDE void multiply_counts(const struct rd_world *w, const struct rd_channel *c,
                                    int64_t begin, int n, double *restrict a)
{
    for (int k = 0; k < n; k++)
        a[k] = c->rate;
    for (int32_t i = 0; i < c->n_reactants; i++) {
        const struct rd_reactant *const r = &w->reactions.reactant[c->reactant + i];
        const int32_t *const count = w->counts.count + r->species * w->lattice.n_voxels + begin;
        for (int32_t m = 0; m < r->number; m++)
            for (int k = 0; k < n; k++)
                a[k] *= (double)count[k] - (double)m;
    }
}

void rd_propensity_lanes_add(struct rd_propensity_lanes *x, int32_t reaction)
{
    const struct rd_channel *const c = &x->w->reactions.channel[reaction];
    double a[RD_BUNCH];
    close_nodes(x, reaction);
    multiply_counts(x->w, c, x->begin, x->n, a);
    if (c->region < 0)
        for (int k = 0; k < x->n; k++)
            x->sum[0][k] += a[k];
    else
        for (int k = 0; k < x->n; k++)
            x->sum[0][k] += rd_is_in(&x->w->lattice, c->region, x->place[k].site) ? a[k] : 0.0;
}

const double *rd_propensity_lanes_end(struct rd_propensity_lanes *x)
{
    for (int i = 1; i < RD_BLOCK_LEVELS; i++)
        for (int k = 0; k < x->n; k++)
            x->sum[0][k] = x->sum[i][k] + x->sum[0][k];
    return x->sum[0];
}
