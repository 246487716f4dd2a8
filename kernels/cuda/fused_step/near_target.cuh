/* near_target - where a leaver near a wall goes. Its probabilities of leaving along the axes differ
   from place to place; the plain body divides them by their sum, which takes most of its time. */
#ifndef RD_CUDA_FUSED_STEP_NEAR_TARGET_CUH
#define RD_CUDA_FUSED_STEP_NEAR_TARGET_CUH

#include "kernels/passes/movement/hop.h"

/* Bounds the error of the thresholds below beside those of rd_departure_of. */
#define RD_WAY_MARGIN 1e-12

/* Returns what rd_way does, if the probabilities of leaving along the axes are q; -1 if the word
   equals a threshold or is next to it. Nothing is divided. */
static __device__ __forceinline__ int rd_choose_way(const double q[3], uint32_t word)
{
    const double all = rd_departure_probability(q);
    const double least = (double)word * all * (1.0 - RD_WAY_MARGIN);
    const double most = ((double)word + 1.0) * all * (1.0 + RD_WAY_MARGIN);
    double sum = 0.0;
    int n = 0, last = 0;
    bool is_near = false;
#pragma unroll
    for (int k = 0; k < RD_N_MOVES; k++) {
        const double probability = rd_combination_probability(q, rd_departure_axes(k));
        sum += probability;
        last = probability > 0.0 ? k : last;
        if (k == RD_N_MOVES - 1)
            break;
        const double threshold = sum * 4294967296.0;
        n += threshold < least;
        is_near = is_near || (threshold >= least && threshold <= most);
    }
    return is_near ? -1 : n < last ? n : last;
}

/* Sets to[] to the place to which a leaver from at[] moves by its own four words. Returns false if
   the plain body must find it: a wall takes the molecule, or the first word is next to a
   threshold. Nothing is counted. */
static __device__ __forceinline__ bool rd_near_target(const struct rd_world &w, int32_t species,
                                                      const int32_t at[3], const uint32_t word[4],
                                                      int32_t to[3])
{
    const struct rd_transport *const m = &w.movement.transport[species];
    const struct rd_displacement *displacement[3];
    double q[3];
#pragma unroll
    for (int axis = 0; axis < 3; axis++) {
        displacement[axis] = rd_displacement_at(&w.movement, &m->axis_table[axis], at[axis]);
        q[axis] = displacement[axis]->leave;
        to[axis] = at[axis];
    }
    const int way = rd_choose_way(q, word[0]);
    const uint32_t axes = way < 0 ? 0 : rd_departure_axes(way);
    bool is_lost = way < 0;
#pragma unroll
    for (int axis = 0; axis < 3; axis++) {
        if ((axes >> axis & 1) == 0)
            continue;
        const int32_t shift = rd_shift(&w.movement, displacement[axis], word[1 + axis]);
        const int32_t size = w.lattice.size[axis];
        is_lost = is_lost || rd_is_lost(shift);
        to[axis] += shift;
        if ((uint32_t)to[axis] >= (uint32_t)size && !is_lost)
            to[axis] = rd_wrap(to[axis], size);
    }
    return !is_lost;
}

#endif
