/* rows - the tuned versions of react_row and hop_row for the GPU. A lean kernel finds the voxels in
   which reactions happen, and the plain body applies their events. In the movement the threads of a
   block claim memory for the arrivals of their voxels together and list them in shared memory, so
   that few threads add to the counters that all share. */
#include "kernels/cuda/backend/tuned_passes.cuh"
#include "kernels/cuda/passes/voxel_queue.cuh"
#include "kernels/passes/movement/hop_rows.h"
#include "kernels/passes/reactions/react_rows.h"

/* Sets the arrivals in the shared memory of a block, and the blocks on every multiprocessor. */
enum { ARRIVALS = 512, BLOCKS_EACH = 5, FINDER_BLOCKS_EACH = 8 };

static __device__ __forceinline__ bool has_row_events(const struct rd_world *w, int64_t voxel)
{
    return !rd_has_no_row_events(w, voxel);
}

static __global__ void __launch_bounds__(RD_QUEUE_THREADS)
    find_row_events(const __grid_constant__ struct rd_world w, struct rd_deferred deferred)
{
    __shared__ struct rd_voxel_queue queue;
    int64_t voxel;
    if (!rd_is_due(&w, RD_REACT_ROWS))
        return;
    rd_open_voxel_queue(&queue);
    while (rd_take_voxels<has_row_events>(&queue, w, w.items.n_reacting, &voxel))
        if (voxel >= 0 && rd_may_row_react(&w, voxel))
            deferred.voxel[atomicAdd(deferred.n, 1u)] = (uint32_t)voxel;
}

void rd_react_rows_queues(const struct rd_world *w, struct rd_deferred deferred,
                          cudaStream_t stream)
{
    find_row_events<<<rd_blocks_for(FINDER_BLOCKS_EACH), RD_QUEUE_THREADS, 0, stream>>>(*w,
                                                                                        deferred);
    rd_do_deferred<rd_do_row_events>
        <<<RD_DEFERRED_BLOCKS, RD_DEFERRED_THREADS, 0, stream>>>(*w, deferred);
}

/* Holds the data that a block shares. The claim is the most arrivals of its voxels. */
struct block_arrivals {
    struct rd_world own; /* the same world with the list below, or that of all for large claims */
    struct rd_rows_capacity capacity;
    struct rd_outbox_entry outbox[ARRIVALS];
    unsigned long long claim, n_left;
    int64_t at; /* in the list of all */
    bool is_short;
};

/* Claims memory for the arrivals of the block. A thread calls it. */
static __device__ void claim_arrivals(const struct rd_world &w, struct block_arrivals *b)
{
    const bool is_small = b->claim <= ARRIVALS;
    b->is_short = b->claim > 0 && !rd_claim_arrivals(&w, (int64_t)b->claim);
    b->capacity.arrivals = 0;
    b->own.rows.capacity = is_small ? &b->capacity : w.rows.capacity;
    b->own.rows.outbox = is_small ? b->outbox : w.rows.outbox;
}

/* Finds the place of the block's arrivals in the list of all, and returns what was claimed but not
   used. A thread calls it. */
static __device__ void place_arrivals(const struct rd_world &w, struct block_arrivals *b)
{
    if (b->capacity.arrivals > 0)
        b->at = rd_add_i64(&w.rows.capacity->arrivals, b->capacity.arrivals);
    if (b->n_left < b->claim)
        rd_return_claim(&w, (int64_t)(b->claim - b->n_left));
}

/* Copies words from one world to another with all threads of the block. */
static __device__ void copy_world(struct rd_world *to, const struct rd_world &from)
{
    for (size_t i = threadIdx.x; i < sizeof from / sizeof(uint32_t); i += RD_QUEUE_THREADS)
        ((uint32_t *)to)[i] = ((const uint32_t *)&from)[i];
}

/* Moves the molecules of a voxel for each thread of the block, unless it is -1. */
static __device__ void hop_voxels(const struct rd_world &w, struct block_arrivals *b, int64_t voxel)
{
    struct rd_hop_state h;
    if (threadIdx.x == 0)
        b->claim = b->n_left = 0;
    __syncthreads();
    if (voxel >= 0)
        rd_hop_state_begin(&h, &b->own, voxel);
    const bool hops = voxel >= 0 && !rd_is_frozen(&w.runs, h.p.run);
    const int64_t most = hops ? rd_most_arrivals_from(&h) : 0;
    if (most > 0)
        atomicAdd(&b->claim, (unsigned long long)most);
    __syncthreads();
    if (threadIdx.x == 0)
        claim_arrivals(w, b);
    __syncthreads();
    const bool is_marked = b->is_short && most > 0;
    if (hops)
        w.rows.marked[voxel] = is_marked;
    const int64_t n_left = hops && !is_marked ? rd_hop_present(&h) : 0;
    if (n_left > 0)
        atomicAdd(&b->n_left, (unsigned long long)n_left);
    __syncthreads();
    if (threadIdx.x == 0 && !b->is_short)
        place_arrivals(w, b);
    __syncthreads();
    for (int64_t i = threadIdx.x; i < b->capacity.arrivals; i += RD_QUEUE_THREADS)
        w.rows.outbox[b->at + i] = b->outbox[i];
    __syncthreads();
}

static __global__ void __launch_bounds__(RD_QUEUE_THREADS)
    hop_rows(const __grid_constant__ struct rd_world w)
{
    __shared__ struct rd_voxel_queue queue;
    __shared__ struct block_arrivals arrivals;
    int64_t voxel;
    if (!rd_is_due(&w, RD_HOP_ROWS))
        return;
    copy_world(&arrivals.own, w);
    rd_open_voxel_queue(&queue);
    while (rd_take_voxels<rd_has_row_hops>(&queue, w, w.items.n_moving, &voxel))
        hop_voxels(w, &arrivals, voxel);
}

void rd_hop_rows_queues(const struct rd_world *w, struct rd_deferred, cudaStream_t stream)
{
    hop_rows<<<rd_blocks_for(BLOCKS_EACH), RD_QUEUE_THREADS, 0, stream>>>(*w);
}
