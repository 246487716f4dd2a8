/* tuned_land - the twin of land for the GPU: four cells a thread, by wide loads and stores. */
#include "land.h"
#include "tuned_cuda.cuh"

enum { THREADS = 256, WIDE = 4 };

static __global__ void land_wide(const __grid_constant__ struct rd_world w)
{
    const int64_t group = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    if (rd_is_halted(&w) || group >= w.n_moving / WIDE)
        return;
    for (int32_t s = 0; s < w.n_species; s++) {
        int4 *const arrive = (int4 *)(w.arrive + s * w.n_cells) + group;
        int4 *const count = (int4 *)(w.count + s * w.n_cells) + group;
        const int4 more = *arrive;
        if ((more.x | more.y | more.z | more.w) == 0)
            continue;
        const int4 n = *count;
        if ((more.x | more.y | more.z | more.w) < 0 || n.x > INT32_MAX - more.x ||
            n.y > INT32_MAX - more.y || n.z > INT32_MAX - more.z || n.w > INT32_MAX - more.w) {
            for (int64_t cell = group * WIDE; cell < (group + 1) * WIDE; cell++)
                rd_land(&w, cell); /* says whose fault it is; nothing is left for other species */
            return;
        }
        *arrive = make_int4(0, 0, 0, 0);
        *count = make_int4(n.x + more.x, n.y + more.y, n.z + more.z, n.w + more.w);
    }
}

static __global__ void land_each(const __grid_constant__ struct rd_world w)
{
    const int64_t cell = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    if (!rd_is_halted(&w) && cell < w.n_moving)
        rd_land(&w, cell);
}

void rd_land_tiles(const struct rd_world *w, struct rd_aside aside, cudaStream_t stream)
{
    (void)aside;
    const bool is_wide = w->n_cells % WIDE == 0;
    const int64_t items = is_wide ? w->n_moving / WIDE : w->n_moving;
    const unsigned blocks = (unsigned)((items + THREADS - 1) / THREADS);
    if (blocks == 0)
        return;
    if (is_wide)
        land_wide<<<blocks, THREADS, 0, stream>>>(*w);
    else
        land_each<<<blocks, THREADS, 0, stream>>>(*w);
}
