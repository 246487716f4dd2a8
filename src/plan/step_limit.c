/* step_limit - the longest step with a small splitting error, and the steps that follow from it.

   Movement without reactions is exact for any step, and so are reactions without movement; the
   limits bound the error of doing them in turn. */
#include "plan/step_limit.h"

#include "kernels/core/lattice.h"
#include "kernels/passes/reactions/ssa.h"
#include "model/surface.h"
#include "plan/timeline.h"
#include "result/read/result_reader.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Returns the mean that the amount's expression gives at the site; 0 if it is not a number >= 0. */
static double mean_at(const struct rd_plan *p, const struct rd_amount *a, int64_t site)
{
    const struct rd_place place = rd_place_of(&p->world.lattice, site);
    struct rd_eval_context eval_context = rd_eval_context_at(&p->world, &place);
    eval_context.parameter = p->model->value;
    const double mean = rd_expr_value(&a->much, &eval_context);
    return mean > 0.0 && rd_is_finite(mean) ? mean : 0.0;
}

/* Returns what the value at the site is multiplied by: the volume of the voxel, or on a surface its
   area, for a density; 0 where the species cannot be. */
static double unit_at(const struct rd_plan *p, const struct rd_amount *a, int64_t site)
{
    const struct rd_species *const s = &p->model->species[a->species];
    if (a->kind == RD_AMOUNT_VALUE)
        return rd_surface_holds(p->model, s, site) ? 1.0 : 0.0;
    return s->surface < 0 ? p->world.lattice.volume : rd_surface_measure(p->model, s, site);
}

/* Sums the mean numbers over the voxels in which the amount is placed. */
static double sum_over(const struct rd_plan *p, const struct rd_amount *a, int32_t domain)
{
    const struct rd_world *const w = &p->world;
    const int64_t at = a->is_at ? rd_site_number(&w->lattice, a->voxel) : 0;
    if (a->is_at)
        return mean_at(p, a, at) * unit_at(p, a, at);
    const bool is_uniform = rd_expr_is_uniform(&a->much);
    const double same = is_uniform ? mean_at(p, a, 0) : 0.0;
    double sum = 0.0;
    for (int64_t i = 0; i < a->n_sites; i++)
        sum += mean_at(p, a, a->site[i]) * unit_at(p, a, a->site[i]);
    for (int64_t site = 0; !a->site && site < w->lattice.n_sites; site++)
        if (rd_is_in(&w->lattice, domain, site) && rd_is_in(&w->lattice, a->region, site))
            sum += (is_uniform ? same : mean_at(p, a, site)) * unit_at(p, a, site);
    return sum;
}

/* Returns the number of molecules that the entry places in a run. */
static double amount_of(const struct rd_plan *p, const struct rd_amount *a, int32_t domain)
{
    if (a->kind == RD_AMOUNT_COUNT) /* an expression of parameters has the same value at any site */
        return mean_at(p, a, 0);
    return sum_over(p, a, domain);
}

/* Adds the mean counts of an earlier result. */
static bool add_snapshot(struct rd_plan *p, const struct rd_amount *a, const int64_t *voxels,
                         struct rd_error *e)
{
    const struct rd_wanted wanted = rd_wanted_of(p->model, a);
    const int32_t first = a->species < 0 ? 0 : a->species;
    double *const total = calloc((size_t)wanted.n_species, sizeof *total);
    const bool ok = total ? rd_store_means(&wanted, total, e)
                          : rd_fail(e, "out of memory for the counts of %s", a->file);
    for (int32_t i = 0; ok && i < wanted.n_species; i++) {
        const int32_t s = p->species_at[first + i];
        p->mean[s] += total[i] / (double)voxels[s];
    }
    free(total);
    return ok;
}

static int64_t voxels_of_domain(const struct rd_world *w, int32_t domain)
{
    int64_t n = 0;
    for (int64_t site = 0; domain >= 0 && site < w->lattice.n_sites; site++)
        n += rd_is_in(&w->lattice, domain, site);
    return domain < 0 ? w->lattice.n_sites : n;
}

bool rd_plan_density(struct rd_plan *p, struct rd_error *e)
{
    const struct rd_model *const m = p->model;
    int64_t of_domain[1 + 64] = {0}; /* voxels of the box and of each region; 0: not counted yet */
    int64_t *const voxels = calloc((size_t)m->n_species, sizeof *voxels);
    bool ok = voxels || rd_fail(e, "out of memory for %d species", m->n_species);
    for (int32_t s = 0; voxels && s < m->n_species; s++) {
        const int32_t domain = m->species[p->species_of[s]].region;
        if (of_domain[1 + domain] == 0)
            of_domain[1 + domain] = voxels_of_domain(&p->world, domain);
        voxels[s] = of_domain[1 + domain];
    }
    for (int i = 0; voxels && i < m->n_initial; i++) {
        const struct rd_amount *const a = &m->initial[i];
        const int32_t s = a->species < 0 ? 0 : p->species_at[a->species];
        if (a->kind == RD_AMOUNT_FROM)
            ok = add_snapshot(p, a, voxels, e) && ok;
        else
            p->mean[s] += amount_of(p, a, m->species[a->species].region) / (double)voxels[s];
    }
    free(voxels);
    return ok;
}

/* Lowers the limit to step if that is shorter, with the place of the entry; returns whether it was,
   so that the caller writes the reason. */
static bool lower(struct rd_step_limit *l, double step, const char *place)
{
    if (!(step < l->step))
        return false;
    l->step = step;
    l->place = place;
    return true;
}

/* Limits the step so that no species has more hops along an axis than `most`. */
static void limit_hops(struct rd_step_limit *l, const struct rd_plan *p, double most,
                       const char *what)
{
    for (int32_t s = 0; s < p->world.counts.n_species; s++)
        for (int axis = 0; axis < 3; axis++) {
            const struct rd_species *const species = &p->model->species[p->species_of[s]];
            const double rate = p->transport[s].hop_rate.rate[2 * axis] +
                                p->transport[s].hop_rate.rate[2 * axis + 1];
            if (lower(l, most / rate, species->place))
                snprintf(l->why, sizeof l->why, "%s for '%s' along %c", what, species->name,
                         "xyz"[axis]);
        }
}

/* Sets limits of a step: D tau / h^2 of the fastest species; the mean number of events per
   molecule, of reactions of first order and of others at the initial density; the probability of a
   reaction per combination of reactants in one voxel; and step / end if rates depend on time. */
static const double most_diffusion = 1.0 / 6.0, most_first_order = 0.5, most_events = 0.5,
                    most_encounter = 0.25, most_of_time = 1e-3;

/* Sets the most voxels that are evaluated, at equal distances. */
enum { EVALUATED_MOST = 1 << 20 };

/* Returns the propensity of mass action in a voxel that holds only the molecules of one reaction.
 */
static double constant_propensity(const struct rd_plan *p, const struct rd_channel *c)
{
    double rate = c->rate;
    for (int32_t i = 0; i < c->n_reactants; i++)
        for (int32_t k = p->reactant[c->reactant + i].number; k > 0; k--)
            rate *= (double)k;
    return rate;
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

/* Returns whether the reaction can happen at the site. */
static bool is_possible(const struct rd_plan *p, const struct rd_reaction *r, int64_t site)
{
    bool is_in = rd_is_in(&p->world.lattice, r->region, site) && !is_marginal(p->model, r, site);
    for (int i = 0; is_in && i < r->n_reactants; i++)
        is_in =
            (r->compartment < 0 && p->model->species[r->reactant[i].species].compartment >= 0) ||
            rd_is_in(&p->world.lattice, p->model->species[r->reactant[i].species].region, site);
    return is_in;
}

/* Returns the highest propensity over the voxels at t = 0, when these hold only the reactants. */
static double highest_propensity(const struct rd_plan *p, const struct rd_channel *c,
                                 const struct rd_reaction *r)
{
    const struct rd_world *const w = &p->world;
    const unsigned uses = r->has_propensity ? r->propensity.uses : r->rate.uses;
    const bool is_alike = !(uses & (RD_USES_SPACE | RD_USES_REGIONS | RD_USES_FIELDS));
    int32_t *const count = calloc((size_t)w->counts.n_species, sizeof *count);
    for (int i = 0; count && i < r->n_reactants; i++)
        count[p->species_at[r->reactant[i].species]] = r->reactant[i].number;
    double highest = 0.0;
    bool is_done = !count; /* without memory, the limit of this reaction is left out */
    for (int64_t site = 0; site < w->lattice.n_sites && !is_done;
         site += 1 + w->lattice.n_sites / EVALUATED_MOST) {
        if (!is_possible(p, r, site))
            continue;
        const struct rd_place place = rd_place_of(&w->lattice, site);
        struct rd_eval_context eval_context = rd_eval_context_at(w, &place);
        eval_context.count = count;
        eval_context.stride = 1;
        eval_context.total = p->usual_total;
        eval_context.parameter = p->model->value;
        const double rate = rd_propensity(w, c, count, 1, &eval_context);
        highest = rate > highest && rd_is_finite(rate) ? rate : highest;
        is_done = is_alike;
    }
    free(count);
    return highest;
}

bool rd_step_limit_knows(const struct rd_channel *c, const struct rd_reaction *r)
{
    return c->expression_kind == RD_EXPRESSION_NONE ||
           (r->surface >= 0 && !r->has_propensity && rd_plan_is_constant(&r->rate));
}

/* Returns the propensity of the reaction in a voxel that holds only the molecules that it takes. Of
   an expression it is the highest over the voxels; 0 if the expression sums over individuals, or if
   the model has changing fields or mean positions, whose values are not known before the run. */
static double propensity_at_reactants(const struct rd_plan *p, int32_t reaction)
{
    const struct rd_channel whole = rd_plan_whole_channel(p, reaction), *const c = &whole;
    if (rd_step_limit_knows(c, &p->model->reaction[p->reaction_of[reaction]]))
        return constant_propensity(p, c);
    if (c->n_sums > 0 || p->world.fields.n_field_rate + p->world.positions.n_followed > 0)
        return 0.0;
    return highest_propensity(p, c, &p->model->reaction[p->reaction_of[reaction]]);
}

double rd_step_limit_by_encounters(const struct rd_plan *p, int32_t reaction)
{
    return most_encounter / propensity_at_reactants(p, reaction);
}

/* Returns whether the species takes part in an exchange. */
static bool is_exchanged(const struct rd_plan *p, int32_t species)
{
    for (int64_t i = 0; i < p->world.exchanges.n_mixing; i++)
        if (p->mixing[i].placed == species || p->mixing[i].mixed == species)
            return true;
    for (int64_t i = 0; i < p->world.exchanges.n_exchange; i++) {
        const struct rd_channel c = rd_plan_whole_channel(p, p->exchange[i].reaction);
        for (int32_t k = 0; k < c.n_reactants; k++)
            if (p->reactant[c.reactant + k].species == species)
                return true;
        for (int32_t k = 0; k < c.n_changes; k++)
            if (p->change[c.change + k].species == species)
                return true;
    }
    return false;
}

/* Returns whether movement or exchange changes the number of the species in a voxel or
   compartment. */
static bool is_moved(const struct rd_plan *p, int32_t species)
{
    return p->transport[species].kind != RD_MOVE_NOT || is_exchanged(p, species);
}

/* Returns the number of molecules that the reaction takes. Sets *is_carried to whether one of them
   moves: otherwise movement does not act between its events. */
static int order_and_motion_of(const struct rd_plan *p, const struct rd_reaction *r,
                               bool *is_carried)
{
    int order = 0;
    *is_carried = false;
    for (int i = 0; i < r->n_reactants; i++) {
        order += r->reactant[i].number;
        *is_carried = *is_carried || is_moved(p, p->species_at[r->reactant[i].species]);
    }
    return order;
}

/* Returns the rate per time at which a molecule of the channel's i-th reactant reacts at the
   initial density of the others. One of a compartment that reacts in voxels meets all of them. */
static double rate_at_density(const struct rd_plan *p, const struct rd_channel *c,
                              const struct rd_reaction *r, int32_t i)
{
    const bool meets_all =
        r->compartment < 0 && p->transport[p->reactant[c->reactant + i].species].is_mixed;
    double rate = meets_all ? c->rate * (double)voxels_of_domain(&p->world, r->region) : c->rate;
    for (int32_t k = 0; k < c->n_reactants; k++) {
        const struct rd_reactant *const other = &p->reactant[c->reactant + k];
        for (int32_t n = other->number - (k == i); n > 0; n--)
            rate *= p->mean[other->species];
    }
    return rate;
}

static void limit_by_density(struct rd_step_limit *l, const struct rd_plan *p,
                             const struct rd_channel *c, const struct rd_reaction *r)
{
    for (int32_t i = 0; i < c->n_reactants; i++)
        if (is_moved(p, p->reactant[c->reactant + i].species) &&
            lower(l, most_events / rate_at_density(p, c, r, i), r->place))
            snprintf(l->why, sizeof l->why,
                     "1/2 event of '%s' per molecule and step at the initial density", r->equation);
}

static void limit_reactions(struct rd_step_limit *l, const struct rd_plan *p)
{
    for (int32_t i = 0; i < p->world.reactions.n_reactions; i++) {
        const struct rd_channel whole = rd_plan_whole_channel(p, i), *const c = &whole;
        const struct rd_reaction *const r = &p->model->reaction[p->reaction_of[i]];
        bool is_carried;
        const int order = order_and_motion_of(p, r, &is_carried);
        if (!is_carried)
            continue;
        const double rate = propensity_at_reactants(p, i);
        if (order == 1 && lower(l, most_first_order / rate, r->place))
            snprintf(l->why, sizeof l->why, "rate tau = 1/2 for '%s'", r->equation);
        if (order > 1 && lower(l, most_encounter / rate, r->place))
            snprintf(l->why, sizeof l->why,
                     "probability 1/4 of '%s' per step of molecules in one voxel", r->equation);
        if (order > 1 && rd_step_limit_knows(c, r))
            limit_by_density(l, p, c, r);
    }
}

/* Limits the step for what changes during a run and stays the same during a step. */
static void limit_by_end(struct rd_step_limit *l, const struct rd_plan *p, const char *why)
{
    if (lower(l, most_of_time * p->model->end, NULL))
        snprintf(l->why, sizeof l->why, "1/1000 of time.end, since %s", why);
}

/* Returns whether anything depends on the length of steps: the exact solver integrates rates that
   depend on t in one voxel, and takes that of the middle of the step in several. */
static bool needs_step(const struct rd_plan *p)
{
    return p->model->solver == RD_SOLVER_SPLIT || (p->uses_time && p->world.lattice.n_sites > 1);
}

struct rd_step_limit rd_step_limit_automatic(const struct rd_plan *p)
{
    struct rd_step_limit l = {INFINITY, NULL,
                              "nothing: movement and reactions are exact for any step"};
    if (p->is_by_counts)
        l = (struct rd_step_limit){INFINITY, NULL,
                                   "outputs and events only: movement by counts sets no limit"};
    const bool is_split = p->model->solver == RD_SOLVER_SPLIT;
    if (!needs_step(p))
        return (struct rd_step_limit){INFINITY, NULL, "nothing: the exact solver needs no step"};
    if (is_split)
        limit_hops(&l, p, RD_HOPS_MOST, "the largest number of hops in a step");
    if (is_split && rd_plan_is_split(p)) {
        limit_hops(&l, p, 2.0 * most_diffusion, "D tau / h^2 = 1/6");
        limit_reactions(&l, p);
    } else if (is_split && p->is_by_state) {
        limit_hops(&l, p, 2.0 * most_diffusion,
                   "D tau / h^2 = 1/6, since hop rates depend on counts,");
    }
    if (p->uses_time)
        limit_by_end(&l, p, "rates depend on t");
    if (p->world.items.n_changing > 0)
        limit_by_end(&l, p, "a field changes");
    if (is_split && p->is_by_totals)
        limit_by_end(&l, p, "rates depend on totals or mean positions");
    return l;
}

struct rd_step_limit rd_step_limit_of(const struct rd_plan *p)
{
    struct rd_step_limit l = rd_step_limit_automatic(p);
    if (needs_step(p) && p->model->step > 0.0 && p->model->step != l.step) {
        l.step = p->model->step;
        l.place = NULL;
        snprintf(l.why, sizeof l.why, "%s",
                 p->model->has_step ? "time.step in the configuration"
                                    : "the shortest step of all rows of parameters");
    }
    return l;
}

/* Applies the settings of all events that are due now, and updates the limit. */
static bool foresee_events(struct rd_plan *p, struct rd_timeline *t, double *value,
                           struct rd_step_limit *limit, struct rd_error *e)
{
    const struct rd_model *const m = p->model;
    for (int i; rd_timeline_event(t, &i);) {
        if (m->event[i].n_set == 0)
            continue;
        if (!rd_event_set(m, &m->event[i], t->now, value, e) || !rd_plan_rates(p, value, e))
            return rd_fail(e, "%s: the event at t = %g causes this error; change what it sets",
                           m->event[i].place, t->now);
        *limit = rd_step_limit_of(p);
    }
    return true;
}

static bool foresee(struct rd_forecast *o, struct rd_plan *p, struct rd_timeline *t, double *value,
                    struct rd_error *e)
{
    struct rd_stretch stretch;
    struct rd_step_limit limit = o->limit;
    for (;;) {
        if (!foresee_events(p, t, value, &limit, e))
            return false;
        while (rd_timeline_output(t)) {
        }
        o->least = fmin(o->least, limit.step);
        if (!rd_timeline_next(t, limit.step, &stretch))
            return true;
        o->first = o->n_steps == 0 ? stretch.step : o->first;
        o->n_steps += stretch.n_steps;
        o->shortest = fmin(o->shortest, stretch.step);
        o->longest = fmax(o->longest, stretch.step);
        if (o->n_steps > RD_STEP_END)
            return rd_fail(e,
                           "%s%sthe run has more than %lld steps of at most %g, limited by %s; set "
                           "time.step, or an earlier time.end",
                           limit.place ? limit.place : "", limit.place ? ": " : "",
                           (long long)RD_STEP_END, limit.step, limit.why);
    }
}

bool rd_forecast_take(struct rd_forecast *o, struct rd_plan *p, struct rd_error *e)
{
    const struct rd_model *const m = p->model;
    *o = (struct rd_forecast){.shortest = INFINITY, .least = INFINITY};
    if (!rd_plan_rates(p, m->value, e))
        return false;
    o->limit = rd_step_limit_of(p);
    struct rd_timeline t = {0};
    double *const value = rd_parameters_copy(m, m->value, e);
    const bool ok = value && rd_timeline_open(&t, m, e) && foresee(o, p, &t, value, e);
    rd_timeline_close(&t);
    free(value);
    return ok && rd_plan_rates(p, m->value, e) && rd_plan_step(p, o->first, e);
}
