/* voxel_queue - the voxels of a block that have work, for lattices in which most voxels are empty:
   each thread gets such a voxel, instead of one of which two thirds have nothing to do. */
#ifndef RD_CUDA_PASSES_VOXEL_QUEUE_CUH
#define RD_CUDA_PASSES_VOXEL_QUEUE_CUH

#include "kernels/core/world.h"

/* Sets the threads and warps of a block, and the voxels that a thread looks at at once. */
enum { RD_QUEUE_THREADS = 128, RD_QUEUE_WARPS = RD_QUEUE_THREADS / 32, RD_LOOKS = 2 };

/* Holds the voxels that wait, in shared memory, and how many each warp has just found. */
struct rd_waiting_voxels {
    uint32_t voxel[(RD_LOOKS + 1) * RD_QUEUE_THREADS];
    int n_found[RD_LOOKS * RD_QUEUE_WARPS];
};

/* Holds the queue, alike in all threads: its voxels that wait, their number, and the next voxels to
   look at. */
struct rd_voxel_queue {
    struct rd_waiting_voxels *waiting;
    int n;
    int64_t next;
};

/* Opens the queue of the block. */
static __device__ __forceinline__ struct rd_voxel_queue
rd_open_voxel_queue(struct rd_waiting_voxels *waiting)
{
    struct rd_voxel_queue q;
    q.waiting = waiting;
    q.n = 0;
    q.next = (int64_t)blockIdx.x * RD_QUEUE_THREADS * RD_LOOKS;
    return q;
}

/* Appends voxels with work until there is one for each thread, or none are left. */
template <bool (*has_work)(const struct rd_world *w, int64_t voxel)>
static __device__ __forceinline__ void
rd_fill_voxel_queue(struct rd_voxel_queue *q, const struct rd_world &w, int64_t n_voxels)
{
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    while (q->n < RD_QUEUE_THREADS && q->next < n_voxels) {
        const int64_t first = q->next + threadIdx.x;
        unsigned with[RD_LOOKS];
#pragma unroll
        for (int i = 0; i < RD_LOOKS; i++) {
            const int64_t voxel = first + i * RD_QUEUE_THREADS;
            with[i] = __ballot_sync(~0u, voxel < n_voxels && has_work(&w, voxel));
            if (lane == 0)
                q->waiting->n_found[i * RD_QUEUE_WARPS + warp] = __popc(with[i]);
        }
        __syncthreads();
#pragma unroll
        for (int i = 0; i < RD_LOOKS * RD_QUEUE_WARPS; i++) {
            const unsigned own = with[i / RD_QUEUE_WARPS];
            if (i % RD_QUEUE_WARPS == warp && (own >> lane & 1) != 0)
                q->waiting->voxel[q->n + __popc(own & ((1u << lane) - 1))] =
                    (uint32_t)(first + i / RD_QUEUE_WARPS * RD_QUEUE_THREADS);
            q->n += q->waiting->n_found[i];
        }
        q->next += (int64_t)gridDim.x * RD_QUEUE_THREADS * RD_LOOKS;
        __syncthreads();
    }
}

/* Takes the next voxel for each thread of the block: -1 if there is none for this thread. Returns
   false if none are left. */
template <bool (*has_work)(const struct rd_world *w, int64_t voxel)>
static __device__ __forceinline__ bool
rd_take_voxels(struct rd_voxel_queue *q, const struct rd_world &w, int64_t n_voxels, int64_t *voxel)
{
    __syncthreads();
    rd_fill_voxel_queue<has_work>(q, w, n_voxels);
    const int n_taken = q->n < RD_QUEUE_THREADS ? q->n : RD_QUEUE_THREADS;
    q->n -= n_taken;
    *voxel = (int)threadIdx.x < n_taken ? (int64_t)q->waiting->voxel[q->n + threadIdx.x] : -1;
    return n_taken > 0;
}

#endif
