/* arrivals - counts the individuals of each voxel after a movement, computes the first entry of
   each voxel, and stores which entries enter each box of voxels from others. */
#include "kernels/cuda/fused_lists/leavers.cuh"

enum { WARPS = RD_SORT_THREADS / 32, SUM_THREADS = 512, SUM_EACH = RD_SUM_VOXELS / SUM_THREADS };

/* Counts the destinations of the individuals of each box. Their keys become numbers of voxels in
   the box, or RD_ELSEWHERE with the voxel. */
static __global__ void __launch_bounds__(RD_SORT_THREADS, RD_SORTS_EACH)
    count_placements(const __grid_constant__ struct rd_world w,
                     const __grid_constant__ struct rd_sort_by_voxel g)
{
    __shared__ uint32_t count[RD_BOX_VOXELS];
    __shared__ struct rd_leavers l;
    if (rd_is_halted(&w))
        return;
    const struct rd_box b = rd_box_of(g, blockIdx.x);
    const int warp = (int)threadIdx.x / 32, lane = (int)threadIdx.x % 32;
    for (int c = threadIdx.x; c < RD_BOX_VOXELS; c += RD_SORT_THREADS)
        count[c] = 0;
    rd_open_leavers(&l);
    __syncthreads();
    for (int row = warp; row < b.n_rows; row += WARPS) {
        const int64_t voxel = rd_box_row(g, b, row);
        const int32_t end = voxel < 0 ? 0 : g.first[voxel + b.n[0]];
        for (int32_t i = voxel < 0 ? 0 : g.first[voxel] + lane; i < end; i += 32 * RD_AT_ONCE) {
            uint32_t to[RD_AT_ONCE];
#pragma unroll
            for (int k = 0; k < RD_AT_ONCE; k++)
                to[k] = i + 32 * k < end ? g.key[i + 32 * k] : 0;
#pragma unroll
            for (int k = 0; k < RD_AT_ONCE; k++) {
                if (i + 32 * k >= end)
                    break;
                const uint32_t c = rd_in_box(g, b, to[k]);
                rd_count_one(g, &l, count, c < RD_BOX_VOXELS ? c : RD_ELSEWHERE | to[k],
                             (uint32_t)(i + 32 * k));
            }
        }
    }
    __syncthreads();
    rd_close_leavers(g, b, &l, count);
}

/* Returns the sum over the threads of the block up to this one; *all becomes the sum over the
   block. */
static __device__ uint32_t sum_up_to(uint32_t own, uint32_t *all)
{
    __shared__ uint32_t of_warp[SUM_THREADS / 32];
    const int lane = (int)threadIdx.x % 32, warp = (int)threadIdx.x / 32;
    for (int d = 1; d < 32; d *= 2) {
        const uint32_t other = __shfl_up_sync(~0u, own, d);
        own += lane >= d ? other : 0;
    }
    __syncthreads(); /* of_warp may still be read for the last sum */
    if (lane == 31)
        of_warp[warp] = own;
    __syncthreads();
    *all = 0;
    for (int k = 0; k < SUM_THREADS / 32; k++) {
        own += k < warp ? of_warp[k] : 0;
        *all += of_warp[k];
    }
    return own;
}

static __global__ void __launch_bounds__(SUM_THREADS)
    sum_voxels(const __grid_constant__ struct rd_world w,
               const __grid_constant__ struct rd_sort_by_voxel g)
{
    const int64_t begin = (int64_t)blockIdx.x * RD_SUM_VOXELS;
    uint32_t sum = 0, all;
    if (rd_is_halted(&w))
        return;
#pragma unroll
    for (int k = 0; k < SUM_EACH; k++) {
        const int64_t c = begin + k * SUM_THREADS + threadIdx.x;
        sum += c < w.lattice.n_voxels ? g.begin[c] : 0;
    }
    sum_up_to(sum, &all);
    if (threadIdx.x == 0)
        g.sum[blockIdx.x] = all;
}

/* Converts the count of each voxel into its first entry. A block sums up all counts before its own
   voxels. */
static __global__ void __launch_bounds__(SUM_THREADS)
    find_begins(const __grid_constant__ struct rd_world w,
                const __grid_constant__ struct rd_sort_by_voxel g)
{
    __shared__ uint32_t
        near[SUM_THREADS * (SUM_EACH + 1)]; /* one column more avoids bank conflicts */
    const int64_t begin = (int64_t)blockIdx.x * RD_SUM_VOXELS;
    uint32_t before = 0, own = 0, all, none;
    if (rd_is_halted(&w))
        return;
    for (int k = threadIdx.x; k < RD_SUM_VOXELS; k += SUM_THREADS)
        near[k + k / SUM_EACH] = begin + k < w.lattice.n_voxels ? g.begin[begin + k] : 0;
    for (uint32_t k = threadIdx.x; k < blockIdx.x; k += SUM_THREADS)
        before += g.sum[k];
    sum_up_to(before, &all);
    uint32_t *const mine = near + threadIdx.x * (SUM_EACH + 1);
    for (int k = 0; k < SUM_EACH; k++)
        own += mine[k];
    uint32_t from = all + sum_up_to(own, &none) - own;
    for (int k = 0; k < SUM_EACH; k++) {
        const uint32_t n = mine[k];
        mine[k] = from;
        from += n;
    }
    __syncthreads();
    for (int k = threadIdx.x; k < RD_SUM_VOXELS; k += SUM_THREADS)
        if (begin + k <= w.lattice.n_voxels)
            g.begin[begin + k] = near[k + k / SUM_EACH];
}

void rd_count_placements(const struct rd_world *w, const struct rd_sort_by_voxel *g,
                         cudaStream_t stream)
{
    count_placements<<<rd_n_boxes(g), RD_SORT_THREADS, 0, stream>>>(*w, *g);
}

void rd_find_places(const struct rd_world *w, const struct rd_sort_by_voxel *g, cudaStream_t stream)
{
    const unsigned sums = (unsigned)(w->lattice.n_voxels / RD_SUM_VOXELS + 1);
    sum_voxels<<<sums, SUM_THREADS, 0, stream>>>(*w, *g);
    find_begins<<<sums, SUM_THREADS, 0, stream>>>(*w, *g);
}
