/* tuned_divide - division of 32-bit numbers by one that is known before, in a few instructions. */
#ifndef RD_TUNED_DIVIDE_CUH
#define RD_TUNED_DIVIDE_CUH

#include <cuda_runtime.h>
#include <stdint.h>

/* n / d is the high half of n * (2^32 / d, rounded down), or one more, for any 32-bit n and d. */
struct rd_divisor {
    uint32_t d, inverse;
};

static inline __host__ __device__ struct rd_divisor rd_divisor_of(int64_t d)
{
    struct rd_divisor by;
    by.d = (uint32_t)d;
    by.inverse = d == 1 ? UINT32_MAX : (uint32_t)((INT64_C(1) << 32) / d);
    return by;
}

static __device__ __forceinline__ uint32_t rd_quotient(uint32_t n, struct rd_divisor by)
{
    const uint32_t q = __umulhi(n, by.inverse);
    return q + (n - q * by.d >= by.d);
}

#endif
