/* departure - the probabilities that a molecule leaves its voxel in a step and along which axes,
   from its probabilities of leaving its place along each axis. The walks along the axes are
   independent, so that the probabilities multiply. It also selects the jump of a displacement
   distribution by a word. */
#ifndef RD_PASSES_MOVEMENT_DEPARTURE_H
#define RD_PASSES_MOVEMENT_DEPARTURE_H

#include "kernels/core/world.h"

enum { RD_N_MOVES = 7 };

/* Returns the k-th combination of axes, as bits: x, y, z, xy, xz, yz, xyz. */
RD_FN uint32_t rd_departure_axes(int k)
{
    return (uint32_t)(0x7653421u >> 4 * k & 7u);
}

/* Returns the threshold of a probability for a random 64-bit number. */
RD_FN uint64_t rd_threshold(double probability)
{
    return probability >= 1.0 ? UINT64_MAX : (uint64_t)(probability * 18446744073709551616.0);
}

/* Returns the probability of being elsewhere along one axis or more: a sum, so that nothing
   cancels. */
RD_FN double rd_departure_probability(const double q[3])
{
    return q[0] + (1.0 - q[0]) * (q[1] + (1.0 - q[1]) * q[2]);
}

/* Returns the probability of being elsewhere along exactly these axes. */
RD_FN double rd_combination_probability(const double q[3], uint32_t axes)
{
    double probability = 1.0;
    for (int axis = 0; axis < 3; axis++)
        probability *= axes >> axis & 1 ? q[axis] : 1.0 - q[axis];
    return probability;
}

/* Returns the departure probabilities. q[axis] is the probability of being elsewhere along the axis
   after the step. */
RD_FN struct rd_departure rd_departure_of(const double q[3])
{
    struct rd_departure g;
    g.probability = rd_departure_probability(q);
    g.leave = rd_threshold(g.probability);
    g.last = 0;
    double sum = 0.0;
    for (int k = 0; k < RD_N_MOVES; k++) {
        const double probability = rd_combination_probability(q, rd_departure_axes(k));
        sum += probability;
        g.axes[k] = g.probability > 0.0 ? rd_threshold(sum / g.probability) : 0;
        if (probability > 0.0)
            g.last = k;
    }
    return g;
}

/* Returns the shift of the jump, of n, that the word selects. The first two, which are nearly
   all, are distinguished without a branch, since it could not be predicted. */
RD_FN int32_t rd_shift_of(const struct rd_jump *o, int32_t n, uint32_t word)
{
    const int32_t last = n - 1, second = last > 1;
    int32_t k = (last > 0) & (word >= o[0].below);
    k += second & (word >= o[second].below);
    while (k > 1 && k < last && word >= o[k].below)
        k++;
    return o[k].shift;
}

RD_FN int32_t rd_shift(const struct rd_movement *movement,
                       const struct rd_displacement *displacement, uint32_t word)
{
    return rd_shift_of(movement->jump + displacement->first, displacement->n, word);
}

#endif
