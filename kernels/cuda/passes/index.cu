/* index - the tuned version of index for the GPU; separate because no other pass searches. Each
   voxel looks for its first entry. The plain body lets one thread write all empty voxels before an
   entry, which are many if a list is short. */
#include "kernels/cuda/backend/tuned_passes.cuh"
#include "kernels/passes/lists/expand.h"

enum { THREADS = 256, BLOCKS = 4096 };

/* Returns the first entry from `begin` on, before `end`, whose key is not below the voxel; or
   `end`. */
static __device__ int64_t find_entry(const uint32_t *key, int64_t begin, int64_t end, int64_t voxel)
{
    while (begin < end) {
        const int64_t middle = begin + (end - begin) / 2;
        if (key[middle] < voxel)
            begin = middle + 1;
        else
            end = middle;
    }
    return begin;
}

static __global__ void __launch_bounds__(THREADS)
    index_voxels(const __grid_constant__ struct rd_world w)
{
    __shared__ int64_t range[2]; /* of the entries of the block's voxels */
    const struct rd_list *const l = &w.lists.now;
    const uint32_t *const key = w.lists.key_next + l->base;
    if (!rd_is_due(&w, RD_INDEX))
        return;
    const int64_t n = w.lists.coming[w.lists.at_list];
    for (int64_t begin = (int64_t)blockIdx.x * THREADS; begin <= w.lattice.n_voxels;
         begin += (int64_t)gridDim.x * THREADS) {
        if (threadIdx.x < 2)
            range[threadIdx.x] = find_entry(key, 0, n, begin + threadIdx.x * THREADS);
        __syncthreads();
        const int64_t voxel = begin + threadIdx.x;
        if (voxel <= w.lattice.n_voxels)
            w.lists.first[l->voxels + voxel] = (int32_t)find_entry(key, range[0], range[1], voxel);
        __syncthreads();
    }
}

void rd_index_by_search(const struct rd_world *w, struct rd_deferred, cudaStream_t stream)
{
    const int64_t n = w->lattice.n_voxels / THREADS + 1;
    if (w->lists.n_list > 0)
        index_voxels<<<(unsigned)(n < BLOCKS ? n : BLOCKS), THREADS, 0, stream>>>(*w);
}
