/* reaction_odds - how fast molecules react that are alone in a voxel, for the limits of the step. A
   rate by expression is evaluated where the reaction can happen, at the start. */
#include "plan/reaction_odds.h"

#include "kernels/passes/reactions/ssa.h"

/* The most voxels that are evaluated, at equal distances. */
enum { ASKED_MOST = 1 << 20 };

/* Returns the propensity of mass action for the molecules of one reaction. */
static double constant_rate(const struct rd_plan *p, const struct rd_channel *c)
{
    double rate = c->rate;
    for (int32_t i = 0; i < c->n_reactants; i++)
        for (int32_t k = p->reactant[c->reactant + i].number; k > 0; k--)
            rate *= (double)k;
    return rate;
}

/* Returns whether the reaction can happen at the site. */
static bool is_possible(const struct rd_plan *p, const struct rd_reaction *r, int64_t site)
{
    bool is_in = rd_is_in(&p->world, r->region, site);
    for (int i = 0; is_in && i < r->n_reactants; i++)
        is_in = rd_is_in(&p->world, p->model->species[r->reactant[i].species].region, site);
    return is_in;
}

/* Returns the highest propensity over the voxels at t = 0, when these hold only the reactants. */
static double highest_rate(const struct rd_plan *p, const struct rd_channel *c,
                           const struct rd_reaction *r)
{
    const struct rd_world *const w = &p->world;
    const unsigned uses = r->has_propensity ? r->propensity.uses : r->rate.uses;
    const bool is_alike = !(uses & (RD_USES_SPACE | RD_USES_REGIONS | RD_USES_FIELDS));
    int32_t count[RD_MAX_SPECIES] = {0};
    for (int i = 0; i < r->n_reactants; i++)
        count[p->species_at[r->reactant[i].species]] = r->reactant[i].number;
    double highest = 0.0;
    bool is_done = false;
    for (int64_t site = 0; site < w->n_sites && !is_done; site += 1 + w->n_sites / ASKED_MOST) {
        if (!is_possible(p, r, site))
            continue;
        const struct rd_place place = rd_place_of(w, site);
        struct rd_eval_context eval_context = rd_eval_context_at(w, &place);
        eval_context.count = count;
        eval_context.stride = 1;
        const double rate = rd_propensity(w, c, count, 1, &eval_context);
        highest = rate > highest && rd_is_finite(rate) ? rate : highest;
        is_done = is_alike;
    }
    return highest;
}

double rd_reaction_odds(const struct rd_plan *p, int32_t reaction)
{
    const struct rd_channel *const c = &p->channel[reaction];
    if (c->expression_kind == RD_EXPRESSION_NONE)
        return constant_rate(p, c);
    if (c->n_sums > 0 || p->world.n_field_rate + p->world.n_followed > 0)
        return 0.0;
    return highest_rate(p, c, &p->model->reaction[p->reaction_of[reaction]]);
}
