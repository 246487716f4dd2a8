/* move_rows - the tuned versions of hop_row and link_arrival for the GPU. One kernel draws which
   molecules leave, with a lane for each voxel that is not empty, and lists them. Those that move by
   displacements are sent when arrivals are linked, with a lane for each. Another kernel sends the
   others, with a lane for each voxel. */
#include "kernels/cuda/backend/tuned_passes.cuh"
#include "kernels/cuda/passes/block_claim.cuh"
#include "kernels/cuda/passes/voxel_queue.cuh"
#include "kernels/cuda/passes/walker.cuh"
#include "kernels/passes/movement/hop_rows.h"

/* Sets the blocks on every multiprocessor. */
enum { DRAW_BLOCKS_EACH = 8, SEND_BLOCKS_EACH = 5, LINK_BLOCKS_EACH = 8 };
static_assert((int)RD_QUEUE_THREADS == (int)RD_DRAW_THREADS &&
                  (int)RD_QUEUE_THREADS == (int)RD_CLAIM_THREADS,
              "blocks of one size");

/* Holds the parameters that are the same for all blocks. */
struct row_parameters {
    struct rd_draw_parameters draw;
    struct rd_keys where;
};

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
static __device__ __noinline__ bool has_two_takers(const struct rd_world *w, uint32_t voxel,
                                                   int32_t species)
{
    const struct rd_place p = rd_place_of(&w->lattice, voxel);
    return rd_has_two_takers(w->movement, species, p.at);
}

/* Finds the threshold for leaving the voxel. Returns false if molecules of the species cannot be
   sent by the kernel below. */
static __device__ __forceinline__ bool find_threshold(const struct rd_world &w,
                                                      const struct rd_drawn_voxel &h, int3 p,
                                                      bool is_inner,
                                                      int32_t species, uint64_t *leave)
{
    const struct rd_transport *const m = &w.movement.transport[species];
    if (m->kind == RD_MOVE_WALK) {
        *leave = rd_threshold(rd_hop_rate_at(&w, m, h.run, h.site)->probability);
        return m->uniformised_walks >= 0;
    }
    const int32_t at[3] = {p.x, p.y, p.z};
    *leave = is_inner ? m->inner.leave : rd_leave_from(w.movement, species, at);
    return is_inner || w.counts.n_lost == 0 || !has_two_takers(&w, h.voxel, species);
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
                                                            const struct rd_drawn_voxel &h,
                                                            int3 at, bool is_inner)
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

/* Takes the leavers from the voxel and lists them in the outbox from `slot` on. Returns the number of
   entries that stay. */
static __device__ __forceinline__ int32_t list_leavers(const struct rd_world &w, uint32_t voxel,
                                                       uint32_t mask, int64_t slot)
{
    int32_t number = 0, n_staying = 0;
    for (struct rd_present p = rd_present_in(&w, voxel); rd_next_present(&p);) {
        const int32_t n = *p.count;
        const bool hops = n != 0 && rd_is_hopping(&w.movement.transport[p.species]);
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
static __device__ __forceinline__ struct row_draws
draw_voxel(const struct rd_world &w, const struct rd_draw_parameters &s, int64_t voxel,
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
        const struct row_draws d = draw_voxel(w, s, voxel, deferred);
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

/* Returns the voxel to which a leaver moves by displacements, or -1 if a wall takes it, which is
   then counted as lost. It is for all places. */
static __device__ __noinline__ int64_t find_target(const struct rd_world *w, uint32_t voxel,
                                                   int32_t species, uint32_t number)
{
    struct rd_hop_state h;
    uint32_t word[4];
    rd_hop_state_begin(&h, w, voxel);
    rd_hop_state_aim(&h, species);
    h.n_drawn = number;
    const struct rd_stream where = rd_hop_stream(w, &h.p, RD_FOR_WHERE);
    rd_stream_call(&where, number, word);
    return rd_target_of_one(&h, word);
}

/* Bounds the error of the thresholds below beside those of rd_departure_of. */
#define WAY_MARGIN 1e-12

/* Returns what rd_way does, if the probabilities of leaving along the axes are q; -1 if the word
   equals a threshold or is next to it. Nothing is divided. */
static __device__ __forceinline__ int choose_way(const double q[3], uint32_t word)
{
    const double all = rd_departure_probability(q);
    const double least = (double)word * all * (1.0 - WAY_MARGIN);
    const double most = ((double)word + 1.0) * all * (1.0 + WAY_MARGIN);
    double sum = 0.0;
    int n = 0, last = 0;
    bool is_near = false;
#pragma unroll
    for (int k = 0; k < RD_N_MOVES; k++) {
        const uint32_t bits = rd_departure_axes(k);
        double probability = 1.0;
        for (int axis = 0; axis < 3; axis++)
            probability *= bits >> axis & 1 ? q[axis] : 1.0 - q[axis];
        sum += probability;
        last = probability > 0.0 ? k : last;
        if (k == RD_N_MOVES - 1)
            break;
        const double threshold = sum * 4294967296.0;
        n += threshold < least;
        is_near = is_near || (threshold >= least && threshold <= most);
    }
    return is_near ? -1 : n < last ? n : last;
}

/* Returns what find_target does; -1 if it is a seldom case: a wall takes the molecule, or the first
   word is next to a threshold. */
static __device__ __forceinline__ int64_t find_near_target(const struct rd_world &w,
                                                           const struct row_parameters &s,
                                                           const struct rd_drawn_voxel &from,
                                                           int3 at, int32_t species,
                                                           uint32_t number)
{
    const struct rd_transport *const m = &w.movement.transport[species];
    const struct rd_displacement *displacement[3];
    const uint4 words = rd_words_near(s.where, number, from.site, w.pass.step_clock->step,
                                      (uint32_t)w.lattice.first_run + from.run, 0);
    const uint32_t word[3] = {words.y, words.z, words.w};
    int32_t to[3] = {at.x, at.y, at.z};
    double q[3];
#pragma unroll
    for (int axis = 0; axis < 3; axis++) {
        displacement[axis] = rd_displacement_at(&w.movement, &m->axis_table[axis], to[axis]);
        q[axis] = displacement[axis]->leave;
    }
    const int way = choose_way(q, words.x);
    bool is_lost = way < 0;
    const uint32_t axes = is_lost ? 0 : rd_departure_axes(way);
#pragma unroll
    for (int axis = 0; axis < 3; axis++) {
        if ((axes >> axis & 1) == 0)
            continue;
        const int32_t shift = rd_shift(&w.movement, displacement[axis], word[axis]);
        const int32_t size = w.lattice.size[axis];
        is_lost = is_lost || rd_is_lost(shift);
        to[axis] += shift;
        if ((uint32_t)to[axis] >= (uint32_t)size && !is_lost)
            to[axis] = rd_wrap(to[axis], size);
    }
    if (is_lost)
        return -1;
    return (int64_t)from.run * w.lattice.n_sites + (uint32_t)to[2] * s.draw.by.stride[2] +
           (uint32_t)to[1] * s.draw.by.stride[1] + (uint32_t)to[0];
}

/* Sends the leavers of a species that moves by displacements; bit k of the mask is its molecule
   with the number `first` + k. */
static __device__ __forceinline__ void send_by_displacements(const struct rd_world &w,
                                                             const struct row_parameters &s,
                                                             int32_t species, uint32_t mask,
                                                             uint32_t first, struct row_sender *o)
{
    for (; mask != 0; mask &= mask - 1) {
        const uint32_t number = first + (uint32_t)__ffs((int)mask) - 1;
        int64_t to = find_near_target(w, s, o->walker.from, o->at, species, number);
        if (to < 0)
            to = find_target(&w, o->walker.from.voxel, species, number);
        arrive(w, species, to < 0 ? o->walker.from.voxel : to, to >= 0, o);
    }
}

/* Sends n leavers of a species that moves by uniformised walks. */
static __device__ __forceinline__ void send_on_walks(const struct rd_world &w,
                                                     const struct row_parameters &s,
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
                                                    const struct row_parameters &s,
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
open_sender(const struct rd_world &w, const struct row_parameters &s, uint32_t voxel)
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
              const __grid_constant__ struct row_parameters s, struct rd_deferred deferred)
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
        o.slot = rd_claim_in_block<claim_arrivals>(w, &claims, turn++,
                                                   count_in_rows(w, voxel, mask));
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

static struct row_parameters parameters_of(const struct rd_world *w)
{
    struct row_parameters s;
    s.draw.by = rd_divided_of(w->lattice.size, w->lattice.n_sites);
    s.draw.stay = rd_keys_of(w->pass.seed, RD_FOR_STAY, w->pass.part);
    s.draw.walk = rd_keys_of(w->pass.seed, RD_FOR_WALK, w->pass.part);
    s.where = rd_keys_of(w->pass.seed, RD_FOR_WHERE, w->pass.part);
    return s;
}

void rd_hop_rows_queues(const struct rd_world *w, struct rd_deferred deferred, cudaStream_t stream)
{
    const struct row_parameters s = parameters_of(w);
    draw_rows<<<rd_blocks_for(DRAW_BLOCKS_EACH), RD_QUEUE_THREADS, 0, stream>>>(*w, s.draw,
                                                                                deferred);
    send_rows<<<rd_blocks_for(SEND_BLOCKS_EACH), RD_QUEUE_THREADS, 0, stream>>>(*w, s, deferred);
}

/* Sends a molecule that moves by displacements, or takes it out if a wall does. */
static __device__ __forceinline__ void send_one(const struct rd_world &w,
                                                const struct row_parameters &s,
                                                struct rd_outbox_entry *a)
{
    const struct rd_drawn_voxel from = rd_drawn_voxel_of(w.lattice, s.draw, a->voxel, 0);
    const int3 at = rd_place_near(from.site, s.draw.by);
    const uint32_t number = (uint32_t)(-1 - a->count);
    int64_t to = find_near_target(w, s, from, at, a->species, number);
    if (to < 0)
        to = find_target(&w, a->voxel, a->species, number);
    a->voxel = to < 0 ? a->voxel : (uint32_t)to;
    a->count = to >= 0;
}

static __global__ void __launch_bounds__(RD_QUEUE_THREADS, LINK_BLOCKS_EACH)
    link_arrivals(const __grid_constant__ struct rd_world w,
                  const __grid_constant__ struct row_parameters s)
{
    if (!rd_is_due(&w, RD_LINK_ARRIVALS) || !rd_next_rows_fit(&w))
        return;
    const int64_t n = w.rows.capacity->arrivals, n_threads = (int64_t)gridDim.x * RD_QUEUE_THREADS;
    for (int64_t i = (int64_t)blockIdx.x * RD_QUEUE_THREADS + threadIdx.x; i < n; i += n_threads) {
        struct rd_outbox_entry a = w.rows.outbox[i];
        if (a.count < 0) {
            send_one(w, s, &a);
            w.rows.outbox[i] = a;
        }
        rd_link_arrival(&w, i);
    }
}

void rd_link_and_send(const struct rd_world *w, struct rd_deferred, cudaStream_t stream)
{
    link_arrivals<<<rd_blocks_for(LINK_BLOCKS_EACH), RD_QUEUE_THREADS, 0, stream>>>(
        *w, parameters_of(w));
}
