/* borders - the section `borders`: transmission probabilities of hops from one region to
   another, or permeabilities.

   A border with a permeability P has the flux P n_k through faces of axis k, n being its normal, so
   that a plane of any direction has the flux P (src/plan/plan_hop_rates.c). The normal is that of
   the boundary of one of the two regions. */
#include "model/borders.h"

#include "base/memory.h"
#include "model/boundary.h"
#include "model/boundary_faces.h"
#include "model/reader.h"
#include "model/region.h"

#include <stdlib.h>

/* ---- hops ---- */

bool rd_borders_limit(const struct rd_model *m, const struct rd_border *b, int32_t species)
{
    const int surface = m->species[species].surface;
    if (surface >= 0 && (b->along >> surface & 1))
        return false;
    for (int i = 0; i < b->n_species; i++)
        if (b->species[i] == species)
            return true;
    return b->n_species == 0;
}

bool rd_borders_cross(const struct rd_border *b, uint64_t from, uint64_t to)
{
    return rd_region_crosses(from, to, b->from, b->to) ||
           (b->is_mutual && rd_region_crosses(from, to, b->to, b->from));
}

/* Returns whether a hop between the voxels crosses the border in either direction. */
static bool separates(const struct rd_border *b, uint64_t one, uint64_t other)
{
    return rd_borders_cross(b, one, other) || rd_borders_cross(b, other, one);
}

/* Returns whether the border limits no hop of the surface but those from one side of the surface to
   the other, which are the same place of it. */
static bool runs_along(const struct rd_model *m, const struct rd_border *b,
                       const struct rd_surface *s)
{
    const uint64_t side = UINT64_C(1) << s->of;
    for (int64_t i = 0; i < s->n_voxels; i++)
        for (int face = 1; face < 2 * m->grid.dim; face += 2) {
            const int64_t site = s->voxel[i].site;
            const uint64_t here = m->mask[site],
                           there = m->mask[rd_boundary_beside(&m->grid, site, face)];
            if ((there >> s->region & 1) && !((here ^ there) & side) && separates(b, here, there))
                return false;
        }
    return true;
}

/* ---- faces ---- */

/* Returns the number of faces of the region's boundary that are not faces of the border. */
static int64_t count_other_faces(const struct rd_model *m, const struct rd_boundaries *all,
                                 const struct rd_border *b, int region)
{
    int64_t n = 0;
    for (int64_t i = 0; i < all->n_before; i++)
        for (int face = 1; face < 2 * m->grid.dim; face += 2) {
            const int64_t site = all->before[i];
            const uint64_t here = m->mask[site],
                           there = m->mask[rd_boundary_beside(&m->grid, site, face)];
            n += ((here ^ there) >> region & 1) && !separates(b, here, there);
        }
    return n;
}

/* Returns the faces of the boundary that has the normals of the border: the boundary of one of its
   regions, the one that has fewer other faces. Sets *region. Returns NULL with a message if there
   is no memory. */
static const struct rd_boundary_faces *
find_faces(const struct rd_model *m, const struct rd_border *b, int *region, struct rd_error *e)
{
    const struct rd_boundaries *const all = rd_boundary_faces_list(m, e);
    if (!all)
        return NULL;
    const bool is_first =
        count_other_faces(m, all, b, b->from) <= count_other_faces(m, all, b, b->to);
    *region = is_first ? b->from : b->to;
    return rd_boundary_faces_of(m, *region, e);
}

struct rd_border_area rd_borders_area(const struct rd_model *m, const struct rd_border *b)
{
    struct rd_border_area area = {0.0, 0.0};
    struct rd_error ignored = {0};
    int region;
    if (m->grid.dim == 1)
        return area;
    const struct rd_boundary_faces *const faces = find_faces(m, b, &region, &ignored);
    if (!faces)
        rd_memory_guard(NULL);
    for (int64_t i = 0; faces && i < faces->n; i++)
        for (int axis = 0; axis < m->grid.dim; axis++) {
            const struct rd_boundary_face *const f = &faces->face[i];
            const int64_t next = rd_boundary_beside(&m->grid, f->site, 2 * axis + 1);
            const double face = m->grid.volume / m->grid.edge[axis];
            if (f->share[axis] > 0.0 && separates(b, m->mask[f->site], m->mask[next])) {
                area.smooth += f->share[axis] * face;
                area.faces += face;
            }
        }
    rd_error_free(&ignored);
    return area;
}

double rd_borders_share(const struct rd_model *m, const struct rd_border *b, int64_t site, int axis)
{
    const struct rd_boundary_faces *const faces = &m->boundaries->of[b->normal_of];
    const struct rd_boundary_face *const f =
        rd_boundary_find(faces->face, faces->n, sizeof *faces->face, site);
    return f && f->share[axis] > 0.0 ? f->share[axis] : 1.0;
}

/* Returns whether a hop from one region of the border to the other crosses it. */
static bool is_crossed(const struct rd_model *m, const struct rd_boundaries *all,
                       const struct rd_border *b)
{
    for (int64_t i = 0; i < all->n_before; i++)
        for (int face = 1; face < 2 * m->grid.dim; face += 2) {
            const int64_t site = all->before[i];
            if (separates(b, m->mask[site], m->mask[rd_boundary_beside(&m->grid, site, face)]))
                return true;
        }
    return false;
}

/* ---- reading ---- */

/* Reads two regions by name: those of the list `between`, or those of `from` and `to`. */
static bool read_border_regions(struct rd_reader *r, const rd_node *group, struct rd_border *b)
{
    const rd_node *const between = rd_node_member(group, "between");
    const rd_node *const from = rd_node_member(group, "from");
    const rd_node *const to = rd_node_member(group, "to");
    b->is_mutual = between != NULL;
    if (between ? from || to : !from || !to)
        return rd_reader_fail(
            r, group, "has %s; give between for both ways, or from and to for one",
            between ? "between together with from or to" : "neither between nor both from and to");
    if (between && rd_reader_many(between) != 2)
        return rd_reader_fail(r, between, "between names %d region%s; name two",
                              rd_reader_many(between), rd_reader_many(between) == 1 ? "" : "s");
    const rd_node *const one = between ? rd_node_at(between, 0) : from;
    const rd_node *const other = between ? rd_node_at(between, 1) : to;
    b->from = rd_compartments_region(r, one);
    b->to = rd_compartments_region(r, other);
    if (b->from >= 0 && b->from == b->to)
        return rd_reader_fail(r, other, "'%s' has no border with itself; name two regions",
                              rd_node_text(other));
    return b->from >= 0 && b->to >= 0;
}

static bool read_border_species(struct rd_reader *r, const rd_node *node, struct rd_border *b)
{
    const int n = node ? rd_reader_many(node) : 0;
    bool read = true;
    b->species = rd_reader_array(r, n, sizeof *b->species);
    for (int i = 0; b->species && i < n; i++) {
        const rd_node *const name = rd_reader_each(node, i);
        const int s = rd_names_look(r, name, RD_NAME_SPECIES, rd_node_text(name));
        for (int k = 0; k < b->n_species; k++)
            if (b->species[k] == s)
                read =
                    rd_reader_fail(r, name, "names '%s' twice; name it once", rd_node_text(name));
        if (s >= 0)
            b->species[b->n_species++] = s;
        read &= s >= 0;
    }
    return read && b->species;
}

static bool shares_species(const struct rd_border *a, const struct rd_border *b)
{
    for (int i = 0; i < a->n_species; i++)
        for (int k = 0; k < b->n_species; k++)
            if (a->species[i] == b->species[k])
                return true;
    return a->n_species == 0 || b->n_species == 0;
}

/* Reports earlier borders that apply to the same hops, since either probability could be meant. */
static void check_unique(struct rd_reader *r, const rd_node *group, int number)
{
    const struct rd_border *const b = &r->m->border[number];
    for (int i = 0; i < number; i++) {
        const struct rd_border *const a = &r->m->border[i];
        const bool same = a->from == b->from && a->to == b->to;
        const bool turned = a->from == b->to && a->to == b->from;
        if ((same || (turned && (a->is_mutual || b->is_mutual))) && shares_species(a, b))
            rd_reader_fail(
                r, group,
                "repeats borders[%d] for '%s' and '%s'; give each way and species one probability",
                i, r->m->region[b->from].name, r->m->region[b->to].name);
    }
}

/* Reads `pass` or `permeability`. */
static bool read_border_speed(struct rd_reader *r, const rd_node *group, struct rd_border *b)
{
    const rd_node *const pass = rd_node_member(group, "pass");
    const rd_node *const permeability = rd_node_member(group, "permeability");
    b->is_permeability = permeability != NULL;
    if (!pass == !permeability)
        return rd_reader_fail(r, group, "has %s pass %s permeability; give one of them",
                              pass ? "both" : "neither", pass ? "and" : "nor");
    return pass
               ? rd_reader_expr(r, pass, "pass", RD_USES_PARAMETERS, RD_RANGE_PROBABILITY, &b->pass)
               : rd_reader_expr(r, permeability, "permeability", RD_USES_PARAMETERS,
                                RD_RANGE_NOT_NEGATIVE, &b->pass);
}

/* Returns why a border with a permeability cannot limit the species; NULL if it can. */
static const char *obstacle_to_permeability(const struct rd_species *s)
{
    const unsigned lasting =
        RD_USES_PARAMETERS | RD_USES_VOLUME | RD_USES_REGIONS | RD_USES_SPACE | RD_USES_FIELDS;
    if (s->is_individual)
        return "has individuals";
    if (s->surface >= 0)
        return "lives on a surface, which crosses the border";
    return rd_model_motion_uses(s) & ~lasting ? "moves at rates that change" : NULL;
}

/* Marks the species that the permeability limits, and reports those that it cannot limit. */
static bool mark_permeating(struct rd_reader *r, const rd_node *group, const struct rd_border *b)
{
    bool ok = true;
    for (int32_t i = 0; i < r->m->n_species; i++) {
        struct rd_species *const s = &r->m->species[i];
        if (s->compartment >= 0 || !rd_borders_limit(r->m, b, i))
            continue;
        const char *const obstacle = obstacle_to_permeability(s);
        s->is_permeating = true;
        ok &= !obstacle ||
              rd_reader_fail(r, group,
                             "a permeability is not possible for '%s', which %s; give this "
                             "species a border of its own with pass",
                             s->name, obstacle);
    }
    return ok;
}

/* Warns about species that are named, but live on a surface along the border. */
static void warn_of_unlimited(struct rd_reader *r, const rd_node *group, const struct rd_border *b)
{
    for (int i = 0; i < b->n_species; i++)
        if (!rd_borders_limit(r->m, b, b->species[i]))
            rd_reader_warn(r, group,
                           "the border runs along the surface of '%s', and does not limit it; "
                           "leave that species out",
                           r->m->species[b->species[i]].name);
}

/* Finds where the border lies, and which hops it limits there. */
static bool place_border(struct rd_reader *r, const rd_node *group, struct rd_border *b)
{
    for (int i = 0; i < r->m->n_surfaces; i++)
        b->along |= (uint64_t)runs_along(r->m, b, &r->m->surface[i]) << i;
    warn_of_unlimited(r, group, b);
    return !b->is_permeability ||
           (mark_permeating(r, group, b) &&
            (r->m->grid.dim == 1 || find_faces(r->m, b, &b->normal_of, r->e)));
}

static void read_border(struct rd_reader *r, const rd_node *group, int number)
{
    struct rd_border *const b = &r->m->border[number];
    b->place = rd_reader_copy(r, rd_node_place(r->c, group));
    const bool has_regions = read_border_regions(r, group, b); /* all three are read, so that all
                                                           faults are reported */
    const bool has_species = read_border_species(r, rd_node_member(group, "species"), b);
    const bool has_speed = read_border_speed(r, group, b);
    if (!has_regions || !has_species || !has_speed)
        return;
    check_unique(r, group, number);
    if (!r->m->mask || !place_border(r, group, b))
        return;
    const struct rd_boundaries *const all = rd_boundary_faces_list(r->m, r->e);
    if (all && !is_crossed(r->m, all, b))
        rd_reader_warn(
            r, group,
            "no voxel of '%s' touches one of '%s', so the border has no effect; remove it",
            r->m->region[b->from].name, r->m->region[b->to].name);
}

void rd_borders_read(struct rd_reader *r)
{
    const rd_node *const list = rd_node_member(rd_config_root(r->c), "borders");
    const int n = rd_node_length(list);
    r->m->border = rd_reader_array(r, n, sizeof *r->m->border);
    for (int i = 0; r->m->border && i < n; i++) {
        rd_reader_about(r, "borders[%d]", i);
        r->m->n_borders++;
        read_border(r, rd_node_at(list, i), i);
    }
}

void rd_borders_free(struct rd_model *m)
{
    for (int i = 0; i < m->n_borders; i++) {
        rd_expr_free(&m->border[i].pass);
        free(m->border[i].species);
        free(m->border[i].place);
    }
    free(m->border);
}
