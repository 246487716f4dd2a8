/* deferred_events - events of deferred voxels by the plain bodies, and their effect on the lists of
   individuals. A file with RD_SIMPLE_ONLY compiles the same bodies for simple worlds; these take a
   third of the registers, and no local memory. */
#ifndef RD_CUDA_PASSES_DEFERRED_EVENTS_CUH
#define RD_CUDA_PASSES_DEFERRED_EVENTS_CUH

#include "kernels/cuda/backend/tuned_passes.cuh"
#include "kernels/passes/lists/maintain.h"

/* Limits the blocks that are resident on a multiprocessor: each thread works in local memory, which
   should stay in the cache. */
enum { RD_EVENT_BLOCKS = 2048, RD_EVENTS_EACH = 4 };

static __device__ void rd_add_to(struct rd_portion *sum, int32_t net, int32_t births, int32_t named)
{
    if (net != 0)
        rd_add_i32(&sum->net, net);
    if (births != 0)
        rd_add_i32(&sum->births, births);
    if (named != 0)
        rd_add_i32(&sum->named, named);
}

/* Adds the newborn of a voxel to the number that the lane holds. A number above 2^24 is passed to
   rd_expect directly, so that the sum over a warp fits in 32 bits. */
static __device__ __forceinline__ void rd_hold_newborn(const struct rd_lists *lists, int32_t *held,
                                                       int64_t newborn)
{
    const int32_t most = 1 << 24;
    if (newborn > most) {
        rd_expect(lists, 0, newborn, 0);
        return;
    }
    *held += newborn > 0 ? (int32_t)newborn : 0;
    if (*held > most) {
        rd_expect(lists, 0, *held, 0);
        *held = 0;
    }
}

/* Passes the sums of touched voxels and of newborn over a warp to rd_expect. All lanes of the warp
   call it. */
static __device__ void rd_expect_of_warp(const struct rd_lists *lists, int32_t touched,
                                         int32_t newborn)
{
    __syncwarp();
    touched = __reduce_add_sync(~0u, touched);
    newborn = __reduce_add_sync(~0u, newborn);
    if (threadIdx.x % 32 == 0)
        rd_expect(lists, touched, newborn, 0);
}

/* Adds the changes of a touched voxel to the sums of its portion and run, for each list; with sign
   -1 it subtracts them. */
static __device__ void rd_sum_voxel(const struct rd_world *w, int64_t voxel, int32_t sign)
{
    for (int64_t i = 0; i < w->lists.n_list; i++) {
        const struct rd_list *const l = &w->lists.list[i];
        const struct rd_portion sum = rd_voxel_sum(w, l, voxel);
        rd_add_to(&w->lists.portion[l->portions + voxel / l->portion], sign * sum.net,
                  sign * sum.births, sign * sum.named);
        if (w->lists.n_of_run > 0)
            rd_add_to(&w->lists.of_run[i * w->lattice.n_runs + voxel / w->lattice.n_sites],
                      sign * sum.net, sign * sum.births, sign * sum.named);
    }
}

/* Reserves consecutive places in newborn[] for the voxels of a warp. All lanes of the warp call
   it. */
static __device__ void rd_make_capacity(const struct rd_world *w, int64_t voxel, bool is_one)
{
    const int lane = (int)threadIdx.x % 32;
    int32_t own = 0;
    for (int64_t i = 0; is_one && i < w->lists.n_list; i++)
        own += w->lists.births[w->lists.list[i].voxels + voxel];
    int32_t sum = own;
    for (int d = 1; d < 32; d *= 2) {
        const int32_t other = __shfl_up_sync(~0u, sum, d);
        sum += lane >= d ? other : 0;
    }
    int32_t from = 0;
    if (lane == 31 && sum > 0)
        from = (int32_t)rd_add_i64(&w->lists.need->n_newborn, sum);
    from = __shfl_sync(~0u, from, 31) + sum - own;
    for (int64_t i = 0; is_one && i < w->lists.n_list; i++) {
        rd_maintain_capacity(w, &w->lists.list[i], voxel, from);
        from += w->lists.births[w->lists.list[i].voxels + voxel];
    }
}

/* Applies the events of the touched voxels and adds up their effects. */
static __global__ void __launch_bounds__(RD_DEFERRED_THREADS, RD_EVENTS_EACH)
    rd_maintain_deferred(const __grid_constant__ struct rd_world w, struct rd_deferred deferred)
{
    if (rd_is_halted(&w))
        return;
    const uint32_t n = *deferred.n, stride = gridDim.x * blockDim.x;
    for (uint32_t begin = blockIdx.x * blockDim.x; begin < n; begin += stride) {
        const bool is_one = begin + threadIdx.x < n;
        const int64_t voxel = is_one ? deferred.voxel[begin + threadIdx.x] : 0;
        rd_make_capacity(&w, voxel, is_one);
        for (int64_t i = 0; is_one && i < w.lists.n_list; i++)
            rd_maintain_open(&w, &w.lists.list[i], voxel);
        if (is_one) {
            rd_maintain_events(&w, voxel);
            rd_sum_voxel(&w, voxel, 1);
        }
        __syncwarp();
    }
}

#endif
