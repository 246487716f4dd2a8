/* exact - the next-subvolume simulation: Gillespie's direct method over all cells at once. An
   event is drawn tile by tile (a lottery over the tiles, by thinning), then cell, then species and
   face or reaction. Alone knows how a run lies in memory while it is simulated. */
#include "exact.h"

#include "enter.h"
#include "lottery.h"
#include "react.h"
#include "walk.h"

#include <stdlib.h>

/* Neighbouring sites whose weights fill one cache line. */
enum { TILE = 8, CACHE_LINE = 64 };

/* What an event in a cell needs, in one place; its propensities follow the counts. */
struct cell {
    double reacts;    /* sum of the propensities */
    uint32_t at_face; /* bit f: it lies at face f of the box */
    int32_t count[];  /* of each species */
};

/* One run on its way. */
struct replica {
    const rd_exact *x;
    const struct rd_world *w;
    int64_t run;
    double *weight; /* of each site: events per time; whole tiles, 0 beyond the sites */
    char *cell;     /* struct cell of each site, x->stride bytes apart */
    struct rd_lottery tiles;
    struct rd_stream stream;
    bool stopped; /* by a fault */
    void *memory;
};

struct rd_exact {
    size_t stride, to_propensity; /* bytes from cell to cell, and to its propensities */
    int64_t shift[RD_N_FACES];    /* from a site to its neighbour */
    double *leave;                /* of each species: hops per molecule and time */
    uint64_t *reads;              /* [species][word]: bit r: reaction r depends on its count */
    int32_t n_words;
    int64_t n_inlets; /* of one run */
    double enter;     /* the most that enter through one inlet per time */
    int32_t n_replicas;
    struct replica *replica;
};

static struct cell *cell_at(const struct replica *p, int64_t site)
{
    return (struct cell *)(p->cell + (size_t)site * p->x->stride);
}

static double *propensities_of(const struct replica *p, struct cell *c)
{
    return (double *)((char *)c + p->x->to_propensity);
}

static struct rd_place place_of(const struct replica *p, int64_t site)
{
    return rd_place_of(p->w, p->run * p->w->n_sites + site);
}

static bool stop(struct replica *p, int kind, int64_t site, int64_t what)
{
    rd_fault_at(p->w, kind, p->run * p->w->n_sites + site, what);
    p->stopped = true;
    return false;
}

/* The reactions that depend on any of the changed species, as bits of one word. */
static uint64_t reading(const rd_exact *x, const struct rd_reactant *change, int32_t n,
                        int32_t word)
{
    uint64_t bits = 0;
    for (int32_t i = 0; i < n; i++)
        bits |= x->reads[change[i].species * x->n_words + word];
    return bits;
}

static bool find_propensity(struct replica *p, struct cell *c, int64_t site, int32_t reaction)
{
    const struct rd_world *const w = p->w;
    const struct rd_channel *const channel = &w->channel[reaction];
    double *const a = propensities_of(p, c) + reaction;
    *a = 0;
    if (!rd_is_in(w, channel->region, site))
        return true;
    struct rd_scene scene = {0};
    if (channel->law_kind != RD_LAW_NONE) {
        const struct rd_place place = place_of(p, site);
        scene = rd_scene_of(w, &place);
        scene.count = c->count;
        scene.stride = 1;
    }
    *a = rd_propensity(w, channel, c->count, 1, &scene);
    return *a >= 0 || stop(p, RD_FAULT_LAW, site, reaction);
}

static void add_propensities(const struct replica *p, struct cell *c)
{
    const double *const a = propensities_of(p, c);
    double sum = 0;
    for (int32_t r = 0; r < p->w->n_reactions; r++)
        sum += a[r];
    c->reacts = sum;
}

/* The site's events per time. Sums are taken afresh, so that no rounding accumulates. */
static void weigh(struct replica *p, const struct cell *c, int64_t site)
{
    double sum = c->reacts;
    for (int32_t s = 0; s < p->w->n_species; s++)
        sum += c->count[s] * p->x->leave[s];
    p->weight[site] = sum;
}

static bool weigh_tile(struct replica *p, int64_t tile)
{
    const double *const w = p->weight + tile * TILE;
    const double sum = ((w[0] + w[1]) + (w[2] + w[3])) + ((w[4] + w[5]) + (w[6] + w[7]));
    return rd_lottery_weigh(&p->tiles, (int32_t)tile, sum) ||
           stop(p, RD_FAULT_STUCK, tile * TILE, 0);
}

/* The counts of the site change, and what depends on them. False, with a fault, if they cannot:
   counts below 0 are then blamed on the reaction. */
static bool alter(struct replica *p, int64_t site, const struct rd_reactant *change, int32_t n,
                  int32_t reaction)
{
    struct cell *const c = cell_at(p, site);
    for (int32_t i = 0; i < n; i++) {
        const int64_t after = (int64_t)c->count[change[i].species] + change[i].number;
        if (after < 0)
            return stop(p, RD_FAULT_NEGATIVE, site, reaction);
        if (after > INT32_MAX)
            return stop(p, RD_FAULT_OVERFLOW, site, change[i].species);
    }
    for (int32_t i = 0; i < n; i++)
        c->count[change[i].species] += change[i].number;
    uint64_t any = 0;
    for (int32_t word = 0; word < p->x->n_words; word++) {
        uint64_t bits = reading(p->x, change, n, word);
        any |= bits;
        for (; bits; bits &= bits - 1)
            if (!find_propensity(p, c, site, word * 64 + __builtin_ctzll(bits)))
                return false;
    }
    if (any)
        add_propensities(p, c);
    weigh(p, c, site);
    return weigh_tile(p, site / TILE);
}

static void hop(struct replica *p, int64_t site, int32_t species, double u)
{
    const struct rd_mover *const m = &p->w->mover[species];
    const struct rd_reactant out = {species, -1}, in = {species, 1};
    const int face = rd_direction(m, u);
    int64_t to = site + p->x->shift[face];
    if (m->region >= 0 || cell_at(p, site)->at_face >> face & 1) {
        struct rd_place place = place_of(p, site);
        const struct rd_place from = place;
        if (!rd_hop_once(p->w, m, face, place.at, &p->stream)) {
            rd_lose(p->w, species, &from, face, 1);
            alter(p, site, &out, 1, -1);
            return;
        }
        to = rd_site_number(p->w, place.at);
        if (to == site)
            return;
    }
    if (alter(p, to, &in, 1, -1))
        alter(p, site, &out, 1, -1);
}

static void react(struct replica *p, int64_t site, int32_t reaction)
{
    const struct rd_world *const w = p->w;
    const struct rd_channel *const c = &w->channel[reaction];
    if (alter(p, site, w->change + c->change, c->n_changes, reaction))
        rd_add_i64(&w->fired[rd_sums_of(w, p->run, site) * w->n_reactions + reaction], 1);
}

/* The event that aim, uniform in [0, weight of the site), falls on; none where rounding lets it
   pass all by. */
static void happen(struct replica *p, int64_t site, double aim)
{
    struct cell *const c = cell_at(p, site);
    for (int32_t s = 0; s < p->w->n_species; s++) {
        const double share = c->count[s] * p->x->leave[s];
        if (aim < share) {
            hop(p, site, s, aim / share);
            return;
        }
        aim -= share;
    }
    const double *const a = propensities_of(p, c);
    for (int32_t r = 0; r < p->w->n_reactions; r++) {
        if (aim < a[r]) {
            react(p, site, r);
            return;
        }
        aim -= a[r];
    }
}

/* A molecule enters through an inlet drawn uniformly, if the most that may enter does there. */
static void enter(struct replica *p)
{
    const struct rd_world *const w = p->w;
    struct rd_place place = {.run = p->run};
    const uint64_t inlet = rd_below(&p->stream, (uint64_t)p->x->n_inlets);
    const int face = rd_inlet_at(w, (int64_t)inlet, place.at);
    place.site = rd_site_number(w, place.at);
    double aim = rd_uniform(&p->stream) * p->x->enter;
    for (int32_t s = 0; s < w->n_species; s++) {
        if (aim < w->mover[s].enter[face]) {
            const struct rd_reactant in = {s, 1};
            if (rd_is_in(w, w->mover[s].region, place.site) && alter(p, place.site, &in, 1, -1))
                rd_add_i64(&w->entered[(rd_sums_of(w, p->run, place.site) * w->n_species + s) *
                                           RD_N_FACES +
                                       face],
                           1);
            return;
        }
        aim -= w->mover[s].enter[face];
    }
}

/* An event of the tile that aim falls on, or none: bounds are above weights. */
static void draw_event(struct replica *p, double aim)
{
    double bound;
    const int32_t tile = rd_lottery_draw(&p->tiles, aim, &bound);
    if (tile < 0)
        return;
    double rest = rd_uniform(&p->stream) * bound;
    if (rest >= p->tiles.weight[tile])
        return;
    const int64_t first = (int64_t)tile * TILE;
    for (int64_t site = first; site < first + TILE; site++) {
        if (rest < p->weight[site]) {
            happen(p, site, rest);
            return;
        }
        rest -= p->weight[site];
    }
}

/* All that may happen to the run until its time is over. A bound of the events per time gives
   the moments at which something may happen (thinning, Lewis and Shedler 1979). */
static void simulate(struct replica *p)
{
    const struct rd_world *const w = p->w;
    const double entering = (double)p->x->n_inlets * p->x->enter;
    double left = w->dt;
    int64_t item = 0;
    while (!p->stopped) {
        const double total = entering + p->tiles.total;
        if (!(total > 0))
            return;
        if (p->stream.counter[0] > UINT32_MAX - 64 || item == 0)
            p->stream = rd_stream_of(w->seed, w->first_run + p->run, w->step, RD_FOR_EXACT, w->part,
                                     item++);
        left -= rd_exponential(&p->stream) / total;
        if (!(left > 0))
            return;
        const double aim = rd_uniform(&p->stream) * total;
        if (aim < entering)
            enter(p);
        else
            draw_event(p, aim - entering);
    }
}

/* The run's counts are brought in, and everything that follows from them. */
static bool load(struct replica *p)
{
    const struct rd_world *const w = p->w;
    const int32_t *const count = w->count + p->run * w->n_sites;
    rd_lottery_clear(&p->tiles, 1 / (w->dt * p->tiles.n_items));
    for (int64_t site = 0; site < w->n_sites; site++) {
        struct cell *const c = cell_at(p, site);
        for (int32_t s = 0; s < w->n_species; s++) {
            c->count[s] = count[s * w->n_cells + site];
            if (c->count[s] < 0)
                return stop(p, RD_FAULT_NEGATIVE, site, s);
        }
        for (int32_t r = 0; r < w->n_reactions; r++)
            if (!find_propensity(p, c, site, r))
                return false;
        add_propensities(p, c);
        weigh(p, c, site);
        if ((site % TILE == TILE - 1 || site == w->n_sites - 1) && !weigh_tile(p, site / TILE))
            return false;
    }
    return true;
}

static void store(const struct replica *p)
{
    const struct rd_world *const w = p->w;
    int32_t *const count = w->count + p->run * w->n_sites;
    for (int64_t site = 0; site < w->n_sites; site++)
        for (int32_t s = 0; s < w->n_species; s++)
            count[s * w->n_cells + site] = cell_at(p, site)->count[s];
}

static void run_one(struct replica *p, const struct rd_world *w, int64_t run)
{
    p->w = w;
    p->run = run;
    p->stopped = false;
    if (!load(p))
        return;
    simulate(p);
    store(p);
}

static void note_read(rd_exact *x, int32_t species, int32_t reaction)
{
    x->reads[species * x->n_words + reaction / 64] |= UINT64_C(1) << reaction % 64;
}

/* Which species each propensity depends on: its reactants, and what its law looks at. */
static void note_reads(rd_exact *x, const struct rd_world *w)
{
    memset(x->reads, 0, sizeof *x->reads * (size_t)(w->n_species * x->n_words));
    for (int32_t r = 0; r < w->n_reactions; r++) {
        const struct rd_channel *const c = &w->channel[r];
        for (int32_t i = 0; i < c->n_reactants; i++)
            note_read(x, w->reactant[c->reactant + i].species, r);
        for (int32_t i = 0; i < c->n_law; i++) {
            const struct rd_op *const o = &w->law[c->law + i];
            if (o->code == RD_OP_COUNT || o->code == RD_OP_CONCENTRATION)
                note_read(x, o->index, r);
        }
    }
}

/* What the tables say of movement. */
static void note_movement(rd_exact *x, const struct rd_world *w)
{
    for (int32_t s = 0; s < w->n_species; s++)
        x->leave[s] = w->mover[s].kind == RD_MOVE_NOT ? 0 : w->mover[s].total;
    x->n_inlets = w->n_inlets / w->n_runs;
    x->enter = 0;
    for (int face = 0; face < RD_N_FACES; face++) {
        double sum = 0;
        for (int32_t s = 0; s < w->n_species; s++)
            sum += w->mover[s].enter[face];
        if (sum > x->enter)
            x->enter = sum;
    }
}

void rd_exact_run(rd_exact *x, const struct rd_world *w)
{
    if (!(w->dt > 0))
        return;
    note_reads(x, w);
    note_movement(x, w);
    int64_t next = 0;
#pragma omp parallel for schedule(dynamic) num_threads(x->n_replicas)
    for (int32_t i = 0; i < x->n_replicas; i++)
        for (int64_t run; (run = rd_add_i64(&next, 1)) < w->n_runs;)
            run_one(&x->replica[i], w, run);
}

static int64_t tiles_of(const struct rd_world *w)
{
    return (w->n_sites + TILE - 1) / TILE;
}

/* The bytes of a cell, and of them those before its propensities. */
static size_t cell_bytes(const struct rd_world *w, size_t *to_propensity)
{
    const size_t counts = offsetof(struct cell, count) + (size_t)w->n_species * sizeof(int32_t);
    *to_propensity = (counts + sizeof(double) - 1) / sizeof(double) * sizeof(double);
    return *to_propensity + (size_t)w->n_reactions * sizeof(double);
}

/* The bytes of a run's weights, tiles and cells, in whole cache lines. */
static size_t replica_bytes(const struct rd_world *w)
{
    size_t unused;
    const size_t bytes = (size_t)tiles_of(w) * TILE * sizeof(double) +
                         rd_lottery_memory((int32_t)tiles_of(w)) +
                         (size_t)w->n_sites * cell_bytes(w, &unused);
    return (bytes + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE;
}

static int32_t replicas_of(const struct rd_world *w, int threads)
{
    return threads < 1 ? 1 : threads < w->n_runs ? threads : (int32_t)w->n_runs;
}

static int32_t words_of(const struct rd_world *w)
{
    return (w->n_reactions + 63) / 64;
}

static size_t reads_bytes(const struct rd_world *w)
{
    return (size_t)w->n_species * (size_t)words_of(w) * sizeof(uint64_t);
}

size_t rd_exact_memory(const struct rd_world *w, int threads)
{
    const size_t per_replica = sizeof(struct replica) + replica_bytes(w);
    return sizeof(rd_exact) + (size_t)w->n_species * sizeof(double) + reads_bytes(w) +
           (size_t)replicas_of(w, threads) * per_replica;
}

/* Which faces of the box each cell lies at. */
static void note_faces(struct replica *p, const struct rd_world *w)
{
    for (int64_t site = 0; site < w->n_sites; site++) {
        const struct rd_place place = rd_place_of(w, site);
        struct cell *const c = cell_at(p, site);
        for (int axis = 0; axis < 3; axis++) {
            c->at_face |= (uint32_t)(place.at[axis] == 0) << 2 * axis;
            c->at_face |= (uint32_t)(place.at[axis] == w->size[axis] - 1) << (2 * axis + 1);
        }
    }
}

static bool open_replica(struct replica *p, const rd_exact *x, const struct rd_world *w)
{
    const int64_t n_tiles = tiles_of(w);
    p->x = x;
    p->memory = aligned_alloc(CACHE_LINE, replica_bytes(w));
    if (!p->memory)
        return false;
    memset(p->memory, 0, replica_bytes(w));
    p->weight = p->memory;
    double *const tiles = p->weight + n_tiles * TILE;
    rd_lottery_place(&p->tiles, (int32_t)n_tiles, tiles);
    p->cell = (char *)tiles + rd_lottery_memory((int32_t)n_tiles);
    note_faces(p, w);
    return true;
}

static bool take_memory(rd_exact *x, const struct rd_world *w, int threads)
{
    x->n_words = words_of(w);
    x->stride = cell_bytes(w, &x->to_propensity);
    x->leave = calloc((size_t)w->n_species + 1, sizeof *x->leave);
    x->reads = calloc(reads_bytes(w) + 1, 1);
    x->n_replicas = replicas_of(w, threads);
    x->replica = calloc((size_t)x->n_replicas, sizeof *x->replica);
    if (!x->leave || !x->reads || !x->replica)
        return false;
    for (int32_t i = 0; i < x->n_replicas; i++)
        if (!open_replica(&x->replica[i], x, w))
            return false;
    return true;
}

bool rd_exact_open(rd_exact **x, const struct rd_world *w, int threads, struct rd_error *e)
{
    *x = NULL;
    if (tiles_of(w) > INT32_MAX)
        return rd_fail(e, "the exact solver has room for at most %lld cells",
                       (long long)INT32_MAX * TILE);
    rd_exact *const made = calloc(1, sizeof *made);
    if (!made || !take_memory(made, w, threads)) {
        rd_exact_close(made);
        return rd_fail(e, "out of memory: the exact solver needs %.3g GB",
                       (double)rd_exact_memory(w, threads) / 1e9);
    }
    for (int axis = 0; axis < 3; axis++) {
        const int64_t one = axis == 0 ? 1 : made->shift[2 * axis - 1] * w->size[axis - 1];
        made->shift[2 * axis] = -one;
        made->shift[2 * axis + 1] = one;
    }
    *x = made;
    return true;
}

void rd_exact_close(rd_exact *x)
{
    if (!x)
        return;
    for (int32_t i = 0; x->replica && i < x->n_replicas; i++)
        free(x->replica[i].memory);
    free(x->replica);
    free(x->reads);
    free(x->leave);
    free(x);
}
