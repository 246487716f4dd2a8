/* ssa - the events of one voxel in their order, by Gillespie's direct method, over the time of the
   pass (Gillespie, J. Comput. Phys. 22, 403, 1976). It is exact while propensities do not depend on
   time; otherwise they are evaluated at the middle of the pass, with an error of second order in
   its length. */
#ifndef RD_PASSES_REACTIONS_SSA_H
#define RD_PASSES_REACTIONS_SSA_H

#include "kernels/core/draw.h"
#include "kernels/passes/reactions/members.h"
#include "kernels/passes/reactions/row_propensities.h"

/* Returns the context for expressions in the voxel. */
RD_FN struct rd_eval_context rd_eval_context_of(const struct rd_world *w, const struct rd_place *p)
{
    struct rd_eval_context eval_context = rd_eval_context_at(w, p);
    eval_context.t = w->pass.step_clock->time;
    rd_aim_counts(w, p->voxel, &eval_context);
    return eval_context;
}

/* Returns whether the required reactants are there: those that do not multiply the rate. */
RD_FN bool rd_has_required(const struct rd_reactions *reactions, const struct rd_channel *c,
                           const int32_t *count, int64_t stride)
{
    for (int32_t i = 0; i < c->n_required; i++) {
        const struct rd_reactant *const r = &reactions->reactant[c->required + i];
        if (count[r->species * stride] < r->number)
            return false;
    }
    return true;
}

/* Returns the propensity of a reaction if species s has count[s * stride] molecules: the rate times
   the falling factorials n (n-1) ... of its reactants, multiplied or replaced by its expression.
   Without its reactants it is 0, and the expression is not evaluated. An expression that is
   negative or not finite gives NAN. */
RD_FN double rd_propensity(const struct rd_world *w, const struct rd_channel *c,
                           const int32_t *count, int64_t stride,
                           const struct rd_eval_context *eval_context)
{
    double a = c->rate;
    for (int32_t i = 0; i < c->n_reactants; i++) {
        const struct rd_reactant *const r = &w->reactions.reactant[c->reactant + i];
        const double n = (double)count[r->species * stride];
        for (int32_t k = 0; k < r->number; k++)
            a *= n - (double)k;
    }
    if (RD_SIMPLE_ONLY || c->expression_kind == RD_EXPRESSION_NONE || a == 0.0)
        return a;
    if (!rd_has_required(&w->reactions, c, count, stride))
        return 0.0;
    const double value = rd_eval_reaction(w, c, eval_context);
    return value >= 0.0 && rd_is_finite(value) ? a * value : (double)NAN;
}

/* Sums the propensities of the reactions begin ... end - 1 of the voxel in order, up to the
   reaction at which the sum exceeds aim. It returns the sum, and in *which that reaction, or
   n_reactions if there is none. */
RD_FN double rd_propensity_sum(const struct rd_world *w, const struct rd_place *p,
                               const struct rd_eval_context *eval_context, int32_t begin,
                               int32_t end, double aim, int32_t *which)
{
    double sum = 0.0;
    if (rd_has_rows(w))
        return rd_row_propensity_sum(w, p, eval_context, begin, end, aim, which);
    for (int32_t r = begin; r < end; r++) {
        const struct rd_channel *const c = &w->reactions.channel[r];
        if (!rd_is_in(&w->lattice, c->region, p->site))
            continue;
        const double a =
            rd_propensity(w, c, w->counts.count + p->voxel, w->lattice.n_voxels, eval_context);
        if (!(a >= 0.0 && sum + a < INFINITY)) {
            rd_fault_at(w, RD_FAULT_PROPENSITY, p->voxel, r);
            continue;
        }
        sum += a;
        if (sum > aim) {
            *which = r;
            return sum;
        }
    }
    *which = w->reactions.n_reactions;
    return sum;
}

/* Returns the sum of the propensities of the reactions begin ... end - 1 in the voxel, block by
   block. Begin is a multiple of the number of reactions in a node that holds all of them. */
RD_FN double rd_propensity_tree(const struct rd_world *w, const struct rd_place *p,
                                const struct rd_eval_context *eval_context, int32_t begin,
                                int32_t end)
{
    int32_t none;
    if (end - begin <= RD_REACTIONS_IN_BLOCK)
        return rd_propensity_sum(w, p, eval_context, begin, end, INFINITY, &none);
    if (rd_has_rows(w))
        return rd_row_propensity_tree(w, p, eval_context, begin, end);
    struct rd_block_sums tree = rd_block_sums_begin(begin);
    for (int32_t r = begin; r < end; r += RD_REACTIONS_IN_BLOCK)
        rd_block_sums_add(
            &tree, r,
            rd_propensity_sum(w, p, eval_context, r, rd_block_end(r, 1, end), INFINITY, &none));
    return rd_block_sums_end(&tree);
}

/* Returns the reaction that aim selects, uniform below the sum of all propensities: from the root
   of the tree down, the first node or reaction at which the sum over its siblings exceeds aim. */
RD_FN int32_t rd_choose_reaction(const struct rd_world *w, const struct rd_place *p,
                                 const struct rd_eval_context *eval_context, double aim)
{
    int32_t begin = 0, end = w->reactions.n_reactions, which;
    for (int32_t level = rd_block_level(end); level > 0; level--) {
        double before = 0.0;
        for (;;) {
            const int32_t next = rd_block_end(begin, level, end);
            const double sum = rd_propensity_tree(w, p, eval_context, begin, next);
            if (before + sum > aim) {
                aim = rd_aim_below(aim - before, sum);
                end = next;
                break;
            }
            if (next == end)
                return w->reactions.n_reactions;
            before += sum;
            begin = next;
        }
    }
    rd_propensity_sum(w, p, eval_context, begin, end, aim, &which);
    return which;
}

/* Returns whether the first event certainly comes after the pass, by the sum of propensities and a
   uniform number. */
RD_FN bool rd_is_quiet(double sum, double u, double dt)
{
    return 1.0 - u >= sum * dt; /* since -log(u) >= 1 - u */
}

/* Holds the progress of the events of a voxel. */
struct rd_ssa {
    const struct rd_world *w;
    struct rd_place p;
    struct rd_eval_context eval_context;
    struct rd_stream event;
    double left; /* time until the end of the pass */

    struct rd_stream individual, birth; /* for individuals: rd_ssa_cast */
    bool is_enacted;                    /* events are applied to individuals; else only counted */
    int32_t n_notes;                    /* lineage entries of their births and deaths */
    struct rd_row kept;                 /* the row before the events, while these are counted */
};

/* Begins the draws at the place of the events; a frozen run has no time left. */
RD_FN void rd_ssa_begin(struct rd_ssa *ssa)
{
    const struct rd_world *const w = ssa->w;
    ssa->event = rd_stream_of(w->pass.seed, w->lattice.first_run + ssa->p.run,
                              w->pass.step_clock->step, RD_FOR_REACT, w->pass.part, ssa->p.site);
    ssa->left = rd_is_frozen(&w->runs, ssa->p.run) ? 0.0 : w->pass.dt;
}

/* Begins the events of the voxel. */
RD_FN void rd_ssa_open(struct rd_ssa *ssa, const struct rd_world *w, int64_t voxel)
{
    ssa->w = w;
    ssa->p = rd_place_of(&w->lattice, voxel);
    ssa->eval_context = rd_eval_context_of(w, &ssa->p);
    rd_ssa_begin(ssa);
}

/* Draws the time of the next event, given the sum of propensities. Returns false if there is none
   before the end, or with a fault. */
RD_FN bool rd_ssa_wait(struct rd_ssa *ssa, double sum)
{
    const struct rd_world *const w = ssa->w;
    if (!(sum > 0.0))
        return false;
    if (!(sum < INFINITY)) {
        rd_fault_at(w, RD_FAULT_PROPENSITY, ssa->p.voxel, w->reactions.n_reactions - 1);
        return false;
    }
    const double u = rd_uniform(&ssa->event);
    if (rd_is_quiet(sum, u, ssa->left))
        return false; /* most voxels need no logarithm */
    ssa->left += rd_log(u) / sum;
    return ssa->left > 0.0;
}

/* Returns a uniform number below the sum of propensities, which selects the reaction. */
RD_FN double rd_ssa_aim(struct rd_ssa *ssa, double sum)
{
    return rd_aim_below(rd_uniform(&ssa->event) * sum, sum);
}

/* Returns whether a reaction was selected and the voxel had no more events than may be; otherwise
   records a fault. */
RD_FN bool rd_ssa_may_fire(const struct rd_ssa *ssa, int32_t which)
{
    const struct rd_world *const w = ssa->w;
    if (ssa->event.counter[0] > w->reactions.max_events) { /* each event takes one draw */
        rd_fault_at(w, RD_FAULT_EVENTS, ssa->p.voxel, which);
        return false;
    }
    return which < w->reactions.n_reactions;
}

/* Draws the next event and sets *which to its reaction. It returns false if there is none before
   the end, or with a fault. */
RD_FN bool rd_ssa_next(struct rd_ssa *ssa, int32_t *which)
{
    const struct rd_world *const w = ssa->w;
    const double sum =
        rd_propensity_tree(w, &ssa->p, &ssa->eval_context, 0, w->reactions.n_reactions);
    if (!rd_ssa_wait(ssa, sum))
        return false;
    *which = rd_choose_reaction(w, &ssa->p, &ssa->eval_context, rd_ssa_aim(ssa, sum));
    return rd_ssa_may_fire(ssa, *which);
}

/* Returns the largest count of the species in a voxel; for individuals, the limit of a run. */
RD_FN int64_t rd_most_in_voxel(const struct rd_world *w, int32_t species)
{
    const struct rd_transport *const m = &w->movement.transport[species];
    return w->lists.n_list > 0 && m->is_listed ? w->lists.list[m->list].max : INT32_MAX;
}

/* Records that the count of the species would become n, which is not possible. */
RD_FN void rd_fault_of_count(const struct rd_world *w, int64_t voxel, int32_t reaction,
                             int32_t species, int64_t n)
{
    const bool is_listed = w->lists.n_list > 0 && w->movement.transport[species].is_listed;
    if (n < 0)
        rd_fault_at(w, RD_FAULT_NEGATIVE, voxel, reaction);
    else if (is_listed)
        rd_fault_at(w, RD_FAULT_FULL, voxel, w->movement.transport[species].list);
    else
        rd_fault_at(w, RD_FAULT_OVERFLOW, voxel, species);
}

/* Returns whether all counts permit the reaction; otherwise records a fault. */
RD_FN bool rd_can_fire(const struct rd_ssa *ssa, int32_t reaction)
{
    const struct rd_world *const w = ssa->w;
    const struct rd_channel *const c = &w->reactions.channel[reaction];
    for (int32_t i = 0; i < c->n_changes; i++) {
        const struct rd_reactant *const change = &w->reactions.change[c->change + i];
        const int64_t n =
            (int64_t)rd_count_here(&ssa->eval_context, change->species) + change->number;
        if (n < 0 || n > rd_most_in_voxel(w, change->species)) {
            rd_fault_of_count(w, ssa->p.voxel, reaction, change->species, n);
            return false;
        }
    }
    return true;
}

/* Changes the count of a species in the row of the voxel, which has room for it. */
RD_FN void rd_change_entry(struct rd_ssa *ssa, const struct rd_reactant *change)
{
    struct rd_row *const row = &ssa->w->rows.row[ssa->p.voxel];
    rd_add_to_entries(ssa->w->rows.entry + row->begin, &row->n, change->species, change->number);
    ssa->eval_context.n_row = row->n;
}

/* Changes the counts by the reaction; those of individuals only if with_individuals is set. */
RD_FN void rd_change_counts(struct rd_ssa *ssa, int32_t reaction, bool with_individuals)
{
    const struct rd_world *const w = ssa->w;
    const struct rd_channel *const c = &w->reactions.channel[reaction];
    for (int32_t i = 0; i < c->n_changes; i++) {
        const struct rd_reactant *const change = &w->reactions.change[c->change + i];
        const int64_t column = rd_column_of(w, change->species);
        if (column < 0)
            rd_change_entry(ssa, change);
        else if (with_individuals || !w->movement.transport[change->species].is_listed)
            w->counts.count[column * w->lattice.n_voxels + ssa->p.voxel] += change->number;
    }
}

RD_FN void rd_count_fired(const struct rd_ssa *ssa, int32_t reaction)
{
    const struct rd_world *const w = ssa->w;
    rd_add_i64(&w->counts.fired[rd_sums_of(&w->lattice, ssa->p.run, ssa->p.site) *
                                    w->reactions.n_reactions +
                                reaction],
               1);
}

/* Lets the reaction happen, which involves no individuals. Returns false, with a fault, if a count
   does not permit it. */
RD_FN bool rd_fire(struct rd_ssa *ssa, int32_t reaction)
{
    if (!rd_can_fire(ssa, reaction))
        return false;
    rd_change_counts(ssa, reaction, true);
    rd_count_fired(ssa, reaction);
    return true;
}

#endif
