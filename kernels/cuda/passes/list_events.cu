/* list_events - the events of simple worlds on the GPU: where all is mass action, and individuals
   have neither attributes nor weights nor a lineage, the plain bodies shrink to what is left. */
#define RD_SIMPLE_ONLY 1
#include "kernels/cuda/passes/deferred_events.cuh"

/* As rd_react for each, but that a warp tells at once what the events of its cells will take. */
static __global__ void __launch_bounds__(RD_ASIDE_THREADS)
    react_aside(const __grid_constant__ struct rd_world w, struct rd_aside aside)
{
    const uint32_t n = *aside.n, stride = gridDim.x * blockDim.x;
    int32_t touched = 0, newborn = 0;
    for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
        if (w.n_maintained == 0) {
            rd_react(&w, aside.cell[i]);
            continue;
        }
        struct rd_play play;
        rd_play_open(&play, &w, aside.cell[i]);
        const int64_t n_newborn = rd_reckon(&play);
        touched += n_newborn >= 0;
        rd_hold_newborn(&w, &newborn, n_newborn);
    }
    rd_expect_of_warp(&w, touched, newborn);
}

void rd_simple_react(const struct rd_world *w, struct rd_aside aside, cudaStream_t stream)
{
    if (rd_has_few(w))
        rd_few_react(w, aside, stream);
    else
        react_aside<<<RD_EVENT_BLOCKS, RD_ASIDE_THREADS, 0, stream>>>(*w, aside);
}

void rd_simple_maintain(const struct rd_world *w, struct rd_aside aside, cudaStream_t stream)
{
    if (rd_has_few(w))
        rd_few_maintain(w, aside, stream);
    else
        rd_maintain_aside<<<RD_EVENT_BLOCKS, RD_ASIDE_THREADS, 0, stream>>>(*w, aside);
}
