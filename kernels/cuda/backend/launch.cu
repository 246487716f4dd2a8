/* launch - launches passes on the GPU: a kernel generated from the plain body, or the tuned
   version. */
#include "kernels/core/list_passes.h"
#include "kernels/cuda/backend/machine.cuh"
#include "kernels/passes/bodies.h"

enum { THREADS = 128, BLOCKS_MOST = 8192 };

/* Generates the kernel of a pass. There is a thread for each possible item, or a fixed number with
   several items each: blocks without items take time, too. */
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
                               0, m->at->stream>>>(*w);                                            \
        break;

static void launch_plain(rd_machine *m, const struct rd_world *w, enum rd_pass pass)
{
    int64_t blocks;
    switch (pass) {
        RD_PASSES(CUDA_LAUNCH)
    default:
        break;
    }
}

/* Places the numbers of deferred voxels before the voxels. */
enum { DEFERRED_BEGIN = 64 };

size_t rd_cuda_deferred_capacity(const struct rd_lattice *lattice)
{
    return (DEFERRED_BEGIN + (size_t)lattice->n_voxels) *
           sizeof *((struct rd_deferred *)NULL)->voxel;
}

/* Ensures memory for all voxels that tuned passes may defer, and sets their numbers to 0. */
static bool clear_deferred(rd_machine *m, const struct rd_lattice *lattice)
{
    struct rd_deferred *const d = &m->at->deferred;
    if (m->at == &m->trunk && lattice->n_voxels > m->most_deferred) {
        cudaError_t error;
        rd_queue_invalidate(m);
        rd_cuda_give(m, d->n);
        d->n = (uint32_t *)rd_cuda_take(m, rd_cuda_deferred_capacity(lattice), &error);
        d->n_last = d->n + 1;
        d->n_reacting = d->n + 2;
        d->voxel = d->n + DEFERRED_BEGIN;
        m->most_deferred = d->n ? lattice->n_voxels : 0;
        if (!rd_cuda_keep(m, error, "allocate memory for deferred voxels"))
            return false;
    }
    return rd_cuda_keep(m,
                        cudaMemsetAsync(d->n, 0, RD_DEFERRED_NUMBERS * sizeof *d->n, m->at->stream),
                        "clear memory");
}

/* Launches the tuned version of the pass. Returns false if there is none for this world. */
static bool run_tuned(rd_machine *m, const struct rd_world *w, enum rd_pass pass)
{
    switch (pass) {
#define CUDA_TUNED(NUMBER, function, defers)                                                       \
    case RD_##NUMBER:                                                                              \
        if (w->lattice.n_voxels > UINT32_MAX)                                                      \
            return false;                                                                          \
        if (!(defers) || clear_deferred(m, &w->lattice))                                           \
            function(w, m->at->deferred, m->at->stream);                                           \
        return true;
        RD_CUDA_TUNED(CUDA_TUNED)
    default:
        return false;
    }
}

static void run_unfused(rd_machine *m, const struct rd_world *w, enum rd_pass pass)
{
    static const struct rd_list_operations operations = {rd_cuda_scan, rd_cuda_scan_segments,
                                                         rd_cuda_sort};
    rd_fusion_flush(m->fusion);
    const struct rd_world here = rd_fusion_world(m->fusion, w, pass);
    rd_cuda_choose_branch(m, &here, pass);
    if (!rd_run_list_pass(m, &operations, &here, pass) && !run_tuned(m, &here, pass))
        launch_plain(m, &here, pass);
}

/* Launches the fused pass of rows at its last call; its other calls stand before that. */
static void react_landed(rd_machine *m, const struct rd_call *c)
{
    if (!c->is_last)
        return;
    rd_fusion_flush(m->fusion);
    rd_react_landed_rows(&c[-2].world, &c->world, m->trunk.deferred, m->stream);
}

/* Returns how many fused steps of rows stand together, of n calls. */
static int n_row_steps(const struct rd_call *c, int n)
{
    int i = 0;
    while (i < n && c[i].pass == RD_ROW_STEP)
        i++;
    return i / RD_ROW_STEP_PASSES;
}

/* Does the first of the fused steps of rows in these n calls as one kernel, or one step by its own
   passes. Returns how many calls that were. */
static int run_row_steps(rd_machine *m, const struct rd_call *c, int n)
{
    rd_fusion_flush(m->fusion);
    const int n_together = rd_fused_rows_run(m->fused_rows, c, n_row_steps(c, n));
    if (n_together > 0)
        return n_together * RD_ROW_STEP_PASSES;
    run_unfused(m, &c[0].world, RD_HOP_ROWS);
    run_unfused(m, &c[1].world, RD_LINK_ARRIVALS);
    rd_react_landed_rows(&c[2].world, &c[4].world, m->trunk.deferred, m->stream);
    return RD_ROW_STEP_PASSES;
}

int rd_cuda_run(rd_machine *m, const struct rd_call *c, int n)
{
    int n_done = 1;
    if (c->pass == RD_FUSED_STEP || c->pass == RD_REACT_LANDED || c->pass == RD_ROW_STEP)
        rd_cuda_join(m);
    if (c->pass == RD_ROW_STEP)
        n_done = run_row_steps(m, c, n);
    else if (c->pass == RD_FUSED_STEP)
        rd_fusion_add(m->fusion, &c->world, c->part, c->is_last);
    else if (c->pass == RD_REACT_LANDED)
        react_landed(m, c);
    else
        run_unfused(m, &c->world, c->pass);
    rd_cuda_keep(m, cudaGetLastError(), "run a pass");
    return n_done;
}

cudaError_t rd_cuda_try_kernel(void)
{
    cudaFuncAttributes attributes;
    const cudaError_t begun = cudaFree(NULL);
    return begun != cudaSuccess ? begun : cudaFuncGetAttributes(&attributes, shell_rd_react);
}
