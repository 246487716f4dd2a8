/* facets - see the header. A slope is made once, from the values in the cells beside. */
#include "facets.h"

#include "backend.h"

#include <stdlib.h>

/* Before it is taken: a system may promise more than it has, and end the program later. */
static bool has_memory(struct rd_reader *r, const char *name, double bytes)
{
    const double has = (double)rd_backend_cpu.memory(NULL);
    return has < 0 || bytes <= 0.95 * has ||
           rd_fail(r->e, "field '%s': its %lld cells need %.3g GB; this machine has %.3g GB free",
                   name, (long long)r->m->grid.n_sites, bytes / 1e9, has / 1e9);
}

double *rd_facets_add(struct rd_reader *r, int32_t facet)
{
    struct rd_model *const m = r->m;
    const char *const name = m->field[facet / RD_FACETS].name;
    const size_t one = (size_t)m->grid.n_sites * sizeof *m->facet, n = (size_t)m->n_facets;
    if (!has_memory(r, name, (double)one))
        return NULL;
    double *const longer = realloc(m->facet, (n + 1) * one);
    if (!longer) {
        rd_fail(r->e, "there is no memory for field '%s'", name);
        return NULL;
    }
    m->facet = longer;
    m->facet_of[facet] = m->n_facets++;
    return memset(longer + n * (size_t)m->grid.n_sites, 0, one);
}

const double *rd_facets_find(const struct rd_model *m, int32_t facet)
{
    return m->facet_of[facet] < 0 ? NULL : m->facet + m->facet_of[facet] * m->grid.n_sites;
}

/* The way to the cell beside, if the field is there too; else 0. */
static int64_t beside(const struct rd_model *m, const struct rd_field *f, int64_t site, int64_t on)
{
    return f->region < 0 || (m->mask[site + on] >> f->region & 1) ? on : 0;
}

/* The slope of a field along an axis, at every site where it is. */
static void fill_slope(const struct rd_model *m, const struct rd_field *f, const double *value,
                       int axis, double *slope)
{
    const struct rd_grid *const g = &m->grid;
    const int32_t size = g->size[axis];
    const int64_t stride = axis == 0   ? 1
                           : axis == 1 ? g->size[0]
                                       : (int64_t)g->size[0] * g->size[1];
    for (int64_t site = 0; site < g->n_sites; site++) {
        const int32_t at = (int32_t)(site / stride % size);
        const bool wraps = g->wraps[axis];
        if (f->region >= 0 && !(m->mask[site] >> f->region & 1))
            continue;
        const int64_t ahead = beside(m, f, site, rd_beside(true, stride, size, at, wraps));
        const int64_t behind = beside(m, f, site, rd_beside(false, stride, size, at, wraps));
        slope[site] = (value[site + ahead] - value[site + behind]) *
                      rd_per_length(ahead, behind, g->edge[axis]);
    }
}

static bool make_slope(struct rd_reader *r, int32_t facet)
{
    struct rd_model *const m = r->m;
    double *const slope = rd_facets_add(r, facet);
    const int32_t field = facet / RD_FACETS;
    if (slope)
        fill_slope(m, &m->field[field], rd_facets_find(m, RD_FACETS * field),
                   facet % RD_FACETS - RD_FACET_SLOPE, slope);
    return slope != NULL;
}

bool rd_facets_take(struct rd_reader *r, struct rd_expr *x)
{
    const struct rd_model *const m = r->m;
    for (int32_t i = 0; i < x->n; i++) {
        const int32_t facet = x->op[i].index;
        if (x->op[i].code != RD_OP_FIELD || !rd_facets_find(m, facet - facet % RD_FACETS))
            continue; /* a field without values was told */
        if (!rd_facets_find(m, facet) && !make_slope(r, facet))
            return false;
        x->op[i].index = m->facet_of[facet];
    }
    return true;
}
