/* replica - counts, propensities and weights of one run. Weights are always recomputed from counts
   and propensities, so that rounding errors do not accumulate, and equal states are equal bytes. */
#include "exact/replica.h"

#include "exact/sparse_replica.h"
#include "kernels/passes/movement/walk.h"
#include "kernels/passes/reactions/exchange.h"
#include "kernels/passes/reactions/react.h"

#include <stdlib.h>

enum { CACHE_LINE = 64 };

static size_t round_up(size_t n, size_t unit)
{
    return (n + unit - 1) / unit * unit;
}

static int64_t tiles_of(const struct rd_world *w)
{
    return (w->lattice.n_sites + RD_TILE - 1) / RD_TILE;
}

/* Computes offsets and sizes in memory: doubles are aligned to their size, tiles to cache lines. */
static void measure_replica(struct rd_replica *p, const struct rd_world *w)
{
    const size_t counts = (size_t)w->counts.n_species * sizeof(int32_t);
    p->to_propensity = round_up(offsetof(struct rd_voxel, count) + counts, sizeof(double));
    p->voxel_bytes = p->to_propensity + (size_t)w->reactions.n_reactions * sizeof(double);
    p->tile_bytes = round_up(RD_TILE * (sizeof(double) + p->voxel_bytes), CACHE_LINE);
}

/* Returns the bytes of the tiles. */
static size_t dense_memory(const struct rd_world *w)
{
    struct rd_replica p = {0};
    measure_replica(&p, w);
    return (size_t)tiles_of(w) * p.tile_bytes + CACHE_LINE;
}

size_t rd_replica_memory(const struct rd_world *w)
{
    return (rd_has_rows(w) ? 0 : dense_memory(w)) +
           (rd_sparse_replica_suits(w) ? rd_sparse_voxels_memory(w->lattice.n_sites) : 0) +
           rd_weighted_choice_memory((int32_t)tiles_of(w)) +
           (size_t)w->exchanges.n_exchange * sizeof(double);
}

static uint32_t faces_at(const struct rd_world *w, int64_t site)
{
    const struct rd_place place = rd_place_of(&w->lattice, site);
    uint32_t faces = 0;
    for (int axis = 0; axis < 3; axis++) {
        faces |= (uint32_t)(place.at[axis] == 0) << 2 * axis;
        faces |= (uint32_t)(place.at[axis] == w->lattice.size[axis] - 1) << (2 * axis + 1);
    }
    return faces;
}

bool rd_replica_open(struct rd_replica *p, const struct rd_scheme *scheme, const struct rd_world *w)
{
    const int32_t n_tiles = (int32_t)tiles_of(w);
    p->scheme = scheme;
    p->bound = calloc((size_t)w->exchanges.n_exchange + 1, sizeof *p->bound);
    p->choice = malloc(rd_weighted_choice_memory(n_tiles));
    p->dense = rd_has_rows(w) ? NULL : calloc(dense_memory(w), 1);
    if (!p->bound || !p->choice || !(rd_has_rows(w) || p->dense) ||
        (rd_sparse_replica_suits(w) && !rd_sparse_voxels_open(&p->sparse, w->lattice.n_sites)))
        return false;
    rd_weighted_choice_place(&p->tiles, n_tiles, p->choice);
    for (int64_t site = 0; p->sparse.tile && site < w->lattice.n_sites; site++)
        rd_sparse_voxels_at(&p->sparse, site)->at_face = faces_at(w, site) & 0x3f;
    return true;
}

void rd_replica_close(struct rd_replica *p)
{
    rd_sparse_voxels_close(&p->sparse);
    free(p->bound);
    free(p->choice);
    free(p->dense);
    *p = (struct rd_replica){0};
}

bool rd_replica_stop(struct rd_replica *p, int kind, int64_t site, int64_t what)
{
    rd_fault_at(p->w, kind, p->run * p->w->lattice.n_sites + site, what);
    p->stopped = true;
    return false;
}

/* Returns the propensity of a reaction with an expression. */
static double evaluate_in_voxel(const struct rd_replica *p, const struct rd_voxel *c, int64_t site,
                                const struct rd_channel *channel)
{
    const struct rd_world *const w = p->w;
    const struct rd_place place = rd_place_of(&w->lattice, p->run * w->lattice.n_sites + site);
    struct rd_eval_context eval_context = rd_eval_context_of(w, &place);
    eval_context.t = p->now;
    eval_context.count = c->count;
    eval_context.stride = 1;
    return rd_propensity(w, channel, c->count, 1, &eval_context);
}

static double propensity_in_voxel(const struct rd_replica *p, const struct rd_voxel *c,
                                  int64_t site, int32_t reaction)
{
    const struct rd_world *const w = p->w;
    struct rd_channel copy;
    const struct rd_channel *const channel = rd_replica_channel(p, reaction, &copy);
    if (!rd_is_in(&w->lattice, channel->region, site))
        return 0.0;
    return channel->expression_kind == RD_EXPRESSION_NONE
               ? rd_propensity(w, channel, c->count, 1, NULL)
               : evaluate_in_voxel(p, c, site, channel);
}

static bool find_propensity(struct rd_replica *p, struct rd_voxel *c, int64_t site,
                            int32_t reaction)
{
    const double a = propensity_in_voxel(p, c, site, reaction);
    rd_replica_propensities(p, c)[reaction] = a;
    return (a >= 0 && rd_is_finite(a)) || rd_replica_stop(p, RD_FAULT_PROPENSITY, site, reaction);
}

static void add_voxel_propensities(const struct rd_replica *p, struct rd_voxel *c)
{
    const double *const a = rd_replica_propensities(p, c);
    double sum = 0;
    for (int32_t r = 0; r < p->w->reactions.n_reactions; r++)
        sum += a[r];
    c->reacts = sum;
}

const double *rd_replica_leave(const struct rd_replica *p, int64_t site)
{
    const int64_t spot = p->w->movement.is_placed ? site : rd_zone_of(&p->w->lattice, site);
    return p->scheme->leave + spot * p->w->counts.n_species;
}

static void weigh_voxel(const struct rd_replica *p, const struct rd_voxel *c, int64_t site)
{
    const double *const leave = rd_replica_leave(p, site);
    double sum = c->reacts;
    for (int32_t s = 0; s < p->w->counts.n_species; s++)
        sum += c->count[s] * leave[s];
    rd_replica_weights(p, site / RD_TILE)[site % RD_TILE] = sum;
}

static bool weigh_tile(struct rd_replica *p, int64_t tile)
{
    const double *const w = rd_replica_weights(p, tile);
    const double sum = ((w[0] + w[1]) + (w[2] + w[3])) + ((w[4] + w[5]) + (w[6] + w[7]));
    return rd_weighted_choice_weigh(&p->tiles, (int32_t)tile, sum) ||
           rd_replica_stop(p, RD_FAULT_STUCK, tile * RD_TILE, 0);
}

/* ---- voxels with all counts and propensities ---- */

static bool load_voxel(struct rd_replica *p, int64_t site)
{
    const struct rd_world *const w = p->w;
    const int32_t *const count = w->counts.count + p->run * w->lattice.n_sites + site;
    struct rd_voxel *const c = rd_replica_voxel(p, site);
    for (int32_t s = 0; s < w->counts.n_species; s++)
        c->count[s] = count[s * w->lattice.n_voxels];
    for (int32_t r = 0; r < w->reactions.n_reactions; r++)
        if (!find_propensity(p, c, site, r))
            return false;
    add_voxel_propensities(p, c);
    weigh_voxel(p, c, site);
    return true;
}

double rd_replica_factor(const struct rd_replica *p, const struct rd_exchange *x)
{
    struct rd_row_entry one;
    struct rd_eval_context mixed = {.stride = 1};
    if (p->is_sparse)
        mixed.row = rd_sparse_voxels_row(&p->sparse, RD_MIXED_SITE, &one, &mixed.n_row);
    else
        mixed.count = rd_replica_voxel(p, RD_MIXED_SITE)->count;
    return rd_exchange_factor_of(p->w, x, &mixed);
}

/* Returns a bound of the factor that stays one for many events. */
static double bound_of(const struct rd_exchange *x, double factor)
{
    return x->n_mixed == 0 ? 1.0 : factor < 1.0 ? 2.0 : 2.0 * factor;
}

/* Computes the weights of all tiles. */
static bool weigh_tiles(struct rd_replica *p)
{
    for (int32_t tile = 0; tile < p->tiles.n_items; tile++)
        if (!weigh_tile(p, tile))
            return false;
    return true;
}

/* Computes the propensities of a reaction in all voxels, and the weights of these. */
static bool renew_propensities(struct rd_replica *p, int32_t reaction)
{
    if (p->is_sparse && !rd_sparse_replica_refresh(p))
        return false;
    for (int64_t site = 0; !p->is_sparse && site < p->w->lattice.n_sites; site++) {
        struct rd_voxel *const c = rd_replica_voxel(p, site);
        if (!find_propensity(p, c, site, reaction))
            return false;
        add_voxel_propensities(p, c);
        weigh_voxel(p, c, site);
    }
    return weigh_tiles(p);
}

bool rd_replica_renew_bounds(struct rd_replica *p)
{
    for (int64_t i = 0; i < p->w->exchanges.n_exchange; i++) {
        const struct rd_exchange *const x = &p->w->exchanges.exchange[i];
        const double factor = rd_replica_factor(p, x);
        if (factor <= p->bound[i] && (p->bound[i] <= 2.0 || factor >= p->bound[i] / 8.0))
            continue;
        p->bound[i] = bound_of(x, factor);
        if (!renew_propensities(p, x->reaction))
            return false;
    }
    return true;
}

/* Chooses how the voxels of the run are kept. */
static void choose_layout(struct rd_replica *p)
{
    p->is_sparse = p->sparse.tile && rd_sparse_replica_is_faster(p->w, p->run, dense_memory(p->w));
    measure_replica(p, p->w);
    if (p->is_sparse) {
        p->tile = (char *)p->sparse.tile;
        p->tile_bytes = sizeof *p->sparse.tile;
    } else {
        p->tile = p->dense + (CACHE_LINE - (uintptr_t)p->dense % CACHE_LINE) % CACHE_LINE;
    }
}

static bool load_dense(struct rd_replica *p)
{
    for (int64_t site = 0; !p->has_faces && site < p->w->lattice.n_sites; site++)
        rd_replica_voxel(p, site)->at_face = faces_at(p->w, site);
    p->has_faces = true;
    for (int64_t site = 0; site < p->w->lattice.n_sites; site++)
        if (!load_voxel(p, site))
            return false;
    return true;
}

bool rd_replica_load(struct rd_replica *p, const struct rd_world *w, int64_t run, double now)
{
    p->w = w;
    p->run = run;
    p->now = now;
    p->invalid = -1;
    p->stopped = p->is_stale = false;
    const int32_t n_tiles = p->tiles.n_items;
    /* Smaller weights need not be distinguished: with this bound, all tiles together are selected
       about once in the step. */
    rd_weighted_choice_clear(&p->tiles, 1 / (w->pass.dt * n_tiles));
    for (int64_t i = 0; i < w->exchanges.n_exchange; i++)
        p->bound[i] = bound_of(&w->exchanges.exchange[i],
                               rd_exchange_factor(w, &w->exchanges.exchange[i], run));
    choose_layout(p);
    return (p->is_sparse ? rd_sparse_replica_load(p) : load_dense(p)) && weigh_tiles(p);
}

void rd_replica_store(const struct rd_replica *p)
{
    const struct rd_world *const w = p->w;
    if (p->is_sparse) {
        rd_sparse_replica_store(p);
        return;
    }
    for (int64_t site = 0; site < w->lattice.n_sites; site++) {
        int32_t *const count = w->counts.count + p->run * w->lattice.n_sites + site;
        const struct rd_voxel *const c = rd_replica_voxel(p, site);
        for (int32_t s = 0; s < w->counts.n_species; s++)
            count[s * w->lattice.n_voxels] = c->count[s];
    }
}

static bool change_replica_counts(struct rd_replica *p, struct rd_voxel *c, int64_t site,
                                  const struct rd_reactant *change, int32_t n, int32_t reaction)
{
    for (int32_t i = 0; i < n; i++) {
        const int64_t after = (int64_t)c->count[change[i].species] + change[i].number;
        if (after < 0)
            return rd_replica_stop(p, RD_FAULT_NEGATIVE, site, reaction);
        if (after > INT32_MAX)
            return rd_replica_stop(p, RD_FAULT_OVERFLOW, site, change[i].species);
    }
    for (int32_t i = 0; i < n; i++)
        c->count[change[i].species] += change[i].number;
    return true;
}

/* Returns the reactions 64 word ... 64 word + 63 that depend on any of the changed species, as
   bits. */
static uint64_t reading(const struct rd_scheme *x, const struct rd_reactant *change, int32_t n,
                        int32_t word)
{
    uint64_t bits = 0;
    for (int32_t i = 0; i < n; i++)
        bits |= x->reads[change[i].species * x->n_words + word];
    return bits;
}

bool rd_replica_alter(struct rd_replica *p, int64_t site, const struct rd_reactant *change,
                      int32_t n, int32_t reaction)
{
    if (p->is_sparse)
        return rd_sparse_replica_alter(p, site, change, n, reaction) &&
               weigh_tile(p, site / RD_TILE);
    struct rd_voxel *const c = rd_replica_voxel(p, site);
    if (!change_replica_counts(p, c, site, change, n, reaction))
        return false;
    bool any = false;
    for (int32_t word = 0; word < p->scheme->n_words; word++)
        for (uint64_t bits = reading(p->scheme, change, n, word); bits; bits &= bits - 1) {
            if (!find_propensity(p, c, site, 64 * word + __builtin_ctzll(bits)))
                return false;
            any = true;
        }
    if (any)
        add_voxel_propensities(p, c);
    weigh_voxel(p, c, site);
    return weigh_tile(p, site / RD_TILE);
}

bool rd_replica_vary(struct rd_replica *p, double *sum)
{
    const struct rd_scheme *const x = p->scheme;
    struct rd_voxel *const c = rd_replica_voxel(p, 0);
    double *const a = rd_replica_propensities(p, c);
    bool any = false, are_finite = true;
    p->invalid = -1;
    for (int32_t word = 0; word < x->n_words; word++)
        for (uint64_t bits = x->varies[word]; bits; bits &= bits - 1) {
            const int32_t r = 64 * word + __builtin_ctzll(bits);
            a[r] = propensity_in_voxel(p, c, 0, r);
            any = true;
            if (a[r] >= 0 && rd_is_finite(a[r]))
                continue;
            are_finite = are_finite && rd_is_finite(a[r]);
            p->invalid = r;
            a[r] = 0;
        }
    if (any) {
        add_voxel_propensities(p, c);
        weigh_voxel(p, c, 0);
    }
    *sum = rd_replica_weights(p, 0)[0];
    return are_finite;
}

/* Adds `number` molecules of the species at the site to the totals that contain them. */
static void add_to_totals(struct rd_replica *p, int64_t site, int32_t species, int64_t number)
{
    const struct rd_run_status *const runs = &p->w->runs;
    for (int64_t k = 0; k < runs->n_total_of; k++) {
        if (runs->total_of[k].species != species ||
            !rd_is_in(&p->w->lattice, runs->total_of[k].region, site))
            continue;
        runs->total[p->run * runs->n_total_of + k] += number;
        p->is_stale = p->is_stale || p->scheme->is_read[k];
    }
}

void rd_replica_count(struct rd_replica *p, int64_t site, const struct rd_reactant *change,
                      int32_t n)
{
    if (!p->counts)
        return;
    for (int32_t i = 0; i < n; i++)
        add_to_totals(p, site, change[i].species, change[i].number);
    p->is_counted = true;
}

void rd_replica_count_hop(struct rd_replica *p, int64_t from, int64_t to, int32_t species)
{
    const struct rd_lattice *const lattice = &p->w->lattice;
    if (!p->counts || lattice->n_mask == 0 || lattice->mask[from] == lattice->mask[to])
        return;
    add_to_totals(p, from, species, -1);
    add_to_totals(p, to, species, 1);
    p->is_counted = true;
}

bool rd_replica_refresh(struct rd_replica *p)
{
    const struct rd_scheme *const x = p->scheme;
    if (!p->is_stale)
        return true;
    p->is_stale = false;
    if (p->is_sparse && !rd_sparse_replica_refresh(p))
        return false;
    for (int64_t site = 0; !p->is_sparse && site < p->w->lattice.n_sites; site++) {
        struct rd_voxel *const c = rd_replica_voxel(p, site);
        for (int32_t word = 0; word < x->n_words; word++)
            for (uint64_t bits = x->reads_totals[word]; bits; bits &= bits - 1)
                if (!find_propensity(p, c, site, 64 * word + __builtin_ctzll(bits)))
                    return false;
        add_voxel_propensities(p, c);
        weigh_voxel(p, c, site);
    }
    return weigh_tiles(p);
}
