/* voxel_queue - the voxels of a block that have work, for lattices in which most voxels are empty:
   each thread gets such a voxel, instead of one of which two thirds have nothing to do. */
#ifndef RD_CUDA_PASSES_VOXEL_QUEUE_CUH
#define RD_CUDA_PASSES_VOXEL_QUEUE_CUH

#include "kernels/core/world.h"

/* Sets the threads of a block. */
enum { RD_QUEUE_THREADS = 128 };

/* Holds voxels that wait, and the next ones of the block to look at, in shared memory. */
struct rd_voxel_queue {
    uint32_t voxel[2 * RD_QUEUE_THREADS];
    int n;
    int64_t next;
};

/* Begins the queue. */
static __device__ __forceinline__ void rd_open_voxel_queue(struct rd_voxel_queue *q)
{
    if (threadIdx.x == 0) {
        q->n = 0;
        q->next = (int64_t)blockIdx.x * RD_QUEUE_THREADS;
    }
    __syncthreads();
}

/* Appends voxels with work until there is one for each thread, or none are left. */
template <bool (*has_work)(const struct rd_world *w, int64_t voxel)>
static __device__ __forceinline__ void
rd_fill_voxel_queue(struct rd_voxel_queue *q, const struct rd_world &w, int64_t n_voxels)
{
    while (q->n < RD_QUEUE_THREADS && q->next < n_voxels) {
        const int64_t voxel = q->next + threadIdx.x;
        const bool has = voxel < n_voxels && has_work(&w, voxel);
        __syncthreads();
        if (has)
            q->voxel[atomicAdd(&q->n, 1)] = (uint32_t)voxel;
        if (threadIdx.x == 0)
            q->next += (int64_t)gridDim.x * RD_QUEUE_THREADS;
        __syncthreads();
    }
}

/* Takes the next voxel for each thread of the block: -1 if there is none for this thread. Returns
   false if none are left. */
template <bool (*has_work)(const struct rd_world *w, int64_t voxel)>
static __device__ __forceinline__ bool
rd_take_voxels(struct rd_voxel_queue *q, const struct rd_world &w, int64_t n_voxels, int64_t *voxel)
{
    rd_fill_voxel_queue<has_work>(q, w, n_voxels);
    const int n = q->n, n_taken = n < RD_QUEUE_THREADS ? n : RD_QUEUE_THREADS;
    *voxel = (int)threadIdx.x < n_taken ? (int64_t)q->voxel[n - n_taken + threadIdx.x] : -1;
    __syncthreads();
    if (threadIdx.x == 0)
        q->n = n - n_taken;
    __syncthreads();
    return n > 0;
}

#endif
