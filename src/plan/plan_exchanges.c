/* plan_exchanges - the tables of reactions between voxels and compartments. */
#include "kernels/passes/reactions/exchange.h"
#include "model/surface.h"
#include "plan/plan.h"

#include <stdlib.h>

/* Returns the share of the site in the products of the reaction: its volume, or its area if one of
   them lives on a surface; 0 if one of them cannot live there. */
static double measure_at(const struct rd_model *m, const struct rd_reaction *r, int64_t site)
{
    const uint64_t regions = m->mask ? m->mask[site] : 0;
    if ((regions & r->lands) != r->lands)
        return 0.0;
    for (int i = 0; i < r->n_products; i++)
        if (m->species[r->product[i].species].surface >= 0)
            return rd_surface_measure(m, &m->species[r->product[i].species], site);
    return m->grid.volume;
}

/* Adds the voxels in which the products of the reaction may appear. */
static bool add_landing(struct rd_plan *p, const struct rd_reaction *r, struct rd_exchange *x,
                        struct rd_error *e)
{
    const struct rd_model *const m = p->model;
    int64_t *const n = &p->world.exchanges.n_landing;
    struct rd_landing *const longer =
        realloc(p->landing, (size_t)(*n + m->grid.n_sites) * sizeof *longer);
    if (!longer)
        return rd_fail(e, "out of memory for the voxels of '%s'", r->equation);
    p->landing = longer;
    x->landing = *n;
    double upto = 0.0;
    for (int64_t site = 0; site < m->grid.n_sites; site++) {
        const double measure = measure_at(m, r, site);
        upto += measure;
        if (measure > 0.0)
            longer[(*n)++] = (struct rd_landing){upto, site};
    }
    x->n_landing = *n - x->landing;
    return x->n_landing > 0 ||
           rd_fail(e, "%s: reaction '%s': no voxel can take its products; change their regions",
                   r->place, r->equation);
}

static int32_t placed_changes(const struct rd_plan *p, const struct rd_channel *c)
{
    int32_t n = 0;
    while (n < c->n_changes && !p->transport[p->change[c->change + n].species].is_mixed)
        n++;
    return n;
}

bool rd_plan_exchanges(struct rd_plan *p, struct rd_error *e)
{
    struct rd_world *const w = &p->world;
    bool ok = true, in_voxels = false;
    p->exchange = calloc((size_t)p->model->n_reactions + 1, sizeof *p->exchange);
    if (!p->exchange)
        return rd_fail(e, "out of memory for %d reactions", p->model->n_reactions);
    for (int32_t i = 0; ok && i < p->model->n_reactions; i++) {
        const struct rd_reaction *const r = &p->model->reaction[p->reaction_of[i]];
        if (!r->is_exchange)
            continue;
        struct rd_exchange *const x = &p->exchange[w->exchanges.n_exchange++];
        *x = (struct rd_exchange){.reaction = i, .is_released = r->compartment >= 0};
        in_voxels = in_voxels || !x->is_released;
        ok = !x->is_released || add_landing(p, r, x, e);
    }
    w->items.n_exchanging = w->exchanges.n_exchange > 0 ? w->lattice.n_runs : 0;
    w->items.n_exchange_groups =
        in_voxels ? rd_exchange_groups(w->lattice.n_sites) * w->lattice.n_runs : 0;
    return ok;
}

void rd_plan_exchange_rates(struct rd_plan *p)
{
    for (int64_t i = 0; p->channel && i < p->world.exchanges.n_exchange; i++) {
        struct rd_exchange *const x = &p->exchange[i];
        struct rd_channel *const c = &p->channel[x->reaction];
        x->rate = c->rate;
        c->rate = 0.0;
        x->n_placed = placed_changes(p, c);
        if (x->is_released)
            continue;
        int32_t n = 0;
        while (n < c->n_reactants && !p->transport[p->reactant[c->reactant + n].species].is_mixed)
            n++;
        x->mixed = c->reactant + n;
        x->n_mixed = c->n_reactants - n;
        c->n_reactants = n;
    }
}

const struct rd_exchange *rd_plan_exchange_of(const struct rd_plan *p, int32_t reaction)
{
    for (int64_t i = 0; i < p->world.exchanges.n_exchange; i++)
        if (p->exchange[i].reaction == reaction)
            return &p->exchange[i];
    return NULL;
}

struct rd_channel rd_plan_whole_channel(const struct rd_plan *p, int32_t reaction)
{
    const struct rd_exchange *const x = rd_plan_exchange_of(p, reaction);
    struct rd_channel c = p->channel[reaction];
    if (x) {
        c.rate = x->rate;
        c.n_reactants += x->n_mixed;
    }
    return c;
}

bool rd_plan_is_split(const struct rd_plan *p)
{
    const struct rd_items *const items = &p->world.items;
    return (items->n_moving + items->n_tallied > 0) + (items->n_exchanging > 0) +
               (items->n_reacting > 0) >
           1;
}
