/* box_tiles - fused kernels over boxes; separate because the assembler is slow.

   line_tiles.cu is compiled in parallel. */
#include "kernels/cuda/fused_step/kernels.cuh"

template void rd_fused_step_launch_in<false>(const struct rd_persistent_kernel *m,
                                             cudaStream_t stream);
template int rd_fused_step_capacity_in<false>(size_t bytes, int64_t n_species);
