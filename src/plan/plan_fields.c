/* plan_fields - varying fields, their gradients, and species whose mean position is needed. */
#include "kernels/passes/totals/totals.h"
#include "plan/plan.h"

#include <stdlib.h>

/* Lists the followed species, in canonical order. */
static void list_followed(struct rd_plan *p)
{
    struct rd_world *const w = &p->world;
    for (int32_t s = 0; s < w->n_species; s++)
        if (p->model->species[p->species_of[s]].is_followed)
            p->followed[w->n_followed++] = s;
    w->n_averaged = w->n_followed > 0 ? w->n_runs : 0;
    w->n_gathered = w->n_averaged * rd_n_portions_gathered(w);
}

/* Returns the number of the field among varying fields. */
static int32_t field_rate_of(const struct rd_model *m, int field)
{
    return m->field_component_of[RD_FIELD_COMPONENTS * field];
}

static void list_field_gradients(struct rd_plan *p)
{
    const struct rd_model *const m = p->model;
    for (int k = 0; k < m->n_gradients; k++)
        p->field_gradient[k] = (struct rd_field_gradient){
            field_rate_of(m, m->field_gradient[k].field), m->field_gradient[k].axis};
    p->world.n_field_gradient = m->n_gradients;
    p->world.n_field_gradients = m->n_gradients * p->world.n_voxels;
}

static int32_t wraps_of(const struct rd_grid *g)
{
    int32_t bits = 0;
    for (int axis = 0; axis < 3; axis++)
        bits |= g->wraps[axis] << axis;
    return bits;
}

bool rd_plan_fields(struct rd_plan *p, struct rd_error *e)
{
    const struct rd_model *const m = p->model;
    p->followed = calloc((size_t)m->n_species, sizeof *p->followed);
    p->field_rate = calloc((size_t)m->n_field_rates + 1, sizeof *p->field_rate);
    p->field_gradient = calloc((size_t)m->n_gradients + 1, sizeof *p->field_gradient);
    if (!p->followed || !p->field_rate || !p->field_gradient)
        return rd_fail(e, "out of memory for %d fields", m->n_fields);
    list_followed(p);
    list_field_gradients(p);
    p->world.n_field_rate = m->n_field_rates;
    p->world.n_changing = m->n_field_rates > 0 ? p->world.n_voxels : 0;
    return true;
}

bool rd_plan_field_rates(struct rd_plan *p, const double *value, struct rd_error *e)
{
    const struct rd_model *const m = p->model;
    bool ok = true;
    for (int i = 0; ok && i < m->n_fields; i++) {
        if (!m->field_varies[i])
            continue;
        struct rd_field_rate *const field_rate = &p->field_rate[field_rate_of(m, i)];
        *field_rate =
            (struct rd_field_rate){.region = m->field[i].region, .wraps = wraps_of(&m->grid)};
        ok = rd_plan_program(p, &m->field[i].rate, value, &field_rate->rate, NULL, e);
    }
    return ok;
}
