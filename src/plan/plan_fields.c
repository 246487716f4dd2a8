/* plan_fields - fields that change, their slopes, and species whose mean places are asked for. */
#include "kernels/passes/totals/first_moments.h"
#include "plan/plan.h"

#include <stdlib.h>

/* Those followed, in canonical order. */
static void list_followed(struct rd_plan *p)
{
    struct rd_world *const w = &p->world;
    for (int32_t s = 0; s < w->n_species; s++)
        if (p->model->species[p->species_of[s]].is_followed)
            p->followed[w->n_followed++] = s;
    w->n_averaged = w->n_followed > 0 ? w->n_runs : 0;
    w->n_gathered = w->n_averaged * rd_n_portions_gathered(w);
}

/* The number of a field that varies. */
static int32_t flow_of(const struct rd_model *m, int field)
{
    return m->facet_of[RD_FACETS * field];
}

static void list_inclines(struct rd_plan *p)
{
    const struct rd_model *const m = p->model;
    for (int k = 0; k < m->n_inclines; k++)
        p->incline[k] = (struct rd_incline){flow_of(m, m->incline[k].field), m->incline[k].axis};
    p->world.n_incline = m->n_inclines;
    p->world.n_inclined = m->n_inclines * p->world.n_cells;
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
    p->flow = calloc((size_t)m->n_flows + 1, sizeof *p->flow);
    p->incline = calloc((size_t)m->n_inclines + 1, sizeof *p->incline);
    if (!p->followed || !p->flow || !p->incline)
        return rd_fail(e, "out of memory for %d fields", m->n_fields);
    list_followed(p);
    list_inclines(p);
    p->world.n_flow = m->n_flows;
    p->world.n_changing = m->n_flows > 0 ? p->world.n_cells : 0;
    return true;
}

bool rd_plan_flows(struct rd_plan *p, const double *value, struct rd_error *e)
{
    const struct rd_model *const m = p->model;
    bool ok = true;
    for (int i = 0; ok && i < m->n_fields; i++) {
        if (!m->field_varies[i])
            continue;
        struct rd_flow *const flow = &p->flow[flow_of(m, i)];
        *flow = (struct rd_flow){.region = m->field[i].region, .wraps = wraps_of(&m->grid)};
        ok = rd_plan_program(p, &m->field[i].rate, value, &flow->rate, NULL, e);
    }
    return ok;
}
