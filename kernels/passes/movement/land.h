/* land - one voxel: adds the arrivals of the movement to its counts. */
#ifndef RD_PASSES_MOVEMENT_LAND_H
#define RD_PASSES_MOVEMENT_LAND_H

#include "kernels/core/lattice.h"

/* Adds the arrivals to the counts of the voxel. A sum of arrivals below 0 has passed INT32_MAX
   (rd_add_placements). */
RD_FN void rd_land(const struct rd_world *w, int64_t voxel)
{
    for (int32_t s = 0; s < w->n_species; s++) {
        const int64_t i = s * w->n_voxels + voxel;
        const int32_t arrived = w->arrive[i];
        if (arrived == 0)
            continue;
        w->arrive[i] = 0;
        const int64_t n = (int64_t)w->count[i] + arrived;
        if (arrived < 0 || n > INT32_MAX)
            rd_fault_at(w, RD_FAULT_OVERFLOW, voxel, s);
        else
            w->count[i] = (int32_t)n;
    }
}

#endif
