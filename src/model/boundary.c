/* boundary - the boundary of a region: the voxels near it, with distances and normals.

   The distance is measured along the normal, by bisection of the region's own shape, beyond the
   walls of the grid as well. Labels, and regions that touch others, have no shape: their voxels are
   smoothed, and the level 1/2 is the boundary. */
#include "model/boundary.h"

#include "base/memory.h"
#include "kernels/core/eval.h"
#include "kernels/core/real.h"
#include "model/region.h"

#include <stdlib.h>

/* Sets lengths in units of the longest edge: the longest search for the boundary, and its steps;
   standard deviation of the smoothing, and how far it reaches in these. */
static const double search_width = 3.0, search_step = 0.25, smooth_width = 1.0, smooth_reach = 6.0;

bool rd_boundary_is_inside(const struct rd_boundary *k, int64_t site)
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
static int fill_kernel(const struct rd_boundary *k, int axis, double weight[KERNEL_MOST])
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
static void smooth_axis(const struct rd_boundary *k, int axis, double *line)
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

static bool smooth(struct rd_boundary *k, struct rd_error *e)
{
    int32_t longest = 1;
    for (int axis = 0; axis < 3; axis++)
        longest = k->g->size[axis] > longest ? k->g->size[axis] : longest;
    double *const line = malloc((size_t)longest * sizeof *line);
    k->smooth = malloc((size_t)k->g->n_sites * sizeof *k->smooth);
    k->at = malloc((size_t)k->g->n_sites * sizeof *k->at);
    const bool ok = line && k->smooth && k->at;
    for (int64_t site = 0; ok && site < k->g->n_sites; site++)
        k->smooth[site] = rd_boundary_is_inside(k, site);
    for (int axis = 0; ok && axis < k->g->dim; axis++)
        smooth_axis(k, axis, line);
    free(line);
    return ok || rd_fail(e, "out of memory for the boundary of region '%s'", k->of->name);
}

/* Returns the value of the smoothed region at a point, between the centres of voxels. */
static double smooth_at(const struct rd_boundary *k, const double point[3])
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
static bool has_point(const struct rd_boundary *k, const double point[3])
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
static bool has_crossed(const struct rd_boundary *k, const struct ray *ray, double t)
{
    double point[3];
    for (int axis = 0; axis < 3; axis++)
        point[axis] = ray->from[axis] + t * ray->along[axis];
    return has_point(k, point) != ray->starts_inside;
}

/* Returns the distance to the boundary along the ray; INFINITY if it is too far. */
static double search_boundary(const struct rd_boundary *k, const struct ray *ray)
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
static double measure_distance(const struct rd_boundary *k, const struct rd_near *n)
{
    struct ray ray = {.starts_inside = rd_boundary_is_inside(k, n->site)};
    const double length = length_of_vector(n->normal), sign = ray.starts_inside ? 1.0 : -1.0;
    int32_t at[3];
    for (int axis = 0; axis < 3; axis++) {
        at[axis] = place_along(k->g, axis, n->site);
        ray.along[axis] = length > 0.0 ? -sign * n->normal[axis] / length : 0.0;
    }
    rd_grid_centre(k->g, at, ray.from);
    return length > 0.0 ? sign * search_boundary(k, &ray) : INFINITY;
}

int64_t rd_boundary_beside(const struct rd_grid *g, int64_t site, int face)
{
    const int axis = face / 2;
    return site + rd_neighbour_offset(face % 2, stride_of(g, axis), g->size[axis],
                                      place_along(g, axis, site), g->wraps[axis]);
}

/* Sets the normal from the smoothed region. */
static void set_first_normal(const struct rd_boundary *k, struct rd_near *n)
{
    for (int axis = 0; axis < k->g->dim; axis++) {
        const double ahead = k->smooth[rd_boundary_beside(k->g, n->site, 2 * axis + 1)];
        n->normal[axis] =
            (ahead - k->smooth[rd_boundary_beside(k->g, n->site, 2 * axis)]) / k->g->edge[axis];
    }
}

/* Returns the distance at the site beside, or that of the voxel itself if it is not known; sets
 *steps to the number of edges between them. */
static double distance_beside(const struct rd_boundary *k, const struct rd_near *n, int face,
                              int *steps)
{
    const int64_t site = rd_boundary_beside(k->g, n->site, face);
    const struct rd_near *const there = k->at[site] < 0 ? n : &k->near[k->at[site]];
    const bool is_known = site != n->site && rd_is_finite(there->distance);
    *steps = is_known;
    return is_known ? there->distance : n->distance;
}

/* Sets the normal to the gradient of the distance; along an axis without known neighbours it stays
   as it is. */
static void set_normal(const struct rd_boundary *k, struct rd_near *n)
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
static bool list_near(struct rd_boundary *k, struct rd_error *e)
{
    const double least =
        1e-4; /* about 3.7 standard deviations of the smoothing from the boundary */
    for (int64_t site = 0; site < k->g->n_sites; site++) {
        const double f = k->smooth[site];
        k->at[site] = f > least && f < 1.0 - least ? (int32_t)k->n_near++ : -1;
    }
    k->near = calloc((size_t)k->n_near + 1, sizeof *k->near);
    if (!k->near || k->n_near > INT32_MAX)
        return rd_fail(e, "out of memory for the boundary of region '%s'", k->of->name);
    for (int64_t site = 0; site < k->g->n_sites; site++)
        if (k->at[site] >= 0) {
            k->near[k->at[site]].site = site;
            set_first_normal(k, &k->near[k->at[site]]);
        }
    return true;
}

/* Measures all distances, by normals that are improved once. */
static void measure_all(struct rd_boundary *k)
{
    for (int round = 0; round < 2; round++) {
        for (int64_t i = 0; i < k->n_near; i++)
            k->near[i].distance = measure_distance(k, &k->near[i]);
        for (int64_t i = 0; i < k->n_near; i++)
            set_normal(k, &k->near[i]);
    }
}

/* Sets the sum of the normals of two voxels, each of length 1; a voxel between two boundaries that
   has none adds nothing. */
static void add_normals(const struct rd_near *a, const struct rd_near *b, double sum[3])
{
    const double length[] = {length_of_vector(a->normal), length_of_vector(b->normal)};
    for (int axis = 0; axis < 3; axis++)
        sum[axis] = (length[0] > 0.0 ? a->normal[axis] / length[0] : 0.0) +
                    (length[1] > 0.0 ? b->normal[axis] / length[1] : 0.0);
}

double rd_boundary_share(const struct rd_boundary *k, const struct rd_near *n, int face)
{
    const int64_t site = rd_boundary_beside(k->g, n->site, face);
    if (rd_boundary_is_inside(k, site) == rd_boundary_is_inside(k, n->site) || k->at[site] < 0)
        return 0.0;
    double sum[3];
    add_normals(n, &k->near[k->at[site]], sum);
    const double length = length_of_vector(sum);
    return length > 0.0 ? fabs(sum[face / 2]) / length : 0.0;
}

bool rd_boundary_make(struct rd_boundary *k, const struct rd_model *m, int region,
                      struct rd_error *e)
{
    *k = (struct rd_boundary){.m = m, .g = &m->grid, .of = &m->region[region], .region = region};
    for (int axis = 0; axis < m->grid.dim; axis++)
        k->longest = m->grid.edge[axis] > k->longest ? m->grid.edge[axis] : k->longest;
    if (!smooth(k, e) || !list_near(k, e))
        return false;
    measure_all(k);
    return true;
}

void rd_boundary_free(struct rd_boundary *k)
{
    free(k->smooth);
    free(k->at);
    free(k->near);
    *k = (struct rd_boundary){0};
}

static int compare_sites(const void *a, const void *b)
{
    const int64_t *const x = a, *const y = b;
    return (*x > *y) - (*x < *y);
}

const void *rd_boundary_find(const void *list, int64_t n, size_t size, int64_t site)
{
    return n > 0 ? bsearch(&site, list, (size_t)n, size, compare_sites) : NULL;
}

double rd_boundary_steps(const struct rd_model *m, int region)
{
    struct rd_error ignored = {0};
    struct rd_boundary k;
    double sum = 0.0;
    const bool ok = rd_boundary_make(&k, m, region, &ignored) || rd_memory_guard(NULL);
    for (int64_t i = 0; ok && i < k.n_near; i++)
        for (int face = 1; face < 2 * m->grid.dim; face += 2) {
            const double share = rd_boundary_share(&k, &k.near[i], face);
            sum += share > 0.0 ? 1.0 - share : 0.0;
        }
    rd_boundary_free(&k);
    rd_error_free(&ignored);
    return sum;
}
