/* sort_by_voxel - the twin of the sort after a movement and of the index, for the GPU. How many
   will stand in each voxel says where its places begin. Those who stay in their box of voxels, and
   the few who come from others, are ordered in shared memory. Equals stand in the order of their
   old entries, as after a stable sort. */
#include "kernels/cuda/fused_lists/sort_by_voxel.cuh"

enum { WARPS = RD_REGROUPERS / 32, THREADS = 256, BLOCKS = 2048, LATE_BLOCKS = 264 };

static __global__ void __launch_bounds__(RD_DEFERRED_THREADS)
    outbox_late(const __grid_constant__ struct rd_world w,
                const __grid_constant__ struct rd_sort_by_voxel g)
{
    if (rd_is_halted(&w))
        return;
    const uint32_t n = *g.n_late, stride = gridDim.x * blockDim.x;
    for (uint32_t k = blockIdx.x * blockDim.x + threadIdx.x; k < n; k += stride)
        rd_put_at_voxel(g, g.key[g.late_entry[k]] & ~RD_ELSEWHERE, g.late_entry[k]);
}

/* The places of a box's voxels, one row behind the other. */
struct places {
    uint32_t displacement[RD_BOX_DISPLACEMENTS + 1]; /* where the row begins here, */
    uint32_t out[RD_BOX_DISPLACEMENTS];              /* and in the list, less that */
    uint32_t voxel[RD_BOX_DISPLACEMENTS];            /* its first voxel */
    uint32_t free[RD_BOX_VOXELS]; /* the end of the voxel's places that nobody has taken */
    uint16_t begin[RD_BOX_VOXELS], end[RD_BOX_VOXELS];
    uint32_t entry[RD_BOX_CAPACITY]; /* where it stood, */
    uint32_t slot[RD_BOX_CAPACITY];
    uint16_t of[RD_BOX_CAPACITY]; /* and in which voxel of the box it will */
};

/* Where the rows of the box begin, by the first warp. */
static __device__ void find_displacements(struct places *p, const struct rd_sort_by_voxel &g,
                                          const struct rd_box &b)
{
    const int lane = (int)threadIdx.x;
    uint32_t before = 0;
    for (int begin = 0; begin < b.n_displacements; begin += 32) {
        const int displacement = begin + lane;
        const int64_t voxel =
            displacement < b.n_displacements ? rd_box_displacement(g, b, displacement) : -1;
        const uint32_t from = voxel < 0 ? 0 : g.begin[voxel];
        const uint32_t n = voxel < 0 ? 0 : g.begin[voxel + b.n[0]] - from;
        uint32_t sum = n;
        for (int d = 1; d < 32; d *= 2) {
            const uint32_t other = __shfl_up_sync(~0u, sum, d);
            sum += lane >= d ? other : 0;
        }
        if (displacement < b.n_displacements) {
            p->displacement[displacement] = before + sum - n;
            p->out[displacement] = from - (before + sum - n);
            p->voxel[displacement] = (uint32_t)(voxel < 0 ? 0 : voxel);
        }
        before += __shfl_sync(~0u, sum, 31);
    }
    if (lane == 0)
        p->displacement[b.n_displacements] = before;
}

/* The voxel that has the number in the box. */
static __device__ __forceinline__ uint32_t voxel_of(const struct places *p,
                                                    const struct rd_sort_by_voxel &g, uint32_t c)
{
    return p->voxel[c >> g.bits[0]] + (c & ((1u << g.bits[0]) - 1));
}

static __device__ __forceinline__ void stand(struct places *p, uint32_t at, uint32_t c,
                                             uint32_t entry, uint32_t slot)
{
    p->entry[at] = entry;
    p->slot[at] = slot;
    p->of[at] = (uint16_t)c;
}

/* The places of each voxel, and those at its first ones who were late. */
static __device__ void find_voxels(struct places *p, const struct rd_sort_by_voxel &g,
                                   const struct rd_box &b)
{
    const bool has_late = *g.n_late > 0;
    for (int c = threadIdx.x; c < b.n_displacements << g.bits[0]; c += RD_REGROUPERS) {
        const int displacement = c >> g.bits[0], x = c & ((1 << g.bits[0]) - 1);
        const bool is_one = rd_box_displacement(g, b, displacement) >= 0 && x < b.n[0];
        const uint32_t voxel = p->voxel[displacement] + (uint32_t)x;
        const uint32_t from = is_one ? g.begin[voxel] : 0;
        const uint32_t to = is_one ? g.begin[voxel + 1] : 0;
        const uint32_t begin = is_one ? from - p->out[displacement] : 0;
        const uint32_t n = is_one && has_late ? g.posted[voxel] : 0;
        p->begin[c] = (uint16_t)begin;
        p->end[c] = (uint16_t)(begin + to - from);
        p->free[c] = begin + to - from;
        for (uint32_t k = 0; k < n; k++) {
            const uint32_t entry = g.key_next[from + k];
            stand(p, begin + k, (uint32_t)c, entry, g.slot[entry]);
        }
    }
}

/* Those who came from other boxes. */
static __device__ void take_arrived(struct places *p, const struct rd_sort_by_voxel &g)
{
    const uint32_t all = g.n_arrived[blockIdx.x], n = all < g.capacity ? all : g.capacity;
    for (uint32_t k = threadIdx.x; k < n; k += RD_REGROUPERS) {
        const uint32_t c = g.arrived_voxel[blockIdx.x * g.capacity + k];
        const uint32_t entry = g.arrived_entry[blockIdx.x * g.capacity + k];
        stand(p, atomicSub(&p->free[c], 1) - 1, c, entry, g.slot[entry]);
    }
}

/* Those of the box who stay in it take places of their voxels, in any order. */
static __device__ void take_own(struct places *p, const struct rd_sort_by_voxel &g,
                                const struct rd_box &b)
{
    const int warp = (int)threadIdx.x / 32, lane = (int)threadIdx.x % 32;
    for (int displacement = warp; displacement < b.n_displacements; displacement += WARPS) {
        const int64_t voxel = rd_box_displacement(g, b, displacement);
        const int32_t end = voxel < 0 ? 0 : g.first[voxel + b.n[0]];
        for (int32_t i = voxel < 0 ? 0 : g.first[voxel] + lane; i < end; i += 32 * RD_AT_ONCE) {
            uint32_t to[RD_AT_ONCE], slot[RD_AT_ONCE];
#pragma unroll
            for (int k = 0; k < RD_AT_ONCE; k++) {
                to[k] = i + 32 * k < end ? g.key[i + 32 * k] : 0;
                slot[k] = i + 32 * k < end ? g.slot[i + 32 * k] : 0;
            }
#pragma unroll
            for (int k = 0; k < RD_AT_ONCE; k++) {
                if (i + 32 * k >= end)
                    break;
                if (to[k] < RD_BOX_VOXELS)
                    stand(p, atomicSub(&p->free[to[k]], 1) - 1, to[k], (uint32_t)(i + 32 * k),
                          slot[k]);
            }
        }
    }
}

/* Where there is no room for them they wait in the list. */
static __device__ __noinline__ void
leave_overfull(const struct places *p, const struct rd_sort_by_voxel &g, const struct rd_box &b)
{
    const uint32_t all = g.n_arrived[blockIdx.x], n = all < g.capacity ? all : g.capacity;
    for (int displacement = 0; displacement < b.n_displacements; displacement++) {
        const int64_t voxel = rd_box_displacement(g, b, displacement);
        const int32_t end = voxel < 0 ? 0 : g.first[voxel + b.n[0]];
        for (int32_t i = (voxel < 0 ? 0 : g.first[voxel]) + (int32_t)threadIdx.x; i < end;
             i += RD_REGROUPERS)
            if (g.key[i] < RD_BOX_VOXELS)
                rd_put_at_voxel(g, voxel_of(p, g, g.key[i]), (uint32_t)i);
    }
    for (uint32_t k = threadIdx.x; k < n; k += RD_REGROUPERS) {
        rd_put_at_voxel(g, voxel_of(p, g, g.arrived_voxel[blockIdx.x * g.capacity + k]),
                        g.arrived_entry[blockIdx.x * g.capacity + k]);
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        g.n_arrived[blockIdx.x] = RD_BOX_CROWDED;
        *g.n_crowded = 1;
    }
}

/* Of its voxel, how many stood before it: so it goes to its place. */
static __device__ void store_box(const struct places *p, const struct rd_sort_by_voxel &g,
                                 const struct rd_box &b)
{
    const uint32_t n = p->displacement[b.n_displacements];
    for (uint32_t i = threadIdx.x; i < n; i += RD_REGROUPERS) {
        const uint32_t c = p->of[i], entry = p->entry[i], displacement = c >> g.bits[0];
        const uint32_t begin = p->begin[c], end = p->end[c];
        uint32_t to = p->out[displacement] + begin;
        for (uint32_t k = begin; k < end; k++)
            to += p->entry[k] < entry;
        g.key_next[to] = voxel_of(p, g, c);
        g.slot_next[to] = p->slot[i];
    }
}

/* The list stays what it is after a fault or in a pause. */
static __device__ void keep_list(const struct rd_world &w, const struct rd_sort_by_voxel &g)
{
    const int64_t stride = (int64_t)gridDim.x * blockDim.x;
    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < rd_n_listed(&w);
         i += stride) {
        g.key_next[i] = g.key[i];
        g.slot_next[i] = g.slot[i];
    }
}

static __global__ void __launch_bounds__(RD_REGROUPERS, RD_REGROUPS_EACH)
    order_boxes(const __grid_constant__ struct rd_world w,
                const __grid_constant__ struct rd_sort_by_voxel g)
{
    extern __shared__ char capacity[];
    struct places *const p = (struct places *)capacity;
    if (rd_is_halted(&w)) {
        keep_list(w, g);
        return;
    }
    const struct rd_box b = rd_box_of(g, blockIdx.x);
    if (threadIdx.x < 32)
        find_displacements(p, g, b);
    __syncthreads();
    if (p->displacement[b.n_displacements] > RD_BOX_CAPACITY) {
        leave_overfull(p, g, b);
        return;
    }
    find_voxels(p, g, b);
    __syncthreads();
    take_own(p, g, b);
    take_arrived(p, g);
    __syncthreads();
    store_box(p, g, b);
}

/* The index of the list as it is now. */
static __global__ void __launch_bounds__(THREADS)
    take_index(const __grid_constant__ struct rd_world w,
               const __grid_constant__ struct rd_sort_by_voxel g)
{
    const int64_t stride = (int64_t)gridDim.x * THREADS;
    if (rd_is_halted(&w))
        return;
    for (int64_t c = (int64_t)blockIdx.x * THREADS + threadIdx.x; c <= w.n_voxels; c += stride)
        w.first[w.now.voxels + c] = (int32_t)g.begin[c];
}

/* Whether that many are seldom more than there is room for, where they are spread at random. */
static bool has_capacity(double mean)
{
    return mean < RD_BOX_CAPACITY &&
           25.0 * mean < (RD_BOX_CAPACITY - mean) * (RD_BOX_CAPACITY - mean);
}

/* Boxes of voxels with as many entries as there is room for, in rows of a few for each lane of a
   warp. */
static void choose_boxes(struct rd_sort_by_voxel *g, const struct rd_world *w)
{
    const double load = (double)w->reach / (double)w->n_voxels;
    int voxels = 0, displacement = 0;
    while (2 << voxels <= RD_BOX_VOXELS && has_capacity((double)(2 << voxels) * load))
        voxels++;
    while (1 << displacement < g->size[0] && displacement < voxels &&
           (double)(1 << displacement) * load < 96.0)
        displacement++;
    while (1 << (voxels - displacement) > RD_BOX_DISPLACEMENTS)
        voxels--;
    g->bits[0] = displacement;
    g->bits[1] = g->bits[2] = 0;
    for (int axis = 1, left = voxels - displacement, stuck = 0; left > 0 && stuck < 2;
         axis = 3 - axis) {
        const bool fits = 1 << g->bits[axis] < g->size[axis];
        g->bits[axis] += fits;
        left -= fits;
        stuck = fits ? 0 : stuck + 1;
    }
    for (int axis = 0; axis < 3; axis++)
        g->boxes[axis] = (g->size[axis] - 1 >> g->bits[axis]) + 1;
}

/* The arrays of the stages, which are free during movements: births, named, room, offset. */
static struct rd_sort_by_voxel sort_by_voxel_of(const struct rd_world *w,
                                                struct rd_deferred deferred)
{
    struct rd_sort_by_voxel g;
    const int64_t base = w->now.base, voxels = w->now.voxels;
    g.size[0] = w->size[0];
    g.size[1] = w->size[1];
    g.size[2] = (int32_t)(w->n_voxels / ((int64_t)w->size[0] * w->size[1]));
    g.nx = rd_divisor_of(g.size[0]);
    g.ny = rd_divisor_of(g.size[1]);
    g.key = w->key + base;
    g.slot = w->slot + base;
    g.key_next = w->key_next + base;
    g.slot_next = w->slot_next + base;
    g.first = w->first + voxels;
    g.begin = (uint32_t *)w->births + voxels;
    g.posted = (uint32_t *)w->named + voxels;
    g.n_crowded = (uint32_t *)w->capacity + voxels;
    g.sum = g.n_crowded + 1;
    choose_boxes(&g, w);
    g.n_arrived = deferred.voxel;
    g.capacity = (uint32_t)(w->reach / 2 / rd_n_boxes(&g));
    g.arrived_voxel = (uint32_t *)w->offset + base;
    g.arrived_entry = g.arrived_voxel + w->reach / 2;
    g.n_late = deferred.n;
    g.late_entry = g.slot_next;
    return g;
}

static void clear(const struct rd_sort_by_voxel *g, const struct rd_world *w, cudaStream_t stream)
{
    const size_t bytes = (size_t)(w->n_voxels + 1) * sizeof *g->begin;
    cudaMemsetAsync(g->begin, 0, bytes, stream);
    cudaMemsetAsync(g->posted, 0, bytes, stream);
    cudaMemsetAsync(g->n_crowded, 0, sizeof *g->n_crowded, stream);
    cudaMemsetAsync(g->n_arrived, 0, rd_n_boxes(g) * sizeof *g->n_arrived, stream);
}

/* Those who were counted go to their places. */
static void order(const struct rd_sort_by_voxel *g, const struct rd_world *w, cudaStream_t stream)
{
    cudaFuncSetAttribute(order_boxes, cudaFuncAttributeMaxDynamicSharedMemorySize,
                         (int)sizeof(struct places));
    rd_find_places(w, g, stream);
    outbox_late<<<LATE_BLOCKS, RD_DEFERRED_THREADS, 0, stream>>>(*w, *g);
    order_boxes<<<rd_n_boxes(g), RD_REGROUPERS, sizeof(struct places), stream>>>(*w, *g);
    rd_order_crowds(w, g, stream);
    take_index<<<BLOCKS, THREADS, 0, stream>>>(*w, *g);
}

void rd_sort_by_voxel_boxes(const struct rd_world *w, struct rd_deferred deferred,
                            cudaStream_t stream)
{
    const struct rd_sort_by_voxel g = sort_by_voxel_of(w, deferred);
    clear(&g, w, stream);
    rd_count_placements(w, &g, stream);
    order(&g, w, stream);
}

void rd_move_and_sort_boxes(const struct rd_world *w, struct rd_deferred deferred,
                            cudaStream_t stream)
{
    const struct rd_sort_by_voxel g = sort_by_voxel_of(w, deferred);
    clear(&g, w, stream);
    rd_count_wanderers(w, &g, stream);
    order(&g, w, stream);
}
