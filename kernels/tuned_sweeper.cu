/* tuned_sweeper - see tuned_sweep.cuh. Which passes go together in a sweep, and the memory that
   sweeps need beside the world's. */
#include "tuned_sweep.cuh"

#include "machine_cuda.cuh"
#include "tuned_tile.cuh"

#include <stdlib.h>

/* Tiles of 2^bits cells that waste least of the lattice beyond its ends, and that fewest leave. */
static void choose_boxes(struct rd_tiling *t, const struct rd_world *w)
{
    double least = INFINITY;
    for (int x = 0; x <= t->cells_bits; x++)
        for (int y = 0; x + y <= t->cells_bits; y++) {
            const int bits[3] = {x, y, t->cells_bits - x - y};
            double waste = 1.0, edges = 32 >> (x < 5 ? x : 5);
            int32_t n[3];
            for (int axis = 0; axis < 3; axis++) {
                n[axis] = (w->size[axis] - 1 >> bits[axis]) + 1;
                waste *= ((double)n[axis] * (1 << bits[axis])) / w->size[axis];
                edges += n[axis] > 1 ? 4.0 / (1 << bits[axis]) : 0.0;
            }
            if (waste * (1.0 + 0.1 * edges) >= least)
                continue;
            least = waste * (1.0 + 0.1 * edges);
            t->is_line = waste > 1.5;
            for (int axis = 0; axis < 3; axis++) {
                t->bits[axis] = bits[axis];
                t->n[axis] = n[axis];
            }
        }
}

/* Of the 48 kilobytes of shared memory that every card has, 5 are for leavers. */
enum { TILES_WANTED = 256, BITS_LEAST = 8, SHARED_MOST = 42 * 1024 };

/* False: so many species and channels have no room. */
static bool choose_tiling(struct rd_tiling *t, const struct rd_world *w, int64_t n_channels)
{
    t->cells_bits = RD_SWEEP_BITS;
    while (t->cells_bits > BITS_LEAST &&
           (w->n_cells >> t->cells_bits < TILES_WANTED ||
            rd_tile_layout(t->cells_bits, w->n_species, n_channels).all > SHARED_MOST))
        t->cells_bits--;
    choose_boxes(t, w);
    if (t->is_line) {
        t->n_tiles = (w->n_cells - 1 >> t->cells_bits) + 1;
        t->bits[0] = t->cells_bits;
    } else {
        t->n_tiles = w->n_runs * t->n[0] * t->n[1] * t->n[2];
    }
    return rd_tile_layout(t->cells_bits, w->n_species, n_channels).all <= SHARED_MOST;
}

/* Flags that are set in a sweep, read in the next one, and cleared in the one after that; and the
   passes of a sweep whose faults are kept apart at first: react, hop. */
enum { TURNS = 4, LATER = 2 };

struct rd_sweeper {
    rd_machine *machine;
    char *room;        /* what follows stands there */
    const int32_t *of; /* the counts that it was made for, */
    bool of_still;     /* in a world where runs may stand still */
    bool fits;         /* there was room */
    bool is_learnt;    /* the chart is that of the tables as they are */
    bool reacts;       /* and reactions can be swept */
    struct rd_tiling tiling;
    struct rd_chart *chart;
    struct rd_post post[2];
    int turn;                 /* post[turn % 2] has those on their way */
    bool reads_arrive;        /* others may be in its arrive */
    uint32_t *spilled;        /* [TURNS] */
    struct rd_fault *fault;   /* [LATER] of passes that follow others in their sweep, */
    struct rd_fault *told;    /* until they are told here */
    bool has_land, has_react; /* are held */
    struct rd_world land, react;
};

static __global__ void clear_faults(struct rd_fault *fault)
{
    fault[threadIdx.x].number = 0;
    fault[threadIdx.x].first = INT64_MAX;
}

/* Of passes that follow each other only the first with faults tells them. */
static __global__ void tell_faults(struct rd_fault *told, struct rd_fault *fault)
{
    bool is_told = false;
    for (int kind = 0; kind < RD_N_FAULTS; kind++)
        is_told = is_told || told[kind].number > 0;
    for (int later = 0; later < LATER; later++) {
        const bool was_told = is_told;
        for (int kind = 0; kind < RD_N_FAULTS; kind++) {
            struct rd_fault *const f = &fault[later * RD_N_FAULTS + kind];
            is_told = is_told || f->number > 0;
            if (!was_told && f->number > 0)
                told[kind] = *f;
            f->number = 0;
            f->first = INT64_MAX;
        }
    }
}

/* So many bytes of the room, from `at` on; while there is none they are only counted. */
static char *place(char *room, size_t *at, size_t bytes)
{
    char *const here = room ? room + *at : NULL;
    *at += rd_arena_padded(bytes);
    return here;
}

/* Where everything stands in the room; gives its size. */
static size_t lay_out(rd_sweeper *s, const struct rd_world *w, char *room)
{
    const size_t tiles = (size_t)s->tiling.n_tiles;
    size_t at = 0;
    s->chart = (struct rd_chart *)place(room, &at, sizeof *s->chart);
    s->fault = (struct rd_fault *)place(room, &at, LATER * RD_N_FAULTS * sizeof *s->fault);
    s->spilled = (uint32_t *)place(room, &at, TURNS * sizeof *s->spilled);
    for (int side = 0; side < 2; side++) {
        struct rd_post *const post = &s->post[side];
        post->room = 1u << s->tiling.cells_bits >> 1;
        post->n = (uint32_t *)place(room, &at, tiles * sizeof *post->n);
        post->item = (uint16_t *)place(room, &at, tiles * post->room * sizeof *post->item);
    }
    s->post[0].arrive = w->arrive;
    s->post[1].arrive = (int32_t *)place(room, &at, (size_t)w->n_arrive * sizeof *w->arrive);
    return at;
}

/* Whether such a world can be swept, and in which tiles. */
static bool can_sweep(struct rd_tiling *t, const struct rd_world *w)
{
    const int64_t n_channels = w->n_reactions <= RD_SWEEP_CHANNELS ? w->n_reactions : 0;
    return w->n_still == 0 && w->n_species <= RD_SWEEP_SPECIES && w->n_cells <= UINT32_MAX &&
           choose_tiling(t, w, n_channels);
}

size_t rd_sweeper_room(const struct rd_world *w)
{
    rd_sweeper s = {};
    return can_sweep(&s.tiling, w) ? lay_out(&s, w, NULL) : 0;
}

bool rd_sweeper_does_all(const struct rd_world *w)
{
    struct rd_tiling tiling = {};
    bool does = can_sweep(&tiling, w) && w->n_list == 0 && w->channel != NULL && !w->has_laws &&
                !w->has_tours && w->n_reactions <= RD_SWEEP_CHANNELS;
    for (int32_t r = 0; does && r < w->n_reactions; r++) {
        struct rd_product product;
        does = rd_chart_product(*w, &product, r);
    }
    return does;
}

static void free_room(rd_sweeper *s)
{
    rd_machine *const m = s->machine;
    rd_cuda_give(m, s->room);
    *s = {};
    s->machine = m;
}

rd_sweeper *rd_sweeper_open(rd_machine *m)
{
    rd_sweeper *const s = (rd_sweeper *)calloc(1, sizeof *s);
    if (s)
        s->machine = m;
    return s;
}

void rd_sweeper_close(rd_sweeper *s)
{
    if (s)
        free_room(s);
    free(s);
}

/* Nobody is on the way, and nothing has been told. */
static bool take_room(rd_sweeper *s, const struct rd_world *w)
{
    cudaError_t error;
    const size_t bytes = lay_out(s, w, NULL);
    const cudaStream_t stream = s->machine->stream;
    s->room = (char *)rd_cuda_take(s->machine, bytes, &error);
    if (!s->room)
        return false;
    lay_out(s, w, s->room);
    cudaMemsetAsync(s->room, 0, bytes, stream);
    clear_faults<<<1, LATER * RD_N_FAULTS, 0, stream>>>(s->fault);
    s->told = w->fault;
    return true;
}

/* Room for this world. Without it all passes go their ways. */
static void prepare(rd_sweeper *s, const struct rd_world *w)
{
    free_room(s);
    s->fits = can_sweep(&s->tiling, w) && take_room(s, w);
    s->of = w->count;
    s->of_still = w->n_still > 0;
}

/* Whether it was made for this world. */
static bool is_of(const rd_sweeper *s, const struct rd_world *w)
{
    return s->of == w->count && s->of_still == (w->n_still > 0);
}

void rd_sweeper_forget(rd_sweeper *s)
{
    s->is_learnt = false;
}

bool rd_sweeper_learn(rd_sweeper *s, const struct rd_world *w)
{
    if (s->is_learnt && is_of(s, w))
        return true;
    const bool fitted = s->fits && is_of(s, w), reacted = s->reacts;
    if (!is_of(s, w))
        prepare(s, w);
    s->is_learnt = true;
    if (!s->fits)
        return fitted == s->fits;
    int32_t fits = 0;
    rd_chart_make<<<1, 1, 0, s->machine->stream>>>(*w, s->chart);
    cudaMemcpyAsync(&fits, &s->chart->fits, sizeof fits, cudaMemcpyDeviceToHost,
                    s->machine->stream);
    cudaStreamSynchronize(s->machine->stream);
    s->reacts = fits && !w->has_laws && w->n_maintained == 0;
    return fitted && reacted == s->reacts;
}

static struct rd_sweep sweep_made(const rd_sweeper *s, const struct rd_world *w,
                                  const struct rd_world *react, bool hops)
{
    struct rd_sweep made;
    made.tiling = s->tiling;
    made.layout =
        rd_tile_layout(s->tiling.cells_bits, w->n_species, s->has_react ? w->n_reactions : 0);
    made.chart = s->chart;
    made.in = s->post[s->turn % 2];
    made.in.spilled = s->spilled + s->turn;
    made.out = s->post[(s->turn + 1) % 2];
    made.out.spilled = s->spilled + (s->turn + 1) % TURNS;
    made.unspilled = s->spilled + (s->turn + 2) % TURNS;
    made.land_fault = s->told;
    made.react_keys = rd_keys_of(react->seed, RD_FOR_REACT, react->part);
    made.stay_keys = rd_keys_of(w->seed, RD_FOR_STAY, w->part);
    made.where_keys = rd_keys_of(w->seed, RD_FOR_WHERE, w->part);
    made.tie_keys = rd_keys_of(w->seed, RD_FOR_TIE, w->part);
    made.land_beat = s->land.beat;
    made.react_beat = react->beat;
    made.lands = s->has_land;
    made.reacts = s->has_react;
    made.hops = hops;
    made.reads_arrive = s->reads_arrive;
    made.is_wide =
        s->tiling.is_line ? w->n_cells % 4 == 0 : s->tiling.bits[0] >= 2 && w->size[0] % 4 == 0;
    return made;
}

/* What is held, and hop if it is not NULL. The faults of its first pass are told at once. */
static void launch(rd_sweeper *s, const struct rd_world *hop)
{
    struct rd_world w = hop ? *hop : s->has_react ? s->react : s->land, react = s->react;
    const struct rd_sweep made = sweep_made(s, &w, &react, hop != NULL);
    w.sweep = react.sweep = s->has_land ? s->land.beat : s->has_react ? react.beat : w.beat;
    react.sweep_place = s->has_land;
    w.sweep_place = s->has_land + s->has_react;
    w.arrive = made.out.arrive;
    if (s->has_land)
        react.fault = s->fault;
    if (hop && (s->has_land || s->has_react))
        w.fault = s->fault + RD_N_FAULTS;
    rd_sweep_launch(&made, &w, &react, s->machine->stream);
    if (hop)
        s->turn = (s->turn + 1) % TURNS;
    if (s->has_land)
        s->reads_arrive = false;
    s->has_land = s->has_react = false;
}

void rd_sweeper_flush(rd_sweeper *s)
{
    if (s->has_land || s->has_react)
        launch(s, NULL);
}

bool rd_sweeper_take(rd_sweeper *s, const struct rd_world *w, enum rd_pass pass)
{
    if (pass == RD_ENTER && w->n_inlets == 0)
        return true;
    const bool is_ours =
        pass == RD_LAND || (pass == RD_HOP && !w->has_tours) || (pass == RD_REACT && s->reacts);
    if (!s->fits || !is_of(s, w) || !is_ours) {
        rd_sweeper_flush(s);
        return false;
    }
    if ((pass == RD_REACT ? w->n_reacting : w->n_moving) == 0)
        return true;
    if (s->has_react ? pass != RD_HOP : s->has_land && pass == RD_LAND)
        rd_sweeper_flush(s);
    if (pass == RD_HOP) {
        launch(s, w);
        return true;
    }
    *(pass == RD_LAND ? &s->land : &s->react) = *w;
    *(pass == RD_LAND ? &s->has_land : &s->has_react) = true;
    return true;
}

struct rd_world rd_sweeper_world(rd_sweeper *s, const struct rd_world *w, enum rd_pass pass)
{
    struct rd_world here = *w;
    if (s->fits && is_of(s, w)) {
        here.arrive = s->post[s->turn % 2].arrive;
        s->reads_arrive = s->reads_arrive || pass == RD_ENTER || pass == RD_HOP;
    }
    return here;
}

void rd_sweeper_tell(rd_sweeper *s)
{
    if (s->fits)
        tell_faults<<<1, 1, 0, s->machine->stream>>>(s->told, s->fault);
}

int rd_sweeper_state(const rd_sweeper *s)
{
    return s->reads_arrive ? s->turn + TURNS : s->turn;
}

void rd_sweeper_resume(rd_sweeper *s, int state)
{
    s->turn = state % TURNS;
    s->reads_arrive = state >= TURNS;
}
