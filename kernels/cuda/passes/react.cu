/* react - the tuned version of react for the GPU. In most voxels no reaction is possible, or the
   first random number shows that none happens. The others are deferred, and the plain body applies
   their events. */
#define RD_COLUMNS_ONLY 1

#include "kernels/cuda/backend/tuned_passes.cuh"
#include "kernels/cuda/passes/shared_reactions.cuh"
#include "kernels/passes/reactions/react.h"

enum { BLOCKS = 2048, EXPRESSIONS_FROM = 1 << 20 };

/* Returns whether propensities are summed before the plain body. With expressions this takes less
   time in large lattices, and with individuals, for which the plain body takes long. */
static __device__ bool is_summed_first(const struct rd_world &w)
{
    return !w.reactions.has_expressions || w.items.n_maintained > 0 ||
           w.items.n_reacting >= EXPRESSIONS_FROM;
}

/* Holds the voxels of a tile in which a reaction is possible. */
struct candidates {
    double sum[RD_TILE]; /* of propensities */
    uint16_t voxel[RD_TILE];
    int n;
};

/* Returns the sum of the propensities begin ... end - 1, in order; INFINITY if an expression must
   be evaluated for it. */
static __device__ __forceinline__ double sum_block(const struct rd_shared_reactions *r,
                                                   const struct rd_world &w,
                                                   const struct rd_place &p, int32_t begin,
                                                   int32_t end)
{
    double sum = 0.0;
    for (int32_t k = begin; k < end; k++) {
        double a = r->rate[k];
        for (int32_t i = r->begin[k]; i < r->end[k]; i++) {
            const struct rd_reactant of = r->reactant[i];
            const double n = (double)w.counts.count[of.species * w.lattice.n_voxels + p.voxel];
            for (int32_t m = 0; m < of.number; m++)
                a *= n - (double)m;
        }
        if (rd_is_in(&w.lattice, r->region[k], p.site))
            sum += r->has_expression[k] && a != 0.0 ? (double)INFINITY : a;
    }
    return sum;
}

/* Returns the sum of propensities, of at most two blocks, as rd_propensity_tree does. */
static __device__ __forceinline__ double
sum_shared_propensities(const struct rd_shared_reactions *r, const struct rd_world &w,
                        const struct rd_place &p)
{
    const int32_t n = w.reactions.n_reactions, end = rd_block_end(0, 1, n);
    const double first = sum_block(r, w, p, 0, end);
    return end == n ? first : first + sum_block(r, w, p, end, n);
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
                       : r->fits                    ? sum_shared_propensities(r, w, p)
                                                    : INFINITY;
    if (sum == 0.0) {
        rd_leave_quiet_voxel(w, voxel);
        return;
    }
    const int at = atomicAdd(&c->n, 1);
    c->sum[at] = sum;
    c->voxel[at] = (uint16_t)threadIdx.x;
}

static __global__ void __launch_bounds__(RD_TILE, RD_TILES_EACH)
    react_tile(const __grid_constant__ struct rd_world w,
               const __grid_constant__ struct rd_keys keys, struct rd_deferred deferred)
{
    __shared__ struct candidates c;
    __shared__ struct rd_tile_deferred tile;
    __shared__ struct rd_shared_reactions near;
    if (rd_is_halted(&w))
        return;
    rd_share_reactions(&near, &w.reactions, is_summed_first(w));
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
            if (is_quiet(w, keys, candidate, c.sum[threadIdx.x]))
                rd_leave_quiet_voxel(w, candidate);
            else
                tile.voxel[atomicAdd(&tile.n, 1)] = c.voxel[threadIdx.x];
        }
        __syncthreads();
        rd_set_deferred(&tile, deferred, begin);
        __syncthreads();
    }
}

void rd_react_tiles(const struct rd_world *w, struct rd_deferred deferred, cudaStream_t stream)
{
    const int64_t tiles = (w->items.n_reacting + RD_TILE - 1) / RD_TILE;
    const int64_t n = tiles < BLOCKS ? tiles : BLOCKS;
    if (n == 0)
        return;
    const struct rd_keys keys = rd_keys_of(w->pass.seed, RD_FOR_REACT, w->pass.part);
    react_tile<<<(unsigned)n, RD_TILE, 0, stream>>>(*w, keys, deferred);
    if (w->reactions.is_simple)
        rd_simple_react(w, deferred, stream);
    else
        rd_do_deferred<rd_react>
            <<<RD_DEFERRED_BLOCKS, RD_DEFERRED_THREADS, 0, stream>>>(*w, deferred);
}
