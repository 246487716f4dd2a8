/* tuned_move - the twin of move for the GPU: a lean kernel moves those who go by rows and stand
   where every place has the same ones; all others are set aside for the plain body. */
#include "move.h"
#include "tuned_cuda.cuh"

enum { THREADS = 256, EACH = 4 };

/* What all who move by inner rows have in common: kept near, for all threads of a block. */
struct common {
    uint64_t leave;
    uint32_t high[RD_N_MOVES - 1]; /* halves of the thresholds of ways to leave */
    int32_t last;
    const struct rd_outcome *outcome[3];
    int32_t n_outcomes[3];
    int32_t inner[3][2]; /* places lo <= i < hi along each axis have inner rows */
    uint64_t inverse[3]; /* of the sizes along x and y, and of a run's sites: see quotient */
    bool is_by_rows;
    bool is_uniform; /* all places have inner rows */
};

/* n / d is the high half of n * (2^64 / d, rounded up), for any 32-bit n and d > 1. */
static __device__ uint64_t inverse_of(int64_t d)
{
    return d == 1 ? 0 : UINT64_MAX / (uint64_t)d + 1;
}

static __device__ uint32_t quotient(uint32_t n, uint64_t inverse)
{
    return inverse == 0 ? n : (uint32_t)__umul64hi(n, inverse);
}

static __device__ void find_common(struct common *c, const struct rd_world *w)
{
    const struct rd_mover *const m = &w->mover[w->now.species];
    c->is_by_rows = m->kind == RD_MOVE_ROWS;
    c->is_uniform = true;
    c->leave = m->inner.leave;
    c->last = m->inner.last;
    for (int k = 0; k < RD_N_MOVES - 1; k++)
        c->high[k] = (uint32_t)(m->inner.axes[k] >> 32);
    for (int axis = 0; axis < 3 && c->is_by_rows; axis++) {
        const struct rd_track *const t = &m->track[axis];
        c->inner[axis][0] = t->lo + t->reach;
        c->inner[axis][1] = t->hi - t->reach;
        c->is_uniform = c->is_uniform && t->reach == 0;
        if (t->reach >= t->hi - t->lo) /* there is no inner row */
            continue;
        const struct rd_row *const row = &w->row[t->first + t->reach];
        c->outcome[axis] = w->outcome + row->first;
        c->n_outcomes[axis] = row->n;
    }
    for (int axis = 0; axis < 2; axis++)
        c->inverse[axis] = inverse_of(w->size[axis]);
    c->inverse[2] = inverse_of(w->n_sites);
}

/* As rd_place_apart. */
static __device__ struct rd_place place_apart(const struct rd_world *w, const struct common *c,
                                              uint32_t cell)
{
    const uint32_t run = w->n_runs == 1 ? 0 : quotient(cell, c->inverse[2]);
    struct rd_place p;
    p.cell = cell;
    p.run = run;
    p.site = cell - run * (uint32_t)w->n_sites;
    return p;
}

static __device__ void take_apart(const struct rd_world *w, const struct common *c,
                                  struct rd_place *p)
{
    const uint32_t site = (uint32_t)p->site, row = quotient(site, c->inverse[0]);
    const uint32_t plane = quotient(row, c->inverse[1]);
    p->at[0] = (int32_t)(site - row * (uint32_t)w->size[0]);
    p->at[1] = (int32_t)(row - plane * (uint32_t)w->size[1]);
    p->at[2] = (int32_t)plane;
}

static __device__ bool is_inner(const struct common *c, const int32_t at[3])
{
    bool inner = true;
    for (int axis = 0; axis < 3; axis++)
        inner = inner && at[axis] >= c->inner[axis][0] && at[axis] < c->inner[axis][1];
    return inner;
}

/* As rd_way, of an inner place; -1: a tie. */
static __device__ int way_of(const struct common *c, uint32_t high)
{
    int k = 0, ties = 0;
    for (int i = 0; i < RD_N_MOVES - 1; i++) {
        k += high > c->high[i];
        ties += high == c->high[i];
    }
    return ties > 0 ? -1 : k < c->last ? k : c->last;
}

/* The word for a third axis: in a second call. */
static __device__ uint32_t third_word(const struct rd_world *w, const struct rd_place *p,
                                      uint32_t number)
{
    const struct rd_stream more = rd_stream_of(w->seed, w->first_run + p->run, w->beat->step,
                                               RD_FOR_MOVE + (uint32_t)w->at_list, w->part,
                                               RD_MOVE_ITEM(RD_MOVE_MORE, p->site));
    uint32_t word[4];
    rd_stream_call(&more, number, word);
    return word[2];
}

/* Where a leaver of an inner place arrives; nothing can be lost there. */
static __device__ uint32_t arrival(const struct rd_world *w, const struct common *c,
                                   const struct rd_place *p, uint32_t number, uint32_t axes,
                                   const uint32_t word[4])
{
    uint32_t to = (uint32_t)p->cell, stride = 1;
    for (int axis = 0, n = 2; axis < 3; axis++) {
        if (axes >> axis & 1) {
            const uint32_t how = n == 2 ? word[2] : n == 3 ? word[3] : third_word(w, p, number);
            const int32_t at =
                p->at[axis] + rd_shift_of(c->outcome[axis], c->n_outcomes[axis], how);
            const bool is_beyond = at < 0 || at >= w->size[axis];
            to += (uint32_t)((is_beyond ? rd_wrap(at, w->size[axis]) : at) - p->at[axis]) * stride;
            n++;
        }
        stride *= (uint32_t)w->size[axis];
    }
    return to;
}

/* Moves one individual, unless it is to be set aside. */
static __device__ bool move_lean(const struct rd_world *w, const struct common *c, int64_t i)
{
    if (!c->is_by_rows)
        return false;
    uint32_t *const key = &w->key[w->now.base + i];
    struct rd_place p = place_apart(w, c, *key);
    const uint32_t number = (uint32_t)(i - w->first[w->now.cells + p.cell]);
    const struct rd_stream s = rd_stream_of(w->seed, w->first_run + p.run, w->beat->step,
                                            RD_FOR_MOVE + (uint32_t)w->at_list, w->part,
                                            RD_MOVE_ITEM(RD_MOVE_CELL, p.site));
    uint32_t word[4];
    rd_stream_call(&s, number, word);
    const uint32_t high = (uint32_t)(c->leave >> 32);
    if (c->is_uniform && word[0] > high)
        return true;
    take_apart(w, c, &p);
    if (!c->is_uniform && !is_inner(c, p.at))
        return false;
    if (word[0] >= high)
        return word[0] > high;
    const int way = way_of(c, word[1]);
    if (way >= 0)
        *key = arrival(w, c, &p, number, rd_gate_axes(way), word);
    return way >= 0;
}

/* Lanes whose entries are for the plain body put them into the list. */
static __device__ void set_aside(struct rd_aside aside, bool is_aside, int64_t entry)
{
    const unsigned all = __ballot_sync(~0u, is_aside), lane = threadIdx.x % 32;
    if (all == 0)
        return;
    uint32_t at = 0;
    if (lane == 0)
        at = atomicAdd(aside.n, (uint32_t)__popc(all));
    at = __shfl_sync(~0u, at, 0) + (uint32_t)__popc(all & ((1u << lane) - 1));
    if (is_aside)
        aside.cell[at] = (uint32_t)entry;
}

static __global__ void __launch_bounds__(THREADS, RD_TILES_EACH)
    move_leanly(const __grid_constant__ struct rd_world w, struct rd_aside aside)
{
    __shared__ struct common c;
    if (rd_is_halted(&w))
        return;
    if (threadIdx.x == 0)
        find_common(&c, &w);
    __syncthreads();
    const int64_t n = rd_n_listed(&w), begin = (int64_t)blockIdx.x * THREADS * EACH + threadIdx.x;
    for (int64_t i = begin; i < begin + THREADS * EACH; i += THREADS)
        set_aside(aside, i < n && (w.n_still > 0 || !move_lean(&w, &c, i)), i);
}

/* The offsets of the entries are not in use now: who is set aside stands there. */
void rd_move_leanly(const struct rd_world *w, struct rd_aside aside, cudaStream_t stream)
{
    const int64_t tile = THREADS * EACH, n = (w->reach + tile - 1) / tile;
    if (n == 0)
        return;
    aside.cell = (uint32_t *)w->offset + w->now.base;
    move_leanly<<<(unsigned)n, THREADS, 0, stream>>>(*w, aside);
    rd_do_aside<rd_move><<<RD_ASIDE_BLOCKS, RD_ASIDE_THREADS, 0, stream>>>(*w, aside);
}
