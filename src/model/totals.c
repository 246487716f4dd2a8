/* totals - the totals of runs that expressions use, and the sizes of regions, which expressions use
   as constants. */
#include "model/reader.h"

#include "model/surface.h"

#include <stdlib.h>

/* ---- sizes of regions ---- */

/* Counts the voxels of each region. */
static void count_extent_voxels(const struct rd_model *m, struct rd_extent *extent)
{
    for (int64_t site = 0; m->mask && site < m->grid.n_sites; site++)
        for (uint64_t bits = m->mask[site]; bits; bits &= bits - 1)
            extent[__builtin_ctzll(bits)].voxels++;
}

bool rd_extents_find(struct rd_reader *r)
{
    struct rd_model *const m = r->m;
    m->extent = rd_reader_array(r, m->n_regions, sizeof *m->extent);
    if (!m->extent)
        return false;
    count_extent_voxels(m, m->extent);
    for (int i = 0; i < m->n_regions; i++) {
        m->extent[i].size = m->extent[i].voxels * m->grid.volume;
        m->extent[i].axes = m->grid.dim;
    }
    for (int i = 0; i < m->n_surfaces; i++) {
        struct rd_extent *const x = &m->extent[m->surface[i].region];
        x->is_surface = true;
        x->size = rd_surface_area(&m->surface[i]);
        x->axes = m->grid.dim - 1;
    }
    for (int i = 0; i < m->n_compartments; i++)
        m->extent[m->compartment[i].region].size = m->compartment[i].volume;
    return true;
}

/* ---- totals ---- */

/* Returns the number of the total among those of the model, and adds it if it is new; -1 with a
   message. */
static int32_t find_total(struct rd_reader *r, const rd_node *node, int species, int region)
{
    struct rd_model *const m = r->m;
    for (int k = 0; k < m->n_totals; k++)
        if (m->total[k].species == species && m->total[k].region == region)
            return k;
    struct rd_run_total *const more = realloc(m->total, (size_t)(m->n_totals + 1) * sizeof *more);
    if (!more) {
        rd_fail(r->e, "out of memory for %d totals", m->n_totals + 1);
        return -1;
    }
    m->total = more;
    char *const place = rd_reader_copy(r, rd_node_place(r->c, node));
    if (!place)
        return -1;
    more[m->n_totals] = (struct rd_run_total){species, region, place};
    return m->n_totals++;
}

bool rd_totals_take(struct rd_reader *r, const rd_node *node, struct rd_expr *x)
{
    for (int32_t i = 0; i < x->n; i++) {
        struct rd_op *const op = &x->op[i];
        if (op->code != RD_OP_TOTAL)
            continue;
        const int species = op->index % RD_TOTALS_SPAN, region = op->index / RD_TOTALS_SPAN - 1;
        r->m->reads_species[species] = true;
        op->index = find_total(r, node, species, region);
        if (op->index < 0)
            return false;
    }
    return true;
}

bool rd_totals_of_counts(struct rd_reader *r, const rd_node *node, struct rd_expr *x)
{
    for (int32_t i = 0; i < x->n; i++) {
        struct rd_op *const op = &x->op[i];
        if (op->code != RD_OP_COUNT)
            continue;
        *op = (struct rd_op){.code = RD_OP_TOTAL, .index = find_total(r, node, op->index, -1)};
        if (op->index < 0)
            return false;
    }
    return true;
}

void rd_totals_check(struct rd_reader *r)
{
    const struct rd_model *const m = r->m;
    for (int k = 0; k < m->n_totals; k++) {
        const struct rd_run_total *const t = &m->total[k];
        const struct rd_species *const s = &m->species[t->species];
        if (t->region >= 0 && m->extent && m->extent[t->region].is_surface &&
            s->region != t->region)
            rd_fail(r->e,
                    "%s: total(%s, %s): %s does not live on this surface; name a region that "
                    "contains it, or a species that lives on the surface",
                    t->place, s->name, m->region[t->region].name, s->name);
        if (t->region >= 0 && t->region != s->region &&
            (t->region >= rd_model_n_places(m) || s->compartment >= 0))
            rd_fail(r->e, "%s: total(%s, %s): %s is not there; write total(%s)", t->place, s->name,
                    m->region[t->region].name, s->name, s->name);
    }
}
