/* hop_rows - the tuned version of hop_row for the GPU. One kernel draws which molecules leave, with
   a lane for each voxel that is not empty, and lists the voxels with leavers. Another one sends
   them, with a lane for each of these voxels. There the threads of a block claim memory for the
   arrivals together and list them in shared memory, so that few threads add to the counters that
   all share. */
#include "kernels/cuda/backend/tuned_passes.cuh"
#include "kernels/cuda/passes/draw_leavers.cuh"
#include "kernels/cuda/passes/voxel_queue.cuh"
#include "kernels/passes/movement/hop_rows.h"

/* Sets the arrivals in the shared memory of a block, and the blocks on every multiprocessor. */
enum { ARRIVALS = 512, DRAW_BLOCKS_EACH = 8, SEND_BLOCKS_EACH = 5 };

/* ---- drawing ---- */

/* Limits the molecules of a voxel that are drawn here: bit k of a mask says that molecule k leaves.
   PLAINLY: the plain body draws them. */
enum { DRAWN_MOST = 31 };
#define PLAINLY (UINT32_C(1) << DRAWN_MOST)

/* Holds the state of the draws of one voxel. */
struct row_draws {
    uint4 words;
    uint32_t number; /* molecules drawn */
    uint32_t mask;
};

/* Draws which of n molecules leave, with this threshold. */
static __device__ __forceinline__ void draw_species(const struct rd_world &w,
                                                    const struct rd_draw_parameters &s,
                                                    const struct rd_drawn_voxel &h, int32_t n,
                                                    uint64_t leave, struct row_draws *d)
{
    const uint32_t high = (uint32_t)(leave >> 32);
    for (const uint32_t end = d->number + (uint32_t)n; d->number < end; d->number++) {
        if (d->number % 4 == 0)
            d->words = rd_words_near(s.stay, d->number / 4, h.site, w.pass.step_clock->step,
                                     (uint32_t)w.lattice.first_run + h.run, 0);
        const uint32_t word = d->words.x;
        d->words = make_uint4(d->words.y, d->words.z, d->words.w, 0);
        if (word < high || (word == high && rd_low_half(&w, h.voxel, d->number) < (uint32_t)leave))
            d->mask |= 1u << d->number;
    }
}

/* Draws which molecules of the voxel leave, in canonical order. Returns them as bits, or PLAINLY if
   there are many, or binomial batches are drawn. */
static __device__ __forceinline__ uint32_t draw_row(const struct rd_world &w,
                                                    const struct rd_draw_parameters &s,
                                                    const struct rd_drawn_voxel &h)
{
    struct row_draws d = {};
    if (rd_is_frozen(&w.runs, h.run))
        return 0;
    for (struct rd_present p = rd_present_in(&w, h.voxel); rd_next_present(&p);) {
        const int32_t n = *p.count;
        if (n == 0 || !rd_is_hopping(&w.movement.transport[p.species]))
            continue;
        if (n >= RD_BATCH_LEAST || d.number + n > DRAWN_MOST)
            return PLAINLY;
        draw_species(w, s, h, n, rd_leave_of(w, h, p.species), &d);
    }
    return d.mask;
}

/* Draws the leavers of all voxels that are not empty. Their bits stand at offset[voxel] until they
   are sent. */
static __global__ void __launch_bounds__(RD_QUEUE_THREADS, DRAW_BLOCKS_EACH)
    draw_rows(const __grid_constant__ struct rd_world w,
              const __grid_constant__ struct rd_draw_parameters s, struct rd_deferred deferred)
{
    __shared__ struct rd_voxel_queue queue;
    int64_t voxel;
    if (!rd_is_due(&w, RD_HOP_ROWS))
        return;
    rd_open_voxel_queue(&queue);
    while (rd_take_voxels<rd_has_row_hops>(&queue, w, w.items.n_moving, &voxel)) {
        if (voxel < 0)
            continue;
        const uint32_t mask = draw_row(w, s, rd_drawn_voxel_of(w.lattice, s, (uint32_t)voxel, 0));
        w.rows.marked[voxel] = false;
        if (mask == 0)
            continue;
        w.rows.offset[voxel] = (int32_t)mask;
        deferred.voxel[atomicAdd(deferred.n, 1u)] = (uint32_t)voxel;
    }
}

/* ---- sending ---- */

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

/* Sends the leavers of the species that stand in `mask`, from bit 0 on. */
static __device__ __forceinline__ void send_species(struct rd_hop_state *h, int32_t species,
                                                    uint32_t mask, uint32_t number)
{
    rd_hop_state_aim(h, species);
    if (h->transport->kind == RD_MOVE_WALK) {
        rd_send_walkers(h, __popc(mask));
        return;
    }
    for (; mask != 0; mask &= mask - 1) {
        uint32_t word[4];
        const struct rd_stream where = rd_hop_stream(h->w, &h->p, RD_FOR_WHERE);
        h->n_drawn = number + (uint32_t)__ffs((int)mask) - 1;
        rd_stream_call(&where, h->n_drawn, word);
        rd_send_one(h, word);
    }
}

/* Sends the leavers of the voxel, in canonical order. Returns the number of those in rows. */
static __device__ int64_t send_leavers(struct rd_hop_state *h, uint32_t mask)
{
    const struct rd_world *const w = h->w;
    int32_t n_left = 0;
    uint32_t number = 0;
    for (struct rd_present p = rd_present_in(w, h->p.voxel); mask != 0 && rd_next_present(&p);) {
        const int32_t n = *p.count;
        if (n == 0 || !rd_is_hopping(&w->movement.transport[p.species]))
            continue;
        const uint32_t own = mask & ((1u << n) - 1);
        if (own != 0) {
            *p.count -= __popc(own);
            n_left += w->rows.column[p.species] < 0 ? __popc(own) : 0;
            send_species(h, p.species, own, number);
        }
        mask >>= n;
        number += (uint32_t)n;
    }
    return n_left;
}

/* Sends the leavers of a voxel for each thread of the block, unless it is -1. */
static __device__ void send_from(const struct rd_world &w, struct block_arrivals *b, int64_t voxel)
{
    struct rd_hop_state h;
    if (threadIdx.x == 0)
        b->claim = b->n_left = 0;
    __syncthreads();
    const uint32_t mask = voxel >= 0 ? (uint32_t)w.rows.offset[voxel] : 0;
    if (voxel >= 0)
        rd_hop_state_begin(&h, &b->own, voxel);
    const int64_t most = mask == PLAINLY ? rd_most_arrivals_from(&h) : __popc(mask);
    if (most > 0)
        atomicAdd(&b->claim, (unsigned long long)most);
    __syncthreads();
    if (threadIdx.x == 0)
        claim_arrivals(w, b);
    __syncthreads();
    int64_t n_left = 0;
    if (b->is_short && most > 0)
        w.rows.marked[voxel] = true;
    else if (mask != 0)
        n_left = mask == PLAINLY ? rd_hop_present(&h) : send_leavers(&h, mask);
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
    send_rows(const __grid_constant__ struct rd_world w, struct rd_deferred deferred)
{
    __shared__ struct block_arrivals arrivals;
    const uint32_t n = *deferred.n;
    copy_world(&arrivals.own, w);
    for (uint32_t begin = blockIdx.x * RD_QUEUE_THREADS; begin < n;
         begin += gridDim.x * RD_QUEUE_THREADS)
        send_from(w, &arrivals,
                  begin + threadIdx.x < n ? (int64_t)deferred.voxel[begin + threadIdx.x] : -1);
}

void rd_hop_rows_queues(const struct rd_world *w, struct rd_deferred deferred, cudaStream_t stream)
{
    struct rd_draw_parameters s;
    s.by = rd_divided_of(w->lattice.size, w->lattice.n_sites);
    s.stay = rd_keys_of(w->pass.seed, RD_FOR_STAY, w->pass.part);
    draw_rows<<<rd_blocks_for(DRAW_BLOCKS_EACH), RD_QUEUE_THREADS, 0, stream>>>(*w, s, deferred);
    send_rows<<<rd_blocks_for(SEND_BLOCKS_EACH), RD_QUEUE_THREADS, 0, stream>>>(*w, deferred);
}
