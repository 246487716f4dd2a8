/* block_claim - the threads of a block claim memory together, so that few threads add to the
   counters that all share: such additions take a nanosecond each, one after the other. */
#ifndef RD_CUDA_PASSES_BLOCK_CLAIM_CUH
#define RD_CUDA_PASSES_BLOCK_CLAIM_CUH

#include "kernels/core/world.h"

/* Sets the threads of a block that claims. */
enum { RD_CLAIM_THREADS = 128, RD_CLAIM_WARPS = RD_CLAIM_THREADS / 32 };

/* Holds the claims of the warps, and the first place of the block, or -1; of this turn and the last
   one. */
struct rd_block_claims {
    int32_t sum[2][RD_CLAIM_WARPS];
    int64_t first[2];
};

/* Returns the sum of n over the lanes of the warp up to this one. */
static __device__ __forceinline__ int32_t rd_sum_up_to_lane(int32_t n)
{
    const int lane = threadIdx.x % 32;
#pragma unroll
    for (int distance = 1; distance < 32; distance *= 2) {
        const int32_t below = __shfl_up_sync(~0u, n, distance);
        n += lane >= distance ? below : 0;
    }
    return n;
}

/* Sets the sums of n over the warps of the block. Returns the sum over the lanes of the warp up to
   this one. All threads call it. */
static __device__ __forceinline__ int32_t rd_sum_in_warps(int32_t sum[RD_CLAIM_WARPS], int32_t n)
{
    const int32_t up_to = rd_sum_up_to_lane(n);
    if (threadIdx.x % 32 == 31)
        sum[threadIdx.x / 32] = up_to;
    __syncthreads();
    return up_to;
}

static __device__ __forceinline__ int32_t rd_sum_of_warps(const int32_t sum[RD_CLAIM_WARPS])
{
    int32_t all = 0;
#pragma unroll
    for (int i = 0; i < RD_CLAIM_WARPS; i++)
        all += sum[i];
    return all;
}

/* Claims n places for the thread. Returns the first of them, or -1 if `claim` does. All threads of
   the block call it, in turns that are counted. */
template <int64_t (*claim)(const struct rd_world &w, int32_t n)>
static __device__ __forceinline__ int64_t rd_claim_in_block(const struct rd_world &w,
                                                            struct rd_block_claims *c, int turn,
                                                            int32_t n)
{
    int32_t *const sum = c->sum[turn % 2];
    const int32_t up_to = rd_sum_in_warps(sum, n), warp = threadIdx.x / 32;
    if (threadIdx.x == 0) {
        const int32_t all = rd_sum_of_warps(sum);
        c->first[turn % 2] = all > 0 ? claim(w, all) : 0;
    }
    __syncthreads();
    int64_t at = c->first[turn % 2];
    if (at < 0)
        return -1;
    for (int i = 0; i < warp; i++)
        at += sum[i];
    return at + up_to - n;
}

/* Returns whether this is the first thread of the last block to end. It sees what all blocks wrote
   by atomics. All threads of the grid call it, at their end. */
static __device__ __forceinline__ bool rd_is_last_to_end(int64_t *n_ended)
{
    __syncthreads();
    if (threadIdx.x > 0)
        return false;
    __threadfence();
    if (rd_add_i64(n_ended, 1) + 1 < gridDim.x)
        return false;
    *n_ended = 0;
    return true;
}

/* Adds the sum of n over the threads of the block. All threads call it, after a barrier. */
static __device__ __forceinline__ void rd_add_in_block(struct rd_block_claims *c, int64_t *to,
                                                       int32_t n)
{
    rd_sum_in_warps(c->sum[0], n);
    if (threadIdx.x > 0)
        return;
    const int32_t all = rd_sum_of_warps(c->sum[0]);
    if (all > 0)
        rd_add_i64(to, all);
}

#endif
