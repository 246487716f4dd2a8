/* tile_step - one fused step of a block's tile, with its counts in shared memory: adds arrivals,
   finds and applies events, and sends leavers. */
#ifndef RD_CUDA_FUSED_STEP_TILE_STEP_CUH
#define RD_CUDA_FUSED_STEP_TILE_STEP_CUH

#include "kernels/cuda/fused_step/crowded_voxels.cuh"
#include "kernels/cuda/fused_step/leave_tile.cuh"
#include "kernels/cuda/fused_step/tile_counts.cuh"
#include "kernels/cuda/fused_step/tile_reactions.cuh"
#include "kernels/passes/movement/hop.h"

/* Holds the arguments of a fused step. The pointers are to current values in memory, for functions
   that are not inlined; in a persistent kernel, w and react lack the members that change. */
struct rd_step_arguments {
    const struct rd_fused_step &s;
    const struct rd_round &r;
    const struct rd_world &w, &react;
    const struct rd_tile *t_now;
    const struct rd_fused_step *s_now;
    const struct rd_world *now, *react_now;
};

/* Stands for a voxel of the tile if a lane has none. */
enum { NO_VOXEL = 1 << RD_FUSED_STEP_BITS };

/* Keeps apart the special voxels that the plain body must handle, and defers their hop. */
template <bool LINE>
static __device__ __noinline__ void look_at_special(const struct rd_tile *t,
                                                    const struct rd_fused_step *s,
                                                    const struct rd_world *w, int *n)
{
    for (int i = (int)threadIdx.x; i < n[RD_N_SPECIAL]; i += RD_TILE_THREADS) {
        const uint32_t c = rd_tile_special(*s, i);
        if (!rd_tile_must_deferred(*s, *w, rd_tile_spot<LINE>(*t, *s, w->lattice, c), c))
            continue;
        rd_tile_keep_apart(*s, c);
        rd_tile_deferred(*s)[atomicAdd(&n[RD_N_DEFERRED], 1)] = (uint16_t)c;
    }
    __syncthreads();
}

/* Draws all molecules of each lane's voxel c if is_drawn, and sends the leavers. */
template <int N, bool LINE>
static __device__ __forceinline__ void
draw_and_send(const struct rd_tile &t, const struct rd_fused_step &s, const struct rd_outbox &out,
              const struct rd_world &w, bool is_drawn, uint32_t c, uint32_t *list)
{
    struct rd_leaver_queue<N> q;
    const struct rd_spot p = rd_tile_spot<LINE>(t, s, w.lattice, c);
    const int32_t n = rd_leaver_queue_open<N, true>(&q, s, w, p, c, is_drawn);
    for (int32_t number = 0, held = 0; __any_sync(~0u, number < n) || held > 0; number += 4) {
        const bool goes_on = __any_sync(~0u, number < n);
        if (goes_on)
            held = rd_tile_draw(t, s, w.lattice, q, p, c, number, n, list, held);
        for (; held >= (goes_on ? 32 : 1); held -= held < 32 ? held : 32)
            if ((int)threadIdx.x % 32 < held)
                rd_tile_send<LINE, true>(t, s, out, w,
                                         list[(held < 32 ? 0 : held - 32) + (int)threadIdx.x % 32]);
        __syncwarp();
    }
}

/* Does the same for voxels that may be near an end; NO_VOXEL: the lane has none. */
template <int N, bool LINE>
static __device__ __noinline__ void
draw_near_end(const struct rd_tile *t, const struct rd_fused_step *s, const struct rd_outbox *out,
              const struct rd_world *w, uint32_t c, uint32_t *list)
{
    draw_and_send<N, LINE>(*t, *s, *out, *w, c != NO_VOXEL, c == NO_VOXEL ? 0 : c, list);
}

/* Applies the events of the lane's eventful voxel, if it has one. Returns the voxel if its
   molecules are to be drawn for hops, otherwise NO_VOXEL. */
template <bool LINE>
static __device__ __noinline__ uint32_t apply_lane_event(const struct rd_tile *t,
                                                         const struct rd_fused_step *s,
                                                         const struct rd_world *w,
                                                         const struct rd_world *react, bool hops,
                                                         int i, int *n)
{
    if (i >= n[RD_N_EVENTFUL])
        return NO_VOXEL;
    const uint32_t item = rd_tile_eventful(*s)[i], c = item & ~(uint32_t)RD_IS_DEFERRED;
    const struct rd_spot p = rd_tile_spot<LINE>(*t, *s, w->lattice, c);
    rd_tile_ssa(*t, *s, *react, p, c);
    if (!hops || item & RD_IS_DEFERRED)
        return NO_VOXEL;
    if (!rd_tile_must_deferred(*s, *w, p, c))
        return c;
    rd_tile_deferred(*s)[atomicAdd(&n[RD_N_DEFERRED], 1)] = (uint16_t)c;
    return NO_VOXEL;
}

/* Takes the next 32 voxels that no warp has taken. Returns their number. */
static __device__ __forceinline__ int claim_voxels(int *n)
{
    int at = 0;
    if (threadIdx.x % 32 == 0)
        at = atomicAdd(&n[RD_N_TAKEN], 1);
    return __shfl_sync(~0u, at, 0);
}

/* Distributes the leavers that warps still hold among all lanes of the block. Returns how many this
   warp has then. */
static __device__ __forceinline__ int share(uint32_t *leaver, uint32_t *list, int held, int *n)
{
    const int lane = (int)threadIdx.x % 32, first = (int)threadIdx.x - lane;
    int at = 0;
    if (lane == 0 && held > 0)
        at = atomicAdd(&n[RD_N_REST], held);
    at = __shfl_sync(~0u, at, 0);
    const uint32_t mine = lane < held ? list[lane] : 0;
    __syncthreads();
    at += lane;
    if (lane < held)
        leaver[at / 32 * RD_FUSED_STEP_LEAVERS + at % 32] = mine;
    __syncthreads();
    const int rest = n[RD_N_REST] - first;
    return rest < 0 ? 0 : rest < 32 ? rest : 32;
}

/* Returns the leavers that warps collect, a list for each warp. */
static __device__ __forceinline__ uint32_t *rd_leaver_lists(void)
{
    __shared__ uint32_t leaver[RD_FUSED_STEP_WARPS * RD_FUSED_STEP_LEAVERS];
    return leaver;
}

/* Draws and sends the leavers of voxels that are not near an end. A warp draws for 32 voxels, then
   for the next ones, and sends whenever each lane has a leaver. Its first voxels are those in
   `given`, unless all are NO_VOXEL; the occupied ones come after `before` turns. */
template <int N, bool LINE>
static __device__ __forceinline__ void
hop(const struct rd_tile &t, const struct rd_step_arguments &o, uint32_t given, int at, int before,
    uint32_t *leaver, uint32_t *list, int *n)
{
    const int lane = (int)threadIdx.x % 32, n_occupied = n[RD_N_OCCUPIED];
    struct rd_leaver_queue<N> q;
    struct rd_spot p;
    uint32_t c = 0;
    int32_t number = 0, n_to_draw = 0;
    bool is_first = __any_sync(~0u, given != NO_VOXEL), is_last = false;
    for (int held = 0;;) {
        if (!__any_sync(~0u, number < n_to_draw)) {
            const int i = (at - before) * 32 + lane;
            if (is_last)
                break;
            if (is_first || i - lane < n_occupied) {
                uint32_t next = given;
                if (!is_first) {
                    next = i < n_occupied ? rd_tile_occupied(o.s)[i] : NO_VOXEL;
                    at = claim_voxels(n);
                }
                c = next == NO_VOXEL ? 0 : next;
                p = rd_tile_spot<LINE>(t, o.s, o.w.lattice, c);
                n_to_draw = rd_leaver_queue_open<N, false>(
                    &q, o.s, o.w, p, c,
                    next != NO_VOXEL && (is_first || !rd_tile_is_apart(o.s, c)));
                number = 0;
                is_first = false;
            } else {
                held = share(leaver, list, held, n);
                is_last = true;
            }
        }
        if (!is_last)
            held = rd_tile_draw(t, o.s, o.w.lattice, q, p, c, number, n_to_draw, list, held);
        number += 4;
        for (; held >= (is_last ? 1 : 32); held -= held < 32 ? held : 32)
            if (lane < held)
                rd_tile_send<LINE, false>(t, o.s, o.r.out, o.w,
                                          list[(held < 32 ? 0 : held - 32) + lane]);
        __syncwarp();
    }
}

/* Applies events and sends leavers. Warps take 32 voxels after another: first special ones, then
   eventful ones, which take longest, then all others. The last eventful voxels of a warp use the
   same loop as the others, unless they may be near an end. */
template <int N, bool LINE>
static __device__ __forceinline__ void
apply_event_and_hop(const struct rd_tile &t, const struct rd_step_arguments &o, int *n)
{
    uint32_t *const leaver = rd_leaver_lists();
    uint32_t *const list = leaver + threadIdx.x / 32 * RD_FUSED_STEP_LEAVERS;
    const int lane = (int)threadIdx.x % 32;
    const bool hops = o.r.hop_step_clock != NULL;
    const int special = hops ? (n[RD_N_SPECIAL] + 31) / 32 : 0;
    const int eventful = special + (n[RD_N_EVENTFUL] + 31) / 32;
    uint32_t given = NO_VOXEL;
    int at = claim_voxels(n);
    for (; at < special; at = claim_voxels(n)) {
        const int i = at * 32 + lane;
        const uint32_t c = i < n[RD_N_SPECIAL] ? rd_tile_special(o.s, i) : NO_VOXEL;
        draw_near_end<N, LINE>(o.t_now, o.s_now, &o.r.out, o.now,
                               c == NO_VOXEL || rd_tile_is_apart(o.s, c) ? NO_VOXEL : c, list);
    }
    while (at < eventful) {
        given = apply_lane_event<LINE>(o.t_now, o.s_now, o.now, o.react_now, hops,
                                       (at - special) * 32 + lane, n);
        __syncwarp();
        at = claim_voxels(n);
        if (hops && (!t.is_inner || at < eventful)) {
            draw_near_end<N, LINE>(o.t_now, o.s_now, &o.r.out, o.now, given, list);
            given = NO_VOXEL;
        }
    }
    if (hops)
        hop<N, LINE>(t, o, given, at, eventful, leaver, list, n);
    __syncthreads();
}

/* Gives access to the deferred voxels of a tile. */
template <bool LINE> struct rd_tile_deferred_voxels {
    const struct rd_tile *t;
    const struct rd_fused_step *s;
    const struct rd_world *w;

    __device__ __forceinline__ int64_t at(int i) const
    {
        const uint32_t c = rd_tile_deferred(*s)[i];
        uint32_t voxel;
        if (c == NO_VOXEL)
            return -1;
        rd_tile_voxel<LINE>(t, *s, w->lattice, c, &voxel);
        return voxel;
    }
    __device__ __forceinline__ void drop(int i) const
    {
        rd_tile_deferred(*s)[i] = NO_VOXEL;
    }
};

/* Moves the molecules of deferred voxels once all counts are stored. */
template <bool LINE>
static __device__ __noinline__ void
rd_fused_step_hop_deferred(const struct rd_tile *t, const struct rd_fused_step *s,
                           const struct rd_outbox *out, const struct rd_world *w, int *n)
{
    __syncthreads();
    if (threadIdx.x == 0)
        *out->spilled = 1;
    rd_hop_crowded_voxels(w, rd_tile_deferred_voxels<LINE>{t, s, w}, n[RD_N_DEFERRED],
                          &n[RD_N_TAKEN], rd_leaver_lists());
}

/* Returns the number of the fused step's first pass. */
static __device__ int64_t rd_fused_step_first_pass(const struct rd_round &r)
{
    const struct rd_step_clock *const first = r.land_step_clock    ? r.land_step_clock
                                              : r.react_step_clock ? r.react_step_clock
                                                                   : r.hop_step_clock;
    return first->pass;
}

static __device__ uint32_t rd_step_of(const struct rd_step_clock *step_clock)
{
    return step_clock ? step_clock->step : 0;
}

template <bool LINE>
static __device__ __forceinline__ void
rd_tile_fetch_all(const struct rd_tile &t, const struct rd_fused_step &s, const struct rd_world &w)
{
    if (s.is_wide)
        rd_tile_fetch<4, LINE>(t, s, w);
    else
        rd_tile_fetch_each<LINE>(&t, &s, &w);
}

template <bool LINE>
static __device__ __forceinline__ void rd_tile_store_all(const struct rd_tile &t,
                                                         const struct rd_fused_step &s,
                                                         const struct rd_world &w, bool moved)
{
    if (s.is_wide)
        rd_tile_store<LINE>(t, s, w, moved);
    else
        rd_tile_store_each<LINE>(&t, &s, &w, moved);
}

/* Does all passes of a fused step for the tile. All threads of the block call it, after a
   barrier. */
template <int N, bool LINE>
static __device__ __forceinline__ void rd_fused_step_tile(const struct rd_tile &t,
                                                          const struct rd_step_arguments &o,
                                                          const struct rd_inbox &inbox, int *n)
{
    const struct rd_round &r = o.r;
    if (r.hop_step_clock && blockIdx.x == 0 && threadIdx.x == 0)
        *r.unspilled = 0;
    if (r.land_step_clock) {
        if (r.reads_arrive || inbox.spilled > 0)
            rd_tile_fetch_arrived<LINE>(o.t_now, o.s_now, &r.in, o.now);
        rd_tile_read_inbox(t, o.s, r.in, inbox);
    }
    const bool lists_all = r.react_step_clock && t.has_sources;
    const bool is_over =
        rd_tile_list_voxels<LINE>(t, o.s, o.w, lists_all, r.hop_step_clock != NULL, n);
    if (__syncthreads_or(is_over))
        rd_tile_report_overflow<LINE>(o.t_now, o.s_now, &r, o.now);
    if (n[RD_N_MANY] > 0 || (n[RD_N_SPECIAL] > 0 && o.w.counts.n_lost > 0))
        look_at_special<LINE>(o.t_now, o.s_now, o.now, n);
    if (r.react_step_clock) {
        rd_tile_find_events<LINE>(t, o.s, o.react, n);
        __syncthreads();
    }
    if (r.react_step_clock || r.hop_step_clock)
        apply_event_and_hop<N, LINE>(t, o, n);
}

#endif
