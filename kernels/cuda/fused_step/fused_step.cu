/* fused_step - decides by which kernels fused steps run, and owns the memory that they need in
   addition to the world's. */
#include "kernels/cuda/backend/fused_step.cuh"

#include "kernels/cuda/backend/machine.cuh"
#include "kernels/cuda/fused_step/persistent_kernel.cuh"

#include <stdlib.h>
#include <string.h>

void rd_choose_tile_boxes(struct rd_tiling *t, const struct rd_lattice *lattice)
{
    double least = INFINITY;
    for (int x = 0; x <= t->voxels_bits; x++)
        for (int y = 0; x + y <= t->voxels_bits; y++) {
            const int bits[3] = {x, y, t->voxels_bits - x - y};
            double waste = 1.0, edges = 32 >> (x < 5 ? x : 5);
            int32_t n[3];
            for (int axis = 0; axis < 3; axis++) {
                n[axis] = (lattice->size[axis] - 1 >> bits[axis]) + 1;
                waste *= ((double)n[axis] * (1 << bits[axis])) / lattice->size[axis];
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
    t->n_tiles = lattice->n_runs * t->n[0] * t->n[1] * t->n[2];
}

/* Sets the sizes of tiles. Of the 48 KiB of shared memory on every device, 5 KiB are for
   leavers. */
enum { TILES_WANTED = 256, BITS_LEAST = 8, SHARED_MOST = 42 * 1024 };

/* Chooses the tiles. Returns false if so many species and channels do not fit in shared memory. */
static bool choose_tiling(struct rd_tiling *t, const struct rd_world *w, int64_t n_channels)
{
    t->voxels_bits = RD_FUSED_STEP_BITS;
    while (t->voxels_bits > BITS_LEAST &&
           (w->lattice.n_voxels >> t->voxels_bits < TILES_WANTED ||
            rd_tile_layout(t->voxels_bits, w->counts.n_species, n_channels).all > SHARED_MOST))
        t->voxels_bits--;
    rd_choose_tile_boxes(t, &w->lattice);
    if (t->is_line) {
        t->n_tiles = (w->lattice.n_voxels - 1 >> t->voxels_bits) + 1;
        t->bits[0] = t->voxels_bits;
    }
    return rd_tile_layout(t->voxels_bits, w->counts.n_species, n_channels).all <= SHARED_MOST;
}

struct rd_fusion {
    rd_machine *machine;
    char *capacity;    /* device memory for the members below */
    const int32_t *of; /* the counts that it was made for */
    bool of_frozen;    /* made for a world with frozen runs */
    bool fits;         /* the tiles and the memory fit */
    bool is_loaded;    /* the table cache matches the tables */
    bool reacts;       /* reactions can be fused */
    struct rd_tiling tiling;
    struct rd_table_cache *table_cache;
    struct rd_outbox outbox[2];
    int turn;                  /* outbox[turn % 2] is the inbox of the next fused step */
    bool reads_arrive;         /* other passes may have sent to its `arrive` */
    uint32_t *spilled;         /* [RD_TURNS] */
    struct rd_fault *fault;    /* [RD_LATER] of passes that follow others in their fused step */
    struct rd_fault *reported; /* faults of the world, where they are reported */
    uint32_t *n_arrived;       /* arrivals of blocks at the grid barrier */
    bool can_persist;          /* several fused steps can be one kernel */
    bool has_land, has_react;  /* the pass is held */
    bool has_run;              /* a fused step was launched, or captured in a graph */
    struct rd_world land, react;
    struct rd_persistent_kernel persistent_kernel; /* its fused steps are held, too */
};

static __global__ void clear_faults(struct rd_fault *fault)
{
    fault[threadIdx.x].number = 0;
    fault[threadIdx.x].first = INT64_MAX;
}

/* Copies faults to reported[]: thread k those of kind k. Of consecutive passes, only the first one
   with faults reports them. */
static __global__ void copy_first_faults(struct rd_fault *reported, struct rd_fault *fault)
{
    const int kind = (int)threadIdx.x;
    struct rd_fault found[RD_LATER];
    for (int later = 0; later < RD_LATER; later++)
        found[later] = fault[later * RD_N_FAULTS + kind];
    bool is_reported = __syncthreads_or(reported[kind].number > 0);
    for (int later = 0; later < RD_LATER; later++) {
        const bool was_reported = is_reported;
        is_reported = __syncthreads_or(found[later].number > 0) || was_reported;
        if (found[later].number == 0)
            continue;
        if (!was_reported)
            reported[kind] = found[later];
        fault[later * RD_N_FAULTS + kind] = {0, INT64_MAX};
    }
}

/* Sets the addresses of all arrays in the memory. Returns its size in bytes. */
static size_t lay_out_fusion(rd_fusion *s, const struct rd_counts *counts, char *capacity)
{
    const size_t tiles = (size_t)s->tiling.n_tiles;
    size_t at = 0;
    s->table_cache = (struct rd_table_cache *)rd_arena_place(capacity, &at, sizeof *s->table_cache);
    s->fault =
        (struct rd_fault *)rd_arena_place(capacity, &at, RD_LATER * RD_N_FAULTS * sizeof *s->fault);
    s->spilled = (uint32_t *)rd_arena_place(capacity, &at, RD_TURNS * sizeof *s->spilled);
    s->n_arrived = (uint32_t *)rd_arena_place(capacity, &at, sizeof *s->n_arrived);
    for (int side = 0; side < 2; side++) {
        struct rd_outbox *const outbox = &s->outbox[side];
        outbox->capacity = 1u << s->tiling.voxels_bits >> 1;
        outbox->n = (uint32_t *)rd_arena_place(capacity, &at, tiles * sizeof *outbox->n);
        outbox->item = (uint16_t *)rd_arena_place(capacity, &at,
                                                  tiles * outbox->capacity * sizeof *outbox->item);
    }
    s->outbox[0].arrive = counts->arrive;
    s->outbox[1].arrive =
        (int32_t *)rd_arena_place(capacity, &at, (size_t)counts->n_arrive * sizeof *counts->arrive);
    return at;
}

/* Returns whether fused steps are possible for this world, and chooses the tiles. */
static bool can_fused_step(struct rd_tiling *t, const struct rd_world *w)
{
    const int64_t n_channels =
        w->reactions.n_reactions <= RD_FUSED_STEP_CHANNELS ? w->reactions.n_reactions : 0;
    return w->runs.n_frozen == 0 && w->counts.n_species <= RD_FUSED_STEP_SPECIES &&
           w->lattice.n_voxels <= UINT32_MAX && choose_tiling(t, w, n_channels);
}

size_t rd_fusion_capacity(const struct rd_world *w)
{
    rd_fusion s = {};
    return can_fused_step(&s.tiling, w) ? lay_out_fusion(&s, &w->counts, NULL) : 0;
}

bool rd_fusion_does_all(const struct rd_world *w)
{
    struct rd_tiling tiling = {};
    bool does = can_fused_step(&tiling, w) && w->lists.n_list == 0 &&
                w->reactions.channel != NULL && !w->reactions.has_expressions &&
                !w->movement.has_uniformised_walks &&
                w->reactions.n_reactions <= RD_FUSED_STEP_CHANNELS;
    for (int32_t r = 0; does && r < w->reactions.n_reactions; r++) {
        struct rd_product product;
        does = rd_table_cache_product(w->reactions, &product, r);
    }
    return does;
}

static void free_capacity(rd_fusion *s)
{
    rd_machine *const m = s->machine;
    rd_cuda_give(m, s->capacity);
    *s = {};
    s->machine = m;
}

rd_fusion *rd_fusion_open(rd_machine *m)
{
    rd_fusion *const s = (rd_fusion *)calloc(1, sizeof *s);
    if (s)
        s->machine = m;
    return s;
}

void rd_fusion_close(rd_fusion *s)
{
    if (s)
        free_capacity(s);
    free(s);
}

/* Takes the memory, with empty outboxes and without faults. Returns false if there is not
   enough. */
static bool take_capacity(rd_fusion *s, const struct rd_world *w)
{
    cudaError_t error;
    const size_t bytes = lay_out_fusion(s, &w->counts, NULL);
    const cudaStream_t stream = s->machine->stream;
    s->capacity = (char *)rd_cuda_take(s->machine, bytes, &error);
    if (!s->capacity)
        return false;
    lay_out_fusion(s, &w->counts, s->capacity);
    cudaMemsetAsync(s->capacity, 0, bytes, stream);
    clear_faults<<<1, RD_LATER * RD_N_FAULTS, 0, stream>>>(s->fault);
    s->reported = w->runs.fault;
    return true;
}

/* Prepares the object for this world. Without memory all passes run on their own. */
static void prepare_fusion(rd_fusion *s, const struct rd_world *w)
{
    free_capacity(s);
    s->fits = can_fused_step(&s->tiling, w) && take_capacity(s, w);
    s->of = w->counts.count;
    s->of_frozen = w->runs.n_frozen > 0;
}

/* Returns whether the object was made for this world. */
static bool is_of(const rd_fusion *s, const struct rd_world *w)
{
    return s->of == w->counts.count && s->of_frozen == (w->runs.n_frozen > 0);
}

/* Returns the arguments that all fused steps of this world share. */
static struct rd_fused_step fused_step_made(const rd_fusion *s, const struct rd_world *w,
                                            const struct rd_world *react)
{
    struct rd_fused_step made;
    made.tiling = s->tiling;
    made.layout = rd_tile_layout(s->tiling.voxels_bits, w->counts.n_species,
                                 s->reacts ? w->reactions.n_reactions : 0);
    made.table_cache = s->table_cache;
    made.land_fault = s->reported;
    made.react_keys = rd_keys_of(react->pass.seed, RD_FOR_REACT, react->pass.part);
    made.stay_keys = rd_keys_of(w->pass.seed, RD_FOR_STAY, w->pass.part);
    made.where_keys = rd_keys_of(w->pass.seed, RD_FOR_WHERE, w->pass.part);
    made.tie_keys = rd_keys_of(w->pass.seed, RD_FOR_TIE, w->pass.part);
    made.reacts = s->reacts;
    made.is_wide = s->tiling.is_line ? w->lattice.n_voxels % 4 == 0
                                     : s->tiling.bits[0] >= 2 && w->lattice.size[0] % 4 == 0;
    return made;
}

/* Launches the fused steps of m in their order: one kernel, or one persistent kernel. */
static void launch_steps(const struct rd_persistent_kernel *m, cudaStream_t stream)
{
    if (m->s.tiling.is_line)
        rd_fused_step_launch_in<true>(m, stream);
    else
        rd_fused_step_launch_in<false>(m, stream);
}

/* Returns whether several fused steps can be one persistent kernel. */
static bool can_persist(const struct rd_fused_step *s, int64_t n_species)
{
    const size_t bytes = (size_t)s->layout.all;
    const int each = s->tiling.is_line ? rd_fused_step_capacity_in<true>(bytes, n_species)
                                       : rd_fused_step_capacity_in<false>(bytes, n_species);
    return s->tiling.n_tiles <= (int64_t)rd_blocks_for(each);
}

void rd_fusion_invalidate(rd_fusion *s, const void *written)
{
    if (written != s->of)
        s->is_loaded = false;
}

bool rd_fusion_load(rd_fusion *s, const struct rd_world *w)
{
    if (s->is_loaded && is_of(s, w))
        return true;
    const bool fitted = s->fits && is_of(s, w), reacted = s->reacts;
    if (!is_of(s, w))
        prepare_fusion(s, w);
    s->is_loaded = true;
    if (!s->fits)
        return fitted == s->fits;
    int32_t fits = 0;
    rd_table_cache_make<<<1, RD_TABLE_CACHE_THREADS, 0, s->machine->stream>>>(*w, s->table_cache);
    cudaMemcpyAsync(&fits, &s->table_cache->fits, sizeof fits, cudaMemcpyDeviceToHost,
                    s->machine->stream);
    cudaStreamSynchronize(s->machine->stream);
    s->reacts = fits && !w->reactions.has_expressions && w->items.n_maintained == 0;
    const struct rd_fused_step made = fused_step_made(s, w, w);
    s->can_persist = can_persist(&made, w->counts.n_species);
    return fitted && reacted == s->reacts;
}

void rd_fusion_flush(rd_fusion *s)
{
    if (s->persistent_kernel.n == 0)
        return;
    launch_steps(&s->persistent_kernel, s->machine->stream);
    s->persistent_kernel.n = 0;
    s->has_run = true;
}

struct rd_fusible rd_fusion_fusible(const rd_fusion *s)
{
    return {s->fits, s->fits && s->reacts};
}

/* Returns the world without the members that differ between fused steps. */
static struct rd_world same_in_all(const struct rd_world *w)
{
    struct rd_world same;
    memcpy(&same, w, sizeof same);
    same.pass.step_clock = same.pass.fused_step = NULL;
    same.pass.fused_step_place = 0;
    same.counts.arrive = NULL;
    same.runs.fault = NULL;
    return same;
}

static bool are_same_worlds(const struct rd_world *a, const struct rd_world *b)
{
    const struct rd_world one = same_in_all(a), other = same_in_all(b);
    return memcmp(&one, &other, sizeof one) == 0;
}

/* Returns the first step clock of the held passes and hop. */
static const struct rd_step_clock *first_step_clock(const rd_fusion *s, const struct rd_world *hop)
{
    return s->has_land    ? s->land.pass.step_clock
           : s->has_react ? s->react.pass.step_clock
                          : hop->pass.step_clock;
}

/* Returns whether the held passes, and hop if it is not NULL, can follow the held fused steps in
   one persistent kernel. */
static bool can_follow(const rd_fusion *s, const struct rd_world *hop)
{
    const struct rd_persistent_kernel *const m = &s->persistent_kernel;
    const struct rd_step_clock *const last = hop            ? hop->pass.step_clock
                                             : s->has_react ? s->react.pass.step_clock
                                                            : s->land.pass.step_clock;
    return s->can_persist && m->n < RD_PERSISTENT_KERNEL_MOST &&
           m->kernel_substep[m->n - 1].hops > 0 && s->has_land && !s->reads_arrive &&
           first_step_clock(s, hop) > m->first_clock && last - m->first_clock < UINT8_MAX &&
           (!hop || are_same_worlds(hop, &m->w)) &&
           (!s->has_react || are_same_worlds(&s->react, &m->react));
}

/* Begins a persistent kernel with the held passes, and hop if it is not NULL. */
static void begin_kernel(rd_fusion *s, const struct rd_world *hop)
{
    struct rd_persistent_kernel *const m = &s->persistent_kernel;
    m->w = hop ? *hop : s->has_react ? s->react : s->land;
    m->react = s->react;
    m->s = fused_step_made(s, &m->w, &m->react);
    m->outbox[0] = s->outbox[0];
    m->outbox[1] = s->outbox[1];
    m->spilled = s->spilled;
    m->fault = s->fault;
    m->first_clock = first_step_clock(s, hop);
    m->n_arrived = s->n_arrived;
    m->turn = s->turn;
    m->reads_arrive = s->reads_arrive;
}

/* Appends a fused step of the held passes, and hop if it is not NULL. Faults of its first pass go
   directly to the world's faults. */
static void add_fused_step(rd_fusion *s, const struct rd_world *hop)
{
    struct rd_persistent_kernel *const m = &s->persistent_kernel;
    if (m->n > 0 && !can_follow(s, hop))
        rd_fusion_flush(s);
    if (m->n == 0)
        begin_kernel(s, hop);
    struct rd_kernel_substep *const kernel_substep = &m->kernel_substep[m->n++];
    kernel_substep->lands =
        s->has_land ? (uint8_t)(s->land.pass.step_clock - m->first_clock + 1) : 0;
    kernel_substep->reacts =
        s->has_react ? (uint8_t)(s->react.pass.step_clock - m->first_clock + 1) : 0;
    kernel_substep->hops = hop ? (uint8_t)(hop->pass.step_clock - m->first_clock + 1) : 0;
    if (hop)
        s->turn = (s->turn + 1) % RD_TURNS;
    if (s->has_land)
        s->reads_arrive = false;
    s->has_land = s->has_react = false;
    if (!s->can_persist)
        rd_fusion_flush(s);
}

void rd_fusion_add(rd_fusion *s, const struct rd_world *w, enum rd_pass part, bool is_last)
{
    if (part == RD_LAND) {
        s->land = *w;
        s->has_land = true;
    } else if (part == RD_REACT) {
        s->react = *w;
        s->has_react = true;
    }
    if (is_last)
        add_fused_step(s, part == RD_HOP ? w : NULL);
}

struct rd_world rd_fusion_world(rd_fusion *s, const struct rd_world *w, enum rd_pass pass)
{
    struct rd_world here = *w;
    if (s->fits && is_of(s, w)) {
        here.counts.arrive = s->outbox[s->turn % 2].arrive;
        s->reads_arrive = s->reads_arrive || pass == RD_ENTER || pass == RD_HOP;
    }
    return here;
}

void rd_fusion_report(rd_fusion *s)
{
    if (s->fits && s->has_run)
        copy_first_faults<<<1, RD_N_FAULTS, 0, s->machine->stream>>>(s->reported, s->fault);
}

int rd_fusion_state(const rd_fusion *s)
{
    return s->reads_arrive ? s->turn + RD_TURNS : s->turn;
}

void rd_fusion_resume(rd_fusion *s, int state)
{
    s->turn = state % RD_TURNS;
    s->reads_arrive = state >= RD_TURNS;
}
