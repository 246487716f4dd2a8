/* tuned_sweep - the kernel that sweeps over tiles: counts are read and written once, and what
   happens in between stays in shared memory. A fault in one tile does not stop the next passes of
   the same sweep in others: what these tell is kept apart, and told only if nothing went wrong
   before. */
#include "tuned_sweep.cuh"

#include "hop.h"
#include "tuned_count.cuh"
#include "tuned_leave.cuh"
#include "tuned_play.cuh"

enum { BLOCKS = 5 /* at once on a multiprocessor, by their registers */ };

/* Special cells that the plain body must see to are kept apart. */
template <bool LINE>
static __device__ __noinline__ void
look_at_special(const struct rd_tile *t, const struct rd_sweep *s, const struct rd_world *w, int *n)
{
    for (int i = (int)threadIdx.x; i < n[RD_N_SPECIAL]; i += RD_SWEEPERS) {
        const uint32_t c = rd_tile_special(*s, i);
        if (!rd_tile_must_aside(*s, *w, rd_tile_spot<LINE>(*t, *s, *w, c), c))
            continue;
        rd_tile_keep_apart(*s, c);
        rd_tile_aside(*s)[atomicAdd(&n[RD_N_ASIDE], 1)] = (uint16_t)c;
    }
    __syncthreads();
}

/* All molecules of each lane's cell c, if it is to be asked; leavers are sent at once. */
template <int N, bool LINE>
static __device__ __forceinline__ void
ask_and_send(const struct rd_tile &t, const struct rd_sweep &s, const struct rd_world &w,
             bool is_asked, uint32_t c, uint32_t *list)
{
    struct rd_queue<N> q;
    const struct rd_spot p = rd_tile_spot<LINE>(t, s, w, c);
    const int32_t n = rd_queue_open<N, true>(&q, s, w, p, c, is_asked);
    for (int32_t number = 0, held = 0; __any_sync(~0u, number < n) || held > 0; number += 4) {
        const bool goes_on = __any_sync(~0u, number < n);
        if (goes_on)
            held = rd_tile_ask(t, s, w, q, p, c, number, n, list, held);
        for (; held >= (goes_on ? 32 : 1); held -= held < 32 ? held : 32)
            if ((int)threadIdx.x % 32 < held)
                rd_tile_send<LINE, true>(t, s, w,
                                         list[(held < 32 ? 0 : held - 32) + (int)threadIdx.x % 32]);
        __syncwarp();
    }
}

/* What happens in 32 eventful cells, or in fewer; then those who can be are asked. */
template <int N, bool LINE>
static __device__ __noinline__ void enact(const struct rd_tile *t, const struct rd_sweep *s,
                                          const struct rd_world *w, const struct rd_world *react,
                                          int i, uint32_t *list, int *n)
{
    const bool is_one = i < n[RD_N_EVENTFUL];
    const uint32_t item = is_one ? rd_tile_eventful(*s)[i] : 0, c = item & ~(uint32_t)RD_IS_ASIDE;
    bool is_asked = is_one && s->hops && !(item & RD_IS_ASIDE);
    if (is_one) {
        const struct rd_spot p = rd_tile_spot<LINE>(*t, *s, *w, c);
        rd_tile_play(*t, *s, *react, p, c);
        if (is_asked && rd_tile_must_aside(*s, *w, p, c)) {
            rd_tile_aside(*s)[atomicAdd(&n[RD_N_ASIDE], 1)] = (uint16_t)c;
            is_asked = false;
        }
    }
    __syncwarp();
    if (s->hops)
        ask_and_send<N, LINE>(*t, *s, *w, is_asked, c, list);
}

/* Those of 32 special cells are asked. */
template <int N, bool LINE>
static __device__ __noinline__ void ask_special(const struct rd_tile *t, const struct rd_sweep *s,
                                                const struct rd_world *w, int i, uint32_t *list,
                                                const int *n)
{
    const bool is_one = i < n[RD_N_SPECIAL];
    const uint32_t c = is_one ? rd_tile_special(*s, i) : 0;
    ask_and_send<N, LINE>(*t, *s, *w, is_one && !rd_tile_is_apart(*s, c), c, list);
}

/* The next 32 cells that no warp has taken. */
static __device__ __forceinline__ int take(int *n)
{
    int at = 0;
    if (threadIdx.x % 32 == 0)
        at = atomicAdd(&n[RD_N_TAKEN], 1);
    return __shfl_sync(~0u, at, 0);
}

/* The leavers that warps still hold are shared out among all lanes of the block; gives how many
   this warp has now. */
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
        leaver[at / 32 * RD_SWEEP_LEAVERS + at % 32] = mine;
    __syncthreads();
    const int rest = n[RD_N_REST] - first;
    return rest < 0 ? 0 : rest < 32 ? rest : 32;
}

/* Cells that are not special: a warp asks in 32 at once, then in the next ones, and sends whenever
   all lanes have a leaver. */
template <int N, bool LINE>
static __device__ __forceinline__ void hop(const struct rd_tile &t, const struct rd_sweep &s,
                                           const struct rd_world &w, int at, int before,
                                           uint32_t *leaver, uint32_t *list, int *n)
{
    const int lane = (int)threadIdx.x % 32, n_occupied = n[RD_N_OCCUPIED];
    struct rd_queue<N> q;
    struct rd_spot p;
    uint32_t c = 0;
    int32_t number = 0, asked = 0;
    bool is_last = false;
    for (int held = 0;;) {
        if (!__any_sync(~0u, number < asked)) {
            const int i = (at - before) * 32 + lane;
            if (is_last)
                break;
            if (i - lane < n_occupied) {
                c = rd_tile_occupied(s)[i < n_occupied ? i : 0];
                p = rd_tile_spot<LINE>(t, s, w, c);
                asked = rd_queue_open<N, false>(&q, s, w, p, c,
                                                i < n_occupied && !rd_tile_is_apart(s, c));
                number = 0;
                at = take(n);
            } else {
                held = share(leaver, list, held, n);
                is_last = true;
            }
        }
        if (!is_last)
            held = rd_tile_ask(t, s, w, q, p, c, number, asked, list, held);
        number += 4;
        for (; held >= (is_last ? 1 : 32); held -= held < 32 ? held : 32)
            if (lane < held)
                rd_tile_send<LINE, false>(t, s, w, list[(held < 32 ? 0 : held - 32) + lane]);
        __syncwarp();
    }
}

/* Warps take 32 cells after the other: first the eventful ones, which take longest. */
template <int N, bool LINE>
static __device__ __forceinline__ void
enact_and_hop(const struct rd_tile &t, const struct rd_sweep &s, const struct rd_world &w,
              const struct rd_world &react, int *n)
{
    __shared__ uint32_t leaver[RD_SWEEP_WARPS * RD_SWEEP_LEAVERS];
    uint32_t *const list = leaver + threadIdx.x / 32 * RD_SWEEP_LEAVERS;
    const int lane = (int)threadIdx.x % 32, eventful = (n[RD_N_EVENTFUL] + 31) / 32;
    const int special = eventful + (s.hops ? (n[RD_N_SPECIAL] + 31) / 32 : 0);
    int at = take(n);
    for (; at < eventful; at = take(n))
        enact<N, LINE>(&t, &s, &w, &react, at * 32 + lane, list, n);
    for (; at < special; at = take(n))
        ask_special<N, LINE>(&t, &s, &w, (at - eventful) * 32 + lane, list, n);
    if (s.hops)
        hop<N, LINE>(t, s, w, at, special, leaver, list, n);
    __syncthreads();
}

/* Cells set aside hop by the plain body, once their counts are stored. */
template <bool LINE>
static __device__ __noinline__ void hop_aside(const struct rd_tile *t, const struct rd_sweep *s,
                                              const struct rd_world *w, const int *n)
{
    __syncthreads();
    if (threadIdx.x == 0)
        *s->out.spilled = 1;
    for (int i = (int)threadIdx.x; i < n[RD_N_ASIDE]; i += RD_SWEEPERS) {
        uint32_t cell;
        rd_tile_cell<LINE>(t, *s, *w, rd_tile_aside(*s)[i], &cell);
        rd_hop(w, cell);
    }
}

template <int N, bool LINE>
static __global__ void __launch_bounds__(RD_SWEEPERS, BLOCKS)
    sweep(const __grid_constant__ struct rd_sweep s, const __grid_constant__ struct rd_world w,
          const __grid_constant__ struct rd_world react)
{
    __shared__ int n[RD_N_LISTS];
    struct rd_tile t;
    rd_tile_find<LINE>(&t, s, w);
    const bool is_halted = w.n_halt > 0 && *w.halt < (s.lands    ? s.land_beat
                                                      : s.reacts ? s.react_beat
                                                                 : w.beat)
                                                         ->pass;
    if (is_halted)
        return;
    if (s.hops && blockIdx.x == 0 && threadIdx.x == 0)
        *s.unspilled = 0;
    rd_tile_begin(s, w, n);
    if (s.is_wide)
        rd_tile_fetch<4, LINE>(t, s, w);
    else
        rd_tile_fetch_each<LINE>(&t, &s, &w);
    __syncthreads();
    if (s.lands) {
        if (s.reads_arrive || *s.in.spilled > 0)
            rd_tile_fetch_arrived<LINE>(&t, &s, &w);
        rd_tile_open_post(t, s);
    }
    const bool is_over = rd_tile_look<LINE>(t, s, w, s.reacts && s.chart->has_sources, n);
    if (__syncthreads_or(is_over))
        rd_tile_tell_overflow<LINE>(&t, &s, &w);
    if (n[RD_N_SPECIAL] > 0)
        look_at_special<LINE>(&t, &s, &w, n);
    if (s.reacts) {
        rd_tile_find_events<LINE>(t, s, react, n);
        __syncthreads();
    }
    if (s.reacts || s.hops)
        enact_and_hop<N, LINE>(t, s, w, react, n);
    if (s.is_wide)
        rd_tile_store<LINE>(t, s, w);
    else
        rd_tile_store_each<LINE>(&t, &s, &w);
    if (s.hops && n[RD_N_ASIDE] > 0)
        hop_aside<LINE>(&t, &s, &w, n);
}

template <int N>
static void launch(const struct rd_sweep *s, const struct rd_world *w, const struct rd_world *react,
                   cudaStream_t stream)
{
    const unsigned tiles = (unsigned)s->tiling.n_tiles;
    const size_t bytes = (size_t)s->layout.all;
    if (s->tiling.is_line)
        sweep<N, true><<<tiles, RD_SWEEPERS, bytes, stream>>>(*s, *w, *react);
    else
        sweep<N, false><<<tiles, RD_SWEEPERS, bytes, stream>>>(*s, *w, *react);
}

void rd_sweep_launch(const struct rd_sweep *s, const struct rd_world *w,
                     const struct rd_world *react, cudaStream_t stream)
{
    if (w->n_species <= 3)
        launch<3>(s, w, react, stream);
    else if (w->n_species <= 8)
        launch<8>(s, w, react, stream);
    else
        launch<RD_SWEEP_SPECIES>(s, w, react, stream);
}
