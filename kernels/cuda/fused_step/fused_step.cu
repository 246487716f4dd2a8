/* fused_step - see tuned_sweep.cuh. Which passes go together in a sweep, and the memory that
   sweeps need beside the world's. */
#include "kernels/cuda/backend/fused_step.cuh"

#include "kernels/cuda/backend/machine.cuh"
#include "kernels/cuda/fused_step/persistent_kernel.cuh"

#include <stdlib.h>
#include <string.h>

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
    uint32_t *spilled;        /* [RD_TURNS] */
    struct rd_fault *fault;   /* [RD_LATER] of passes that follow others in their sweep, */
    struct rd_fault *told;    /* until they are told here */
    uint32_t *met;            /* blocks that have ended a sweep */
    bool can_march;           /* several sweeps can be one kernel */
    bool has_land, has_react; /* are held */
    struct rd_world land, react;
    struct rd_march march; /* so are its sweeps, if there are some */
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
    for (int later = 0; later < RD_LATER; later++) {
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
    s->fault = (struct rd_fault *)place(room, &at, RD_LATER * RD_N_FAULTS * sizeof *s->fault);
    s->spilled = (uint32_t *)place(room, &at, RD_TURNS * sizeof *s->spilled);
    s->met = (uint32_t *)place(room, &at, sizeof *s->met);
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
    clear_faults<<<1, RD_LATER * RD_N_FAULTS, 0, stream>>>(s->fault);
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

/* What all sweeps of this world are told. */
static struct rd_sweep sweep_made(const rd_sweeper *s, const struct rd_world *w,
                                  const struct rd_world *react)
{
    struct rd_sweep made;
    made.tiling = s->tiling;
    made.layout =
        rd_tile_layout(s->tiling.cells_bits, w->n_species, s->reacts ? w->n_reactions : 0);
    made.chart = s->chart;
    made.land_fault = s->told;
    made.react_keys = rd_keys_of(react->seed, RD_FOR_REACT, react->part);
    made.stay_keys = rd_keys_of(w->seed, RD_FOR_STAY, w->part);
    made.where_keys = rd_keys_of(w->seed, RD_FOR_WHERE, w->part);
    made.tie_keys = rd_keys_of(w->seed, RD_FOR_TIE, w->part);
    made.reacts = s->reacts;
    made.is_wide =
        s->tiling.is_line ? w->n_cells % 4 == 0 : s->tiling.bits[0] >= 2 && w->size[0] % 4 == 0;
    return made;
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
    rd_chart_make<<<1, RD_CHART_THREADS, 0, s->machine->stream>>>(*w, s->chart);
    cudaMemcpyAsync(&fits, &s->chart->fits, sizeof fits, cudaMemcpyDeviceToHost,
                    s->machine->stream);
    cudaStreamSynchronize(s->machine->stream);
    s->reacts = fits && !w->has_laws && w->n_maintained == 0;
    const struct rd_sweep made = sweep_made(s, w, w);
    s->can_march = rd_sweep_can_march(&made, w->n_species);
    return fitted && reacted == s->reacts;
}

/* Sweeps that wait happen. */
static void depart(rd_sweeper *s)
{
    if (s->march.n > 0)
        rd_sweep_launch(&s->march, s->machine->stream);
    s->march.n = 0;
}

/* What is another one in each sweep apart. */
static struct rd_world same_in_all(const struct rd_world *w)
{
    struct rd_world same;
    memcpy(&same, w, sizeof same);
    same.beat = same.sweep = NULL;
    same.sweep_place = 0;
    same.arrive = NULL;
    same.fault = NULL;
    return same;
}

static bool are_same(const struct rd_world *a, const struct rd_world *b)
{
    const struct rd_world one = same_in_all(a), other = same_in_all(b);
    return memcmp(&one, &other, sizeof one) == 0;
}

/* The first beat of what is held, and of hop. */
static const struct rd_beat *first_beat(const rd_sweeper *s, const struct rd_world *hop)
{
    return s->has_land ? s->land.beat : s->has_react ? s->react.beat : hop->beat;
}

/* Whether what is held, and hop if it is not NULL, can follow the sweeps that wait. */
static bool can_follow(const rd_sweeper *s, const struct rd_world *hop)
{
    const struct rd_march *const m = &s->march;
    const struct rd_beat *const last = hop            ? hop->beat
                                       : s->has_react ? s->react.beat
                                                      : s->land.beat;
    return s->can_march && m->n < RD_MARCH_MOST && m->leg[m->n - 1].hops > 0 && s->has_land &&
           !s->reads_arrive && first_beat(s, hop) > m->beats && last - m->beats < UINT8_MAX &&
           (!hop || are_same(hop, &m->w)) && (!s->has_react || are_same(&s->react, &m->react));
}

/* A march of one sweep: what is held, and hop if it is not NULL. */
static void set_out(rd_sweeper *s, const struct rd_world *hop)
{
    struct rd_march *const m = &s->march;
    m->w = hop ? *hop : s->has_react ? s->react : s->land;
    m->react = s->react;
    m->s = sweep_made(s, &m->w, &m->react);
    m->post[0] = s->post[0];
    m->post[1] = s->post[1];
    m->spilled = s->spilled;
    m->fault = s->fault;
    m->beats = first_beat(s, hop);
    m->met = s->met;
    m->turn = s->turn;
    m->reads_arrive = s->reads_arrive;
}

/* What is held, and hop if it is not NULL, is the next sweep. The faults of its first pass are told
   at once. */
static void add_sweep(rd_sweeper *s, const struct rd_world *hop)
{
    struct rd_march *const m = &s->march;
    if (m->n > 0 && !can_follow(s, hop))
        depart(s);
    if (m->n == 0)
        set_out(s, hop);
    struct rd_leg *const leg = &m->leg[m->n++];
    leg->lands = s->has_land ? (uint8_t)(s->land.beat - m->beats + 1) : 0;
    leg->reacts = s->has_react ? (uint8_t)(s->react.beat - m->beats + 1) : 0;
    leg->hops = hop ? (uint8_t)(hop->beat - m->beats + 1) : 0;
    if (hop)
        s->turn = (s->turn + 1) % RD_TURNS;
    if (s->has_land)
        s->reads_arrive = false;
    s->has_land = s->has_react = false;
    if (!s->can_march)
        depart(s);
}

void rd_sweeper_flush(rd_sweeper *s)
{
    if (s->has_land || s->has_react)
        add_sweep(s, NULL);
    depart(s);
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
        add_sweep(s, w);
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
    return s->reads_arrive ? s->turn + RD_TURNS : s->turn;
}

void rd_sweeper_resume(rd_sweeper *s, int state)
{
    s->turn = state % RD_TURNS;
    s->reads_arrive = state >= RD_TURNS;
}
