/* sum_portion - sums of counts by blocks on the GPU; a header, since two kernels have them: one
   leaves the sums on the device, one hands them to the host. */
#ifndef RD_CUDA_BACKEND_SUM_PORTION_CUH
#define RD_CUDA_BACKEND_SUM_PORTION_CUH

#include "kernels/core/portable.h"

#include <cub/block/block_reduce.cuh>

/* Sets the threads of a block, and the counts that it adds up. */
enum { RD_SUM_THREADS = 256, RD_SUM_PORTION = 4096 };

/* Returns the number of portions of a sum of so many counts. */
static inline int64_t rd_sum_portions(int64_t length)
{
    return (length + RD_SUM_PORTION - 1) / RD_SUM_PORTION;
}

/* Adds the block's portion to its sum of `length` counts: to[i] is that of from[i * length ...].
   Integer additions give the same result in any order. Thread 0 adds it. */
static __device__ __forceinline__ void rd_sum_portion(int64_t *to, const int32_t *from,
                                                      int64_t length, int64_t portions)
{
    typedef cub::BlockReduce<long long, RD_SUM_THREADS> reduce;
    __shared__ typename reduce::TempStorage storage;
    const int64_t which = blockIdx.x / portions, begin = blockIdx.x % portions * RD_SUM_PORTION;
    const int64_t left = length - begin, size = left < RD_SUM_PORTION ? left : RD_SUM_PORTION;
    const int32_t *const here = from + which * length + begin;
    long long sum = 0;
#pragma unroll 8
    for (int64_t i = threadIdx.x; i < size; i += RD_SUM_THREADS)
        sum += here[i];
    sum = reduce(storage).Sum(sum);
    if (threadIdx.x == 0)
        rd_add_i64(&to[which], sum);
}

#endif
