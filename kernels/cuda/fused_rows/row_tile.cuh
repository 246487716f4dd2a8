/* row_tile - the molecules of a tile of voxels in shared memory, for steps of rare species that are
   fused into one kernel. A word holds a voxel of the tile, a species and its count there. After a
   sort, the words of a voxel stand together, in canonical order; those that are added later stand
   behind. A word of count 0 means nothing. */
#ifndef RD_CUDA_FUSED_ROWS_ROW_TILE_CUH
#define RD_CUDA_FUSED_ROWS_ROW_TILE_CUH

#include "kernels/cuda/fused_step/tiling.cuh"
#include "kernels/cuda/passes/block_claim.cuh"
#include "kernels/cuda/passes/row_targets.cuh"
#include "kernels/passes/reactions/row_ssa.h"

/* Sets the threads of a block, the blocks on a multiprocessor, the bits of a count in a word, which
   is not larger here, and the bits of the index of a word. */
enum {
    RD_ROW_THREADS = 512,
    RD_ROW_BLOCKS_EACH = 2,
    RD_ROW_WARPS = RD_ROW_THREADS / 32,
    RD_COUNT_BITS = 5,
    RD_WORD_BITS = 14
};
static_assert(RD_BATCH_LEAST <= 1 << RD_COUNT_BITS, "counts of molecules drawn one by one fit");

/* Sets the entries of a voxel with events, and the steps of a kernel. */
enum { RD_EVENT_ENTRIES = 32, RD_ROW_STEPS_MOST = 32 };

/* Holds the offsets in bytes of a tile's data in shared memory, behind two arrays of words. */
struct rd_row_layout {
    int32_t end, leaver, candidate, is_candidate, possible, all;
    uint32_t n_words, n_leavers; /* there is memory for */
};

/* Holds the molecules on their way to other tiles, as words of those. */
struct rd_row_outbox {
    uint32_t *n, *word;
    uint32_t capacity;
};

/* Holds what differs between steps: the numbers of the step clocks, and the length of the
   reactions. */
struct rd_row_step {
    uint8_t hop, react;
    double dt;
};

/* Holds the arguments of the kernel: consecutive steps, each of a movement and the reactions after
   it. It changes nothing outside its own memory unless all blocks can do all steps. */
struct rd_row_steps {
    struct rd_tiling tiling;
    struct rd_row_layout layout;
    int32_t species_bits;
    struct rd_world world; /* at the first movement */
    struct rd_keys stay, where, event;
    struct rd_row_outbox outbox[2]; /* of steps with even and odd number */
    uint32_t *n_arrived;            /* arrivals of blocks at the grid barrier */
    uint32_t *n_failed;             /* blocks that cannot do all steps */
    int64_t *n_entries;             /* of all tiles, after the last step */
    struct rd_row_entry *pool;      /* for them, and how many fit */
    int64_t n_pool;
    uint32_t *fired; /* [tile][n_fired_most]: index of the counter of each event */
    uint32_t n_fired_most;
    const struct rd_step_clock *first_clock;
    int32_t n;
    struct rd_row_step step[RD_ROW_STEPS_MOST];
};
static_assert(sizeof(struct rd_row_steps) <= 32764, "a kernel's argument");

/* Holds the state of a block in shared memory. */
struct rd_row_tile {
    struct rd_world world; /* at the present movement */
    uint32_t number, run, hop_step, react_step;
    double react_dt;
    int32_t corner[3];
    int32_t side;               /* the array of words in use */
    uint32_t n_words, n_sorted; /* words in all, and at the last sort */
    uint32_t n_valid;           /* words from this one on are not there, since memory lacked */
    uint32_t n_leavers, n_candidates, n_taken, n_fired;
    int32_t fails;   /* the tile cannot do all steps */
    int32_t all_hop; /* no species rests */
    uint32_t warp_sum[RD_ROW_WARPS];
    int64_t begin; /* the first entry in the pool, after the last step */
    bool is_committed;
};

extern __shared__ __align__(16) char rd_row_shared[];

#define RD_ROW_PART(type, name)                                                                    \
    static __device__ __forceinline__ type *rd_row_##name(const struct rd_row_steps &k)            \
    {                                                                                              \
        return (type *)(rd_row_shared + k.layout.name);                                            \
    }
RD_ROW_PART(uint32_t, end)          /* [voxel]: end of its words, after a sort */
RD_ROW_PART(uint32_t, leaver)       /* index of a word and number of the molecule in its voxel */
RD_ROW_PART(uint16_t, candidate)    /* voxels in which reactions may happen */
RD_ROW_PART(uint32_t, is_candidate) /* a bit a voxel */
RD_ROW_PART(struct rd_row_possible, possible) /* [warp] */
#undef RD_ROW_PART

static __device__ __forceinline__ uint32_t *rd_row_words(const struct rd_row_steps &k, int32_t side)
{
    return (uint32_t *)rd_row_shared + side * k.layout.n_words;
}

static __device__ __forceinline__ uint32_t rd_row_word(const struct rd_row_steps &k, uint32_t voxel,
                                                       int32_t species, uint32_t count)
{
    return (voxel << k.species_bits | (uint32_t)species) << RD_COUNT_BITS | count;
}

static __device__ __forceinline__ uint32_t rd_word_count(uint32_t word)
{
    return word & ((1u << RD_COUNT_BITS) - 1);
}

static __device__ __forceinline__ int32_t rd_word_species(const struct rd_row_steps &k,
                                                          uint32_t word)
{
    return (int32_t)(word >> RD_COUNT_BITS & ((1u << k.species_bits) - 1));
}

static __device__ __forceinline__ uint32_t rd_word_voxel(const struct rd_row_steps &k,
                                                         uint32_t word)
{
    return word >> (k.species_bits + RD_COUNT_BITS);
}

static __device__ __forceinline__ bool rd_is_row_candidate(const struct rd_row_steps &k, uint32_t c)
{
    return rd_row_is_candidate(k)[c / 32] >> c % 32 & 1;
}

/* Returns the place of voxel c of the tile, which may be outside the lattice. */
static __device__ __forceinline__ struct rd_spot
rd_row_spot(const struct rd_row_steps &k, const struct rd_row_tile &t, uint32_t c)
{
    const int32_t *const size = k.world.lattice.size;
    struct rd_spot p;
    rd_box_place(k.tiling, t.corner, c, p.at);
    p.run = t.run;
    p.site = (uint32_t)((p.at[2] * size[1] + p.at[1]) * size[0] + p.at[0]);
    return p;
}

static __device__ __forceinline__ bool rd_is_in_lattice(const struct rd_row_steps &k,
                                                        const struct rd_spot &p)
{
    const int32_t *const size = k.world.lattice.size;
    return p.at[0] < size[0] && p.at[1] < size[1] && p.at[2] < size[2];
}

static __device__ __forceinline__ uint32_t rd_row_voxel(const struct rd_row_steps &k,
                                                        const struct rd_spot &p)
{
    return p.run * (uint32_t)k.world.lattice.n_sites + p.site;
}

/* Claims n places behind the words. Returns the first of them; if there are too few, the tile fails
   and the place is beyond the memory. */
static __device__ __forceinline__ uint32_t rd_claim_words(const struct rd_row_steps &k,
                                                          struct rd_row_tile *t, uint32_t n)
{
    const uint32_t at = atomicAdd(&t->n_words, n);
    if (at + n <= k.layout.n_words)
        return at;
    atomicMin(&t->n_valid, at); /* later claims begin behind it */
    t->fails = 1;
    return UINT32_MAX;
}

/* Appends the words of the lanes with is_one. All lanes of a warp call it. */
static __device__ __forceinline__ void
rd_append_words(const struct rd_row_steps &k, struct rd_row_tile *t, bool is_one, uint32_t word)
{
    const unsigned all = __ballot_sync(~0u, is_one), lane = threadIdx.x % 32;
    uint32_t at = 0;
    if (all == 0)
        return;
    if (lane == 0)
        at = rd_claim_words(k, t, (uint32_t)__popc(all));
    at = __shfl_sync(~0u, at, 0);
    if (is_one && at != UINT32_MAX)
        rd_row_words(k, t->side)[at + (uint32_t)__popc(all & ((1u << lane) - 1))] = word;
}

/* Returns the number of words in memory: no more than fit, even if the tile fails. */
static __device__ __forceinline__ uint32_t rd_n_words(const struct rd_row_tile *t)
{
    return t->n_words < t->n_valid ? t->n_words : t->n_valid;
}

/* Sends a word to another tile, which takes it after the barrier. */
static __device__ __forceinline__ void
rd_post_word(struct rd_row_tile *t, const struct rd_row_outbox &out, uint32_t tile, uint32_t word)
{
    const uint32_t at = atomicAdd(&out.n[tile], 1u);
    if (at < out.capacity)
        out.word[(size_t)tile * out.capacity + at] = word;
    else
        t->fails = 1;
}

/* ---- sort ---- */

/* Returns the sum of n over the threads before this one, and in *all over all threads. All threads
   of the block call it; it ends with a barrier. */
static __device__ __forceinline__ uint32_t rd_sum_before(struct rd_row_tile *t, uint32_t n,
                                                         uint32_t *all)
{
    const uint32_t up_to = (uint32_t)rd_sum_up_to_lane((int32_t)n);
    uint32_t before = up_to - n;
    *all = 0;
    if (threadIdx.x % 32 == 31)
        t->warp_sum[threadIdx.x / 32] = up_to;
    __syncthreads();
#pragma unroll
    for (uint32_t i = 0; i < RD_ROW_WARPS; i++) {
        before += i < threadIdx.x / 32 ? t->warp_sum[i] : 0;
        *all += t->warp_sum[i];
    }
    __syncthreads();
    return before;
}

/* Returns how many consecutive voxels a thread takes, and in *begin the first of them. */
static __device__ __forceinline__ uint32_t rd_voxels_of_thread(const struct rd_row_steps &k,
                                                               uint32_t *begin)
{
    const uint32_t voxels = 1u << k.tiling.voxels_bits;
    const uint32_t each = voxels > RD_ROW_THREADS ? voxels / RD_ROW_THREADS : 1;
    *begin = threadIdx.x * each;
    return *begin < voxels ? each : 0;
}

/* Replaces the numbers of words of the voxels by the sums before them. Returns the sum of all. All
   threads of the block call it, after a barrier; it ends with one. */
static __device__ __forceinline__ uint32_t rd_scan_voxels(const struct rd_row_steps &k,
                                                          struct rd_row_tile *t)
{
    uint32_t begin, all, sum = 0;
    uint32_t *const end = rd_row_end(k);
    const uint32_t each = rd_voxels_of_thread(k, &begin);
#pragma unroll 1
    for (uint32_t i = 0; i < each; i++)
        sum += end[begin + i];
    sum = rd_sum_before(t, sum, &all);
#pragma unroll 1
    for (uint32_t i = 0; i < each; i++) {
        const uint32_t n = end[begin + i];
        end[begin + i] = sum;
        sum += n;
    }
    __syncthreads();
    return all;
}

/* Clears the numbers of words of the voxels, and the candidates. */
static __device__ __forceinline__ void rd_clear_voxels(const struct rd_row_steps &k)
{
    const uint32_t voxels = 1u << k.tiling.voxels_bits;
#pragma unroll 1
    for (uint32_t c = threadIdx.x; c < voxels; c += RD_ROW_THREADS)
        rd_row_end(k)[c] = 0;
#pragma unroll 1
    for (uint32_t i = threadIdx.x; i < voxels / 32; i += RD_ROW_THREADS)
        rd_row_is_candidate(k)[i] = 0;
}

/* Sorts the words by voxel into the other array. The numbers of words are cleared. All threads of
   the block call it, between barriers. */
static __device__ __forceinline__ void rd_sort_by_voxel_here(const struct rd_row_steps &k,
                                                             struct rd_row_tile *t)
{
    const uint32_t n = rd_n_words(t);
    const uint32_t *const from = rd_row_words(k, t->side);
    uint32_t *const to = rd_row_words(k, 1 - t->side), *const end = rd_row_end(k);
#pragma unroll 1
    for (uint32_t i = threadIdx.x; i < n; i += RD_ROW_THREADS)
        if (rd_word_count(from[i]) > 0)
            atomicAdd(&end[rd_word_voxel(k, from[i])], 1u);
    __syncthreads();
    const uint32_t all = rd_scan_voxels(k, t);
#pragma unroll 1
    for (uint32_t i = threadIdx.x; i < n; i += RD_ROW_THREADS)
        if (rd_word_count(from[i]) > 0)
            to[atomicAdd(&end[rd_word_voxel(k, from[i])], 1u)] = from[i];
    __syncthreads();
    if (threadIdx.x == 0) {
        t->side = 1 - t->side;
        t->n_words = t->n_sorted = all;
    }
    __syncthreads();
}

/* Adds the counts of equal species among sorted words of a voxel. The words left over get count 0.
   Returns false if a count is too large. */
static __device__ __forceinline__ bool rd_merge_words(uint32_t *word, uint32_t begin, uint32_t end)
{
    bool fit = true;
    uint32_t to = begin;
#pragma unroll 1
    for (uint32_t i = begin + 1; i < end; i++) {
        const uint32_t next = word[i];
        if (next >> RD_COUNT_BITS != word[to] >> RD_COUNT_BITS) {
            word[++to] = next;
        } else if (rd_word_count(word[to]) + rd_word_count(next) < RD_BATCH_LEAST) {
            word[to] += rd_word_count(next);
        } else {
            fit = false;
        }
    }
#pragma unroll 1
    while (++to < end)
        word[to] &= ~((1u << RD_COUNT_BITS) - 1);
    return fit;
}

/* Sorts the words begin ... end - 1 of a voxel by species, and merges equal ones. */
static __device__ __forceinline__ bool rd_order_voxel(uint32_t *word, uint32_t begin, uint32_t end)
{
#pragma unroll 1
    for (uint32_t i = begin + 1; i < end; i++) {
        const uint32_t next = word[i];
        uint32_t at = i;
#pragma unroll 1
        for (; at > begin && word[at - 1] > next; at--)
            word[at] = word[at - 1];
        word[at] = next;
    }
    return rd_merge_words(word, begin, end);
}

/* Returns whether word i is the first of its voxel, among sorted ones. */
static __device__ __forceinline__ bool rd_is_first_of_voxel(const struct rd_row_steps &k,
                                                            const uint32_t *word, uint32_t i)
{
    return i == 0 || rd_word_voxel(k, word[i - 1]) != rd_word_voxel(k, word[i]);
}

#endif
