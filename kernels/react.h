/* react - one cell: Gillespie's direct method over the time of the pass (Gillespie, J. Comput.
   Phys. 22, 403, 1976). Exact while laws do not depend on the time; where they do they are taken
   at the middle of the pass, an error of second order in its length. */
#ifndef RD_REACT_H
#define RD_REACT_H

#include "draw.h"
#include "lattice.h"

/* What an expression sees in the cell. */
RD_FN struct rd_scene rd_scene_of(const struct rd_world *w, const struct rd_place *p)
{
    struct rd_scene scene = rd_scene_at(w, p);
    scene.t = w->time;
    scene.count = w->count + p->cell;
    scene.stride = w->n_cells;
    return scene;
}

/* The propensity of a channel where species s has count[s * stride] molecules: rate times the
   falling factorials n (n-1) ... of its reactants, times or instead by its expression. A law that
   is negative or not finite gives NAN. */
RD_FN double rd_propensity(const struct rd_world *w, const struct rd_channel *c,
                           const int32_t *count, int64_t stride, const struct rd_scene *scene)
{
    double a = c->rate;
    for (int32_t i = 0; i < c->n_reactants; i++) {
        const struct rd_reactant *const r = &w->reactant[c->reactant + i];
        const double n = (double)count[r->species * stride];
        for (int32_t k = 0; k < r->number; k++)
            a *= n - (double)k;
    }
    if (c->law_kind == RD_LAW_NONE || a == 0.0)
        return a;
    const double law = rd_law(w->law + c->law, c->n_law, scene);
    return law >= 0.0 && rd_is_finite(law) ? a * law : (double)NAN;
}

/* Sums the propensities of the cell in order, up to the channel where the sum exceeds aim; gives
   the sum, and in which that channel, or n_reactions if there is none. */
RD_FN double rd_propensity_sum(const struct rd_world *w, const struct rd_place *p,
                               const struct rd_scene *scene, double aim, int32_t *which)
{
    double sum = 0.0;
    for (int32_t r = 0; r < w->n_reactions; r++) {
        const struct rd_channel *const c = &w->channel[r];
        if (!rd_is_in(w, c->region, p->site))
            continue;
        const double a = rd_propensity(w, c, w->count + p->cell, w->n_cells, scene);
        if (!(a >= 0.0 && sum + a < INFINITY)) {
            rd_fault_at(w, RD_FAULT_LAW, p->cell, r);
            continue;
        }
        sum += a;
        if (sum > aim) {
            *which = r;
            return sum;
        }
    }
    *which = w->n_reactions;
    return sum;
}

/* The reaction happens once in the cell; false, with a fault, if a count cannot follow. */
RD_FN bool rd_fire(const struct rd_world *w, const struct rd_place *p, int32_t reaction)
{
    const struct rd_channel *const c = &w->channel[reaction];
    for (int32_t i = 0; i < c->n_changes; i++) {
        const struct rd_reactant *const change = &w->change[c->change + i];
        const int64_t n =
            (int64_t)w->count[change->species * w->n_cells + p->cell] + change->number;
        if (n < 0 || n > INT32_MAX) {
            rd_fault_at(w, n < 0 ? RD_FAULT_NEGATIVE : RD_FAULT_OVERFLOW, p->cell,
                        n < 0 ? reaction : change->species);
            return false;
        }
    }
    for (int32_t i = 0; i < c->n_changes; i++) {
        const struct rd_reactant *const change = &w->change[c->change + i];
        w->count[change->species * w->n_cells + p->cell] += change->number;
    }
    rd_add_i64(&w->fired[rd_sums_of(w, p->run, p->site) * w->n_reactions + reaction], 1);
    return true;
}

RD_FN void rd_react(const struct rd_world *w, int64_t cell)
{
    const struct rd_place p = rd_place_of(w, cell);
    const struct rd_scene scene = rd_scene_of(w, &p);
    struct rd_stream s =
        rd_stream_of(w->seed, w->first_run + p.run, w->step, RD_FOR_REACT, w->part, p.site);
    double left = w->dt;
    for (;;) {
        int32_t which;
        const double sum = rd_propensity_sum(w, &p, &scene, INFINITY, &which);
        if (!(sum > 0.0))
            return;
        const double u = rd_uniform(&s);
        if (1.0 - u >= sum * left)
            return; /* for -log(u) >= 1 - u: most cells need no logarithm */
        left += rd_log(u) / sum;
        if (left <= 0.0)
            return;
        /* an aim just below the sum, so that rounding cannot pass the last channel by */
        const double aim = rd_uniform(&s) * sum;
        rd_propensity_sum(w, &p, &scene, aim < sum ? aim : sum * (1.0 - 0x1p-53), &which);
        if (which == w->n_reactions || !rd_fire(w, &p, which))
            return;
        if (s.counter[0] == UINT32_MAX) {
            rd_fault_at(w, RD_FAULT_STUCK, cell, which);
            return;
        }
    }
}

#endif
