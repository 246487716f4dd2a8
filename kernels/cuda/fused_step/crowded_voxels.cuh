/* crowded_voxels - the movement from the crowded voxels of a block, if all hopping species move by
   displacements and no two walls meet. Molecules of species with few in the voxel are drawn one by
   one, and leavers are sent by 32 lanes together. Then each lane takes one voxel after another, and
   draws one binomial number of its batches in every turn. So the lanes of a warp do the same work,
   whatever their voxels hold. */
#ifndef RD_CUDA_FUSED_STEP_CROWDED_VOXELS_CUH
#define RD_CUDA_FUSED_STEP_CROWDED_VOXELS_CUH

#include "kernels/cuda/fused_step/leave_tile.cuh"

/* Limits the leavers that a warp collects until all its lanes have one. Each is packed into 32
   bits: lane of its voxel, species, number among the drawn molecules of the voxel. */
enum {
    RD_BINOMIAL_BATCH_LEAVERS = 64,
    RD_INDIVIDUAL_SPECIES = 5,
    RD_INDIVIDUAL_NUMBER = 16,
    RD_INDIVIDUAL_SPECIES_MOST = 1 << (RD_INDIVIDUAL_NUMBER - RD_INDIVIDUAL_SPECIES)
};
static_assert(RD_INDIVIDUAL_SPECIES_MOST * RD_BATCH_LEAST <= 1 << (32 - RD_INDIVIDUAL_NUMBER),
              "numbers have room");

/* Holds the species of the lane's voxel with few molecules, one after another. */
struct rd_small_draw {
    struct rd_hop_state h;
    int32_t species, rest, left; /* rest: not yet drawn; left: drawn to leave */
    uint64_t leave;
};

static __device__ __noinline__ void rd_small_draw_next(struct rd_small_draw *a)
{
    const struct rd_world *const w = a->h.w;
    if (a->left > 0)
        w->counts.count[a->species * w->lattice.n_voxels + a->h.p.voxel] -= a->left;
    a->left = a->rest = 0;
    while (a->rest == 0 && ++a->species < w->counts.n_species) {
        const int32_t n = w->counts.count[a->species * w->lattice.n_voxels + a->h.p.voxel];
        a->rest = n < RD_BATCH_LEAST && rd_is_hopping(&w->movement.transport[a->species]) ? n : 0;
    }
    if (a->rest == 0)
        return;
    rd_hop_state_aim(&a->h, a->species);
    a->leave = rd_leave_threshold(&a->h);
}

/* Draws the leavers among the species with few molecules in each lane's voxel, and sends them. A
   lane without a voxel passes -1. All lanes of a warp call it. */
static __device__ __forceinline__ void rd_crowded_voxels_draw_small(const struct rd_world *w,
                                                                    int64_t voxel, uint32_t *list)
{
    const bool is_one = voxel >= 0;
    const unsigned lane = threadIdx.x % 32;
    struct rd_small_draw a;
    a.rest = a.left = 0;
    if (is_one) {
        rd_hop_state_begin(&a.h, w, voxel);
        a.species = -1;
        rd_small_draw_next(&a);
    }
    for (int held = 0; __any_sync(~0u, a.rest > 0) || held > 0;) {
        bool leaves = false;
        if (a.rest > 0) {
            leaves = rd_leaves(&a.h, a.leave);
            a.left += leaves;
            a.rest--;
        }
        const unsigned all = __ballot_sync(~0u, leaves);
        if (leaves)
            list[held + __popc(all & ((1u << lane) - 1))] =
                a.h.n_drawn << RD_INDIVIDUAL_NUMBER | (uint32_t)a.species << RD_INDIVIDUAL_SPECIES |
                lane;
        held += __popc(all);
        __syncwarp();
        if (is_one)
            a.h.n_drawn++;
        if (is_one && a.rest == 0 && a.species < w->counts.n_species)
            rd_small_draw_next(&a);
        const bool goes_on = __any_sync(~0u, a.rest > 0);
        for (; held >= (goes_on ? 32 : 1); held -= held < 32 ? held : 32) {
            const uint32_t individual = list[(held < 32 ? 0 : held - 32) + lane];
            const int64_t from = __shfl_sync(~0u, voxel, individual % 32);
            if ((int)lane < held)
                rd_send_by_displacements(w, (uint32_t)from,
                                         individual >> RD_INDIVIDUAL_SPECIES &
                                             (RD_INDIVIDUAL_SPECIES_MOST - 1),
                                         individual >> RD_INDIVIDUAL_NUMBER);
        }
        __syncwarp();
    }
}

/* Holds a lane's binomial batches of one voxel. */
struct rd_voxel_batches {
    struct rd_hop_state h;
    struct rd_binomial_batch t;
    int32_t species;
};

/* Begins the next binomial batch of the voxel. Returns false if there is none. */
static __device__ __noinline__ bool rd_voxel_batches_begin_next(struct rd_voxel_batches *l)
{
    const struct rd_world *const w = l->h.w;
    int32_t n = 0;
    while (n < RD_BATCH_LEAST && ++l->species < w->counts.n_species)
        n = rd_is_hopping(&w->movement.transport[l->species])
                ? w->counts.count[l->species * w->lattice.n_voxels + l->h.p.voxel]
                : 0;
    if (n < RD_BATCH_LEAST)
        return false;
    rd_hop_state_aim(&l->h, l->species);
    rd_binomial_batch_begin(&l->t, n);
    return true;
}

static __device__ __noinline__ bool rd_voxel_batches_begin(struct rd_voxel_batches *l,
                                                           const struct rd_world *w, int64_t voxel)
{
    rd_hop_state_begin(&l->h, w, voxel);
    l->h.many = rd_hop_stream(w, &l->h.p, RD_FOR_MANY);
    l->species = -1;
    return rd_voxel_batches_begin_next(l);
}

static __device__ __noinline__ bool rd_reaches(double n, double p, double k, double height)
{
    return rd_binomial_reaches(n, p, k, height);
}

/* Returns the next uniform number. It takes words two at a time, so that the buffer is filled in
   one place of the code. */
static __device__ __forceinline__ double rd_voxel_batches_uniform(struct rd_stream *s)
{
    if (s->left == 0)
        rd_stream_fill(s);
    const double u = rd_uniform_of(s->word[0], s->word[1]);
    s->word[0] = s->word[2];
    s->word[1] = s->word[3];
    s->left -= 2;
    return u;
}

/* Tries once to draw a binomial number of n with probability p <= 1/2. Returns -1 if the proposal
   is rejected. */
static __device__ __forceinline__ int64_t rd_voxel_batches_try(struct rd_stream *s, int64_t n,
                                                               double p)
{
    const double size = (double)n;
    const bool is_rare = size * p < RD_INVERT_BELOW;
    double before, u = 0.0, k, height;
#pragma unroll 1
    for (int i = is_rare; i < 2; i++) {
        before = u;
        u = rd_voxel_batches_uniform(s);
    }
    if (is_rare)
        return rd_binomial_inverse(u, n, p);
    const struct rd_hat hat = rd_binomial_hat(size, p);
    return rd_proposal(&hat, before, u, &k, &height) || rd_reaches(size, p, k, height) ? (int64_t)k
                                                                                       : -1;
}

static __device__ __noinline__ void rd_voxel_batches_store(struct rd_voxel_batches *l, int32_t k)
{
    rd_binomial_batch_store(&l->t, &l->h, k);
}

/* Draws one binomial number of the lane's batch. Returns false after the last one of the voxel. */
static __device__ __forceinline__ bool rd_voxel_batches_draw(struct rd_voxel_batches *l)
{
    const int64_t n = l->t.rest[l->t.level];
    const double p = rd_binomial_batch_probability(&l->t, &l->h);
    int64_t k = p > 0.0 ? n : 0;
    if (p > 0.0 && p < 1.0) {
        k = rd_voxel_batches_try(&l->h.many, n, p <= 0.5 ? p : 1 - p);
        if (k < 0)
            return true;
        k = p <= 0.5 ? k : n - k;
    }
    rd_voxel_batches_store(l, (int32_t)k);
    if (l->t.level >= 0)
        return true;
    const struct rd_world *const w = l->h.w;
    w->counts.count[l->species * w->lattice.n_voxels + l->h.p.voxel] -= l->t.left;
    return rd_voxel_batches_begin_next(l);
}

/* Draws the binomial batches of the n voxels of the list. All threads of a block call it. */
template <typename LIST>
static __device__ __forceinline__ void
rd_crowded_voxels_draw_batches(const struct rd_world *w, LIST voxels, int n, int *taken)
{
    struct rd_voxel_batches l;
    bool is_busy = false;
    for (int i = 0; __any_sync(~0u, is_busy || i < n);) {
        if (!is_busy && i < n) {
            i = atomicAdd(taken, 1);
            const int64_t voxel = i < n ? voxels.at(i) : -1;
            is_busy = voxel >= 0 && rd_voxel_batches_begin(&l, w, voxel);
        }
        __syncwarp();
        if (is_busy)
            is_busy = rd_voxel_batches_draw(&l);
        __syncwarp();
    }
}

/* Returns whether all hopping species of the voxel move by displacements, and no two walls can
   meet. */
static __device__ __noinline__ bool rd_has_crowded_voxels(const struct rd_world *w, int64_t voxel)
{
    const struct rd_place p = rd_place_of(&w->lattice, voxel);
    for (int32_t i = 0; i < w->counts.n_species; i++) {
        const struct rd_transport *const m = &w->movement.transport[i];
        if (w->counts.count[i * w->lattice.n_voxels + voxel] == 0 || !rd_is_hopping(m))
            continue;
        if (m->kind != RD_MOVE_DISPLACEMENTS || i >= RD_INDIVIDUAL_SPECIES_MOST ||
            rd_has_two_takers(w->movement, i, p.at))
            return false;
    }
    return !rd_is_frozen(&w->runs, p.run);
}

/* Calls rd_hop without inlining. Like other functions that few lanes need, it would add too many
   instructions to fetch in time. */
static __device__ __noinline__ void rd_hop_plainly(const struct rd_world *w, int64_t voxel)
{
    rd_hop(w, voxel);
}

/* Moves all molecules from the n voxels of the list. Voxels for which binomial batches do not
   suffice are dropped from the list and handled by the plain body. The block shares `taken`, and
   leavers[] has a list for each warp. All threads of the block call it. */
template <typename LIST>
static __device__ __forceinline__ void rd_hop_crowded_voxels(const struct rd_world *w, LIST voxels,
                                                             int n, int *taken, uint32_t *leavers)
{
    if (threadIdx.x == 0)
        *taken = 0;
    for (int i = (int)threadIdx.x; i < n; i += (int)blockDim.x) {
        const int64_t voxel = voxels.at(i);
        if (rd_has_crowded_voxels(w, voxel))
            continue;
        rd_hop_plainly(w, voxel);
        voxels.drop(i);
    }
    __syncthreads();
    for (int i = (int)threadIdx.x; i - (int)threadIdx.x % 32 < n; i += (int)blockDim.x)
        rd_crowded_voxels_draw_small(w, i < n ? voxels.at(i) : -1,
                                     leavers + threadIdx.x / 32 * RD_BINOMIAL_BATCH_LEAVERS);
    __syncthreads();
    rd_crowded_voxels_draw_batches(w, voxels, n, taken);
}

#endif
