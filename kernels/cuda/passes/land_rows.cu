/* land_rows - the tuned version of land_row for the GPU. Empty rows are made at once, and the lanes
   of a warp share the others. */
#include "kernels/cuda/backend/tuned_passes.cuh"
#include "kernels/cuda/passes/voxel_queue.cuh"
#include "kernels/cuda/passes/warp_claim.cuh"
#include "kernels/passes/movement/hop_rows.h"

/* Sets the blocks on every multiprocessor. */
enum { LAND_BLOCKS_EACH = 12 };

/* Returns whether the next row of the voxel may have entries, or else makes it. Species with
   columns may arrive everywhere. */
static __device__ __forceinline__ bool has_next_row(const struct rd_world *w, int64_t voxel)
{
    const struct rd_row row = w->rows.row[voxel];
    if (w->rows.n_columned > 0 || row.n > 0 || w->rows.n_arrived[voxel] > 0)
        return true;
    if (row.capacity > 0)
        w->rows.row[voxel] = {0, 0, 0};
    return false;
}

/* Claims n entries of the next rows. Returns the first of them. */
static __device__ __forceinline__ int64_t claim_entries(const struct rd_world &w, int32_t n)
{
    return rd_add_i64(&w.rows.capacity->next, n);
}

static __global__ void __launch_bounds__(RD_QUEUE_THREADS, LAND_BLOCKS_EACH)
    land_rows(const __grid_constant__ struct rd_world w)
{
    __shared__ struct rd_voxel_queues queues;
    int64_t voxel;
    if (!rd_is_due(&w, RD_LAND_ROWS) || !rd_next_rows_fit(&w))
        return;
    struct rd_voxel_queue queue = rd_voxel_queue_of(&queues);
    while (rd_take_voxels<has_next_row>(&queue, w, w.rows.n_row, &voxel)) {
        const int32_t n_staying = voxel < 0 ? 0 : rd_n_staying(&w, voxel);
        const int32_t n_arrived = voxel < 0 ? 0 : w.rows.n_arrived[voxel];
        const int64_t begin = rd_claim_in_warp<claim_entries>(w, n_staying + n_arrived);
        if (voxel < 0)
            continue;
        rd_merge_row(&w, voxel, n_staying, (int32_t)begin);
        rd_land(&w, voxel);
    }
}

void rd_land_rows_queues(const struct rd_world *w, struct rd_deferred, cudaStream_t stream)
{
    land_rows<<<rd_blocks_for(LAND_BLOCKS_EACH), RD_QUEUE_THREADS, 0, stream>>>(*w);
}
