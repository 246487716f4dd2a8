/* walk_simd - moves molecules of many voxels by uniformised walks, on the CPU, for the tuned
   version of hop. */
#ifndef RD_CPU_WALK_SIMD_H
#define RD_CPU_WALK_SIMD_H

#include "kernels/cpu/hop_words.h"

/* Sets the most molecules of a voxel. */
enum { RD_WALKERS_MOST = 4 * RD_BUNCH };

/* Holds voxels from which molecules leave by uniformised walks, and these molecules, voxel by
   voxel. */
struct rd_uniformised_walks {
    struct rd_calls walk;
    int n_bounds;
    struct rd_uniformised_walks_origin {
        int64_t voxel;
        int32_t n, n_calls; /* leavers; calls that are computed for them beforehand */
    } origin[RD_BUNCH];
    int32_t n;
    int32_t species[RD_WALKERS_MOST];
    int64_t step[RD_N_FACES]; /* change of the site number by a hop towards each face */
};

/* Initialises the struct, without leavers. */
void rd_uniformised_walks_begin(struct rd_uniformised_walks *t, const struct rd_lattice *lattice);
/* Adds n leavers of the voxel, of these species. rd_uniformised_walk moves them, by
   rd_uniformised_walks_end at the latest. */
void rd_uniformised_walks_add(struct rd_uniformised_walks *t, const struct rd_world *w,
                              int64_t voxel, const int32_t *species, int32_t n);
/* Moves all leavers that were added and have not yet moved. */
void rd_uniformised_walks_end(struct rd_uniformised_walks *t, const struct rd_world *w);

#endif
