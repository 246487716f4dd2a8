/* overfull_boxes - restores the old order in voxels of boxes whose entries do not fit in shared
   memory. A warp handles a voxel with any number of entries. */
#include "kernels/cuda/fused_lists/sort_by_voxel.cuh"

enum {
    THREADS = 128,
    WARPS = THREADS / 32,
    BLOCKS = 256,
    SHARES = 16,
    DIGIT = 8,
    DIGITS = 1 << DIGIT
};

/* Converts the number of each digit into its first place. All lanes of a warp call it. */
static __device__ void find_digit_places(uint32_t *count)
{
    const int lane = (int)threadIdx.x % 32;
    uint32_t own = 0, sum;
    for (int k = 0; k < DIGITS / 32; k++)
        own += count[lane * (DIGITS / 32) + k];
    sum = own;
    for (int d = 1; d < 32; d *= 2) {
        const uint32_t other = __shfl_up_sync(~0u, sum, d);
        sum += lane >= d ? other : 0;
    }
    sum -= own;
    for (int k = 0; k < DIGITS / 32; k++) {
        const uint32_t n = count[lane * (DIGITS / 32) + k];
        count[lane * (DIGITS / 32) + k] = sum;
        sum += n;
    }
    __syncwarp();
}

/* Sorts n entries by one digit, stably. */
static __device__ void order_digit(uint32_t *to, const uint32_t *from, uint32_t n, int shift,
                                   uint32_t *count)
{
    const unsigned lane = threadIdx.x % 32;
    for (int k = (int)lane; k < DIGITS; k += 32)
        count[k] = 0;
    __syncwarp();
    for (uint32_t i = lane; i < n; i += 32)
        atomicAdd(&count[from[i] >> shift & (DIGITS - 1)], 1);
    __syncwarp();
    find_digit_places(count);
    for (uint32_t begin = 0; begin < n; begin += 32) {
        const bool is_one = begin + lane < n;
        const uint32_t entry = is_one ? from[begin + lane] : 0;
        const uint32_t digit = is_one ? entry >> shift & (DIGITS - 1) : DIGITS;
        const unsigned same = __match_any_sync(~0u, digit);
        const unsigned before = __popc(same & ((1u << lane) - 1));
        if (is_one)
            to[count[digit] + before] = entry;
        __syncwarp();
        if (is_one && before == 0)
            count[digit] += __popc(same);
        __syncwarp();
    }
}

/* Sorts the n entries at the places of the voxel, from `begin` on, and stores its key and their
   slots. */
static __device__ void order_voxel(const struct rd_sort_by_voxel &g, uint32_t voxel, uint32_t begin,
                                   uint32_t n, uint32_t *count)
{
    const int lane = (int)threadIdx.x % 32;
    uint32_t *const entry = g.key_next + begin, *const other = g.slot_next + begin;
    if (n <= 32) {
        const uint32_t own = lane < (int)n ? entry[lane] : UINT32_MAX;
        uint32_t before = 0;
        for (int k = 0; k < (int)n; k++)
            before += __shfl_sync(~0u, own, k) < own;
        __syncwarp();
        if (lane < (int)n) {
            entry[before] = voxel;
            other[before] = g.slot[own];
        }
        return;
    }
    for (int shift = 0; shift < 32; shift += 2 * DIGIT) {
        order_digit(other, entry, n, shift, count);
        order_digit(entry, other, n, shift + DIGIT, count);
    }
    for (uint32_t i = (uint32_t)lane; i < n; i += 32) {
        other[i] = g.slot[entry[i]];
        entry[i] = voxel;
    }
}

static __global__ void __launch_bounds__(THREADS)
    order_overfull_boxes(const __grid_constant__ struct rd_world w,
                         const __grid_constant__ struct rd_sort_by_voxel g)
{
    __shared__ uint32_t count[WARPS][DIGITS];
    if (rd_is_halted(&w) || *g.n_overfull == 0)
        return;
    const uint32_t boxes = rd_n_boxes(&g);
    const uint32_t voxels = 1u << (g.bits[0] + g.bits[1] + g.bits[2]), warp = threadIdx.x / 32;
    for (uint32_t number = blockIdx.x; number < boxes; number += gridDim.x) {
        if (g.n_arrived[number] != RD_BOX_OVERFULL)
            continue;
        const struct rd_box b = rd_box_of(g, number);
        for (uint32_t c = blockIdx.y * WARPS + warp; c < voxels; c += gridDim.y * WARPS) {
            const uint32_t x = c & ((1u << g.bits[0]) - 1);
            const int64_t row = rd_box_row(g, b, (int)(c >> g.bits[0]));
            if (row < 0 || (int32_t)x >= b.n[0])
                continue;
            const uint32_t voxel = (uint32_t)row + x, begin = g.begin[voxel];
            order_voxel(g, voxel, begin, g.begin[voxel + 1] - begin, count[warp]);
        }
    }
}

void rd_order_overfull_boxes(const struct rd_world *w, const struct rd_sort_by_voxel *g,
                             cudaStream_t stream)
{
    order_overfull_boxes<<<dim3(BLOCKS, SHARES), THREADS, 0, stream>>>(*w, *g);
}
