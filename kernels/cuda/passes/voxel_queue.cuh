/* voxel_queue - the voxels of a warp that have work, for lattices in which most voxels are empty:
   each lane gets such a voxel, instead of one of which two thirds have nothing to do. No warp waits
   for another one. */
#ifndef RD_CUDA_PASSES_VOXEL_QUEUE_CUH
#define RD_CUDA_PASSES_VOXEL_QUEUE_CUH

#include "kernels/core/world.h"

/* Sets the threads of a block, the lanes of a warp, and the voxels that a lane looks at at once. */
enum { RD_QUEUE_THREADS = 128, RD_LANES = 32, RD_LOOKS = 2 };

/* Holds the voxels that wait in each warp, in shared memory. */
struct rd_voxel_queues {
    uint32_t voxel[RD_QUEUE_THREADS / RD_LANES][(RD_LOOKS + 1) * RD_LANES];
};

/* Holds the queue of a warp: its voxels that wait, their number, and the next voxels to look at. */
struct rd_voxel_queue {
    uint32_t *voxel;
    int n;
    int64_t next;
};

/* Opens the queue of the thread's warp. */
static __device__ __forceinline__ struct rd_voxel_queue
rd_voxel_queue_of(struct rd_voxel_queues *all)
{
    const int warp = threadIdx.x / RD_LANES;
    const int64_t number = (int64_t)blockIdx.x * (RD_QUEUE_THREADS / RD_LANES) + warp;
    struct rd_voxel_queue q;
    q.voxel = all->voxel[warp];
    q.n = 0;
    q.next = number * RD_LOOKS * RD_LANES;
    return q;
}

/* Appends the voxel of each lane that has work. */
static __device__ __forceinline__ void rd_append_voxels(struct rd_voxel_queue *q, int64_t voxel,
                                                        bool has)
{
    const unsigned with = __ballot_sync(~0u, has);
    if (has)
        q->voxel[q->n + __popc(with & ((1u << threadIdx.x % RD_LANES) - 1))] = (uint32_t)voxel;
    q->n += __popc(with);
}

/* Appends voxels with work until there is one for each lane, or none are left. */
template <bool (*has_work)(const struct rd_world *w, int64_t voxel)>
static __device__ __forceinline__ void
rd_fill_voxel_queue(struct rd_voxel_queue *q, const struct rd_world &w, int64_t n_voxels)
{
    while (q->n < RD_LANES && q->next < n_voxels) {
        const int64_t first = q->next + threadIdx.x % RD_LANES;
        bool has[RD_LOOKS];
#pragma unroll
        for (int i = 0; i < RD_LOOKS; i++)
            has[i] = first + i * RD_LANES < n_voxels && has_work(&w, first + i * RD_LANES);
#pragma unroll
        for (int i = 0; i < RD_LOOKS; i++)
            rd_append_voxels(q, first + i * RD_LANES, has[i]);
        q->next += (int64_t)gridDim.x * RD_QUEUE_THREADS * RD_LOOKS;
    }
}

/* Takes the next voxel for each lane of the warp: -1 if there is none for this lane. Returns false
   if none are left. */
template <bool (*has_work)(const struct rd_world *w, int64_t voxel)>
static __device__ __forceinline__ bool
rd_take_voxels(struct rd_voxel_queue *q, const struct rd_world &w, int64_t n_voxels, int64_t *voxel)
{
    const int lane = threadIdx.x % RD_LANES;
    __syncwarp();
    rd_fill_voxel_queue<has_work>(q, w, n_voxels);
    __syncwarp();
    const int n_taken = q->n < RD_LANES ? q->n : RD_LANES;
    q->n -= n_taken;
    *voxel = lane < n_taken ? (int64_t)q->voxel[q->n + lane] : -1;
    return n_taken > 0;
}

#endif
