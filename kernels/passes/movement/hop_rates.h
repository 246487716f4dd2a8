/* hop_rates - hop rates by programs; its own file because move and substep_hop both use it.

   Programs give diffusion rate and drift, of an individual at its place, or of a species in each
   voxel. */
#ifndef RD_PASSES_MOVEMENT_HOP_RATES_H
#define RD_PASSES_MOVEMENT_HOP_RATES_H

#include "kernels/passes/movement/walk.h"

/* Returns the offsets from a place to its neighbouring voxels. */
RD_FN struct rd_sight rd_sight_at(const struct rd_lattice *lattice, const struct rd_transport *m,
                                  const int32_t at[3])
{
    struct rd_sight sight;
    int64_t stride = 1;
    for (int axis = 0; axis < 3; axis++) {
        const bool wraps = m->pass[2 * axis] < 0.0;
        sight.ahead[axis] = rd_neighbour_offset(true, stride, lattice->size[axis], at[axis], wraps);
        sight.behind[axis] =
            rd_neighbour_offset(false, stride, lattice->size[axis], at[axis], wraps);
        sight.per_length[axis] =
            rd_per_length(sight.ahead[axis], sight.behind[axis], lattice->edge[axis]);
        stride *= lattice->size[axis];
    }
    return sight;
}

/* Computes the rates by the six programs from rule[motion] on: D along x, y, z, then the drift. It
   returns false if they are invalid; the entries of that axis then hold diffusion rate and drift
   instead. */
RD_FN bool rd_motion_rates(const struct rd_world *w, const struct rd_transport *m, int32_t motion,
                           const struct rd_eval_context *eval_context, double rate[RD_N_FACES])
{
    for (int axis = 0; axis < 3; axis++) {
        const struct rd_rule *const spread = &w->expressions.rule[motion + axis];
        const struct rd_rule *const lean = spread + 3;
        double *const along = &rate[2 * axis];
        along[0] = rd_eval_rule(&w->expressions, spread, eval_context);
        along[1] = rd_eval_rule(&w->expressions, lean, eval_context);
        if (!(along[0] >= 0.0) || !rd_is_finite(along[0]) || !rd_is_finite(along[1]))
            return false;
        rd_rates_of(along[0], along[1], w->lattice.edge[axis], along);
        if (w->lattice.size[axis] == 1 && m->pass[2 * axis] <= 0.0 && m->pass[2 * axis + 1] <= 0.0)
            along[0] = along[1] = 0.0;
    }
    return true;
}

#endif
