/* row_targets - where molecules in rows go that move by displacements; for those that are sent when
   they are linked, and with the others of their voxel. */
#ifndef RD_CUDA_PASSES_ROW_TARGETS_CUH
#define RD_CUDA_PASSES_ROW_TARGETS_CUH

#include "kernels/cuda/passes/draw_leavers.cuh"

/* Holds the parameters that are the same for all blocks. */
struct rd_row_parameters {
    struct rd_draw_parameters draw;
    struct rd_keys where;
};

static inline struct rd_row_parameters rd_row_parameters_of(const struct rd_world *w)
{
    struct rd_row_parameters s;
    s.draw.by = rd_divided_of(w->lattice.size, w->lattice.n_sites);
    s.draw.stay = rd_keys_of(w->pass.seed, RD_FOR_STAY, w->pass.part);
    s.draw.walk = rd_keys_of(w->pass.seed, RD_FOR_WALK, w->pass.part);
    s.where = rd_keys_of(w->pass.seed, RD_FOR_WHERE, w->pass.part);
    return s;
}

/* Returns the voxel to which a leaver moves, or -1 if a wall takes it, which is then counted as
   lost. */
static __device__ __forceinline__ int64_t rd_row_target(const struct rd_world &w,
                                                        const struct rd_row_parameters &s,
                                                        const struct rd_drawn_voxel &from, int3 p,
                                                        int32_t species, uint32_t number)
{
    const uint4 words = rd_words_near(s.where, number, from.site, w.pass.step_clock->step,
                                      (uint32_t)w.lattice.first_run + from.run, 0);
    const uint32_t word[4] = {words.x, words.y, words.z, words.w};
    const int32_t at[3] = {p.x, p.y, p.z};
    int32_t to[3];
    if (!rd_near_target(w, species, at, word, to))
        return rd_target_by_displacements(&w, from.voxel, species, number);
    return (int64_t)from.run * w.lattice.n_sites + (uint32_t)to[2] * s.draw.by.stride[2] +
           (uint32_t)to[1] * s.draw.by.stride[1] + (uint32_t)to[0];
}

#endif
