/* move_rows - the tuned version of hop_row for the GPU. One kernel draws which molecules leave,
   with a lane for each voxel that is not empty, and lists them. Those that move by displacements
   are sent when arrivals are linked. Another kernel sends the others, with a lane for each voxel.
 */
#include "kernels/cuda/backend/tuned_passes.cuh"
#include "kernels/cuda/passes/block_claim.cuh"
#include "kernels/cuda/passes/row_targets.cuh"
#include "kernels/cuda/passes/voxel_queue.cuh"
#include "kernels/cuda/passes/walker.cuh"
#include "kernels/passes/movement/hop_rows.h"

/* Sets the blocks on every multiprocessor. */
enum { DRAW_BLOCKS_EACH = 8, SEND_BLOCKS_EACH = 5 };
static_assert((int)RD_QUEUE_THREADS == (int)RD_DRAW_THREADS &&
                  (int)RD_QUEUE_THREADS == (int)RD_CLAIM_THREADS,
              "blocks of one size");

/* ---- drawing ---- */

/* Limits the molecules of a voxel that are drawn here: bit k of a mask says that molecule k leaves.
   PLAINLY: the plain body draws them. */
enum { DRAWN_MOST = 31 };
#define PLAINLY (UINT32_C(1) << DRAWN_MOST)

/* Holds the draws of one voxel. */
struct row_draws {
    uint4 words;
    uint32_t number; /* molecules drawn */
    uint32_t mask;
    bool by_voxel; /* a lane sends all: some walk, or do not arrive in rows */
};

/* Draws which of n molecules leave, with this threshold. */
static __device__ __forceinline__ void draw_molecules(const struct rd_world &w,
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

/* Returns whether the molecules of the voxel that move by displacements use the inner
   distributions. */
static __device__ __forceinline__ bool is_inner_at(const struct rd_world &w, int3 p)
{
    const int32_t at[3] = {p.x, p.y, p.z};
    return rd_is_inner_place(w.movement, at);
}

/* Returns whether walls along two axes could take a molecule of the species, so that the first one
   is drawn. */
static __device__ __noinline__ bool has_two_takers(const struct rd_world *w, int3 p,
                                                   int32_t species)
{
    const int32_t at[3] = {p.x, p.y, p.z};
    return rd_has_two_takers(w->movement, species, at);
}

/* Finds the threshold for leaving the voxel. Returns false if molecules of the species cannot be
   sent by the kernel below. */
static __device__ __forceinline__ bool find_threshold(const struct rd_world &w,
                                                      const struct rd_drawn_voxel &h, int3 p,
                                                      bool is_inner, int32_t species,
                                                      uint64_t *leave)
{
    const struct rd_transport *const m = &w.movement.transport[species];
    if (m->kind == RD_MOVE_WALK) {
        *leave = rd_threshold(rd_hop_rate_at(&w, m, h.run, h.site)->probability);
        return m->uniformised_walks >= 0;
    }
    const int32_t at[3] = {p.x, p.y, p.z};
    *leave = is_inner ? m->inner.leave : rd_leave_from(w.movement, species, at);
    return is_inner || w.counts.n_lost == 0 || !has_two_takers(&w, p, species);
}

/* Returns whether molecules of the species must be sent with the others of their voxel. */
static __device__ __forceinline__ bool is_sent_by_voxel(const struct rd_world &w, int32_t species)
{
    return w.movement.transport[species].kind == RD_MOVE_WALK ||
           (w.rows.n_columned > 0 && w.rows.column[species] >= 0);
}

/* Draws which molecules of the voxel leave, in canonical order; PLAINLY if there are many, or
   binomial batches are drawn, or they are not sent here. */
static __device__ __forceinline__ struct row_draws draw_row(const struct rd_world &w,
                                                            const struct rd_draw_parameters &s,
                                                            const struct rd_drawn_voxel &h, int3 at,
                                                            bool is_inner)
{
    struct row_draws d = {};
    uint64_t leave;
    if (rd_is_frozen(&w.runs, h.run))
        return d;
    for (struct rd_present p = rd_present_in(&w, h.voxel); rd_next_present(&p);) {
        const int32_t n = *p.count;
        const uint32_t before = d.mask;
        if (n == 0 || !rd_is_hopping(&w.movement.transport[p.species]))
            continue;
        if (n >= RD_BATCH_LEAST || d.number + n > DRAWN_MOST ||
            !find_threshold(w, h, at, is_inner, p.species, &leave)) {
            d.mask = PLAINLY;
            d.by_voxel = true;
            return d;
        }
        draw_molecules(w, s, h, n, leave, &d);
        d.by_voxel = d.by_voxel || (d.mask != before && is_sent_by_voxel(w, p.species));
    }
    return d;
}

/* Lists a voxel whose leavers are sent together. Voxels away from walls stand at the begin of the
   list, others at its end, so that the lanes of a warp do the same work. */
static __device__ __forceinline__ void
list_voxel(const struct rd_world &w, struct rd_deferred deferred, uint32_t voxel, bool is_away)
{
    if (is_away)
        deferred.voxel[atomicAdd(deferred.n, 1u)] = voxel;
    else
        deferred.voxel[w.lattice.n_voxels - 1 - atomicAdd(deferred.n_last, 1u)] = voxel;
}

/* Takes the leavers from the voxel and lists them in the outbox from `slot` on. Returns the number
   of entries that stay. */
static __device__ __forceinline__ int32_t list_leavers(const struct rd_world &w, uint32_t voxel,
                                                       uint32_t mask, int64_t slot)
{
    int32_t number = 0, n_staying = 0;
    for (struct rd_present p = rd_present_in(&w, voxel); rd_next_present(&p);) {
        const int32_t n = *p.count;
        const bool hops = mask != 0 && n != 0 && rd_is_hopping(&w.movement.transport[p.species]);
        const uint32_t own = hops ? mask & ((1u << n) - 1) : 0;
        for (uint32_t rest = own; rest != 0; rest &= rest - 1)
            w.rows.outbox[slot++] = {voxel, p.species, -number - __ffs((int)rest)};
        if (own != 0)
            *p.count = n - __popc(own);
        n_staying += n > __popc(own) && (w.rows.n_columned == 0 || w.rows.column[p.species] < 0);
        mask >>= hops ? n : 0;
        number += hops ? n : 0;
    }
    return n_staying;
}

/* Claims n places of the outbox, while no thread may return a part of a claim. Returns the first of
   them, or -1. A claim that fails is not returned, so that later ones fail, too. */
static __device__ __forceinline__ int64_t claim_listed(const struct rd_world &w, int32_t n)
{
    struct rd_rows_capacity *const capacity = w.rows.capacity;
    const int64_t at = rd_add_i64(&capacity->claimed, n);
    const bool is_short = at + n > w.rows.n_outbox;
    rd_add_i64(is_short ? &capacity->lacks_arrivals : &capacity->arrivals, n);
    return is_short ? -1 : at;
}

/* Draws the leavers of the voxel, or none if there is no voxel. */
static __device__ __forceinline__ struct row_draws draw_all_of(const struct rd_world &w,
                                                               const struct rd_draw_parameters &s,
                                                               int64_t voxel,
                                                               struct rd_deferred deferred)
{
    struct row_draws d = {};
    if (voxel < 0)
        return d;
    const struct rd_drawn_voxel h = rd_drawn_voxel_of(w.lattice, s, (uint32_t)voxel, 0);
    const int3 at = rd_place_near(h.site, s.by);
    const bool is_inner = is_inner_at(w, at);
    d = draw_row(w, s, h, at, is_inner);
    if (d.mask != PLAINLY) /* the plain body reads the mark in a repetition */
        w.rows.marked[voxel] = false;
    if (!d.by_voxel)
        return d;
    w.rows.offset[voxel] = (int32_t)d.mask;
    list_voxel(w, deferred, h.voxel, is_inner && d.mask != PLAINLY);
    return d;
}

/* Draws the leavers of all voxels that are not empty. Those of a listed voxel stand as bits at
   offset[voxel] until they are sent. */
static __global__ void __launch_bounds__(RD_QUEUE_THREADS, DRAW_BLOCKS_EACH)
    draw_rows(const __grid_constant__ struct rd_world w,
              const __grid_constant__ struct rd_draw_parameters s, struct rd_deferred deferred)
{
    __shared__ struct rd_waiting_voxels waiting;
    __shared__ struct rd_block_claims claims;
    int64_t voxel;
    int32_t n_staying = 0;
    if (!rd_is_due(&w, RD_HOP_ROWS))
        return;
    struct rd_voxel_queue queue = rd_open_voxel_queue(&waiting);
    for (int turn = 0; rd_take_voxels<rd_has_row_hops>(&queue, w, w.items.n_moving, &voxel);
         turn++) {
        const struct row_draws d = draw_all_of(w, s, voxel, deferred);
        const int32_t n = d.by_voxel ? 0 : __popc(d.mask);
        const int64_t slot = rd_claim_in_block<claim_listed>(w, &claims, turn, n);
        if (voxel < 0 || d.by_voxel)
            continue;
        if (n > 0 && slot < 0)
            w.rows.marked[voxel] = true;
        else
            n_staying += list_leavers(w, (uint32_t)voxel, d.mask, slot);
    }
    rd_add_in_block(&claims, &w.rows.capacity->staying, n_staying);
}

/* ---- sending ---- */

/* Holds the leavers of a lane's voxel while they are sent, and the place of the next one in the
   outbox. */
struct row_sender {
    struct rd_walker walker; /* of the voxel: from and the stream of its walks */
    int64_t slot;
    int3 at;
};

/* Adds one arrival. A molecule that a wall took leaves its place in the outbox to an entry of no
   molecules. */
static __device__ __forceinline__ void arrive(const struct rd_world &w, int32_t species,
                                              int64_t voxel, int32_t n, struct row_sender *o)
{
    const int32_t column = w.rows.column[species];
    if (column < 0)
        w.rows.outbox[o->slot++] = {(uint32_t)voxel, species, n};
    else if (n > 0)
        rd_add_one_of_small(rd_arrivals_at(&w, column, voxel));
}

/* Sends the leavers of a species that moves by displacements; bit k of the mask is its molecule
   with the number `first` + k. */
static __device__ __forceinline__ void send_by_displacements(const struct rd_world &w,
                                                             const struct rd_row_parameters &s,
                                                             int32_t species, uint32_t mask,
                                                             uint32_t first, struct row_sender *o)
{
    for (; mask != 0; mask &= mask - 1) {
        const uint32_t number = first + (uint32_t)__ffs((int)mask) - 1;
        const int64_t to = rd_row_target(w, s, o->walker.from, o->at, species, number);
        arrive(w, species, to < 0 ? o->walker.from.voxel : to, to >= 0, o);
    }
}

/* Sends n leavers of a species that moves by uniformised walks. */
static __device__ __forceinline__ void send_on_walks(const struct rd_world &w,
                                                     const struct rd_row_parameters &s,
                                                     struct rd_walk_words *words, int32_t species,
                                                     int n, struct row_sender *o)
{
    for (int k = 0; k < n; k++) {
        int end = RD_WALK_GOES_ON;
        o->walker.is_first = true;
        while (end == RD_WALK_GOES_ON)
            end = rd_walker_attempt(w, s.draw, words, w.pass.step_clock->step, species, &o->walker);
        const bool is_lost = end == RD_WALK_IS_LOST;
        arrive(w, species, is_lost ? o->walker.from.voxel : rd_walker_voxel(w.lattice, o->walker),
               !is_lost, o);
    }
}

/* Sends the leavers of the voxel, in canonical order. */
static __device__ __forceinline__ void send_leavers(const struct rd_world &w,
                                                    const struct rd_row_parameters &s,
                                                    struct rd_walk_words *words, uint32_t mask,
                                                    struct row_sender *o)
{
    const uint32_t voxel = o->walker.from.voxel;
    uint32_t number = 0;
    for (struct rd_present p = rd_present_in(&w, voxel); mask != 0 && rd_next_present(&p);) {
        const struct rd_transport *const m = &w.movement.transport[p.species];
        const int32_t n = *p.count;
        if (n == 0 || !rd_is_hopping(m))
            continue;
        const uint32_t own = mask & ((1u << n) - 1);
        if (own != 0) {
            *p.count = n - __popc(own);
            if (m->kind == RD_MOVE_WALK)
                send_on_walks(w, s, words, p.species, __popc(own), o);
            else
                send_by_displacements(w, s, p.species, own, number, o);
        }
        mask >>= n;
        number += (uint32_t)n;
    }
}

/* Returns the number of leavers that are in rows. */
static __device__ __forceinline__ int32_t count_in_rows(const struct rd_world &w, uint32_t voxel,
                                                        uint32_t mask)
{
    if (w.rows.n_columned == 0)
        return __popc(mask);
    int32_t sum = 0;
    for (struct rd_present p = rd_present_in(&w, voxel); mask != 0 && rd_next_present(&p);) {
        const int32_t n = *p.count;
        if (n == 0 || !rd_is_hopping(&w.movement.transport[p.species]))
            continue;
        sum += w.rows.column[p.species] < 0 ? __popc(mask & ((1u << n) - 1)) : 0;
        mask >>= n;
    }
    return sum;
}

static __device__ __noinline__ void hop_plainly(const struct rd_world *w, uint32_t voxel)
{
    rd_hop_row(w, voxel);
}

/* Returns voxel i of the list, or -1 beyond its end. The second part begins with a warp. */
static __device__ __forceinline__ int64_t listed_voxel(const struct rd_world &w,
                                                       struct rd_deferred deferred, uint32_t n,
                                                       uint32_t n_last, uint32_t i)
{
    const uint32_t first_last = (n + 31) / 32 * 32;
    if (i < n)
        return deferred.voxel[i];
    if (i < first_last || i - first_last >= n_last)
        return -1;
    return deferred.voxel[w.lattice.n_voxels - 1 - (i - first_last)];
}

static __device__ __forceinline__ struct row_sender
open_sender(const struct rd_world &w, const struct rd_row_parameters &s, uint32_t voxel)
{
    struct row_sender o;
    rd_walker_open(&o.walker, rd_drawn_voxel_of(w.lattice, s.draw, voxel, 0));
    o.at = rd_place_near(o.walker.from.site, s.draw.by);
    return o;
}

/* Claims n places of the outbox. Returns the first of them, or -1. */
static __device__ __forceinline__ int64_t claim_arrivals(const struct rd_world &w, int32_t n)
{
    return rd_claim_arrivals(&w, n) ? rd_add_i64(&w.rows.capacity->arrivals, n) : -1;
}

static __global__ void __launch_bounds__(RD_QUEUE_THREADS, SEND_BLOCKS_EACH)
    send_rows(const __grid_constant__ struct rd_world w,
              const __grid_constant__ struct rd_row_parameters s, struct rd_deferred deferred)
{
    __shared__ struct rd_walk_words words;
    __shared__ struct rd_block_claims claims;
    int32_t n_staying = 0;
    int turn = 0;
    const uint32_t n = *deferred.n, n_last = *deferred.n_last, end = (n + 31) / 32 * 32 + n_last;
    for (uint32_t begin = blockIdx.x * RD_QUEUE_THREADS; begin < end;
         begin += gridDim.x * RD_QUEUE_THREADS) {
        const int64_t at = listed_voxel(w, deferred, n, n_last, begin + threadIdx.x);
        const uint32_t voxel = at < 0 ? 0 : (uint32_t)at;
        uint32_t mask = at < 0 ? 0 : (uint32_t)w.rows.offset[voxel];
        if (mask == PLAINLY) {
            hop_plainly(&w, voxel);
            mask = 0;
        }
        struct row_sender o = open_sender(w, s, voxel);
        o.slot =
            rd_claim_in_block<claim_arrivals>(w, &claims, turn++, count_in_rows(w, voxel, mask));
        if (mask != 0 && o.slot >= 0) {
            send_leavers(w, s, &words, mask, &o);
            n_staying += rd_n_staying(&w, voxel);
        } else if (mask != 0) {
            w.rows.marked[voxel] = true;
        }
    }
    __syncthreads();
    rd_add_in_block(&claims, &w.rows.capacity->staying, n_staying);
}

void rd_hop_rows_queues(const struct rd_world *w, struct rd_deferred deferred, cudaStream_t stream)
{
    const struct rd_row_parameters s = rd_row_parameters_of(w);
    draw_rows<<<rd_blocks_for(DRAW_BLOCKS_EACH), RD_QUEUE_THREADS, 0, stream>>>(*w, s.draw,
                                                                                deferred);
    send_rows<<<rd_blocks_for(SEND_BLOCKS_EACH), RD_QUEUE_THREADS, 0, stream>>>(*w, s, deferred);
}
