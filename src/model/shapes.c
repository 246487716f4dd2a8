/* shapes - the section `regions`: the shape and the place of each region. */
#include "kernels/core/backend.h"
#include "model/boundary_faces.h"
#include "model/masks.h"
#include "model/reader.h"

/* Cuts off the part of a box outside of the grid, with a warning. A box that lies outside as a
   whole stays as it is: it has no voxels, which is an error. */
static void clip(struct rd_reader *r, const rd_node *node, struct rd_region *x)
{
    const struct rd_grid *const g = &r->m->grid;
    for (int a = 0; a < g->dim; a++) {
        const double low = g->origin[a], high = rd_grid_end(g, a);
        const bool exceeds =
            rd_grid_is_before(g, a, x->from[a], low) || rd_grid_is_before(g, a, high, x->to[a]);
        if (!exceeds || x->from[a] >= high || x->to[a] <= low)
            continue;
        rd_reader_warn(r, node,
                       "the box (%g to %g along %c) is cut, since it exceeds the grid (%g to %g); "
                       "make it smaller",
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
            read =
                rd_reader_fail(r, node, "the box runs from %g to %g along %c; give a smaller from",
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
    return rd_reader_fail(r, node, "from and to are the same point; use a sphere for a ball");
}

static bool read_half_space(struct rd_reader *r, const rd_node *node, struct rd_region *x)
{
    const rd_node *const towards = rd_node_member(node, "towards");
    if (!rd_reader_vector(r, rd_node_member(node, "at"), x->from) ||
        !rd_reader_vector(r, towards, x->to))
        return false;
    for (int a = 0; a < r->m->grid.dim; a++)
        if (x->to[a] != 0)
            return true;
    return rd_reader_fail(r, towards,
                          "towards is 0 along every axis; give a vector into the half-space");
}

static bool read_ellipsoid(struct rd_reader *r, const rd_node *node, struct rd_region *x)
{
    const rd_node *const radii = rd_node_member(node, "radii"), *axis[3];
    bool read = rd_reader_vector(r, rd_node_member(node, "centre"), x->from);
    if (!rd_reader_axes(r, radii, true, axis))
        return false;
    for (int a = 0; a < r->m->grid.dim; a++)
        read &= rd_reader_number(r, axis[a], "radii", RD_RANGE_POSITIVE, &x->to[a]);
    return read;
}

static bool read_where(struct rd_reader *r, const rd_node *node, struct rd_region *x)
{
    return rd_reader_expr(r, node, "where", RD_USES_PARAMETERS | RD_USES_SPACE | RD_USES_VOLUME,
                          RD_RANGE_ANY, &x->where) &&
           (r->has_values || !(x->where.uses & RD_USES_PARAMETERS));
}

static bool read_labels(struct rd_reader *r, const rd_node *node, struct rd_region *x)
{
    const rd_node *const dataset = rd_node_member(node, "dataset");
    const rd_node *const equals = rd_node_member(node, "equals");
    const int n = rd_reader_many(equals);
    x->file = rd_reader_copy(r, rd_node_text(rd_node_member(node, "file")));
    x->label = rd_reader_array(r, n, sizeof *x->label);
    if (dataset)
        x->dataset = rd_reader_copy(r, rd_node_text(dataset));
    if (!x->file || !x->label || (dataset && !x->dataset))
        return false;
    for (; x->n_labels < n; x->n_labels++)
        x->label[x->n_labels] = (int32_t)rd_node_integer(rd_reader_each(equals, x->n_labels));
    return true;
}

/* Reads a region that is made of other regions, by their names. */
static bool read_region_parts(struct rd_reader *r, const rd_node *node, struct rd_region *x)
{
    const bool has_whole = x->shape == RD_SHAPE_DIFFERENCE || x->shape == RD_SHAPE_TOUCHING;
    const int n = rd_reader_many(node), least = x->shape == RD_SHAPE_COMPLEMENT ? 1 : 2;
    bool read = true;
    if (n < least)
        return rd_reader_fail(r, node, "%s names one region; name two or more", rd_node_name(node));
    for (int i = 0; i < n; i++) {
        const rd_node *const name = rd_reader_each(node, i);
        const int part = rd_compartments_region(r, name);
        read &= part >= 0;
        if (part >= rd_model_n_shapes(r->m))
            read = rd_reader_fail(r, name, "'%s' is a surface; regions are made of regions only",
                                  rd_node_text(name));
        else if (part >= 0 && (x->whole == part || (x->parts >> part & 1)))
            read = rd_reader_fail(r, name, "names '%s' twice; name it once", rd_node_text(name));
        else if (part >= 0 && has_whole && i == 0)
            x->whole = part;
        else if (part >= 0)
            x->parts |= UINT64_C(1) << part;
    }
    return read;
}

void rd_shapes_union(struct rd_reader *r, const rd_node *in, struct rd_region *x)
{
    x->whole = -1;
    read_region_parts(r, in, x);
}

static bool read_shape(struct rd_reader *r, const rd_node *group, struct rd_region *x)
{
    static const struct {
        const char *key;
        bool (*read)(struct rd_reader *, const rd_node *, struct rd_region *);
    } shape[] = {
        [RD_SHAPE_BOX] = {"box", read_box},
        [RD_SHAPE_SPHERE] = {"sphere", read_round},
        [RD_SHAPE_CYLINDER] = {"cylinder", read_round},
        [RD_SHAPE_CAPSULE] = {"capsule", read_round},
        [RD_SHAPE_HALF_SPACE] = {"half_space", read_half_space},
        [RD_SHAPE_ELLIPSOID] = {"ellipsoid", read_ellipsoid},
        [RD_SHAPE_WHERE] = {"where", read_where},
        [RD_SHAPE_LABELS] = {"labels", read_labels},
        [RD_SHAPE_UNION] = {"union", read_region_parts},
        [RD_SHAPE_INTERSECTION] = {"intersection", read_region_parts},
        [RD_SHAPE_DIFFERENCE] = {"difference", read_region_parts},
        [RD_SHAPE_COMPLEMENT] = {"complement", read_region_parts},
        [RD_SHAPE_TOUCHING] = {"touching", read_region_parts},
    };
    enum { N = sizeof shape / sizeof *shape };
    const char *key[N];
    for (int i = 0; i < N; i++)
        key[i] = shape[i].key;
    const int which = rd_reader_one_of(r, group, N, key);
    if (which < 0)
        return false;
    x->shape = (enum rd_shape)which;
    return shape[which].read(r, rd_node_member(group, key[which]), x);
}

static bool check_sites(struct rd_reader *r, const rd_node *list)
{
    const int64_t n = r->m->grid.n_sites, has = rd_backend_cpu.memory(NULL);
    const double need = (double)n * sizeof(uint64_t);
    if (r->m->n_regions == 0)
        return true;
    if (n > RD_MASKS_SITES_MOST)
        return rd_reader_fail(r, list, "the grid has %lld voxels; use at most 2^32 with regions",
                              (long long)n);
    /* The check precedes the allocation: a system may grant more than it has, and kill the program
       later. */
    return has < 0 || need <= 0.95 * (double)has ||
           rd_reader_fail(
               r, list,
               "regions of %lld voxels need %.3g GB, and %.3g GB are free; use fewer voxels",
               (long long)n, need / 1e9, (double)has / 1e9);
}

/* Lists the combinations of regions that occur. Without regions there is one, that of no region. */
static void list_overlaps(struct rd_reader *r)
{
    struct rd_model *const m = r->m;
    if (m->mask)
        r->overlap = rd_masks_overlaps(m->mask, m->grid.n_sites, &r->n_overlaps);
    else if (m->n_regions == 0)
        r->overlap = rd_reader_array(r, 1, sizeof *r->overlap);
    else
        return;
    if (!r->overlap)
        rd_fail(r->e, "out of memory for the regions' overlaps");
    else if (!m->mask)
        r->n_overlaps = 1;
}

void rd_shapes_read(struct rd_reader *r)
{
    const rd_node *const list = rd_node_member(rd_config_root(r->c), "regions");
    rd_reader_about(r, "regions");
    bool read = r->m->grid.n_sites > 0 && check_sites(r, list);
    for (int i = 0; i < rd_node_length(list) && i < r->m->n_regions; i++) {
        struct rd_region *const x = &r->m->region[i];
        x->whole = -1;
        rd_reader_about(r, "region '%s'", x->name);
        read &= read_shape(r, rd_node_at(list, i), x);
    }
    if (read && r->m->n_regions > 0)
        r->m->boundaries = rd_reader_array(r, 1, sizeof *r->m->boundaries);
    if (r->m->boundaries)
        r->m->mask = rd_masks_make(r->m, r->e);
    read = rd_surfaces_read(r) && read;
    read = rd_compartments_read(r) && read;
    if (read)
        list_overlaps(r);
    rd_extents_find(r);
}
