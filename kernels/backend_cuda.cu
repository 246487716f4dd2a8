/* backend_cuda - device memory, launches, sums, scans and sorts on one NVIDIA GPU; alone knows
   CUDA. */
#include "backend.h"
#include "bodies.h"
#include "tuned_cuda.cuh"

#include <cub/block/block_reduce.cuh>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>
#include <cuda_runtime.h>
#include <stdlib.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/transform_output_iterator.h>

enum { THREADS = 128, SUM_THREADS = 256, SUM_PORTION = 16384 };

struct rd_machine {
    int device;
    cudaStream_t stream;
    void *room; /* for CUB to work in */
    size_t room_bytes;
    struct rd_aside aside; /* for twins of passes */
    int64_t most_aside;
    cudaError_t error; /* the first of a pass or scan or sort; told by sync with what it was */
    const char *failed;
    cudaDeviceProp properties;
};

extern "C" int rd_cuda_devices(void)
{
    int n = 0;
    return cudaGetDeviceCount(&n) == cudaSuccess ? n : 0;
}

static bool tell(struct rd_error *e, cudaError_t error, const char *what)
{
    return error == cudaSuccess ||
           rd_fail(e, "the GPU could not %s: %s", what, cudaGetErrorString(error));
}

/* False once something failed; what failed first is kept. */
static bool keep(rd_machine *m, cudaError_t error, const char *what)
{
    if (m->error == cudaSuccess && error != cudaSuccess) {
        m->error = error;
        m->failed = what;
    }
    return m->error == cudaSuccess;
}

static bool cuda_open(rd_machine **m, int threads, int device, struct rd_error *e)
{
    (void)threads;
    const int n = rd_cuda_devices();
    if (n == 0)
        return rd_fail(e, "the back end 'cuda' was asked for, but there is no NVIDIA GPU with a "
                          "working driver here; take --backend cpu");
    if (device < 0 || device >= n)
        return rd_fail(e, "there is no GPU number %d; this machine has %d, counted from 0", device,
                       n);
    *m = (rd_machine *)calloc(1, sizeof **m);
    if (!*m)
        return rd_fail(e, "out of memory for the back end");
    (*m)->device = device;
    return tell(e, cudaSetDevice(device), "be chosen") &&
           tell(e, cudaGetDeviceProperties(&(*m)->properties, device), "say what it is") &&
           tell(e, cudaStreamCreate(&(*m)->stream), "make a stream");
}

static void cuda_close(rd_machine *m)
{
    cudaFree(m->room);
    cudaFree(m->aside.cell);
    cudaFree(m->aside.n);
    if (m->stream)
        cudaStreamDestroy(m->stream);
    free(m);
}

static const char *cuda_device(const rd_machine *m)
{
    return m->properties.name;
}

static int cuda_threads(const rd_machine *m)
{
    (void)m;
    return 1;
}

static int64_t cuda_memory(const rd_machine *m)
{
    (void)m;
    size_t free_bytes = 0, all = 0;
    return cudaMemGetInfo(&free_bytes, &all) == cudaSuccess ? (int64_t)free_bytes : -1;
}

static bool cuda_zero(rd_machine *m, void *p, size_t bytes, struct rd_error *e)
{
    return tell(e, cudaMemsetAsync(p, 0, bytes, m->stream), "clear memory");
}

static void *cuda_alloc(rd_machine *m, size_t bytes, struct rd_error *e)
{
    void *p = NULL;
    const cudaError_t error = cudaMalloc(&p, bytes > 0 ? bytes : 1);
    if (error != cudaSuccess) {
        cudaGetLastError();
        rd_fail(e, "the GPU has no %.3g GB more: %s", (double)bytes / 1e9,
                cudaGetErrorString(error));
        return NULL;
    }
    if (cuda_zero(m, p, bytes, e))
        return p;
    cudaFree(p);
    return NULL;
}

static void cuda_free(rd_machine *m, void *p)
{
    (void)m;
    cudaFree(p);
}

static bool cuda_put(rd_machine *m, void *to, const void *from, size_t bytes, struct rd_error *e)
{
    return tell(e, cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, m->stream),
                "take data") &&
           tell(e, cudaStreamSynchronize(m->stream), "take data");
}

static bool cuda_get(rd_machine *m, void *to, const void *from, size_t bytes, struct rd_error *e)
{
    return tell(e, cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, m->stream),
                "give data") &&
           tell(e, cudaStreamSynchronize(m->stream), "give data");
}

#define CUDA_SHELL(NUMBER, function, items, most)                                                  \
    static __global__ void shell_##function(const __grid_constant__ struct rd_world world)         \
    {                                                                                              \
        const struct rd_world *const w = &world;                                                   \
        const int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x;                             \
        if (!rd_is_halted(w) && i < (items))                                                       \
            function(w, i);                                                                        \
    }
RD_PASSES(CUDA_SHELL)

#define CUDA_LAUNCH(NUMBER, function, items, most)                                                 \
    case RD_##NUMBER:                                                                              \
        blocks = ((most) + THREADS - 1) / THREADS;                                                 \
        if (blocks > 0)                                                                            \
            shell_##function<<<(unsigned)blocks, THREADS, 0, m->stream>>>(*w);                     \
        break;

static void run_plain(rd_machine *m, const struct rd_world *w, enum rd_pass pass)
{
    int64_t blocks;
    switch (pass) {
        RD_PASSES(CUDA_LAUNCH)
    case RD_N_PASSES:
        break;
    }
}

/* Room for all cells that twins may set aside, none of which are yet. */
static bool clear_aside(rd_machine *m, int64_t n_cells)
{
    if (n_cells > m->most_aside) {
        cudaFree(m->aside.cell);
        m->aside.cell = NULL;
        m->most_aside = 0;
        if (!m->aside.n && !keep(m, cudaMalloc(&m->aside.n, sizeof *m->aside.n), "make room"))
            return false;
        if (!keep(m, cudaMalloc(&m->aside.cell, (size_t)n_cells * sizeof *m->aside.cell),
                  "make room for cells set aside"))
            return false;
        m->most_aside = n_cells;
    }
    return keep(m, cudaMemsetAsync(m->aside.n, 0, sizeof *m->aside.n, m->stream), "clear memory");
}

/* By its twin, if one was written. */
static bool run_tuned(rd_machine *m, const struct rd_world *w, enum rd_pass pass)
{
    switch (pass) {
#define CUDA_TUNED(NUMBER, function)                                                               \
    case RD_##NUMBER:                                                                              \
        if (w->n_cells > UINT32_MAX)                                                               \
            return false;                                                                          \
        if (clear_aside(m, w->n_cells))                                                            \
            function(w, m->aside, m->stream);                                                      \
        return true;
        RD_CUDA_TUNED(CUDA_TUNED)
    default:
        return false;
    }
}

static void cuda_run(rd_machine *m, const struct rd_world *w, enum rd_pass pass)
{
    if (!run_tuned(m, w, pass))
        run_plain(m, w, pass);
    keep(m, cudaGetLastError(), "run a pass");
}

/* A portion of one sum by each block; integer additions, so that their order does not matter. */
static __global__ void sum_portion(int64_t *to, const int32_t *from, int64_t length,
                                   int64_t portions)
{
    typedef cub::BlockReduce<long long, SUM_THREADS> reduce;
    __shared__ typename reduce::TempStorage room;
    const int64_t which = blockIdx.x / portions;
    const int64_t begin = blockIdx.x % portions * SUM_PORTION;
    const int64_t end = begin + SUM_PORTION < length ? begin + SUM_PORTION : length;
    long long sum = 0;
    for (int64_t i = begin + threadIdx.x; i < end; i += SUM_THREADS)
        sum += from[which * length + i];
    sum = reduce(room).Sum(sum);
    if (threadIdx.x == 0)
        rd_add_i64(&to[which], sum);
}

static bool cuda_sum(rd_machine *m, int64_t *to, const int32_t *from, int64_t n, int64_t length,
                     struct rd_error *e)
{
    const size_t bytes = (size_t)n * sizeof *to;
    int64_t *const sums = (int64_t *)cuda_alloc(m, bytes, e);
    if (!sums)
        return false;
    const int64_t portions = (length + SUM_PORTION - 1) / SUM_PORTION;
    sum_portion<<<(unsigned)(n * portions), SUM_THREADS, 0, m->stream>>>(sums, from, length,
                                                                         portions);
    const bool ok = tell(e, cudaGetLastError(), "sum counts") && cuda_get(m, to, sums, bytes, e);
    cudaFree(sums);
    return ok;
}

/* A number in the GPU's memory, 0 after a failure; or most, if there is none. */
static int64_t fetched(rd_machine *m, const int64_t *n, int64_t most)
{
    if (!n)
        return most;
    int64_t number = 0;
    const bool ok =
        keep(m, cudaMemcpyAsync(&number, n, sizeof number, cudaMemcpyDeviceToHost, m->stream),
             "give a number") &&
        keep(m, cudaStreamSynchronize(m->stream), "give a number");
    return ok ? number : 0;
}

/* A half more than is needed, so that growing numbers seldom ask again. */
static bool has_room(rd_machine *m, size_t bytes)
{
    if (bytes <= m->room_bytes)
        return true;
    cudaFree(m->room);
    m->room = NULL;
    m->room_bytes = 0;
    if (!keep(m, cudaMalloc(&m->room, bytes + bytes / 2), "make room for scans and sorts"))
        return false;
    m->room_bytes = bytes + bytes / 2;
    return true;
}

/* A function of CUB asks for room when it is called without. */
template <class Call> static bool with_room(rd_machine *m, const char *what, const Call &call)
{
    size_t bytes = 0;
    return keep(m, call(NULL, bytes), what) && has_room(m, bytes) &&
           keep(m, call(m->room, bytes), what);
}

static void cuda_scan(rd_machine *m, int32_t *x, const int64_t *n, int64_t most, bool with_itself)
{
    const int64_t number = fetched(m, n, most);
    if (number == 0)
        return;
    uint32_t *const sum = (uint32_t *)x;
    with_room(m, "scan", [=](void *room, size_t &bytes) {
        return with_itself
                   ? cub::DeviceScan::InclusiveSum(room, bytes, sum, sum, number, m->stream)
                   : cub::DeviceScan::ExclusiveSum(room, bytes, sum, sum, number, m->stream);
    });
}

/* The sum of neighbours, as far back as the last that starts anew. */
struct segment {
    uint32_t sum;
    bool starts;
};

struct segment_of {
    const int32_t *from;
    const uint8_t *flag;
    __host__ __device__ segment operator()(int64_t i) const
    {
        return {(uint32_t)from[i], flag[i] != 0};
    }
};

struct segment_join {
    __host__ __device__ segment operator()(const segment &a, const segment &b) const
    {
        return b.starts ? b : segment{a.sum + b.sum, a.starts};
    }
};

struct segment_sum {
    __host__ __device__ int32_t operator()(const segment &s) const
    {
        return (int32_t)s.sum;
    }
};

static void cuda_scan_segments(rd_machine *m, int32_t *to, const int32_t *from, const uint8_t *flag,
                               const int64_t *n, int64_t most)
{
    const int64_t number = fetched(m, n, most);
    if (number == 0)
        return;
    const auto in = thrust::make_transform_iterator(thrust::counting_iterator<int64_t>(0),
                                                    segment_of{from, flag});
    const auto out = thrust::make_transform_output_iterator(to, segment_sum());
    with_room(m, "scan segments", [=](void *room, size_t &bytes) {
        return cub::DeviceScan::InclusiveScan(room, bytes, in, out, segment_join(), number,
                                              m->stream);
    });
}

static void sort_copy(rd_machine *m, uint32_t *to, const uint32_t *from, int64_t n)
{
    if (to != from)
        keep(m,
             cudaMemcpyAsync(to, from, (size_t)n * sizeof *to, cudaMemcpyDeviceToDevice, m->stream),
             "sort");
}

/* Both pairs of arrays are worked in, which leaves the room small; the result may end in either. */
static void cuda_sort(rd_machine *m, uint32_t *key, uint32_t *value, uint32_t *key_to,
                      uint32_t *value_to, const int64_t *n, int64_t most, int bits)
{
    const int64_t number = fetched(m, n, most);
    if (number == 0)
        return;
    cub::DoubleBuffer<uint32_t> keys(key, key_to), values(value, value_to);
    if (!with_room(m, "sort", [&](void *room, size_t &bytes) {
            return cub::DeviceRadixSort::SortPairs(room, bytes, keys, values, number, 0, bits,
                                                   m->stream);
        }))
        return;
    sort_copy(m, key_to, keys.Current(), number);
    sort_copy(m, value_to, values.Current(), number);
}

/* What failed once stays failed. */
static bool cuda_sync(rd_machine *m, struct rd_error *e)
{
    keep(m, cudaStreamSynchronize(m->stream), "run a pass");
    return tell(e, m->error, m->failed);
}

extern "C" const struct rd_backend rd_backend_cuda = {
    "cuda",     cuda_open, cuda_close,         cuda_device, cuda_threads, cuda_memory,
    cuda_alloc, cuda_free, cuda_put,           cuda_get,    cuda_zero,    cuda_run,
    cuda_sum,   cuda_scan, cuda_scan_segments, cuda_sort,   cuda_sync,
};
