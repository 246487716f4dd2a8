/* shapes - the section `regions`: what shape each region has, and where. */
#include "backend.h"
#include "names.h"
#include "region.h"
#include "sections.h"

#include <stdlib.h>

static const char *const shape_key[] = {"box", "sphere", "cylinder", "capsule"};
enum { N_SHAPES = 4 };

/* The end of the grid along an axis. */
static double end_of(const struct rd_grid *g, int axis)
{
    return g->origin[axis] + g->size[axis] * g->edge[axis];
}

/* Cuts off what sticks out of the grid, and says so. */
static void clip(struct rd_reader *r, const rd_node *node, struct rd_region *x)
{
    const struct rd_grid *const g = &r->m->grid;
    for (int a = 0; a < g->dim; a++) {
        const double low = g->origin[a], high = end_of(g, a);
        if (x->from[a] >= low && x->to[a] <= high)
            continue;
        rd_reader_warn(r, node,
                       "the box (%g to %g along %c) sticks out of the grid (%g to %g); it is cut",
                       x->from[a], x->to[a], "xyz"[a], low, high);
        x->from[a] = x->from[a] < low ? low : x->from[a];
        x->to[a] = x->to[a] > high ? high : x->to[a];
    }
}

static bool read_box(struct rd_reader *r, const rd_node *node, struct rd_region *x)
{
    bool read = rd_reader_vector(r, rd_node_member(node, "from"), x->from);
    read &= rd_reader_vector(r, rd_node_member(node, "to"), x->to);
    for (int a = 0; read && a < r->m->grid.dim; a++)
        if (x->from[a] >= x->to[a])
            read = rd_reader_fail(r, node, "the box runs from %g to %g along %c; from must be less",
                                  x->from[a], x->to[a], "xyz"[a]);
    if (read && r->m->grid.n_sites > 0)
        clip(r, node, x);
    return read;
}

static bool read_round(struct rd_reader *r, const rd_node *node, struct rd_region *x)
{
    const bool is_sphere = x->shape == RD_SHAPE_SPHERE;
    bool read = rd_reader_vector(r, rd_node_member(node, is_sphere ? "centre" : "from"), x->from);
    read &= is_sphere || rd_reader_vector(r, rd_node_member(node, "to"), x->to);
    read &= rd_reader_number(r, rd_node_member(node, "radius"), "radius", RD_RANGE_POSITIVE,
                             &x->radius);
    if (!read || is_sphere)
        return read;
    for (int a = 0; a < r->m->grid.dim; a++)
        if (x->from[a] != x->to[a])
            return true;
    return rd_reader_fail(r, node, "from and to are the same point; for a ball take a sphere");
}

static bool read_shape(struct rd_reader *r, const rd_node *group, struct rd_region *x)
{
    const int shape = rd_reader_one_of(r, group, N_SHAPES, shape_key);
    if (shape < 0)
        return false;
    x->shape = (enum rd_shape)shape;
    const rd_node *const node = rd_node_member(group, shape_key[shape]);
    return x->shape == RD_SHAPE_BOX ? read_box(r, node, x) : read_round(r, node, x);
}

static bool check_sites(struct rd_reader *r, const rd_node *list)
{
    const int64_t n = r->m->grid.n_sites, has = rd_backend_cpu.memory(NULL);
    const double need = (double)n * sizeof(uint64_t);
    if (r->m->n_regions == 0)
        return true;
    if (n > RD_REGION_SITES_MOST)
        return rd_reader_fail(r, list,
                              "the grid has %lld cells; with regions at most 2^32 are possible",
                              (long long)n);
    /* before it is taken: a system may promise more than it has, and end the program later */
    return has < 0 || need <= 0.95 * (double)has ||
           rd_reader_fail(r, list,
                          "with %lld cells regions need %.3g GB; this machine has %.3g GB free",
                          (long long)n, need / 1e9, (double)has / 1e9);
}

void rd_shapes_read(struct rd_reader *r)
{
    const rd_node *const list = rd_node_member(rd_config_root(r->c), "regions");
    rd_reader_about(r, "regions");
    bool read = r->m->grid.n_sites > 0 && check_sites(r, list);
    for (int i = 0; i < r->m->n_regions; i++) {
        struct rd_region *const x = &r->m->region[i];
        rd_reader_about(r, "region '%s'", x->name);
        read &= read_shape(r, rd_node_at(list, i), x);
    }
    if (read)
        r->overlap = rd_region_overlaps(r->m, &r->n_overlaps, r->e);
    if (!r->overlap)
        r->n_overlaps = 0;
}
