/* small_voxels - a voxel of a simple world with few individuals and few events, on the GPU. Its
   working data are a column of shared memory for each thread; nothing is written to the world
   before all its events are done. A voxel with more, or with a fault, is left to the plain body. */
#ifndef RD_CUDA_PASSES_SMALL_VOXELS_CUH
#define RD_CUDA_PASSES_SMALL_VOXELS_CUH

#include "kernels/cuda/passes/deferred_events.cuh"
#include "kernels/cuda/passes/shared_reactions.cuh"

enum {
    RD_SMALL_SPECIES = 4,
    RD_SMALL_LISTS = 2,
    RD_SMALL_MEMBERS = 24, /* living, in a voxel */
    RD_SMALL_EVENTS = 16   /* in a voxel */
};

/* Marks a member that was born in the step. Without the bit, the number is that of an old entry. */
enum { RD_SMALL_NEWBORN = 128 };

/* Holds the working data of the voxels of a block's threads, a column for each thread. */
struct rd_columns {
    int32_t count[RD_SMALL_SPECIES][RD_DEFERRED_THREADS];
    int32_t first[RD_SMALL_LISTS][RD_DEFERRED_THREADS],
        capacity[RD_SMALL_LISTS][RD_DEFERRED_THREADS];
    uint32_t dead[RD_SMALL_LISTS][RD_DEFERRED_THREADS]; /* bit k: old entry k is dead */
    uint8_t old[RD_SMALL_LISTS][RD_DEFERRED_THREADS], born[RD_SMALL_LISTS][RD_DEFERRED_THREADS],
        named[RD_SMALL_LISTS][RD_DEFERRED_THREADS];
    uint8_t members[RD_SMALL_LISTS][RD_SMALL_MEMBERS][RD_DEFERRED_THREADS];
    uint8_t fired[RD_SMALL_EVENTS][RD_DEFERRED_THREADS];
    uint8_t member[RD_PARTICIPANTS_MOST][RD_DEFERRED_THREADS];
    struct rd_shared_reactions near;
    bool is_listed[RD_SMALL_SPECIES];
    int64_t most[RD_SMALL_SPECIES]; /* in a voxel */
};

/* Holds the state of one voxel while its events are applied. */
struct rd_small_voxel {
    const struct rd_world &w;
    const struct rd_keys &event_keys, &individual_keys;
    struct rd_columns &all;
    struct rd_place p;
    double left; /* time until the end of the pass */
    uint32_t n_events, n_individual;
};

static __device__ __forceinline__ int32_t &rd_small_count(const struct rd_small_voxel &f,
                                                          int32_t species)
{
    return f.all.count[species][threadIdx.x];
}

static __device__ __forceinline__ int32_t &rd_small_alive(const struct rd_small_voxel &f,
                                                          int32_t list)
{
    return rd_small_count(f, f.w.lists.list[list].species);
}

/* Returns the sum of all propensities as rd_propensity_sum does, NaN for a fault. *which becomes
   the reaction at which the sum exceeds aim. The reactions are one block (is_small of
   small_voxels.cu). */
static __device__ __forceinline__ double rd_small_sum(const struct rd_small_voxel &f, double aim,
                                                      int32_t *which)
{
    const struct rd_shared_reactions *const near = &f.all.near;
    double sum = 0.0;
    int32_t r = 0;
    for (; r < f.w.reactions.n_reactions; r++) {
        double a = near->rate[r];
        for (int32_t i = near->begin[r]; i < near->end[r]; i++) {
            const double n = (double)rd_small_count(f, near->reactant[i].species);
            for (int32_t m = 0; m < near->reactant[i].number; m++)
                a *= n - (double)m;
        }
        if (!rd_is_in(&f.w.lattice, near->region[r], f.p.site))
            continue;
        if (!(a >= 0.0 && sum + a < INFINITY))
            return (double)NAN;
        sum += a;
        if (sum > aim)
            break;
    }
    *which = r;
    return sum;
}

static __device__ __forceinline__ uint4 rd_small_words(const struct rd_small_voxel &f,
                                                       const struct rd_keys &keys, uint32_t draw)
{
    uint32_t c0 = draw, c1 = (uint32_t)f.p.site, c2 = f.w.pass.step_clock->step;
    uint32_t c3 = (uint32_t)(f.w.lattice.first_run + f.p.run);
#pragma unroll
    for (int round = 0; round < RD_PHILOX_ROUNDS; round++)
        rd_philox_mix(&c0, &c1, &c2, &c3, keys.key[round][0], keys.key[round][1]);
    return make_uint4(c0, c1, c2, c3);
}

/* Chooses the next reaction as rd_ssa_next and rd_can_fire do. RD_NEXT_OVER: none before the end of
   the pass; RD_NEXT_ODD: the plain body must handle the voxel. */
enum rd_next { RD_NEXT_EVENT, RD_NEXT_OVER, RD_NEXT_ODD };
static __device__ __forceinline__ enum rd_next rd_small_next(struct rd_small_voxel &f,
                                                             int32_t *which)
{
    const double sum = rd_small_sum(f, INFINITY, which);
    if (!(sum > 0.0))
        return sum == 0.0 ? RD_NEXT_OVER : RD_NEXT_ODD;
    const uint4 word = rd_small_words(f, f.event_keys, f.n_events);
    const double u = rd_uniform_of(word.x, word.y);
    if (rd_is_quiet(sum, u, f.left))
        return RD_NEXT_OVER;
    f.left += rd_log(u) / sum;
    if (f.left <= 0.0)
        return RD_NEXT_OVER;
    rd_small_sum(f, rd_aim_below(rd_uniform_of(word.z, word.w) * sum, sum), which);
    if (*which == f.w.reactions.n_reactions)
        return RD_NEXT_OVER;
    if (f.n_events == RD_SMALL_EVENTS || f.n_events >= f.w.reactions.max_events)
        return RD_NEXT_ODD;
    f.n_events++;
    const struct rd_channel *const c = &f.w.reactions.channel[*which];
    for (int32_t i = 0; i < c->n_changes; i++) {
        const struct rd_reactant change = f.w.reactions.change[c->change + i];
        const int64_t n = (int64_t)rd_small_count(f, change.species) + change.number;
        if (n < 0 || n > f.all.most[change.species])
            return RD_NEXT_ODD;
    }
    return RD_NEXT_EVENT;
}

/* Changes the counts as rd_change_counts does. */
static __device__ __forceinline__ void rd_small_change(const struct rd_small_voxel &f,
                                                       int32_t reaction, bool with_individuals)
{
    const struct rd_channel *const c = &f.w.reactions.channel[reaction];
    for (int32_t i = 0; i < c->n_changes; i++) {
        const struct rd_reactant change = f.w.reactions.change[c->change + i];
        if (with_individuals || !f.all.is_listed[change.species])
            rd_small_count(f, change.species) += change.number;
    }
}

static __device__ __forceinline__ void rd_small_open(struct rd_small_voxel &f, int64_t voxel)
{
    f.p = rd_place_apart(&f.w.lattice, voxel);
    f.left = f.w.pass.dt;
    f.n_events = f.n_individual = 0;
    for (int32_t s = 0; s < f.w.counts.n_species; s++)
        rd_small_count(f, s) = f.w.counts.count[s * f.w.lattice.n_voxels + voxel];
    for (int32_t i = 0; i < (int32_t)f.w.lists.n_list; i++) {
        f.all.born[i][threadIdx.x] = f.all.named[i][threadIdx.x] = 0;
        f.all.dead[i][threadIdx.x] = 0;
    }
}

/* Loads the reactions and the tables of species into shared memory. All threads of the block call
   it. */
static __device__ __forceinline__ void rd_small_bring(struct rd_columns &all,
                                                      const struct rd_world &w)
{
    rd_share_reactions(&all.near, &w.reactions);
    if ((int32_t)threadIdx.x < w.counts.n_species) {
        all.is_listed[threadIdx.x] = w.movement.transport[threadIdx.x].is_listed != 0;
        all.most[threadIdx.x] = rd_most_in_voxel(&w, (int32_t)threadIdx.x);
    }
    __syncthreads();
}

#endif
