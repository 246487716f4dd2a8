/* hop_walks - the tuned version of hop for the GPU if some species move by uniformised walks. A
   lane takes a voxel and draws which molecules leave. Then lanes take the next voxels of their
   block with walking molecules, and make one hop in every turn; so no lane waits for the longest
   walk of 32. */
#include "kernels/cuda/backend/tuned_passes.cuh"
#include "kernels/cuda/fused_step/crowded_voxels.cuh"
#include "kernels/cuda/passes/walker.cuh"

enum {
    BLOCKS_EACH = 10,
    VOXELS_LEAST = 256,
    BLOCKS_WANTED = 1024,
    SHARED_MOST = 32 * 1024,
    DEFERRED_BLOCKS_EACH = 6
};

/* Holds the data that a block's lanes share. Before the walks, words[] holds the voxels with
   hopping molecules. */
struct uniformised_walks {
    struct rd_block_leavers leavers;
    struct rd_walk_words words;
    int n_hopping_voxels, n_taken; /* voxels: listed, and taken by lanes */
};
static_assert(sizeof(struct rd_walk_words) >= RD_DRAW_VOXELS * sizeof(uint32_t),
              "room for all voxels");

/* Holds a lane's walk: it moves one molecule after another of the voxel that it has taken. */
struct warp_guide {
    bool is_busy;
    int32_t species, waiting;
    struct rd_walker walker;
};

/* Begins the walk of the next molecule of the voxel, if there is one. */
static __device__ __forceinline__ void call_next(const struct rd_world &w,
                                                 const struct rd_draw_parameters &s,
                                                 const struct uniformised_walks &l,
                                                 struct warp_guide *g)
{
    while (g->waiting == 0 && ++g->species < w.counts.n_species)
        if (w.movement.transport[g->species].kind == RD_MOVE_WALK)
            g->waiting = __popc(l.leavers.individual[g->species * s.voxels + g->walker.from.c]);
    g->is_busy = g->waiting > 0;
    g->walker.is_first = true;
    g->waiting--;
}

static __device__ __forceinline__ void take_voxel(const struct rd_world &w,
                                                  const struct rd_draw_parameters &s,
                                                  struct uniformised_walks *l, uint32_t begin,
                                                  struct warp_guide *g)
{
    const int at = atomicAdd(&l->n_taken, 1);
    if (at >= l->leavers.n_uniformised_walks)
        return;
    rd_walker_open(&g->walker,
                   rd_drawn_voxel_of(w.lattice, s, begin, l->leavers.uniformised_walk[at]));
    g->species = -1;
    g->waiting = 0;
    call_next(w, s, *l, g);
}

/* Attempts one hop of the lane's molecule, and ends its walk after the last one. */
static __device__ __forceinline__ void next_attempt(const struct rd_world &w,
                                                    const struct rd_draw_parameters &s,
                                                    struct uniformised_walks *l, uint32_t step,
                                                    struct warp_guide *g)
{
    const int end = rd_walker_attempt(w, s, &l->words, step, g->species, &g->walker);
    if (end == RD_WALK_GOES_ON)
        return;
    if (end == RD_WALK_ENDS)
        rd_add_one_of_small(rd_arrivals_at(&w, g->species, rd_walker_voxel(w.lattice, g->walker)));
    call_next(w, s, *l, g);
}

/* Continues the walks until no molecule of the block's voxels is left. All threads of a warp call
   it. */
static __device__ __forceinline__ void go_on_uniformised_walks(const struct rd_world &w,
                                                               const struct rd_draw_parameters &s,
                                                               struct uniformised_walks *l,
                                                               uint32_t begin, uint32_t step)
{
    struct warp_guide g;
    g.is_busy = false;
    for (;;) {
        if (!g.is_busy)
            take_voxel(w, s, l, begin, &g);
        if (!__any_sync(~0u, g.is_busy))
            return;
        if (g.is_busy)
            next_attempt(w, s, l, step, &g);
        __syncwarp();
    }
}

/* Draws which molecules leave, voxel by voxel of those with hopping molecules; other voxels are
   skipped or deferred. All threads of the block call it. */
static __device__ __forceinline__ void draw_voxels(const struct rd_world &w,
                                                   const struct rd_draw_parameters &s,
                                                   struct uniformised_walks *l,
                                                   struct rd_deferred deferred, uint32_t begin,
                                                   uint32_t n, uint32_t step)
{
    uint32_t *const bounds = l->words.word[0];
    for (uint32_t c = threadIdx.x; c < n; c += RD_DRAW_THREADS) {
        struct rd_drawn_voxel h = rd_drawn_voxel_of(w.lattice, s, begin, c);
        rd_count_hopping(w, s, l->leavers, &h);
        if (h.is_deferred)
            deferred.voxel[atomicAdd(deferred.n, 1)] = h.voxel;
        else if (h.n_hopping > 0)
            bounds[atomicAdd(&l->n_hopping_voxels, 1)] = (uint32_t)h.n_hopping * RD_DRAW_VOXELS + c;
    }
    __syncthreads();
    for (int i = (int)threadIdx.x; i < l->n_hopping_voxels; i += RD_DRAW_THREADS) {
        struct rd_drawn_voxel h =
            rd_drawn_voxel_of(w.lattice, s, begin, bounds[i] % RD_DRAW_VOXELS);
        h.n_hopping = (int32_t)(bounds[i] / RD_DRAW_VOXELS);
        rd_draw_voxel(w, s, &l->leavers, h, step);
    }
    __syncthreads();
}

static __global__ void __launch_bounds__(RD_DRAW_THREADS, BLOCKS_EACH)
    hop_on_uniformised_walks(const __grid_constant__ struct rd_world w,
                             const __grid_constant__ struct rd_draw_parameters s,
                             struct rd_deferred deferred)
{
    extern __shared__ uint32_t individual[];
    __shared__ struct uniformised_walks l;
    const uint32_t begin = blockIdx.x * s.voxels, step = w.pass.step_clock->step;
    const int64_t rest = w.lattice.n_voxels - begin;
    const uint32_t n = rest < s.voxels ? (uint32_t)rest : s.voxels;
    if (rd_is_halted(&w))
        return;
    if (threadIdx.x == 0) {
        l.n_hopping_voxels = l.n_taken = l.leavers.n_uniformised_walks =
            l.leavers.has_by_displacements = 0;
        l.leavers.individual = individual;
    }
    __syncthreads();
    draw_voxels(w, s, &l, deferred, begin, n, step);
    go_on_uniformised_walks(w, s, &l, begin, step);
    for (uint32_t c = threadIdx.x; l.leavers.has_by_displacements && c < n; c += RD_DRAW_THREADS)
        rd_send_leavers(w, s, l.leavers, begin, c);
}

/* Returns the number of voxels of a block: fewer for small lattices or many species. */
static uint32_t voxels_for(const struct rd_lattice *lattice, int32_t n_species)
{
    uint32_t voxels = RD_DRAW_VOXELS;
    while (voxels > VOXELS_LEAST && (lattice->n_voxels / voxels < BLOCKS_WANTED ||
                                     (size_t)n_species * voxels * sizeof(uint32_t) > SHARED_MOST))
        voxels /= 2;
    return voxels;
}

/* Gives access to the deferred voxels of one block. */
struct set_deferred {
    uint32_t *voxel;

    __device__ __forceinline__ int64_t at(int i) const
    {
        return voxel[i] == UINT32_MAX ? -1 : (int64_t)voxel[i];
    }
    __device__ __forceinline__ void drop(int i) const
    {
        voxel[i] = UINT32_MAX;
    }
};

static __global__ void __launch_bounds__(RD_DRAW_THREADS, DEFERRED_BLOCKS_EACH)
    hop_deferred(const __grid_constant__ struct rd_world w, struct rd_deferred deferred)
{
    __shared__ int taken;
    __shared__ uint32_t leavers[RD_DRAW_THREADS / 32 * RD_BINOMIAL_BATCH_LEAVERS];
    const uint32_t n = *deferred.n, share = (n + gridDim.x - 1) / gridDim.x;
    const uint32_t begin = blockIdx.x * share, end = begin + share < n ? begin + share : n;
    if (begin < n)
        rd_hop_crowded_voxels(&w, set_deferred{deferred.voxel + begin}, (int)(end - begin), &taken,
                              leavers);
}

void rd_hop_on_uniformised_walks(const struct rd_world *w, struct rd_deferred deferred,
                                 cudaStream_t stream)
{
    struct rd_draw_parameters s;
    if (w->items.n_moving == 0)
        return;
    const int32_t n_species =
        w->counts.n_species < RD_DRAW_SPECIES ? w->counts.n_species : RD_DRAW_SPECIES;
    s.by = rd_divided_of(w->lattice.size, w->lattice.n_sites);
    s.stay = rd_keys_of(w->pass.seed, RD_FOR_STAY, w->pass.part);
    s.walk = rd_keys_of(w->pass.seed, RD_FOR_WALK, w->pass.part);
    s.voxels = voxels_for(&w->lattice, n_species);
    hop_on_uniformised_walks<<<(unsigned)((w->items.n_moving - 1) / s.voxels + 1), RD_DRAW_THREADS,
                               (size_t)n_species * s.voxels * sizeof(uint32_t), stream>>>(*w, s,
                                                                                          deferred);
    hop_deferred<<<2 * rd_blocks_for(DEFERRED_BLOCKS_EACH), RD_DRAW_THREADS, 0, stream>>>(*w,
                                                                                          deferred);
}
