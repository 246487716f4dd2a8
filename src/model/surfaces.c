/* surfaces - the section `surfaces`, the species that live on them, and the reactions there.

   The propensity of a reaction on a surface is k X times, for each reactant, n (n - 1) ... / x^m:
   concentrations in the voxel times the measure of the reaction. x is the voxel's volume for a
   species of the volume, and its part of the surface for one of the surface. X is the area through
   which the voxel exchanges molecules if a species of the volume takes part, or one of the surface
   that does not move; else the voxel's part of the surface. */
#include "model/surface.h"

#include "base/text.h"
#include "model/reader.h"

static bool read_surface(struct rd_reader *r, const rd_node *group, struct rd_surface *s)
{
    static const char *const side[] = {"inside", "outside", "both"};
    struct rd_model *const m = r->m;
    const rd_node *const of = rd_node_member(group, "of");
    const rd_node *const rim = rd_node_member(group, "rim");
    const int plain = rd_model_n_shapes(m);
    s->of = rd_compartments_region(r, of);
    s->side = (enum rd_surface_side)rd_reader_word(rd_node_member(group, "side"), 3, side);
    s->ends_at_walls = rim != NULL;
    s->place = rd_reader_copy(r, rd_node_place(r->c, group));
    if (s->of < 0 || !s->place)
        return false;
    if (s->of >= plain)
        return rd_reader_fail(r, of, "'%s' is a surface; name a region of the section 'regions'",
                              m->region[s->of].name);
    m->region[s->region].parts = UINT64_C(1) << s->of;
    return m->grid.dim > 1 ||
           rd_reader_fail(r, group, "a grid with one axis has no surfaces; use a region");
}

/* Makes the surface and marks its voxels as those of its region. */
static bool make_surface(struct rd_reader *r, const rd_node *group, struct rd_surface *s)
{
    struct rd_model *const m = r->m;
    if (!rd_surface_make(m, s, r->e))
        return false;
    for (int64_t i = 0; i < s->n_voxels; i++)
        m->mask[s->voxel[i].site] |= UINT64_C(1) << s->region;
    return s->n_voxels > 0 ||
           rd_reader_fail(
               r, group,
               "region '%s' has no boundary in the grid, since it has all voxels; make it "
               "smaller",
               m->region[s->of].name);
}

bool rd_surfaces_read(struct rd_reader *r)
{
    const rd_node *const list = rd_node_member(rd_config_root(r->c), "surfaces");
    bool read = true;
    for (int i = 0; i < r->m->n_surfaces; i++) {
        struct rd_surface *const s = &r->m->surface[i];
        const rd_node *const group = rd_node_at(list, i);
        rd_reader_about(r, "surface '%s'", r->m->region[s->region].name);
        const bool is_read = read_surface(r, group, s);
        read = is_read && read;
        if (is_read && r->m->mask)
            read = make_surface(r, group, s) && read;
    }
    return read;
}

/* ---- species ---- */

/* Returns the surface whose region this is, or -1. */
static int surface_of(const struct rd_model *m, int region)
{
    const int plain = rd_model_n_shapes(m);
    return region >= plain && region < rd_model_n_places(m) ? region - plain : -1;
}

/* Returns whether the surface has a voxel at the face. */
static bool reaches(const struct rd_model *m, const struct rd_surface *s, int face)
{
    const struct rd_grid *const g = &m->grid;
    const int axis = face / 2;
    const int64_t stride = axis == 0 ? 1 : axis == 1 ? g->size[0] : g->size[0] * g->size[1];
    for (int64_t i = 0; i < s->n_voxels; i++)
        if (s->voxel[i].site / stride % g->size[axis] == (face % 2 ? g->size[axis] - 1 : 0))
            return true;
    return false;
}

/* Checks that the walls of the species suit its surface. */
static bool check_surface_walls(struct rd_reader *r, const rd_node *group,
                                const struct rd_species *x)
{
    static const char *const name[] = {"xmin", "xmax", "ymin", "ymax", "zmin", "zmax"};
    const struct rd_model *const m = r->m;
    const struct rd_surface *const s = &m->surface[x->surface];
    for (int face = 0; face < 2 * m->grid.dim; face++) {
        const enum rd_wall_kind kind = x->wall[face].kind;
        if (!reaches(m, s, face))
            continue;
        if ((kind == RD_WALL_PERIODIC) != m->grid.wraps[face / 2])
            return rd_reader_fail(r, group,
                                  "wall %s is periodic for the species or for the grid, but not "
                                  "for both; on a surface they must agree",
                                  name[face]);
        if (kind != RD_WALL_PERIODIC && kind != RD_WALL_REFLECT && !s->ends_at_walls)
            return rd_reader_fail(r, group,
                                  "the surface '%s' reaches the wall %s, which does not reflect; "
                                  "add rim = \"reflect\" to the surface, and it ends there",
                                  m->region[s->region].name, name[face]);
    }
    return true;
}

/* Checks that the motion of the species is possible on a surface. */
static bool check_motion(struct rd_reader *r, const rd_node *group, const struct rd_species *x)
{
    const unsigned uses = rd_model_motion_uses(x);
    double drift;
    for (int axis = 0; axis < r->m->grid.dim; axis++)
        if (x->drift[axis].uses || !rd_reader_known(r, &x->drift[axis], &drift) || drift != 0.0)
            return rd_reader_fail(r, group, "drift on a surface is not possible; remove it");
    if (uses & ~(unsigned)RD_USES_PARAMETERS)
        return rd_reader_fail(r, group,
                              "diffusion on a surface must be equal everywhere; use parameters "
                              "and numbers only");
    return !rd_node_is_list(rd_node_member(group, "diffusion")) ||
           rd_reader_fail(r, group,
                          "diffusion on a surface is one number, not one for each axis; give one");
}

/* Sets reflecting walls, since a surface ends at walls that are not periodic. */
static void end_at_walls(struct rd_reader *r, struct rd_species *x)
{
    for (int face = 0; face < RD_FACES; face++)
        if (!r->m->grid.wraps[face / 2])
            x->wall[face].kind = RD_WALL_REFLECT;
}

/* Returns the name of surface i of a model. */
static const char *surface_name(const void *model, int i)
{
    const struct rd_model *const m = model;
    return m->region[m->surface[i].region].name;
}

/* Returns the region that a value of `on` names; reports an unknown name and returns -1. */
static int read_on(struct rd_reader *r, const rd_node *on)
{
    const char *const name = rd_node_text(on);
    if (rd_names_find(r->m, RD_NAME_REGION, name) >= 0)
        return rd_compartments_region(r, on);
    const char *const near = rd_text_nearest(name, r->m->n_surfaces, surface_name, r->m);
    if (near)
        rd_reader_fail(r, on, "surface '%.60s' is not declared; did you mean '%.60s'?", name, near);
    else
        rd_reader_fail(r, on, "surface '%.60s' is not declared; declare it in 'surfaces'", name);
    return -1;
}

void rd_surfaces_species(struct rd_reader *r, const rd_node *group, struct rd_species *x)
{
    const struct rd_model *const m = r->m;
    const rd_node *const on = rd_node_member(group, "on");
    const int surface = surface_of(m, x->region);
    if (surface >= 0)
        rd_reader_fail(r, group, "'%s' is a surface; write on = \"%s\" instead of in",
                       m->region[x->region].name, m->region[x->region].name);
    if (!on)
        return;
    if (rd_node_member(group, "in")) {
        rd_reader_fail(r, group, "it has both 'on' and 'in'; remove one of them");
        return;
    }
    const int region = read_on(r, on);
    if (region < 0)
        return;
    x->surface = surface_of(m, region);
    x->region = region;
    if (x->surface < 0)
        rd_reader_fail(r, on, "'%s' is a region, not a surface; write in = \"%s\"",
                       m->region[region].name, m->region[region].name);
    else if (x->is_individual)
        rd_reader_fail(r, on,
                       "individuals cannot live on a surface; remove 'individuals', or use "
                       "a region of voxels");
    else if (check_motion(r, group, x) && m->mask && check_surface_walls(r, group, x))
        end_at_walls(r, x);
}

/* ---- reactions ---- */

/* Describes what takes part in a reaction on a surface. */
struct participants {
    uint64_t volumes; /* regions that species of the volume, and the reaction itself, need */
    bool has_volume;  /* a species of the volume takes part */
    bool has_fixed;   /* a species of the surface that does not move takes part */
};

static void note_species(const struct rd_model *m, int32_t species, struct participants *p)
{
    const struct rd_species *const s = &m->species[species];
    if (s->compartment >= 0)
        return;
    p->has_volume = p->has_volume || s->surface < 0;
    p->has_fixed = p->has_fixed || (s->surface >= 0 && !rd_surface_is_mobile(m, s));
    if (s->surface < 0 && s->region >= 0)
        p->volumes |= UINT64_C(1) << s->region;
}

static struct participants participants_of(const struct rd_model *m, const struct rd_reaction *x)
{
    struct participants p = {0};
    for (int i = 0; i < x->n_reactants; i++)
        note_species(m, x->reactant[i].species, &p);
    for (int i = 0; i < x->n_products; i++)
        note_species(m, x->product[i].species, &p);
    if (x->region >= 0 && surface_of(m, x->region) < 0)
        p.volumes |= UINT64_C(1) << x->region;
    return p;
}

/* Returns X, the measure of the reaction in the voxel. */
static double measure_in_voxel(const struct rd_model *m, const struct rd_reaction *x,
                               const struct participants *p, const struct rd_surface_voxel *voxel)
{
    const bool is_both = m->surface[x->surface].side == RD_SIDE_BOTH;
    if ((m->mask[voxel->site] & p->volumes) != p->volumes)
        return 0.0;
    if (p->has_volume)
        return voxel->exchange;
    return p->has_fixed ? voxel->exchange / (is_both ? 2 : 1) : voxel->area;
}

/* Returns X over the measures of all reactants: what replaces V^(1 - order) in the voxel. */
static double share_of(const struct rd_model *m, const struct rd_reaction *x, double measure,
                       int64_t site)
{
    double share = measure;
    for (int i = 0; share > 0.0 && i < x->n_reactants; i++) {
        const struct rd_species *const s = &m->species[x->reactant[i].species];
        const double one = s->compartment >= 0 ? m->compartment[s->compartment].volume
                           : s->surface < 0    ? m->grid.volume
                                               : rd_surface_measure(m, s, site);
        for (int k = 0; k < x->reactant[i].number; k++)
            share /= one;
    }
    return share;
}

/* Adds the field component of the reaction, divided by its mean. */
static bool add_field_component(struct rd_reader *r, struct rd_reaction *x)
{
    const struct rd_model *const m = r->m;
    const struct participants p = participants_of(m, x);
    const struct rd_surface *const s = &m->surface[x->surface];
    double *const share = rd_fields_add(r, x->equation, &x->share);
    double sum = 0.0, all = 0.0;
    if (!share)
        return false;
    for (int64_t i = 0; i < s->n_voxels; i++) {
        const double measure = measure_in_voxel(m, x, &p, &s->voxel[i]);
        share[s->voxel[i].site] = share_of(m, x, measure, s->voxel[i].site);
        sum += measure * share[s->voxel[i].site];
        all += measure;
    }
    x->mean_share = all > 0.0 ? sum / all : 0.0;
    for (int64_t i = 0; all > 0.0 && i < s->n_voxels; i++)
        share[s->voxel[i].site] /= x->mean_share;
    return true;
}

/* Finds the surface of the reaction: that of its species, or that in which it happens. Returns
   false with a message if there are two. */
static bool find_surface(struct rd_reader *r, const rd_node *group, struct rd_reaction *x)
{
    const struct rd_model *const m = r->m;
    x->surface = x->region < 0 ? -1 : surface_of(m, x->region);
    for (int i = 0; i < x->n_reactants + x->n_products; i++) {
        const struct rd_term *const t =
            i < x->n_reactants ? &x->reactant[i] : &x->product[i - x->n_reactants];
        const int surface = m->species[t->species].surface;
        if (surface < 0 || surface == x->surface)
            continue;
        if (x->surface >= 0)
            return rd_reader_fail(r, group,
                                  "it takes place on two surfaces, '%s' and '%s'; a reaction can "
                                  "have one",
                                  m->region[m->surface[x->surface].region].name,
                                  m->region[m->surface[surface].region].name);
        x->surface = surface;
    }
    return true;
}

/* Returns whether the voxel lies in all regions, offers all reactants a place, and the product
   none. */
static bool strands_in(const struct rd_model *m, const struct rd_reaction *x, int product,
                       uint64_t regions, int64_t site)
{
    bool strands =
        (m->mask[site] & regions) == regions && !rd_surface_holds(m, &m->species[product], site);
    for (int i = 0; strands && i < x->n_reactants; i++)
        strands = rd_surface_holds(m, &m->species[x->reactant[i].species], site);
    return strands;
}

bool rd_surfaces_may_strand(const struct rd_model *m, const struct rd_reaction *x, int product,
                            uint64_t regions, const struct rd_voxel_list *voxels)
{
    const int surface = m->species[product].surface;
    if (surface < 0 || !m->mask)
        return false;
    const struct rd_surface *const s = &m->surface[surface];
    const int64_t n = voxels ? voxels->n : s->n_voxels;
    bool may = false;
    for (int64_t i = 0; !may && i < n; i++)
        may = strands_in(m, x, product, regions, voxels ? voxels->number[i] : s->voxel[i].site);
    return may;
}

/* Warns if the speed of a reaction follows a number on a surface per volume of a voxel. */
static void warn_of_concentrations(struct rd_reader *r, const rd_node *group,
                                   const struct rd_reaction *x)
{
    for (int32_t i = 0; i < x->rate.n; i++) {
        const struct rd_op *const op = &x->rate.op[i];
        const struct rd_species *const s =
            op->code == RD_OP_CONCENTRATION ? &r->m->species[op->index] : NULL;
        if (!s || s->surface < 0)
            continue;
        rd_reader_warn(
            r, group,
            "it reads [%s], the number per volume of a voxel, which on a surface depends "
            "on the size of voxels; make %s a reactant (and a product, if it stays)",
            s->name, s->name);
        return;
    }
}

bool rd_surfaces_reaction(struct rd_reader *r, const rd_node *group, struct rd_reaction *x)
{
    static const char *const side[] = {"inside", "outside", "both"};
    const struct rd_model *const m = r->m;
    warn_of_concentrations(r, group, x);
    if (x->compartment >= 0) {
        x->surface = -1;
        return true;
    }
    if (!find_surface(r, group, x))
        return false;
    if (x->surface < 0 || !m->mask || x->has_propensity)
        return true;
    const struct rd_surface *const s = &m->surface[x->surface];
    if (!add_field_component(r, x))
        return false;
    if (x->region < 0)
        x->region = s->region;
    return x->mean_share > 0.0 ||
           rd_reader_fail(r, group,
                          "it can never happen: surface '%s' (side = \"%s\") has no voxel in "
                          "which all its species live; use another side or another region",
                          m->region[s->region].name, side[s->side]);
}
