/* reaction_odds - evaluates the propensities of expressions at the start and compares them with the
   limits of the step. */
#include "plan/reaction_odds.h"

#include "kernels/passes/reactions/ssa.h"
#include "model/surface.h"
#include "plan/limit.h"

/* The most voxels that are evaluated, at equal distances. */
enum { ASKED_MOST = 1 << 20 };

/* The factor by which a limit may be exceeded: saturating propensities are highest for single
   molecules. */
static const double tolerance = 2.0;

static bool is_carried(const struct rd_plan *p, const struct rd_reaction *r)
{
    for (int i = 0; i < r->n_reactants; i++)
        if (p->transport[p->species_at[r->reactant[i].species]].kind != RD_MOVE_NOT)
            return true;
    return false;
}

/* Returns whether the reaction takes place on a surface of which the site holds a small part only.
   Propensities are high there, but few molecules. */
static bool is_marginal(const struct rd_model *m, const struct rd_reaction *r, int64_t site)
{
    if (r->surface < 0)
        return false;
    const struct rd_surface *const s = &m->surface[r->surface];
    const struct rd_surface_voxel *const voxel = rd_surface_at(s, site);
    return !voxel || voxel->distance > s->spread || voxel->distance < -s->spread;
}

/* Returns the highest propensity at the start in a voxel that holds only the reactants. */
static double highest_rate(const struct rd_plan *p, const struct rd_channel *c,
                           const struct rd_reaction *r)
{
    const struct rd_world *const w = &p->world;
    int32_t count[RD_MAX_SPECIES] = {0};
    for (int i = 0; i < r->n_reactants; i++)
        count[p->species_at[r->reactant[i].species]] = r->reactant[i].number;
    double highest = 0.0;
    for (int64_t site = 0; site < w->n_sites; site += 1 + w->n_sites / ASKED_MOST) {
        if (!rd_is_in(w, c->region, site) || is_marginal(p->model, r, site))
            continue;
        const struct rd_place place = rd_place_of(w, site);
        struct rd_eval_context eval_context = rd_eval_context_at(w, &place);
        eval_context.count = count;
        eval_context.stride = 1;
        const double rate = rd_propensity(w, c, count, 1, &eval_context);
        highest = rate > highest ? rate : highest;
    }
    return highest;
}

void rd_reaction_odds_report(const struct rd_plan *p, double step, struct rd_error *remarks)
{
    const struct rd_model *const m = p->model;
    const struct rd_world *const w = &p->world;
    if (m->solver != RD_SOLVER_SPLIT || m->step > 0.0 || w->n_field_rate + w->n_followed > 0)
        return;
    for (int32_t i = 0; i < w->n_reactions; i++) {
        const struct rd_channel *const c = &p->channel[i];
        const struct rd_reaction *const r = &m->reaction[p->reaction_of[i]];
        if (rd_limit_knows(c, r) || c->n_sums > 0 || !is_carried(p, r))
            continue;
        const bool is_alone = r->n_reactants == 1 && r->reactant[0].number == 1;
        const double most = is_alone ? RD_ALONE_MOST : RD_REACTION_ODDS_MOST;
        const double rate = highest_rate(p, c, r);
        if (rate * step > tolerance * most)
            rd_fail(remarks,
                    "%s: the step of %.4g does not follow from the expression of '%s', by which %s "
                    "at a rate of %.4g; set time.step to %.2g or less",
                    r->place, step, r->equation,
                    is_alone ? "one alone reacts" : "those who have met react", rate, most / rate);
    }
}
