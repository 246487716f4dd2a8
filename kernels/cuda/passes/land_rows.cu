/* land_rows - the tuned version of land_row for the GPU. Empty rows are made at once, and the lanes
   of a warp share the others. */
#include "kernels/cuda/backend/tuned_passes.cuh"
#include "kernels/cuda/passes/block_claim.cuh"
#include "kernels/cuda/passes/row_events.cuh"
#include "kernels/cuda/passes/voxel_queue.cuh"
#include "kernels/passes/movement/hop_rows.h"

/* Sets the blocks on every multiprocessor. */
enum { LAND_BLOCKS_EACH = 12, FIND_BLOCKS_EACH = 10 };

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

/* Makes the next rows of all voxels, for which there is memory. `find` is called for each voxel
   that has species then, with its species. */
template <bool (*has_work)(const struct rd_world *w, int64_t voxel), typename Find>
static __device__ __forceinline__ void land_all(const struct rd_world &w, Find find)
{
    __shared__ struct rd_waiting_voxels waiting;
    __shared__ struct rd_block_claims claims;
    int64_t voxel;
    struct rd_voxel_queue queue = rd_open_voxel_queue(&waiting);
    for (int turn = 0; rd_take_voxels<has_work>(&queue, w, w.rows.n_row, &voxel); turn++) {
        const int32_t n_staying = voxel < 0 ? 0 : rd_n_staying(&w, voxel);
        const int32_t n_arrived = voxel < 0 ? 0 : w.rows.n_arrived[voxel];
        const int64_t begin =
            rd_claim_in_block<claim_entries>(w, &claims, turn, n_staying + n_arrived);
        if (voxel < 0)
            continue;
        const int32_t n = rd_merge_row(&w, voxel, n_staying, (int32_t)begin);
        rd_land(&w, voxel);
        find(rd_present_with(&w, voxel, w.rows.entry_next + begin, n));
    }
}

static __global__ void __launch_bounds__(RD_QUEUE_THREADS, LAND_BLOCKS_EACH)
    land_rows(const __grid_constant__ struct rd_world w)
{
    if (rd_is_due(&w, RD_LAND_ROWS) && rd_next_rows_fit(&w))
        land_all<has_next_row>(w, [](const struct rd_present &) {});
}

void rd_land_rows_queues(const struct rd_world *w, struct rd_deferred, cudaStream_t stream)
{
    land_rows<<<rd_blocks_for(LAND_BLOCKS_EACH), RD_QUEUE_THREADS, 0, stream>>>(*w);
}

/* Returns whether a fault or a pause of this pass or an earlier one lets no later pass run. */
static __device__ __forceinline__ bool has_halted(const struct rd_world &w)
{
    return w.runs.n_first_faulting_pass > 0 &&
           rd_seen_i64(w.runs.first_faulting_pass) <= w.pass.step_clock->pass;
}

/* Returns whether the voxel may have species, or reactions without reactants. */
static __device__ __forceinline__ bool may_have_events(const struct rd_world *w, int64_t voxel)
{
    return has_next_row(w, voxel) || rd_has_source(w, voxel);
}

/* Does the same, and lists the voxels in which reactions may happen. The last block closes the
   movement; no voxel stays listed after a fault or a pause. */
static __global__ void __launch_bounds__(RD_QUEUE_THREADS, FIND_BLOCKS_EACH)
    land_and_find(const __grid_constant__ struct rd_world w,
                  const __grid_constant__ struct rd_row_wait wait, struct rd_deferred deferred)
{
    if (!rd_is_due(&w, RD_LAND_ROWS))
        return;
    if (rd_next_rows_fit(&w))
        land_all<may_have_events>(w, [&](const struct rd_present &present) {
            if (rd_may_react(w, wait, present))
                deferred.voxel[atomicAdd(deferred.n, 1u)] = (uint32_t)present.voxel;
        });
    if (!rd_is_last_to_end(&w.rows.capacity->n_ended))
        return;
    rd_close_rows(&w, 0);
    if (has_halted(w))
        *deferred.n = 0;
}

void rd_land_and_find(const struct rd_world *w, const struct rd_world *reacting,
                      struct rd_deferred deferred, cudaStream_t stream)
{
    land_and_find<<<rd_blocks_for(FIND_BLOCKS_EACH), RD_QUEUE_THREADS, 0, stream>>>(
        *w, rd_row_wait_of(reacting), deferred);
}
