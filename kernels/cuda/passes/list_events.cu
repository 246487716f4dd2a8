/* list_events - the events of simple worlds on the GPU: mass action only, and individuals without
   attributes, weights and lineage. The plain bodies compile to less code for them. */
#define RD_SIMPLE_ONLY 1
#include "kernels/cuda/passes/deferred_events.cuh"

/* Does the same as rd_react for each voxel, but a warp adds the needs of all its voxels
   together. */
static __global__ void __launch_bounds__(RD_DEFERRED_THREADS)
    react_deferred(const __grid_constant__ struct rd_world w, struct rd_deferred deferred)
{
    const uint32_t n = *deferred.n, stride = gridDim.x * blockDim.x;
    int32_t touched = 0, newborn = 0;
    for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
        if (w.n_maintained == 0) {
            rd_react(&w, deferred.voxel[i]);
            continue;
        }
        struct rd_ssa ssa;
        rd_ssa_open(&ssa, &w, deferred.voxel[i]);
        const int64_t n_newborn = rd_count_events(&ssa);
        touched += n_newborn >= 0;
        rd_hold_newborn(&w, &newborn, n_newborn);
    }
    rd_expect_of_warp(&w, touched, newborn);
}

void rd_simple_react(const struct rd_world *w, struct rd_deferred deferred, cudaStream_t stream)
{
    if (rd_is_small(w))
        rd_small_react(w, deferred, stream);
    else
        react_deferred<<<RD_EVENT_BLOCKS, RD_DEFERRED_THREADS, 0, stream>>>(*w, deferred);
}

void rd_simple_maintain(const struct rd_world *w, struct rd_deferred deferred, cudaStream_t stream)
{
    if (rd_is_small(w))
        rd_small_maintain(w, deferred, stream);
    else
        rd_maintain_deferred<<<RD_EVENT_BLOCKS, RD_DEFERRED_THREADS, 0, stream>>>(*w, deferred);
}
