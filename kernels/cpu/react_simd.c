/* react_simd - the tuned version of react for the CPU. In most voxels nothing happens in a pass, as
   their first random number shows: these numbers are drawn side by side, and only the other voxels
   are simulated. */
#include "kernels/cpu/react_simd.h"

#include "kernels/cpu/busy_voxels.h"
#include "kernels/cpu/propensity_lanes.h"
#include "kernels/cpu/zeros.h"

/* Holds voxels in which an event is possible, until their first random numbers are drawn. */
struct waiting {
    struct rd_bunch call; /* counters, in the layout of rd_stream_of */
    int64_t voxel[RD_BUNCH];
    double sum[RD_BUNCH]; /* of propensities */
    int n;
};

/* Adds the voxel if the sum of its propensities is not 0. There is no branch, since it could not be
   predicted for few molecules. */
static void add_waiting(const struct rd_world *w, const struct rd_place *p, double sum,
                        struct waiting *q)
{
    const struct rd_stream s =
        rd_stream_of(w->pass.seed, w->lattice.first_run + p->run, w->pass.step_clock->step,
                     RD_FOR_REACT, w->pass.part, p->site);
    for (int i = 0; i < 4; i++)
        q->call.w[i][q->n] = s.counter[i];
    q->voxel[q->n] = p->voxel;
    q->sum[q->n] = sum;
    q->n += sum != 0.0;
}

/* Sets the least reactions for which a block of voxels is searched for those that are possible
   (with expressions it always is, since these take long), the most of these that are listed, and
   the most species. */
enum { MANY_REACTIONS = 16, POSSIBLE_MOST = 2048, SPECIES_MOST = 4096 };

/* Holds the reactions whose reactants all exist in a block of voxels, in canonical order. */
struct possible {
    int32_t n;
    int32_t reaction[POSSIBLE_MOST];
};

static bool are_present(const struct rd_reactant *r, int32_t n, const uint8_t *present)
{
    for (int32_t i = 0; i < n; i++)
        if (!present[r[i].species])
            return false;
    return true;
}

/* Lists the reactions that are possible in the block; returns false if they are too many. */
static bool find_possible(const struct rd_world *w, int64_t begin, int64_t end, struct possible *x)
{
    const struct rd_reactions *const all = &w->reactions;
    uint8_t present[SPECIES_MOST];
    for (int32_t s = 0; s < w->counts.n_species; s++)
        present[s] = rd_has_any(w->counts.count + s * w->lattice.n_voxels + begin, end - begin);
    x->n = 0;
    for (int32_t r = 0; r < all->n_reactions; r++) {
        const struct rd_channel *const c = &all->channel[r];
        if (!are_present(all->reactant + c->reactant, c->n_reactants, present) ||
            !are_present(all->reactant + c->required, c->n_required, present))
            continue;
        if (x->n == POSSIBLE_MOST)
            return false;
        x->reaction[x->n++] = r;
    }
    return true;
}

/* Returns whether a reaction has all its reactants in the voxel. */
static bool any_possible(const struct rd_world *w, int64_t voxel, const struct possible *x)
{
    const int32_t *const count = w->counts.count + voxel;
    for (int32_t i = 0; i < x->n; i++) {
        const struct rd_channel *const c = &w->reactions.channel[x->reaction[i]];
        const struct rd_reactant *const r = w->reactions.reactant + c->reactant;
        bool is_possible = rd_has_required(&w->reactions, c, count, w->lattice.n_voxels);
        for (int32_t k = 0; is_possible && k < c->n_reactants; k++)
            is_possible = count[r[k].species * w->lattice.n_voxels] >= r[k].number;
        if (is_possible)
            return true;
    }
    return false;
}

/* Marks the voxels as having no births, deaths and events; rd_react changes that if there are
   any. */
static void leave_quiet_voxels(const struct rd_world *w, int64_t begin, int64_t end)
{
    const int64_t n = end - begin;
    if (w->items.n_maintained == 0)
        return;
    for (int64_t i = 0; i < w->lists.n_list; i++) {
        rd_clear_numbers(w->lists.births + w->lists.list[i].voxels + begin, n);
        rd_clear_numbers(w->lists.named + w->lists.list[i].voxels + begin, n);
    }
    memset(w->lists.touched + begin, 0, (size_t)n * sizeof *w->lists.touched);
}

/* Simulates the voxel: in lanes beside others if there are lanes, otherwise alone. */
static void react_voxel(struct rd_voxel_events *one, int64_t voxel, struct rd_busy *busy)
{
    if (busy)
        rd_busy_add(busy, one->w, voxel, one);
    else
        rd_voxel_events_react(one, voxel);
}

static void react_waiting(struct rd_voxel_events *one, struct waiting *q, struct rd_busy *busy)
{
    const struct rd_world *const w = one->w;
    const struct rd_stream s = rd_stream_of(w->pass.seed, 0, 0, RD_FOR_REACT, w->pass.part, 0);
    rd_bunch_call(&q->call, s.key);
    for (int k = 0; k < q->n; k++) {
        const double u = rd_uniform_of(q->call.w[0][k], q->call.w[1][k]);
        if (!rd_is_quiet(q->sum[k], u, w->pass.dt))
            react_voxel(one, q->voxel[k], busy);
    }
    q->n = 0;
}

/* Adds the voxels of a block in a world with mass action only; x lists the possible reactions
   (NULL: all). */
static void add_waiting_block(struct rd_voxel_events *one, int64_t begin, int64_t end,
                              const struct possible *x, struct waiting *q, struct rd_busy *busy)
{
    const struct rd_world *const w = one->w;
    const int32_t n = x ? x->n : (int32_t)w->reactions.n_reactions;
    struct rd_propensity_lanes lanes;
    rd_propensity_lanes_begin(&lanes, w, begin, (int)(end - begin));
    for (int32_t i = 0; i < n; i++)
        rd_propensity_lanes_add(&lanes, x ? x->reaction[i] : i);
    const double *const sum = rd_propensity_lanes_end(&lanes);
    for (int k = 0; k < lanes.n; k++) {
        const struct rd_place *const p = &lanes.place[k];
        add_waiting(w, p, rd_is_frozen(&w->runs, p->run) ? 0.0 : sum[k], q);
        if (q->n == RD_BUNCH)
            react_waiting(one, q, busy);
    }
}

/* Simulates voxels in a world with mass action only. */
static void react_by_mass_action(struct rd_voxel_events *one, int64_t begin, int64_t end,
                                 struct rd_busy *busy)
{
    struct waiting q = {.n = 0};
    for (int64_t at = begin; at < end; at += RD_BUNCH)
        add_waiting_block(one, at, end - at < RD_BUNCH ? end : at + RD_BUNCH, NULL, &q, busy);
    if (q.n > 0)
        react_waiting(one, &q, busy);
}

static void react_portion(struct rd_voxel_events *one, int64_t begin, int64_t end,
                          struct rd_busy *busy)
{
    leave_quiet_voxels(one->w, begin, end);
    if (!one->w->reactions.has_expressions) {
        react_by_mass_action(one, begin, end, busy);
        return;
    }
    for (int64_t voxel = begin; voxel < end; voxel++)
        react_voxel(one, voxel, busy);
}

/* Simulates a block of voxels, of which few contain reactants of any one reaction. */
static void react_block(struct rd_voxel_events *one, int64_t begin, int64_t end, struct waiting *q)
{
    const struct rd_world *const w = one->w;
    struct possible x;
    if (!find_possible(w, begin, end, &x)) {
        react_portion(one, begin, end, NULL);
        return;
    }
    if (x.n == 0)
        return;
    if (!w->reactions.has_expressions) {
        add_waiting_block(one, begin, end, &x, q, NULL);
        return;
    }
    for (int64_t voxel = begin; voxel < end; voxel++)
        if (!rd_is_frozen(&w->runs, rd_place_apart(&w->lattice, voxel).run) &&
            any_possible(w, voxel, &x))
            rd_voxel_events_react(one, voxel);
}

/* Simulates voxels in a world with many reactions, block by block. */
static void react_blocks(struct rd_voxel_events *one, int64_t begin, int64_t end)
{
    struct waiting q = {.n = 0};
    leave_quiet_voxels(one->w, begin, end);
    for (int64_t at = begin; at < end; at += RD_BUNCH)
        react_block(one, at, end - at < RD_BUNCH ? end : at + RD_BUNCH, &q);
    if (q.n > 0)
        react_waiting(one, &q, NULL);
}

/* Simulates one voxel after another. */
static void react_singly(struct rd_voxel_events *one, int64_t begin, int64_t end)
{
    for (int64_t voxel = begin; voxel < end; voxel++)
        rd_voxel_events_react(one, voxel);
}

/* Simulates voxels in lanes. */
static void react_busy(const struct rd_world *w, struct rd_voxel_events *one, int64_t begin,
                       int64_t end)
{
    struct rd_busy busy;
    if (!rd_busy_begin(&busy, w)) {
        react_singly(one, begin, end);
        return;
    }
    if (one->channel) /* the sums of react_portion are for rates that all runs have */
        for (int64_t voxel = begin; voxel < end; voxel++)
            rd_busy_add(&busy, w, voxel, one);
    else
        react_portion(one, begin, end, &busy);
    rd_busy_end(&busy, w, one);
}

/* Simulates voxels of runs with different rates: the plain body has a world whose rates are those
   of the voxel. */
static void react_vectors(const struct rd_world *w, int64_t begin, int64_t end)
{
    struct rd_world own = *w;
    struct rd_channel channel[RD_BUSY_CHANNELS];
    memcpy(channel, w->reactions.channel, (size_t)w->reactions.n_reactions * sizeof *channel);
    own.reactions.channel = channel;
    struct rd_voxel_events one = {.w = &own, .is_plain = true, .channel = channel};
    if (rd_busy_suits(w))
        react_busy(w, &one, begin, end);
    else
        react_singly(&one, begin, end);
}

void rd_react_portion(const struct rd_world *w, int64_t begin, int64_t end)
{
    if (w->reactions.n_vector_rate > 0) {
        react_vectors(w, begin, end);
        return;
    }
    struct rd_voxel_events one = rd_voxel_events_begin(w);
    if (rd_busy_suits(w)) {
        react_busy(w, &one, begin, end);
    } else if ((w->reactions.n_reactions >= MANY_REACTIONS || w->reactions.has_expressions) &&
               w->counts.n_species <= SPECIES_MOST) {
        react_blocks(&one, begin, end);
    } else {
        react_portion(&one, begin, end, NULL);
    }
    rd_voxel_events_end(&one);
}
