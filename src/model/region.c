/* region - which cells lie in a named shape; knows the geometry of boxes, spheres, cylinders and
   capsules. */
#include "region.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static bool in_box(const struct rd_region *r, int dim, const double p[3])
{
    for (int a = 0; a < dim; a++)
        if (p[a] < r->from[a] || p[a] >= r->to[a])
            return false;
    return true;
}

static double dot(int dim, const double a[3], const double b[3])
{
    double sum = 0;
    for (int i = 0; i < dim; i++)
        sum += a[i] * b[i];
    return sum;
}

static bool in_sphere(const struct rd_region *r, int dim, const double p[3])
{
    double away[3];
    for (int a = 0; a < dim; a++)
        away[a] = p[a] - r->from[a];
    return dot(dim, away, away) <= r->radius * r->radius;
}

/* The distance from the axis decides; beyond its ends there is nothing (cylinder), or the
   distance from the end (capsule). */
static bool in_tube(const struct rd_region *r, int dim, const double p[3])
{
    double axis[3], away[3];
    for (int a = 0; a < dim; a++) {
        axis[a] = r->to[a] - r->from[a];
        away[a] = p[a] - r->from[a];
    }
    double along = dot(dim, away, axis) / dot(dim, axis, axis); /* 0 at from, 1 at to */
    if (r->shape == RD_SHAPE_CYLINDER && (along < 0 || along > 1))
        return false;
    along = along < 0 ? 0 : along > 1 ? 1 : along;
    for (int a = 0; a < dim; a++)
        away[a] -= along * axis[a];
    return dot(dim, away, away) <= r->radius * r->radius;
}

bool rd_region_has(const struct rd_region *r, const struct rd_grid *g, const int32_t cell[3])
{
    double centre[3];
    for (int a = 0; a < 3; a++)
        centre[a] = g->origin[a] + ((double)cell[a] + 0.5) * g->edge[a];
    switch (r->shape) {
    case RD_SHAPE_BOX:
        return in_box(r, g->dim, centre);
    case RD_SHAPE_SPHERE:
        return in_sphere(r, g->dim, centre);
    default:
        return in_tube(r, g->dim, centre);
    }
}

static uint64_t mask_of(const struct rd_model *m, const int32_t cell[3])
{
    uint64_t mask = 0;
    for (int r = 0; r < m->n_regions; r++)
        mask |= (uint64_t)rd_region_has(&m->region[r], &m->grid, cell) << r;
    return mask;
}

/* Goes on to the cell of the next site. */
static void advance(const struct rd_grid *g, int32_t cell[3])
{
    for (int a = 0; a < 3 && ++cell[a] == g->size[a]; a++)
        cell[a] = 0;
}

static void print_point(char *text, size_t bytes, int dim, const double p[3])
{
    snprintf(text, bytes,
             dim == 1   ? "%.4g"
             : dim == 2 ? "(%.4g, %.4g)"
                        : "(%.4g, %.4g, %.4g)",
             p[0], p[1], p[2]);
}

/* Tells which regions are not in `any`, all masks in one. */
static bool check_occupied(const struct rd_model *m, uint64_t any, struct rd_error *e)
{
    static const char *const shape[] = {"box", "sphere", "cylinder", "capsule"};
    const struct rd_grid *const g = &m->grid;
    bool occupied = true;
    for (int i = 0; i < m->n_regions; i++) {
        const struct rd_region *const r = &m->region[i];
        if (any >> i & 1)
            continue;
        char from[64], to[64], radius[32] = "", edge[64];
        print_point(from, sizeof from, g->dim, r->from);
        print_point(to, sizeof to, g->dim, r->to);
        print_point(edge, sizeof edge, g->dim, g->edge);
        if (r->shape != RD_SHAPE_BOX)
            snprintf(radius, sizeof radius, ", radius %.4g", r->radius);
        occupied = rd_fail(
            e,
            "%s: region '%s' holds no cell's centre (a %s at %s%s%s%s; cells measure "
            "%s); make it larger or move it into the grid",
            r->place, r->name, shape[r->shape], from, r->shape == RD_SHAPE_SPHERE ? "" : " to ",
            r->shape == RD_SHAPE_SPHERE ? "" : to, radius, edge);
    }
    return occupied;
}

uint64_t *rd_region_masks(const struct rd_model *m, struct rd_error *e)
{
    const int64_t n = m->grid.n_sites;
    uint64_t *const mask = calloc((size_t)n, sizeof *mask);
    if (!mask) {
        rd_fail(e, "there is no memory for the regions of %" PRId64 " cells", n);
        return NULL;
    }
    int32_t cell[3] = {0};
    uint64_t any = 0;
    for (int64_t site = 0; site < n; site++, advance(&m->grid, cell)) {
        mask[site] = mask_of(m, cell);
        any |= mask[site];
    }
    if (check_occupied(m, any, e))
        return mask;
    free(mask);
    return NULL;
}

/* Adds mask to the n in *list unless it is there; false without memory. */
static bool add_overlap(uint64_t **list, int *n, uint64_t mask)
{
    for (int i = 0; i < *n; i++)
        if ((*list)[i] == mask)
            return true;
    uint64_t *const longer = realloc(*list, ((size_t)*n + 1) * sizeof **list);
    if (!longer)
        return false;
    *list = longer;
    longer[(*n)++] = mask;
    return true;
}

uint64_t *rd_region_overlaps(const struct rd_model *m, int *n, struct rd_error *e)
{
    uint64_t *list = NULL, any = 0, last = 0;
    int32_t cell[3] = {0};
    *n = 0;
    /* Without regions all cells are alike, and there may be very many of them. */
    const int64_t n_sites = m->n_regions > 0 ? m->grid.n_sites : 1;
    for (int64_t site = 0; site < n_sites; site++, advance(&m->grid, cell)) {
        const uint64_t mask = mask_of(m, cell);
        if ((site == 0 || mask != last) && !add_overlap(&list, n, mask)) {
            free(list);
            rd_fail(e, "there is no memory for the regions' overlaps");
            return NULL;
        }
        last = mask;
        any |= mask;
    }
    if (check_occupied(m, any, e))
        return list;
    free(list);
    return NULL;
}
