/* direct_method - the events of one voxel with several reactions. Propensities are stored so that
   the sums of eight blocks are computed side by side, each in its order. Random numbers are drawn
   many events ahead. An exceptional event is left to the plain body, which continues the voxel from
   its present state. */
#include "kernels/cpu/direct_method.h"

#include "kernels/cpu/few_products.h"
#include "kernels/cpu/wide_products.h"

#include <stdlib.h>

/* Sets the least reactions for which it is faster than the plain body, and those in runs of one
   voxel, which have many events. */
enum { LEAST_REACTIONS = 8, LEAST_IN_ONE_VOXEL = 2 };

/* Sets the most blocks that are summed one after another. */
enum { FEW_BLOCKS = 4 };

/* Sets the parts of a block whose sums are kept for the search, and their reactions. */
enum {
    LANES = RD_DIRECT_LANES,
    GROUP = RD_DIRECT_GROUP,
    QUARTERS = 4,
    QUARTER = RD_REACTIONS_IN_BLOCK / QUARTERS
};

/* Lists the values of the table of products: 1, counts, and counts less 1. */
enum { FIRST_VALUE = 1 };

struct rd_direct {
    const struct rd_world *w;
    int64_t voxel;
    double *value;      /* [factor]: of products */
    double *propensity; /* [group][place in block][block of the group] */
    double *quarter;    /* [group][quarter][block of the group]: sums up to the end of each */
    double *node[RD_BLOCK_LEVELS]; /* [level - 1][node]: sums; zeros follow the last group */
    double *upto[RD_BLOCK_LEVELS]; /* likewise: sums of the nodes with one parent up to each */
    int32_t n_node[RD_BLOCK_LEVELS];
    int32_t n_levels, n_groups;
    uint8_t *is_stale; /* [group]: a propensity changed after the sums were computed */
    int32_t *count;    /* [species] */
    int64_t *fired;    /* [reaction] in this voxel and pass */
    bool is_few;       /* propensities are few products: only the sums `few` and value[] are kept */
    struct rd_few_sums few;
    struct rd_wide_products *wide; /* owned; NULL: narrow registers */
    struct rd_eval_context here;
    struct rd_place place;
    struct rd_event_draws draws;
};

bool rd_direct_suits(const struct rd_world *w)
{
    const int32_t least = w->lattice.n_sites == 1 ? LEAST_IN_ONE_VOXEL : LEAST_REACTIONS;
    return w->items.n_maintained == 0 && w->reactions.n_reactions >= least &&
           w->reactions.n_product > 0;
}

static size_t round_to_cache_line(size_t bytes)
{
    const size_t line = 64;
    return (bytes + line - 1) / line * line;
}

/* Sets the numbers of groups and of nodes of all levels: none for few products, whose propensities
   are not kept. */
static void measure_tree(struct rd_direct *d)
{
    const int32_t n = d->w->reactions.n_reactions;
    if (d->is_few)
        return;
    d->n_groups = (n + GROUP - 1) / GROUP;
    int32_t level = 0;
    for (int32_t nodes = n; level == 0 || nodes > RD_REACTIONS_IN_BLOCK; level++) {
        nodes = (nodes + RD_REACTIONS_IN_BLOCK - 1) / RD_REACTIONS_IN_BLOCK;
        d->n_node[level] = nodes;
    }
    d->n_levels = level;
}

/* Lays out the arrays in memory; returns its size. */
static size_t lay_out_voxel(struct rd_direct *d, char *memory)
{
    const size_t n_species = (size_t)d->w->counts.n_species;
    const size_t n_groups = (size_t)d->n_groups;
    size_t at = round_to_cache_line(sizeof *d);
#define ARRAY(pointer, n)                                                                          \
    do {                                                                                           \
        if (memory)                                                                                \
            (pointer) = (void *)(memory + at);                                                     \
        at += round_to_cache_line((size_t)(n) * sizeof *(pointer));                                \
    } while (0)
    ARRAY(d->value, FIRST_VALUE + 2 * n_species);
    ARRAY(d->propensity, n_groups * GROUP);
    ARRAY(d->quarter, n_groups * QUARTERS * LANES);
    ARRAY(d->node[0], n_groups * LANES);
    for (int32_t level = 1; level < d->n_levels; level++)
        ARRAY(d->node[level], d->n_node[level]);
    for (int32_t level = 0; level < d->n_levels; level++)
        ARRAY(d->upto[level], d->n_node[level]);
    ARRAY(d->is_stale, n_groups + sizeof(uint32_t));
    ARRAY(d->count, n_species);
    ARRAY(d->fired, d->w->reactions.n_reactions);
#undef ARRAY
    return at;
}

struct rd_direct *rd_direct_open(const struct rd_world *w)
{
    struct rd_direct d = {.w = w};
    d.is_few = rd_are_few_products(w->reactions.product, w->reactions.n_reactions);
    rd_few_begin(&d.few);
    measure_tree(&d);
    const size_t line = 64, bytes = lay_out_voxel(&d, NULL);
    char *const memory = aligned_alloc(line, bytes);
    if (!memory)
        return NULL;
    memset(memory + sizeof d, 0, bytes - sizeof d);
    lay_out_voxel(&d, memory);
    d.value[0] = 1.0;
    d.wide = rd_wide_products_open(w);
    memcpy(memory, &d, sizeof d);
    return (struct rd_direct *)(void *)memory;
}

void rd_direct_use_narrow(struct rd_direct *d)
{
    rd_wide_products_close(d->wide);
    d->wide = NULL;
}

void rd_direct_close(struct rd_direct *d)
{
    if (d)
        rd_wide_products_close(d->wide);
    free(d);
}

static inline void set_count(struct rd_direct *d, int32_t species, int32_t n)
{
    d->count[species] = n;
    d->value[FIRST_VALUE + species] = (double)n;
    d->value[FIRST_VALUE + d->w->counts.n_species + species] = (double)n - 1.0;
}

/* Computes a propensity that is no product. Returns false if it is invalid. */
static bool update_general(struct rd_direct *d, const struct rd_mass_action *x)
{
    const struct rd_channel *const c = &d->w->reactions.channel[x->reaction];
    const bool is_here = rd_is_in(&d->w->lattice, c->region, d->place.site);
    const double a = is_here ? rd_propensity(d->w, c, d->count, 1, &d->here) : 0.0;
    d->propensity[x->place] = a;
    return a >= 0.0 && a < INFINITY;
}

/* Computes the propensities of some reactions. Returns false if one is invalid. That of a product
   is not checked, since the sum of all becomes infinite or NaN then. */
static inline bool update_propensities(struct rd_direct *d, const struct rd_mass_action *x,
                                       const struct rd_mass_action *end)
{
    const double *const value = d->value;
    double *const propensity = d->propensity;
    uint8_t *const is_stale = d->is_stale;
    bool is_valid = true;
    for (; x < end; x++) {
        is_stale[(uint32_t)x->place / GROUP] = 1;
        if (x->factor[0] >= 0)
            propensity[x->place] = x->rate * value[x->factor[0]] * value[x->factor[1]];
        else
            is_valid = update_general(d, x) && is_valid;
    }
    return is_valid;
}

/* Adds eight propensities of a block, in order. */
static inline double add_quarter(const double *a, double sum)
{
    sum = ((sum + a[0 * LANES]) + a[1 * LANES]) + a[2 * LANES];
    sum = ((sum + a[3 * LANES]) + a[4 * LANES]) + a[5 * LANES];
    return (sum + a[6 * LANES]) + a[7 * LANES];
}
static_assert(QUARTER == 8, "add_quarter adds as many");

/* Computes the sum of a block, and those up to the end of its first quarters. */
static inline double sum_in_quarters(const double *of, double *quarter)
{
    double sum = 0.0;
    quarter[0 * LANES] = sum = add_quarter(of + 0 * QUARTER * LANES, sum);
    quarter[1 * LANES] = sum = add_quarter(of + 1 * QUARTER * LANES, sum);
    quarter[2 * LANES] = sum = add_quarter(of + 2 * QUARTER * LANES, sum);
    return add_quarter(of + 3 * QUARTER * LANES, sum);
}

/* Computes the sums of the eight blocks of a group. The loop over them is the one that the compiler
   turns into wide registers. */
static RD_WIDE void sum_group(const double *restrict a, double *restrict quarter,
                              double *restrict block)
{
    for (int lane = 0; lane < LANES; lane++)
        block[lane] = sum_in_quarters(a + lane, quarter + lane);
}

/* Computes the sums of few blocks one after another. The processor overlaps them, and takes each
   propensity as soon as it was computed, whereas a wide register waits until all are stored. */
static void sum_few_blocks(struct rd_direct *d)
{
    for (int32_t b = 0; b < d->n_node[0]; b++)
        d->node[0][b] = sum_in_quarters(d->propensity + b, d->quarter + b);
}

/* Returns the end of the nodes of the level that have one parent, the first of which is `begin`. */
static inline int32_t end_of_siblings(const struct rd_direct *d, int32_t level, int32_t begin)
{
    return rd_block_end(begin, 1, d->n_node[level]);
}

/* Computes the sums of the nodes of the level with one parent up to each, the first of which is
   `begin`. Returns the sum of all. */
static inline double sum_siblings(struct rd_direct *d, int32_t level, int32_t begin)
{
    const double *const node = d->node[level];
    double *const upto = d->upto[level];
    const int32_t end = end_of_siblings(d, level, begin);
    double sum = 0.0;
    for (int32_t i = begin; i < end; i++)
        upto[i] = sum += node[i];
    return sum;
}

/* Computes the sum of a node from those of the level below. */
static inline void sum_members(struct rd_direct *d, int32_t level, int32_t node)
{
    d->node[level][node] = sum_siblings(d, level - 1, node << RD_BLOCK_BITS);
}

/* Computes the sums of stale groups and of the nodes above them. Returns the sum of all. */
static double update_sums(struct rd_direct *d)
{
    if (d->n_node[0] <= FEW_BLOCKS) {
        sum_few_blocks(d);
        return sum_siblings(d, d->n_levels - 1, 0);
    }
    for (int32_t g = 0; g < d->n_groups; g++)
        if (d->n_groups == 1 || d->is_stale[g])
            sum_group(d->propensity + (size_t)g * GROUP, d->quarter + (size_t)g * QUARTERS * LANES,
                      d->node[0] + (size_t)g * LANES);
    for (int32_t i = 0; d->n_levels > 1 && i < d->n_node[1]; i++) {
        uint32_t any;
        memcpy(&any, d->is_stale + (size_t)i * sizeof any, sizeof any);
        if (any != 0)
            sum_members(d, 1, i);
    }
    memset(d->is_stale, 0, (size_t)d->n_groups);
    for (int32_t level = 2; level < d->n_levels; level++)
        for (int32_t i = 0; i < d->n_node[level]; i++)
            sum_members(d, level, i);
    return sum_siblings(d, d->n_levels - 1, 0);
}
static_assert(RD_REACTIONS_IN_BLOCK == 4 * LANES, "the blocks of four groups form a node");

/* Returns the reaction of the block that aim selects. There are no jumps, which could not be
   predicted. */
static inline int32_t choose_in_block(const struct rd_direct *d, int32_t block, double aim)
{
    const size_t lane = (size_t)block % LANES, group = (size_t)block / LANES;
    const double *const quarter = d->quarter + group * QUARTERS * LANES + lane;
    int q = 0;
    for (int i = 0; i + 1 < QUARTERS; i++)
        q += !(quarter[i * LANES] > aim);
    const double *const a = d->propensity + group * GROUP + lane + q * QUARTER * LANES;
    double sum = q > 0 ? quarter[(q - 1) * LANES] : 0.0;
    int32_t at = block * RD_REACTIONS_IN_BLOCK + q * QUARTER;
    for (int i = 0; i < QUARTER; i++) {
        sum += a[i * LANES];
        at += !(sum > aim);
    }
    return at;
}

/* Returns the node among those of one parent that *aim selects, without jumps that depend on it,
   and makes *aim the aim within the node. */
static inline int32_t choose_node(const struct rd_direct *d, int32_t level, int32_t begin,
                                  double *aim)
{
    const double *const upto = d->upto[level];
    const int32_t end = end_of_siblings(d, level, begin);
    int32_t at = begin;
    for (int32_t i = begin; i + 1 < end; i++)
        at += !(upto[i] > *aim);
    *aim = rd_aim_below(*aim - (at > begin ? upto[at - 1] : 0.0), d->node[level][at]);
    return at;
}

/* Returns the reaction that aim selects, as rd_choose_reaction does; another one, or none, if
   numbers are so small that the search fails. */
static inline int32_t choose_reaction(const struct rd_direct *d, double aim)
{
    int32_t at = 0;
    for (int32_t level = d->n_levels - 1; level >= 0; level--)
        at = choose_node(d, level, at << RD_BLOCK_BITS, &aim);
    return d->node[0][at] > aim ? choose_in_block(d, at, aim) : d->w->reactions.n_reactions;
}

/* Loads the counts of the voxel and computes all propensities. Returns false if one is invalid. */
static bool load_counts(struct rd_direct *d)
{
    const struct rd_world *const w = d->w;
    const bool has_rows = rd_has_rows(w);
    for (int32_t s = 0; s < w->counts.n_species; s++)
        set_count(d, s, has_rows ? 0 : w->counts.count[s * w->lattice.n_voxels + d->voxel]);
    if (has_rows)
        for (struct rd_present p = rd_present_in(w, d->voxel); rd_next_present(&p);)
            set_count(d, p.species, *p.count);
    return d->wide || d->is_few ||
           update_propensities(d, w->reactions.product,
                               w->reactions.product + w->reactions.n_reactions);
}

void rd_direct_take_fired(struct rd_direct *d, bool adds)
{
    const struct rd_world *const w = d->w;
    int64_t *const fired = w->counts.fired + rd_sums_of(&w->lattice, d->place.run, d->place.site) *
                                                 w->reactions.n_reactions;
    for (int32_t r = 0; r < w->reactions.n_reactions; r++)
        if (d->fired[r] > 0) {
            if (adds)
                rd_add_i64(&fired[r], d->fired[r]);
            d->fired[r] = 0;
        }
}

/* Writes the counts back, and adds the numbers of events. */
static void store_voxel(struct rd_direct *d)
{
    const struct rd_world *const w = d->w;
    for (int32_t s = 0; s < w->counts.n_species; s++)
        w->counts.count[s * w->lattice.n_voxels + d->voxel] = d->count[s];
    rd_direct_take_fired(d, true);
}

/* Changes the counts. Returns false, without a change, if one becomes impossible. */
static inline bool change_loaded_counts(struct rd_direct *d, const struct rd_reactant *change,
                                        int32_t n)
{
    bool is_possible = true;
    for (int32_t i = 0; i < n; i++) {
        const int64_t after = (int64_t)d->count[change[i].species] + change[i].number;
        is_possible = is_possible && after >= 0 && after <= INT32_MAX;
        set_count(d, change[i].species, (int32_t)after);
    }
    for (int32_t i = 0; i < n && !is_possible; i++)
        set_count(d, change[i].species,
                  (int32_t)((int64_t)d->count[change[i].species] - change[i].number));
    return is_possible;
}

/* Computes the propensities that depend on the counts that an event of the reaction changes.
   Returns false if one is invalid. */
static inline bool update_dependents(struct rd_direct *d, int32_t reaction)
{
    const struct rd_reactions *const all = &d->w->reactions;
    bool is_valid = true;
    for (int32_t i = all->first_affected[reaction]; i < all->first_affected[reaction + 1]; i++)
        is_valid = update_propensities(d, all->dependent + all->affected[i].begin,
                                       all->dependent + all->affected[i].end) &&
                   is_valid;
    return is_valid;
}

/* Simulates the events of the voxel. Returns false before an exceptional one. The compiler makes a
   loop for few products and one for all other networks. */
static inline bool simulate_events(struct rd_direct *d, const bool is_few)
{
    const struct rd_reactions *const all = &d->w->reactions;
    for (;;) {
        struct rd_two_blocks blocks;
        if (is_few)
            blocks = rd_few_add_all(&d->few, all->product, d->value, all->n_reactions);
        const double sum = is_few ? blocks.all : update_sums(d);
        if (!(sum > 0.0 && sum < INFINITY))
            return sum == 0.0;
        const double left = rd_left_after_event(&d->draws, sum);
        if (left <= 0.0)
            return true;
        const double aim = rd_aim_below(rd_event_selector(&d->draws) * sum, sum);
        const int32_t r = is_few ? rd_few_choose(&d->few, &blocks, aim) : choose_reaction(d, aim);
        if (r >= all->n_reactions || d->draws.stream.counter[0] == all->max_events)
            return false;
        const struct rd_channel *const c = &all->channel[r];
        const struct rd_reactant *const change = all->change + c->change;
        if (!change_loaded_counts(d, change, c->n_changes))
            return false;
        rd_event_draws_advance(&d->draws, left);
        d->fired[r]++;
        if (!is_few && !update_dependents(d, r))
            return false;
    }
}

static bool simulate_voxel(struct rd_direct *d)
{
    if (d->wide)
        return rd_wide_products_react(d->wide, &d->draws, d->count, d->fired);
    return d->is_few ? simulate_events(d, true) : simulate_events(d, false);
}

bool rd_direct_run(struct rd_direct *d, const struct rd_ssa *ssa)
{
    d->voxel = ssa->p.voxel;
    d->place = ssa->p;
    d->here = ssa->eval_context;
    d->here.count = d->count;
    d->here.stride = 1;
    d->here.row = NULL;
    rd_event_draws_begin(&d->draws, ssa);
    return load_counts(d) && simulate_voxel(d);
}

bool rd_direct_advance(struct rd_direct *d, struct rd_ssa *ssa)
{
    const bool is_over = rd_direct_run(d, ssa);
    store_voxel(d);
    ssa->left = d->draws.left;
    ssa->event = d->draws.stream;
    return is_over;
}

const int32_t *rd_direct_counts(const struct rd_direct *d)
{
    return d->count;
}

void rd_direct_react_on(struct rd_direct *d, struct rd_ssa *ssa)
{
    if (!rd_direct_advance(d, ssa))
        rd_react_on(ssa);
}
