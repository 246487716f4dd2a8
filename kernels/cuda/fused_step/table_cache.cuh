/* table_cache - the tables of species and reactions in a form that fused steps read fast. It is
   made from the world's tables whenever these may have changed. */
#ifndef RD_CUDA_FUSED_STEP_TABLE_CACHE_CUH
#define RD_CUDA_FUSED_STEP_TABLE_CACHE_CUH

#include "kernels/passes/movement/hop.h"
#include "kernels/passes/reactions/block_sums.h"

/* Limits the species and channels of a fused step, and the factors and changes of a channel. */
enum {
    RD_FUSED_STEP_SPECIES = 32,
    RD_FUSED_STEP_CHANNELS = 2 * RD_REACTIONS_IN_BLOCK,
    RD_FUSED_STEP_FACTORS = 4,
    RD_FUSED_STEP_CHANGES = 6
};

/* Holds the movement of a species, as far as it is needed for each molecule. */
enum { RD_CACHED_JUMPS = 4 };
struct rd_step_along {
    struct rd_jump jump[RD_CACHED_JUMPS]; /* the first jumps of the inner distribution */
    int32_t first, last;
};
struct rd_stepper {
    int32_t kind;        /* RD_MOVE_...; RD_MOVE_NOT for species that other passes move */
    uint32_t leave, low; /* high and low half of the threshold for leaving */
    uint32_t way[RD_N_MOVES];
    int32_t last;
    int32_t is_alike; /* its molecules leave every place as those of the species before it do */
    struct rd_step_along axis[3];
};

/* Holds a channel of mass action: its propensity is its rate times (n - less) of each factor. */
struct rd_factor {
    int32_t species;
    double less;
};
struct rd_product {
    double rate;
    int32_t region, n_factors, n_changes;
    struct rd_factor factor[RD_FUSED_STEP_FACTORS];
    struct rd_reactant change[RD_FUSED_STEP_CHANGES];
};

/* Holds the tables of all species and channels. */
struct rd_table_cache {
    struct rd_stepper stepper[RD_FUSED_STEP_SPECIES];
    struct rd_product product[RD_FUSED_STEP_CHANNELS];
    int32_t has_sources; /* a channel without factors: events are possible in empty voxels */
    int32_t fits;        /* all propensities are such products */
};

/* Returns whether a fused step moves the species by displacements. */
static __device__ bool rd_hops_by_displacements(const struct rd_transport &m)
{
    return rd_is_hopping(&m) && m.kind == RD_MOVE_DISPLACEMENTS;
}

/* Returns whether it moves two species by displacements, with the same distributions everywhere. */
static __device__ bool rd_move_alike(const struct rd_transport &a, const struct rd_transport &b)
{
    bool is_alike = rd_hops_by_displacements(a) && rd_hops_by_displacements(b);
    for (int axis = 0; axis < 3 && is_alike; axis++) {
        const struct rd_axis_table &of_a = a.axis_table[axis], &of_b = b.axis_table[axis];
        is_alike = of_a.first == of_b.first && of_a.lo == of_b.lo && of_a.hi == of_b.hi;
    }
    return is_alike;
}

static __device__ void rd_table_cache_stepper(const struct rd_movement &movement,
                                              struct rd_stepper *to, int32_t i)
{
    const struct rd_transport *const m = &movement.transport[i];
    to->kind = rd_is_hopping(m) ? m->kind : RD_MOVE_NOT;
    to->leave = (uint32_t)(m->inner.leave >> 32);
    to->low = (uint32_t)m->inner.leave;
    to->last = m->inner.last;
    to->is_alike = i > 0 && rd_move_alike(m[-1], *m);
    for (int k = 0; k < RD_N_MOVES; k++)
        to->way[k] = (uint32_t)(m->inner.axes[k] >> 32);
    for (int axis = 0; axis < 3 && to->kind == RD_MOVE_DISPLACEMENTS; axis++) {
        const struct rd_axis_table *const axis_table = &m->axis_table[axis];
        if (axis_table->reach >= axis_table->hi - axis_table->lo)
            continue; /* no place is an inner one */
        const struct rd_displacement *const displacement =
            &movement.displacement[axis_table->first + axis_table->reach];
        struct rd_step_along *const a = &to->axis[axis];
        a->first = displacement->first;
        a->last = displacement->n - 1;
        for (int k = 0; k < RD_CACHED_JUMPS && k < displacement->n; k++)
            a->jump[k] = movement.jump[displacement->first + k];
    }
}

/* Converts channel r. Returns false if its propensity is not such a product. */
static inline __host__ __device__ bool rd_table_cache_product(const struct rd_reactions &reactions,
                                                              struct rd_product *to, int32_t r)
{
    const struct rd_channel *const c = &reactions.channel[r];
    to->rate = c->rate;
    to->region = c->region;
    to->n_factors = 0;
    for (int i = 0; i < RD_FUSED_STEP_FACTORS; i++)
        to->factor[i] = {};
    for (int32_t i = 0; i < c->n_reactants; i++) {
        const struct rd_reactant *const reactant = &reactions.reactant[c->reactant + i];
        for (int32_t k = 0; k < reactant->number; k++, to->n_factors++) {
            if (to->n_factors == RD_FUSED_STEP_FACTORS)
                return false;
            to->factor[to->n_factors].species = reactant->species;
            to->factor[to->n_factors].less = (double)k;
        }
    }
    to->n_changes = c->n_changes;
    for (int32_t i = 0; i < c->n_changes && i < RD_FUSED_STEP_CHANGES; i++)
        to->change[i] = reactions.change[c->change + i];
    return c->expression_kind == RD_EXPRESSION_NONE && c->n_changes <= RD_FUSED_STEP_CHANGES;
}

/* Fills the cache, with a thread for each species and each channel. */
enum { RD_TABLE_CACHE_THREADS = RD_FUSED_STEP_CHANNELS };
static __global__ void rd_table_cache_make(const __grid_constant__ struct rd_world w,
                                           struct rd_table_cache *to)
{
    const int32_t i = (int32_t)threadIdx.x;
    const bool is_one =
        w.reactions.n_reactions <= RD_FUSED_STEP_CHANNELS && i < w.reactions.n_reactions;
    bool fits = w.reactions.n_reactions <= RD_FUSED_STEP_CHANNELS;
    if (i < w.counts.n_species)
        rd_table_cache_stepper(w.movement, &to->stepper[i], i);
    if (is_one)
        fits = rd_table_cache_product(w.reactions, &to->product[i], i);
    const int all_fit = __syncthreads_and(fits);
    const int is_source = __syncthreads_or(is_one && to->product[i].n_factors == 0);
    if (i == 0) {
        to->fits = all_fit != 0;
        to->has_sources = is_source != 0;
    }
}

#endif
