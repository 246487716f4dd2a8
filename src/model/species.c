/* species - the section `species`: the motion of each species, its region and its walls. */
#include "model/individuals.h"
#include "model/names.h"
#include "model/sections.h"

/* Reads one expression per axis for species number s; missing axes keep 0. One expression may stand
   for all axes; if it has a gradient(), it is compiled for each axis. */
static void read_axes(struct rd_reader *r, const rd_node *node, bool lone, enum rd_range range,
                      int s, struct rd_expr x[3])
{
    const unsigned all = RD_INDIVIDUAL_USES | RD_USES_SLOPES | RD_USES_VARYING | RD_USES_MEANS;
    const unsigned uses = r->m->species[s].is_individual ? all : all & ~(unsigned)RD_USES_OWN;
    const bool is_one = rd_node_is_text(node);
    const rd_node *axis[3];
    if (!rd_reader_axes(r, node, lone || is_one, axis))
        return;
    for (int a = 0; a < r->m->grid.dim; a++) {
        const bool read = rd_individuals_expr(r, axis[a], rd_node_name(node), s, is_one ? a + 1 : 0,
                                              uses, range, &x[a]);
        if (is_one && (!read || !(x[a].is_vector || rd_reader_axes(r, node, lone, axis))))
            return; /* reported once, not for each axis */
    }
}

unsigned rd_model_motion_uses(const struct rd_species *s)
{
    unsigned uses = 0;
    for (int axis = 0; axis < 3; axis++)
        uses |= s->diffusion[axis].uses | s->drift[axis].uses;
    return uses;
}

void rd_species_read(struct rd_reader *r)
{
    const rd_node *const root = rd_config_root(r->c);
    const rd_node *const list = rd_node_member(root, "species");
    const rd_node *const grid_walls = rd_node_member(rd_node_member(root, "grid"), "walls");
    for (int s = 0; s < r->m->n_species; s++) {
        struct rd_species *const x = &r->m->species[s];
        const rd_node *const group = rd_node_at(list, s);
        const rd_node *const walls = rd_node_member(group, "walls");
        /* The walls of the grid apply unless the species has its own; their faults are those of the
           grid. */
        rd_reader_about(r, "grid");
        if (grid_walls)
            rd_walls_read(r, grid_walls, x->wall);
        rd_reader_about(r, "species '%s'", x->name);
        if (walls)
            rd_walls_read(r, walls, x->wall);
        read_axes(r, rd_node_member(group, "diffusion"), true, RD_RANGE_NOT_NEGATIVE, s,
                  x->diffusion);
        read_axes(r, rd_node_member(group, "drift"), false, RD_RANGE_ANY, s, x->drift);
        rd_names_place(r, group, &x->region);
        rd_walls_suit(r, group, x);
        if (x->is_individual)
            rd_individuals_read(r, rd_node_member(group, "individuals"), s);
        rd_surfaces_species(r, group, x);
    }
}
