/* tuned_move - the twin of move for the GPU: a lean kernel moves those who go by rows and stand
   where every place has the same ones; all others are set aside for the plain body. */
#include "move.h"
#include "tuned_cuda.cuh"
#include "tuned_divide.cuh"

/* A block finds what is common once, for many entries. */
enum { THREADS = 256, BLOCKS = 2048, MORE = 64, LIKELY = 4 };

/* What all who move by inner rows have in common: kept near, for all threads of a block. */
struct common {
    uint64_t leave;
    uint32_t high[RD_N_MOVES]; /* halves of the thresholds of ways to leave; of the last all ones */
    int32_t last;
    const struct rd_outcome *outcome[3];
    int4 shift[3];  /* the first outcomes, likeliest first, */
    uint4 below[3]; /* by their thresholds; all ones where there are fewer */
    int32_t last_outcome[3];
    int32_t inner[3][2]; /* places lo <= i < hi along each axis have inner rows */
    bool is_by_rows;
    bool is_uniform; /* all places have inner rows */
    bool is_plain;   /* all that, and there is one run: nothing needs to be asked for each */
};

/* The same for all blocks: the numbers that divide cells into places, and the keys of two calls. */
struct shape {
    struct rd_divisor nx, ny, sites;
    uint32_t stride[3];
    struct rd_keys keys;
};

static __device__ void find_common(struct common *c, const struct rd_world *w)
{
    const struct rd_mover *const m = &w->mover[w->now.species];
    c->is_by_rows = m->kind == RD_MOVE_ROWS && w->n_still == 0; /* else by the plain body */
    c->is_uniform = true;
    c->leave = m->inner.leave;
    c->last = m->inner.last;
    for (int k = 0; k < RD_N_MOVES; k++)
        c->high[k] = k < RD_N_MOVES - 1 ? (uint32_t)(m->inner.axes[k] >> 32) : UINT32_MAX;
    for (int axis = 0; axis < 3 && c->is_by_rows; axis++) {
        const struct rd_track *const t = &m->track[axis];
        c->inner[axis][0] = t->lo + t->reach;
        c->inner[axis][1] = t->hi - t->reach;
        c->is_uniform = c->is_uniform && t->reach == 0;
        if (t->reach >= t->hi - t->lo) /* there is no inner row */
            continue;
        const struct rd_row *const row = &w->row[t->first + t->reach];
        c->outcome[axis] = w->outcome + row->first;
        c->last_outcome[axis] = row->n - 1;
        uint32_t *const below = &c->below[axis].x;
        int32_t *const shift = &c->shift[axis].x;
        for (int k = 0; k < LIKELY; k++) {
            const struct rd_outcome o = c->outcome[axis][k < row->n ? k : 0];
            below[k] = k < row->n - 1 ? o.below : UINT32_MAX;
            shift[k] = o.shift;
        }
    }
    c->is_plain = c->is_by_rows && c->is_uniform && w->n_runs == 1;
}

/* One of the list on its way: its cell taken apart, and its number there. */
struct mover {
    uint32_t cell, site, run, number;
    int32_t at[3];
};

static __device__ __forceinline__ void take_apart(const struct rd_world &w, const struct shape &s,
                                                  struct mover *m)
{
    const uint32_t row = rd_quotient(m->site, s.nx), plane = rd_quotient(row, s.ny);
    m->at[0] = (int32_t)(m->site - row * (uint32_t)w.size[0]);
    m->at[1] = (int32_t)(row - plane * (uint32_t)w.size[1]);
    m->at[2] = (int32_t)plane;
}

static __device__ __forceinline__ bool is_inner(const struct common *c, const int32_t at[3])
{
    bool inner = true;
    for (int axis = 0; axis < 3; axis++)
        inner = inner && at[axis] >= c->inner[axis][0] && at[axis] < c->inner[axis][1];
    return inner;
}

/* The words of rd_stream_call of the kind for the mover. */
static __device__ __forceinline__ uint4 words_of(const struct rd_world &w, const struct shape &s,
                                                 uint32_t step, const struct mover &m, int kind)
{
    uint32_t c0 = m.number, c1 = m.site, c2 = step;
    uint32_t c3 = ((uint32_t)w.first_run + m.run) | (uint32_t)(RD_MOVE_ITEM(kind, 0) >> 32) << 28;
#pragma unroll
    for (int round = 0; round < RD_PHILOX_ROUNDS; round++)
        rd_philox_mix(&c0, &c1, &c2, &c3, s.keys.key[round][0], s.keys.key[round][1]);
    return make_uint4(c0, c1, c2, c3);
}

/* As rd_way, of an inner place; -1: a tie. */
static __device__ __forceinline__ int way_of(const struct common *c, uint32_t high)
{
    int k = 0;
#pragma unroll
    for (int i = 0; i < RD_N_MOVES - 1; i++)
        k += high > c->high[i];
    return high == c->high[k] && k < RD_N_MOVES - 1 ? -1 : k < c->last ? k : c->last;
}

/* As rd_shift_of. */
static __device__ __forceinline__ int32_t shift_of(const struct common *c, int axis, uint32_t word)
{
    const uint4 below = c->below[axis];
    const int32_t last = c->last_outcome[axis];
    int32_t k = (word >= below.x) + (word >= below.y) + (word >= below.z) + (word >= below.w);
    if (k == LIKELY && last >= LIKELY)
        return rd_shift_of(c->outcome[axis], last + 1, word);
    k = k < last ? k : last;
    return (&c->shift[axis].x)[k];
}

/* Where a leaver of an inner place arrives by its words for one axis after the other; nothing can
   be lost there. */
static __device__ __forceinline__ uint32_t arrival(const struct rd_world &w, const struct common *c,
                                                   const struct shape &s, const struct mover &m,
                                                   uint32_t axes, uint32_t word, uint32_t next,
                                                   uint32_t last)
{
    uint32_t to = m.cell;
#pragma unroll 1
    for (; axes != 0; axes &= axes - 1) {
        const int axis = __ffs((int)axes) - 1;
        const int32_t from = axis == 0 ? m.at[0] : axis == 1 ? m.at[1] : m.at[2];
        int32_t at = from + shift_of(c, axis, word);
        if ((uint32_t)at >= (uint32_t)w.size[axis])
            at = rd_wrap(at, w.size[axis]);
        to += (uint32_t)(at - from) * s.stride[axis];
        word = next;
        next = last;
    }
    return to;
}

/* What becomes of one: it is done, it is for the plain body, or it moves along all axes and draws
   once more. */
enum lot { LOT_DONE, LOT_ASIDE, LOT_MORE };

template <bool HAS_MORE, bool PLAIN>
static __device__ __forceinline__ enum lot
move_lean(const struct rd_world &w, const struct common *c, const struct shape &s, uint32_t step,
          uint32_t *key, uint32_t cell, uint32_t number)
{
    struct mover m;
    m.cell = cell;
    m.run = PLAIN || w.n_runs == 1 ? 0 : rd_quotient(cell, s.sites);
    m.site = cell - m.run * (uint32_t)w.n_sites;
    m.number = number;
    const uint4 word = words_of(w, s, step, m, RD_MOVE_CELL);
    const uint32_t high = (uint32_t)(c->leave >> 32);
    if ((PLAIN || c->is_uniform) && word.x > high)
        return LOT_DONE;
    take_apart(w, s, &m);
    if (!PLAIN && !c->is_uniform && !is_inner(c, m.at))
        return LOT_ASIDE;
    if (word.x >= high)
        return word.x > high ? LOT_DONE : LOT_ASIDE;
    const int way = way_of(c, word.y);
    if (way < 0)
        return LOT_ASIDE;
    if (way == RD_N_MOVES - 1 && !HAS_MORE)
        return LOT_MORE;
    uint32_t third = 0;
    if (HAS_MORE)
        third = words_of(w, s, step, m, RD_MOVE_MORE).z;
    *key = arrival(w, c, s, m, rd_gate_axes(way), word.z, word.w, third);
    return LOT_DONE;
}

/* Lanes whose entries are for the plain body put them into the list. */
static __device__ void set_aside(struct rd_aside aside, bool is_aside, uint32_t entry)
{
    const unsigned all = __ballot_sync(~0u, is_aside), lane = threadIdx.x % 32;
    if (all == 0)
        return;
    uint32_t at = 0;
    if (lane == 0)
        at = atomicAdd(aside.n, (uint32_t)__popc(all));
    at = __shfl_sync(~0u, at, 0) + (uint32_t)__popc(all & ((1u << lane) - 1));
    if (is_aside)
        aside.cell[at] = entry;
}

static __device__ __forceinline__ uint32_t number_of(const struct rd_world &w, uint32_t entry,
                                                     uint32_t cell)
{
    return entry - (uint32_t)w.first[w.now.cells + cell];
}

/* Those of a warp who draw once more, so many that each lane has one. */
template <bool PLAIN>
static __device__ __noinline__ uint32_t draw_more(const struct rd_world &w, const struct common *c,
                                                  const struct shape &s, uint32_t step,
                                                  const uint32_t *more, uint32_t n, uint32_t least)
{
    const uint32_t lane = threadIdx.x % 32;
    for (__syncwarp(); n >= least; n -= n < 32 ? n : 32) {
        if (lane >= n)
            continue;
        const uint32_t i = more[n - 1 - lane];
        uint32_t *const key = w.key + w.now.base + i;
        move_lean<true, PLAIN>(w, c, s, step, key, *key, number_of(w, i, *key));
    }
    __syncwarp();
    return n;
}

/* All entries, a row of 32 by each warp in turn. */
template <bool PLAIN>
static __device__ __forceinline__ void move_all(const struct rd_world &w, const struct common *c,
                                                const struct shape &s, struct rd_aside aside,
                                                uint32_t *more)
{
    const uint32_t lane = threadIdx.x % 32, step = w.beat->step, n = (uint32_t)rd_n_listed(&w);
    const uint32_t stride = gridDim.x * THREADS;
    uint32_t *const key = w.key + w.now.base;
    uint32_t n_more = 0, i = blockIdx.x * THREADS + threadIdx.x, next = i < n ? key[i] : 0;
    for (; i - lane < n; i += stride) {
        const uint32_t cell = next;
        enum lot lot = LOT_DONE;
        if (i + stride < n)
            next = key[i + stride];
        if (i < n)
            lot = PLAIN || c->is_by_rows
                      ? move_lean<false, PLAIN>(w, c, s, step, key + i, cell, number_of(w, i, cell))
                      : LOT_ASIDE;
        set_aside(aside, lot == LOT_ASIDE, i);
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
                struct rd_aside aside)
{
    __shared__ struct common c;
    __shared__ uint32_t more[THREADS / 32][MORE];
    if (rd_is_halted(&w))
        return;
    if (threadIdx.x == 0)
        find_common(&c, &w);
    __syncthreads();
    if (c.is_plain)
        move_all<true>(w, &c, s, aside, more[threadIdx.x / 32]);
    else
        move_all<false>(w, &c, s, aside, more[threadIdx.x / 32]);
}

/* The offsets of the entries are not in use now: who is set aside stands there. */
void rd_move_leanly(const struct rd_world *w, struct rd_aside aside, cudaStream_t stream)
{
    const int64_t n = (w->reach + THREADS - 1) / THREADS;
    struct shape s;
    if (n == 0)
        return;
    s.nx = rd_divisor_of(w->size[0]);
    s.ny = rd_divisor_of(w->size[1]);
    s.sites = rd_divisor_of(w->n_sites);
    s.stride[0] = 1;
    s.stride[1] = (uint32_t)w->size[0];
    s.stride[2] = (uint32_t)w->size[0] * (uint32_t)w->size[1];
    s.keys = rd_keys_of(w->seed, RD_FOR_MOVE + (uint32_t)w->at_list, w->part);
    aside.cell = (uint32_t *)w->offset + w->now.base;
    move_leanly<<<(unsigned)(n < BLOCKS ? n : BLOCKS), THREADS, 0, stream>>>(*w, s, aside);
    rd_do_aside<rd_move><<<RD_ASIDE_BLOCKS, RD_ASIDE_THREADS, 0, stream>>>(*w, aside);
}
