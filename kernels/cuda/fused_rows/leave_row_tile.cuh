/* leave_row_tile - the movement from the voxels of a tile, for fused steps of rare species. A lane
   takes a word and draws which of its molecules leave; then a lane takes each leaver and sends it
   within the tile, or to another one. */
#ifndef RD_CUDA_FUSED_ROWS_LEAVE_ROW_TILE_CUH
#define RD_CUDA_FUSED_ROWS_LEAVE_ROW_TILE_CUH

#include "kernels/cuda/fused_rows/row_tile.cuh"

/* Notes whether all species hop. The tile fails if one of them walks. All threads of the block call
   it. */
static __device__ __forceinline__ void rd_inspect_movement(const struct rd_row_steps &k,
                                                           struct rd_row_tile *t)
{
    for (int32_t i = (int32_t)threadIdx.x; i < k.world.counts.n_species; i += RD_ROW_THREADS) {
        const struct rd_transport &m = k.world.movement.transport[i];
        if (!rd_is_hopping(&m))
            t->all_hop = 0;
        else if (m.kind != RD_MOVE_DISPLACEMENTS)
            t->fails = 1;
    }
}

static __device__ __forceinline__ bool rd_does_hop(const struct rd_row_steps &k,
                                                   const struct rd_row_tile *t, int32_t species)
{
    return t->all_hop || rd_is_hopping(&k.world.movement.transport[species]);
}

/* Returns the number of hopping molecules of the voxel in the words before word i. */
static __device__ __forceinline__ uint32_t rd_count_before(const struct rd_row_steps &k,
                                                           const struct rd_row_tile *t,
                                                           const uint32_t *word, uint32_t i)
{
    const uint32_t voxel = rd_word_voxel(k, word[i]);
    uint32_t sum = 0;
#pragma unroll 1
    while (i > 0 && rd_word_voxel(k, word[i - 1]) == voxel) {
        const uint32_t before = word[--i];
        if (rd_word_count(before) > 0 && rd_does_hop(k, t, rd_word_species(k, before)))
            sum += rd_word_count(before);
    }
    return sum;
}

/* Returns which of n molecules leave the voxel, as bits; `first` is the number of the first one
   there. */
static __device__ __forceinline__ uint32_t rd_draw_word(const struct rd_row_steps &k,
                                                        struct rd_row_tile *t,
                                                        const struct rd_spot &p, uint32_t first,
                                                        uint32_t n, uint64_t leave)
{
    const uint32_t high = (uint32_t)(leave >> 32), end = first + n;
    uint32_t mask = 0;
    uint4 words;
#pragma unroll 1
    for (uint32_t number = first / 4 * 4; number < end; number++) {
        if (number % 4 == 0)
            words = rd_words_near(k.stay, number / 4, p.site, t->hop_step,
                                  (uint32_t)k.world.lattice.first_run + p.run, 0);
        const uint32_t word = words.x;
        words = make_uint4(words.y, words.z, words.w, 0);
        if (number >= first &&
            (word < high || (word == high &&
                             rd_low_half(&t->world, rd_row_voxel(k, p), number) < (uint32_t)leave)))
            mask |= 1u << (number - first);
    }
    return mask;
}

/* Appends the leavers of each lane's word i: bit j of the mask is the molecule first + j of the
   voxel. All lanes of a warp call it. */
static __device__ __forceinline__ void rd_list_leavers(const struct rd_row_steps &k,
                                                       struct rd_row_tile *t, uint32_t i,
                                                       uint32_t first, uint32_t mask)
{
    const uint32_t n = (uint32_t)__popc(mask);
    const uint32_t up_to = (uint32_t)rd_sum_up_to_lane((int32_t)n);
    const uint32_t all = __shfl_sync(~0u, up_to, 31);
    uint32_t at = 0;
    if (all == 0)
        return;
    if (threadIdx.x % 32 == 0)
        at = atomicAdd(&t->n_leavers, all);
    at = __shfl_sync(~0u, at, 0);
    if (at + all > k.layout.n_leavers || (mask != 0 && first >> (31 - RD_WORD_BITS) != 0))
        t->fails = 1;
    at += up_to - n;
#pragma unroll 1
    for (; mask != 0 && at < k.layout.n_leavers; mask &= mask - 1)
        rd_row_leaver(k)[at++] = i | (first + (uint32_t)__ffs((int)mask) - 1) << RD_WORD_BITS;
}

/* Draws which molecules of each lane's word i leave, if is_one. All lanes of a warp call it. */
static __device__ __forceinline__ void rd_leave_word(const struct rd_row_steps &k,
                                                     struct rd_row_tile *t, uint32_t i, bool is_one)
{
    const uint32_t *const word = rd_row_words(k, t->side);
    const uint32_t here = is_one ? word[i] : 0;
    uint32_t first = 0, mask = 0;
    if (rd_word_count(here) > 0) {
        const int32_t species = rd_word_species(k, here);
        if (rd_does_hop(k, t, species)) {
            const struct rd_spot p = rd_row_spot(k, *t, rd_word_voxel(k, here));
            const uint64_t leave = rd_is_inner_place(k.world.movement, p.at)
                                       ? k.world.movement.transport[species].inner.leave
                                       : rd_leave_from(k.world.movement, species, p.at);
            first = rd_count_before(k, t, word, i);
            mask = rd_draw_word(k, t, p, first, rd_word_count(here), leave);
        }
    }
    rd_list_leavers(k, t, i, first, mask);
}

/* Sets to[] to the place to which a leaver from an inner place moves. Returns false if its first
   word equals a threshold, so that the plain body must find the place. */
static __device__ __forceinline__ bool rd_find_inner_target(const struct rd_row_steps &k,
                                                            const struct rd_transport &m,
                                                            const int32_t at[3],
                                                            const uint32_t word[4], int32_t to[3])
{
    int way = 0;
    bool is_tie = false;
#pragma unroll
    for (int i = 0; i < RD_N_MOVES - 1; i++) {
        const uint32_t high = (uint32_t)(m.inner.axes[i] >> 32);
        way += word[0] > high;
        is_tie = is_tie || word[0] == high;
    }
    const uint32_t axes = rd_departure_axes(way < m.inner.last ? way : m.inner.last);
#pragma unroll
    for (int axis = 0; axis < 3; axis++) {
        to[axis] = at[axis];
        if ((axes >> axis & 1) == 0)
            continue;
        const struct rd_axis_table &along = m.axis_table[axis];
        to[axis] +=
            rd_shift(&k.world.movement, &k.world.movement.displacement[along.first + along.reach],
                     word[1 + axis]);
        if ((uint32_t)to[axis] >= (uint32_t)k.world.lattice.size[axis])
            to[axis] = rd_wrap(to[axis], k.world.lattice.size[axis]);
    }
    return !is_tie;
}

/* Sets to[] to the place to which a leaver moves. */
static __device__ __forceinline__ void rd_find_row_target(const struct rd_row_steps &k,
                                                          struct rd_row_tile *t,
                                                          const struct rd_spot &p, int32_t species,
                                                          uint32_t number, int32_t to[3])
{
    const uint4 words = rd_words_near(k.where, number, p.site, t->hop_step,
                                      (uint32_t)k.world.lattice.first_run + p.run, 0);
    const uint32_t word[4] = {words.x, words.y, words.z, words.w};
    const bool is_found =
        rd_is_inner_place(k.world.movement, p.at)
            ? rd_find_inner_target(k, k.world.movement.transport[species], p.at, word, to)
            : rd_near_target(k.world, species, p.at, word, to);
    if (is_found)
        return;
    const int64_t voxel =
        rd_target_by_displacements(&t->world, rd_row_voxel(k, p), species, number);
    const struct rd_place place = rd_place_of(&k.world.lattice, voxel);
    for (int axis = 0; axis < 3; axis++)
        to[axis] = place.at[axis];
}

/* Sends the listed leavers. All threads of the block call it, after a barrier. */
static __device__ __forceinline__ void rd_send_row_leavers(const struct rd_row_steps &k,
                                                           struct rd_row_tile *t,
                                                           const struct rd_row_outbox &out)
{
    const uint32_t n = t->n_leavers < k.layout.n_leavers ? t->n_leavers : k.layout.n_leavers;
    uint32_t *const word = rd_row_words(k, t->side);
#pragma unroll 1
    for (uint32_t j = threadIdx.x; j - threadIdx.x % 32 < n; j += RD_ROW_THREADS) {
        bool is_here = false;
        uint32_t sent = 0;
        if (j < n) {
            const uint32_t leaver = rd_row_leaver(k)[j], i = leaver & ((1u << RD_WORD_BITS) - 1);
            const uint32_t from = atomicSub(&word[i], 1u);
            const int32_t species = rd_word_species(k, from);
            const struct rd_spot p = rd_row_spot(k, *t, rd_word_voxel(k, from));
            uint32_t c;
            int32_t to[3];
            rd_find_row_target(k, t, p, species, leaver >> RD_WORD_BITS, to);
            const uint32_t tile = rd_tile_of(k.tiling, p.run, to, &c);
            sent = rd_row_word(k, c, species, 1);
            is_here = tile == t->number;
            if (!is_here)
                rd_post_word(t, out, tile, sent);
        }
        rd_append_words(k, t, is_here, sent);
    }
}

#endif
