/* surface - the boundary of a region as a smooth surface.

   A species on a surface lives in a band of voxels around it. The voxel at distance d holds the
   part V g(d) of its area: V is the voxel's volume, g a normal density with standard deviation
   sigma. A function that is constant along the normals obeys

     d/dt (g u) = div (g D grad u),

   which becomes the diffusion equation on the surface as sigma falls (diffuse domain: Raetz and
   Voigt, Commun. Math. Sci. 4, 575 (2006)); errors are of order sigma^2 times the Gaussian
   curvature. Two neighbours along an axis with edge h, at distances d and d + c, exchange molecules
   at the rate D V g'((d + (d + c)) / 2) / h^2, divided by the area of the voxel that a molecule
   leaves. The normal density g' has the variance sigma^2 - c^2 / 12: its mean over the width c,
   which is the same for all axes then, has the variance sigma^2. Hence a linear function on a
   plane of any direction has no flux out of balance, and rates are positive and bounded. */
#include "model/surface.h"

#include "kernels/core/eval.h"
#include "kernels/core/real.h"
#include "model/boundary.h"

#include <stdlib.h>

/* Sets lengths in units of the longest edge: sigma; half the width of the band. */
static const double sigma_width = 0.6, band_width = 2.0;

/* Returns the integral of a normal density to +- band_width / sigma_width. */
static const double band_share = 0.99914187;

/* Returns the normal density with this variance. */
static double normal_density(double x, double variance)
{
    static const double two_pi = 6.283185307179586;
    return rd_exp(-0.5 * x * x / variance) / rd_sqrt(two_pi * variance);
}

/* Returns the area that the voxel exchanges through its faces to voxels on the other side: the sum
   of h h |n_k| over them. */
static double exchange_of(const struct rd_boundary *k, const struct rd_near *n)
{
    double area = 0.0;
    for (int face = 0; face < 2 * k->g->dim; face++)
        area += k->g->volume / k->g->edge[face / 2] * rd_boundary_share(k, n, face);
    return area;
}

static bool exchanges(const struct rd_boundary *k, enum rd_surface_side side, int64_t site)
{
    return side == RD_SIDE_BOTH || rd_boundary_is_inside(k, site) == (side == RD_SIDE_INSIDE);
}

/* Adds the voxels of the band, and those that exchange molecules. */
static void fill_band(const struct rd_boundary *k, struct rd_surface *s)
{
    for (int64_t i = 0; i < k->n_near; i++) {
        const struct rd_near *const n = &k->near[i];
        const double exchange = exchange_of(k, n);
        double distance = n->distance;
        if (exchange > 0.0 && !(rd_is_finite(distance) && fabs(distance) < k->longest))
            distance = rd_boundary_is_inside(k, n->site) ? 0.5 * k->longest : -0.5 * k->longest;
        if (!rd_is_finite(distance) || fabs(distance) > s->reach)
            continue;
        s->voxel[s->n_voxels++] = (struct rd_surface_voxel){
            .site = n->site,
            .distance = distance,
            .area = k->g->volume * normal_density(distance, s->spread * s->spread) / band_share,
            .exchange = exchanges(k, s->side, n->site) ? exchange : 0.0};
    }
}

/* Scales the exchange areas of each side so that they add up to the area: lattice effects leave
   about 1 % where the radius is 8 voxels. */
static void scale_exchange(struct rd_surface *s)
{
    const double area = rd_surface_area(s);
    double sum[2] = {0.0, 0.0};
    for (int64_t i = 0; i < s->n_voxels; i++)
        sum[s->voxel[i].distance < 0.0] += s->voxel[i].exchange;
    s->crossed = sum[0] > 0.0 && sum[1] > 0.0 ? 0.5 * (sum[0] + sum[1]) : sum[0] + sum[1];
    for (int64_t i = 0; i < s->n_voxels; i++) {
        struct rd_surface_voxel *const v = &s->voxel[i];
        v->exchange *= v->exchange > 0.0 ? area / sum[v->distance < 0.0] : 1.0;
    }
}

bool rd_surface_make(const struct rd_model *m, struct rd_surface *s, struct rd_error *e)
{
    struct rd_boundary k;
    bool ok = rd_boundary_make(&k, m, s->of, e);
    s->spread = sigma_width * k.longest;
    s->reach = band_width * k.longest;
    s->voxel = ok ? calloc((size_t)k.n_near + 1, sizeof *s->voxel) : NULL;
    ok = ok && (s->voxel || rd_fail(e, "out of memory for the surface of region '%s'", k.of->name));
    if (ok) {
        fill_band(&k, s);
        scale_exchange(s);
    }
    rd_boundary_free(&k);
    return ok;
}

const struct rd_surface_voxel *rd_surface_at(const struct rd_surface *s, int64_t site)
{
    return rd_boundary_find(s->voxel, s->n_voxels, sizeof *s->voxel, site);
}

const struct rd_surface_voxel *rd_surface_beside(const struct rd_model *m,
                                                 const struct rd_surface *s,
                                                 const struct rd_surface_voxel *from, int face)
{
    const int64_t site = rd_boundary_beside(&m->grid, from->site, face);
    return site == from->site ? NULL : rd_surface_at(s, site);
}

void rd_surface_rates(const struct rd_model *m, const struct rd_surface *s,
                      const struct rd_surface_voxel *from, double rate[RD_FACES])
{
    const struct rd_grid *const g = &m->grid;
    for (int face = 0; face < RD_FACES; face++) {
        const struct rd_surface_voxel *const to = rd_surface_beside(m, s, from, face);
        rate[face] = 0.0;
        if (!to)
            continue;
        const double h = g->edge[face / 2], gap = fmin(fabs(to->distance - from->distance), h);
        const double density = normal_density(0.5 * (from->distance + to->distance),
                                              s->spread * s->spread - gap * gap / 12.0);
        rate[face] = g->volume * density / band_share / (h * h * from->area);
    }
}

double rd_surface_area(const struct rd_surface *s)
{
    double area = 0.0;
    for (int64_t i = 0; i < s->n_voxels; i++)
        area += s->voxel[i].area;
    return area;
}

bool rd_surface_is_mobile(const struct rd_model *m, const struct rd_species *species)
{
    const struct rd_eval_context start = {.parameter = m->value, .volume = m->grid.volume};
    return rd_expr_value(&species->diffusion[0], &start) > 0.0;
}

double rd_surface_measure(const struct rd_model *m, const struct rd_species *species, int64_t site)
{
    const struct rd_surface *const s = &m->surface[species->surface];
    const struct rd_surface_voxel *const voxel = rd_surface_at(s, site);
    if (!voxel)
        return 0.0;
    return rd_surface_is_mobile(m, species) ? voxel->area
                                            : voxel->exchange / (s->side == RD_SIDE_BOTH ? 2 : 1);
}

bool rd_surface_holds(const struct rd_model *m, const struct rd_species *species, int64_t site)
{
    return species->surface < 0 || rd_surface_measure(m, species, site) > 0.0;
}
