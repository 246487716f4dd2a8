/* walk_simd - molecules of many voxels led on their tours, on the CPU: for the twin of hop. */
#ifndef RD_CPU_WALK_SIMD_H
#define RD_CPU_WALK_SIMD_H

#include "kernels/cpu/hop_words.h"

/* So many of a voxel at most. */
enum { RD_TOURISTS_MOST = 4 * RD_BUNCH };

/* Voxels from which some leave on tours, and who, voxel by voxel. */
struct rd_uniformised_walks {
    struct rd_calls walk;
    int n_bounds;
    struct rd_uniformised_walks_bounds {
        int64_t voxel;
        int32_t n, n_calls; /* leavers; calls that are made for them beforehand */
    } bounds[RD_BUNCH];
    int32_t n;
    int32_t species[RD_TOURISTS_MOST];
    int64_t step[RD_N_FACES]; /* what a hop to each face's side adds to a site's number */
};

void rd_uniformised_walks_begin(struct rd_uniformised_walks *t, const struct rd_world *w);
/* n leave the voxel, of these species: rd_tour happens to them, by rd_tours_end at the latest. */
void rd_uniformised_walks_add(struct rd_uniformised_walks *t, const struct rd_world *w,
                              int64_t voxel, const int32_t *species, int32_t n);
void rd_uniformised_walks_end(struct rd_uniformised_walks *t, const struct rd_world *w);

#endif
