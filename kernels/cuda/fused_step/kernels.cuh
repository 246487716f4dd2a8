/* kernels - the fused kernels over tiles: counts are read and written once, and intermediate values
   stay in shared memory. A fault in one tile does not stop the later passes of the same fused step
   in other tiles. The faults of these passes are kept apart, and reported only if no earlier pass
   had a fault. Only box_tiles.cu and line_tiles.cu include this file. They are compiled in
   parallel, since the assembler takes long for each kernel. */
#ifndef RD_CUDA_FUSED_STEP_CUH
#define RD_CUDA_FUSED_STEP_CUH

#include "kernels/cuda/backend/fused_step.cuh"
#include "kernels/cuda/backend/tuned_passes.cuh"
#include "kernels/cuda/fused_step/grid_barrier.cuh"
#include "kernels/cuda/fused_step/persistent_kernel.cuh"
#include "kernels/cuda/fused_step/tile_step.cuh"

/* Sets the least number of blocks resident on a multiprocessor, which limits their registers; a
   persistent kernel may use more registers. */
enum { BLOCKS = 5, PERSISTENT = 3 };
/* Sets the most species for which kernels are compiled: few, those of a persistent kernel, or all
   of a fused step (RD_FUSED_STEP_SPECIES). */
enum { SMALL = 3, PERSISTENT_BLOCKS = 8 };
template <int N, bool LINE>
static __global__ void __launch_bounds__(RD_TILE_THREADS, BLOCKS)
    fused_step(const __grid_constant__ struct rd_fused_step s,
               const __grid_constant__ struct rd_round r, const __grid_constant__ struct rd_world w,
               const __grid_constant__ struct rd_world react)
{
    __shared__ int n[RD_N_LISTS];
    struct rd_tile t;
    rd_tile_find<LINE>(&t, s, w);
    t.react_step = rd_step_of(r.react_step_clock);
    t.hop_step = rd_step_of(r.hop_step_clock);
    const struct rd_inbox inbox = rd_tile_request_inbox(t, r.in);
    if (w.runs.n_first_faulting_pass > 0 &&
        *w.runs.first_faulting_pass < rd_fused_step_first_pass(r))
        return;
    rd_tile_load(s, w);
    rd_tile_clear(s, n);
    rd_tile_fetch_all<LINE>(t, s, w);
    __syncthreads();
    rd_fused_step_tile<N, LINE>(t, {s, r, w, react, &t, &s, &w, &react}, inbox, n);
    rd_tile_store_all<LINE>(t, s, w, r.hop_step_clock != NULL);
    if (r.hop_step_clock && n[RD_N_DEFERRED] > 0)
        rd_fused_step_hop_deferred<LINE>(&t, &s, &r.out, &w, n);
}

/* Holds, in shared memory, the values that differ between the fused steps of a persistent kernel,
   and copies of kernel arguments for functions that are not inlined. */
struct in_persistent_kernel {
    struct rd_tile t;
    struct rd_round r;
    struct rd_fused_step s;
    struct rd_world w, react;
    int64_t first_pass;
};

static __device__ __forceinline__ void set_kernel_substep(struct in_persistent_kernel *all,
                                                          const struct rd_persistent_kernel &m,
                                                          int kernel_substep)
{
    rd_persistent_kernel_aim(&m, kernel_substep, &all->r, &all->w, &all->react);
    all->first_pass = rd_fused_step_first_pass(all->r);
    all->t.react_step = rd_step_of(all->r.react_step_clock);
    all->t.hop_step = rd_step_of(all->r.hop_step_clock);
}

/* Sets the values that stay constant. All threads of the block call it. */
template <bool LINE>
static __device__ __forceinline__ void load_constants(struct rd_tile *t,
                                                      struct in_persistent_kernel *all,
                                                      const struct rd_persistent_kernel &m)
{
    rd_tile_find<LINE>(t, m.s, m.w);
    rd_tile_load(m.s, m.w);
    rd_copy_by_block(&all->s, m.s, RD_TILE_THREADS);
    rd_copy_by_block(&all->w, m.w, RD_TILE_THREADS);
    rd_copy_by_block(&all->react, m.react, RD_TILE_THREADS);
    if (threadIdx.x == 0)
        all->t = *t;
}

/* Ends a fused step before the block arrives at the grid barrier. Returns whether the counts are
   still in shared memory. */
template <bool LINE>
static __device__ __forceinline__ bool
stay_or_store(const struct rd_tile &t, const struct in_persistent_kernel *all,
              const struct rd_persistent_kernel &m, bool is_last, int *n)
{
    const bool hops = all->r.hop_step_clock != NULL, has_deferred = hops && n[RD_N_DEFERRED] > 0;
    if (!is_last && !has_deferred)
        return true;
    rd_tile_store_all<LINE>(t, m.s, m.w, hops);
    if (has_deferred)
        rd_fused_step_hop_deferred<LINE>(&all->t, &all->s, &all->r.out, &all->w, n);
    __syncthreads();
    return false;
}

/* Does fused steps one after another. All its blocks are resident together; each keeps its tile,
   and waits for all others between fused steps. */
template <int N, bool LINE>
static __global__ void __launch_bounds__(RD_TILE_THREADS, PERSISTENT)
    persistent_kernel(const __grid_constant__ struct rd_persistent_kernel m)
{
    __shared__ int n[RD_N_LISTS];
    __shared__ struct in_persistent_kernel all;
    struct rd_tile t;
    bool is_here = false;
    uint32_t n_expected = 0; /* arrivals of all blocks up to now */
    load_constants<LINE>(&t, &all, m);
    const struct rd_step_arguments o = {m.s,    all.r,  m.w,    m.react,
                                        &all.t, &all.s, &all.w, &all.react};
    for (int kernel_substep = 0; kernel_substep < m.n; kernel_substep++) {
        __syncthreads();
        rd_tile_clear(m.s, n);
        if (threadIdx.x == 0) {
            set_kernel_substep(&all, m, kernel_substep);
            rd_wait_for_blocks(m.n_arrived, n_expected);
        }
        __syncthreads();
        t.react_step = all.t.react_step;
        t.hop_step = all.t.hop_step;
        const struct rd_inbox inbox = rd_tile_request_inbox(t, all.r.in);
        if (m.w.runs.n_first_faulting_pass > 0 && *m.w.runs.first_faulting_pass < all.first_pass)
            break;
        if (!is_here) {
            rd_tile_fetch_all<LINE>(t, m.s, m.w);
            __syncthreads();
        }
        rd_fused_step_tile<N, LINE>(t, o, inbox, n);
        is_here = stay_or_store<LINE>(t, &all, m, kernel_substep + 1 == m.n, n);
        if (threadIdx.x == 0)
            rd_count_block(m.n_arrived);
        n_expected += gridDim.x;
        if (is_here)
            rd_tile_stay(m.s, m.w.counts);
    }
    if (is_here)
        rd_tile_store_all<LINE>(t, m.s, m.w, false);
    if (threadIdx.x == 0 && rd_count_block(m.n_arrived) == n_expected + gridDim.x - 1)
        *m.n_arrived = 0; /* for the next persistent kernel */
}

template <int N, bool LINE>
static void launch_kernel(const struct rd_persistent_kernel *m, cudaStream_t stream)
{
    const unsigned tiles = (unsigned)m->s.tiling.n_tiles;
    const size_t bytes = (size_t)m->s.layout.all;
    if (m->n == 1) {
        struct rd_round r;
        struct rd_world w = m->w, react = m->react;
        rd_persistent_kernel_aim(m, 0, &r, &w, &react);
        fused_step<N, LINE><<<tiles, RD_TILE_THREADS, bytes, stream>>>(m->s, r, w, react);
    } else if constexpr (N <= PERSISTENT_BLOCKS) {
        void *argument = (void *)m;
        cudaLaunchCooperativeKernel(persistent_kernel<N, LINE>, tiles, RD_TILE_THREADS, &argument,
                                    bytes, stream);
    }
}

template <bool LINE>
void rd_fused_step_launch_in(const struct rd_persistent_kernel *m, cudaStream_t stream)
{
    if (m->w.counts.n_species <= SMALL)
        launch_kernel<SMALL, LINE>(m, stream);
    else if (m->w.counts.n_species <= PERSISTENT_BLOCKS)
        launch_kernel<PERSISTENT_BLOCKS, LINE>(m, stream);
    else
        launch_kernel<RD_FUSED_STEP_SPECIES, LINE>(m, stream);
}

template <int N, bool LINE> static int capacity_for(size_t bytes)
{
    int n = 0;
    const cudaError_t error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(
        &n, persistent_kernel<N, LINE>, RD_TILE_THREADS, bytes);
    return error == cudaSuccess ? n : 0;
}

template <bool LINE> int rd_fused_step_capacity_in(size_t bytes, int64_t n_species)
{
    return n_species > PERSISTENT_BLOCKS ? 0
           : n_species > SMALL           ? capacity_for<PERSISTENT_BLOCKS, LINE>(bytes)
                                         : capacity_for<SMALL, LINE>(bytes);
}

#endif
