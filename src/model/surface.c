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
   plane of any direction has no flux out of balance, and rates are positive and bounded.

   The distance is measured along the normal, by bisection of the region's own shape, beyond the
   walls of the grid as well. Labels, and regions that touch others, have no shape: their voxels are
   smoothed, and the level 1/2 is the boundary. */
#include "model/surface.h"

#include "kernels/core/eval.h"
#include "kernels/core/real.h"
#include "model/region.h"

#include <stdlib.h>

/* Sets lengths in units of the longest edge: sigma; half the width of the band; the longest
   search for the boundary, and its steps; standard deviation of the smoothing, and how far it
   reaches in these. */
static const double sigma_width = 0.6, band_width = 2.0, search_width = 3.0, search_step = 0.25,
                    smooth_width = 1.0, smooth_reach = 6.0;

/* Returns the integral of a normal density to +- band_width / sigma_width. */
static const double band_share = 0.99914187;

/* Describes a voxel near the boundary while the surface is made. */
struct near {
    int64_t site;
    double distance;  /* INFINITY: the boundary is too far */
    double normal[3]; /* into the region, of any length; 0 beyond the dimension */
};

/* Describes the work on one surface. */
struct maker {
    const struct rd_model *m;
    const struct rd_grid *g;
    const struct rd_region *of;
    int region;     /* its index */
    double longest; /* edge */
    double *smooth; /* [site]: 1 in the region, 0 outside, smoothed */
    int32_t *at;    /* [site]: index into near[], or -1 */
    struct near *near;
    int64_t n_near;
};

static bool is_inside_surface(const struct maker *k, int64_t site)
{
    return k->m->mask[site] >> k->region & 1;
}

/* Returns the number of sites between neighbours along the axis. */
static int64_t stride_of(const struct rd_grid *g, int axis)
{
    return axis == 0 ? 1 : axis == 1 ? g->size[0] : (int64_t)g->size[0] * g->size[1];
}

/* Returns place i of an axis after periodic walls, or the nearest place of the grid. */
static int32_t inside_axis(const struct rd_grid *g, int axis, int64_t i)
{
    const int32_t size = g->size[axis];
    if (g->wraps[axis])
        return (int32_t)((i % size + size) % size);
    return i < 0 ? 0 : i >= size ? size - 1 : (int32_t)i;
}

/* ---- smoothing ---- */

enum { KERNEL_MOST = 1024 };

/* Fills half of the weights of a normal density along an axis; returns the number of voxels to each
   side. */
static int fill_kernel(const struct maker *k, int axis, double weight[KERNEL_MOST])
{
    const double width = smooth_width * k->longest / k->g->edge[axis];
    const int n = (int)fmin(smooth_reach * width + 1.0, KERNEL_MOST - 1);
    double sum = 0.0;
    for (int i = 0; i <= n; i++) {
        weight[i] = rd_exp(-0.5 * ((double)i / width) * ((double)i / width));
        sum += i == 0 ? weight[i] : 2.0 * weight[i];
    }
    for (int i = 0; i <= n; i++)
        weight[i] /= sum;
    return n;
}

/* Smooths along one axis, line by line. */
static void smooth_axis(const struct maker *k, int axis, double *line)
{
    double weight[KERNEL_MOST];
    const int reach = fill_kernel(k, axis, weight);
    const int64_t stride = stride_of(k->g, axis);
    const int32_t size = k->g->size[axis];
    for (int64_t first = 0; first < k->g->n_sites; first++) {
        if (first / stride % size != 0)
            continue;
        for (int32_t i = 0; i < size; i++)
            line[i] = k->smooth[first + i * stride];
        for (int32_t i = 0; i < size; i++) {
            double sum = weight[0] * line[i];
            for (int j = 1; j <= reach; j++)
                sum += weight[j] * (line[inside_axis(k->g, axis, (int64_t)i + j)] +
                                    line[inside_axis(k->g, axis, (int64_t)i - j)]);
            k->smooth[first + i * stride] = sum;
        }
    }
}

static bool smooth(struct maker *k, struct rd_error *e)
{
    int32_t longest = 1;
    for (int axis = 0; axis < 3; axis++)
        longest = k->g->size[axis] > longest ? k->g->size[axis] : longest;
    double *const line = malloc((size_t)longest * sizeof *line);
    k->smooth = malloc((size_t)k->g->n_sites * sizeof *k->smooth);
    k->at = malloc((size_t)k->g->n_sites * sizeof *k->at);
    const bool ok = line && k->smooth && k->at;
    for (int64_t site = 0; ok && site < k->g->n_sites; site++)
        k->smooth[site] = is_inside_surface(k, site);
    for (int axis = 0; ok && axis < k->g->dim; axis++)
        smooth_axis(k, axis, line);
    free(line);
    return ok || rd_fail(e, "out of memory for the surface of region '%s'", k->of->name);
}

/* Returns the value of the smoothed region at a point, between the centres of voxels. */
static double smooth_at(const struct maker *k, const double point[3])
{
    const struct rd_grid *const g = k->g;
    int64_t low[3], high[3];
    double part[3];
    for (int axis = 0; axis < 3; axis++) {
        const double i = (point[axis] - g->origin[axis]) / g->edge[axis] - 0.5;
        const double whole = rd_floor(i);
        part[axis] = i - whole;
        low[axis] = inside_axis(g, axis, (int64_t)whole) * stride_of(g, axis);
        high[axis] = inside_axis(g, axis, (int64_t)whole + 1) * stride_of(g, axis);
    }
    double sum = 0.0;
    for (int corner = 0; corner < 8; corner++) {
        double share = 1.0;
        int64_t site = 0;
        for (int axis = 0; axis < 3; axis++) {
            const bool is_high = corner >> axis & 1;
            share *= is_high ? part[axis] : 1.0 - part[axis];
            site += is_high ? high[axis] : low[axis];
        }
        sum += share > 0.0 ? share * k->smooth[site] : 0.0;
    }
    return sum;
}

/* ---- distance and normal ---- */

/* Returns whether the region has the point, which periodic walls bring into the grid. */
static bool has_point(const struct maker *k, const double point[3])
{
    const struct rd_grid *const g = k->g;
    double p[3];
    for (int axis = 0; axis < 3; axis++) {
        const double length = g->size[axis] * g->edge[axis];
        const double turns = rd_floor((point[axis] - g->origin[axis]) / length);
        p[axis] = g->wraps[axis] ? point[axis] - turns * length : point[axis];
    }
    const double has = rd_region_has_point(k->m, k->of, p);
    return has >= 0.0 ? has != 0.0 : smooth_at(k, p) >= 0.5;
}

/* Returns the place of a site along an axis. */
static int32_t place_along(const struct rd_grid *g, int axis, int64_t site)
{
    return (int32_t)(site / stride_of(g, axis) % g->size[axis]);
}

/* Describes a ray from a voxel's centre along the normal, towards the boundary. */
struct ray {
    double from[3], along[3]; /* a unit vector */
    bool starts_inside;
};

/* Returns whether the boundary lies between the start and the point at distance t. */
static bool has_crossed(const struct maker *k, const struct ray *ray, double t)
{
    double point[3];
    for (int axis = 0; axis < 3; axis++)
        point[axis] = ray->from[axis] + t * ray->along[axis];
    return has_point(k, point) != ray->starts_inside;
}

/* Returns the distance to the boundary along the ray; INFINITY if it is too far. */
static double search_boundary(const struct maker *k, const struct ray *ray)
{
    const double step = search_step * k->longest;
    double low = 0.0, high = step;
    while (!has_crossed(k, ray, high)) {
        low = high;
        high += step;
        if (low >= search_width * k->longest)
            return INFINITY;
    }
    for (int i = 0; i < 30; i++) {
        const double middle = 0.5 * (low + high);
        if (has_crossed(k, ray, middle))
            high = middle;
        else
            low = middle;
    }
    return 0.5 * (low + high);
}

/* Returns the length of a vector. */
static double length_of_vector(const double v[3])
{
    return rd_sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

/* Returns the distance of the voxel's centre from the boundary, negative outside of the region;
   INFINITY if it is too far. */
static double measure_distance(const struct maker *k, const struct near *n)
{
    struct ray ray = {.starts_inside = is_inside_surface(k, n->site)};
    const double length = length_of_vector(n->normal), sign = ray.starts_inside ? 1.0 : -1.0;
    int32_t at[3];
    for (int axis = 0; axis < 3; axis++) {
        at[axis] = place_along(k->g, axis, n->site);
        ray.along[axis] = length > 0.0 ? -sign * n->normal[axis] / length : 0.0;
    }
    rd_grid_centre(k->g, at, ray.from);
    return length > 0.0 ? sign * search_boundary(k, &ray) : INFINITY;
}

/* Returns the site beside another one, or that site itself at a wall that is not periodic. */
static int64_t beside(const struct rd_grid *g, int64_t site, int face)
{
    const int axis = face / 2;
    return site + rd_neighbour_offset(face % 2, stride_of(g, axis), g->size[axis],
                                      place_along(g, axis, site), g->wraps[axis]);
}

/* Sets the normal from the smoothed region. */
static void set_first_normal(const struct maker *k, struct near *n)
{
    for (int axis = 0; axis < k->g->dim; axis++) {
        const double ahead = k->smooth[beside(k->g, n->site, 2 * axis + 1)];
        n->normal[axis] = (ahead - k->smooth[beside(k->g, n->site, 2 * axis)]) / k->g->edge[axis];
    }
}

/* Returns the distance at the site beside, or that of the voxel itself if it is not known; sets
 *steps to the number of edges between them. */
static double distance_beside(const struct maker *k, const struct near *n, int face, int *steps)
{
    const int64_t site = beside(k->g, n->site, face);
    const struct near *const there = k->at[site] < 0 ? n : &k->near[k->at[site]];
    const bool is_known = site != n->site && rd_is_finite(there->distance);
    *steps = is_known;
    return is_known ? there->distance : n->distance;
}

/* Sets the normal to the gradient of the distance; along an axis without known neighbours it stays
   as it is. */
static void set_normal(const struct maker *k, struct near *n)
{
    const double before = length_of_vector(n->normal);
    for (int axis = 0; rd_is_finite(n->distance) && axis < k->g->dim; axis++) {
        int ahead, behind;
        const double high = distance_beside(k, n, 2 * axis + 1, &ahead);
        const double low = distance_beside(k, n, 2 * axis, &behind);
        n->normal[axis] = ahead + behind > 0 ? (high - low) / ((ahead + behind) * k->g->edge[axis])
                                             : n->normal[axis] / before;
    }
}

/* Lists the voxels near the boundary, with normals. */
static bool list_near(struct maker *k, struct rd_error *e)
{
    const double least =
        1e-4; /* about 3.7 standard deviations of the smoothing from the boundary */
    for (int64_t site = 0; site < k->g->n_sites; site++) {
        const double f = k->smooth[site];
        k->at[site] = f > least && f < 1.0 - least ? (int32_t)k->n_near++ : -1;
    }
    k->near = calloc((size_t)k->n_near + 1, sizeof *k->near);
    if (!k->near || k->n_near > INT32_MAX)
        return rd_fail(e, "out of memory for the surface of region '%s'", k->of->name);
    for (int64_t site = 0; site < k->g->n_sites; site++)
        if (k->at[site] >= 0) {
            k->near[k->at[site]].site = site;
            set_first_normal(k, &k->near[k->at[site]]);
        }
    return true;
}

/* Measures all distances, by normals that are improved once. */
static void measure_all(struct maker *k)
{
    for (int round = 0; round < 2; round++) {
        for (int64_t i = 0; i < k->n_near; i++)
            k->near[i].distance = measure_distance(k, &k->near[i]);
        for (int64_t i = 0; i < k->n_near; i++)
            set_normal(k, &k->near[i]);
    }
}

/* ---- areas and hop rates ---- */

/* Returns the normal density with this variance. */
static double normal_density(double x, double variance)
{
    static const double two_pi = 6.283185307179586;
    return rd_exp(-0.5 * x * x / variance) / rd_sqrt(two_pi * variance);
}

/* Returns the area that the voxel exchanges through its faces to voxels on the other side: the sum
   of h h |n_k| over them. A plane with normal n crosses |n_k| / (h h) faces of axis k per area, so
   that all of them add up to its area. The normal is that between the two voxels. */
static double exchange_of(const struct maker *k, const struct near *n)
{
    double area = 0.0;
    for (int face = 0; face < 2 * k->g->dim; face++) {
        const int64_t site = beside(k->g, n->site, face);
        if (is_inside_surface(k, site) == is_inside_surface(k, n->site) || k->at[site] < 0)
            continue;
        const struct near *const there = &k->near[k->at[site]];
        const double here_length = length_of_vector(n->normal),
                     there_length = length_of_vector(there->normal);
        double sum[3] = {0};
        for (int axis = 0; axis < k->g->dim; axis++)
            sum[axis] = n->normal[axis] / here_length + there->normal[axis] / there_length;
        const double share = sum[face / 2] / length_of_vector(sum);
        area += k->g->volume / k->g->edge[face / 2] * (share < 0.0 ? -share : share);
    }
    return area;
}

static bool exchanges(const struct maker *k, enum rd_surface_side side, int64_t site)
{
    return side == RD_SIDE_BOTH || is_inside_surface(k, site) == (side == RD_SIDE_INSIDE);
}

/* Adds the voxels of the band, and those that exchange molecules. */
static void fill_band(const struct maker *k, struct rd_surface *s)
{
    for (int64_t i = 0; i < k->n_near; i++) {
        const struct near *const n = &k->near[i];
        const double exchange = exchange_of(k, n);
        double distance = n->distance;
        if (exchange > 0.0 && !(rd_is_finite(distance) && fabs(distance) < k->longest))
            distance = is_inside_surface(k, n->site) ? 0.5 * k->longest : -0.5 * k->longest;
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
    struct maker k = {.m = m, .g = &m->grid, .of = &m->region[s->of], .region = s->of};
    for (int axis = 0; axis < m->grid.dim; axis++)
        k.longest = m->grid.edge[axis] > k.longest ? m->grid.edge[axis] : k.longest;
    s->spread = sigma_width * k.longest;
    s->reach = band_width * k.longest;
    bool ok = smooth(&k, e) && list_near(&k, e);
    if (ok) {
        measure_all(&k);
        s->voxel = calloc((size_t)k.n_near + 1, sizeof *s->voxel);
        ok = s->voxel || rd_fail(e, "out of memory for the surface of region '%s'", k.of->name);
    }
    if (ok) {
        fill_band(&k, s);
        scale_exchange(s);
    }
    free(k.smooth);
    free(k.at);
    free(k.near);
    return ok;
}

const struct rd_surface_voxel *rd_surface_at(const struct rd_surface *s, int64_t site)
{
    int64_t low = 0, high = s->n_voxels;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (s->voxel[middle].site < site)
            low = middle + 1;
        else
            high = middle;
    }
    return low < s->n_voxels && s->voxel[low].site == site ? &s->voxel[low] : NULL;
}

const struct rd_surface_voxel *rd_surface_beside(const struct rd_model *m,
                                                 const struct rd_surface *s,
                                                 const struct rd_surface_voxel *from, int face)
{
    const int64_t site = beside(&m->grid, from->site, face);
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
