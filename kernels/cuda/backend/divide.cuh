/* divide - division by a known divisor; its own file because several passes use it.

   It is for 32-bit integers and takes a few instructions. */
#ifndef RD_CUDA_BACKEND_DIVIDE_CUH
#define RD_CUDA_BACKEND_DIVIDE_CUH

#include <cuda_runtime.h>
#include <stdint.h>

/* Holds a divisor and its inverse. For any 32-bit n and d, n / d is the high half of n * (2^32 / d,
   rounded down), or that plus 1. */
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

/* Holds the divisors that convert a voxel number into run, site and coordinates. */
struct rd_divided {
    struct rd_divisor nx, ny, sites;
    uint32_t stride[3]; /* between neighbours along each axis */
};

static inline struct rd_divided rd_divided_of(const int32_t size[3], int64_t n_sites)
{
    struct rd_divided by;
    by.nx = rd_divisor_of(size[0]);
    by.ny = rd_divisor_of(size[1]);
    by.sites = rd_divisor_of(n_sites);
    by.stride[0] = 1;
    by.stride[1] = by.nx.d;
    by.stride[2] = by.nx.d * by.ny.d;
    return by;
}

/* Returns the coordinates of the site in its run. */
static __device__ __forceinline__ int3 rd_place_near(uint32_t site, const struct rd_divided &by)
{
    const uint32_t row = rd_quotient(site, by.nx), plane = rd_quotient(row, by.ny);
    return make_int3((int)(site - row * by.nx.d), (int)(row - plane * by.ny.d), (int)plane);
}

#endif
