/* react_rows - the tuned version of react_row for the GPU; separate because it needs few registers.
   A lean kernel finds the voxels in which reactions may happen, and the plain body simulates
   these. */
#include "kernels/cuda/backend/tuned_passes.cuh"
#include "kernels/cuda/passes/shared_displacements.cuh"
#include "kernels/cuda/passes/voxel_queue.cuh"
#include "kernels/passes/reactions/react_rows.h"

/* Sets the blocks on every multiprocessor. */
enum { FIND_BLOCKS_EACH = 12, EVENT_BLOCKS_EACH = 8 };

/* Bounds the error of a sum in another order: 2^20 terms, with an error of 2^-52 each. */
#define SUM_MARGIN (1.0 + 1e-9)

static __device__ __forceinline__ bool has_row_events(const struct rd_world *w, int64_t voxel)
{
    return !rd_has_no_row_events(w, voxel);
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
static __device__ __forceinline__ double sum_row(const struct rd_world &w, const struct rd_place &p)
{
    struct rd_eval_context here;
    double sum = 0.0;
    rd_aim_counts(&w, p.voxel, &here);
    for (struct rd_present s = rd_present_in(&w, p.voxel); rd_next_present(&s);)
        if (*s.count > 0)
            add_keyed(w, here, p.site, s.species, &sum);
    add_keyed(w, here, p.site, w.counts.n_species, &sum);
    return sum;
}

/* Returns whether a sum in any order, or its bound, shows that no reaction happens. */
static __device__ __forceinline__ bool is_surely_quiet(const struct rd_world &w, double sum,
                                                       double u)
{
    return sum == 0.0 ||
           (!w.reactions.has_expressions && rd_is_quiet(sum * SUM_MARGIN, u, w.pass.dt));
}

/* Returns whether some reaction may happen in the voxel in the pass. */
static __device__ __forceinline__ bool may_react(const struct rd_world &w,
                                                 const struct rd_keys &keys, int64_t voxel)
{
    const struct rd_place p = rd_place_apart(&w.lattice, voxel);
    if (rd_is_frozen(&w.runs, p.run))
        return false;
    const uint4 word = rd_words_near(keys, 0, (uint32_t)p.site, w.pass.step_clock->step,
                                     (uint32_t)(w.lattice.first_run + p.run), 0);
    const double u = rd_uniform_of(word.x, word.y);
    return !is_surely_quiet(w, rd_row_propensity_bound(&w, voxel), u) &&
           !is_surely_quiet(w, sum_row(w, p), u);
}

static __global__ void __launch_bounds__(RD_QUEUE_THREADS, FIND_BLOCKS_EACH)
    find_row_events(const __grid_constant__ struct rd_world w,
                    const __grid_constant__ struct rd_keys keys, struct rd_deferred deferred)
{
    __shared__ struct rd_voxel_queues queues;
    int64_t voxel;
    if (!rd_is_due(&w, RD_REACT_ROWS))
        return;
    struct rd_voxel_queue queue = rd_voxel_queue_of(&queues);
    while (rd_take_voxels<has_row_events>(&queue, w, w.items.n_reacting, &voxel)) {
        if (voxel < 0)
            continue;
        w.rows.marked[voxel] = false;
        rd_leave_quiet_voxel(w, voxel);
        if (may_react(w, keys, voxel))
            deferred.voxel[atomicAdd(deferred.n, 1u)] = (uint32_t)voxel;
    }
}

/* Does the pass for the listed voxels. Neighbours in the list go to different warps, since lanes of
   a warp wait for each other's events. */
template <void (*react)(const struct rd_world *w, int64_t voxel)>
static __global__ void __launch_bounds__(RD_DEFERRED_THREADS)
    simulate_rows(const __grid_constant__ struct rd_world w, struct rd_deferred deferred)
{
    const uint32_t n = *deferred.n, n_threads = gridDim.x * blockDim.x, n_warps = n_threads / 32;
    const uint32_t warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    for (uint32_t i = threadIdx.x % 32 * n_warps + warp; i < n; i += n_threads)
        react(&w, deferred.voxel[i]);
}

void rd_react_rows_queues(const struct rd_world *w, struct rd_deferred deferred,
                          cudaStream_t stream)
{
    const struct rd_keys keys = rd_keys_of(w->pass.seed, RD_FOR_REACT, w->pass.part);
    find_row_events<<<rd_blocks_for(FIND_BLOCKS_EACH), RD_QUEUE_THREADS, 0, stream>>>(*w, keys,
                                                                                      deferred);
    const auto simulate = w->items.n_maintained > 0 ? simulate_rows<rd_count_reactions>
                                                    : simulate_rows<rd_do_row_events>;
    simulate<<<rd_blocks_for(EVENT_BLOCKS_EACH), RD_DEFERRED_THREADS, 0, stream>>>(*w, deferred);
}
