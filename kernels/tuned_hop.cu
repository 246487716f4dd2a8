/* tuned_hop - the twin of hop for the GPU. A thread a cell asks its molecules whether they leave;
   those of a tile of cells who do stand in a list in shared memory, and each gets a thread, so that
   full warps draw where they go. Cells near an end, and those where groups are drawn or molecules
   walk hop by hop, are set aside. */
#include "hop.h"
#include "tuned_cuda.cuh"

enum { LEAVERS_MOST = 1024 };

struct leaver {
    uint16_t cell; /* in its tile */
    uint16_t species;
    uint32_t number; /* among those of the cell who were asked */
};

struct tile {
    struct leaver leaver[LEAVERS_MOST];
    uint16_t cell[RD_TILE];  /* that has molecules to ask, */
    uint16_t asked[RD_TILE]; /* and how many */
    struct rd_tile_aside aside;
    int n_leavers, n_cells;
};

static __device__ bool is_inner(const struct rd_world *w, const int32_t at[3])
{
    bool inner = true;
    for (int axis = 0; axis < 3; axis++)
        inner = inner && at[axis] >= w->inner[axis][0] && at[axis] < w->inner[axis][1];
    return inner;
}

/* How many molecules of the cell are to be asked; -1: the plain pass must see to it. */
static __device__ int32_t number_asked(const struct rd_world *w, int64_t cell)
{
    int32_t sum = 0;
    for (int32_t s = 0; s < w->n_species; s++) {
        const struct rd_mover *const m = &w->mover[s];
        const int32_t n = w->count[s * w->n_cells + cell];
        if (n == 0 || m->kind == RD_MOVE_NOT || m->is_listed)
            continue;
        if (n >= RD_FEW || m->kind != RD_MOVE_ROWS)
            return -1;
        sum += n;
    }
    return sum;
}

/* What happens once in 2^32 draws is kept out of the way. */
static __device__ __noinline__ uint32_t low_word(const struct rd_world *w, const struct rd_place *p,
                                                 uint32_t number, int which)
{
    uint32_t low[4];
    const struct rd_stream tie = rd_hop_stream(w, p, RD_FOR_TIE);
    rd_stream_call(&tie, number, low);
    return low[which];
}

static __device__ __noinline__ int way_of_tie(const struct rd_world *w, const struct rd_gate *g,
                                              const struct rd_place *p, uint32_t number,
                                              uint32_t high)
{
    const uint64_t both = (uint64_t)high << 32 | low_word(w, p, number, 1);
    int k = 0;
    while (k < g->last && both >= g->axes[k])
        k++;
    return k;
}

/* As rd_way, of an inner cell. */
static __device__ int way_of(const struct rd_world *w, const struct rd_gate *g,
                             const struct rd_place *p, uint32_t number, uint32_t high)
{
    int k = 0, ties = 0;
    for (int i = 0; i < RD_N_MOVES - 1; i++) {
        k += high > (uint32_t)(g->axes[i] >> 32);
        ties += high == (uint32_t)(g->axes[i] >> 32);
    }
    if (ties > 0)
        return way_of_tie(w, g, p, number, high);
    return k < g->last ? k : g->last;
}

/* A leaver of an inner cell, by its own four words; nothing can be lost there. */
static __device__ void send(const struct rd_world *w, int64_t cell, const struct leaver *l)
{
    const struct rd_mover *const m = &w->mover[l->species];
    const struct rd_place p = rd_place_of(w, cell);
    const struct rd_stream where = rd_hop_stream(w, &p, RD_FOR_WHERE);
    uint32_t word[4];
    rd_stream_call(&where, l->number, word);
    const uint32_t axes = rd_gate_axes(way_of(w, &m->inner, &p, l->number, word[0]));
    int64_t to = p.run * w->n_sites, stride = 1;
    for (int axis = 0; axis < 3; axis++) {
        const struct rd_track *const t = &m->track[axis];
        int32_t at = p.at[axis];
        if (axes >> axis & 1) {
            at += rd_shift(w, &w->row[t->first + t->reach], word[1 + axis]);
            if (at < 0 || at >= w->size[axis])
                at = rd_wrap(at, w->size[axis]);
        }
        to += at * stride;
        stride *= w->size[axis];
    }
    rd_arrive(w, l->species, to, 1);
}

/* The molecules of a cell one after the other, in canonical order. */
struct queue {
    int32_t species, rest; /* the next one's, and how many of it are left */
    int32_t n;             /* of it in the cell now */
    uint64_t threshold;
};

static __device__ void advance(struct queue *q, const struct rd_world *w, int64_t cell)
{
    while (q->rest == 0) {
        const struct rd_mover *const m = &w->mover[++q->species];
        if (m->kind == RD_MOVE_NOT || m->is_listed)
            continue;
        q->rest = q->n = w->count[q->species * w->n_cells + cell];
        q->threshold = m->inner.leave;
    }
    q->rest--;
}

/* Those lanes of the warp with a leaver put it into the list; or send it, if that is full. */
static __device__ void list_leavers(const struct rd_world *w, struct tile *tile, bool leaves,
                                    int64_t cell, uint16_t in_tile, int32_t species,
                                    uint32_t number)
{
    const unsigned all = __ballot_sync(~0u, leaves), lane = threadIdx.x % 32;
    int at = 0;
    if (lane == 0 && all != 0)
        at = atomicAdd(&tile->n_leavers, __popc(all));
    at = __shfl_sync(~0u, at, 0) + __popc(all & ((1u << lane) - 1));
    if (!leaves)
        return;
    const struct leaver l = {in_tile, (uint16_t)species, number};
    if (at < LEAVERS_MOST)
        tile->leaver[at] = l;
    else
        send(w, cell, &l);
}

/* Asks n molecules of the cell whether they leave, all lanes of a warp side by side, so that they
   draw their words together. */
static __device__ void ask(const struct rd_world *w, const struct rd_place *p, uint16_t in_tile,
                           int32_t n, struct tile *tile)
{
    struct rd_stream stay = rd_hop_stream(w, p, RD_FOR_STAY);
    struct queue q = {-1, 0, 0, 0};
    const int32_t most = __reduce_max_sync(~0u, n);
    for (int32_t number = 0; number < most; number++) {
        const uint32_t word = rd_word(&stay);
        bool leaves = false;
        if (number < n) {
            advance(&q, w, p->cell);
            const uint32_t high = (uint32_t)(q.threshold >> 32);
            leaves = word < high ||
                     (word == high && low_word(w, p, (uint32_t)number, 0) < (uint32_t)q.threshold);
            if (leaves)
                w->count[q.species * w->n_cells + p->cell] = --q.n;
        }
        list_leavers(w, tile, leaves, p->cell, in_tile, q.species, (uint32_t)number);
    }
}

static __device__ void set_aside(struct tile *tile, uint16_t in_tile)
{
    tile->aside.cell[atomicAdd(&tile->aside.n, 1)] = in_tile;
}

/* Whether there is somebody to ask in the cell. */
static __device__ void look_at(const struct rd_world *w, int64_t cell, struct tile *tile)
{
    const int32_t n = number_asked(w, cell);
    if (n < 0 || n > UINT16_MAX) {
        set_aside(tile, (uint16_t)threadIdx.x);
    } else if (n > 0) {
        const int at = atomicAdd(&tile->n_cells, 1);
        tile->cell[at] = (uint16_t)threadIdx.x;
        tile->asked[at] = (uint16_t)n;
    }
}

/* A warp asks in as many cells as it has lanes, the last one in fewer. */
static __device__ void ask_in_cells(const struct rd_world *w, int64_t begin, struct tile *tile)
{
    const int k = (int)threadIdx.x < tile->n_cells ? (int)threadIdx.x : tile->n_cells - 1;
    const struct rd_place p = rd_place_of(w, begin + tile->cell[k]);
    int32_t n = k == (int)threadIdx.x ? tile->asked[k] : 0;
    if (n > 0 && !is_inner(w, p.at)) {
        set_aside(tile, tile->cell[k]);
        n = 0;
    }
    ask(w, &p, tile->cell[k], n, tile);
}

static __global__ void __launch_bounds__(RD_TILE, RD_TILES_EACH)
    hop_tile(const __grid_constant__ struct rd_world w, struct rd_aside aside)
{
    __shared__ struct tile tile;
    const int64_t begin = (int64_t)blockIdx.x * RD_TILE, cell = begin + threadIdx.x;
    if (rd_is_halted(&w))
        return;
    if (threadIdx.x == 0)
        tile.n_leavers = tile.n_cells = tile.aside.n = 0;
    __syncthreads();
    if (cell < w.n_moving)
        look_at(&w, cell, &tile);
    __syncthreads();
    if ((int)(threadIdx.x / 32 * 32) < tile.n_cells)
        ask_in_cells(&w, begin, &tile);
    __syncthreads();
    const int n = tile.n_leavers < LEAVERS_MOST ? tile.n_leavers : LEAVERS_MOST;
    for (int i = threadIdx.x; i < n; i += RD_TILE)
        send(&w, begin + tile.leaver[i].cell, &tile.leaver[i]);
    rd_set_aside(&tile.aside, aside, begin);
}

void rd_hop_tiles(const struct rd_world *w, struct rd_aside aside, cudaStream_t stream)
{
    const int64_t n = (w->n_moving + RD_TILE - 1) / RD_TILE;
    if (n == 0)
        return;
    hop_tile<<<(unsigned)n, RD_TILE, 0, stream>>>(*w, aside);
    rd_do_aside<rd_hop><<<RD_ASIDE_BLOCKS, RD_ASIDE_THREADS, 0, stream>>>(*w, aside);
}
