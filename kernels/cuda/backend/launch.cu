/* launch - passes on the GPU: a kernel made of each body, or its twin where one was written.
 */
#include "kernels/cuda/backend/machine.cuh"
#include "kernels/passes/bodies.h"

enum { THREADS = 128, BLOCKS_MOST = 8192 };

/* As many threads as there may be items, or so many that each has several: blocks without anything
   to do take their time, too. */
#define CUDA_SHELL(NUMBER, function, items, most)                                                  \
    static __global__ void shell_##function(const __grid_constant__ struct rd_world world)         \
    {                                                                                              \
        const struct rd_world *const w = &world;                                                   \
        if (!rd_is_due(w, RD_##NUMBER))                                                            \
            return;                                                                                \
        const int64_t n = (items), stride = (int64_t)gridDim.x * THREADS;                          \
        for (int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x; i < n; i += stride)          \
            function(w, i);                                                                        \
    }
RD_PASSES(CUDA_SHELL)

#define CUDA_LAUNCH(NUMBER, function, items, most)                                                 \
    case RD_##NUMBER:                                                                              \
        blocks = ((most) + THREADS - 1) / THREADS;                                                 \
        if (blocks > 0)                                                                            \
            shell_##function<<<(unsigned)(blocks < BLOCKS_MOST ? blocks : BLOCKS_MOST), THREADS,   \
                               0, m->stream>>>(*w);                                                \
        break;

static void run_plain(rd_machine *m, const struct rd_world *w, enum rd_pass pass)
{
    int64_t blocks;
    switch (pass) {
        RD_PASSES(CUDA_LAUNCH)
    case RD_UPKEEP:
    case RD_REGROUP:
    case RD_WANDER:
    case RD_N_PASSES:
        break;
    }
}

/* How many are set aside stands before them. */
enum { ASIDE_BEGIN = 64 };

size_t rd_cuda_aside_room(const struct rd_world *w)
{
    return (ASIDE_BEGIN + (size_t)w->n_cells) * sizeof *((struct rd_aside *)NULL)->cell;
}

/* Room for all cells that twins may set aside, none of which are yet. */
static bool clear_aside(rd_machine *m, const struct rd_world *w)
{
    if (w->n_cells > m->most_aside) {
        cudaError_t error;
        rd_queue_forget(m);
        rd_cuda_give(m, m->aside.n);
        m->aside.n = (uint32_t *)rd_cuda_take(m, rd_cuda_aside_room(w), &error);
        m->aside.cell = m->aside.n + ASIDE_BEGIN;
        m->most_aside = m->aside.n ? w->n_cells : 0;
        if (!rd_cuda_keep(m, error, "make room for cells set aside"))
            return false;
    }
    return rd_cuda_keep(m, cudaMemsetAsync(m->aside.n, 0, sizeof *m->aside.n, m->stream),
                        "clear memory");
}

/* By its twin, if one was written. */
static bool run_tuned(rd_machine *m, const struct rd_world *w, enum rd_pass pass)
{
    switch (pass) {
#define CUDA_TUNED(NUMBER, function)                                                               \
    case RD_##NUMBER:                                                                              \
        if (w->n_cells > UINT32_MAX)                                                               \
            return false;                                                                          \
        if (clear_aside(m, w))                                                                     \
            function(w, m->aside, m->stream);                                                      \
        return true;
        RD_CUDA_TUNED(CUDA_TUNED)
    default:
        return false;
    }
}

void rd_cuda_run(rd_machine *m, const struct rd_world *w, enum rd_pass pass)
{
    if (!rd_sweeper_take(m->sweeper, w, pass)) {
        const struct rd_world here = rd_sweeper_world(m->sweeper, w, pass);
        if (!run_tuned(m, &here, pass))
            run_plain(m, &here, pass);
    }
    rd_cuda_keep(m, cudaGetLastError(), "run a pass");
}

cudaError_t rd_cuda_try_kernel(void)
{
    cudaFuncAttributes attributes;
    const cudaError_t begun = cudaFree(NULL);
    return begun != cudaSuccess ? begun : cudaFuncGetAttributes(&attributes, shell_rd_react);
}
