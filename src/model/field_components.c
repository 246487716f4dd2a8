/* field_components - values and gradients of fields. Gradients of constant fields are computed
   once, by differences of the values in neighbouring voxels. */
#include "model/field_components.h"

#include "expr/builtins.h"
#include "kernels/core/backend.h"

#include <stdlib.h>

/* Checks the free memory before the allocation, since a system may grant more than it has, and kill
   the program later. */
static bool has_memory(struct rd_reader *r, const char *name, double bytes)
{
    const double has = (double)rd_backend_cpu.memory(NULL);
    return has < 0 || bytes <= 0.95 * has ||
           rd_fail(r->e, "'%s': values in %lld voxels need %.3g GB; this machine has %.3g GB free",
                   name, (long long)r->m->grid.n_sites, bytes / 1e9, has / 1e9);
}

double *rd_field_components_add(struct rd_reader *r, const char *name, int32_t *which)
{
    struct rd_model *const m = r->m;
    const size_t one = (size_t)m->grid.n_sites * sizeof *m->field_component,
                 n = (size_t)m->n_field_components;
    if (!has_memory(r, name, (double)one))
        return NULL;
    double *const longer = realloc(m->field_component, (n + 1) * one);
    if (!longer) {
        rd_fail(r->e, "there is no memory for the values of '%s' in all voxels", name);
        return NULL;
    }
    m->field_component = longer;
    *which = m->n_field_components++;
    return memset(longer + n * (size_t)m->grid.n_sites, 0, one);
}

/* Returns the number of the field among varying fields: the number of varying fields before it. */
static int32_t field_rate_of(const struct rd_model *m, int i)
{
    int32_t n = 0;
    for (int k = 0; k < i; k++)
        n += m->field_varies[k];
    return n;
}

double *rd_field_components_begin(struct rd_reader *r, int i)
{
    struct rd_model *const m = r->m;
    int32_t start;
    double *const value = rd_field_components_add(r, m->field[i].name, &start);
    if (!value)
        return NULL;
    m->field[i].start = start;
    m->field_component_of[RD_FIELD_COMPONENTS * i] =
        m->field_varies[i] ? field_rate_of(m, i) : start;
    return value;
}

const double *rd_field_components_start(const struct rd_model *m, int i)
{
    return m->field_component_of[RD_FIELD_COMPONENTS * i] < 0
               ? NULL
               : m->field_component + m->field[i].start * m->grid.n_sites;
}

/* Returns the offset `on` to the neighbouring voxel if the field exists there, else 0. */
static int64_t beside(const struct rd_model *m, const struct rd_field *f, int64_t site, int64_t on)
{
    return f->region < 0 || (m->mask[site + on] >> f->region & 1) ? on : 0;
}

/* Computes the gradient of a field along an axis, at every site where the field exists. */
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

static bool make_slope(struct rd_reader *r, int i, int32_t field_component)
{
    struct rd_model *const m = r->m;
    double *const slope = rd_field_components_add(r, m->field[i].name, &m->field_component_of[field_component]);
    if (slope)
        fill_slope(m, &m->field[i], rd_field_components_start(m, i),
                   field_component % RD_FIELD_COMPONENTS - RD_FIELD_COMPONENT_SLOPE, slope);
    return slope != NULL;
}

/* Registers a gradient of a varying field, which is computed in every step. */
static bool ask_for_slope(struct rd_reader *r, int i, int32_t field_component)
{
    struct rd_model *const m = r->m;
    struct rd_steepness *const longer =
        realloc(m->field_gradient, ((size_t)m->n_gradients + 1) * sizeof *longer);
    if (!longer)
        return rd_fail(r->e, "there is no memory for field '%s'", m->field[i].name);
    m->field_gradient = longer;
    longer[m->n_gradients] =
        (struct rd_steepness){i, field_component % RD_FIELD_COMPONENTS - RD_FIELD_COMPONENT_SLOPE};
    m->field_component_of[field_component] = m->n_field_rates + m->n_gradients++;
    return true;
}

/* Replaces the field number of an operation by the component number of the model; creates the
   component if needed. */
static bool take_field(struct rd_reader *r, struct rd_op *op)
{
    const struct rd_model *const m = r->m;
    const int32_t field_component = op->index;
    const int i = field_component / RD_FIELD_COMPONENTS;
    if (!rd_field_components_start(m, i))
        return true; /* the missing values are already reported */
    const bool is_there = m->field_component_of[field_component] >= 0;
    if (!is_there && !(m->field_varies[i] ? ask_for_slope(r, i, field_component)
                                          : make_slope(r, i, field_component)))
        return false;
    op->index = m->field_component_of[field_component];
    return true;
}

bool rd_field_components_take(struct rd_reader *r, struct rd_expr *x)
{
    bool good = true;
    for (int32_t i = 0; good && i < x->n; i++) {
        const unsigned uses = rd_builtins_uses(x->op[i].code);
        if (uses & (RD_USES_FIELDS | RD_USES_VARYING))
            good = take_field(r, &x->op[i]);
        if (uses & RD_USES_MEANS)
            r->m->species[x->op[i].index].is_followed = true;
    }
    return good;
}
