/* scans_and_sorts - sums, scans and sorts on the GPU. Only this file and sum_portion.cuh use CUB.
 */
#include "kernels/cuda/backend/machine.cuh"
#include "kernels/cuda/backend/sum_portion.cuh"

#include <algorithm>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/transform_output_iterator.h>

bool rd_cuda_take_capacity(rd_machine *m, size_t bytes)
{
    cudaError_t error;
    rd_queue_invalidate(m);
    rd_cuda_give(m, m->trunk.capacity);
    m->trunk.capacity = rd_cuda_take(m, bytes, &error);
    m->trunk.capacity_bytes = m->trunk.capacity ? bytes : 0;
    return rd_cuda_keep(m, error, "allocate memory for scans and sorts");
}

/* Ensures the temporary storage. It takes half more than needed, so that growing bounds seldom
   cause a new allocation. That of a branch suffices for every list that it sorts. */
static bool reserve_temporary(rd_machine *m, size_t bytes)
{
    if (bytes <= m->at->capacity_bytes)
        return true;
    return m->at == &m->trunk ? rd_cuda_take_capacity(m, bytes + bytes / 2)
                              : rd_cuda_keep(m, cudaErrorMemoryAllocation, "sort a list");
}

static __global__ void sum_on_device(int64_t *to, const int32_t *from, int64_t length,
                                     int64_t portions)
{
    rd_sum_portion(to, from, length, portions);
}

void rd_cuda_sum(rd_machine *m, int64_t *to, const int32_t *from, int64_t n, int64_t length)
{
    rd_queue_send(m);
    const int64_t portions = rd_sum_portions(length);
    rd_cuda_keep(m, cudaMemsetAsync(to, 0, (size_t)n * sizeof *to, m->stream), "clear memory");
    sum_on_device<<<(unsigned)(n * portions), RD_SUM_THREADS, 0, m->stream>>>(to, from, length,
                                                                              portions);
    rd_cuda_keep(m, cudaGetLastError(), "sum counts");
}

/* Calls a function of CUB twice: without storage it returns the bytes that it needs. */
template <class Call> static bool with_capacity(rd_machine *m, const char *what, const Call &call)
{
    size_t bytes = 0;
    return rd_cuda_keep(m, call(NULL, bytes), what) && reserve_temporary(m, bytes) &&
           rd_cuda_keep(m, call(m->at->capacity, bytes), what);
}

/* Return the calls of CUB, to be made with storage, or without it to get the bytes needed. */
static auto scan_call(uint32_t *sum, int64_t most, bool with_itself, cudaStream_t stream)
{
    return [=](void *capacity, size_t &bytes) {
        return with_itself ? cub::DeviceScan::InclusiveSum(capacity, bytes, sum, sum, most, stream)
                           : cub::DeviceScan::ExclusiveSum(capacity, bytes, sum, sum, most, stream);
    };
}

void rd_cuda_scan(rd_machine *m, int32_t *x, const int64_t *n, int64_t most, bool with_itself)
{
    (void)n;
    if (most > 0)
        with_capacity(m, "scan", scan_call((uint32_t *)x, most, with_itself, m->at->stream));
}

/* Holds the sum of neighbours back to the last one that starts a segment. */
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

static auto segments_call(int32_t *to, const int32_t *from, const uint8_t *flag, int64_t n,
                          cudaStream_t stream)
{
    const auto in = thrust::make_transform_iterator(thrust::counting_iterator<int64_t>(0),
                                                    segment_of{from, flag});
    const auto out = thrust::make_transform_output_iterator(to, segment_sum());
    return [=](void *capacity, size_t &bytes) {
        return cub::DeviceScan::InclusiveScan(capacity, bytes, in, out, segment_join(), n, stream);
    };
}

void rd_cuda_scan_segments(rd_machine *m, int32_t *to, const int32_t *from, const uint8_t *flag,
                           int64_t n)
{
    if (n > 0)
        with_capacity(m, "scan segments", segments_call(to, from, flag, n, m->at->stream));
}

typedef cub::DoubleBuffer<uint32_t> both;

static auto sort_call(both &keys, both &values, int64_t most, int bits, cudaStream_t stream)
{
    return [=, &keys, &values](void *capacity, size_t &bytes) {
        return cub::DeviceRadixSort::SortPairs(capacity, bytes, keys, values, most, 0, bits,
                                               stream);
    };
}

static void sort_copy(rd_machine *m, uint32_t *to, const uint32_t *from, int64_t n)
{
    if (to != from)
        rd_cuda_keep(m,
                     cudaMemcpyAsync(to, from, (size_t)n * sizeof *to, cudaMemcpyDeviceToDevice,
                                     m->at->stream),
                     "sort");
}

/* Sorts all `most` entries, so that the host needs no count; the entries behind the last pair do
   not change the result. Both pairs of arrays serve as buffers, which keeps the storage small; the
   result may end in either. */
void rd_cuda_sort(rd_machine *m, uint32_t *key, uint32_t *value, uint32_t *key_to,
                  uint32_t *value_to, const int64_t *n, int64_t most, int bits)
{
    (void)n;
    if (most == 0)
        return;
    both keys(key, key_to), values(value, value_to);
    if (!with_capacity(m, "sort", sort_call(keys, values, most, bits, m->at->stream)))
        return;
    sort_copy(m, key_to, keys.Current(), most);
    sort_copy(m, value_to, values.Current(), most);
}

size_t rd_cuda_sort_capacity(rd_machine *m, int64_t entries)
{
    both keys(NULL, NULL), values(NULL, NULL);
    size_t bytes = 0;
    rd_cuda_keep(m, sort_call(keys, values, entries, 32, m->stream)(NULL, bytes), "sort");
    return bytes;
}

/* Returns the largest need of: sort and scan of the longest list, scans over voxels. */
size_t rd_cuda_verbs_capacity(rd_machine *m, const struct rd_world *w)
{
    int64_t entries = 0;
    for (int64_t i = 0; i < w->lists.n_list; i++)
        entries = w->lists.list[i].most > entries ? w->lists.list[i].most : entries;
    if (entries == 0)
        return 0;
    size_t need[4] = {rd_cuda_sort_capacity(m, entries)};
    rd_cuda_keep(m, scan_call(NULL, entries, true, m->stream)(NULL, need[1]), "scan");
    rd_cuda_keep(m, scan_call(NULL, w->lattice.n_voxels + 1, false, m->stream)(NULL, need[2]),
                 "scan");
    rd_cuda_keep(m,
                 segments_call(NULL, NULL, NULL, w->lattice.n_voxels + 1, m->stream)(NULL, need[3]),
                 "scan segments");
    return std::max({need[0], need[1], need[2], need[3]});
}
