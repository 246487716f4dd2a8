/* react_rows - the tuned version of react_row for the GPU; separate because it needs few registers.
   A lean kernel finds the voxels in which reactions may happen, and the plain body simulates
   these. */
#include "kernels/cuda/backend/tuned_passes.cuh"
#include "kernels/cuda/passes/row_events.cuh"
#include "kernels/cuda/passes/voxel_queue.cuh"

/* Sets the blocks on every multiprocessor. */
enum { FIND_BLOCKS_EACH = 12, EVENT_BLOCKS_EACH = 8 };

static __device__ __forceinline__ bool has_row_events(const struct rd_world *w, int64_t voxel)
{
    return !rd_has_no_row_events(w, voxel);
}

static __global__ void __launch_bounds__(RD_QUEUE_THREADS, FIND_BLOCKS_EACH)
    find_row_events(const __grid_constant__ struct rd_world w,
                    const __grid_constant__ struct rd_row_wait wait, struct rd_deferred deferred)
{
    __shared__ struct rd_waiting_voxels waiting;
    int64_t voxel;
    if (!rd_is_due(&w, RD_REACT_ROWS))
        return;
    struct rd_voxel_queue queue = rd_open_voxel_queue(&waiting);
    while (rd_take_voxels<has_row_events>(&queue, w, w.items.n_reacting, &voxel)) {
        if (voxel < 0)
            continue;
        w.rows.marked[voxel] = false;
        rd_leave_quiet_voxel(w, voxel);
        if (rd_may_react(w, wait, rd_present_in(&w, voxel)))
            deferred.voxel[atomicAdd(deferred.n, 1u)] = (uint32_t)voxel;
    }
}

/* Does the pass for the listed voxels. Neighbours in the list go to different warps, since lanes of
   a warp wait for each other's events. */
template <void (*react)(const struct rd_world *w, int64_t voxel)>
static __global__ void __launch_bounds__(RD_DEFERRED_THREADS)
    simulate_rows(const __grid_constant__ struct rd_world w, struct rd_deferred deferred)
{
    const uint32_t n = *deferred.n, n_threads = gridDim.x * blockDim.x, n_warps = n_threads / 32;
    const uint32_t warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    for (uint32_t i = threadIdx.x % 32 * n_warps + warp; i < n; i += n_threads)
        react(&w, deferred.voxel[i]);
}

/* Launches the pass for the listed voxels. */
static void simulate(const struct rd_world *w, struct rd_deferred deferred, cudaStream_t stream)
{
    const auto kernel = w->items.n_maintained > 0 ? simulate_rows<rd_count_reactions>
                                                  : simulate_rows<rd_do_row_events>;
    kernel<<<rd_blocks_for(EVENT_BLOCKS_EACH), RD_DEFERRED_THREADS, 0, stream>>>(*w, deferred);
}

void rd_react_rows_queues(const struct rd_world *w, struct rd_deferred deferred,
                          cudaStream_t stream)
{
    find_row_events<<<rd_blocks_for(FIND_BLOCKS_EACH), RD_QUEUE_THREADS, 0, stream>>>(
        *w, rd_row_wait_of(w), deferred);
    simulate(w, deferred, stream);
}

void rd_react_landed_rows(const struct rd_world *landing, const struct rd_world *w,
                          struct rd_deferred deferred, cudaStream_t stream)
{
    deferred.n = deferred.n_reacting;
    rd_land_and_find(landing, w, deferred, stream);
    simulate(w, deferred, stream);
}
