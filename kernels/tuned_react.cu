/* tuned_react - the twin of react for the GPU. In most cells nothing happens in a pass, which the
   first random number says; the others are set aside, and their events gone through by the plain
   body. */
#include "react.h"
#include "tuned_cuda.cuh"

enum { PLAIN_THREADS = 128, PLAIN_BLOCKS = 2048 };

static __device__ bool is_quiet(const struct rd_world *w, int64_t cell)
{
    const struct rd_place p = rd_place_apart(w, cell);
    struct rd_stream s =
        rd_stream_of(w->seed, w->first_run + p.run, w->step, RD_FOR_REACT, w->part, p.site);
    return rd_is_quiet(w, &p, rd_uniform(&s));
}

static __global__ void __launch_bounds__(RD_TILE, RD_TILES_EACH)
    react_tile(const __grid_constant__ struct rd_world w, struct rd_aside aside)
{
    __shared__ struct rd_tile_aside tile;
    const int64_t begin = (int64_t)blockIdx.x * RD_TILE, cell = begin + threadIdx.x;
    if (rd_is_halted(&w))
        return;
    if (threadIdx.x == 0)
        tile.n = 0;
    __syncthreads();
    if (cell < w.n_reacting) {
        if (w.has_laws || !is_quiet(&w, cell)) {
            tile.cell[atomicAdd(&tile.n, 1)] = (uint16_t)threadIdx.x;
        } else if (w.n_maintained > 0) {
            rd_none_born(&w, cell);
            w.touched[cell] = 0;
        }
    }
    __syncthreads();
    rd_set_aside(&tile, aside, begin);
}

static __global__ void react_aside(const __grid_constant__ struct rd_world w, struct rd_aside aside)
{
    const uint32_t n = *aside.n, stride = PLAIN_THREADS * PLAIN_BLOCKS;
    for (uint32_t i = blockIdx.x * PLAIN_THREADS + threadIdx.x; i < n; i += stride)
        rd_react(&w, aside.cell[i]);
}

void rd_react_tiles(const struct rd_world *w, struct rd_aside aside, cudaStream_t stream)
{
    const int64_t n = (w->n_reacting + RD_TILE - 1) / RD_TILE;
    if (n == 0)
        return;
    react_tile<<<(unsigned)n, RD_TILE, 0, stream>>>(*w, aside);
    react_aside<<<PLAIN_BLOCKS, PLAIN_THREADS, 0, stream>>>(*w, aside);
}
