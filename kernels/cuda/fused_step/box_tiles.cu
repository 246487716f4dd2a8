/* box_tiles - the kernels that sweep over tiles that are boxes. They are a file of their own
   because the assembler takes long for them; tuned_lines.cu is compiled at the same time. */
#include "kernels/cuda/fused_step/kernels.cuh"

template void rd_fused_step_launch_in<false>(const struct rd_persistent_kernel *m,
                                             cudaStream_t stream);
template int rd_fused_step_capacity_in<false>(size_t bytes, int64_t n_species);
