/* line_tiles - fused kernels over lines; separate because the assembler takes long for them.

   Lines are portions of consecutive voxels. box_tiles.cu is compiled in parallel. */
#include "kernels/cuda/fused_step/kernels.cuh"

template void rd_fused_step_launch_in<true>(const struct rd_persistent_kernel *m,
                                            cudaStream_t stream);
template int rd_fused_step_capacity_in<true>(size_t bytes, int64_t n_species);
