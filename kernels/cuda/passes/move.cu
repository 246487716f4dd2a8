/* move - the tuned version of move for the GPU: a lean kernel moves individuals by the inner
   displacement distributions; all others are deferred to the plain body. */
#include "kernels/cuda/backend/divide.cuh"
#include "kernels/cuda/backend/tuned_passes.cuh"
#include "kernels/cuda/passes/shared_displacements.cuh"
#include "kernels/passes/movement/move.h"

/* Sets the sizes: a block loads the distributions once for many entries. */
enum { THREADS = 256, BLOCKS = 2048, MORE = 64 };

/* Holds the parameters that are the same for all blocks: divisors of voxel numbers, and keys of the
   streams. */
struct shape {
    struct rd_divided by;
    struct rd_keys keys;
};

/* Holds one individual of the list while it moves: its voxel, divided, and its number there. */
struct transport {
    uint32_t voxel, site, run, number;
    int32_t at[3];
};

static __device__ __forceinline__ void take_apart(const struct shape &s, struct transport *m)
{
    const int3 at = rd_place_near(m->site, s.by);
    m->at[0] = at.x;
    m->at[1] = at.y;
    m->at[2] = at.z;
}

static __device__ __forceinline__ bool is_inner_voxel(const struct rd_common *c,
                                                      const int32_t at[3])
{
    bool inner = true;
    for (int axis = 0; axis < 3; axis++)
        inner = inner && at[axis] >= c->inner[axis][0] && at[axis] < c->inner[axis][1];
    return inner;
}

/* Returns the words of the individual's call of this kind, as rd_stream_call does. */
static __device__ __forceinline__ uint4 words_of_call(const struct rd_lattice &lattice,
                                                      const struct shape &s, uint32_t step,
                                                      const struct transport &m, int kind)
{
    return rd_words_near(s.keys, m.number, m.site, step, (uint32_t)lattice.first_run + m.run, kind);
}

/* Returns the voxel in which a leaver of an inner place arrives, by one word for each axis of its
   move; walls take nothing there. */
static __device__ __forceinline__ uint32_t placement(const struct rd_lattice &lattice,
                                                     const struct rd_common *c,
                                                     const struct shape &s,
                                                     const struct transport &m, uint32_t axes,
                                                     uint32_t word, uint32_t next, uint32_t last)
{
    uint32_t to = m.voxel;
#pragma unroll 1
    for (; axes != 0; axes &= axes - 1) {
        const int axis = __ffs((int)axes) - 1;
        const int32_t from = axis == 0 ? m.at[0] : axis == 1 ? m.at[1] : m.at[2];
        int32_t at = from + rd_shift_near(c, axis, word);
        if ((uint32_t)at >= (uint32_t)lattice.size[axis])
            at = rd_wrap(at, lattice.size[axis]);
        to += (uint32_t)(at - from) * s.by.stride[axis];
        word = next;
        next = last;
    }
    return to;
}

/* Names what happened to an individual. LOT_DEFERRED: the plain body moves it; LOT_MORE: it moves
   along all three axes and needs another call. */
enum lot { LOT_DONE, LOT_DEFERRED, LOT_MORE };

template <bool HAS_MORE, bool PLAIN>
static __device__ __forceinline__ enum lot
move_lean(const struct rd_lattice &lattice, const struct rd_common *c, const struct shape &s,
          uint32_t step, uint32_t *key, uint32_t voxel, uint32_t number)
{
    struct transport m;
    m.voxel = voxel;
    m.run = PLAIN || lattice.n_runs == 1 ? 0 : rd_quotient(voxel, s.by.sites);
    m.site = voxel - m.run * (uint32_t)lattice.n_sites;
    m.number = number;
    const uint4 word = words_of_call(lattice, s, step, m, RD_MOVE_VOXEL);
    const uint32_t high = (uint32_t)(c->leave >> 32);
    if ((PLAIN || c->is_uniform) && word.x > high)
        return LOT_DONE;
    take_apart(s, &m);
    if (!PLAIN && !c->is_uniform && !is_inner_voxel(c, m.at))
        return LOT_DEFERRED;
    if (word.x >= high)
        return word.x > high ? LOT_DONE : LOT_DEFERRED;
    bool is_tie;
    int way = rd_way_near(c, word.y, &is_tie);
    if (is_tie)
        return LOT_DEFERRED;
    way = way < c->last ? way : c->last;
    if (way == RD_N_MOVES - 1 && !HAS_MORE)
        return LOT_MORE;
    uint32_t third = 0;
    if (HAS_MORE)
        third = words_of_call(lattice, s, step, m, RD_MOVE_MORE).z;
    *key = placement(lattice, c, s, m, rd_departure_axes(way), word.z, word.w, third);
    return LOT_DONE;
}

/* Appends the entries of lanes with is_deferred to the deferred ones. All lanes of a warp call
   it. */
static __device__ void set_deferred(struct rd_deferred deferred, bool is_deferred, uint32_t entry)
{
    const unsigned all = __ballot_sync(~0u, is_deferred), lane = threadIdx.x % 32;
    if (all == 0)
        return;
    uint32_t at = 0;
    if (lane == 0)
        at = atomicAdd(deferred.n, (uint32_t)__popc(all));
    at = __shfl_sync(~0u, at, 0) + (uint32_t)__popc(all & ((1u << lane) - 1));
    if (is_deferred)
        deferred.voxel[at] = entry;
}

static __device__ __forceinline__ uint32_t number_in_voxel(const struct rd_lists &lists,
                                                           uint32_t entry, uint32_t voxel)
{
    return entry - (uint32_t)lists.first[lists.now.voxels + voxel];
}

/* Moves the entries of a warp that need another call, 32 at a time, while there are at least
   `least`. Returns how many remain. */
template <bool PLAIN>
static __device__ __noinline__ uint32_t draw_more(const struct rd_world &w,
                                                  const struct rd_common *c, const struct shape &s,
                                                  uint32_t step, const uint32_t *more, uint32_t n,
                                                  uint32_t least)
{
    const uint32_t lane = threadIdx.x % 32;
    for (__syncwarp(); n >= least; n -= n < 32 ? n : 32) {
        if (lane >= n)
            continue;
        const uint32_t i = more[n - 1 - lane];
        uint32_t *const key = w.lists.key + w.lists.now.base + i;
        move_lean<true, PLAIN>(w.lattice, c, s, step, key, *key, number_in_voxel(w.lists, i, *key));
    }
    __syncwarp();
    return n;
}

/* Moves all entries; each warp takes 32 consecutive ones in turn. */
template <bool PLAIN>
static __device__ __forceinline__ void move_all(const struct rd_world &w, const struct rd_common *c,
                                                const struct shape &s, struct rd_deferred deferred,
                                                uint32_t *more)
{
    const uint32_t lane = threadIdx.x % 32, step = w.pass.step_clock->step,
                   n = (uint32_t)rd_n_listed(&w.lists);
    const uint32_t stride = gridDim.x * THREADS;
    uint32_t *const key = w.lists.key + w.lists.now.base;
    uint32_t n_more = 0, i = blockIdx.x * THREADS + threadIdx.x, next = i < n ? key[i] : 0;
    for (; i - lane < n; i += stride) {
        const uint32_t voxel = next;
        enum lot lot = LOT_DONE;
        if (i + stride < n)
            next = key[i + stride];
        if (i < n)
            lot = PLAIN || c->is_by_displacements
                      ? move_lean<false, PLAIN>(w.lattice, c, s, step, key + i, voxel,
                                                number_in_voxel(w.lists, i, voxel))
                      : LOT_DEFERRED;
        set_deferred(deferred, lot == LOT_DEFERRED, i);
        const unsigned all = __ballot_sync(~0u, lot == LOT_MORE);
        if (lot == LOT_MORE)
            more[n_more + (uint32_t)__popc(all & ((1u << lane) - 1))] = i;
        n_more += (uint32_t)__popc(all);
        if (n_more >= 32)
            n_more = draw_more<PLAIN>(w, c, s, step, more, n_more, 32);
    }
    draw_more<PLAIN>(w, c, s, step, more, n_more, 1);
}

static __global__ void __launch_bounds__(THREADS, RD_TILES_EACH)
    move_leanly(const __grid_constant__ struct rd_world w, const __grid_constant__ struct shape s,
                struct rd_deferred deferred)
{
    __shared__ struct rd_common c;
    __shared__ uint32_t more[THREADS / 32][MORE];
    if (rd_is_halted(&w))
        return;
    if (threadIdx.x == 0)
        rd_find_common(&c, &w);
    __syncthreads();
    if (c.is_plain)
        move_all<true>(w, &c, s, deferred, more[threadIdx.x / 32]);
    else
        move_all<false>(w, &c, s, deferred, more[threadIdx.x / 32]);
}

/* Moves the individuals of a list. Deferred entries are stored in offset[], which is free during
   movements. */
void rd_move_leanly(const struct rd_world *w, struct rd_deferred deferred, cudaStream_t stream)
{
    const int64_t n = (w->lists.reach + THREADS - 1) / THREADS;
    struct shape s;
    if (n == 0)
        return;
    s.by = rd_divided_of(w->lattice.size, w->lattice.n_sites);
    s.keys = rd_keys_of(w->pass.seed, RD_FOR_MOVE + (uint32_t)w->lists.at_list, w->pass.part);
    deferred.voxel = (uint32_t *)w->lists.offset + w->lists.now.base;
    move_leanly<<<(unsigned)(n < BLOCKS ? n : BLOCKS), THREADS, 0, stream>>>(*w, s, deferred);
    const int64_t most = (w->lists.reach - 1) / RD_DEFERRED_THREADS + 1;
    rd_do_deferred<rd_move><<<(unsigned)(most < RD_DEFERRED_BLOCKS ? most : RD_DEFERRED_BLOCKS),
                              RD_DEFERRED_THREADS, 0, stream>>>(*w, deferred);
}
