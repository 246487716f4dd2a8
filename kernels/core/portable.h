/* portable - one source for C and CUDA: detection of the compiler, the function qualifier, and the
   integer atomics by which a pass adds to shared data. */
#ifndef RD_CORE_PORTABLE_H
#define RD_CORE_PORTABLE_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#ifdef __CUDACC__
#define RD_FN static __host__ __device__ inline
/* Qualifies a function that is rarely called. Each place in which a GPU compiler expands it adds
   instructions to fetch, and a large one takes minutes to compile. */
#define RD_SELDOM static __host__ __device__ __noinline__ __attribute__((unused))
#else
#define RD_FN     static inline
#define RD_SELDOM static inline
#endif

/* Qualifies a function that is compiled once for each width of registers, together with all that it
   calls; the version is selected when the program starts. The bytes are the same: each operation
   rounds as in narrow registers. (AVX-512F is not used without its DQ part, since gcc then takes
   three products for one.) */
#if defined(__x86_64__) && defined(__gnu_linux__) && !defined(__CUDACC__) && !defined(__clang__)
#if __GNUC__ >= 12
#define RD_WIDTHS "arch=x86-64-v4", "avx2", "default"
#else
#define RD_WIDTHS "avx2", "default"
#endif
#define RD_WIDE __attribute__((target_clones(RD_WIDTHS), flatten))
#else
#define RD_WIDE
#endif

/* Adds v to *p and returns the previous value. Integer sums do not depend on their order, so that
   threads may add concurrently and the bytes stay the same. */
RD_FN int32_t rd_add_i32(int32_t *p, int32_t v)
{
#ifdef __CUDA_ARCH__
    return atomicAdd(p, v);
#else
    return __atomic_fetch_add(p, v, __ATOMIC_RELAXED);
#endif
}

RD_FN int64_t rd_add_i64(int64_t *p, int64_t v)
{
#ifdef __CUDA_ARCH__
    return (int64_t)atomicAdd((unsigned long long *)p, (unsigned long long)v);
#else
    return __atomic_fetch_add(p, v, __ATOMIC_RELAXED);
#endif
}

/* Returns *p, which other threads may change. */
RD_FN int32_t rd_seen_i32(const int32_t *p)
{
#ifdef __CUDA_ARCH__
    return *(const volatile int32_t *)p;
#else
    return __atomic_load_n(p, __ATOMIC_RELAXED);
#endif
}

/* Sets *p to v, while other threads may add to it. */
RD_FN void rd_set_i32(int32_t *p, int32_t v)
{
#ifdef __CUDA_ARCH__
    atomicExch(p, v);
#else
    __atomic_store_n(p, v, __ATOMIC_RELAXED);
#endif
}

/* Sets *p to v and returns the previous value. */
RD_FN int32_t rd_exchange_i32(int32_t *p, int32_t v)
{
#ifdef __CUDA_ARCH__
    return atomicExch(p, v);
#else
    return __atomic_exchange_n(p, v, __ATOMIC_RELAXED);
#endif
}

/* Sets *p to v if it still equals *seen; otherwise returns false and sets *seen to *p. It may also
   return false without a change. */
RD_FN bool rd_replace_i32(int32_t *p, int32_t *seen, int32_t v)
{
#ifdef __CUDA_ARCH__
    const int32_t expected = *seen;
    *seen = atomicCAS(p, expected, v);
    return *seen == expected;
#else
    return __atomic_compare_exchange_n(p, seen, v, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
#endif
}

/* Holds an unsigned integer of 128 bits in two words. */
struct rd_wide {
    uint64_t low, high;
};

/* Adds v to *sum. Each call uses the low word from before its own addition, so that each overflow
   is carried once: the result does not depend on the order of the calls. */
RD_FN void rd_add_wide(struct rd_wide *sum, struct rd_wide v)
{
    const uint64_t before = (uint64_t)rd_add_i64((int64_t *)&sum->low, (int64_t)v.low);
    const uint64_t high = v.high + (before + v.low < before);
    if (high > 0)
        rd_add_i64((int64_t *)&sum->high, (int64_t)high);
}

/* Returns the nearest double of a number below 2^64, and one within two roundings above. */
RD_FN double rd_wide_value(struct rd_wide v)
{
    return (double)v.high * 18446744073709551616.0 + (double)v.low;
}

/* Returns *p, which other threads may change. */
RD_FN int64_t rd_seen_i64(const int64_t *p)
{
#ifdef __CUDA_ARCH__
    return *(const volatile int64_t *)p;
#else
    return __atomic_load_n(p, __ATOMIC_RELAXED);
#endif
}

/* Sets *p to the larger of *p and v. */
RD_FN void rd_max_i64(int64_t *p, int64_t v)
{
#ifdef __CUDA_ARCH__
    atomicMax((long long *)p, (long long)v);
#else
    int64_t seen = __atomic_load_n(p, __ATOMIC_RELAXED);
    while (v > seen &&
           !__atomic_compare_exchange_n(p, &seen, v, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
#endif
}

/* Sets *p to the smaller of *p and v. */
RD_FN void rd_min_i64(int64_t *p, int64_t v)
{
#ifdef __CUDA_ARCH__
    atomicMin((long long *)p, (long long)v);
#else
    int64_t seen = __atomic_load_n(p, __ATOMIC_RELAXED);
    while (v < seen &&
           !__atomic_compare_exchange_n(p, &seen, v, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
#endif
}

#endif
