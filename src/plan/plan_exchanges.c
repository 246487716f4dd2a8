/* plan_exchanges - the tables of reactions between voxels and compartments. */
#include "kernels/passes/reactions/exchange.h"
#include "kernels/passes/reactions/mix.h"
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

/* Adds the voxels in which the products of the reaction may appear; sets where they begin and their
   number. */
static bool add_landing(struct rd_plan *p, const struct rd_reaction *r, int64_t *begin,
                        int64_t *number, struct rd_error *e)
{
    const struct rd_model *const m = p->model;
    int64_t *const n = &p->world.exchanges.n_landing;
    struct rd_landing *const longer =
        realloc(p->landing, (size_t)(*n + m->grid.n_sites) * sizeof *longer);
    if (!longer)
        return rd_fail(e, "out of memory for the voxels of '%s'", r->equation);
    p->landing = longer;
    *begin = *n;
    double upto = 0.0;
    for (int64_t site = 0; site < m->grid.n_sites; site++) {
        const double measure = measure_at(m, r, site);
        upto += measure;
        if (measure > 0.0)
            longer[(*n)++] = (struct rd_landing){upto, site};
    }
    *number = *n - *begin;
    return *number > 0 ||
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

/* Returns the canonical number of the reaction with this index in the model. */
static int32_t canonical_number_of(const struct rd_plan *p, int index)
{
    int32_t i = 0;
    while (p->reaction_of[i] != index)
        i++;
    return i;
}

/* Adds the pairs of reactions that are mixed in each step. */
static bool add_mixings(struct rd_plan *p, struct rd_error *e)
{
    const struct rd_model *const m = p->model;
    struct rd_world *const w = &p->world;
    bool ok = true;
    for (int32_t i = 0; ok && i < m->n_reactions; i++) {
        const struct rd_reaction *const r = &m->reaction[p->reaction_of[i]];
        if (!r->is_instant || r->compartment >= 0)
            continue;
        struct rd_mixing *const x = &p->mixing[w->exchanges.n_mixing++];
        *x = (struct rd_mixing){.placed = p->species_at[r->reactant[0].species],
                                .mixed = p->species_at[r->product[0].species],
                                .reaction = i,
                                .back = canonical_number_of(p, r->turned)};
        ok = add_landing(p, &m->reaction[r->turned], &x->landing, &x->n_landing, e);
    }
    w->items.n_mixing = w->exchanges.n_mixing * w->lattice.n_runs;
    w->items.n_mixing_blocks = w->items.n_mixing * rd_mix_blocks(&w->lattice);
    return ok;
}

/* Sets the shares of compartments from the rates; the reactions themselves have none then. */
static bool set_shares(struct rd_plan *p, struct rd_error *e)
{
    bool ok = true;
    for (int64_t i = 0; p->channel && i < p->world.exchanges.n_mixing; i++) {
        struct rd_mixing *const x = &p->mixing[i];
        const struct rd_reaction *const r = &p->model->reaction[p->reaction_of[x->reaction]];
        double *const rate = &p->channel[x->reaction].rate, *const back = &p->channel[x->back].rate;
        x->share = *rate / (*rate + *back);
        if (!rd_is_finite(x->share))
            ok = rd_fail(e,
                         "%s: reaction '%s': the rates of both directions are %g and %g, so they "
                         "have no ratio; give numbers of which one at least is > 0",
                         r->place, r->equation, *rate, *back);
        *rate = *back = 0.0;
    }
    return ok;
}

bool rd_plan_exchanges(struct rd_plan *p, struct rd_error *e)
{
    struct rd_world *const w = &p->world;
    bool ok = true, in_voxels = false;
    p->exchange = calloc((size_t)p->model->n_reactions + 1, sizeof *p->exchange);
    p->mixing = calloc((size_t)p->model->n_reactions + 1, sizeof *p->mixing);
    if (!p->exchange || !p->mixing)
        return rd_fail(e, "out of memory for %d reactions", p->model->n_reactions);
    for (int32_t i = 0; ok && i < p->model->n_reactions; i++) {
        const struct rd_reaction *const r = &p->model->reaction[p->reaction_of[i]];
        if (!r->is_exchange || r->is_instant)
            continue;
        struct rd_exchange *const x = &p->exchange[w->exchanges.n_exchange++];
        *x = (struct rd_exchange){.reaction = i, .is_released = r->compartment >= 0};
        in_voxels = in_voxels || !x->is_released;
        ok = !x->is_released || add_landing(p, r, &x->landing, &x->n_landing, e);
    }
    w->items.n_exchanging = w->exchanges.n_exchange > 0 ? w->lattice.n_runs : 0;
    w->items.n_exchange_groups =
        in_voxels ? rd_exchange_groups(w->lattice.n_sites) * w->lattice.n_runs : 0;
    return ok && add_mixings(p, e);
}

bool rd_plan_exchange_rates(struct rd_plan *p, struct rd_error *e)
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
    return set_shares(p, e);
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
    return (items->n_moving + items->n_tallied > 0) + (items->n_exchanging + items->n_mixing > 0) +
               (items->n_reacting > 0) >
           1;
}
