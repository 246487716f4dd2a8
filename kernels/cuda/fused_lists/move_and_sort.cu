/* move_and_sort - the tuned version of move, together with the count of arrivals per voxel, for the
   GPU. It works box by box: the place of each row of voxels is known, so that no voxel number is
   divided, and individuals that stay in the box are counted in shared memory directly. Tables give
   the displacement of a leaver for the first bits of its words; the few for which these bits do not
   decide are handled exactly. */
#include "kernels/cuda/fused_lists/leavers.cuh"
#include "kernels/cuda/passes/shared_displacements.cuh"

enum {
    THREADS = 256,
    WARPS = THREADS / 32,
    BLOCKS_EACH = 5,  /* resident on a multiprocessor */
    BLOCKS_MOST = 16, /* blocks per multiprocessor in all: each has several boxes for its tables */
    MORE = 64,
    BITS = 10, /* of a word: index of the tables */
    LOOKED_UP = 1 << BITS,
    UNDECIDED = -128,
    FARTHEST = 63 /* largest shift in a table */
};

/* Replace a destination. UNKNOWN: it must be computed exactly; GONE: the individual left the
   box. */
enum { UNKNOWN = RD_BOX_VOXELS, GONE };
/* Pack a hop out of the box into 32 bits: old voxel in the box, then shift and axis, twice. */
enum { VOXEL_BITS = 10, SHIFT_BITS = 8, AXIS_BITS = 2 };
static_assert(1 << VOXEL_BITS == RD_BOX_VOXELS && VOXEL_BITS + 2 * (SHIFT_BITS + AXIS_BITS) < 31,
              "bits for all values");

/* Holds a box whose individuals move, in shared memory. */
struct moving_box {
    int8_t axes[LOOKED_UP];     /* axes of the move: the first, plus 4 x the last */
    int8_t shift[3][LOOKED_UP]; /* shift along each axis */
    struct rd_common common;
    uint32_t leave; /* high half of the threshold for leaving */
    struct rd_box box;
    int32_t below[3]; /* lowest bit of the coordinate in the number of a voxel of the box */
    uint32_t mask[3], within[3];   /* coordinates below within[] are in the box */
    uint32_t count[RD_BOX_VOXELS]; /* individuals of the box that stay in it, by new voxel */
    int32_t first[RD_BOX_VOXELS];  /* first entry of each voxel before the movement */
    uint32_t end[RD_BOX_ROWS];     /* of each row of voxels */
    struct rd_leavers leavers;
    uint32_t more[WARPS][MORE]; /* entries to be handled exactly */
    uint16_t from[WARPS][MORE]; /* their voxels in the box */
};

/* Holds the kernel's arguments and its shared memory. */
struct move_arguments {
    const struct rd_world &w;
    const struct rd_sort_by_voxel &g;
    const struct rd_keys &keys;
    struct moving_box &all;
    uint32_t step;
};

/* Returns the shift along the axis that all words with these first bits give, or UNDECIDED. */
static __device__ int8_t shift_by_bits(const struct rd_common *c, int axis, uint32_t bits)
{
    const int32_t n = c->last_jump[axis] + 1;
    const uint32_t from = bits << (32 - BITS), to = from | UINT32_MAX >> BITS;
    if (n == 0)
        return UNDECIDED;
    const int32_t low = rd_shift_of(c->jump[axis], n, from);
    const int32_t high = rd_shift_of(c->jump[axis], n, to);
    return low == high && low >= -FARTHEST && low <= FARTHEST ? (int8_t)low : (int8_t)UNDECIDED;
}

/* Returns the axes that all words with these first bits give, packed as in axes[], or UNDECIDED. */
static __device__ int8_t axes_by_bits(const struct rd_common *c, uint32_t bits)
{
    const uint32_t from = bits << (32 - BITS), to = from | UINT32_MAX >> BITS;
    bool is_tie;
    const int low = rd_way_near(c, from, &is_tie), high = rd_way_near(c, to, &is_tie);
    const int way = low < c->last ? low : c->last;
    const uint32_t axes = rd_departure_axes(way);
    const int first = __ffs((int)axes) - 1, last = 31 - __clz((int)axes);
    return low == high && !is_tie && way < RD_N_MOVES - 1 ? (int8_t)(last << 2 | first)
                                                          : (int8_t)UNDECIDED;
}

static __device__ void look_up_boxes(struct moving_box &all, const struct rd_world &w)
{
    if (threadIdx.x == 0)
        rd_find_common(&all.common, &w);
    __syncthreads();
    if (threadIdx.x == 0)
        all.leave = (uint32_t)(all.common.leave >> 32);
    for (uint32_t k = threadIdx.x; k < LOOKED_UP; k += THREADS) {
        all.axes[k] = axes_by_bits(&all.common, k);
        for (int axis = 0; axis < 3; axis++)
            all.shift[axis][k] = shift_by_bits(&all.common, axis, k);
    }
}

/* Holds the coordinates of a voxel of the box in its run. */
struct list_spot {
    int32_t at[3], run;
    uint32_t site;
};

static __device__ __forceinline__ struct list_spot spot_in_list(const struct move_arguments &j,
                                                                uint32_t c)
{
    const struct rd_sort_by_voxel &g = j.g;
    const struct rd_box &b = j.all.box;
    const uint32_t row = c >> g.bits[0];
    struct list_spot s;
    s.at[0] = b.at[0] + (int32_t)(c & ((1u << g.bits[0]) - 1));
    s.at[1] = b.at[1] + (int32_t)(row & ((1u << g.bits[1]) - 1));
    s.at[2] = rd_plane_of(j.w.lattice, b.at[2] + (int32_t)(row >> g.bits[1]), &s.run);
    s.site = ((uint32_t)s.at[2] * (uint32_t)j.w.lattice.size[1] + (uint32_t)s.at[1]) *
                 (uint32_t)j.w.lattice.size[0] +
             (uint32_t)s.at[0];
    return s;
}

/* Shifts the coordinates along the axis; walls take nothing here. */
static __device__ __forceinline__ void shift_spot(const struct move_arguments &j,
                                                  struct list_spot *s, int axis, int32_t shift)
{
    const int32_t size = j.w.lattice.size[axis];
    const int32_t at = (axis == 0 ? s->at[0] : axis == 1 ? s->at[1] : s->at[2]) + shift;
    const int32_t to = (uint32_t)at < (uint32_t)size ? at : rd_wrap(at, size);
    s->at[0] = axis == 0 ? to : s->at[0];
    s->at[1] = axis == 1 ? to : s->at[1];
    s->at[2] = axis == 2 ? to : s->at[2];
}

static __device__ __forceinline__ uint32_t voxel_of_spot(const struct move_arguments &j,
                                                         const struct list_spot &s)
{
    const uint32_t plane = (uint32_t)(s.run * j.w.lattice.size[2] + s.at[2]);
    return (plane * (uint32_t)j.w.lattice.size[1] + (uint32_t)s.at[1]) *
               (uint32_t)j.w.lattice.size[0] +
           (uint32_t)s.at[0];
}

static __device__ __forceinline__ uint4 words_of_individual(const struct move_arguments &j,
                                                            uint32_t number, uint32_t site,
                                                            int32_t run, int kind)
{
    return rd_words_near(j.keys, number, site, j.step,
                         (uint32_t)j.w.lattice.first_run + (uint32_t)run, kind);
}

/* Returns the destination of an individual of voxel c as rd_move_by_displacements does: the number
   of a voxel of the box, or RD_ELSEWHERE with the voxel. */
static __device__ uint32_t move_exactly(const struct move_arguments &j, uint32_t c, uint32_t number)
{
    const struct rd_common *const common = &j.all.common;
    struct list_spot s = spot_in_list(j, c);
    const uint4 word = words_of_individual(j, number, s.site, s.run, RD_MOVE_VOXEL);
    const uint4 more = words_of_individual(j, number, s.site, s.run, RD_MOVE_MORE);
    const uint32_t high = (uint32_t)(common->leave >> 32);
    if (word.x > high || (word.x == high && more.x >= (uint32_t)common->leave))
        return c;
    bool is_tie;
    int way = rd_way_near(common, word.y, &is_tie);
    while (way < common->last && word.y == common->high[way] && more.y >= common->low[way])
        way++;
    const uint32_t axes = rd_departure_axes(way < common->last ? way : common->last);
    uint32_t next[3] = {word.z, word.w, more.z};
#pragma unroll
    for (int axis = 0; axis < 3; axis++)
        if (axes >> axis & 1) {
            shift_spot(j, &s, axis, rd_shift_near(common, axis, next[0]));
            next[0] = next[1];
            next[1] = next[2];
        }
    const uint32_t to = voxel_of_spot(j, s), in = rd_in_box(j.g, j.all.box, to);
    return in < RD_BOX_VOXELS ? in : RD_ELSEWHERE | to;
}

/* Returns the destination of a packed hop out of the box. */
static __device__ uint32_t voxel_of_hop(const struct move_arguments &j, uint32_t hop)
{
    struct list_spot s = spot_in_list(j, hop & (RD_BOX_VOXELS - 1));
    int before = -1;
    hop >>= VOXEL_BITS;
    for (int k = 0; k < 2; k++, hop >>= SHIFT_BITS + AXIS_BITS) {
        const int axis = (int)(hop & ((1u << AXIS_BITS) - 1));
        if (axis != before)
            shift_spot(j, &s, axis, (int8_t)(hop >> AXIS_BITS));
        before = axis;
    }
    return voxel_of_spot(j, s);
}

/* Records an individual that left the box, by a packed hop or by RD_ELSEWHERE with a voxel. */
static __device__ __forceinline__ void leave(const struct move_arguments &j, uint32_t to,
                                             uint32_t entry)
{
    struct rd_leavers *const l = &j.all.leavers;
    const uint32_t at = atomicAdd(&l->n, 1);
    if (at < RD_LEAVERS) {
        l->to[at] = to;
        l->entry[at] = entry;
        return;
    }
    const uint32_t voxel = to & RD_ELSEWHERE ? to & ~RD_ELSEWHERE : voxel_of_hop(j, to);
    j.g.key[entry] = RD_ELSEWHERE | voxel;
    rd_report_box(j.g, voxel, entry);
}

/* Handles entries of the warp exactly, 32 at a time, while there are at least `least`. Returns how
   many remain. */
static __device__ __forceinline__ uint32_t move_rest_exactly(const struct move_arguments &j,
                                                             uint32_t n, uint32_t least)
{
    const uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    for (__syncwarp(); n >= least; n -= n < 32 ? n : 32) {
        if (lane >= n)
            continue;
        const uint32_t i = j.all.more[warp][n - 1 - lane], c = j.all.from[warp][n - 1 - lane];
        const uint32_t to = move_exactly(j, c, i - (uint32_t)j.all.first[c]);
        if (to >= RD_BOX_VOXELS) {
            leave(j, to, i);
            continue;
        }
        j.g.key[i] = to;
        atomicAdd(&j.all.count[to], 1);
    }
    __syncwarp();
    return n;
}

/* Returns the number of the voxel after a shift along the axis within the box; *is_out is set if it
   is outside. */
static __device__ __forceinline__ uint32_t shift_in_box(const struct move_arguments &j, uint32_t c,
                                                        int axis, int32_t shift, bool *is_out)
{
    const int32_t below = j.all.below[axis];
    const int32_t at = (int32_t)(c >> below & j.all.mask[axis]) + shift;
    *is_out = *is_out || (uint32_t)at >= j.all.within[axis];
    return c + ((uint32_t)shift << below);
}

/* Returns the same as move_exactly by the tables, or UNKNOWN; GONE if the individual left the box.
 */
static __device__ __forceinline__ uint32_t move_by_table(const struct move_arguments &j, uint32_t c,
                                                         uint32_t number, uint32_t site,
                                                         int32_t run, uint32_t entry)
{
    const uint4 word = words_of_individual(j, number, site, run, RD_MOVE_VOXEL);
    const uint32_t high = j.all.leave;
    if (word.x > high)
        return c;
    const int32_t axes = j.all.axes[word.y >> (32 - BITS)];
    if (word.x == high || axes == UNDECIDED)
        return UNKNOWN;
    const int axis = axes & 3, other = axes >> 2;
    const int32_t shift = j.all.shift[axis][word.z >> (32 - BITS)];
    int32_t farther = 0;
    bool is_out = false;
    uint32_t to = shift_in_box(j, c, axis, shift, &is_out);
    if (other != axis) {
        farther = j.all.shift[other][word.w >> (32 - BITS)];
        to = shift_in_box(j, to, other, farther, &is_out);
    }
    if (shift == UNDECIDED || farther == UNDECIDED)
        return UNKNOWN;
    if (!is_out)
        return to;
    const uint32_t hop = (uint32_t)(shift & 255) << AXIS_BITS | (uint32_t)axis;
    const uint32_t next = (uint32_t)(farther & 255) << AXIS_BITS | (uint32_t)other;
    leave(j, (next << (SHIFT_BITS + AXIS_BITS) | hop) << VOXEL_BITS | c, entry);
    return GONE;
}

/* Moves the entries of a row of voxels, of which `voxel` is the first. n_more entries of the warp
   are to be handled exactly; it returns their number afterwards. */
static __device__ __forceinline__ uint32_t move_row(const struct move_arguments &j, int row,
                                                    uint32_t voxel, uint32_t n_more)
{
    const uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const uint32_t begin = (uint32_t)row << j.g.bits[0], end = j.all.end[row];
    int32_t run;
    rd_plane_of(j.w.lattice, j.all.box.at[2] + (row >> j.g.bits[1]), &run);
    const uint32_t of_run = (uint32_t)run * (uint32_t)j.w.lattice.n_sites;
    uint32_t i = (uint32_t)j.all.first[begin] + lane, next = i < end ? j.g.key[i] : 0;
    for (; i - lane < end; i += 32) {
        const uint32_t at = next, c = begin + (at - voxel);
        uint32_t to = 0;
        if (i + 32 < end)
            next = j.g.key[i + 32];
        if (i < end)
            to = move_by_table(j, c, i - (uint32_t)j.all.first[c], at - of_run, run, i);
        const unsigned all = __ballot_sync(~0u, to == UNKNOWN);
        if (to == UNKNOWN) {
            const uint32_t k = n_more + (uint32_t)__popc(all & ((1u << lane) - 1));
            j.all.more[warp][k] = i;
            j.all.from[warp][k] = (uint16_t)c;
        } else if (to < RD_BOX_VOXELS && i < end) {
            j.g.key[i] = to;
            atomicAdd(&j.all.count[to], 1);
        }
        n_more += (uint32_t)__popc(all);
        if (n_more >= 32)
            n_more = move_rest_exactly(j, n_more, 32);
    }
    return n_more;
}

/* Sets the bounds of the box along the axis. Planes of different runs are not neighbours, so a box
   with several runs has no bound along z. */
static __device__ void set_box_bounds(const struct move_arguments &j, const struct rd_box &b,
                                      int axis)
{
    const int32_t plane = b.at[2] % j.w.lattice.size[2];
    const bool is_cut = axis == 2 && plane + b.n[2] > j.w.lattice.size[2];
    j.all.below[axis] = axis == 0 ? 0 : axis == 1 ? j.g.bits[0] : j.g.bits[0] + j.g.bits[1];
    j.all.mask[axis] = (1u << j.g.bits[axis]) - 1;
    j.all.within[axis] = is_cut ? 0 : (uint32_t)b.n[axis];
}

/* Clears the counts and loads first[] of the box. All threads of the block call it. */
static __device__ __forceinline__ void open_box(const struct move_arguments &j, uint32_t number)
{
    const struct rd_sort_by_voxel &g = j.g;
    const struct rd_box b = rd_box_of(g, number);
    for (int c = threadIdx.x; c < b.n_rows << g.bits[0]; c += THREADS) {
        const int64_t row = rd_box_row(g, b, c >> g.bits[0]);
        const int32_t x = c & ((1 << g.bits[0]) - 1);
        j.all.count[c] = 0;
        j.all.first[c] = row >= 0 && x < b.n[0] ? g.first[row + x] : 0;
    }
    for (int row = threadIdx.x; row < b.n_rows; row += THREADS) {
        const int64_t voxel = rd_box_row(g, b, row);
        j.all.end[row] = voxel < 0 ? 0 : (uint32_t)g.first[voxel + b.n[0]];
    }
    if (threadIdx.x == 0)
        j.all.box = b;
    if (threadIdx.x < 3)
        set_box_bounds(j, b, (int)threadIdx.x);
    rd_open_leavers(&j.all.leavers);
}

/* Replaces the packed hops of leavers by voxels. All threads of the block call it. */
static __device__ __forceinline__ void find_left_voxels(const struct move_arguments &j)
{
    struct rd_leavers *const l = &j.all.leavers;
    const uint32_t n = l->n < RD_LEAVERS ? l->n : RD_LEAVERS;
    for (uint32_t k = threadIdx.x; k < n; k += THREADS) {
        if (!(l->to[k] & RD_ELSEWHERE))
            l->to[k] = RD_ELSEWHERE | voxel_of_hop(j, l->to[k]);
        j.g.key[l->entry[k]] = l->to[k];
        l->to[k] &= ~RD_ELSEWHERE;
    }
}

static __global__ void __launch_bounds__(THREADS, BLOCKS_EACH)
    move_and_sort(const __grid_constant__ struct rd_world w,
                  const __grid_constant__ struct rd_sort_by_voxel g,
                  const __grid_constant__ struct rd_keys keys)
{
    __shared__ struct moving_box all;
    if (rd_is_halted(&w))
        return;
    const struct move_arguments j = {w, g, keys, all, w.pass.step_clock->step};
    look_up_boxes(all, w);
    for (uint32_t number = blockIdx.x; number < rd_n_boxes(&g); number += gridDim.x) {
        __syncthreads();
        open_box(j, number);
        __syncthreads();
        uint32_t n_more = 0;
        for (int row = (int)threadIdx.x / 32; row < all.box.n_rows; row += WARPS) {
            const int64_t voxel = rd_box_row(g, all.box, row);
            if (voxel >= 0)
                n_more = move_row(j, row, (uint32_t)voxel, n_more);
        }
        move_rest_exactly(j, n_more, 1);
        __syncthreads();
        find_left_voxels(j);
        __syncthreads();
        rd_close_leavers(g, all.box, &all.leavers, all.count);
    }
}

void rd_move_and_count(const struct rd_world *w, const struct rd_sort_by_voxel *g,
                       cudaStream_t stream)
{
    const struct rd_keys keys =
        rd_keys_of(w->pass.seed, RD_FOR_MOVE + (uint32_t)w->lists.at_list, w->pass.part);
    const unsigned boxes = rd_n_boxes(g), most = rd_blocks_for(BLOCKS_MOST);
    const unsigned n = boxes < most ? boxes : most;
    move_and_sort<<<n, THREADS, 0, stream>>>(*w, *g, keys);
}
