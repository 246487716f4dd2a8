/* warp_claim - the lanes of a warp claim memory together, so that few threads add to the counters
   that all share. */
#ifndef RD_CUDA_PASSES_WARP_CLAIM_CUH
#define RD_CUDA_PASSES_WARP_CLAIM_CUH

#include "kernels/core/world.h"

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

/* Adds the sum of n over the lanes of the warp. All lanes call it. */
static __device__ __forceinline__ void rd_add_in_warp(int64_t *to, int32_t n)
{
    const int32_t sum = rd_sum_up_to_lane(n);
    if (threadIdx.x % 32 == 31 && sum > 0)
        rd_add_i64(to, sum);
}

/* Claims n places for the lane. Returns the first of them, or -1 if `claim` does. All lanes of the
   warp call it. */
template <int64_t (*claim)(const struct rd_world &w, int32_t n)>
static __device__ __forceinline__ int64_t rd_claim_in_warp(const struct rd_world &w, int32_t n)
{
    const int32_t up_to = rd_sum_up_to_lane(n);
    int64_t first = 0;
    if (threadIdx.x % 32 == 31 && up_to > 0)
        first = claim(w, up_to);
    first = __shfl_sync(~0u, first, 31);
    return first < 0 ? -1 : first + up_to - n;
}

#endif
