/* propensity_lanes - the sums of propensities of neighbouring voxels, side by side, for reactions
   by mass action. */
#ifndef RD_CPU_PROPENSITY_LANES_H
#define RD_CPU_PROPENSITY_LANES_H

#include "kernels/core/lattice.h"
#include "kernels/cpu/philox_simd.h"
#include "kernels/passes/reactions/block_sums.h"

/* Holds the sums of struct rd_block_sums for each of n voxels. */
struct rd_propensity_lanes {
    const struct rd_world *w;
    int64_t begin; /* the first voxel */
    int n;         /* at most RD_BUNCH */
    int32_t last;  /* reaction that was added last */
    struct rd_place place[RD_BUNCH];
    double sum[RD_BLOCK_LEVELS][RD_BUNCH];
};

void rd_propensity_lanes_begin(struct rd_propensity_lanes *x, const struct rd_world *w,
                               int64_t begin, int n);

/* Adds the propensities of a reaction, in canonical order. */
void rd_propensity_lanes_add(struct rd_propensity_lanes *x, int32_t reaction);

/* Returns the sums: for each voxel what rd_propensity_tree returns for all reactions. */
const double *rd_propensity_lanes_end(struct rd_propensity_lanes *x);

#endif
