/* scattered_counts - reads and writes counts of listed voxels. The kernels read and write pinned
   memory of the host themselves, so that a call takes one launch. */
#include "kernels/cuda/backend/machine.cuh"

#include <string.h>

enum { SCATTER_THREADS = 128 };

static __global__ void gather_counts(int32_t *to, const int32_t *from, const int64_t *index,
                                     int64_t n)
{
    const int64_t i = (int64_t)blockIdx.x * SCATTER_THREADS + threadIdx.x;
    if (i < n)
        to[i] = from[index[i]];
}

static __global__ void scatter_counts(int32_t *to, const int32_t *from, const int64_t *index,
                                      int64_t n)
{
    const int64_t i = (int64_t)blockIdx.x * SCATTER_THREADS + threadIdx.x;
    if (i < n)
        to[index[i]] = from[i];
}

void rd_cuda_listed_close(rd_machine *m)
{
    cudaFreeHost(m->listed.byte);
    m->listed = rd_listed_counts();
}

/* Makes room for n numbers of counts, and for the counts behind them, and writes the numbers. Waits
   for a kernel that still reads them. */
static bool write_index(rd_machine *m, const int64_t *index, int64_t n, struct rd_error *e)
{
    struct rd_listed_counts *const x = &m->listed;
    const size_t bytes = (size_t)n * (sizeof *index + sizeof(int32_t));
    if (x->is_read && !rd_cuda_report(e, cudaStreamSynchronize(m->stream), "receive counts"))
        return false;
    x->is_read = false;
    if (bytes > x->capacity) {
        rd_cuda_listed_close(m);
        if (!rd_cuda_report(e, cudaMallocHost((void **)&x->byte, 2 * bytes), "pin memory"))
            return false;
        x->capacity = 2 * bytes;
    }
    memcpy(x->byte, index, (size_t)n * sizeof *index);
    return true;
}

/* Returns the place of the n counts behind their numbers. */
static int32_t *listed_counts_at(const rd_machine *m, int64_t n)
{
    return (int32_t *)(m->listed.byte + (size_t)n * sizeof(int64_t));
}

static unsigned blocks_of(int64_t n)
{
    return (unsigned)((n + SCATTER_THREADS - 1) / SCATTER_THREADS);
}

bool rd_cuda_gather(rd_machine *m, int32_t *to, const int32_t *from, const int64_t *index,
                    int64_t n, struct rd_error *e)
{
    rd_queue_send(m);
    rd_fusion_report(m->fusion);
    if (n == 0)
        return true;
    if (!write_index(m, index, n, e))
        return false;
    gather_counts<<<blocks_of(n), SCATTER_THREADS, 0, m->stream>>>(
        listed_counts_at(m, n), from, (const int64_t *)m->listed.byte, n);
    if (!rd_cuda_report(e, cudaGetLastError(), "read counts") ||
        !rd_cuda_report(e, cudaStreamSynchronize(m->stream), "read counts"))
        return false;
    memcpy(to, listed_counts_at(m, n), (size_t)n * sizeof *to);
    return true;
}

bool rd_cuda_scatter(rd_machine *m, int32_t *to, const int32_t *from, const int64_t *index,
                     int64_t n, struct rd_error *e)
{
    rd_queue_send(m);
    rd_fusion_invalidate(m->fusion);
    if (n == 0)
        return true;
    if (!write_index(m, index, n, e))
        return false;
    memcpy(listed_counts_at(m, n), from, (size_t)n * sizeof *from);
    scatter_counts<<<blocks_of(n), SCATTER_THREADS, 0, m->stream>>>(
        to, listed_counts_at(m, n), (const int64_t *)m->listed.byte, n);
    m->listed.is_read = true;
    return rd_cuda_report(e, cudaGetLastError(), "write counts");
}
