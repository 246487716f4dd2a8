/* boundary - the boundary of a region: the voxels near it, with distances and normals.

   The distance is measured along the normal, by bisection of the region's own shape, beyond the
   walls of the grid as well. Labels, and regions that touch others, have no shape: their voxels are
   smoothed, and the level 1/2 is the boundary. */
#include "model/boundary.h"

#include "base/memory.h"
#include "base/threads.h"
#include "kernels/core/eval.h"
#include "kernels/core/real.h"
#include "model/region.h"

#include <stdlib.h>

/* Sets lengths in units of the longest edge: the longest search for the boundary, and its steps. */
static const double search_width = 3.0, search_step = 0.25;

/* Sets the voxels whose normals decide on those at faces, in steps from these, and how many voxels
   a thread takes at once. */
enum { STEPS_MOST = 2, PART = 4096 };

bool rd_boundary_is_inside(const struct rd_boundary *k, int64_t site)
{
    return k->m->mask[site] >> k->region & 1;
}

/* ---- sites ---- */

/* Holds a growing list of sites. */
struct site_list {
    int64_t *site;
    int64_t n, room;
};

static bool append_site(struct site_list *l, int64_t site)
{
    if (l->n == l->room) {
        const int64_t room = 2 * l->room + 1024;
        int64_t *const longer = realloc(l->site, (size_t)room * sizeof *longer);
        if (!longer)
            return false;
        l->site = longer;
        l->room = room;
    }
    l->site[l->n++] = site;
    return true;
}

/* Returns the number of sites from a voxel to the next one along the axis; 0 at a wall that is not
   periodic. */
static int64_t offset_ahead(const struct rd_grid *g, int axis, int32_t at)
{
    return rd_neighbour_offset(true, rd_grid_stride(g, axis), g->size[axis], at, g->wraps[axis]);
}

/* Adds the sites of a row along x that differ in one of these regions from the next one along an
   axis. along: offsets to the next rows along y and z. */
static bool append_sites_of_row(const struct rd_model *m, uint64_t regions, int64_t first,
                                const int64_t along[3], struct site_list *l)
{
    const uint64_t *const here = &m->mask[first];
    const int32_t last = m->grid.size[0] - 1;
    bool ok = true;
    for (int32_t x = 0; ok && x <= last; x++) {
        const uint64_t next = here[x < last ? x + 1 : x + along[0]];
        const uint64_t other =
            (here[x] ^ next) | (here[x] ^ here[x + along[1]]) | (here[x] ^ here[x + along[2]]);
        ok = !(other & regions) || append_site(l, first + x);
    }
    return ok;
}

int64_t *rd_boundary_list(const struct rd_model *m, uint64_t regions, int64_t *n)
{
    const int32_t *const size = m->grid.size;
    int64_t along[3] = {offset_ahead(&m->grid, 0, size[0] - 1)}, first = 0;
    struct site_list l = {.site = malloc(sizeof *l.site), .room = 1};
    bool ok = l.site != NULL;
    for (int32_t z = 0; z < size[2]; z++)
        for (int32_t y = 0; ok && y < size[1]; y++, first += size[0]) {
            along[1] = offset_ahead(&m->grid, 1, y);
            along[2] = offset_ahead(&m->grid, 2, z);
            ok = append_sites_of_row(m, regions, first, along, &l);
        }
    if (!ok)
        free(l.site);
    *n = l.n;
    return ok ? l.site : NULL;
}

/* ---- distance and normal ---- */

/* Returns whether the region has the point, which periodic walls bring into the grid. */
static bool has_point(const struct rd_boundary *k, const double point[3])
{
    const struct rd_grid *const g = k->g;
    double p[3] = {point[0], point[1], point[2]};
    for (int axis = 0; axis < 3; axis++) {
        const double length = g->size[axis] * g->edge[axis];
        if (g->wraps[axis])
            p[axis] -= rd_floor((p[axis] - g->origin[axis]) / length) * length;
    }
    const double has = rd_region_has_point(k->m, k->of, p);
    return has >= 0.0 ? has != 0.0 : rd_smoothing_point(&k->smooth, p) >= 0.5;
}

/* Returns the place of a site along an axis. */
static int32_t place_along(const struct rd_grid *g, int axis, int64_t site)
{
    return (int32_t)(site / rd_grid_stride(g, axis) % g->size[axis]);
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
    return site + rd_neighbour_offset(face % 2, rd_grid_stride(g, axis), g->size[axis],
                                      place_along(g, axis, site), g->wraps[axis]);
}

/* Sets the normal from the smoothed region. */
static void set_first_normal(const struct rd_boundary *k, struct rd_near *n)
{
    for (int axis = 0; axis < k->g->dim; axis++) {
        const int64_t ahead = rd_boundary_beside(k->g, n->site, 2 * axis + 1),
                      behind = rd_boundary_beside(k->g, n->site, 2 * axis);
        n->normal[axis] =
            (rd_smoothing_at(&k->smooth, ahead) - rd_smoothing_at(&k->smooth, behind)) /
            k->g->edge[axis];
    }
}

/* Returns the voxel near the boundary at the site; NULL if there is none. */
static const struct rd_near *near_at(const struct rd_boundary *k, int64_t site)
{
    return k->at[site] > 0 ? &k->near[k->at[site] - 1] : NULL;
}

/* Returns the distance at the site beside, or that of the voxel itself if it is not known; sets
 *steps to the number of edges between them. */
static double distance_beside(const struct rd_boundary *k, const struct rd_near *n, int face,
                              int *steps)
{
    const int64_t site = rd_boundary_beside(k->g, n->site, face);
    const struct rd_near *const there = near_at(k, site);
    const bool is_known = site != n->site && rd_is_finite((there ? there : n)->distance);
    *steps = is_known;
    return (is_known && there ? there : n)->distance;
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

/* Returns whether the voxel is near the boundary: its value lies less than about 3.7 standard
   deviations of the smoothing away. */
static bool is_near(const struct rd_boundary *k, int64_t site)
{
    const double least = 1e-4, f = rd_smoothing_at(&k->smooth, site);
    return f > least && f < 1.0 - least;
}

/* Marks a voxel near the boundary by -1 minus its steps, and adds it to the list; a marked one
   stays as it is. */
static bool mark_near(struct rd_boundary *k, struct site_list *l, int64_t site, int32_t steps)
{
    if (k->at[site] != 0 || !is_near(k, site))
        return true;
    k->at[site] = -1 - steps;
    return append_site(l, site);
}

/* Marks the voxels near the boundary that lie at its faces, and those some steps from them. */
static bool mark_steps(struct rd_boundary *k, const int64_t *before, int64_t n)
{
    struct site_list l = {0};
    bool ok = true;
    for (int64_t i = 0; ok && i < n; i++)
        for (int face = 1; ok && face < 2 * k->g->dim; face += 2) {
            const int64_t site = before[i], next = rd_boundary_beside(k->g, site, face);
            if (rd_boundary_is_inside(k, next) != rd_boundary_is_inside(k, site))
                ok = mark_near(k, &l, site, 0) && mark_near(k, &l, next, 0);
        }
    for (int64_t i = 0; ok && i < l.n && k->at[l.site[i]] >= -STEPS_MOST; i++)
        for (int face = 0; ok && face < 2 * k->g->dim; face++)
            ok = mark_near(k, &l, rd_boundary_beside(k->g, l.site[i], face), -k->at[l.site[i]]);
    free(l.site);
    return ok;
}

/* Calls work(k, site) for all sites with values of the smoothing, in rising order; others are not
   near the boundary. */
static void visit_bricks(struct rd_boundary *k, void (*work)(struct rd_boundary *k, int64_t site))
{
    const int32_t *const size = k->g->size;
    int32_t at[3];
    for (at[2] = 0; at[2] < size[2]; at[2]++)
        for (at[1] = 0; at[1] < size[1]; at[1]++)
            for (at[0] = 0; at[0] < size[0]; at[0] += RD_BRICK) {
                const int32_t left = size[0] - at[0], n = left < RD_BRICK ? left : RD_BRICK;
                const int64_t first = rd_grid_site(k->g, at);
                for (int32_t x = 0; rd_smoothing_is_mixed(&k->smooth, at) && x < n; x++)
                    work(k, first + x);
            }
}

/* Marks the voxel if it is near the boundary. */
static void mark_one(struct rd_boundary *k, int64_t site)
{
    k->at[site] = is_near(k, site) ? -1 : 0;
}

/* Counts the voxel if it is marked. */
static void count_marked(struct rd_boundary *k, int64_t site)
{
    k->n_near += k->at[site] < 0;
}

/* Adds the voxel if it is marked. */
static void add_marked(struct rd_boundary *k, int64_t site)
{
    if (k->at[site] >= 0)
        return;
    k->near[k->n_near] = (struct rd_near){.site = site, .steps = -1 - k->at[site]};
    k->at[site] = (int32_t)++k->n_near;
}

/* Lists the voxels that are marked. */
static bool list_near(struct rd_boundary *k)
{
    visit_bricks(k, count_marked);
    k->near = k->n_near < INT32_MAX ? calloc((size_t)k->n_near + 1, sizeof *k->near) : NULL;
    k->n_near = 0;
    if (k->near)
        visit_bricks(k, add_marked);
    return k->near != NULL;
}

/* ---- measuring ---- */

/* Holds the boundary, and how many times its normals were improved. */
struct round {
    const struct rd_boundary *k;
    int n;
};

/* Sets the first normals of a part of the voxels. */
static void start_part(void *of, int64_t part)
{
    const struct rd_boundary *const k = ((const struct round *)of)->k;
    for (int64_t i = part * PART; i < k->n_near && i < (part + 1) * PART; i++)
        set_first_normal(k, &k->near[i]);
}

/* Measures the distances of a part of the voxels. */
static void measure_part(void *of, int64_t part)
{
    const struct round *const r = of;
    const struct rd_boundary *const k = r->k;
    for (int64_t i = part * PART; i < k->n_near && i < (part + 1) * PART; i++)
        if (k->near[i].steps <= STEPS_MOST - r->n)
            k->near[i].distance = measure_distance(k, &k->near[i]);
}

/* Improves the normals of a part of the voxels. */
static void improve_part(void *of, int64_t part)
{
    const struct round *const r = of;
    const struct rd_boundary *const k = r->k;
    for (int64_t i = part * PART; i < k->n_near && i < (part + 1) * PART; i++)
        if (k->near[i].steps < STEPS_MOST - r->n)
            set_normal(k, &k->near[i]);
}

/* Measures all distances, by normals that are improved once. A normal takes the distances of the
   neighbours, by their normals, so that those at faces need voxels two steps away. */
static void measure_all(const struct rd_boundary *k)
{
    const int threads = rd_threads_number(0);
    const int64_t n_parts = (k->n_near + PART - 1) / PART;
    struct round r = {.k = k};
    rd_threads_each(threads, n_parts, start_part, &r);
    for (; r.n < STEPS_MOST; r.n++) {
        rd_threads_each(threads, n_parts, measure_part, &r);
        rd_threads_each(threads, n_parts, improve_part, &r);
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
    const struct rd_near *const there = near_at(k, site);
    if (rd_boundary_is_inside(k, site) == rd_boundary_is_inside(k, n->site) || !there)
        return 0.0;
    double sum[3];
    add_normals(n, there, sum);
    const double length = length_of_vector(sum);
    return length > 0.0 ? fabs(sum[face / 2]) / length : 0.0;
}

/* Finds voxels near the boundary: all, or those at its faces and what decides on their normals.
   before: n sites that include all that lie before its faces. Returns false if there is no
   memory. */
static bool make_boundary(struct rd_boundary *k, const int64_t *before, int64_t n, bool is_all)
{
    k->at = calloc((size_t)k->g->n_sites, sizeof *k->at);
    if (!k->at || !rd_smoothing_make(&k->smooth, k->g, k->m->mask, k->region, before, n))
        return false;
    if (is_all)
        visit_bricks(k, mark_one);
    else if (!mark_steps(k, before, n))
        return false;
    if (!list_near(k))
        return false;
    measure_all(k);
    return true;
}

static struct rd_boundary boundary_of(const struct rd_model *m, int region)
{
    return (struct rd_boundary){.m = m,
                                .g = &m->grid,
                                .of = &m->region[region],
                                .region = region,
                                .longest = rd_grid_longest_edge(&m->grid)};
}

bool rd_boundary_make(struct rd_boundary *k, const struct rd_model *m, int region,
                      struct rd_error *e)
{
    int64_t n = 0;
    int64_t *const before = rd_boundary_list(m, UINT64_C(1) << region, &n);
    *k = boundary_of(m, region);
    const bool ok = before && make_boundary(k, before, n, true);
    free(before);
    return ok || rd_fail(e, "out of memory for the boundary of region '%s'", k->of->name);
}

bool rd_boundary_make_faces(struct rd_boundary *k, const struct rd_model *m, int region,
                            const int64_t *before, int64_t n, struct rd_error *e)
{
    *k = boundary_of(m, region);
    return make_boundary(k, before, n, false) ||
           rd_fail(e, "out of memory for the boundary of region '%s'", k->of->name);
}

void rd_boundary_free(struct rd_boundary *k)
{
    rd_smoothing_free(&k->smooth);
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
