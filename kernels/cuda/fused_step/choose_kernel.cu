/* choose_kernel - chooses the kernels of a fused step by the form of its tiles. It has no kernels
   of its own: these are in box_tiles.cu and line_tiles.cu. */
#include "kernels/cuda/backend/fused_step.cuh"

#include "kernels/cuda/backend/tuned_passes.cuh"
#include "kernels/cuda/fused_step/persistent_kernel.cuh"

void rd_fused_step_launch(const struct rd_persistent_kernel *m, cudaStream_t stream)
{
    if (m->s.tiling.is_line)
        rd_fused_step_launch_in<true>(m, stream);
    else
        rd_fused_step_launch_in<false>(m, stream);
}

bool rd_fused_step_can_persist(const struct rd_fused_step *s, int64_t n_species)
{
    const size_t bytes = (size_t)s->layout.all;
    const int each = s->tiling.is_line ? rd_fused_step_capacity_in<true>(bytes, n_species)
                                       : rd_fused_step_capacity_in<false>(bytes, n_species);
    return s->tiling.n_tiles <= (int64_t)rd_blocks_for(each);
}
