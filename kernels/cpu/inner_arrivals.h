/* inner_arrivals - leavers within the lattice; its own file because tuned hop and move both use it.

   Returns destinations of molecules that move by displacement distributions. */
#ifndef RD_CPU_INNER_ARRIVALS_H
#define RD_CPU_INNER_ARRIVALS_H

#include "kernels/passes/movement/hop.h"

/* Returns the lowest axis among the bits. */
RD_FN int rd_lowest_axis(uint32_t axes)
{
    return axes & 1 ? 0 : 2 - (int)(axes >> 1 & 1);
}

/* Changes the voxel number to that of the destination along the axis, which the word selects;
   returns false if it is not in the lattice. */
RD_FN bool rd_step_near(const struct rd_hop_state *h, int axis, uint32_t word, int64_t *voxel)
{
    const int32_t *const size = h->w->lattice.size;
    const int64_t stride[3] = {1, size[0], (int64_t)size[0] * size[1]};
    const int32_t shift = rd_shift(&h->w->movement, h->displacement[axis], word);
    const int64_t to = (int64_t)h->p.at[axis] + shift;
    *voxel += shift * stride[axis];
    return to >= 0 && to < size[axis];
}

#endif
