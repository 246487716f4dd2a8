/* leave_tile - the movement from the voxels of a tile. A lane takes a voxel and draws which of its
   molecules leave; the leavers of a warp are collected in a list, and a lane for each of them sends
   it. */
#ifndef RD_CUDA_FUSED_STEP_LEAVE_TILE_CUH
#define RD_CUDA_FUSED_STEP_LEAVE_TILE_CUH

#include "kernels/cuda/fused_step/near_target.cuh"
#include "kernels/cuda/fused_step/tile.cuh"
#include "kernels/passes/movement/hop.h"

/* Packs a leaver into 32 bits: c in the lowest RD_FUSED_STEP_BITS bits, its species in five, then
   its number among the drawn molecules of the voxel. */
enum { RD_LEAVER_SPECIES = RD_FUSED_STEP_BITS, RD_LEAVER_NUMBER = RD_FUSED_STEP_BITS + 5 };

/* Returns the probability of leaving a place near an end, as a threshold. */
static __device__ __forceinline__ uint64_t rd_leave_from(const struct rd_movement &movement,
                                                         int32_t species, const int32_t at[3])
{
    double q[3];
    for (int axis = 0; axis < 3; axis++)
        q[axis] =
            rd_displacement_at(&movement, &movement.transport[species].axis_table[axis], at[axis])
                ->leave;
    return rd_threshold(rd_departure_probability(q));
}

/* Returns whether walls could take a molecule along more than one axis. The first wall in time is
   then drawn for one molecule of the voxel after another. */
static __device__ __forceinline__ bool rd_has_two_takers(const struct rd_movement &movement,
                                                         int32_t species, const int32_t at[3])
{
    int n = 0;
    for (int axis = 0; axis < 3; axis++) {
        const struct rd_displacement *const displacement =
            rd_displacement_at(&movement, &movement.transport[species].axis_table[axis], at[axis]);
        n += displacement->lost[0] >= 0 || displacement->lost[1] >= 0;
    }
    return n > 1;
}

/* Returns the voxel to which a leaver moves by displacements, with the words of its own call; -1 if
   a wall takes it, which is then counted as lost. */
static __device__ __noinline__ int64_t rd_target_by_displacements(const struct rd_world *w,
                                                                  uint32_t voxel, int32_t species,
                                                                  uint32_t number)
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

/* Sends a leaver that moves by displacements. */
static __device__ __forceinline__ void
rd_send_by_displacements(const struct rd_world *w, uint32_t voxel, int32_t species, uint32_t number)
{
    const int64_t to = rd_target_by_displacements(w, voxel, species, number);
    if (to >= 0)
        rd_arrive_one_of_small(w, species, to);
}

/* Returns whether the plain body must handle the voxel: binomial batches are drawn, molecules do
   not move by displacements, or walls along two axes are near. */
static __device__ __forceinline__ bool rd_tile_must_deferred(const struct rd_fused_step &s,
                                                             const struct rd_world &w,
                                                             const struct rd_spot &p, uint32_t c)
{
    const bool is_inner = rd_is_inner_place(w.movement, p.at);
    for (int32_t i = 0; i < w.counts.n_species; i++) {
        const int32_t kind = rd_tile_stepper(s)[i].kind, n = *rd_tile_count(s, i, c);
        if (n == 0 || kind == RD_MOVE_NOT)
            continue;
        if (kind != RD_MOVE_DISPLACEMENTS || n >= RD_BATCH_LEAST ||
            (!is_inner && w.counts.n_lost > 0 && rd_has_two_takers(w.movement, i, p.at)))
            return true;
    }
    return false;
}

/* Returns the low half of a random number whose high half equals a threshold: one in 2^32 draws. */
static __device__ __forceinline__ uint32_t rd_tie_word(const struct rd_tile &t,
                                                       const struct rd_fused_step &s,
                                                       const struct rd_lattice &lattice,
                                                       const struct rd_spot &p, uint32_t number,
                                                       int which)
{
    return rd_spot_call(lattice, s.tie_keys, t.hop_step, p, number).word[which];
}

/* Returns the set of axes of a leaver from an inner place, if its first word equals the high half
   of a threshold. */
static __device__ __forceinline__ int rd_way_of_tie(const struct rd_movement &movement,
                                                    int32_t species, uint32_t high, uint32_t low)
{
    const struct rd_departure *const g = &movement.transport[species].inner;
    const uint64_t both = (uint64_t)high << 32 | low;
    int k = 0;
    while (k < g->last && both >= g->axes[k])
        k++;
    return k;
}

static __device__ __forceinline__ int32_t rd_step_shift(const struct rd_movement &movement,
                                                        const struct rd_step_along *a,
                                                        uint32_t word)
{
    const int32_t last = a->last;
    int32_t k = (last > 0) & (word >= a->jump[0].below);
    k += (last > 1) & (word >= a->jump[1].below);
    if (k < 2)
        return a->jump[k].shift;
    const struct rd_jump *const o = &movement.jump[a->first];
    while (k < last && word >= (k < RD_CACHED_JUMPS ? a->jump[k].below : o[k].below))
        k++;
    return k < RD_CACHED_JUMPS ? a->jump[k].shift : o[k].shift;
}

struct rd_target {
    int32_t at[3];
    bool is_lost;
};

/* Returns the target of a leaver from an inner place, where no wall can take it. */
static __device__ __forceinline__ struct rd_target
rd_target_inner(const struct rd_tile &t, const struct rd_fused_step &s, const struct rd_world &w,
                int32_t species, const struct rd_spot &p, uint32_t number,
                const struct rd_tile_words &words)
{
    const struct rd_stepper *const m = &rd_tile_stepper(s)[species];
    const uint32_t high = words.word[0];
    int k = 0;
    for (int i = 0; i < RD_N_MOVES - 1; i++)
        k += high > m->way[i];
    if (k < RD_N_MOVES - 1 && high == m->way[k])
        k = rd_way_of_tie(w.movement, species, high, rd_tie_word(t, s, w.lattice, p, number, 1));
    const uint32_t axes = rd_departure_axes(k < m->last ? k : m->last);
    struct rd_target to;
    to.is_lost = false;
    for (int axis = 0; axis < 3; axis++) {
        to.at[axis] = p.at[axis];
        if (!(axes >> axis & 1))
            continue;
        to.at[axis] += rd_step_shift(w.movement, &m->axis[axis], words.word[1 + axis]);
        while (to.at[axis] < 0) /* seldom more than once */
            to.at[axis] += w.lattice.size[axis];
        while (to.at[axis] >= w.lattice.size[axis])
            to.at[axis] -= w.lattice.size[axis];
    }
    return to;
}

/* Returns the target of a leaver from a place near an end, by the plain body. */
static __device__ __noinline__ struct rd_target
rd_target_plainly(const struct rd_world &w, int32_t species, struct rd_spot spot, uint32_t number,
                  struct rd_tile_words words)
{
    struct rd_hop_state h;
    h.w = &w;
    h.p = rd_spot_place(w.lattice, spot);
    h.is_open = false;
    h.n_drawn = number;
    h.tie_purpose = RD_FOR_TIE;
    h.tie_item = h.p.site;
    rd_hop_state_aim(&h, species);
    int32_t shift[3];
    int face = 0;
    rd_shift_one(&h, words.word, shift);
    struct rd_target to;
    to.is_lost = rd_shift_place(&h, shift, to.at, &face) > 0; /* along one axis at most */
    if (to.is_lost)
        rd_lose(&w, species, &h.p, face, 1);
    return to;
}

/* Returns the target of a leaver from a place near an end. */
static __device__ __forceinline__ struct rd_target
rd_target_near_end(const struct rd_world &w, int32_t species, const struct rd_spot &p,
                   uint32_t number, const struct rd_tile_words &words)
{
    struct rd_target to;
    to.is_lost = false;
    if (rd_near_target(w, species, p.at, words.word, to.at))
        return to;
    return rd_target_plainly(w, species, p, number, words);
}

/* Sends one leaver of the list, with the four words of its own call. */
template <bool LINE, bool IS_NEAR_END>
static __device__ __forceinline__ void
rd_tile_send(const struct rd_tile &t, const struct rd_fused_step &s, const struct rd_outbox &out,
             const struct rd_world &w, uint32_t leaver)
{
    const uint32_t c = leaver & ((1u << RD_FUSED_STEP_BITS) - 1),
                   number = leaver >> RD_LEAVER_NUMBER;
    const int32_t species = (int32_t)(leaver >> RD_LEAVER_SPECIES & 31);
    const struct rd_spot p = rd_tile_spot<LINE>(t, s, w.lattice, c);
    const struct rd_tile_words words = rd_spot_call(w.lattice, s.where_keys, t.hop_step, p, number);
    atomicSub(rd_tile_count(s, species, c), 1);
    const struct rd_target to = IS_NEAR_END && !rd_is_inner_place(w.movement, p.at)
                                    ? rd_target_near_end(w, species, p, number, words)
                                    : rd_target_inner(t, s, w, species, p, number, words);
    if (!to.is_lost)
        rd_tile_deliver<LINE>(t, s, out, w.lattice, species, p.run, to.at);
}

/* Holds the molecules of a voxel in canonical order, for N species or fewer: end[i] is the number
   after the last one of species i. leave[i] and low[i] are the halves of its threshold for
   leaving. */
template <int N> struct rd_leaver_queue {
    int32_t end[N];
    uint32_t leave[N], low[N];
};

/* Fills the queue. Returns the number of molecules to draw, 0 if is_drawn is false. */
template <int N, bool IS_NEAR_END>
static __device__ __forceinline__ int32_t rd_leaver_queue_open(struct rd_leaver_queue<N> *q,
                                                               const struct rd_fused_step &s,
                                                               const struct rd_world &w,
                                                               const struct rd_spot &p, uint32_t c,
                                                               bool is_drawn)
{
    int32_t end = 0;
    uint64_t near_end = 0; /* the threshold of the species, if the voxel is near an end */
    const bool is_near_end = IS_NEAR_END && !rd_is_inner_place(w.movement, p.at);
#pragma unroll
    for (int i = 0; i < N; i++) {
        int32_t n = 0;
        q->leave[i] = q->low[i] = 0;
        if (is_drawn && i < w.counts.n_species &&
            rd_tile_stepper(s)[i].kind == RD_MOVE_DISPLACEMENTS) {
            n = *rd_tile_count(s, i, c) & RD_STAYING;
            if (is_near_end && !rd_tile_stepper(s)[i].is_alike)
                near_end = rd_leave_from(w.movement, i, p.at);
            q->leave[i] = is_near_end ? (uint32_t)(near_end >> 32) : rd_tile_stepper(s)[i].leave;
            q->low[i] = is_near_end ? (uint32_t)near_end : rd_tile_stepper(s)[i].low;
        }
        q->end[i] = end += n;
    }
    return end;
}

template <int N>
static __device__ __forceinline__ int32_t rd_leaver_queue_at(const struct rd_leaver_queue<N> &q,
                                                             int32_t number, uint32_t *leave,
                                                             uint32_t *low)
{
    int32_t species = 0;
    *leave = q.leave[0];
    *low = q.low[0];
#pragma unroll
    for (int i = 0; i < N - 1; i++)
        if (number >= q.end[i]) {
            species = i + 1;
            *leave = q.leave[i + 1];
            *low = q.low[i + 1];
        }
    return species;
}

/* Returns which of four molecules leave, as bits, if some word equals the high half of a
   threshold. */
template <int N>
static __device__ __forceinline__ uint32_t
rd_tile_ties(const struct rd_tile &t, const struct rd_fused_step &s,
             const struct rd_lattice &lattice, const struct rd_leaver_queue<N> &q,
             const struct rd_spot &p, const struct rd_tile_words &words, int32_t number, int32_t n)
{
    uint32_t individual = 0, leave, low;
#pragma unroll 1
    for (int k = 0; k < 4 && number + k < n; k++) {
        rd_leaver_queue_at(q, number + k, &leave, &low);
        const uint32_t word = k < 2    ? k == 0 ? words.word[0] : words.word[1]
                                 : k == 2 ? words.word[2]
                                       : words.word[3];
        if (word < leave ||
            (word == leave && rd_tie_word(t, s, lattice, p, (uint32_t)(number + k), 0) < low))
            individual |= 1u << k;
    }
    return individual;
}

/* Draws four molecules of each lane's voxel, from `number` on of n, with one call. It appends the
   leavers behind the first `held` ones in the list of the warp, and returns their number then. */
template <int N>
static __device__ __forceinline__ int
rd_tile_draw(const struct rd_tile &t, const struct rd_fused_step &s,
             const struct rd_lattice &lattice, const struct rd_leaver_queue<N> &q,
             const struct rd_spot &p, uint32_t c, int32_t number, int32_t n, uint32_t *list,
             int held)
{
    const struct rd_tile_words words =
        rd_spot_call(lattice, s.stay_keys, t.hop_step, p, (uint32_t)number / 4);
    uint32_t individual = 0, species = 0, leave, low;
    bool ties = false;
#pragma unroll
    for (int k = 0; k < 4; k++) {
        const int32_t one = rd_leaver_queue_at(q, number + k, &leave, &low);
        species |= (uint32_t)one << 8 * k;
        individual |= number + k < n && words.word[k] < leave ? 1u << k : 0;
        ties = ties || words.word[k] == leave;
    }
    if (ties)
        individual = rd_tile_ties(t, s, lattice, q, p, words, number, n);
#pragma unroll
    for (int k = 0; k < 4; k++) {
        const bool leaves = individual >> k & 1;
        const unsigned all = __ballot_sync(~0u, leaves);
        if (leaves)
            list[held + __popc(all & ((1u << threadIdx.x % 32) - 1))] =
                (uint32_t)(number + k) << RD_LEAVER_NUMBER |
                (species >> 8 * k & 31) << RD_LEAVER_SPECIES | c;
        held += __popc(all);
    }
    __syncwarp();
    return held;
}

#endif
