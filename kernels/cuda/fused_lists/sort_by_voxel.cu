/* sort_by_voxel - the tuned version of the sort after a movement and of the index, for the GPU. The
   number of individuals in each voxel gives its first place. Individuals that stay in their box of
   voxels, and the few that enter it, are sorted in shared memory. Entries of a voxel keep their old
   order, as in a stable sort. */
#include "kernels/cuda/fused_lists/sort_by_voxel.cuh"

enum { WARPS = RD_SORT_THREADS / 32, THREADS = 256, BLOCKS = 2048, LATE_BLOCKS = 264 };

static __global__ void __launch_bounds__(RD_DEFERRED_THREADS)
    is_late(const __grid_constant__ struct rd_world w,
            const __grid_constant__ struct rd_sort_by_voxel g)
{
    if (rd_is_halted(&w))
        return;
    const uint32_t n = *g.n_late, stride = gridDim.x * blockDim.x;
    for (uint32_t k = blockIdx.x * blockDim.x + threadIdx.x; k < n; k += stride)
        rd_put_at_voxel(g, g.key[g.late_entry[k]] & ~RD_ELSEWHERE, g.late_entry[k]);
}

/* Holds the places of a box's voxels, row after row. */
struct sorted_places {
    uint32_t row[RD_BOX_ROWS + 1]; /* first place of the row in this struct */
    uint32_t out[RD_BOX_ROWS];     /* its first place in the list, minus that */
    uint32_t voxel[RD_BOX_ROWS];   /* its first voxel */
    uint32_t free[RD_BOX_VOXELS];  /* the end of the voxel's free places */
    uint16_t begin[RD_BOX_VOXELS], end[RD_BOX_VOXELS];
    uint32_t entry[RD_BOX_CAPACITY]; /* old entry */
    uint32_t slot[RD_BOX_CAPACITY];
    uint16_t of[RD_BOX_CAPACITY]; /* new voxel, as number in the box */
};

/* Computes the first places of the rows of the box. The first warp calls it. */
static __device__ void find_displacements(struct sorted_places *p, const struct rd_sort_by_voxel &g,
                                          const struct rd_box &b)
{
    const int lane = (int)threadIdx.x;
    uint32_t before = 0;
    for (int begin = 0; begin < b.n_rows; begin += 32) {
        const int row = begin + lane;
        const int64_t voxel = row < b.n_rows ? rd_box_row(g, b, row) : -1;
        const uint32_t from = voxel < 0 ? 0 : g.begin[voxel];
        const uint32_t n = voxel < 0 ? 0 : g.begin[voxel + b.n[0]] - from;
        uint32_t sum = n;
        for (int d = 1; d < 32; d *= 2) {
            const uint32_t other = __shfl_up_sync(~0u, sum, d);
            sum += lane >= d ? other : 0;
        }
        if (row < b.n_rows) {
            p->row[row] = before + sum - n;
            p->out[row] = from - (before + sum - n);
            p->voxel[row] = (uint32_t)(voxel < 0 ? 0 : voxel);
        }
        before += __shfl_sync(~0u, sum, 31);
    }
    if (lane == 0)
        p->row[b.n_rows] = before;
}

/* Returns the voxel with this number in the box. */
static __device__ __forceinline__ uint32_t voxel_of_place(const struct sorted_places *p,
                                                          const struct rd_sort_by_voxel &g,
                                                          uint32_t c)
{
    return p->voxel[c >> g.bits[0]] + (c & ((1u << g.bits[0]) - 1));
}

static __device__ __forceinline__ void write_entry(struct sorted_places *p, uint32_t at, uint32_t c,
                                                   uint32_t entry, uint32_t slot)
{
    p->entry[at] = entry;
    p->slot[at] = slot;
    p->of[at] = (uint16_t)c;
}

/* Computes the places of each voxel, and stores the late entries at its first ones. */
static __device__ void find_voxel_places(struct sorted_places *p, const struct rd_sort_by_voxel &g,
                                         const struct rd_box &b)
{
    const bool has_late = *g.n_late > 0;
    for (int c = threadIdx.x; c < b.n_rows << g.bits[0]; c += RD_SORT_THREADS) {
        const int row = c >> g.bits[0], x = c & ((1 << g.bits[0]) - 1);
        const bool is_one = rd_box_row(g, b, row) >= 0 && x < b.n[0];
        const uint32_t voxel = p->voxel[row] + (uint32_t)x;
        const uint32_t from = is_one ? g.begin[voxel] : 0;
        const uint32_t to = is_one ? g.begin[voxel + 1] : 0;
        const uint32_t begin = is_one ? from - p->out[row] : 0;
        const uint32_t n = is_one && has_late ? g.posted[voxel] : 0;
        p->begin[c] = (uint16_t)begin;
        p->end[c] = (uint16_t)(begin + to - from);
        p->free[c] = begin + to - from;
        for (uint32_t k = 0; k < n; k++) {
            const uint32_t entry = g.key_next[from + k];
            write_entry(p, begin + k, (uint32_t)c, entry, g.slot[entry]);
        }
    }
}

/* Stores the entries that come from other boxes. */
static __device__ void take_arrived(struct sorted_places *p, const struct rd_sort_by_voxel &g)
{
    const uint32_t all = g.n_arrived[blockIdx.x], n = all < g.capacity ? all : g.capacity;
    for (uint32_t k = threadIdx.x; k < n; k += RD_SORT_THREADS) {
        const uint32_t c = g.arrived_voxel[blockIdx.x * g.capacity + k];
        const uint32_t entry = g.arrived_entry[blockIdx.x * g.capacity + k];
        write_entry(p, atomicSub(&p->free[c], 1) - 1, c, entry, g.slot[entry]);
    }
}

/* Stores the entries that stay in the box at places of their voxels, in any order. */
static __device__ void take_own(struct sorted_places *p, const struct rd_sort_by_voxel &g,
                                const struct rd_box &b)
{
    const int warp = (int)threadIdx.x / 32, lane = (int)threadIdx.x % 32;
    for (int row = warp; row < b.n_rows; row += WARPS) {
        const int64_t voxel = rd_box_row(g, b, row);
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
                    write_entry(p, atomicSub(&p->free[to[k]], 1) - 1, to[k], (uint32_t)(i + 32 * k),
                                slot[k]);
            }
        }
    }
}

/* Stores the entries of an overfull box in the list, at the places of their voxels in any order,
   and marks the box. */
static __device__ __noinline__ void leave_overfull(const struct sorted_places *p,
                                                   const struct rd_sort_by_voxel &g,
                                                   const struct rd_box &b)
{
    const uint32_t all = g.n_arrived[blockIdx.x], n = all < g.capacity ? all : g.capacity;
    for (int row = 0; row < b.n_rows; row++) {
        const int64_t voxel = rd_box_row(g, b, row);
        const int32_t end = voxel < 0 ? 0 : g.first[voxel + b.n[0]];
        for (int32_t i = (voxel < 0 ? 0 : g.first[voxel]) + (int32_t)threadIdx.x; i < end;
             i += RD_SORT_THREADS)
            if (g.key[i] < RD_BOX_VOXELS)
                rd_put_at_voxel(g, voxel_of_place(p, g, g.key[i]), (uint32_t)i);
    }
    for (uint32_t k = threadIdx.x; k < n; k += RD_SORT_THREADS) {
        rd_put_at_voxel(g, voxel_of_place(p, g, g.arrived_voxel[blockIdx.x * g.capacity + k]),
                        g.arrived_entry[blockIdx.x * g.capacity + k]);
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        g.n_arrived[blockIdx.x] = RD_BOX_OVERFULL;
        *g.n_overfull = 1;
    }
}

/* Writes the box to the list: the place of an entry is the number of older entries in its voxel. */
static __device__ void store_box(const struct sorted_places *p, const struct rd_sort_by_voxel &g,
                                 const struct rd_box &b)
{
    const uint32_t n = p->row[b.n_rows];
    for (uint32_t i = threadIdx.x; i < n; i += RD_SORT_THREADS) {
        const uint32_t c = p->of[i], entry = p->entry[i], row = c >> g.bits[0];
        const uint32_t begin = p->begin[c], end = p->end[c];
        uint32_t to = p->out[row] + begin;
        for (uint32_t k = begin; k < end; k++)
            to += p->entry[k] < entry;
        g.key_next[to] = voxel_of_place(p, g, c);
        g.slot_next[to] = p->slot[i];
    }
}

/* Copies the list unchanged, after a fault or in a pause. */
static __device__ void keep_list(const struct rd_lists &lists, const struct rd_sort_by_voxel &g)
{
    const int64_t stride = (int64_t)gridDim.x * blockDim.x;
    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < rd_n_listed(&lists);
         i += stride) {
        g.key_next[i] = g.key[i];
        g.slot_next[i] = g.slot[i];
    }
}

static __global__ void __launch_bounds__(RD_SORT_THREADS, RD_SORTS_EACH)
    order_boxes(const __grid_constant__ struct rd_world w,
                const __grid_constant__ struct rd_sort_by_voxel g)
{
    extern __shared__ char capacity[];
    struct sorted_places *const p = (struct sorted_places *)capacity;
    if (rd_is_halted(&w)) {
        keep_list(w.lists, g);
        return;
    }
    const struct rd_box b = rd_box_of(g, blockIdx.x);
    if (threadIdx.x < 32)
        find_displacements(p, g, b);
    __syncthreads();
    if (p->row[b.n_rows] > RD_BOX_CAPACITY) {
        leave_overfull(p, g, b);
        return;
    }
    find_voxel_places(p, g, b);
    __syncthreads();
    take_own(p, g, b);
    take_arrived(p, g);
    __syncthreads();
    store_box(p, g, b);
}

/* Sets first[] of the list after the movement. */
static __global__ void __launch_bounds__(THREADS)
    take_index(const __grid_constant__ struct rd_world w,
               const __grid_constant__ struct rd_sort_by_voxel g)
{
    const int64_t stride = (int64_t)gridDim.x * THREADS;
    if (rd_is_halted(&w))
        return;
    for (int64_t c = (int64_t)blockIdx.x * THREADS + threadIdx.x; c <= w.lattice.n_voxels;
         c += stride)
        w.lists.first[w.lists.now.voxels + c] = (int32_t)g.begin[c];
}

/* Returns whether so many entries on average seldom exceed the capacity of a box (mean plus five
   standard deviations of a Poisson number). */
static bool has_box_capacity(double mean)
{
    return mean < RD_BOX_CAPACITY &&
           25.0 * mean < (RD_BOX_CAPACITY - mean) * (RD_BOX_CAPACITY - mean);
}

/* Chooses boxes with as many entries as fit, in rows with a few entries for each lane of a warp. */
static void choose_sort_boxes(struct rd_sort_by_voxel *g, const struct rd_world *w)
{
    const double load = (double)w->lists.reach / (double)w->lattice.n_voxels;
    int voxels = 0, row = 0;
    while (2 << voxels <= RD_BOX_VOXELS && has_box_capacity((double)(2 << voxels) * load))
        voxels++;
    while (1 << row < g->size[0] && row < voxels && (double)(1 << row) * load < 96.0)
        row++;
    while (1 << (voxels - row) > RD_BOX_ROWS)
        voxels--;
    g->bits[0] = row;
    g->bits[1] = g->bits[2] = 0;
    for (int axis = 1, left = voxels - row, stuck = 0; left > 0 && stuck < 2; axis = 3 - axis) {
        const bool fits = 1 << g->bits[axis] < g->size[axis];
        g->bits[axis] += fits;
        left -= fits;
        stuck = fits ? 0 : stuck + 1;
    }
    for (int axis = 0; axis < 3; axis++)
        g->boxes[axis] = (g->size[axis] - 1 >> g->bits[axis]) + 1;
}

/* Returns the parameters of the sort. It uses arrays of the list stages that are free during
   movements: births, named, capacity, offset. */
static struct rd_sort_by_voxel sort_by_voxel_of(const struct rd_world *w,
                                                struct rd_deferred deferred)
{
    struct rd_sort_by_voxel g;
    const int64_t base = w->lists.now.base, voxels = w->lists.now.voxels;
    g.size[0] = w->lattice.size[0];
    g.size[1] = w->lattice.size[1];
    g.size[2] = (int32_t)(w->lattice.n_voxels / ((int64_t)w->lattice.size[0] * w->lattice.size[1]));
    g.nx = rd_divisor_of(g.size[0]);
    g.ny = rd_divisor_of(g.size[1]);
    g.key = w->lists.key + base;
    g.slot = w->lists.slot + base;
    g.key_next = w->lists.key_next + base;
    g.slot_next = w->lists.slot_next + base;
    g.first = w->lists.first + voxels;
    g.begin = (uint32_t *)w->lists.births + voxels;
    g.posted = (uint32_t *)w->lists.named + voxels;
    g.n_overfull = (uint32_t *)w->lists.capacity + voxels;
    g.sum = g.n_overfull + 1;
    choose_sort_boxes(&g, w);
    g.n_arrived = deferred.voxel;
    g.capacity = (uint32_t)(w->lists.reach / 2 / rd_n_boxes(&g));
    g.arrived_voxel = (uint32_t *)w->lists.offset + base;
    g.arrived_entry = g.arrived_voxel + w->lists.reach / 2;
    g.n_late = deferred.n;
    g.late_entry = g.slot_next;
    return g;
}

static void clear_sort(const struct rd_sort_by_voxel *g, const struct rd_lattice *lattice,
                       cudaStream_t stream)
{
    const size_t bytes = (size_t)(lattice->n_voxels + 1) * sizeof *g->begin;
    cudaMemsetAsync(g->begin, 0, bytes, stream);
    cudaMemsetAsync(g->posted, 0, bytes, stream);
    cudaMemsetAsync(g->n_overfull, 0, sizeof *g->n_overfull, stream);
    cudaMemsetAsync(g->n_arrived, 0, rd_n_boxes(g) * sizeof *g->n_arrived, stream);
}

/* Moves the counted entries to their places. */
static void order(const struct rd_sort_by_voxel *g, const struct rd_world *w, cudaStream_t stream)
{
    cudaFuncSetAttribute(order_boxes, cudaFuncAttributeMaxDynamicSharedMemorySize,
                         (int)sizeof(struct sorted_places));
    rd_find_places(w, g, stream);
    is_late<<<LATE_BLOCKS, RD_DEFERRED_THREADS, 0, stream>>>(*w, *g);
    order_boxes<<<rd_n_boxes(g), RD_SORT_THREADS, sizeof(struct sorted_places), stream>>>(*w, *g);
    rd_order_overfull_boxes(w, g, stream);
    take_index<<<BLOCKS, THREADS, 0, stream>>>(*w, *g);
}

void rd_sort_by_voxel_boxes(const struct rd_world *w, struct rd_deferred deferred,
                            cudaStream_t stream)
{
    const struct rd_sort_by_voxel g = sort_by_voxel_of(w, deferred);
    clear_sort(&g, &w->lattice, stream);
    rd_count_placements(w, &g, stream);
    order(&g, w, stream);
}

void rd_move_and_sort_boxes(const struct rd_world *w, struct rd_deferred deferred,
                            cudaStream_t stream)
{
    const struct rd_sort_by_voxel g = sort_by_voxel_of(w, deferred);
    clear_sort(&g, &w->lattice, stream);
    rd_move_and_count(w, &g, stream);
    order(&g, w, stream);
}
