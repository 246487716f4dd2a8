/* table_cache - what a sweep over tiles must know of species and reactions, in a form that is
   quickly read: learnt from the world's tables whenever these may have changed. */
#ifndef RD_CUDA_FUSED_STEP_TABLE_CACHE_CUH
#define RD_CUDA_FUSED_STEP_TABLE_CACHE_CUH

#include "kernels/passes/movement/hop.h"

/* Species and channels at most, and of a channel. */
enum { RD_SWEEP_SPECIES = 32, RD_SWEEP_CHANNELS = 64, RD_SWEEP_FACTORS = 4, RD_SWEEP_CHANGES = 6 };

/* How a species moves, as far as it is asked for at each molecule. */
enum { RD_STEP_OUTCOMES = 4 };
struct rd_step_along {
    struct rd_outcome outcome[RD_STEP_OUTCOMES]; /* the first ones of an inner row */
    int32_t first, last;
};
struct rd_stepper {
    int32_t kind;        /* RD_MOVE_; RD_MOVE_NOT for those told apart */
    uint32_t leave, low; /* the gate's threshold: both halves */
    uint32_t way[RD_N_MOVES];
    int32_t last;
    struct rd_step_along axis[3];
};

/* A channel of mass action: its propensity is its rate times (n - less) of each factor. */
struct rd_factor {
    int32_t species;
    double less;
};
struct rd_product {
    double rate;
    int32_t region, n_factors, n_changes;
    struct rd_factor factor[RD_SWEEP_FACTORS];
    struct rd_reactant change[RD_SWEEP_CHANGES];
};

/* What a sweep must know about species and channels. */
struct rd_chart {
    struct rd_stepper stepper[RD_SWEEP_SPECIES];
    struct rd_product product[RD_SWEEP_CHANNELS];
    int32_t has_sources; /* something may happen in empty cells */
    int32_t fits;        /* all propensities are such products */
};

static __device__ void rd_chart_stepper(const struct rd_world &w, struct rd_stepper *to, int32_t i)
{
    const struct rd_mover *const m = &w.mover[i];
    to->kind = rd_is_hopping(m) ? m->kind : RD_MOVE_NOT;
    to->leave = (uint32_t)(m->inner.leave >> 32);
    to->low = (uint32_t)m->inner.leave;
    to->last = m->inner.last;
    for (int k = 0; k < RD_N_MOVES; k++)
        to->way[k] = (uint32_t)(m->inner.axes[k] >> 32);
    for (int axis = 0; axis < 3 && to->kind == RD_MOVE_ROWS; axis++) {
        const struct rd_track *const track = &m->track[axis];
        if (track->reach >= track->hi - track->lo)
            continue; /* no place is an inner one */
        const struct rd_row *const row = &w.row[track->first + track->reach];
        struct rd_step_along *const a = &to->axis[axis];
        a->first = row->first;
        a->last = row->n - 1;
        for (int k = 0; k < RD_STEP_OUTCOMES && k < row->n; k++)
            a->outcome[k] = w.outcome[row->first + k];
    }
}

/* False: it is none. */
static inline __host__ __device__ bool rd_chart_product(const struct rd_world &w,
                                                        struct rd_product *to, int32_t r)
{
    const struct rd_channel *const c = &w.channel[r];
    to->rate = c->rate;
    to->region = c->region;
    to->n_factors = 0;
    for (int i = 0; i < RD_SWEEP_FACTORS; i++)
        to->factor[i] = {};
    for (int32_t i = 0; i < c->n_reactants; i++) {
        const struct rd_reactant *const reactant = &w.reactant[c->reactant + i];
        for (int32_t k = 0; k < reactant->number; k++, to->n_factors++) {
            if (to->n_factors == RD_SWEEP_FACTORS)
                return false;
            to->factor[to->n_factors].species = reactant->species;
            to->factor[to->n_factors].less = (double)k;
        }
    }
    to->n_changes = c->n_changes;
    for (int32_t i = 0; i < c->n_changes && i < RD_SWEEP_CHANGES; i++)
        to->change[i] = w.change[c->change + i];
    return c->law_kind == RD_LAW_NONE && c->n_changes <= RD_SWEEP_CHANGES;
}

/* A thread for each species and each channel. */
enum { RD_CHART_THREADS = RD_SWEEP_CHANNELS };
static __global__ void rd_chart_make(const __grid_constant__ struct rd_world w, struct rd_chart *to)
{
    const int32_t i = (int32_t)threadIdx.x;
    const bool is_one = w.n_reactions <= RD_SWEEP_CHANNELS && i < w.n_reactions;
    bool fits = w.n_reactions <= RD_SWEEP_CHANNELS;
    if (i < w.n_species)
        rd_chart_stepper(w, &to->stepper[i], i);
    if (is_one)
        fits = rd_chart_product(w, &to->product[i], i);
    const int all_fit = __syncthreads_and(fits);
    const int is_source = __syncthreads_or(is_one && to->product[i].n_factors == 0);
    if (i == 0) {
        to->fits = all_fit != 0;
        to->has_sources = is_source != 0;
    }
}

#endif
