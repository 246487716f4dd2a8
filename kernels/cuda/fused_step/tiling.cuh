/* tiling - the division of the lattice into tiles, one for each block of threads; for fused steps
   of counts in arrays and in rows. */
#ifndef RD_CUDA_FUSED_STEP_TILING_CUH
#define RD_CUDA_FUSED_STEP_TILING_CUH

#include "kernels/core/world.h"

/* Describes how the lattice is divided into tiles: boxes of 2^bits voxels along each axis or, if
   runs are small, portions of consecutive voxels across rows and runs. */
struct rd_tiling {
    int32_t bits[3], n[3]; /* n: tiles along each axis of a run */
    int32_t voxels_bits;   /* a tile has 2^voxels_bits voxels */
    int32_t is_line;
    int64_t n_tiles;
};

/* Chooses boxes of 2^voxels_bits voxels that waste little beyond the ends of the lattice, and that
   few molecules leave. is_line is set if they waste much. */
void rd_choose_tile_boxes(struct rd_tiling *t, const struct rd_lattice *lattice);

/* Sets corner[] to the first place of the box. Returns its run. */
static __device__ __forceinline__ uint32_t rd_box_corner(const struct rd_tiling &t, uint32_t number,
                                                         int32_t corner[3])
{
    for (int axis = 0; axis < 3; axis++) {
        corner[axis] = (int32_t)(number % (uint32_t)t.n[axis] << t.bits[axis]);
        number /= (uint32_t)t.n[axis];
    }
    return number;
}

/* Sets at[] to the place of voxel c of the box with this corner. */
static __device__ __forceinline__ void
rd_box_place(const struct rd_tiling &t, const int32_t corner[3], uint32_t c, int32_t at[3])
{
    at[0] = corner[0] + (int32_t)(c & ((1u << t.bits[0]) - 1));
    at[1] = corner[1] + (int32_t)(c >> t.bits[0] & ((1u << t.bits[1]) - 1));
    at[2] = corner[2] + (int32_t)(c >> (t.bits[0] + t.bits[1]));
}

/* Returns the number of the box that contains the place of the run; *c becomes its voxel there. */
static __device__ __forceinline__ uint32_t rd_tile_of(const struct rd_tiling &t, uint32_t run,
                                                      const int32_t at[3], uint32_t *c)
{
    uint32_t box[3], in[3];
    for (int axis = 0; axis < 3; axis++) {
        box[axis] = (uint32_t)at[axis] >> t.bits[axis];
        in[axis] = (uint32_t)at[axis] & ((1u << t.bits[axis]) - 1);
    }
    *c = ((in[2] << t.bits[1] | in[1]) << t.bits[0]) | in[0];
    return ((run * (uint32_t)t.n[2] + box[2]) * (uint32_t)t.n[1] + box[1]) * (uint32_t)t.n[0] +
           box[0];
}

#endif
