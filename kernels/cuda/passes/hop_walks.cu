/* hop_walks - the tuned version of hop for the GPU if some species move by uniformised walks. A
   lane takes a voxel and draws which molecules leave. Then lanes take the next voxels of their
   block with walking molecules, and make one hop in every turn; so no lane waits for the longest
   walk of 32. */
#include "kernels/cuda/backend/tuned_passes.cuh"
#include "kernels/cuda/fused_step/crowded_voxels.cuh"
#include "kernels/cuda/passes/draw_leavers.cuh"

enum {
    BLOCKS_EACH = 10,
    VOXELS_LEAST = 256,
    BLOCKS_WANTED = 1024,
    SHARED_MOST = 32 * 1024,
    DEFERRED_BLOCKS_EACH = 6
};

/* Sets the number of words in a lane's buffer; a turn takes four at most. */
enum { RING = 8, TURN_WORDS = 4 };

/* Holds the data that a block's lanes share. Word k of a lane's stream stands at ring[k % RING];
   before the walks, ring[] holds the voxels with hopping molecules. */
struct uniformised_walks {
    struct rd_block_leavers leavers;
    uint32_t ring[RING][RD_DRAW_THREADS];
    int n_hopping_voxels, n_taken; /* voxels: listed, and taken by lanes */
};
static_assert(RING * RD_DRAW_THREADS >= RD_DRAW_VOXELS, "room for all voxels");

/* Holds a lane's walk: it moves one molecule after another of the voxel that it has taken. */
struct warp_guide {
    bool is_busy, is_bounds; /* is_bounds: the molecule has not left its voxel yet */
    int32_t species, waiting;
    struct rd_drawn_voxel bounds;
    uint32_t n_words, n_taken; /* of its stream */
    uint32_t site;
    int32_t x, y, z, tries;
};

/* Refills the lane's buffer of words. Few molecules, with tables that limit the numbers of hops,
   stay far from the end of their stream. */
static __device__ __forceinline__ void find_words(const struct rd_lattice &lattice,
                                                  const struct rd_draw_parameters &s,
                                                  struct uniformised_walks *l, uint32_t step,
                                                  struct warp_guide *g)
{
    if (g->n_words - g->n_taken >= TURN_WORDS)
        return;
    const uint4 word = rd_words_near(s.walk, g->n_words / 4, g->bounds.site, step,
                                     (uint32_t)lattice.first_run + g->bounds.run, 0);
    uint32_t *const to = &l->ring[g->n_words % RING][threadIdx.x];
    to[0] = word.x;
    to[RD_DRAW_THREADS] = word.y;
    to[2 * RD_DRAW_THREADS] = word.z;
    to[3 * RD_DRAW_THREADS] = word.w;
    g->n_words += 4;
}

static __device__ __forceinline__ uint32_t take_word(const struct uniformised_walks &l,
                                                     struct warp_guide *g)
{
    return l.ring[g->n_taken++ % RING][threadIdx.x];
}

/* Begins the walk of the next molecule of the voxel, if there is one. */
static __device__ __forceinline__ void call_next(const struct rd_world &w,
                                                 const struct rd_draw_parameters &s,
                                                 const struct uniformised_walks &l,
                                                 struct warp_guide *g)
{
    while (g->waiting == 0 && ++g->species < w.counts.n_species)
        if (w.movement.transport[g->species].kind == RD_MOVE_WALK)
            g->waiting = __popc(l.leavers.individual[g->species * s.voxels + g->bounds.c]);
    g->is_busy = g->waiting > 0;
    g->is_bounds = true;
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
    g->bounds = rd_drawn_voxel_of(w.lattice, s, begin, l->leavers.uniformised_walk[at]);
    g->n_words = g->n_taken = 0;
    g->species = -1;
    g->waiting = 0;
    call_next(w, s, *l, g);
}

static __device__ __forceinline__ void return_to_voxel(const struct rd_draw_parameters &s,
                                                       struct warp_guide *g)
{
    const int3 at = rd_place_near(g->bounds.site, s.by);
    g->site = g->bounds.site;
    g->x = at.x;
    g->y = at.y;
    g->z = at.z;
}

/* Makes one hop of the lane's molecule towards the face, if no wall or border reflects it. Returns
   false if a wall takes the molecule. */
static __device__ __forceinline__ bool hop_once(const struct rd_world &w,
                                                const struct rd_draw_parameters &s,
                                                const struct uniformised_walks &l,
                                                const struct rd_transport *m, int face,
                                                struct warp_guide *g)
{
    const int axis = face / 2;
    const bool up = face % 2;
    const int32_t from = axis == 0 ? g->x : axis == 1 ? g->y : g->z, size = w.lattice.size[axis];
    int32_t to = from + (up ? 1 : -1);
    double probability = 1.0;
    bool is_out = false;
    if ((uint32_t)to >= (uint32_t)size) {
        probability = m->pass[face];
        is_out = probability >= 0.0;
        to = up ? 0 : size - 1;
    }
    const uint32_t site = g->site + (uint32_t)(to - from) * s.by.stride[axis];
    if (!is_out)
        probability = rd_probability_between(&w, m, g->site, site);
    if (probability < 1.0) {
        if (!(probability > 0.0))
            return true;
        const uint32_t high = take_word(l, g), low = take_word(l, g);
        if (!(rd_uniform_of(high, low) < probability))
            return true;
    }
    if (is_out)
        return false;
    g->site = site;
    g->x = axis == 0 ? to : g->x;
    g->y = axis == 1 ? to : g->y;
    g->z = axis == 2 ? to : g->z;
    return true;
}

/* Attempts one hop of the lane's molecule, and ends its walk after the last one. */
static __device__ __forceinline__ void next_attempt(const struct rd_world &w,
                                                    const struct rd_draw_parameters &s,
                                                    const struct uniformised_walks &l,
                                                    struct warp_guide *g)
{
    const struct rd_transport *const m = &w.movement.transport[g->species];
    if (g->is_bounds)
        return_to_voxel(s, g);
    const struct rd_uniformised_walk *const t =
        &w.movement.uniformised_walk[m->uniformised_walks + (m->hop_rate_kind == RD_HOP_RATE_BY_ZONE
                                                                 ? w.lattice.zone[g->site]
                                                                 : 0)];
    g->tries = g->is_bounds
                   ? rd_shift(&w.movement, &w.movement.displacement[t->tries], take_word(l, g))
                   : g->tries - 1;
    const int way =
        rd_uniformised_walk_way(g->is_bounds ? t->first : t->next,
                                g->is_bounds ? t->first_last : t->next_last, take_word(l, g));
    const bool is_lost = way < RD_N_FACES && !hop_once(w, s, l, m, way, g);
    g->is_bounds = false;
    if (!is_lost && g->tries > 0)
        return;
    if (is_lost) {
        const struct rd_place p = rd_place_apart(&w.lattice, g->bounds.voxel);
        rd_lose(&w, g->species, &p, way, 1);
    } else {
        const int64_t voxel = (int64_t)g->bounds.run * w.lattice.n_sites + g->site;
        rd_add_one_of_small(rd_arrivals_at(&w, g->species, voxel));
    }
    call_next(w, s, l, g);
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
        if (g.is_busy) {
            find_words(w.lattice, s, l, step, &g);
            next_attempt(w, s, *l, &g);
        }
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
    uint32_t *const bounds = l->ring[0];
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
