/* hop_rows - the tuned version of hop_row for the GPU. The threads of a block claim memory for the
   arrivals of their voxels together and list them in shared memory, so that few threads add to the
   counters that all share. */
#include "kernels/cuda/backend/tuned_passes.cuh"
#include "kernels/passes/movement/hop_rows.h"

/* Sets the sizes: threads of a block, arrivals in its shared memory, and the number of blocks. */
enum { THREADS = 128, ARRIVALS = 512, BLOCKS_EACH = 16 };

/* Holds the data that a block shares. The claim is the most arrivals of its voxels. */
struct block_arrivals {
    struct rd_world own; /* the same world with the list below, or that of all for large claims */
    struct rd_rows_capacity capacity;
    struct rd_outbox_entry outbox[ARRIVALS];
    unsigned long long claim;
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
   used. A thread calls it, with the number of molecules that left. */
static __device__ void place_arrivals(const struct rd_world &w, struct block_arrivals *b,
                                      int64_t n_left)
{
    if (b->capacity.arrivals > 0)
        b->at = rd_add_i64(&w.rows.capacity->arrivals, b->capacity.arrivals);
    if (n_left < (int64_t)b->claim)
        rd_return_claim(&w, (int64_t)b->claim - n_left);
}

/* Copies words from one world to another with all threads of the block. */
static __device__ void copy_world(struct rd_world *to, const struct rd_world &from)
{
    for (size_t i = threadIdx.x; i < sizeof from / sizeof(uint32_t); i += THREADS)
        ((uint32_t *)to)[i] = ((const uint32_t *)&from)[i];
}

/* Moves the molecules of the block's voxels, one a thread. */
static __device__ void hop_voxels(const struct rd_world &w, struct block_arrivals *b, int64_t voxel)
{
    __shared__ unsigned long long n_left;
    struct rd_hop_state h;
    if (threadIdx.x == 0)
        b->claim = n_left = 0;
    __syncthreads();
    const bool hops = voxel < w.items.n_moving && rd_hop_row_begin(&h, &b->own, voxel);
    const int64_t most = hops ? rd_most_arrivals_from(&h) : 0;
    if (most > 0)
        atomicAdd(&b->claim, (unsigned long long)most);
    __syncthreads();
    if (threadIdx.x == 0)
        claim_arrivals(w, b);
    __syncthreads();
    if (hops)
        w.rows.marked[voxel] = b->is_short && most > 0;
    if (hops && !(b->is_short && most > 0)) {
        const int64_t left = rd_hop_present(&h);
        if (left > 0)
            atomicAdd(&n_left, (unsigned long long)left);
    }
    __syncthreads();
    if (threadIdx.x == 0 && !b->is_short)
        place_arrivals(w, b, (int64_t)n_left);
    __syncthreads();
    for (int64_t i = threadIdx.x; i < b->capacity.arrivals; i += THREADS)
        w.rows.outbox[b->at + i] = b->outbox[i];
    __syncthreads();
}

static __global__ void __launch_bounds__(THREADS)
    hop_rows(const __grid_constant__ struct rd_world w)
{
    __shared__ struct block_arrivals b;
    if (!rd_is_due(&w, RD_HOP_ROWS))
        return;
    copy_world(&b.own, w);
    for (int64_t begin = (int64_t)blockIdx.x * THREADS; begin < w.items.n_moving;
         begin += (int64_t)gridDim.x * THREADS)
        hop_voxels(w, &b, begin + threadIdx.x);
}

void rd_hop_rows_blocks(const struct rd_world *w, struct rd_deferred, cudaStream_t stream)
{
    const int64_t blocks = (w->items.n_moving + THREADS - 1) / THREADS;
    const unsigned most = rd_blocks_for(BLOCKS_EACH);
    hop_rows<<<(unsigned)(blocks < most ? blocks : most), THREADS, 0, stream>>>(*w);
}
