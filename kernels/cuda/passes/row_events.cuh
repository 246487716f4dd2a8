/* row_events - finds the voxels in which reactions may happen, where rare species are in rows; for
   a pass of reactions, and for a movement before it. */
#ifndef RD_CUDA_PASSES_ROW_EVENTS_CUH
#define RD_CUDA_PASSES_ROW_EVENTS_CUH

#include "kernels/cuda/passes/shared_displacements.cuh"
#include "kernels/passes/reactions/react_rows.h"

/* Bounds the error of a sum in another order: 2^20 terms, with an error of 2^-52 each. */
#define SUM_MARGIN (1.0 + 1e-9)

/* Holds what the time of the first reaction of a voxel is drawn with, and the length of the pass.
   The pass may belong to a later step than the movement before it. */
struct rd_row_wait {
    struct rd_keys keys;
    const struct rd_step_clock *step_clock;
    double dt;
};

static inline struct rd_row_wait rd_row_wait_of(const struct rd_world *reacting)
{
    struct rd_row_wait wait;
    wait.keys = rd_keys_of(reacting->pass.seed, RD_FOR_REACT, reacting->pass.part);
    wait.step_clock = reacting->pass.step_clock;
    wait.dt = reacting->pass.dt;
    return wait;
}

/* Adds rd_row_factor of the reactions in the list of the species. */
static __device__ __forceinline__ void add_keyed(const struct rd_world &w,
                                                 const struct rd_eval_context &here, int64_t site,
                                                 int32_t species, double *sum)
{
    const int32_t end = w.rows.keyed_first[species + 1];
    for (int32_t i = w.rows.keyed_first[species]; i < end; i++) {
        const struct rd_row_key k = w.rows.keyed[i];
        if (rd_is_in(&w.lattice, k.region, site))
            *sum += k.species[0] == RD_NO_PRODUCT
                        ? rd_row_factor(&w, &w.reactions.channel[k.reaction], &here)
                        : rd_key_product(&k, &here);
    }
}

/* Returns the sum over all species of the voxel and over reactions without reactants. */
static __device__ __forceinline__ double sum_row(const struct rd_world &w, int64_t site,
                                                 struct rd_present s)
{
    struct rd_eval_context here;
    double sum = 0.0;
    rd_aim_at_row(&w, s.voxel, s.entry, s.n, &here);
    while (rd_next_present(&s))
        if (*s.count > 0)
            add_keyed(w, here, site, s.species, &sum);
    add_keyed(w, here, site, w.counts.n_species, &sum);
    return sum;
}

/* Returns whether a sum in any order, or its bound, shows that no reaction happens. */
static __device__ __forceinline__ bool is_surely_quiet(const struct rd_world &w, double sum,
                                                       double u, double dt)
{
    return sum == 0.0 || (!w.reactions.has_expressions && rd_is_quiet(sum * SUM_MARGIN, u, dt));
}

/* Returns whether some reaction may happen in the voxel with these species. */
static __device__ __forceinline__ bool rd_may_react(const struct rd_world &w,
                                                    const struct rd_row_wait &wait,
                                                    const struct rd_present &present)
{
    const struct rd_place p = rd_place_apart(&w.lattice, present.voxel);
    if (rd_is_frozen(&w.runs, p.run))
        return false;
    const uint4 word = rd_words_near(wait.keys, 0, (uint32_t)p.site, wait.step_clock->step,
                                     (uint32_t)(w.lattice.first_run + p.run), 0);
    const double u = rd_uniform_of(word.x, word.y);
    return !is_surely_quiet(w, rd_row_propensity_bound(present), u, wait.dt) &&
           !is_surely_quiet(w, sum_row(w, p.site, present), u, wait.dt);
}

#endif
