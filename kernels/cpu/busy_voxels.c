/* busy_voxels - simulates voxels with many events side by side: random numbers, logarithms and
   propensities of all lanes together, with wide registers. Exceptional events are left to the plain
   body, which continues the voxel from its present state. */
#include "kernels/cpu/busy_voxels.h"

#include "kernels/cpu/eval_simd.h"
#include "kernels/cpu/wide_products.h"

#include <stdlib.h>

/* Sets the least lanes that are faster than the plain body; and than the direct method: with few
   reactions, with more, with more in wide registers, or, in large networks, as a part of the
   reactions. */
enum { LANES_FOR_PLAIN = 8, LANES_FOR_FEW = 16, LANES_FOR_MORE = 24, LANES_FOR_WIDE = 36 };
enum { PART_FOR_MANY = 7 };
/* Sets the most reactions that are few here, and for which lanes apply events together. */
enum { FEW = 8, LITTLE = 24 };

/* Returns the least lanes that are faster than what `one` does with the voxels. */
static int least_lanes(const struct rd_world *w, const struct rd_voxel_events *one)
{
    const int n = w->reactions.n_reactions, part = n / PART_FOR_MANY;
    if (one->is_plain)
        return LANES_FOR_PLAIN;
    if (n <= FEW)
        return LANES_FOR_FEW;
    if (n > LITTLE && rd_wide_products_suit(w))
        return LANES_FOR_WIDE;
    return part > LANES_FOR_MORE ? part : LANES_FOR_MORE;
}

/* Returns whether lanes are faster for large networks, whose counts and propensities they compute
   at each event: in runs of one voxel with hardly an expression. */
static bool is_large_suited(const struct rd_world *w)
{
    int64_t n_operations = 0;
    if (w->lattice.n_sites > 1 || w->counts.n_species > RD_BUSY_MOST ||
        w->reactions.n_reactions > RD_BUSY_MOST)
        return false;
    for (int32_t r = 0; r < w->reactions.n_reactions; r++)
        n_operations += w->reactions.channel[r].n_program;
    return n_operations <= w->reactions.n_reactions;
}

bool rd_busy_suits(const struct rd_world *w)
{
    const bool is_small =
        w->counts.n_species <= RD_BUSY_SPECIES && w->reactions.n_reactions <= RD_BUSY_CHANNELS;
    bool suits = w->items.n_maintained == 0 && w->reactions.n_product > 0 &&
                 (is_small || is_large_suited(w));
    for (int32_t r = 0; suits && r < w->reactions.n_reactions; r++) {
        const struct rd_channel *const c = &w->reactions.channel[r];
        suits = c->region < 0 && rd_lanes_suit(w->expressions.program + c->program, c->n_program);
    }
    return suits;
}

/* Operations on all lanes are loops of a fixed length, which the compiler turns into wide
   registers. Numbers of a lane are doubles, so that each register holds the same number of lanes.
   A choice computes both values and selects one, so that no loop has a jump. */

/* Lists the values of `after` that are no time: there is no event; the event is exceptional; the
   event happened and made a count impossible. */
#define OVER       0.0
#define ODD        (-1.0)
#define IMPOSSIBLE (-2.0)

/* Draws the words of this turn's events. */
static inline void draw_words(struct rd_busy *b, const uint32_t key[2])
{
    for (int k = 0; k < RD_BUNCH; k++)
        b->call.w[0][k] = b->turn - b->since[k];
    memcpy(b->call.w[1], b->item, sizeof b->item);
    rd_bunch_call(&b->call, key);
}

/* Multiplies propensities by their expression; if it is invalid, the event becomes exceptional.
   Propensities that lack a reactant stay 0, whatever the expression gives. */
static inline void follow_program(struct rd_busy *b, const struct rd_world *w,
                                  const struct rd_channel *c, double *a)
{
    double value[RD_BUNCH];
    for (int32_t i = 0; i < c->n_required; i++) {
        const struct rd_reactant *const of = &w->reactions.reactant[c->required + i];
        const double *const n = b->count[of->species], least = (double)of->number;
        for (int k = 0; k < RD_BUNCH; k++)
            a[k] = n[k] >= least ? a[k] : 0.0;
    }
    rd_eval_lanes(w->expressions.program + c->program, c->n_program, &b->eval_context, b->count,
                  value);
    for (int k = 0; k < RD_BUNCH; k++) {
        const double product = value[k] >= 0.0 ? a[k] * value[k] : (double)NAN;
        a[k] = a[k] == 0.0 ? 0.0 : product;
    }
}

/* Returns the sums of the propensities before the reaction in its block; those with the reaction
   follow. */
static inline double (*part_of(const struct rd_busy *b, int32_t reaction))[RD_BUNCH]
{
    return b->part + reaction + reaction / RD_REACTIONS_IN_BLOCK;
}

/* Adds the propensities of a reaction that are products of two rows and the rate. */
static inline void add_products(const struct rd_busy *b, const struct rd_mass_action *x)
{
    double(*const part)[RD_BUNCH] = part_of(b, x->reaction);
    const double *const first = b->value[x->factor[0]], *const second = b->value[x->factor[1]];
    const double *const before = part[0];
    double *restrict const after = part[1];
    if (!b->rate) {
        const double rate = x->rate;
        for (int k = 0; k < RD_BUNCH; k++)
            after[k] = before[k] + rate * first[k] * second[k];
        return;
    }
    const double *const rate = b->rate[x->reaction];
    for (int k = 0; k < RD_BUNCH; k++)
        after[k] = before[k] + rate[k] * first[k] * second[k];
}

/* Adds the propensities of any reaction. */
static inline void add_others(struct rd_busy *b, const struct rd_world *w, int32_t r)
{
    double(*const part)[RD_BUNCH] = part_of(b, r);
    const struct rd_channel *const c = &w->reactions.channel[r];
    double a[RD_BUNCH];
    for (int k = 0; k < RD_BUNCH; k++)
        a[k] = b->rate ? b->rate[r][k] : c->rate;
    for (int32_t i = 0; i < c->n_reactants; i++) {
        const struct rd_reactant *const of = &w->reactions.reactant[c->reactant + i];
        const double *const n = b->count[of->species];
        for (int32_t less = 0; less < of->number; less++)
            for (int k = 0; k < RD_BUNCH; k++)
                a[k] *= n[k] - (double)less;
    }
    if (c->expression_kind != RD_EXPRESSION_NONE)
        follow_program(b, w, c, a);
    for (int k = 0; k < RD_BUNCH; k++)
        part[1][k] = part[0][k] + a[k];
}

/* Computes the cumulative sums of propensities in each block, in order. */
static inline void add_propensities(struct rd_busy *b, const struct rd_world *w)
{
    const int32_t n_species = w->counts.n_species;
    for (int32_t r = 0; r < w->reactions.n_reactions; r++) {
        const struct rd_mass_action *const x = &w->reactions.product[r];
        if (x->factor[0] >= 0 && x->factor[0] <= n_species && x->factor[1] <= n_species)
            add_products(b, x);
        else
            add_others(b, w, r);
    }
}

/* Computes the sums of all blocks, in order. */
static inline void add_blocks(struct rd_busy *b, int32_t n_reactions, double *sum)
{
    for (int k = 0; k < RD_BUNCH; k++)
        sum[k] = 0.0;
    for (int32_t r = 0; r < n_reactions; r += RD_REACTIONS_IN_BLOCK) {
        const double *const block = part_of(b, rd_block_end(r, 1, n_reactions) - 1)[1];
        for (int k = 0; k < RD_BUNCH; k++)
            sum[k] += block[k];
    }
}

/* Returns rd_uniform_of two words: 52 bits give a double between 2^52 and 2^53, less 2^52. */
static inline double uniform_of(uint32_t high, uint32_t low)
{
    const uint64_t bits = ((uint64_t)high << 32 | low) >> 12;
    return (rd_real_of(bits | UINT64_C(0x433) << 52) - 0x1p52 + 0.5) * 0x1p-52;
}

/* Draws the time of the next event of each lane, and its aim among the propensities. No sum reaches
   the aim in a lane with no event or an exceptional one. */
static inline void draw_events(struct rd_busy *b, const double *sum)
{
    for (int k = 0; k < RD_BUNCH; k++) {
        const double u = uniform_of(b->call.w[0][k], b->call.w[1][k]);
        const double after = b->left[k] + rd_log_and(u, 0) / sum[k];
        b->after[k] = rd_is_quiet(sum[k], u, b->left[k]) ? OVER : after;
    }
    for (int k = 0; k < RD_BUNCH; k++) {
        const double at = uniform_of(b->call.w[2][k], b->call.w[3][k]) * sum[k];
        const double aim = at < sum[k] ? at : sum[k] * (1.0 - 0x1p-53);
        const double after = sum[k] > aim ? b->after[k] : ODD; /* infinite or NaN, or tiny */
        b->aim[k] = b->after[k] > 0.0 ? aim : INFINITY;
        b->after[k] = b->after[k] <= 0.0 ? OVER : after;
    }
}

/* Selects the block of each lane's event, and turns the aim into one within the block. */
static inline void choose_blocks(struct rd_busy *b, int32_t n_reactions)
{
    double sum[RD_BUNCH] = {0}, before[RD_BUNCH] = {0};
    memset(b->block, 0, sizeof b->block);
    for (int32_t r = RD_REACTIONS_IN_BLOCK; r < n_reactions; r += RD_REACTIONS_IN_BLOCK) {
        const double *const last = part_of(b, r - 1)[1];
        const double next = (double)(r / RD_REACTIONS_IN_BLOCK);
        for (int k = 0; k < RD_BUNCH; k++) {
            sum[k] += last[k];
            before[k] = sum[k] > b->aim[k] ? before[k] : sum[k];
            b->block[k] = sum[k] > b->aim[k] ? b->block[k] : next;
        }
    }
    for (int k = 0; k < RD_BUNCH; k++)
        b->aim[k] -= before[k];
}

/* Returns the reaction of the lane's event, or n_reactions if numbers are so small that the search
   fails. Its steps have no jumps, which could not be predicted. */
static inline int32_t choose_of_lane(const struct rd_busy *b, int32_t n_reactions, int lane)
{
    const int32_t begin = (int32_t)b->block[lane] * RD_REACTIONS_IN_BLOCK;
    int32_t n = rd_block_end(begin, 1, n_reactions) - begin, at = 0;
    const double(*const part)[RD_BUNCH] = part_of(b, begin) + 1;
    const double aim = rd_aim_below(b->aim[lane], part[n - 1][lane]);
    while (n > 1) {
        const int32_t half = n / 2;
        at += part[at + half - 1][lane] > aim ? 0 : half;
        n -= half;
    }
    return part[at][lane] > aim ? begin + at : n_reactions;
}

/* Applies the event of a lane. */
static inline void apply_one_event(struct rd_busy *b, const struct rd_reactions *all, int lane)
{
    if (!(b->after[lane] > 0.0))
        return;
    const int32_t r = choose_of_lane(b, all->n_reactions, lane);
    if (r == all->n_reactions) {
        b->after[lane] = ODD;
        return;
    }
    const struct rd_channel *const c = &all->channel[r];
    b->fired[r][lane] += 1.0;
    for (int32_t i = 0; i < c->n_changes; i++) {
        const struct rd_reactant *const change = &all->change[c->change + i];
        double *const n = &b->count[change->species][lane];
        *n += (double)change->number;
        if (!(*n >= 0.0 && *n <= INT32_MAX))
            b->after[lane] = IMPOSSIBLE;
    }
}

/* Applies the events of all lanes in a world with one block: `one` is 1 in lanes in which this
   reaction fires, 0 in others. */
static inline void apply_lane_events(struct rd_busy *b, const struct rd_reactions *reactions)
{
    for (int32_t r = 0; r < reactions->n_reactions; r++) {
        const struct rd_channel *const c = &reactions->channel[r];
        const double(*const part)[RD_BUNCH] = part_of(b, r);
        const double *const aim = b->aim;
        double one[RD_BUNCH];
        for (int k = 0; k < RD_BUNCH; k++)
            one[k] = part[1][k] > aim[k] ? part[0][k] > aim[k] ? 0.0 : 1.0 : 0.0;
        for (int k = 0; k < RD_BUNCH; k++)
            b->fired[r][k] += one[k];
        for (int32_t i = 0; i < c->n_changes; i++) {
            const struct rd_reactant *const change = &reactions->change[c->change + i];
            double *const n = b->count[change->species];
            for (int k = 0; k < RD_BUNCH; k++)
                n[k] += one[k] * (double)change->number;
        }
    }
}

/* Marks lanes in which a count became impossible. */
static inline void find_impossible(struct rd_busy *b, const struct rd_counts *counts)
{
    for (int32_t s = 0; s < counts->n_species; s++)
        for (int k = 0; k < RD_BUNCH; k++) {
            const double n = b->count[s][k], after = n <= INT32_MAX ? b->after[k] : IMPOSSIBLE;
            b->after[k] = n >= 0.0 ? after : IMPOSSIBLE;
        }
}

static RD_WIDE void next_event(struct rd_busy *b, const struct rd_world *w, const uint32_t key[2])
{
    draw_words(b, key);
    add_propensities(b, w);
    double sum[RD_BUNCH];
    add_blocks(b, w->reactions.n_reactions, sum);
    draw_events(b, sum);
    choose_blocks(b, w->reactions.n_reactions);
    if (w->reactions.n_reactions <= LITTLE) {
        apply_lane_events(b, &w->reactions);
        find_impossible(b, &w->counts);
    } else {
        for (int lane = 0; lane < b->n; lane++)
            apply_one_event(b, &w->reactions, lane);
    }
}
static_assert((int)LITTLE <= (int)RD_REACTIONS_IN_BLOCK, "apply_lane_events needs one block");

static void store_lane(struct rd_busy *b, const struct rd_world *w, int lane)
{
    const struct rd_place p = rd_place_apart(&w->lattice, b->voxel[lane]);
    int64_t *const fired =
        w->counts.fired + rd_sums_of(&w->lattice, p.run, p.site) * w->reactions.n_reactions;
    for (int32_t s = 0; s < w->counts.n_species; s++)
        w->counts.count[s * w->lattice.n_voxels + p.voxel] = (int32_t)b->count[s][lane];
    for (int32_t r = 0; r < w->reactions.n_reactions; r++)
        if (b->fired[r][lane] > 0)
            rd_add_i64(&fired[r], (int64_t)b->fired[r][lane]);
}

static void load_lane(struct rd_busy *b, const struct rd_world *w, int lane, int64_t voxel)
{
    const struct rd_place p = rd_place_apart(&w->lattice, voxel);
    const struct rd_stream s =
        rd_stream_of(w->pass.seed, w->lattice.first_run + p.run, w->pass.step_clock->step,
                     RD_FOR_REACT, w->pass.part, p.site);
    if (b->rate) {
        const double *const rate = rd_vector_rates(w, p.run);
        for (int32_t r = 0; r < w->reactions.n_reactions; r++)
            b->rate[r][lane] = rate[r];
    }
    b->voxel[lane] = voxel;
    b->left[lane] = rd_is_frozen(&w->runs, p.run) ? 0.0 : w->pass.dt;
    b->since[lane] = b->turn;
    for (int i = 0; i < 3; i++)
        b->item[i][lane] = s.counter[i + 1];
    for (int32_t i = 0; i < w->counts.n_species; i++)
        b->count[i][lane] = w->counts.count[i * w->lattice.n_voxels + voxel];
    for (int32_t r = 0; r < w->reactions.n_reactions; r++)
        b->fired[r][lane] = 0;
}

/* Gives a finished lane another voxel, or the data of the last lane. */
static void refill_lane(struct rd_busy *b, const struct rd_world *w, int lane)
{
    if (b->n_waiting > 0) {
        load_lane(b, w, lane, b->waiting[--b->n_waiting]);
        return;
    }
    const int last = --b->n;
    for (int32_t r = 0; b->rate && r < w->reactions.n_reactions; r++)
        b->rate[r][lane] = b->rate[r][last];
    b->voxel[lane] = b->voxel[last];
    b->left[lane] = b->left[last];
    b->since[lane] = b->since[last];
    for (int i = 0; i < 3; i++)
        b->item[i][lane] = b->item[i][last];
    for (int32_t i = 0; i < w->counts.n_species; i++)
        b->count[i][lane] = b->count[i][last];
    for (int32_t r = 0; r < w->reactions.n_reactions; r++)
        b->fired[r][lane] = b->fired[r][last];
}

/* Continues the voxel of the lane by the plain body. */
static void leave_to_plain(struct rd_busy *b, const struct rd_world *w, int lane,
                           struct rd_voxel_events *one)
{
    struct rd_ssa ssa;
    store_lane(b, w, lane);
    rd_voxel_events_aim(one, b->voxel[lane]);
    rd_ssa_open(&ssa, one->w, b->voxel[lane]);
    ssa.event.counter[0] = b->turn - b->since[lane];
    ssa.left = b->left[lane];
    rd_voxel_events_go_on(one, &ssa);
}

/* Undoes the event of this turn in the lane, which is then still to come. */
static void undo_lane_event(struct rd_busy *b, const struct rd_reactions *reactions, int lane)
{
    b->since[lane]++;
    if (b->after[lane] != IMPOSSIBLE)
        return;
    const int32_t r = choose_of_lane(b, reactions->n_reactions, lane);
    const struct rd_channel *const c = &reactions->channel[r];
    for (int32_t i = 0; i < c->n_changes; i++) {
        const struct rd_reactant *const change = &reactions->change[c->change + i];
        b->count[change->species][lane] -= (double)change->number;
    }
    b->fired[r][lane]--;
}

static void leave_all_to_plain(struct rd_busy *b, const struct rd_world *w,
                               struct rd_voxel_events *one)
{
    while (b->n > 0)
        leave_to_plain(b, w, --b->n, one);
    b->turn = 0;
}

/* Simulates one event in each lane, or its end. */
static void simulate_lanes(struct rd_busy *b, const struct rd_world *w, struct rd_voxel_events *one)
{
    const struct rd_stream s = rd_stream_of(w->pass.seed, 0, 0, RD_FOR_REACT, w->pass.part, 0);
    next_event(b, w, s.key);
    b->turn++;
    /* from the last on: the lane that replaces another has had its event */
    for (int lane = b->n - 1; lane >= 0; lane--) {
        if (b->after[lane] > 0.0) {
            b->left[lane] = b->after[lane];
            continue;
        }
        if (b->after[lane] == OVER) {
            store_lane(b, w, lane);
        } else {
            undo_lane_event(b, &w->reactions, lane);
            leave_to_plain(b, w, lane, one);
        }
        refill_lane(b, w, lane);
    }
    /* from here on the plain body finds lanes with too many events */
    if (b->turn == w->reactions.max_events)
        leave_all_to_plain(b, w, one);
}

/* Simulates events as long as there are enough voxels. */
static void simulate_busy_voxels(struct rd_busy *b, const struct rd_world *w, int enough,
                                 struct rd_voxel_events *one)
{
    while (b->n + b->n_waiting >= enough) {
        while (b->n < RD_BUNCH && b->n_waiting > 0)
            load_lane(b, w, b->n++, b->waiting[--b->n_waiting]);
        simulate_lanes(b, w, one);
    }
}

/* Initialises all lanes: those without a voxel are computed as well, but not used. */
bool rd_busy_begin(struct rd_busy *b, const struct rd_world *w)
{
    const size_t n = (size_t)w->reactions.n_reactions, n_values = 1 + (size_t)w->counts.n_species;
    const size_t n_parts = n + (n + RD_REACTIONS_IN_BLOCK - 1) / RD_REACTIONS_IN_BLOCK;
    const size_t n_rates = w->reactions.n_vector_rate > 0 ? n : 0;
    const size_t bytes = (n_values + n_parts + n + n_rates) * sizeof *b->value;
    memset(b, 0, sizeof *b);
    b->value = aligned_alloc(64, bytes);
    if (!b->value)
        return false;
    memset(b->value, 0, bytes);
    b->count = b->value + 1;
    b->part = b->value + n_values;
    b->fired = b->part + n_parts;
    b->rate = n_rates > 0 ? b->fired + n : NULL;
    for (int k = 0; k < RD_BUNCH; k++)
        b->value[0][k] = 1.0;
    const struct rd_place anywhere = rd_place_of(&w->lattice, 0);
    b->eval_context = rd_eval_context_of(w, &anywhere);
    return true;
}

void rd_busy_add(struct rd_busy *b, const struct rd_world *w, int64_t voxel,
                 struct rd_voxel_events *one)
{
    b->waiting[b->n_waiting++] = voxel;
    if (b->n_waiting == 2 * RD_BUNCH)
        simulate_busy_voxels(b, w, RD_BUNCH, one);
}

void rd_busy_end(struct rd_busy *b, const struct rd_world *w, struct rd_voxel_events *one)
{
    simulate_busy_voxels(b, w, least_lanes(w, one), one);
    leave_all_to_plain(b, w, one);
    while (b->n_waiting > 0)
        rd_voxel_events_react(one, b->waiting[--b->n_waiting]);
    free(b->value);
    b->value = NULL;
}
