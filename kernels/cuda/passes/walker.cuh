/* walker - one lane of the GPU moves a molecule by a uniformised walk, one attempt to hop after
   another. Its own file because molecules in arrays and in rows are moved so. */
#ifndef RD_CUDA_PASSES_WALKER_CUH
#define RD_CUDA_PASSES_WALKER_CUH

#include "kernels/cuda/passes/draw_leavers.cuh"

/* Sets the number of words in a lane's buffer; an attempt takes four at most. */
enum { RD_WALK_RING = 8, RD_WALK_ATTEMPT_WORDS = 4 };

/* Holds random words for the lanes of a block: word k of a lane's stream stands at
   word[k % RD_WALK_RING]. */
struct rd_walk_words {
    uint32_t word[RD_WALK_RING][RD_DRAW_THREADS];
};

/* Holds a molecule on its walk from a voxel, and the stream of random words of that voxel. */
struct rd_walker {
    struct rd_drawn_voxel from;
    bool is_first;             /* the molecule has not left its voxel yet */
    uint32_t n_words, n_taken; /* of the stream */
    uint32_t site;
    int32_t x, y, z, tries;
};

/* Lists what an attempt leads to: a wall may take the molecule, which then is counted as lost. */
enum { RD_WALK_GOES_ON, RD_WALK_ENDS, RD_WALK_IS_LOST };

static __device__ __forceinline__ void rd_walker_open(struct rd_walker *g,
                                                      const struct rd_drawn_voxel &from)
{
    g->from = from;
    g->n_words = g->n_taken = 0;
}

/* Returns the voxel in which the molecule is. */
static __device__ __forceinline__ int64_t rd_walker_voxel(const struct rd_lattice &lattice,
                                                          const struct rd_walker &g)
{
    return (int64_t)g.from.run * lattice.n_sites + g.site;
}

/* Refills the lane's buffer of words. Few molecules, with tables that limit the numbers of hops,
   stay far from the end of their stream. */
static __device__ __forceinline__ void rd_walker_find_words(const struct rd_lattice &lattice,
                                                            const struct rd_draw_parameters &s,
                                                            struct rd_walk_words *l, uint32_t step,
                                                            struct rd_walker *g)
{
    if (g->n_words - g->n_taken >= RD_WALK_ATTEMPT_WORDS)
        return;
    const uint4 word = rd_words_near(s.walk, g->n_words / 4, g->from.site, step,
                                     (uint32_t)lattice.first_run + g->from.run, 0);
    uint32_t *const to = &l->word[g->n_words % RD_WALK_RING][threadIdx.x];
    to[0] = word.x;
    to[RD_DRAW_THREADS] = word.y;
    to[2 * RD_DRAW_THREADS] = word.z;
    to[3 * RD_DRAW_THREADS] = word.w;
    g->n_words += 4;
}

static __device__ __forceinline__ uint32_t rd_walker_word(const struct rd_walk_words &l,
                                                          struct rd_walker *g)
{
    return l.word[g->n_taken++ % RD_WALK_RING][threadIdx.x];
}

static __device__ __forceinline__ void rd_walker_return(const struct rd_draw_parameters &s,
                                                        struct rd_walker *g)
{
    const int3 at = rd_place_near(g->from.site, s.by);
    g->site = g->from.site;
    g->x = at.x;
    g->y = at.y;
    g->z = at.z;
}

/* Makes one hop of the lane's molecule towards the face, if no wall or border reflects it. Returns
   false if a wall takes the molecule. */
static __device__ __forceinline__ bool rd_walker_hop(const struct rd_world &w,
                                                     const struct rd_draw_parameters &s,
                                                     const struct rd_walk_words &l,
                                                     const struct rd_transport *m, int face,
                                                     struct rd_walker *g)
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
        const uint32_t high = rd_walker_word(l, g), low = rd_walker_word(l, g);
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

/* Attempts one hop of the lane's molecule. */
static __device__ __forceinline__ int rd_walker_attempt(const struct rd_world &w,
                                                        const struct rd_draw_parameters &s,
                                                        struct rd_walk_words *l, uint32_t step,
                                                        int32_t species, struct rd_walker *g)
{
    const struct rd_transport *const m = &w.movement.transport[species];
    rd_walker_find_words(w.lattice, s, l, step, g);
    if (g->is_first)
        rd_walker_return(s, g);
    const struct rd_uniformised_walk *const t =
        &w.movement.uniformised_walk[m->uniformised_walks + (m->hop_rate_kind == RD_HOP_RATE_BY_ZONE
                                                                 ? w.lattice.zone[g->site]
                                                                 : 0)];
    g->tries = g->is_first ? rd_shift(&w.movement, &w.movement.displacement[t->tries],
                                      rd_walker_word(*l, g))
                           : g->tries - 1;
    const int way =
        rd_uniformised_walk_way(g->is_first ? t->first : t->next,
                                g->is_first ? t->first_last : t->next_last, rd_walker_word(*l, g));
    const bool is_lost = way < RD_N_FACES && !rd_walker_hop(w, s, *l, m, way, g);
    g->is_first = false;
    if (!is_lost)
        return g->tries > 0 ? RD_WALK_GOES_ON : RD_WALK_ENDS;
    const struct rd_place p = rd_place_apart(&w.lattice, g->from.voxel);
    rd_lose(&w, species, &p, way, 1);
    return RD_WALK_IS_LOST;
}

#endif
