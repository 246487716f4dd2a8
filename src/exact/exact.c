/* exact - next-subvolume simulation: Gillespie's direct method over all voxels of a run (Gillespie
   1976; Elf and Ehrenberg, Syst. Biol. 1, 230, 2004). The search for an event selects a tile, then
   a voxel, then a species and face, or a reaction. The only error is rounding. */
#include "exact/exact.h"

#include "exact/integrator.h"
#include "exact/one_voxel.h"
#include "exact/sparse_replica.h"
#include "kernels/passes/movement/reservoir.h"
#include "kernels/passes/reactions/exchange.h"
#include "kernels/passes/totals/totals.h"

#include <stdlib.h>

struct rd_exact {
    struct rd_scheme scheme;
    int64_t shift[RD_N_FACES]; /* [face]: from a site to its neighbour */
    int64_t n_inlets;          /* of one run */
    double enter;              /* largest rate at which molecules enter through one of them, per
                                  time */
    int32_t n_replicas;
    struct rd_replica *replica;       /* [thread] */
    struct rd_integrator *integrator; /* [thread] */
    struct rd_one_voxel *one_voxel;   /* [thread] */
    int64_t n_packed;
    struct rd_packed_run *packed; /* [run], if some species are in rows */
    bool is_packed, is_short;     /* they are those of the last call; memory for them was missing */
};

/* Describes random numbers for the time and the place of the next possible event. */
struct draws {
    double wait;      /* exponential with mean 1 */
    double aim, rest; /* uniform: they select a tile, and an event in it */
};

static struct draws draw_times(struct rd_replica *p)
{
    struct rd_stream *const s = &p->stream;
    if (s->counter[0] > UINT32_MAX - 64) { /* the draws of an item are used up: continue with the
                                              next item */
        s->counter[0] = 0;
        s->counter[1]++;
    }
    const double wait = rd_exponential(s), aim = rd_uniform(s);
    return (struct draws){wait, aim, rd_uniform(s)};
}

/* Makes a molecule of the species hop; u, uniform in [0, 1), selects the face. */
static void hop(const rd_exact *x, struct rd_replica *p, int64_t site, int32_t species, double u)
{
    const struct rd_world *const w = p->w;
    const struct rd_transport *const m = &w->movement.transport[species];
    const struct rd_hop_rate *const hop_rate = rd_hop_rate_at(w, m, p->run, site);
    const struct rd_reactant out = {species, -1}, in = {species, 1};
    const int face = rd_direction(hop_rate->rate, hop_rate->total, u);
    int64_t to = site + x->shift[face];
    if (m->region >= 0 || m->borders >= 0 || rd_replica_is_at(p, site, face)) {
        const struct rd_place from = rd_place_of(&w->lattice, p->run * w->lattice.n_sites + site);
        struct rd_place place = from;
        if (!rd_hop_once(w, m, face, place.at, &p->stream)) {
            rd_lose(w, species, &from, face, 1);
            rd_replica_count(p, site, &out, 1);
            rd_replica_alter(p, site, &out, 1, -1);
            return;
        }
        to = rd_site_number(&w->lattice, place.at);
        if (to == site)
            return;
    }
    rd_replica_fetch(p, to);
    rd_replica_count_hop(p, site, to, species);
    if (rd_replica_alter(p, site, &out, 1, -1))
        rd_replica_alter(p, to, &in, 1, -1);
}

/* Changes the counts of the voxel and of the compartments by an exchange. Returns false if it is
   rejected, since its propensity is below its bound, or with a fault. */
static bool exchange_counts(struct rd_replica *p, int64_t *site, const struct rd_exchange *x,
                            const struct rd_channel *c)
{
    const struct rd_reactant *const change = p->w->reactions.change + c->change;
    const int32_t n = x->n_placed, rest = c->n_changes - n;
    if (x->n_mixed > 0 &&
        rd_uniform(&p->stream) * p->bound[x - p->w->exchanges.exchange] >= rd_replica_factor(p, x))
        return false;
    if (x->is_released)
        *site = rd_exchange_land(&p->w->exchanges, x, rd_uniform(&p->stream));
    rd_replica_count(p, *site, change, n);
    rd_replica_count(p, RD_MIXED_SITE, change + n, rest);
    return (n == 0 || rd_replica_alter(p, *site, change, n, x->reaction)) &&
           (rest == 0 || (rd_replica_alter(p, RD_MIXED_SITE, change + n, rest, x->reaction) &&
                          rd_replica_renew_bounds(p)));
}

/* Changes the counts of the voxel by a reaction in it. Returns false with a fault. */
static bool alter(struct rd_replica *p, int64_t site, const struct rd_channel *c, int32_t reaction)
{
    const struct rd_reactant *const change = p->w->reactions.change + c->change;
    rd_replica_count(p, site, change, c->n_changes);
    return rd_replica_alter(p, site, change, c->n_changes, reaction) &&
           (site != RD_MIXED_SITE || rd_replica_renew_bounds(p));
}

static void execute_reaction(struct rd_replica *p, int64_t site, int32_t reaction)
{
    const struct rd_world *const w = p->w;
    const struct rd_channel *const c = &w->reactions.channel[reaction];
    const int32_t i = p->scheme->exchange_of[reaction];
    if (i >= 0 ? !exchange_counts(p, &site, &w->exchanges.exchange[i], c)
               : !alter(p, site, c, reaction))
        return;
    rd_add_i64(&w->counts.fired[rd_sums_of(&w->lattice, p->run, site) * w->reactions.n_reactions +
                                reaction],
               1);
}

/* Executes the event selected by aim, uniform in [0, weight of the site). No event happens if aim
   passes all of them because of rounding. */
static void execute_event(const rd_exact *x, struct rd_replica *p, int64_t site, double aim)
{
    if (p->is_sparse) {
        const struct rd_chosen chosen = rd_sparse_replica_choose(p, site, aim);
        if (chosen.species >= 0)
            hop(x, p, site, chosen.species, chosen.u);
        else if (chosen.reaction >= 0)
            execute_reaction(p, site, chosen.reaction);
        return;
    }
    struct rd_voxel *const c = rd_replica_voxel(p, site);
    const double *const leave = rd_replica_leave(p, site);
    for (int32_t s = 0; s < p->w->counts.n_species; s++) {
        const double share = c->count[s] * leave[s];
        if (aim < share) {
            hop(x, p, site, s, aim / share);
            return;
        }
        aim -= share;
    }
    const double *const a = rd_replica_propensities(p, c);
    for (int32_t r = 0; r < p->w->reactions.n_reactions; r++) {
        if (aim < a[r]) {
            execute_reaction(p, site, r);
            return;
        }
        aim -= a[r];
    }
}

/* Executes an event in the tile selected by aim. No event happens if rest lies above the weight of
   the tile. */
static void happen_in_tile(const rd_exact *x, struct rd_replica *p, double aim, double rest)
{
    double bound;
    const int64_t tile = rd_weighted_choice_draw(&p->tiles, aim, &bound);
    if (tile < 0)
        return;
    const double *const weight = rd_replica_weights(p, tile);
    rest *= bound;
    for (int i = 0; i < RD_TILE; i++) {
        if (rest < weight[i]) {
            execute_event(x, p, tile * RD_TILE + i, rest);
            return;
        }
        rest -= weight[i];
    }
}

/* Lets a molecule enter through a random inlet. Since candidates come at the rate of the busiest
   face, a candidate at another face is rejected with the remaining probability. */
static void enter(const rd_exact *x, struct rd_replica *p)
{
    const struct rd_world *const w = p->w;
    struct rd_place to = {.run = p->run};
    const int64_t inlet = (int64_t)rd_below(&p->stream, (uint64_t)x->n_inlets);
    const int face = rd_inlet_at(w, inlet, to.at);
    to.site = rd_site_number(&w->lattice, to.at);
    double aim = rd_uniform(&p->stream) * x->enter;
    int32_t s = 0;
    for (double share; s < w->counts.n_species; s++, aim -= share) {
        share = rd_entering(w, &w->movement.transport[s], face, &to);
        if (aim < share)
            break;
    }
    if (s == w->counts.n_species ||
        !rd_is_in(&w->lattice, w->movement.transport[s].region, to.site))
        return;
    const struct rd_reactant in = {s, 1};
    const int64_t sums = rd_sums_of(&w->lattice, p->run, to.site);
    rd_replica_count(p, to.site, &in, 1);
    if (!rd_replica_alter(p, to.site, &in, 1, -1))
        return;
    rd_add_i64(&w->counts.entered[(sums * w->counts.n_species + s) * RD_N_FACES + face], 1);
}

/* Prefetches most of the memory that an event in the tile will read. */
static void fetch_tile(const struct rd_replica *p, double aim)
{
    double bound;
    const int64_t tile = rd_weighted_choice_draw(&p->tiles, aim, &bound);
    if (tile < 0)
        return;
    const char *const from = (const char *)rd_replica_weights(p, tile);
    const size_t line = 64, most = 8 * line;
    rd_replica_fetch(p, tile * RD_TILE);
    for (size_t i = 0; i < p->tile_bytes && i < most; i += line)
        __builtin_prefetch(from + i);
}

/* Interrupts the run for an event that fires while `left` of the step is left; returns whether one
   does. */
static bool pause_run(struct rd_replica *p, double left)
{
    const struct rd_world *const w = p->w;
    if (!rd_test_run_events(w, p->run, w->pass.step_clock->time + (w->pass.dt / 2.0 - left)))
        return false;
    w->runs.pause[p->run] = (struct rd_pause){left, p->stream};
    p->stopped = true;
    return true;
}

/* Stops the run if an event has met its stop condition, and interrupts it if a condition of an
   event has become true; `left` is the remaining time of the step. */
static void end_event(struct rd_replica *p, double left)
{
    const struct rd_world *const w = p->w;
    const double now = w->pass.step_clock->time + (w->pass.dt / 2.0 - left);
    p->is_counted = false;
    if (w->runs.stops_at_steps && rd_is_met(w, p->run, now)) {
        w->runs.frozen[p->run] = RD_FROZEN_STOPPED;
        w->runs.stopped[p->run] = now;
        p->stopped = true;
    } else if (w->runs.n_condition > 0) {
        pause_run(p, left);
    }
}

/* Interrupts the run where a condition of an event becomes true by the time alone, while `from` to
   `to` of the step are left. Halves the interval until its ends are within 1e-12 of the step. A
   condition that is true for a part of the interval only is not found. */
static bool pause_between(struct rd_replica *p, double from, double to)
{
    const struct rd_world *const w = p->w;
    const double end = w->pass.step_clock->time + w->pass.dt / 2.0;
    if (!rd_would_fire(w, p->run, end - to)) {
        rd_test_run_events(w, p->run, end - to); /* notes which became false */
        return false;
    }
    while (from - to > 1e-12 * w->pass.dt) {
        const double middle = 0.5 * (from + to);
        *(rd_would_fire(w, p->run, end - middle) ? &to : &from) = middle;
    }
    return to > 0.0 && pause_run(p, to);
}

/* Does the same in parts of a limited length, so that few conditions are missed. */
static bool pause_in_time(struct rd_replica *p, double from, double to)
{
    const double longest = p->w->runs.longest;
    while (from - to > longest) {
        if (pause_between(p, from, from - longest))
            return true;
        from -= longest;
    }
    return pause_between(p, from, to);
}

/* Starts the random numbers of the step, or continues them. Returns the rest of the step. */
static double begin_replica_step(struct rd_replica *p, bool goes_on)
{
    const struct rd_world *const w = p->w;
    p->stream = rd_stream_of(w->pass.seed, w->lattice.first_run + p->run, w->pass.step_clock->step,
                             RD_FOR_EXACT, w->pass.part, 0);
    if (!goes_on)
        return w->pass.dt;
    const double left = w->runs.pause[p->run].left;
    p->stream = w->runs.pause[p->run].stream;
    w->runs.pause[p->run].left = 0.0;
    return left;
}

/* Simulates the run of one voxel, in which propensities change between events or ODEs are
   integrated, until the end of the step. */
static void integrate(const rd_exact *x, struct rd_replica *p, struct rd_integrator *by,
                      bool goes_on)
{
    double left = begin_replica_step(p, goes_on);
    by->entering = (double)x->n_inlets * x->enter;
    by->has_conditions = p->w->runs.n_condition > 0;
    rd_integrator_begin(by, p);
    while (!p->stopped) {
        const struct draws now = draw_times(p);
        const enum rd_interval_end end = rd_integrator_advance(by, now.wait, &left);
        if (end == RD_INTERVAL_CONDITION)
            pause_run(p, left);
        if (end != RD_INTERVAL_EVENT)
            return;
        const double weight = *rd_replica_weights(p, 0), total = by->entering + weight;
        if (now.aim * total < by->entering)
            enter(x, p);
        else
            execute_event(x, p, 0, now.aim * total - by->entering);
        if (p->is_counted && !p->stopped && rd_replica_refresh(p))
            end_event(p, left);
    }
}

/* Simulates the run until the end of the step. Candidate events come at a rate that bounds the true
   rates and seldom changes; the excess is rejected (thinning: Lewis and Shedler, Nav. Res. Logist.
   26, 403, 1979). Random numbers are drawn two events ahead, so that the memory that they need is
   prefetched; otherwise large lattices would wait for memory. */
static void simulate_run(const rd_exact *x, struct rd_replica *p, bool goes_on)
{
    const double entering = (double)x->n_inlets * x->enter;
    double left = begin_replica_step(p, goes_on);
    struct draws next = draw_times(p), after = draw_times(p);
    while (!p->stopped) {
        const struct draws now = next;
        const double total = entering + p->tiles.total, aim = now.aim * total - entering;
        const double before = left;
        left = total > 0 ? left - now.wait / total : 0;
        if (x->scheme.uses_time && pause_in_time(p, before, left > 0 ? left : 0))
            return;
        if (!(left > 0))
            return;
        next = after;
        after = draw_times(p);
        rd_weighted_choice_fetch(&p->tiles, after.aim * total - entering);
        fetch_tile(p, next.aim * total - entering);
        if (aim < 0)
            enter(x, p);
        else
            happen_in_tile(x, p, aim, now.rest);
        if (p->is_counted && !p->stopped && rd_replica_refresh(p))
            end_event(p, left);
    }
}

/* Returns whether nothing of the run is left to simulate. */
static bool is_run_idle(const struct rd_world *w, int64_t run, bool goes_on)
{
    const bool is_frozen = rd_is_frozen(&w->runs, run);
    if (w->runs.n_pause > 0 && (is_frozen || !goes_on))
        w->runs.pause[run].left = 0.0;
    return is_frozen || (goes_on && !(w->runs.pause[run].left > 0.0));
}

static void note_inlets(rd_exact *x, const struct rd_world *w)
{
    x->n_inlets = w->items.n_inlets / w->lattice.n_runs;
    x->enter = 0;
    for (int face = 0; face < RD_N_FACES; face++) {
        double sum = 0;
        for (int32_t s = 0; s < w->counts.n_species; s++)
            sum += w->movement.transport[s].mean[face] *
                   w->movement.transport[s].hop_rate.rate[face ^ 1];
        if (x->enter < sum)
            x->enter = sum;
    }
}

/* Returns the time at which expressions of a run are evaluated first: the middle of the step where
   it is one time for all of the step, else its begin. */
static double first_time(const struct rd_exact *x, const struct rd_world *w, int64_t run,
                         bool goes_on)
{
    const double left = goes_on ? w->runs.pause[run].left : w->pass.dt;
    return w->pass.step_clock->time + (x->scheme.integrates ? w->pass.dt / 2.0 - left : 0.0);
}

/* Simulates a run on one of the replicas. */
static void simulate_on(const rd_exact *x, int32_t i, const struct rd_world *w, int64_t run,
                        bool goes_on)
{
    struct rd_replica *const p = &x->replica[i];
    if (is_run_idle(w, run, goes_on) ||
        !rd_replica_load(p, w, run, first_time(x, w, run, goes_on))) {
        p->is_loaded = false;
        return;
    }
    p->is_loaded = true;
    p->counts = w->runs.n_total > 0;
    if (x->scheme.integrates)
        integrate(x, p, &x->integrator[i], goes_on);
    else
        simulate_run(x, p, goes_on);
    rd_replica_store(p);
}

void rd_exact_run(rd_exact *x, const struct rd_world *w, bool goes_on)
{
    x->is_packed = x->is_short = false;
    if (!(w->pass.dt > 0))
        return;
    rd_scheme_note(&x->scheme, w);
    note_inlets(x, w);
    const bool is_one_voxel = rd_one_voxel_suits(&x->scheme, w);
    bool is_short = false;
    int64_t next = 0;
    /* Runs differ in length, so each replica takes the next run when it has finished one. */
#pragma omp parallel for schedule(dynamic) num_threads(x->n_replicas) reduction(|| : is_short)
    for (int32_t i = 0; i < x->n_replicas; i++)
        for (int64_t run; (run = rd_add_i64(&next, 1)) < w->lattice.n_runs;) {
            if (is_one_voxel) {
                rd_one_voxel_run(&x->one_voxel[i], w, run, RD_EVENTS_OF_ITEM);
                continue;
            }
            simulate_on(x, i, w, run, goes_on);
            if (x->packed && !rd_sparse_replica_pack(&x->replica[i], w, run, &x->packed[run]))
                is_short = true;
        }
    x->is_packed = !is_short;
    x->is_short = is_short;
}

const struct rd_packed_run *rd_exact_rows(const rd_exact *x, bool *is_short)
{
    *is_short = x->is_short;
    return x->is_packed ? x->packed : NULL;
}

static int32_t replicas_of(const struct rd_world *w, int threads)
{
    return threads < 1 ? 1 : threads < w->lattice.n_runs ? threads : (int32_t)w->lattice.n_runs;
}

size_t rd_exact_memory(const struct rd_world *w, int threads)
{
    const size_t per_replica = sizeof(struct rd_replica) + sizeof(struct rd_integrator) +
                               rd_replica_memory(w) + rd_integrator_memory(w);
    return sizeof(rd_exact) + rd_scheme_memory(w) + (size_t)replicas_of(w, threads) * per_replica;
}

static bool take_memory(rd_exact *x, const struct rd_world *w, int threads)
{
    x->n_replicas = replicas_of(w, threads);
    x->replica = calloc((size_t)x->n_replicas, sizeof *x->replica);
    x->integrator = calloc((size_t)x->n_replicas, sizeof *x->integrator);
    x->one_voxel = calloc((size_t)x->n_replicas, sizeof *x->one_voxel);
    x->n_packed = rd_has_rows(w) ? w->lattice.n_runs : 0;
    x->packed = x->n_packed > 0 ? calloc((size_t)x->n_packed, sizeof *x->packed) : NULL;
    if (!x->replica || !x->integrator || !x->one_voxel || (x->n_packed > 0 && !x->packed) ||
        !rd_scheme_open(&x->scheme, w))
        return false;
    for (int32_t i = 0; i < x->n_replicas; i++)
        if (!rd_replica_open(&x->replica[i], &x->scheme, w) ||
            !rd_integrator_open(&x->integrator[i], w))
            return false;
    return true;
}

bool rd_exact_open(rd_exact **x, const struct rd_world *w, int threads, struct rd_error *e)
{
    *x = NULL;
    if (w->lattice.n_sites > (int64_t)RD_TILE * INT32_MAX)
        return rd_fail(e,
                       "a run has %lld voxels, and the exact solver takes at most %lld; use "
                       "solver = \"split\"",
                       (long long)w->lattice.n_sites, (long long)RD_TILE * INT32_MAX);
    rd_exact *const made = calloc(1, sizeof *made);
    if (!made || !take_memory(made, w, threads)) {
        rd_exact_close(made);
        return rd_fail(e,
                       "out of memory: the exact solver needs %.3g GB; use fewer threads or voxels",
                       (double)rd_exact_memory(w, threads) / 1e9);
    }
    int64_t stride = 1;
    for (int axis = 0; axis < 3; stride *= w->lattice.size[axis++]) {
        made->shift[2 * axis] = -stride;
        made->shift[2 * axis + 1] = stride;
    }
    *x = made;
    return true;
}

void rd_exact_close(rd_exact *x)
{
    if (!x)
        return;
    for (int32_t i = 0; x->replica && i < x->n_replicas; i++)
        rd_replica_close(&x->replica[i]);
    for (int32_t i = 0; x->integrator && i < x->n_replicas; i++)
        rd_integrator_close(&x->integrator[i]);
    for (int32_t i = 0; x->one_voxel && i < x->n_replicas; i++)
        rd_one_voxel_close(&x->one_voxel[i]);
    for (int64_t run = 0; x->packed && run < x->n_packed; run++)
        free(x->packed[run].entry);
    free(x->packed);
    free(x->one_voxel);
    free(x->replica);
    free(x->integrator);
    rd_scheme_close(&x->scheme);
    free(x);
}
