/* tile - the voxels that one block of threads handles in a fused step: their position, their counts
   in shared memory, and the outboxes by which molecules reach other tiles. */
#ifndef RD_CUDA_FUSED_STEP_TILE_CUH
#define RD_CUDA_FUSED_STEP_TILE_CUH

#include "kernels/core/lattice.h"
#include "kernels/core/rng.h"
#include "kernels/cuda/fused_step/table_cache.cuh"
#include "kernels/cuda/fused_step/tiling.cuh"
#include "kernels/passes/movement/walk.h"

/* Limits the threads of a block, the voxels of a tile (2^RD_FUSED_STEP_BITS) and the leavers that a
   warp collects until there are enough for all its lanes. */
enum {
    RD_TILE_THREADS = 256,
    RD_FUSED_STEP_WARPS = RD_TILE_THREADS / 32,
    RD_FUSED_STEP_BITS = 11,
    RD_FUSED_STEP_LEAVERS = 160
};

/* Splits a word of count[] during a fused step: the lowest byte counts the molecules of a moving
   species that stayed so far, the bits above it the arrivals. For voxels that are kept apart, and
   species that do not move, the word is the plain count. */
enum { RD_STAYING = 255, RD_ARRIVED = 256 };

/* Holds the molecules on their way to other tiles: for each tile their number, and as many items as
   there is room for. The rest is in arrive[], to which plain bodies send too. */
struct rd_outbox {
    uint32_t *n;
    uint16_t *item;
    uint32_t capacity;
    uint32_t *spilled; /* set if arrive[] may hold molecules */
    int32_t *arrive;
};

/* Holds the offsets in bytes of a tile's data in shared memory; its counts stand first. */
struct rd_tile_layout {
    int32_t occupied, eventful, deferred, apart, stepper, product, all;
};

/* Holds the arguments that differ between fused steps. */
struct rd_round {
    struct rd_outbox in, out;
    uint32_t *unspilled; /* the flag of the outbox after next, to be cleared */
    const struct rd_step_clock *land_step_clock, *react_step_clock,
        *hop_step_clock;  /* NULL: the pass is not done */
    int32_t reads_arrive; /* other passes have sent to in.arrive */
};

/* Holds the arguments that all fused steps share. */
struct rd_fused_step {
    struct rd_tiling tiling;
    struct rd_tile_layout layout;
    const struct rd_table_cache *table_cache;
    struct rd_fault *land_fault;
    struct rd_keys react_keys, stay_keys, where_keys, tie_keys;
    int32_t reacts;  /* in some fused step */
    int32_t is_wide; /* four neighbours along x are read and written together */
};

/* Holds the position of the block's tile. */
struct rd_tile {
    uint32_t number, begin, run; /* begin: first voxel; run: of a box */
    int32_t corner[3];
    bool is_inner;    /* all its voxels use inner distributions */
    bool has_sources; /* events are possible in its empty voxels */
    uint32_t react_step, hop_step;
};

/* Numbers the counters of the lists of the tile's voxels, and of leavers. */
enum { RD_IS_DEFERRED = 1 << 15 }; /* flag of an eventful voxel: kept apart before */
enum {
    RD_N_OCCUPIED,
    RD_N_SPECIAL,
    RD_N_MANY, /* above 0: some special voxel may have too many molecules, or other movement */
    RD_N_EVENTFUL,
    RD_N_TAKEN,
    RD_N_DEFERRED,
    RD_N_REST,
    RD_N_LISTS
};

extern __shared__ __align__(16) char rd_shared[];

#define RD_TILE_PART(type, name)                                                                   \
    static __device__ __forceinline__ type *rd_tile_##name(const struct rd_fused_step &s)          \
    {                                                                                              \
        return (type *)(rd_shared + s.layout.name);                                                \
    }
/* voxels with molecules, or all; the special ones (many molecules, or near an end) stand last */
RD_TILE_PART(uint16_t, occupied)
RD_TILE_PART(uint16_t, eventful) /* voxels with events */
RD_TILE_PART(uint16_t, deferred) /* voxels whose hop is deferred */
RD_TILE_PART(uint32_t, apart)    /* a bit a voxel: nothing arrives there from within the tile */
RD_TILE_PART(struct rd_stepper, stepper)
RD_TILE_PART(struct rd_product, product)
#undef RD_TILE_PART

static __device__ __forceinline__ int32_t *rd_tile_count(const struct rd_fused_step &s,
                                                         int32_t species, uint32_t c)
{
    return (int32_t *)rd_shared + ((uint32_t)species << s.tiling.voxels_bits) + c;
}

static __device__ __forceinline__ uint32_t rd_tile_mask(const struct rd_fused_step &s, int axis)
{
    return (1u << s.tiling.bits[axis]) - 1;
}

static inline struct rd_tile_layout rd_tile_layout(int voxels_bits, int64_t n_species,
                                                   int64_t n_channels)
{
    const int32_t voxels = 1 << voxels_bits;
    struct rd_tile_layout l;
    l.product = (int32_t)n_species * voxels * (int32_t)sizeof(int32_t);
    l.stepper = l.product + (int32_t)(n_channels * (int64_t)sizeof(struct rd_product));
    l.apart = l.stepper + (int32_t)(n_species * (int64_t)sizeof(struct rd_stepper));
    l.occupied = l.apart + voxels / 8;
    l.eventful = l.occupied + voxels * (int32_t)sizeof(uint16_t);
    l.deferred = l.eventful + voxels * (int32_t)sizeof(uint16_t);
    l.all = l.deferred + voxels * (int32_t)sizeof(uint16_t);
    return l;
}

template <bool LINE>
static __device__ __forceinline__ void
rd_tile_find(struct rd_tile *t, const struct rd_fused_step &s, const struct rd_world &w)
{
    t->number = blockIdx.x;
    t->has_sources = s.table_cache->has_sources;
    t->is_inner = true;
    if (LINE) {
        t->begin = t->number << s.tiling.voxels_bits;
        for (int axis = 0; axis < 3; axis++)
            t->is_inner = t->is_inner && w.movement.inner[axis][0] <= 0 &&
                          w.movement.inner[axis][1] >= w.lattice.size[axis];
        return;
    }
    t->run = rd_box_corner(s.tiling, t->number, t->corner);
    for (int axis = 0; axis < 3; axis++) {
        const int32_t low = t->corner[axis], end = low + (1 << s.tiling.bits[axis]);
        t->is_inner =
            t->is_inner && low >= w.movement.inner[axis][0] &&
            (end < w.lattice.size[axis] ? end : w.lattice.size[axis]) <= w.movement.inner[axis][1];
    }
    t->begin = t->run * (uint32_t)w.lattice.n_sites +
               (uint32_t)((t->corner[2] * w.lattice.size[1] + t->corner[1]) * w.lattice.size[0] +
                          t->corner[0]);
}

/* Computes the lattice voxel of voxel c of the tile. Returns false if it is outside the lattice. */
template <bool LINE>
static __device__ __forceinline__ bool
rd_tile_voxel(const struct rd_tile *t, const struct rd_fused_step &s,
              const struct rd_lattice &lattice, uint32_t c, uint32_t *voxel)
{
    if (LINE) {
        *voxel = t->begin + c;
        return *voxel < lattice.n_voxels;
    }
    const uint32_t x = c & rd_tile_mask(s, 0);
    const uint32_t y = c >> s.tiling.bits[0] & rd_tile_mask(s, 1);
    const uint32_t z = c >> (s.tiling.bits[0] + s.tiling.bits[1]);
    *voxel = t->begin + (z * (uint32_t)lattice.size[1] + y) * (uint32_t)lattice.size[0] + x;
    return (int32_t)x + t->corner[0] < lattice.size[0] &&
           (int32_t)y + t->corner[1] < lattice.size[1] &&
           (int32_t)z + t->corner[2] < lattice.size[2];
}

/* Holds the position of a voxel c of the tile in the lattice. */
struct rd_spot {
    uint32_t run, site;
    int32_t at[3];
};

template <bool LINE>
static __device__ __forceinline__ struct rd_spot
rd_tile_spot(const struct rd_tile &t, const struct rd_fused_step &s,
             const struct rd_lattice &lattice, uint32_t c)
{
    struct rd_spot p;
    if (LINE) {
        const uint32_t voxel = t.begin + c;
        p.run = lattice.n_runs == 1 ? 0 : voxel / (uint32_t)lattice.n_sites;
        p.site = voxel - p.run * (uint32_t)lattice.n_sites;
        const uint32_t row = p.site / (uint32_t)lattice.size[0],
                       layer = row / (uint32_t)lattice.size[1];
        p.at[0] = (int32_t)(p.site - row * (uint32_t)lattice.size[0]);
        p.at[1] = (int32_t)(row - layer * (uint32_t)lattice.size[1]);
        p.at[2] = (int32_t)layer;
        return p;
    }
    rd_box_place(s.tiling, t.corner, c, p.at);
    p.run = t.run;
    p.site = (uint32_t)((p.at[2] * lattice.size[1] + p.at[1]) * lattice.size[0] + p.at[0]);
    return p;
}

/* Returns whether all species that move by displacements use inner distributions there. */
static __device__ __forceinline__ bool rd_is_inner_place(const struct rd_movement &movement,
                                                         const int32_t at[3])
{
    bool is_inner = true;
    for (int axis = 0; axis < 3; axis++)
        is_inner =
            is_inner && at[axis] >= movement.inner[axis][0] && at[axis] < movement.inner[axis][1];
    return is_inner;
}

/* Returns the position in the form of the plain bodies. */
static __device__ __forceinline__ struct rd_place rd_spot_place(const struct rd_lattice &lattice,
                                                                const struct rd_spot &spot)
{
    struct rd_place p;
    p.run = spot.run;
    p.site = spot.site;
    p.voxel = p.run * lattice.n_sites + p.site;
    for (int axis = 0; axis < 3; axis++)
        p.at[axis] = spot.at[axis];
    return p;
}

struct rd_tile_words {
    uint32_t word[4];
};

/* Returns the words of call `draw` of the voxel's stream. The keys of the rounds are in constant
   memory, where they take neither instructions nor registers. */
static __device__ __forceinline__ struct rd_tile_words
rd_spot_call(const struct rd_lattice &lattice, const struct rd_keys &keys, uint32_t step,
             const struct rd_spot &p, uint32_t draw)
{
    uint32_t c0 = draw, c1 = p.site, c2 = step, c3 = (uint32_t)lattice.first_run + p.run;
#pragma unroll
    for (int round = 0; round < RD_PHILOX_ROUNDS; round++)
        rd_philox_mix(&c0, &c1, &c2, &c3, keys.key[round][0], keys.key[round][1]);
    return {{c0, c1, c2, c3}};
}

static __device__ __forceinline__ bool rd_tile_is_apart(const struct rd_fused_step &s, uint32_t c)
{
    return rd_tile_apart(s)[c / 32] >> c % 32 & 1;
}

static __device__ __forceinline__ void rd_tile_keep_apart(const struct rd_fused_step &s, uint32_t c)
{
    atomicOr(&rd_tile_apart(s)[c / 32], 1u << c % 32);
}

static __device__ __forceinline__ uint32_t rd_tile_special(const struct rd_fused_step &s, int i)
{
    return rd_tile_occupied(s)[(1 << s.tiling.voxels_bits) - 1 - i];
}

/* Returns the i-th of all occupied voxels, special ones included. */
static __device__ __forceinline__ uint32_t rd_tile_one_of_all(const struct rd_fused_step &s,
                                                              const int *n, int i)
{
    return i < n[RD_N_OCCUPIED] ? rd_tile_occupied(s)[i] : rd_tile_special(s, i - n[RD_N_OCCUPIED]);
}

/* Appends the items of the lanes with is_one to the list. All lanes of the warp call it. */
static __device__ __forceinline__ void rd_tile_list(uint16_t *list, int *n, bool is_one,
                                                    uint32_t item)
{
    const unsigned all = __ballot_sync(~0u, is_one), lane = threadIdx.x % 32;
    if (all == 0)
        return;
    int at = 0;
    if (lane == 0)
        at = atomicAdd(n, __popc(all));
    at = __shfl_sync(~0u, at, 0) + __popc(all & ((1u << lane) - 1));
    if (is_one)
        list[at] = (uint16_t)item;
}

/* Sends one molecule to the outbox, or to arrive[] if the outbox is full. It is one of fewer than
   RD_BATCH_LEAST molecules. */
template <bool LINE>
static __device__ __forceinline__ void
rd_tile_outbox(const struct rd_fused_step &s, const struct rd_outbox &out,
               const struct rd_lattice &lattice, int32_t species, uint32_t run, const int32_t to[3])
{
    const uint32_t site = (uint32_t)((to[2] * lattice.size[1] + to[1]) * lattice.size[0] + to[0]);
    const uint32_t voxel = run * (uint32_t)lattice.n_sites + site;
    uint32_t tile = voxel >> s.tiling.voxels_bits;
    uint32_t c = voxel & ((1u << s.tiling.voxels_bits) - 1);
    if (!LINE)
        tile = rd_tile_of(s.tiling, run, to, &c);
    const uint32_t at = atomicAdd(&out.n[tile], 1u);
    if (at < out.capacity) {
        out.item[(size_t)tile * out.capacity + at] =
            (uint16_t)((uint32_t)species << RD_FUSED_STEP_BITS | c);
        return;
    }
    rd_add_one_of_small(&out.arrive[species * lattice.n_voxels + voxel]);
    *out.spilled = 1;
}

/* Returns whether the place of the run belongs to the tile; *c becomes its number there. */
template <bool LINE>
static __device__ __forceinline__ bool
rd_tile_has(const struct rd_tile &t, const struct rd_fused_step &s,
            const struct rd_lattice &lattice, uint32_t run, const int32_t to[3], uint32_t *c)
{
    if (LINE) {
        *c = run * (uint32_t)lattice.n_sites +
             (uint32_t)((to[2] * lattice.size[1] + to[1]) * lattice.size[0] + to[0]) - t.begin;
        return *c < 1u << s.tiling.voxels_bits;
    }
    const uint32_t x = (uint32_t)(to[0] - t.corner[0]), y = (uint32_t)(to[1] - t.corner[1]);
    const uint32_t z = (uint32_t)(to[2] - t.corner[2]);
    *c = ((z << s.tiling.bits[1] | y) << s.tiling.bits[0]) | x;
    return x <= rd_tile_mask(s, 0) && y <= rd_tile_mask(s, 1) && z <= rd_tile_mask(s, 2);
}

/* Delivers a molecule to a place of the run, within the tile or through the outbox. */
template <bool LINE>
static __device__ __forceinline__ void
rd_tile_deliver(const struct rd_tile &t, const struct rd_fused_step &s, const struct rd_outbox &out,
                const struct rd_lattice &lattice, int32_t species, uint32_t run,
                const int32_t to[3])
{
    uint32_t c;
    if (rd_tile_has<LINE>(t, s, lattice, run, to, &c) && !rd_tile_is_apart(s, c))
        atomicAdd(rd_tile_count(s, species, c), RD_ARRIVED);
    else
        rd_tile_outbox<LINE>(s, out, lattice, species, run, to);
}

#endif
