/* tile_counts - transfers the counts of a tile between global and shared memory; arrivals are
   added, and the voxels that are not empty are listed. */
#ifndef RD_CUDA_FUSED_STEP_TILE_COUNTS_CUH
#define RD_CUDA_FUSED_STEP_TILE_COUNTS_CUH

#include "kernels/cuda/fused_step/tile.cuh"

#include <cuda_pipeline.h>

/* Loads the table cache into shared memory. */
static __device__ __forceinline__ void rd_tile_load(const struct rd_fused_step &s,
                                                    const struct rd_world &w)
{
    const uint32_t *from = (const uint32_t *)s.table_cache->stepper;
    uint32_t *to = (uint32_t *)rd_tile_stepper(s);
    const uint32_t n_stepper = w.counts.n_species * (sizeof(struct rd_stepper) / sizeof *from);
    const uint32_t n_product = w.reactions.n_reactions * (sizeof(struct rd_product) / sizeof *from);
    for (uint32_t i = threadIdx.x; i < n_stepper; i += RD_TILE_THREADS)
        to[i] = from[i];
    from = (const uint32_t *)s.table_cache->product;
    to = (uint32_t *)rd_tile_product(s);
    for (uint32_t i = threadIdx.x; s.reacts && i < n_product; i += RD_TILE_THREADS)
        to[i] = from[i];
}

/* Empties the lists, and clears the bits of voxels kept apart. */
static __device__ __forceinline__ void rd_tile_clear(const struct rd_fused_step &s, int *n)
{
    for (uint32_t i = threadIdx.x; i < (1u << s.tiling.voxels_bits) / 32; i += RD_TILE_THREADS)
        rd_tile_apart(s)[i] = 0;
    if (threadIdx.x < RD_N_LISTS)
        n[threadIdx.x] = 0;
}

/* Loads the counts into shared memory, W neighbours along x together. */
template <int W, bool LINE>
static __device__ __forceinline__ void
rd_tile_fetch(const struct rd_tile &t, const struct rd_fused_step &s, const struct rd_world &w)
{
    const uint32_t voxels = 1u << s.tiling.voxels_bits;
#pragma unroll 1
    for (uint32_t c = W * threadIdx.x; c < voxels; c += W * RD_TILE_THREADS) {
        uint32_t voxel;
        const bool is_there = rd_tile_voxel<LINE>(&t, s, w.lattice, c, &voxel);
        const int32_t *from = w.counts.count + (is_there ? voxel : 0);
#pragma unroll 1
        for (int32_t i = 0; i < w.counts.n_species; i++, from += w.lattice.n_voxels)
            __pipeline_memcpy_async(rd_tile_count(s, i, c), from, W * sizeof(int32_t),
                                    is_there ? 0 : W * sizeof(int32_t));
    }
    __pipeline_commit();
    __pipeline_wait_prior(0);
}

/* Loads the counts one by one, if rows of the lattice are not aligned. */
template <bool LINE>
static __device__ __noinline__ void
rd_tile_fetch_each(const struct rd_tile *t, const struct rd_fused_step *s, const struct rd_world *w)
{
    rd_tile_fetch<1, LINE>(*t, *s, *w);
}

/* Adds the molecules in arrive[], and clears it. A negative number is an overflow, whatever else
   arrives. */
template <bool LINE>
static __device__ __noinline__ void
rd_tile_fetch_arrived(const struct rd_tile *t, const struct rd_fused_step *s,
                      const struct rd_outbox *in, const struct rd_world *w)
{
    for (uint32_t c = threadIdx.x; c < 1u << s->tiling.voxels_bits; c += RD_TILE_THREADS) {
        uint32_t voxel;
        if (!rd_tile_voxel<LINE>(t, *s, w->lattice, c, &voxel))
            continue;
        for (int32_t i = 0; i < w->counts.n_species; i++) {
            int32_t *const arrive = in->arrive + i * w->lattice.n_voxels + voxel;
            int32_t *const count = rd_tile_count(*s, i, c);
            const int32_t more = *arrive;
            if (more == 0)
                continue;
            *arrive = 0;
            *count = more < 0 || *count > INT32_MAX - more ? INT32_MIN : *count + more;
        }
    }
    __syncthreads();
}

/* Holds what a thread reads of a tile's inbox. */
struct rd_inbox {
    uint32_t n, item, spilled;
};

/* Starts the loads of the tile's inbox; the values are used in rd_tile_open_outbox. */
static __device__ __forceinline__ struct rd_inbox rd_tile_request_inbox(const struct rd_tile &t,
                                                                        const struct rd_outbox &in)
{
    struct rd_inbox inbox;
    inbox.n = in.n[t.number];
    inbox.spilled = *in.spilled;
    inbox.item =
        threadIdx.x < in.capacity ? in.item[(size_t)t.number * in.capacity + threadIdx.x] : 0;
    return inbox;
}

/* Adds the molecules of the inbox to the counts, and empties it. */
static __device__ __forceinline__ void rd_tile_read_inbox(const struct rd_tile &t,
                                                          const struct rd_fused_step &s,
                                                          const struct rd_outbox &in,
                                                          const struct rd_inbox &inbox)
{
    const uint32_t n = inbox.n < in.capacity ? inbox.n : in.capacity;
    uint32_t item = inbox.item;
    for (uint32_t i = threadIdx.x; i < n; i += RD_TILE_THREADS) {
        if (i >= RD_TILE_THREADS)
            item = in.item[(size_t)t.number * in.capacity + i];
        atomicAdd(rd_tile_count(s, (int32_t)(item >> RD_FUSED_STEP_BITS),
                                item & ((1u << RD_FUSED_STEP_BITS) - 1)),
                  1);
    }
    __syncthreads();
    if (threadIdx.x == 0)
        in.n[t.number] = 0;
}

/* Records an overflow for each count that exceeded its range, and sets it to 0. */
template <bool LINE>
static __device__ __noinline__ void
rd_tile_report_overflow(const struct rd_tile *t, const struct rd_fused_step *s,
                        const struct rd_round *r, const struct rd_world *w)
{
    struct rd_world land = *w;
    land.runs.fault = s->land_fault;
    land.pass.step_clock = r->land_step_clock;
    land.pass.fused_step_place = 0;
    for (uint32_t c = threadIdx.x; c < 1u << s->tiling.voxels_bits; c += RD_TILE_THREADS) {
        uint32_t voxel;
        rd_tile_voxel<LINE>(t, *s, w->lattice, c, &voxel);
        for (int32_t i = 0; i < w->counts.n_species; i++)
            if (*rd_tile_count(*s, i, c) < 0) {
                rd_fault_at(&land, RD_FAULT_OVERFLOW, voxel, i);
                *rd_tile_count(*s, i, c) = 0;
            }
    }
    __syncthreads();
}

/* Lists those of four voxels in a row whose bit is set, from the front or from the back of the
   list. */
template <int STEP>
static __device__ __forceinline__ void rd_tile_list_four(uint16_t *list, int *n, uint32_t bits,
                                                         uint32_t c)
{
    int sum = 0, at = 0, first = 0;
#pragma unroll
    for (int k = 0; k < 4; k++) {
        const unsigned all = __ballot_sync(~0u, bits >> k & 1);
        at += __popc(all & ((1u << threadIdx.x % 32) - 1));
        sum += __popc(all);
    }
    if (sum == 0)
        return;
    if (threadIdx.x % 32 == 0)
        first = atomicAdd(n, sum);
    at += __shfl_sync(~0u, first, 0);
#pragma unroll
    for (int k = 0; k < 4; k++)
        if (bits >> k & 1)
            list[STEP * at++] = (uint16_t)(c + (uint32_t)k);
}

/* Returns which of four voxels in a row are in the lattice, as bits. */
template <bool LINE>
static __device__ __forceinline__ uint32_t rd_tile_voxels(const struct rd_tile &t,
                                                          const struct rd_fused_step &s,
                                                          const struct rd_lattice &lattice,
                                                          uint32_t c)
{
    uint32_t bits = 0, voxel;
#pragma unroll 1
    for (uint32_t k = 0; k < 4; k++)
        bits |= rd_tile_voxel<LINE>(&t, s, lattice, c + k, &voxel) ? 1u << k : 0;
    return bits;
}

/* Returns which of four voxels in a row are near an end, as bits. */
template <bool LINE>
static __device__ __forceinline__ uint32_t rd_tile_near(const struct rd_tile &t,
                                                        const struct rd_fused_step &s,
                                                        const struct rd_world &w, uint32_t c)
{
    uint32_t bits = 0;
#pragma unroll 1
    for (uint32_t k = 0; k < 4; k++)
        bits |= rd_is_inner_place(w.movement, rd_tile_spot<LINE>(t, s, w.lattice, c + k).at)
                    ? 0
                    : 1u << k;
    return bits;
}

/* Describes four voxels in a row. some: they have molecules; many: they have too many of one
   species to draw them one by one; is_over: some count is out of range. */
struct rd_four {
    uint32_t some, many;
    bool is_over;
};

static __device__ __forceinline__ struct rd_four
rd_tile_four(const struct rd_fused_step &s, const struct rd_counts &counts, uint32_t c)
{
    uint32_t any[4] = {0, 0, 0, 0}, many[4] = {0, 0, 0, 0};
#pragma unroll 1
    for (int32_t i = 0; i < counts.n_species; i++) {
        const uint4 number = *(const uint4 *)rd_tile_count(s, i, c);
        const uint32_t each[4] = {number.x, number.y, number.z, number.w};
        const int32_t kind = rd_tile_stepper(s)[i].kind;
        const uint32_t more =
            kind == RD_MOVE_DISPLACEMENTS ? 256 - RD_BATCH_LEAST : 255; /* a sum of 256: too many */
#pragma unroll
        for (int k = 0; k < 4; k++) {
            any[k] |= each[k];
            many[k] |= kind == RD_MOVE_NOT ? 0 : each[k] + more;
        }
    }
    struct rd_four four = {0, 0, (int32_t)(any[0] | any[1] | any[2] | any[3]) < 0};
#pragma unroll
    for (int k = 0; k < 4; k++) {
        four.some |= any[k] != 0 ? 1u << k : 0;
        four.many |= many[k] >= 256 ? 1u << k : 0;
    }
    return four;
}

/* Lists the voxels that are not empty, or all. Returns whether there was an overflow. */
template <bool LINE>
static __device__ __forceinline__ bool
rd_tile_list_voxels(const struct rd_tile &t, const struct rd_fused_step &s,
                    const struct rd_world &w, bool lists_all, bool hops, int *n)
{
    const uint32_t voxels = 1u << s.tiling.voxels_bits;
    bool is_over = false;
#pragma unroll 1
    for (uint32_t c = 4 * threadIdx.x; c - 4 * (threadIdx.x % 32) < voxels;
         c += 4 * RD_TILE_THREADS) {
        const struct rd_four four = rd_tile_four(s, w.counts, c);
        is_over = is_over || four.is_over;
        const uint32_t listed = lists_all ? rd_tile_voxels<LINE>(t, s, w.lattice, c) : four.some;
        uint32_t special = hops ? four.some & four.many : 0;
        if (special != 0)
            atomicOr(&n[RD_N_MANY], 1);
        if (hops && !t.is_inner && four.some != 0)
            special |= four.some & rd_tile_near<LINE>(t, s, w, c);
        rd_tile_list_four<1>(rd_tile_occupied(s), &n[RD_N_OCCUPIED], listed & ~special, c);
        rd_tile_list_four<-1>(rd_tile_occupied(s) + voxels - 1, &n[RD_N_SPECIAL], special, c);
    }
    return is_over;
}

/* Returns the sum of stayed and arrived molecules in a word of count[]. */
static __device__ __forceinline__ int32_t rd_joined(int32_t n)
{
    return (n & (RD_ARRIVED - 1)) + (n >> 8);
}

static __device__ __forceinline__ void rd_tile_join(int4 *number, const struct rd_fused_step &s,
                                                    uint32_t c)
{
    if ((number->x | number->y | number->z | number->w) < RD_ARRIVED)
        return;
    const uint32_t apart = rd_tile_apart(s)[c / 32] >> c % 32;
    number->x = apart & 1 ? number->x : rd_joined(number->x);
    number->y = apart & 2 ? number->y : rd_joined(number->y);
    number->z = apart & 4 ? number->z : rd_joined(number->z);
    number->w = apart & 8 ? number->w : rd_joined(number->w);
}

/* Stores the counts, after a movement (moved) or without one. */
template <bool LINE>
static __device__ __forceinline__ void rd_tile_store(const struct rd_tile &t,
                                                     const struct rd_fused_step &s,
                                                     const struct rd_world &w, bool moved)
{
    const uint32_t voxels = 1u << s.tiling.voxels_bits;
#pragma unroll 1
    for (uint32_t c = 4 * threadIdx.x; c < voxels; c += 4 * RD_TILE_THREADS) {
        uint32_t voxel;
        const bool is_there = rd_tile_voxel<LINE>(&t, s, w.lattice, c, &voxel);
        int32_t *to = w.counts.count + (is_there ? voxel : 0);
#pragma unroll 1
        for (int32_t i = 0; i < w.counts.n_species; i++, to += w.lattice.n_voxels) {
            int4 number = *(const int4 *)rd_tile_count(s, i, c);
            if (moved && rd_tile_stepper(s)[i].kind != RD_MOVE_NOT)
                rd_tile_join(&number, s, c);
            if (is_there)
                *(int4 *)to = number;
        }
    }
}

/* Joins stayed and arrived molecules after a movement, for the next fused step of a persistent
   kernel. */
static __device__ __forceinline__ void rd_tile_stay(const struct rd_fused_step &s,
                                                    const struct rd_counts &counts)
{
    const uint32_t voxels = 1u << s.tiling.voxels_bits;
#pragma unroll 1
    for (uint32_t c = 4 * threadIdx.x; c < voxels; c += 4 * RD_TILE_THREADS)
#pragma unroll 1
        for (int32_t i = 0; i < counts.n_species; i++)
            if (rd_tile_stepper(s)[i].kind != RD_MOVE_NOT)
                rd_tile_join((int4 *)rd_tile_count(s, i, c), s, c);
}

/* Stores the counts one by one, if rows of the lattice are not aligned. */
template <bool LINE>
static __device__ __noinline__ void rd_tile_store_each(const struct rd_tile *t,
                                                       const struct rd_fused_step *s,
                                                       const struct rd_world *w, bool moved)
{
    for (uint32_t c = threadIdx.x; c < 1u << s->tiling.voxels_bits; c += RD_TILE_THREADS) {
        uint32_t voxel;
        if (!rd_tile_voxel<LINE>(t, *s, w->lattice, c, &voxel))
            continue;
        for (int32_t i = 0; i < w->counts.n_species; i++) {
            const int32_t n = *rd_tile_count(*s, i, c);
            const bool is_apart =
                !moved || rd_tile_stepper(*s)[i].kind == RD_MOVE_NOT || rd_tile_is_apart(*s, c);
            w->counts.count[i * w->lattice.n_voxels + voxel] = is_apart ? n : rd_joined(n);
        }
    }
}

#endif
