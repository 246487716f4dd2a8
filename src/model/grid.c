/* grid - the section `grid`: sizes, edges and origin of the lattice. */
#include "kernels/core/rng.h"
#include "model/reader.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

/* Reads the numbers of voxels per axis; their number is the dimension. */
static bool read_voxels(struct rd_reader *r, const rd_node *voxels)
{
    struct rd_grid *const g = &r->m->grid;
    const bool is_list = rd_node_is_list(voxels);
    bool read = true;
    g->dim = is_list ? rd_node_length(voxels) : 1;
    for (int a = 0; a < 3; a++)
        g->size[a] = 1;
    for (int a = 0; a < g->dim; a++)
        read &=
            rd_reader_whole(r, is_list ? rd_node_at(voxels, a) : voxels, "voxels", 1, &g->size[a]);
    return read;
}

static bool read_edges(struct rd_reader *r, const rd_node *edge)
{
    const rd_node *axis[3];
    if (!rd_reader_axes(r, edge, true, axis))
        return false;
    bool read = true;
    for (int a = 0; a < r->m->grid.dim; a++)
        read &= rd_reader_number(r, axis[a], "edge", RD_RANGE_POSITIVE, &r->m->grid.edge[a]);
    return read;
}

/* Checks that voxels can be numbered, and that their coordinates differ in double precision. */
static bool check_extent(struct rd_reader *r, const rd_node *node)
{
    const struct rd_grid *const g = &r->m->grid;
    double n = 1;
    for (int a = 0; a < 3; a++) {
        const double edge = g->edge[a], low = g->origin[a], last = low + (g->size[a] - 0.5) * edge;
        if (!isfinite(last) || last + 0.5 * edge == last)
            return rd_reader_fail(
                r, node,
                "the box from %g to %g along %c cannot be resolved in voxels of %g; "
                "choose another unit of length or origin",
                low, last, "xyz"[a], edge);
        n *= g->size[a];
    }
    if (n > (double)RD_ITEM_END)
        return rd_reader_fail(r, node, "the grid has %g voxels; use at most 2^36 = %lld", n,
                              (long long)RD_ITEM_END);
    return isnormal(g->edge[0] * g->edge[1] * g->edge[2]) ||
           rd_reader_fail(r, node,
                          "the volume of a voxel is out of range; choose another unit of length");
}

double rd_grid_longest_edge(const struct rd_grid *g)
{
    double longest = 0.0;
    for (int axis = 0; axis < g->dim; axis++)
        longest = g->edge[axis] > longest ? g->edge[axis] : longest;
    return longest;
}

bool rd_grid_is_before(const struct rd_grid *g, int axis, double a, double b)
{
    return a < b - rd_grid_slack(g, axis, b);
}

double rd_grid_end(const struct rd_grid *g, int axis)
{
    return g->origin[axis] + g->size[axis] * g->edge[axis];
}

bool rd_grid_find(const struct rd_grid *g, int axis, double position, int32_t *voxel)
{
    const double low = g->origin[axis];
    if (!(fabs(position) <= DBL_MAX) || rd_grid_is_before(g, axis, position, low) ||
        rd_grid_is_before(g, axis, rd_grid_end(g, axis), position))
        return false;
    const double i = floor((position + rd_grid_slack(g, axis, position) - low) / g->edge[axis]);
    *voxel = i < 0 ? 0 : i < g->size[axis] ? (int32_t)i : g->size[axis] - 1;
    return true;
}

int64_t rd_grid_site(const struct rd_grid *g, const int32_t voxel[3])
{
    return ((int64_t)voxel[2] * g->size[1] + voxel[1]) * g->size[0] + voxel[0];
}

void rd_grid_centre(const struct rd_grid *g, const int32_t voxel[3], double centre[3])
{
    for (int a = 0; a < 3; a++)
        centre[a] = g->origin[a] + ((double)voxel[a] + 0.5) * g->edge[a];
}

struct rd_words rd_grid_point(const struct rd_grid *g, const double point[3])
{
    static const char *const form[] = {"%.6g", "(%.6g, %.6g)", "(%.6g, %.6g, %.6g)"};
    struct rd_words w;
    snprintf(w.text, sizeof w.text, form[g->dim - 1], point[0], point[1], point[2]);
    return w;
}

struct rd_words rd_grid_voxel(const struct rd_grid *g, const int32_t voxel[3])
{
    static const char *const form[] = {"%d", "(%d, %d)", "(%d, %d, %d)"};
    struct rd_words w;
    snprintf(w.text, sizeof w.text, form[g->dim - 1], (int)voxel[0], (int)voxel[1], (int)voxel[2]);
    return w;
}

void rd_grid_read(struct rd_reader *r)
{
    struct rd_grid *const g = &r->m->grid;
    const rd_node *const grid = rd_node_member(rd_config_root(r->c), "grid");
    for (int a = 0; a < 3; a++)
        g->edge[a] = 1;
    rd_reader_about(r, "grid");
    bool read = read_voxels(r, rd_node_member(grid, "voxels"));
    read &= read_edges(r, rd_node_member(grid, "edge"));
    read &= rd_reader_vector(r, rd_node_member(grid, "origin"), g->origin);
    if (read && check_extent(r, grid)) {
        g->n_sites = (int64_t)g->size[0] * g->size[1] * g->size[2];
        g->volume = g->edge[0] * g->edge[1] * g->edge[2];
    }
    rd_walls_check(r);
}
