/* limit - the longest step with a small splitting error. Movement without reactions is exact for
   any step, and so are reactions without movement; the limits bound the error of doing them in
   turn. */
#include "plan/limit.h"

#include <math.h>
#include <stdio.h>

/* Limits of a step: D tau / h^2 of the fastest species; mean number of events per molecule at the
   initial density; and step / end if propensities depend on time. */
static const double most_spread = 1.0 / 6.0, most_crowded = 0.5, most_of_time = 1e-3;

/* Lowers the limit to step if that is shorter, with the place of the entry; returns whether it was,
   so that the caller writes the reason. */
static bool lower(struct rd_limit *l, double step, const char *place)
{
    if (!(step < l->step))
        return false;
    l->step = step;
    l->place = place;
    return true;
}

/* Limits the step so that no species has more hops along an axis than `most`. */
static void limit_hops(struct rd_limit *l, const struct rd_plan *p, double most, const char *what)
{
    for (int32_t s = 0; s < p->world.n_species; s++)
        for (int axis = 0; axis < 3; axis++) {
            const struct rd_species *const species = &p->model->species[p->species_of[s]];
            const double rate = p->transport[s].hop_rate.rate[2 * axis] +
                                p->transport[s].hop_rate.rate[2 * axis + 1];
            if (lower(l, most / rate, species->place))
                snprintf(l->why, sizeof l->why, "%s for '%s' along %c", what, species->name,
                         "xyz"[axis]);
        }
}

/* Returns the propensity of a channel in a voxel that holds only the molecules that it consumes.
   Sets *order to their number. */
static double reaction_odds_rate(const struct rd_plan *p, const struct rd_channel *c, int *order)
{
    double rate = c->rate;
    *order = 0;
    for (int32_t i = 0; i < c->n_reactants; i++)
        for (int32_t k = p->reactant[c->reactant + i].number; k > 0; k--, ++*order)
            rate *= (double)k;
    return rate;
}

/* Returns whether a reactant of the channel moves. Otherwise movement does not act between its
   events. */
static bool is_carried(const struct rd_plan *p, const struct rd_channel *c)
{
    for (int32_t i = 0; i < c->n_reactants; i++)
        if (p->transport[p->reactant[c->reactant + i].species].kind != RD_MOVE_NOT)
            return true;
    return false;
}

/* Returns the rate per time at which a molecule of the channel's i-th reactant reacts at the
   initial density of the others. */
static double crowd_rate(const struct rd_plan *p, const struct rd_channel *c, int32_t i)
{
    double rate = c->rate;
    for (int32_t k = 0; k < c->n_reactants; k++) {
        const struct rd_reactant *const r = &p->reactant[c->reactant + k];
        for (int32_t n = r->number - (k == i); n > 0; n--)
            rate *= p->mean[r->species];
    }
    return rate;
}

static void limit_crowds(struct rd_limit *l, const struct rd_plan *p, const struct rd_channel *c,
                         const struct rd_reaction *r)
{
    for (int32_t i = 0; i < c->n_reactants; i++)
        if (p->transport[p->reactant[c->reactant + i].species].kind != RD_MOVE_NOT &&
            lower(l, most_crowded / crowd_rate(p, c, i), r->place))
            snprintf(l->why, sizeof l->why,
                     "half of a molecule's '%s' a step, as dense as at the start", r->equation);
}

bool rd_limit_knows(const struct rd_channel *c, const struct rd_reaction *r)
{
    return c->expression_kind == RD_EXPRESSION_NONE ||
           (r->surface >= 0 && !r->has_propensity && rd_plan_is_constant(&r->rate));
}

static void limit_reactions(struct rd_limit *l, const struct rd_plan *p)
{
    for (int32_t r = 0; r < p->world.n_reactions; r++) {
        const struct rd_channel *const c = &p->channel[r];
        int order;
        const double rate = reaction_odds_rate(p, c, &order);
        const struct rd_reaction *const asked = &p->model->reaction[p->reaction_of[r]];
        if (!rd_limit_knows(c, asked) || !is_carried(p, c))
            continue;
        if (order == 1 && lower(l, RD_ALONE_MOST / rate, asked->place))
            snprintf(l->why, sizeof l->why, "rate tau = 1/2 for '%s'", asked->equation);
        if (order > 1 && lower(l, RD_REACTION_ODDS_MOST / rate, asked->place))
            snprintf(l->why, sizeof l->why,
                     "the probability of '%s' among molecules that just met is 1/4 a step",
                     asked->equation);
        if (order > 1)
            limit_crowds(l, p, c, asked);
    }
}

struct rd_limit rd_limit_of(const struct rd_plan *p)
{
    struct rd_limit l = {INFINITY, NULL, "nothing: movement and reactions are exact for any step"};
    if (p->is_by_counts)
        l = (struct rd_limit){INFINITY, NULL,
                              "outputs and events alone: none follows from motion by counts"};
    const bool is_split = p->model->solver == RD_SOLVER_SPLIT;
    if (!is_split && !p->uses_time)
        return (struct rd_limit){INFINITY, NULL, "nothing: the exact solver needs no step"};
    if (is_split)
        limit_hops(&l, p, RD_HOPS_MOST, "as many hops as a step can have");
    if (is_split && p->world.n_moving + p->world.n_tallied > 0 && p->world.n_reacting > 0) {
        limit_hops(&l, p, 2.0 * most_spread, "D tau / h^2 = 1/6");
        limit_reactions(&l, p);
    } else if (is_split && p->is_by_state) {
        limit_hops(&l, p, 2.0 * most_spread, "D tau / h^2 = 1/6, as others go by the counts,");
    }
    if (p->uses_time && lower(&l, most_of_time * p->model->end, NULL))
        snprintf(l.why, sizeof l.why, "a propensity depends on t: 1/1000 of the whole time");
    if (p->world.n_changing > 0 && lower(&l, most_of_time * p->model->end, NULL))
        snprintf(l.why, sizeof l.why, "a field changes: 1/1000 of the whole time");
    if (p->model->step > 0.0 && p->model->step != l.step) {
        l.step = p->model->step;
        l.place = NULL;
        snprintf(l.why, sizeof l.why, "time.step in the configuration");
    }
    return l;
}
