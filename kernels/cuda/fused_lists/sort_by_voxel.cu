/* sort_by_voxel - the twin of the sort after a movement and of the index, for the GPU. How many
   will stand in each cell says where its places begin. Those who stay in their box of cells, and
   the few who come from others, are ordered in shared memory. Equals stand in the order of their
   old entries, as after a stable sort. */
#include "kernels/cuda/fused_lists/sort_by_voxel.cuh"

enum { WARPS = RD_REGROUPERS / 32, THREADS = 256, BLOCKS = 2048, LATE_BLOCKS = 264 };

static __global__ void __launch_bounds__(RD_ASIDE_THREADS)
    post_late(const __grid_constant__ struct rd_world w,
              const __grid_constant__ struct rd_regroup g)
{
    if (rd_is_halted(&w))
        return;
    const uint32_t n = *g.n_late, stride = gridDim.x * blockDim.x;
    for (uint32_t k = blockIdx.x * blockDim.x + threadIdx.x; k < n; k += stride)
        rd_put_at_cell(g, g.key[g.late_entry[k]] & ~RD_ELSEWHERE, g.late_entry[k]);
}

/* The places of a box's cells, one row behind the other. */
struct places {
    uint32_t row[RD_BOX_ROWS + 1]; /* where the row begins here, */
    uint32_t out[RD_BOX_ROWS];     /* and in the list, less that */
    uint32_t cell[RD_BOX_ROWS];    /* its first cell */
    uint32_t free[RD_BOX_CELLS];   /* the end of the cell's places that nobody has taken */
    uint16_t begin[RD_BOX_CELLS], end[RD_BOX_CELLS];
    uint32_t entry[RD_BOX_ROOM]; /* where it stood, */
    uint32_t slot[RD_BOX_ROOM];
    uint16_t of[RD_BOX_ROOM]; /* and in which cell of the box it will */
};

/* Where the rows of the box begin, by the first warp. */
static __device__ void find_rows(struct places *p, const struct rd_regroup &g,
                                 const struct rd_box &b)
{
    const int lane = (int)threadIdx.x;
    uint32_t before = 0;
    for (int begin = 0; begin < b.n_rows; begin += 32) {
        const int row = begin + lane;
        const int64_t cell = row < b.n_rows ? rd_box_row(g, b, row) : -1;
        const uint32_t from = cell < 0 ? 0 : g.begin[cell];
        const uint32_t n = cell < 0 ? 0 : g.begin[cell + b.n[0]] - from;
        uint32_t sum = n;
        for (int d = 1; d < 32; d *= 2) {
            const uint32_t other = __shfl_up_sync(~0u, sum, d);
            sum += lane >= d ? other : 0;
        }
        if (row < b.n_rows) {
            p->row[row] = before + sum - n;
            p->out[row] = from - (before + sum - n);
            p->cell[row] = (uint32_t)(cell < 0 ? 0 : cell);
        }
        before += __shfl_sync(~0u, sum, 31);
    }
    if (lane == 0)
        p->row[b.n_rows] = before;
}

/* The cell that has the number in the box. */
static __device__ __forceinline__ uint32_t cell_of(const struct places *p,
                                                   const struct rd_regroup &g, uint32_t c)
{
    return p->cell[c >> g.bits[0]] + (c & ((1u << g.bits[0]) - 1));
}

static __device__ __forceinline__ void stand(struct places *p, uint32_t at, uint32_t c,
                                             uint32_t entry, uint32_t slot)
{
    p->entry[at] = entry;
    p->slot[at] = slot;
    p->of[at] = (uint16_t)c;
}

/* The places of each cell, and those at its first ones who were late. */
static __device__ void find_cells(struct places *p, const struct rd_regroup &g,
                                  const struct rd_box &b)
{
    const bool has_late = *g.n_late > 0;
    for (int c = threadIdx.x; c < b.n_rows << g.bits[0]; c += RD_REGROUPERS) {
        const int row = c >> g.bits[0], x = c & ((1 << g.bits[0]) - 1);
        const bool is_one = rd_box_row(g, b, row) >= 0 && x < b.n[0];
        const uint32_t cell = p->cell[row] + (uint32_t)x;
        const uint32_t from = is_one ? g.begin[cell] : 0;
        const uint32_t to = is_one ? g.begin[cell + 1] : 0;
        const uint32_t begin = is_one ? from - p->out[row] : 0;
        const uint32_t n = is_one && has_late ? g.posted[cell] : 0;
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
static __device__ void take_arrived(struct places *p, const struct rd_regroup &g)
{
    const uint32_t all = g.n_arrived[blockIdx.x], n = all < g.room ? all : g.room;
    for (uint32_t k = threadIdx.x; k < n; k += RD_REGROUPERS) {
        const uint32_t c = g.arrived_cell[blockIdx.x * g.room + k];
        const uint32_t entry = g.arrived_entry[blockIdx.x * g.room + k];
        stand(p, atomicSub(&p->free[c], 1) - 1, c, entry, g.slot[entry]);
    }
}

/* Those of the box who stay in it take places of their cells, in any order. */
static __device__ void take_own(struct places *p, const struct rd_regroup &g,
                                const struct rd_box &b)
{
    const int warp = (int)threadIdx.x / 32, lane = (int)threadIdx.x % 32;
    for (int row = warp; row < b.n_rows; row += WARPS) {
        const int64_t cell = rd_box_row(g, b, row);
        const int32_t end = cell < 0 ? 0 : g.first[cell + b.n[0]];
        for (int32_t i = cell < 0 ? 0 : g.first[cell] + lane; i < end; i += 32 * RD_AT_ONCE) {
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
                if (to[k] < RD_BOX_CELLS)
                    stand(p, atomicSub(&p->free[to[k]], 1) - 1, to[k], (uint32_t)(i + 32 * k),
                          slot[k]);
            }
        }
    }
}

/* Where there is no room for them they wait in the list. */
static __device__ __noinline__ void leave_crowd(const struct places *p, const struct rd_regroup &g,
                                                const struct rd_box &b)
{
    const uint32_t all = g.n_arrived[blockIdx.x], n = all < g.room ? all : g.room;
    for (int row = 0; row < b.n_rows; row++) {
        const int64_t cell = rd_box_row(g, b, row);
        const int32_t end = cell < 0 ? 0 : g.first[cell + b.n[0]];
        for (int32_t i = (cell < 0 ? 0 : g.first[cell]) + (int32_t)threadIdx.x; i < end;
             i += RD_REGROUPERS)
            if (g.key[i] < RD_BOX_CELLS)
                rd_put_at_cell(g, cell_of(p, g, g.key[i]), (uint32_t)i);
    }
    for (uint32_t k = threadIdx.x; k < n; k += RD_REGROUPERS) {
        rd_put_at_cell(g, cell_of(p, g, g.arrived_cell[blockIdx.x * g.room + k]),
                       g.arrived_entry[blockIdx.x * g.room + k]);
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        g.n_arrived[blockIdx.x] = RD_BOX_CROWDED;
        *g.n_crowded = 1;
    }
}

/* Of its cell, how many stood before it: so it goes to its place. */
static __device__ void store_box(const struct places *p, const struct rd_regroup &g,
                                 const struct rd_box &b)
{
    const uint32_t n = p->row[b.n_rows];
    for (uint32_t i = threadIdx.x; i < n; i += RD_REGROUPERS) {
        const uint32_t c = p->of[i], entry = p->entry[i], row = c >> g.bits[0];
        const uint32_t begin = p->begin[c], end = p->end[c];
        uint32_t to = p->out[row] + begin;
        for (uint32_t k = begin; k < end; k++)
            to += p->entry[k] < entry;
        g.key_next[to] = cell_of(p, g, c);
        g.slot_next[to] = p->slot[i];
    }
}

/* The list stays what it is after a fault or in a pause. */
static __device__ void keep_list(const struct rd_world &w, const struct rd_regroup &g)
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
                const __grid_constant__ struct rd_regroup g)
{
    extern __shared__ char room[];
    struct places *const p = (struct places *)room;
    if (rd_is_halted(&w)) {
        keep_list(w, g);
        return;
    }
    const struct rd_box b = rd_box_of(g, blockIdx.x);
    if (threadIdx.x < 32)
        find_rows(p, g, b);
    __syncthreads();
    if (p->row[b.n_rows] > RD_BOX_ROOM) {
        leave_crowd(p, g, b);
        return;
    }
    find_cells(p, g, b);
    __syncthreads();
    take_own(p, g, b);
    take_arrived(p, g);
    __syncthreads();
    store_box(p, g, b);
}

/* The index of the list as it is now. */
static __global__ void __launch_bounds__(THREADS)
    take_index(const __grid_constant__ struct rd_world w,
               const __grid_constant__ struct rd_regroup g)
{
    const int64_t stride = (int64_t)gridDim.x * THREADS;
    if (rd_is_halted(&w))
        return;
    for (int64_t c = (int64_t)blockIdx.x * THREADS + threadIdx.x; c <= w.n_cells; c += stride)
        w.first[w.now.cells + c] = (int32_t)g.begin[c];
}

/* Whether that many are seldom more than there is room for, where they are spread at random. */
static bool has_room(double mean)
{
    return mean < RD_BOX_ROOM && 25.0 * mean < (RD_BOX_ROOM - mean) * (RD_BOX_ROOM - mean);
}

/* Boxes of cells with as many entries as there is room for, in rows of a few for each lane of a
   warp. */
static void choose_boxes(struct rd_regroup *g, const struct rd_world *w)
{
    const double load = (double)w->reach / (double)w->n_cells;
    int cells = 0, row = 0;
    while (2 << cells <= RD_BOX_CELLS && has_room((double)(2 << cells) * load))
        cells++;
    while (1 << row < g->size[0] && row < cells && (double)(1 << row) * load < 96.0)
        row++;
    while (1 << (cells - row) > RD_BOX_ROWS)
        cells--;
    g->bits[0] = row;
    g->bits[1] = g->bits[2] = 0;
    for (int axis = 1, left = cells - row, stuck = 0; left > 0 && stuck < 2; axis = 3 - axis) {
        const bool fits = 1 << g->bits[axis] < g->size[axis];
        g->bits[axis] += fits;
        left -= fits;
        stuck = fits ? 0 : stuck + 1;
    }
    for (int axis = 0; axis < 3; axis++)
        g->boxes[axis] = (g->size[axis] - 1 >> g->bits[axis]) + 1;
}

/* The arrays of the stages, which are free during movements: births, named, room, offset. */
static struct rd_regroup regroup_of(const struct rd_world *w, struct rd_aside aside)
{
    struct rd_regroup g;
    const int64_t base = w->now.base, cells = w->now.cells;
    g.size[0] = w->size[0];
    g.size[1] = w->size[1];
    g.size[2] = (int32_t)(w->n_cells / ((int64_t)w->size[0] * w->size[1]));
    g.nx = rd_divisor_of(g.size[0]);
    g.ny = rd_divisor_of(g.size[1]);
    g.key = w->key + base;
    g.slot = w->slot + base;
    g.key_next = w->key_next + base;
    g.slot_next = w->slot_next + base;
    g.first = w->first + cells;
    g.begin = (uint32_t *)w->births + cells;
    g.posted = (uint32_t *)w->named + cells;
    g.n_crowded = (uint32_t *)w->room + cells;
    g.sum = g.n_crowded + 1;
    choose_boxes(&g, w);
    g.n_arrived = aside.cell;
    g.room = (uint32_t)(w->reach / 2 / rd_n_boxes(&g));
    g.arrived_cell = (uint32_t *)w->offset + base;
    g.arrived_entry = g.arrived_cell + w->reach / 2;
    g.n_late = aside.n;
    g.late_entry = g.slot_next;
    return g;
}

static void clear(const struct rd_regroup *g, const struct rd_world *w, cudaStream_t stream)
{
    const size_t bytes = (size_t)(w->n_cells + 1) * sizeof *g->begin;
    cudaMemsetAsync(g->begin, 0, bytes, stream);
    cudaMemsetAsync(g->posted, 0, bytes, stream);
    cudaMemsetAsync(g->n_crowded, 0, sizeof *g->n_crowded, stream);
    cudaMemsetAsync(g->n_arrived, 0, rd_n_boxes(g) * sizeof *g->n_arrived, stream);
}

/* Those who were counted go to their places. */
static void order(const struct rd_regroup *g, const struct rd_world *w, cudaStream_t stream)
{
    cudaFuncSetAttribute(order_boxes, cudaFuncAttributeMaxDynamicSharedMemorySize,
                         (int)sizeof(struct places));
    rd_find_places(w, g, stream);
    post_late<<<LATE_BLOCKS, RD_ASIDE_THREADS, 0, stream>>>(*w, *g);
    order_boxes<<<rd_n_boxes(g), RD_REGROUPERS, sizeof(struct places), stream>>>(*w, *g);
    rd_order_crowds(w, g, stream);
    take_index<<<BLOCKS, THREADS, 0, stream>>>(*w, *g);
}

void rd_regroup_boxes(const struct rd_world *w, struct rd_aside aside, cudaStream_t stream)
{
    const struct rd_regroup g = regroup_of(w, aside);
    clear(&g, w, stream);
    rd_count_arrivals(w, &g, stream);
    order(&g, w, stream);
}

void rd_wander_boxes(const struct rd_world *w, struct rd_aside aside, cudaStream_t stream)
{
    const struct rd_regroup g = regroup_of(w, aside);
    clear(&g, w, stream);
    rd_count_wanderers(w, &g, stream);
    order(&g, w, stream);
}
