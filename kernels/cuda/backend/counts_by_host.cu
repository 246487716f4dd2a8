/* counts_by_host - reads and writes counts for the host: those of listed voxels, sums, and marks of
   the voxels whose counts are in a range; and reads a few words of any kind. The kernels read and
   write pinned memory of the host themselves, so that a call takes one launch; the last block
   writes a ticket there, for which the host waits. */
#include "kernels/cuda/backend/machine.cuh"
#include "kernels/cuda/backend/sum_portion.cuh"

#include <string.h>

/* Sets the threads of a block, and how often the host looks for a ticket before it waits for the
   stream. */
enum { BY_HOST_THREADS = 128, LOOKS = 1 << 20 };

/* ---- tickets ---- */

/* Returns whether this is the last block of the kernel that comes here. Each thread has called a
   fence after its writes. */
static __device__ bool is_last_block(uint32_t *n_done)
{
    __shared__ bool is_last;
    __syncthreads();
    if (threadIdx.x == 0)
        is_last = atomicAdd(n_done, 1) == gridDim.x - 1;
    __syncthreads();
    return is_last;
}

/* Writes the ticket after all that the threads of this block have written to the host. */
static __device__ void write_ticket(const struct rd_ticket &t)
{
    __threadfence_system();
    __syncthreads();
    if (threadIdx.x > 0)
        return;
    *t.n_done = 0;
    *t.at = t.number;
}

/* Ends a kernel whose blocks all write to the host. */
static __device__ void end_for_host(const struct rd_ticket &t)
{
    __threadfence_system();
    if (is_last_block(t.n_done))
        write_ticket(t);
}

/* Takes memory for tickets once. */
static bool open_tickets(rd_machine *m, struct rd_error *e)
{
    struct rd_ticket *const t = &m->by_host.ticket;
    const cudaStream_t stream = m->stream;
    if (t->at)
        return true;
    return rd_cuda_report(e, cudaMalloc(&t->n_done, sizeof *t->n_done), "allocate memory") &&
           rd_cuda_report(e, cudaMemsetAsync(t->n_done, 0, sizeof *t->n_done, stream),
                          "clear memory") &&
           rd_cuda_report(e, cudaMallocHost((void **)&t->at, sizeof *t->at), "pin memory") &&
           (*t->at = 0, true);
}

/* Waits until a kernel has written the ticket. A kernel that fails writes none. */
static bool wait_for_ticket(rd_machine *m, const char *what, struct rd_error *e)
{
    const struct rd_ticket *const t = &m->by_host.ticket;
    for (int i = 0; i < LOOKS; i++)
        if (__atomic_load_n(t->at, __ATOMIC_ACQUIRE) == t->number)
            return rd_cuda_report(e, m->error, m->failed);
    rd_cuda_keep(m, cudaGetLastError(), what);
    rd_cuda_keep(m, cudaStreamSynchronize(m->stream), what);
    return rd_cuda_report(e, m->error, m->failed);
}

/* ---- pinned memory ---- */

void rd_cuda_by_host_close(rd_machine *m)
{
    struct rd_by_host *const x = &m->by_host;
    cudaFreeHost(x->byte);
    cudaFreeHost(x->ticket.at);
    cudaFree(x->ticket.n_done);
    cudaFree(x->sum);
    *x = rd_by_host();
}

/* Sends the waiting calls, makes room for `bytes` of pinned memory, and begins a new ticket. Waits
   for a kernel that still reads the memory. */
static bool begin_ticket(rd_machine *m, size_t bytes, struct rd_error *e)
{
    struct rd_by_host *const x = &m->by_host;
    rd_queue_send(m);
    if (x->is_read && !rd_cuda_report(e, cudaStreamSynchronize(m->stream), "receive counts"))
        return false;
    x->is_read = false;
    x->ticket.number++;
    if (bytes <= x->capacity)
        return open_tickets(m, e);
    cudaFreeHost(x->byte);
    x->byte = NULL;
    x->capacity = 0;
    if (!rd_cuda_report(e, cudaMallocHost((void **)&x->byte, 2 * bytes), "pin memory"))
        return false;
    x->capacity = 2 * bytes;
    return open_tickets(m, e);
}

static unsigned blocks_of(int64_t n, int threads)
{
    return (unsigned)((n + threads - 1) / threads);
}

/* ---- few words ---- */

static __global__ void copy_words(uint32_t *to, const uint32_t *from, int64_t n,
                                  const __grid_constant__ struct rd_ticket ticket)
{
    if (threadIdx.x < n)
        to[threadIdx.x] = from[threadIdx.x];
    write_ticket(ticket);
}

bool rd_cuda_get_few(rd_machine *m, void *to, const void *from, size_t bytes, struct rd_error *e)
{
    if (!begin_ticket(m, RD_FEW_BYTES, e))
        return false;
    copy_words<<<1, RD_FEW_BYTES / sizeof(uint32_t), 0, m->stream>>>(
        (uint32_t *)m->by_host.byte, (const uint32_t *)from, (int64_t)(bytes / sizeof(uint32_t)),
        m->by_host.ticket);
    if (!wait_for_ticket(m, "send data", e))
        return false;
    memcpy(to, m->by_host.byte, bytes);
    return true;
}

/* ---- counts of listed voxels ---- */

static __global__ void gather_counts(int32_t *to, const int32_t *from, const int64_t *index,
                                     int64_t n, const __grid_constant__ struct rd_ticket ticket)
{
    const int64_t i = (int64_t)blockIdx.x * BY_HOST_THREADS + threadIdx.x;
    if (i < n)
        to[i] = from[index[i]];
    end_for_host(ticket);
}

static __global__ void scatter_counts(int32_t *to, const int32_t *from, const int64_t *index,
                                      int64_t n)
{
    const int64_t i = (int64_t)blockIdx.x * BY_HOST_THREADS + threadIdx.x;
    if (i < n)
        to[index[i]] = from[i];
}

/* Writes n numbers of counts, and returns the place of the counts behind them; NULL with a
   message. */
static int32_t *write_index(rd_machine *m, const int64_t *index, int64_t n, struct rd_error *e)
{
    if (!begin_ticket(m, (size_t)n * (sizeof *index + sizeof(int32_t)), e))
        return NULL;
    memcpy(m->by_host.byte, index, (size_t)n * sizeof *index);
    return (int32_t *)(m->by_host.byte + (size_t)n * sizeof *index);
}

bool rd_cuda_gather(rd_machine *m, int32_t *to, const int32_t *from, const int64_t *index,
                    int64_t n, struct rd_error *e)
{
    if (n == 0)
        return true;
    int32_t *const count = write_index(m, index, n, e);
    if (!count)
        return false;
    gather_counts<<<blocks_of(n, BY_HOST_THREADS), BY_HOST_THREADS, 0, m->stream>>>(
        count, from, (const int64_t *)m->by_host.byte, n, m->by_host.ticket);
    if (!wait_for_ticket(m, "read counts", e))
        return false;
    memcpy(to, count, (size_t)n * sizeof *to);
    return true;
}

bool rd_cuda_scatter(rd_machine *m, int32_t *to, const int32_t *from, const int64_t *index,
                     int64_t n, struct rd_error *e)
{
    if (n == 0)
        return true;
    int32_t *const count = write_index(m, index, n, e);
    if (!count)
        return false;
    memcpy(count, from, (size_t)n * sizeof *from);
    scatter_counts<<<blocks_of(n, BY_HOST_THREADS), BY_HOST_THREADS, 0, m->stream>>>(
        to, count, (const int64_t *)m->by_host.byte, n);
    m->by_host.is_read = true;
    return rd_cuda_report(e, cudaGetLastError(), "write counts");
}

/* ---- sums ---- */

/* Adds one portion of one of n sums per block to sum[], which is zero before and after. The last
   block hands the sums to the host. */
static __global__ void sum_for_host(int64_t *to, int64_t *sum, const int32_t *from, int64_t n,
                                    int64_t length, int64_t portions,
                                    const __grid_constant__ struct rd_ticket ticket)
{
    rd_sum_portion(sum, from, length, portions);
    __threadfence();
    if (!is_last_block(ticket.n_done))
        return;
    for (int64_t i = threadIdx.x; i < n; i += RD_SUM_THREADS) {
        to[i] = __ldcg(&sum[i]);
        sum[i] = 0;
    }
    write_ticket(ticket);
}

/* Makes room for n sums on the device, which are zero. */
static bool reserve_sums(rd_machine *m, int64_t n, struct rd_error *e)
{
    struct rd_by_host *const x = &m->by_host;
    const size_t bytes = (size_t)n * sizeof *x->sum;
    if (n <= x->n_sums)
        return true;
    cudaFree(x->sum);
    x->sum = NULL;
    x->n_sums = 0;
    if (!rd_cuda_report(e, cudaMalloc(&x->sum, bytes), "allocate memory for sums") ||
        !rd_cuda_report(e, cudaMemsetAsync(x->sum, 0, bytes, m->stream), "clear memory"))
        return false;
    x->n_sums = n;
    return true;
}

bool rd_cuda_get_sums(rd_machine *m, int64_t *to, const int32_t *from, int64_t n, int64_t length,
                      struct rd_error *e)
{
    const size_t bytes = (size_t)n * sizeof *to;
    const int64_t portions = rd_sum_portions(length);
    if (!begin_ticket(m, bytes, e) || !reserve_sums(m, n, e))
        return false;
    int64_t *const there = (int64_t *)m->by_host.byte;
    sum_for_host<<<(unsigned)(n * portions), RD_SUM_THREADS, 0, m->stream>>>(
        there, m->by_host.sum, from, n, length, portions, m->by_host.ticket);
    if (!wait_for_ticket(m, "sum counts", e))
        return false;
    memcpy(to, there, bytes);
    return true;
}

/* ---- marks ---- */

/* Marks four counts at a time. */
static __global__ void mark_for_host(uchar4 *to, const int32_t *from, int64_t n, int32_t low,
                                     int32_t high, const __grid_constant__ struct rd_ticket ticket)
{
    const int64_t i = ((int64_t)blockIdx.x * BY_HOST_THREADS + threadIdx.x) * 4;
    uint8_t mark[4] = {};
    for (int k = 0; k < 4 && i + k < n; k++)
        mark[k] = from[i + k] >= low && from[i + k] <= high;
    if (i < n)
        to[i / 4] = make_uchar4(mark[0], mark[1], mark[2], mark[3]);
    end_for_host(ticket);
}

bool rd_cuda_get_marks(rd_machine *m, uint8_t *to, const int32_t *from, int64_t n, int32_t low,
                       int32_t high, struct rd_error *e)
{
    if (n == 0)
        return true;
    if (!begin_ticket(m, (size_t)n + sizeof(uchar4), e))
        return false;
    mark_for_host<<<blocks_of(n, 4 * BY_HOST_THREADS), BY_HOST_THREADS, 0, m->stream>>>(
        (uchar4 *)m->by_host.byte, from, n, low, high, m->by_host.ticket);
    if (!wait_for_ticket(m, "compare counts", e))
        return false;
    memcpy(to, m->by_host.byte, (size_t)n);
    return true;
}
