/* draw_leavers - decides which molecules leave the voxels of a block, by displacements or by
   uniformised walks. A lane takes a voxel, draws one random word for each molecule, and stores the
   leavers as bits. */
#ifndef RD_CUDA_PASSES_DRAW_LEAVERS_CUH
#define RD_CUDA_PASSES_DRAW_LEAVERS_CUH

#include "kernels/cuda/backend/divide.cuh"
#include "kernels/cuda/fused_step/leave_tile.cuh"
#include "kernels/cuda/passes/shared_displacements.cuh"

/* Limits the threads, voxels and species of a block. */
enum { RD_DRAW_THREADS = 128, RD_DRAW_VOXELS = 1024, RD_DRAW_SPECIES = 32 };
static_assert(RD_BATCH_LEAST <= 32, "a bit for each of few");

/* Holds the parameters that are the same for all blocks. */
struct rd_draw_parameters {
    struct rd_divided by;
    uint32_t voxels; /* of a block */
    struct rd_keys stay, walk;
};

/* Holds the leavers of the block's voxels: bit k of a word is molecule k of a species in a
   voxel. */
struct rd_block_leavers {
    uint32_t *individual;                      /* [species][voxel] */
    uint16_t uniformised_walk[RD_DRAW_VOXELS]; /* voxels with leavers on uniformised walks */
    int n_uniformised_walks;                   /* number of these voxels */
    int has_by_displacements;                  /* some leave by displacements */
};

/* Holds a voxel and the number of its molecules that can hop. It is deferred to the plain body in
   these cases: binomial batches are drawn; a species is beyond RD_DRAW_SPECIES; walks have no
   table, so that times are drawn; walls along two axes could take its molecules, so that the face
   is drawn for each of them. */
struct rd_drawn_voxel {
    uint32_t c, voxel, run, site; /* c: number in the block */
    int32_t n_hopping;
    bool is_deferred;
};

static __device__ __forceinline__ struct rd_drawn_voxel
rd_drawn_voxel_of(const struct rd_lattice &lattice, const struct rd_draw_parameters &s,
                  uint32_t begin, uint32_t c)
{
    struct rd_drawn_voxel h;
    h.c = c;
    h.voxel = begin + c;
    h.run = lattice.n_runs == 1 ? 0 : rd_quotient(h.voxel, s.by.sites);
    h.site = h.voxel - h.run * (uint32_t)lattice.n_sites;
    h.n_hopping = 0;
    h.is_deferred = false;
    return h;
}

/* Returns whether walls along two axes could take molecules of the voxel that move by
   displacements. */
static __device__ __noinline__ bool rd_is_in_corner(const struct rd_world *w, uint32_t voxel)
{
    const struct rd_place p = rd_place_of(&w->lattice, voxel);
    int n_near = 0;
    for (int axis = 0; axis < 3; axis++)
        n_near +=
            p.at[axis] < w->movement.inner[axis][0] || p.at[axis] >= w->movement.inner[axis][1];
    return n_near > 1;
}

/* Clears the leavers of the voxel, counts its hopping molecules and decides whether it is
   deferred. */
static __device__ __forceinline__ void rd_count_hopping(const struct rd_world &w,
                                                        const struct rd_draw_parameters &s,
                                                        const struct rd_block_leavers &l,
                                                        struct rd_drawn_voxel *h)
{
    bool is_by_displacements = false;
    for (int32_t i = 0; i < w.counts.n_species; i++) {
        const struct rd_transport *const m = &w.movement.transport[i];
        const int32_t n = w.counts.count[i * w.lattice.n_voxels + h->voxel];
        if (i < RD_DRAW_SPECIES)
            l.individual[i * s.voxels + h->c] = 0;
        if (n == 0 || !rd_is_hopping(m))
            continue;
        h->is_deferred = h->is_deferred || n >= RD_BATCH_LEAST || i >= RD_DRAW_SPECIES ||
                         (m->kind == RD_MOVE_WALK && m->uniformised_walks < 0);
        h->n_hopping += h->is_deferred ? 0 : n;
        is_by_displacements = is_by_displacements || m->kind == RD_MOVE_DISPLACEMENTS;
    }
    if (rd_is_frozen(&w.runs, h->run)) {
        h->is_deferred = false;
        h->n_hopping = 0;
    } else if (is_by_displacements && !h->is_deferred) {
        h->is_deferred = rd_is_in_corner(&w, h->voxel);
    }
}

/* Returns the threshold for leaving the voxel by displacements. */
static __device__ __noinline__ uint64_t rd_leave_by_displacements(const struct rd_world *w,
                                                                  int32_t species, uint32_t voxel)
{
    const struct rd_place p = rd_place_of(&w->lattice, voxel);
    return rd_is_inner_place(w->movement, p.at) ? w->movement.transport[species].inner.leave
                                                : rd_leave_from(w->movement, species, p.at);
}

/* Returns the low half of a random number whose high half equals a threshold. */
static __device__ __noinline__ uint32_t rd_low_half(const struct rd_world *w, uint32_t voxel,
                                                    uint32_t number)
{
    struct rd_hop_state h;
    rd_hop_state_begin(&h, w, voxel);
    h.n_drawn = number;
    return rd_low_word(&h, 0);
}

/* Holds the state of one species while its molecules in a voxel are drawn. */
struct rd_drawn_species {
    int32_t species, first, end; /* first and end: numbers of its molecules */
    uint32_t individual;         /* bit k: molecule k leaves */
    bool walks;
    uint64_t leave;
};

/* Stores the leavers of the species, and subtracts them from the count of the voxel. */
static __device__ __forceinline__ void rd_end_species(const struct rd_world &w,
                                                      const struct rd_draw_parameters &s,
                                                      struct rd_block_leavers *l,
                                                      const struct rd_drawn_voxel &h,
                                                      const struct rd_drawn_species &k)
{
    if (k.individual == 0)
        return;
    w.counts.count[k.species * w.lattice.n_voxels + h.voxel] -= __popc(k.individual);
    l->individual[k.species * s.voxels + h.c] = k.individual;
    if (!k.walks)
        l->has_by_displacements = 1;
}

/* Advances to the next species with hopping molecules; the caller ensures that there is one. */
static __device__ __forceinline__ void rd_next_species(const struct rd_world &w,
                                                       const struct rd_drawn_voxel &h,
                                                       struct rd_drawn_species *k)
{
    const struct rd_transport *m;
    int32_t n;
    do {
        m = &w.movement.transport[++k->species];
        n = rd_is_hopping(m) ? w.counts.count[k->species * w.lattice.n_voxels + h.voxel] : 0;
    } while (n == 0);
    k->first = k->end;
    k->end += n;
    k->individual = 0;
    k->walks = m->kind == RD_MOVE_WALK;
    k->leave = k->walks ? rd_threshold(rd_hop_rate_at(&w, m, h.run, h.site)->probability)
                        : rd_leave_by_displacements(&w, k->species, h.voxel);
}

/* Draws, in canonical order, which molecules of the voxel leave. */
static __device__ __forceinline__ void rd_draw_voxel(const struct rd_world &w,
                                                     const struct rd_draw_parameters &s,
                                                     struct rd_block_leavers *l,
                                                     const struct rd_drawn_voxel &h, uint32_t step)
{
    struct rd_drawn_species k = {-1, 0, 0, 0, false, 0};
    uint4 words = make_uint4(0, 0, 0, 0);
    bool uniformised_walks = false;
#pragma unroll 1
    for (int32_t number = 0; number < h.n_hopping; number++) {
        if (number == k.end) {
            rd_end_species(w, s, l, h, k);
            rd_next_species(w, h, &k);
        }
        if (number % 4 == 0)
            words = rd_words_near(s.stay, (uint32_t)number / 4, h.site, step,
                                  (uint32_t)w.lattice.first_run + h.run, 0);
        const uint32_t word = words.x, high = (uint32_t)(k.leave >> 32);
        words = make_uint4(words.y, words.z, words.w, 0);
        if (word > high ||
            (word == high && rd_low_half(&w, h.voxel, (uint32_t)number) >= (uint32_t)k.leave))
            continue;
        k.individual |= 1u << (number - k.first);
        uniformised_walks = uniformised_walks || k.walks;
    }
    rd_end_species(w, s, l, h, k);
    if (uniformised_walks)
        l->uniformised_walk[atomicAdd(&l->n_uniformised_walks, 1)] = (uint16_t)h.c;
}

/* Moves all leavers of voxel c of the block that go by displacements. */
static __device__ __forceinline__ void rd_send_leavers(const struct rd_world &w,
                                                       const struct rd_draw_parameters &s,
                                                       const struct rd_block_leavers &l,
                                                       uint32_t begin, uint32_t c)
{
    int32_t number = 0;
    for (int32_t i = 0; i < w.counts.n_species && i < RD_DRAW_SPECIES; i++) {
        const struct rd_transport *const m = &w.movement.transport[i];
        uint32_t individual = l.individual[i * s.voxels + c];
        if (!rd_is_hopping(m))
            continue;
        const int32_t n = w.counts.count[i * w.lattice.n_voxels + begin + c] + __popc(individual);
        for (; m->kind == RD_MOVE_DISPLACEMENTS && individual != 0; individual &= individual - 1)
            rd_send_by_displacements(&w, begin + c, i,
                                     (uint32_t)(number + __ffs((int)individual) - 1));
        number += n;
    }
}

#endif
