/* link_arrivals - the tuned version of link_arrivals for the GPU; separate because it works on
   molecules, not on voxels. A lane sends each molecule that moves by displacements. */
#include "kernels/cuda/backend/tuned_passes.cuh"
#include "kernels/cuda/passes/row_targets.cuh"
#include "kernels/passes/movement/hop_rows.h"

/* Sets the blocks on every multiprocessor, and the threads of a block. */
enum { LINK_BLOCKS_EACH = 8, LINK_THREADS = 128 };

/* Sends a molecule that moves by displacements, or takes it out if a wall does. */
static __device__ __forceinline__ void
send_one(const struct rd_world &w, const struct rd_row_parameters &s, struct rd_outbox_entry *a)
{
    const struct rd_drawn_voxel from = rd_drawn_voxel_of(w.lattice, s.draw, a->voxel, 0);
    const int3 at = rd_place_near(from.site, s.draw.by);
    const uint32_t number = (uint32_t)(-1 - a->count);
    const int64_t to = rd_row_target(w, s, from, at, a->species, number);
    a->voxel = to < 0 ? a->voxel : (uint32_t)to;
    a->count = to >= 0;
}

static __global__ void __launch_bounds__(LINK_THREADS, LINK_BLOCKS_EACH)
    link_arrivals(const __grid_constant__ struct rd_world w,
                  const __grid_constant__ struct rd_row_parameters s)
{
    if (!rd_is_due(&w, RD_LINK_ARRIVALS) || !rd_next_rows_fit(&w))
        return;
    const int64_t n = w.rows.capacity->arrivals, n_threads = (int64_t)gridDim.x * LINK_THREADS;
    for (int64_t i = (int64_t)blockIdx.x * LINK_THREADS + threadIdx.x; i < n; i += n_threads) {
        struct rd_outbox_entry a = w.rows.outbox[i];
        if (a.count < 0) {
            send_one(w, s, &a);
            w.rows.outbox[i] = a;
        }
        rd_link_arrivals(&w, i);
    }
}

void rd_link_and_send(const struct rd_world *w, struct rd_deferred, cudaStream_t stream)
{
    link_arrivals<<<rd_blocks_for(LINK_BLOCKS_EACH), LINK_THREADS, 0, stream>>>(
        *w, rd_row_parameters_of(w));
}
