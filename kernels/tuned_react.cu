/* tuned_react - the twin of react for the GPU. In most cells nothing can happen, or the first
   random number says that nothing does; the others are set aside, and their events gone through by
   the plain body. */
#include "react.h"
#include "tuned_cuda.cuh"

/* Cells of a tile in which something could happen. */
struct candidates {
    double sum[RD_TILE]; /* of propensities */
    uint16_t cell[RD_TILE];
    int n;
};

static __device__ void leave_quiet(const struct rd_world *w, int64_t cell)
{
    if (w->n_maintained == 0)
        return;
    rd_none_born(w, cell);
    w->touched[cell] = 0;
}

/* Whether the first event of the cell comes after the end of the pass. */
static __device__ bool is_quiet(const struct rd_world *w, int64_t cell, double sum)
{
    const struct rd_place p = rd_place_apart(w, cell);
    struct rd_stream s =
        rd_stream_of(w->seed, w->first_run + p.run, w->beat->step, RD_FOR_REACT, w->part, p.site);
    return rd_is_quiet(sum, rd_uniform(&s), w->dt);
}

static __device__ void look_at(const struct rd_world *w, int64_t cell, struct candidates *c)
{
    const struct rd_place p = rd_place_apart(w, cell);
    const double sum = rd_is_still(w, p.run) ? 0.0
                       : w->has_laws         ? INFINITY
                                             : rd_mass_action_sum(w, &p);
    if (sum == 0.0) {
        leave_quiet(w, cell);
        return;
    }
    const int at = atomicAdd(&c->n, 1);
    c->sum[at] = sum;
    c->cell[at] = (uint16_t)threadIdx.x;
}

static __global__ void __launch_bounds__(RD_TILE, RD_TILES_EACH)
    react_tile(const __grid_constant__ struct rd_world w, struct rd_aside aside)
{
    __shared__ struct candidates c;
    __shared__ struct rd_tile_aside tile;
    const int64_t begin = (int64_t)blockIdx.x * RD_TILE, cell = begin + threadIdx.x;
    if (rd_is_halted(&w))
        return;
    if (threadIdx.x == 0)
        c.n = tile.n = 0;
    __syncthreads();
    if (cell < w.n_reacting)
        look_at(&w, cell, &c);
    __syncthreads();
    if ((int)threadIdx.x < c.n) {
        const int64_t candidate = begin + c.cell[threadIdx.x];
        if (is_quiet(&w, candidate, c.sum[threadIdx.x]))
            leave_quiet(&w, candidate);
        else
            tile.cell[atomicAdd(&tile.n, 1)] = c.cell[threadIdx.x];
    }
    __syncthreads();
    rd_set_aside(&tile, aside, begin);
}

void rd_react_tiles(const struct rd_world *w, struct rd_aside aside, cudaStream_t stream)
{
    const int64_t n = (w->n_reacting + RD_TILE - 1) / RD_TILE;
    if (n == 0)
        return;
    react_tile<<<(unsigned)n, RD_TILE, 0, stream>>>(*w, aside);
    if (w->is_simple)
        rd_simple_react(w, aside, stream);
    else
        rd_do_aside<rd_react><<<RD_ASIDE_BLOCKS, RD_ASIDE_THREADS, 0, stream>>>(*w, aside);
}
