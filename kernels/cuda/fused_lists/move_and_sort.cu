/* move_and_sort - the twin of move together with the count of who comes where, for the GPU: box by
   box, where each row of voxels knows its place, so that nothing is taken apart, and those who stay
   in the box are counted in shared memory at once. Where a leaver goes is looked up by the first
   bits of its words; the few for whom these do not decide are gone through exactly. */
#include "kernels/cuda/fused_lists/leavers.cuh"
#include "kernels/cuda/passes/shared_displacements.cuh"

enum {
    THREADS = 256,
    WARPS = THREADS / 32,
    BLOCKS_EACH = 5,  /* at once on a multiprocessor, */
    BLOCKS_MOST = 16, /* and one after the other: each has several boxes, and tables for them */
    MORE = 64,
    BITS = 10, /* of a word that are looked up */
    LOOKED_UP = 1 << BITS,
    UNDECIDED = -128,
    FARTHEST = 63 /* that a table tells */
};

/* In place of where one goes: it must be gone through exactly; it left the box. */
enum { UNKNOWN = RD_BOX_VOXELS, GONE };
/* How it left: by which shifts along which axes, from which of its voxels. */
enum { VOXEL_BITS = 10, SHIFT_BITS = 8, AXIS_BITS = 2 };
static_assert(1 << VOXEL_BITS == RD_BOX_VOXELS && VOXEL_BITS + 2 * (SHIFT_BITS + AXIS_BITS) < 31,
              "bits for what they tell");

/* A box whose individuals move. */
struct wandering {
    int8_t axes[LOOKED_UP];     /* along which a leaver moves: the first, and 4 x the last, */
    int8_t shift[3][LOOKED_UP]; /* and how far along each */
    struct rd_common common;
    uint32_t leave; /* the high half of its threshold */
    struct rd_box box;
    int32_t
        below[3]; /* where the place along the axis stands in the number of a voxel of the box, */
    uint32_t mask[3], within[3];   /* and how far it goes without leaving it */
    uint32_t count[RD_BOX_VOXELS]; /* how many will stand in each voxel of it who are there now, */
    int32_t first[RD_BOX_VOXELS];  /* and where those of each voxel begin now */
    uint32_t end[RD_BOX_DISPLACEMENTS]; /* of each row of voxels */
    struct rd_leavers leavers;
    uint32_t more[WARPS][MORE]; /* entries of those to be gone through exactly, */
    uint16_t from[WARPS][MORE]; /* and in which voxels of the box they stand */
};

/* The kernel's arguments, and its shared memory. */
struct journey {
    const struct rd_world &w;
    const struct rd_sort_by_voxel &g;
    const struct rd_keys &keys;
    struct wandering &all;
    uint32_t step;
};

/* Of words with these first bits, how far they lead along the axis. */
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

/* And along which axes. */
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

static __device__ void look_up(struct wandering &all, const struct rd_world &w)
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

/* A voxel of the box: its place, in its run. */
struct spot {
    int32_t at[3], run;
    uint32_t site;
};

static __device__ __forceinline__ struct spot spot_of(const struct journey &j, uint32_t c)
{
    const struct rd_sort_by_voxel &g = j.g;
    const struct rd_box &b = j.all.box;
    const uint32_t displacement = c >> g.bits[0];
    struct spot s;
    s.at[0] = b.at[0] + (int32_t)(c & ((1u << g.bits[0]) - 1));
    s.at[1] = b.at[1] + (int32_t)(displacement & ((1u << g.bits[1]) - 1));
    s.at[2] = rd_plane_of(j.w, b.at[2] + (int32_t)(displacement >> g.bits[1]), &s.run);
    s.site =
        ((uint32_t)s.at[2] * (uint32_t)j.w.size[1] + (uint32_t)s.at[1]) * (uint32_t)j.w.size[0] +
        (uint32_t)s.at[0];
    return s;
}

/* The voxel so far away from there along the axis; nothing can be lost. */
static __device__ __forceinline__ void shift_spot(const struct journey &j, struct spot *s, int axis,
                                                  int32_t shift)
{
    const int32_t size = j.w.size[axis];
    const int32_t at = (axis == 0 ? s->at[0] : axis == 1 ? s->at[1] : s->at[2]) + shift;
    const int32_t to = (uint32_t)at < (uint32_t)size ? at : rd_wrap(at, size);
    s->at[0] = axis == 0 ? to : s->at[0];
    s->at[1] = axis == 1 ? to : s->at[1];
    s->at[2] = axis == 2 ? to : s->at[2];
}

static __device__ __forceinline__ uint32_t voxel_of(const struct journey &j, const struct spot &s)
{
    const uint32_t plane = (uint32_t)(s.run * j.w.size[2] + s.at[2]);
    return (plane * (uint32_t)j.w.size[1] + (uint32_t)s.at[1]) * (uint32_t)j.w.size[0] +
           (uint32_t)s.at[0];
}

static __device__ __forceinline__ uint4 words_of(const struct journey &j, uint32_t number,
                                                 uint32_t site, int32_t run, int kind)
{
    return rd_words_near(j.keys, number, site, j.step, (uint32_t)j.w.first_run + (uint32_t)run,
                         kind);
}

/* As rd_move_by_rows: where an individual of the voxel goes, the number of a voxel of the box or
   elsewhere. */
static __device__ uint32_t go_exactly(const struct journey &j, uint32_t c, uint32_t number)
{
    const struct rd_common *const common = &j.all.common;
    struct spot s = spot_of(j, c);
    const uint4 word = words_of(j, number, s.site, s.run, RD_MOVE_VOXEL);
    const uint4 more = words_of(j, number, s.site, s.run, RD_MOVE_MORE);
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
    const uint32_t to = voxel_of(j, s), in = rd_in_box(j.g, j.all.box, to);
    return in < RD_BOX_VOXELS ? in : RD_ELSEWHERE | to;
}

/* Where one went who left the box. */
static __device__ uint32_t voxel_of_hop(const struct journey &j, uint32_t hop)
{
    struct spot s = spot_of(j, hop & (RD_BOX_VOXELS - 1));
    int before = -1;
    hop >>= VOXEL_BITS;
    for (int k = 0; k < 2; k++, hop >>= SHIFT_BITS + AXIS_BITS) {
        const int axis = (int)(hop & ((1u << AXIS_BITS) - 1));
        if (axis != before)
            shift_spot(j, &s, axis, (int8_t)(hop >> AXIS_BITS));
        before = axis;
    }
    return voxel_of(j, s);
}

/* One who left the box, by a hop or to a voxel. */
static __device__ __forceinline__ void leave(const struct journey &j, uint32_t to, uint32_t entry)
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

/* Those of a warp who are gone through exactly, so many that each lane has one. */
static __device__ __forceinline__ uint32_t go_on(const struct journey &j, uint32_t n,
                                                 uint32_t least)
{
    const uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    for (__syncwarp(); n >= least; n -= n < 32 ? n : 32) {
        if (lane >= n)
            continue;
        const uint32_t i = j.all.more[warp][n - 1 - lane], c = j.all.from[warp][n - 1 - lane];
        const uint32_t to = go_exactly(j, c, i - (uint32_t)j.all.first[c]);
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

/* One shift along the axis, in the box: the number of the voxel there; *is_out: it is not in it. */
static __device__ __forceinline__ uint32_t shift_in_box(const struct journey &j, uint32_t c,
                                                        int axis, int32_t shift, bool *is_out)
{
    const int32_t below = j.all.below[axis];
    const int32_t at = (int32_t)(c >> below & j.all.mask[axis]) + shift;
    *is_out = *is_out || (uint32_t)at >= j.all.within[axis];
    return c + ((uint32_t)shift << below);
}

/* The same as go_exactly by what is looked up, or UNKNOWN; GONE if it left the box. */
static __device__ __forceinline__ uint32_t go(const struct journey &j, uint32_t c, uint32_t number,
                                              uint32_t site, int32_t run, uint32_t entry)
{
    const uint4 word = words_of(j, number, site, run, RD_MOVE_VOXEL);
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

/* The entries of a row of voxels, which begins with this one; n_more of the warp are to be gone
   through exactly, and then as many as it gives. */
static __device__ __forceinline__ uint32_t go_displacement(const struct journey &j,
                                                           int displacement, uint32_t voxel,
                                                           uint32_t n_more)
{
    const uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const uint32_t begin = (uint32_t)displacement << j.g.bits[0], end = j.all.end[displacement];
    int32_t run;
    rd_plane_of(j.w, j.all.box.at[2] + (displacement >> j.g.bits[1]), &run);
    const uint32_t of_run = (uint32_t)run * (uint32_t)j.w.n_sites;
    uint32_t i = (uint32_t)j.all.first[begin] + lane, next = i < end ? j.g.key[i] : 0;
    for (; i - lane < end; i += 32) {
        const uint32_t at = next, c = begin + (at - voxel);
        uint32_t to = 0;
        if (i + 32 < end)
            next = j.g.key[i + 32];
        if (i < end)
            to = go(j, c, i - (uint32_t)j.all.first[c], at - of_run, run, i);
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
            n_more = go_on(j, n_more, 32);
    }
    return n_more;
}

/* How far one goes along the axis without leaving the box; planes of several runs are not side by
   side. */
static __device__ void set_bounds(const struct journey &j, const struct rd_box &b, int axis)
{
    const int32_t plane = b.at[2] % j.w.size[2];
    const bool is_cut = axis == 2 && plane + b.n[2] > j.w.size[2];
    j.all.below[axis] = axis == 0 ? 0 : axis == 1 ? j.g.bits[0] : j.g.bits[0] + j.g.bits[1];
    j.all.mask[axis] = (1u << j.g.bits[axis]) - 1;
    j.all.within[axis] = is_cut ? 0 : (uint32_t)b.n[axis];
}

/* All threads of the block: nobody has gone yet. */
static __device__ __forceinline__ void open_box(const struct journey &j, uint32_t number)
{
    const struct rd_sort_by_voxel &g = j.g;
    const struct rd_box b = rd_box_of(g, number);
    for (int c = threadIdx.x; c < b.n_displacements << g.bits[0]; c += THREADS) {
        const int64_t displacement = rd_box_displacement(g, b, c >> g.bits[0]);
        const int32_t x = c & ((1 << g.bits[0]) - 1);
        j.all.count[c] = 0;
        j.all.first[c] = displacement >= 0 && x < b.n[0] ? g.first[displacement + x] : 0;
    }
    for (int displacement = threadIdx.x; displacement < b.n_displacements;
         displacement += THREADS) {
        const int64_t voxel = rd_box_displacement(g, b, displacement);
        j.all.end[displacement] = voxel < 0 ? 0 : (uint32_t)g.first[voxel + b.n[0]];
    }
    if (threadIdx.x == 0)
        j.all.box = b;
    if (threadIdx.x < 3)
        set_bounds(j, b, (int)threadIdx.x);
    rd_open_leavers(&j.all.leavers);
}

/* All threads of the block: who left goes to a voxel. */
static __device__ __forceinline__ void find_voxels(const struct journey &j)
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
    __shared__ struct wandering all;
    if (rd_is_halted(&w))
        return;
    const struct journey j = {w, g, keys, all, w.step_clock->step};
    look_up(all, w);
    for (uint32_t number = blockIdx.x; number < rd_n_boxes(&g); number += gridDim.x) {
        __syncthreads();
        open_box(j, number);
        __syncthreads();
        uint32_t n_more = 0;
        for (int displacement = (int)threadIdx.x / 32; displacement < all.box.n_displacements;
             displacement += WARPS) {
            const int64_t voxel = rd_box_displacement(g, all.box, displacement);
            if (voxel >= 0)
                n_more = go_displacement(j, displacement, (uint32_t)voxel, n_more);
        }
        go_on(j, n_more, 1);
        __syncthreads();
        find_voxels(j);
        __syncthreads();
        rd_close_leavers(g, all.box, &all.leavers, all.count);
    }
}

void rd_count_wanderers(const struct rd_world *w, const struct rd_sort_by_voxel *g,
                        cudaStream_t stream)
{
    const struct rd_keys keys = rd_keys_of(w->seed, RD_FOR_MOVE + (uint32_t)w->at_list, w->part);
    const unsigned boxes = rd_n_boxes(g), most = rd_blocks_for(BLOCKS_MOST);
    const unsigned n = boxes < most ? boxes : most;
    move_and_sort<<<n, THREADS, 0, stream>>>(*w, *g, keys);
}
