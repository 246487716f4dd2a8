/* react_rows - the tuned version of react_row for the GPU; separate because the registers of a
   kernel depend on its file. A lean kernel finds the voxels in which reactions happen, and the
   plain body applies their events. */
#include "kernels/cuda/backend/tuned_passes.cuh"
#include "kernels/cuda/passes/voxel_queue.cuh"
#include "kernels/passes/reactions/react_rows.h"

/* Sets the blocks on every multiprocessor. */
enum { FINDER_BLOCKS_EACH = 8 };

static __device__ __forceinline__ bool has_row_events(const struct rd_world *w, int64_t voxel)
{
    return !rd_has_no_row_events(w, voxel);
}

static __global__ void __launch_bounds__(RD_QUEUE_THREADS)
    find_row_events(const __grid_constant__ struct rd_world w, struct rd_deferred deferred)
{
    __shared__ struct rd_voxel_queue queue;
    int64_t voxel;
    if (!rd_is_due(&w, RD_REACT_ROWS))
        return;
    rd_open_voxel_queue(&queue);
    while (rd_take_voxels<has_row_events>(&queue, w, w.items.n_reacting, &voxel))
        if (voxel >= 0 && rd_may_row_react(&w, voxel))
            deferred.voxel[atomicAdd(deferred.n, 1u)] = (uint32_t)voxel;
}

void rd_react_rows_queues(const struct rd_world *w, struct rd_deferred deferred,
                          cudaStream_t stream)
{
    find_row_events<<<rd_blocks_for(FINDER_BLOCKS_EACH), RD_QUEUE_THREADS, 0, stream>>>(*w,
                                                                                        deferred);
    rd_do_deferred<rd_do_row_events>
        <<<RD_DEFERRED_BLOCKS, RD_DEFERRED_THREADS, 0, stream>>>(*w, deferred);
}
