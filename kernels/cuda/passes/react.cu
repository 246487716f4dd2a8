/* react - the tuned version of react for the GPU. In most voxels no reaction is possible, or the
   first random number shows that none happens. The others are deferred, and the plain body applies
   their events. Expressions are evaluated by a version of the kernel that needs more registers, but
   far fewer than the plain body. */
#define RD_COLUMNS_ONLY 1

#include "kernels/cuda/backend/tuned_passes.cuh"
#include "kernels/cuda/passes/shared_reactions.cuh"
#include "kernels/passes/reactions/react.h"

/* Sets the blocks; and on every multiprocessor those that evaluate expressions to find voxels with
   events, and those that simulate these. */
enum { BLOCKS = 2048, EVALUATING_EACH = 4, EVENTS_EACH = 5 };

/* Holds the voxels of a tile in which a reaction is possible. */
struct candidates {
    double sum[RD_TILE]; /* of propensities */
    uint16_t voxel[RD_TILE];
    int n;
};

/* Returns a times the falling factorials of the reactants begin ... end - 1. */
static __device__ __forceinline__ double times_reactants(const struct rd_shared_reactions *r,
                                                         const struct rd_world &w, int64_t voxel,
                                                         int32_t begin, int32_t end, double a)
{
    for (int32_t i = begin; i < end; i++) {
        const struct rd_reactant of = r->reactant[i];
        const double n = (double)w.counts.count[of.species * w.lattice.n_voxels + voxel];
        for (int32_t m = 0; m < of.number; m++)
            a *= n - (double)m;
    }
    return a;
}

/* Returns a propensity. One with an expression is INFINITY if it is invalid, or if there is no
   context to evaluate it. */
static __device__ __forceinline__ double propensity(const struct rd_shared_reactions *r,
                                                    const struct rd_world &w, int32_t k,
                                                    int64_t voxel,
                                                    const struct rd_eval_context *here)
{
    const double a = times_reactants(r, w, voxel, r->begin[k], r->required[k], r->rate[k]);
    if (!r->has_expression[k])
        return a;
    if (a == 0.0 || times_reactants(r, w, voxel, r->required[k], r->end[k], 1.0) == 0.0)
        return 0.0;
    if (!here)
        return INFINITY;
    const struct rd_channel *const c = &w.reactions.channel[k];
    const double value = rd_eval(w.expressions.program + c->program, c->n_program, here);
    return value >= 0.0 && rd_is_finite(value) ? a * value : (double)INFINITY;
}

/* Returns the sum of the propensities begin ... end - 1, in order; upto[k], unless NULL, becomes
   the sum up to number k. */
static __device__ __forceinline__ double
sum_block(const struct rd_shared_reactions *r, const struct rd_world &w, const struct rd_place &p,
          int32_t begin, int32_t end, const struct rd_eval_context *here, double *upto)
{
    double sum = 0.0;
    for (int32_t k = begin; k < end; k++) {
        if (rd_is_in(&w.lattice, r->region[k], p.site))
            sum += propensity(r, w, k, p.voxel, here);
        if (upto)
            upto[k] = sum;
    }
    return sum;
}

/* Returns the sums of propensities, of at most two blocks, as rd_propensity_tree does; INFINITY if
   they are not known here. */
static __device__ __forceinline__ struct rd_two_blocks
sum_shared_propensities(const struct rd_shared_reactions *r, const struct rd_world &w,
                        const struct rd_place &p, const struct rd_eval_context *here, double *upto)
{
    const int32_t n = w.reactions.n_reactions, end = rd_block_end(0, 1, n);
    struct rd_two_blocks sums = {0.0, 0.0, 0.0};
    sums.all = sums.first = sum_block(r, w, p, 0, end, here, upto);
    if (end < n) {
        sums.last = sum_block(r, w, p, end, n, here, upto);
        sums.all = sums.first + sums.last;
    }
    return sums;
}

/* Returns this sum with the values of expressions. */
static __device__ __forceinline__ double evaluate_sum(const struct rd_shared_reactions *r,
                                                      const struct rd_world &w, int64_t voxel)
{
    const struct rd_place p = rd_place_of(&w.lattice, voxel);
    const struct rd_eval_context here = rd_eval_context_of(&w, &p);
    return sum_shared_propensities(r, w, p, &here, NULL).all;
}

/* Returns whether the first event of the voxel comes after the end of the pass. */
static __device__ __forceinline__ bool
is_quiet(const struct rd_world &w, const struct rd_keys &keys, int64_t voxel, double sum)
{
    const struct rd_place p = rd_place_apart(&w.lattice, voxel);
    uint32_t c0 = 0, c1 = (uint32_t)p.site, c2 = w.pass.step_clock->step;
    uint32_t c3 = (uint32_t)(w.lattice.first_run + p.run);
#pragma unroll
    for (int round = 0; round < RD_PHILOX_ROUNDS; round++)
        rd_philox_mix(&c0, &c1, &c2, &c3, keys.key[round][0], keys.key[round][1]);
    return rd_is_quiet(sum, rd_uniform_of(c0, c1), w.pass.dt);
}

static __device__ __forceinline__ void look_at(const struct rd_world &w, int64_t voxel,
                                               const struct rd_shared_reactions *r,
                                               struct candidates *c)
{
    const struct rd_place p = rd_place_apart(&w.lattice, voxel);
    const double sum = rd_is_frozen(&w.runs, p.run) ? 0.0
                       : r->fits ? sum_shared_propensities(r, w, p, NULL, NULL).all
                                 : INFINITY;
    if (sum == 0.0) {
        rd_leave_quiet_voxel(w, voxel);
        return;
    }
    const int at = atomicAdd(&c->n, 1);
    c->sum[at] = sum;
    c->voxel[at] = (uint16_t)threadIdx.x;
}

template <bool EVALUATES>
static __global__ void __launch_bounds__(RD_TILE, EVALUATES ? EVALUATING_EACH : RD_TILES_EACH)
    react_tile(const __grid_constant__ struct rd_world w,
               const __grid_constant__ struct rd_keys keys, struct rd_deferred deferred)
{
    __shared__ struct candidates c;
    __shared__ struct rd_tile_deferred tile;
    __shared__ struct rd_shared_reactions near;
    if (rd_is_halted(&w))
        return;
    rd_share_reactions(&near, &w.reactions);
    for (int64_t begin = (int64_t)blockIdx.x * RD_TILE; begin < w.items.n_reacting;
         begin += (int64_t)gridDim.x * RD_TILE) {
        if (threadIdx.x == 0)
            c.n = tile.n = 0;
        __syncthreads();
        if (begin + threadIdx.x < w.items.n_reacting)
            look_at(w, begin + threadIdx.x, &near, &c);
        __syncthreads();
        if ((int)threadIdx.x < c.n) {
            const int64_t candidate = begin + c.voxel[threadIdx.x];
            double sum = c.sum[threadIdx.x];
            if (EVALUATES && near.fits && sum == INFINITY)
                sum = evaluate_sum(&near, w, candidate);
            if (is_quiet(w, keys, candidate, sum))
                rd_leave_quiet_voxel(w, candidate);
            else
                tile.voxel[atomicAdd(&tile.n, 1)] = c.voxel[threadIdx.x];
        }
        __syncthreads();
        rd_set_deferred(&tile, deferred, begin);
        __syncthreads();
    }
}

/* ---- events ---- */

/* Simulates the remaining events of a voxel by the plain body. */
static __device__ __noinline__ void react_plainly(struct rd_ssa *ssa)
{
    rd_react_on(ssa);
}

/* Draws the next event as rd_ssa_next does. *is_known becomes false if the sum of propensities is
   not known here; then nothing is drawn. */
static __device__ __forceinline__ bool
next_event(const struct rd_shared_reactions *r, struct rd_ssa *ssa, int32_t *which, bool *is_known)
{
    double upto[RD_SHARED_CHANNELS];
    const int32_t n = ssa->w->reactions.n_reactions, end = rd_block_end(0, 1, n);
    const struct rd_two_blocks sums =
        sum_shared_propensities(r, *ssa->w, ssa->p, &ssa->eval_context, upto);
    *is_known = sums.all < INFINITY;
    if (!*is_known || !rd_ssa_wait(ssa, sums.all))
        return false;
    double aim = rd_ssa_aim(ssa, sums.all);
    int32_t at = end == n || rd_is_in_first_block(&sums, &aim) ? 0 : end;
    const int32_t last = at == 0 ? end : n;
    while (at < last && !(upto[at] > aim))
        at++;
    *which = at < last ? at : n;
    return rd_ssa_may_fire(ssa, *which);
}

/* Simulates the events of a voxel, which involve no individuals. */
static __device__ __forceinline__ void simulate_counted(const struct rd_shared_reactions *r,
                                                        const struct rd_world *w, int64_t voxel)
{
    struct rd_ssa ssa;
    bool is_known = r->fits;
    rd_ssa_open(&ssa, w, voxel);
    int32_t which;
    while (is_known && next_event(r, &ssa, &which, &is_known) && rd_fire(&ssa, which))
        continue;
    if (is_known)
        return;
    struct rd_ssa rest = ssa; /* so that only this one needs memory */
    react_plainly(&rest);
}

static __global__ void __launch_bounds__(RD_DEFERRED_THREADS, EVENTS_EACH)
    simulate_deferred(const __grid_constant__ struct rd_world w, struct rd_deferred deferred)
{
    __shared__ struct rd_shared_reactions near;
    const uint32_t n = *deferred.n, stride = gridDim.x * RD_DEFERRED_THREADS;
    if (blockIdx.x * RD_DEFERRED_THREADS >= n)
        return;
    rd_share_reactions(&near, &w.reactions);
    __syncthreads();
    for (uint32_t i = blockIdx.x * RD_DEFERRED_THREADS + threadIdx.x; i < n; i += stride)
        simulate_counted(&near, &w, deferred.voxel[i]);
}

void rd_react_tiles(const struct rd_world *w, struct rd_deferred deferred, cudaStream_t stream)
{
    const int64_t tiles = (w->items.n_reacting + RD_TILE - 1) / RD_TILE;
    const int64_t n = tiles < BLOCKS ? tiles : BLOCKS;
    if (n == 0)
        return;
    const struct rd_keys keys = rd_keys_of(w->pass.seed, RD_FOR_REACT, w->pass.part);
    const bool evaluates = w->reactions.has_expressions && !w->reactions.has_attribute_rates;
    const auto kernel = evaluates ? react_tile<true> : react_tile<false>;
    kernel<<<(unsigned)n, RD_TILE, 0, stream>>>(*w, keys, deferred);
    if (w->reactions.is_simple)
        rd_simple_react(w, deferred, stream);
    else if (w->items.n_maintained > 0)
        rd_do_deferred<rd_count_reactions>
            <<<RD_DEFERRED_BLOCKS, RD_DEFERRED_THREADS, 0, stream>>>(*w, deferred);
    else
        simulate_deferred<<<RD_DEFERRED_BLOCKS, RD_DEFERRED_THREADS, 0, stream>>>(*w, deferred);
}
