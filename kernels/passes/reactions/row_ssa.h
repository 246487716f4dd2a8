/* row_ssa - the next event of a voxel where rare species are in rows. The possible reactions are
   listed once for the sum of propensities and the choice of one. */
#ifndef RD_PASSES_REACTIONS_ROW_SSA_H
#define RD_PASSES_REACTIONS_ROW_SSA_H

#include "kernels/passes/reactions/ssa.h"

/* Return the sum of propensities, and the reaction that aim selects, if not all possible reactions
   are listed. */
RD_SELDOM double rd_sum_unlisted(const struct rd_ssa *ssa)
{
    return rd_row_propensity_tree(ssa->w, &ssa->p, &ssa->eval_context, 0,
                                  ssa->w->reactions.n_reactions);
}

RD_SELDOM int32_t rd_choose_unlisted(const struct rd_ssa *ssa, double aim)
{
    return rd_choose_reaction(ssa->w, &ssa->p, &ssa->eval_context, aim);
}

/* Draws the next event as rd_ssa_next does. */
RD_FN bool rd_row_ssa_next(struct rd_ssa *ssa, int32_t *which)
{
    const struct rd_world *const w = ssa->w;
    struct rd_row_possible possible;
    double sum = rd_find_possible(w, ssa->p.site, &ssa->eval_context, &possible);
    const bool are_listed = sum < INFINITY;
    if (!are_listed)
        sum = rd_sum_unlisted(ssa);
    if (!rd_ssa_wait(ssa, sum))
        return false;
    const double aim = rd_ssa_aim(ssa, sum);
    *which = are_listed ? rd_choose_possible(&possible, w->reactions.n_reactions, aim)
                        : rd_choose_unlisted(ssa, aim);
    return rd_ssa_may_fire(ssa, *which);
}

/* Does the same as a function that is called, since it is long. */
RD_SELDOM bool rd_row_ssa_next_called(struct rd_ssa *ssa, int32_t *which)
{
    return rd_row_ssa_next(ssa, which);
}

/* Draws the next event, whether or not some species are in rows. */
RD_FN bool rd_next_event(struct rd_ssa *ssa, int32_t *which)
{
    return rd_has_rows(ssa->w) ? rd_row_ssa_next_called(ssa, which) : rd_ssa_next(ssa, which);
}

#endif
