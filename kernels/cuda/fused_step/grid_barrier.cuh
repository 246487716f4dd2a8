/* grid_barrier - what the blocks of a persistent kernel share: a barrier of all blocks, and copies
   of kernel arguments in shared memory. */
#ifndef RD_CUDA_FUSED_STEP_GRID_BARRIER_CUH
#define RD_CUDA_FUSED_STEP_GRID_BARRIER_CUH

#include <cuda/atomic>
#include <stdint.h>

/* Copies a struct. All threads of the block call it. */
template <typename T>
static __device__ __forceinline__ void rd_copy_by_block(T *to, const T &from, unsigned n_threads)
{
    static_assert(sizeof from % sizeof(uint64_t) == 0, "copied in pieces");
    for (size_t i = threadIdx.x; i < sizeof from / sizeof(uint64_t); i += n_threads)
        ((uint64_t *)to)[i] = ((const uint64_t *)&from)[i];
}

/* Counts the block as arrived, and publishes its writes to all blocks that wait for it. Returns how
   many arrived before. One thread of the block calls it, after a barrier. */
static __device__ __forceinline__ uint32_t rd_count_block(uint32_t *n_arrived)
{
    return cuda::atomic_ref<uint32_t, cuda::thread_scope_device>(*n_arrived)
        .fetch_add(1, cuda::memory_order_release);
}

/* Waits until `all` arrivals are counted. One thread of the block calls it, before a barrier. */
static __device__ __forceinline__ void rd_wait_for_blocks(uint32_t *n_arrived, uint32_t all)
{
    const cuda::atomic_ref<uint32_t, cuda::thread_scope_device> n(*n_arrived);
    while (n.load(cuda::memory_order_acquire) < all)
        ;
}

#endif
