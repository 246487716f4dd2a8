/* plan_dependents - the dependency graph (Gibson and Bruck, J. Phys. Chem. A 104, 1876, 2000):
   which propensities an event of each reaction changes; and propensities as products. */
#include "plan/plan.h"

#include "kernels/cpu/direct_method.h"

#include <stdlib.h>

/* Sets the most entries of lists of dependents that are merged for each reaction: they then fit in
   a processor's cache. In a larger network the reactions share the lists of the species. */
enum { MERGED_MOST = 32768 };

/* Returns the rate and the factors of a channel; factors of -1 if it is no product of at most
   RD_PRODUCT_FACTORS of them in every voxel. */
static struct rd_mass_action mass_action_of(const struct rd_world *w, int32_t reaction)
{
    const struct rd_channel *const c = &w->reactions.channel[reaction];
    const int32_t place = rd_direct_place(reaction);
    const struct rd_mass_action other = {c->rate, {-1, -1}, reaction, place};
    struct rd_mass_action product = {c->rate, {0, 0}, reaction, place};
    int n = 0;
    if (c->expression_kind != RD_EXPRESSION_NONE || c->region >= 0)
        return other;
    for (int32_t i = 0; i < c->n_reactants; i++) {
        const struct rd_reactant *const r = &w->reactions.reactant[c->reactant + i];
        if (n + r->number > RD_PRODUCT_FACTORS)
            return other;
        for (int32_t k = 0; k < r->number; k++)
            product.factor[n++] = 1 + k * w->counts.n_species + r->species;
    }
    return product;
}

/* Lists, for each species, the reactions whose propensities depend on its count. In the first round
   they are counted, in the second one they are written. */
struct graph {
    int32_t *first;     /* [species], and the end: into dependent[] */
    int32_t *at;        /* [species]: number of its dependents; then the place of the next one */
    int32_t *last;      /* [species or reaction]: that for which it was noted last, or -1 */
    int32_t *dependent; /* NULL in the first round */
};

/* Returns whether something is noted for the first time for x. */
static bool note_first(struct graph *g, int32_t what, int32_t x)
{
    const bool is_first = g->last[what] != x;
    g->last[what] = x;
    return is_first;
}

static void note_dependent(struct graph *g, int32_t species, int32_t reaction)
{
    if (!note_first(g, species, reaction))
        return;
    if (g->dependent)
        g->dependent[g->at[species]] = reaction;
    g->at[species]++;
}

/* Notes the species on which the propensity depends: its reactants, and those that its expression
   reads. */
static void note_reaction(struct graph *g, const struct rd_world *w, int32_t reaction)
{
    const struct rd_channel *const c = &w->reactions.channel[reaction];
    for (int32_t i = 0; i < c->n_reactants; i++)
        note_dependent(g, w->reactions.reactant[c->reactant + i].species, reaction);
    for (int32_t i = 0; i < c->n_required; i++)
        note_dependent(g, w->reactions.reactant[c->required + i].species, reaction);
    for (int32_t i = 0; i < c->n_program; i++) {
        const struct rd_op *const o = &w->expressions.program[c->program + i];
        if (o->code == RD_OP_COUNT || o->code == RD_OP_CONCENTRATION || o->code == RD_OP_DENSITY)
            note_dependent(g, o->index, reaction);
    }
}

static void forget_notes(struct graph *g, int32_t n)
{
    for (int32_t i = 0; i < n; i++)
        g->last[i] = -1;
}

static void note_all(struct graph *g, const struct rd_world *w)
{
    forget_notes(g, w->counts.n_species);
    for (int32_t r = 0; r < w->reactions.n_reactions; r++)
        note_reaction(g, w, r);
}

/* Fills the lists of all species; returns false without memory. */
static bool fill_lists(struct graph *g, const struct rd_world *w)
{
    const int32_t n_species = w->counts.n_species;
    note_all(g, w);
    for (int32_t s = 0; s < n_species; s++) {
        g->first[s + 1] = g->first[s] + g->at[s];
        g->at[s] = g->first[s];
    }
    g->dependent = malloc(((size_t)g->first[n_species] + 1) * sizeof *g->dependent);
    if (g->dependent)
        note_all(g, w);
    return g->dependent != NULL;
}

/* Writes the reactions whose propensities depend on a count that the reaction changes, each once;
   returns their number. They are only counted if to is NULL. */
static int32_t merge_dependents(struct graph *g, const struct rd_world *w, int32_t reaction,
                                struct rd_mass_action *to)
{
    const struct rd_channel *const c = &w->reactions.channel[reaction];
    int32_t n = 0;
    for (int32_t i = 0; i < c->n_changes; i++) {
        const int32_t s = w->reactions.change[c->change + i].species;
        for (int32_t k = g->first[s]; k < g->first[s + 1]; k++)
            if (note_first(g, g->dependent[k], reaction)) {
                if (to)
                    to[n] = w->reactions.product[g->dependent[k]];
                n++;
            }
    }
    return n;
}

/* Returns the sum of the merged lists of all reactions, or a number above MERGED_MOST. */
static int64_t count_merged(struct graph *g, const struct rd_world *w)
{
    int64_t n = 0;
    forget_notes(g, w->reactions.n_reactions);
    for (int32_t r = 0; r < w->reactions.n_reactions && n <= MERGED_MOST; r++)
        n += merge_dependents(g, w, r, NULL);
    return n;
}

/* Gives each reaction a list of its own. */
static void fill_merged(struct rd_plan *p, struct graph *g)
{
    int32_t n = 0;
    forget_notes(g, p->world.reactions.n_reactions);
    for (int32_t r = 0; r < p->world.reactions.n_reactions; r++) {
        const int32_t begin = n;
        n += merge_dependents(g, &p->world, r, p->dependent + n);
        p->affected[r] = (struct rd_affected){begin, n};
        p->first_affected[r + 1] = r + 1;
    }
}

/* Gives each reaction the lists of the species that it changes. */
static void fill_by_species(struct rd_plan *p, const struct graph *g)
{
    const struct rd_reactions *const all = &p->world.reactions;
    int32_t n = 0;
    for (int32_t k = 0; k < g->first[p->world.counts.n_species]; k++)
        p->dependent[k] = p->product[g->dependent[k]];
    for (int32_t r = 0; r < all->n_reactions; r++) {
        for (int32_t i = 0; i < all->channel[r].n_changes; i++) {
            const int32_t s = all->change[all->channel[r].change + i].species;
            p->affected[n++] = (struct rd_affected){g->first[s], g->first[s + 1]};
        }
        p->first_affected[r + 1] = n;
    }
}

/* Fills the tables, except product[], which is there; returns false without memory. */
static bool fill_affected(struct rd_plan *p, struct graph *g)
{
    struct rd_reactions *const all = &p->world.reactions;
    const int64_t merged = count_merged(g, &p->world);
    const bool is_merged = merged <= MERGED_MOST;
    int32_t n_changes = 0;
    for (int32_t r = 0; r < all->n_reactions; r++)
        n_changes += all->channel[r].n_changes;
    all->n_affected = is_merged ? all->n_reactions : n_changes;
    all->n_dependent = is_merged ? (int32_t)merged : g->first[p->world.counts.n_species];
    p->first_affected = calloc((size_t)all->n_reactions + 1, sizeof *p->first_affected);
    p->affected = malloc(((size_t)all->n_affected + 1) * sizeof *p->affected);
    p->dependent = malloc(((size_t)all->n_dependent + 1) * sizeof *p->dependent);
    if (!p->first_affected || !p->affected || !p->dependent)
        return false;
    if (is_merged)
        fill_merged(p, g);
    else
        fill_by_species(p, g);
    return true;
}

void rd_plan_free_dependents(struct rd_plan *p)
{
    free(p->product);
    free(p->first_affected);
    free(p->affected);
    free(p->dependent);
    p->product = p->dependent = NULL;
    p->first_affected = NULL;
    p->affected = NULL;
}

bool rd_plan_dependents(struct rd_plan *p, struct rd_error *e)
{
    const struct rd_world *const w = &p->world;
    const size_t n_species = (size_t)w->counts.n_species;
    const size_t n_reactions = (size_t)w->reactions.n_reactions;
    struct graph g = {.first = calloc(n_species + 1, sizeof *g.first),
                      .at = calloc(n_species + 1, sizeof *g.at),
                      .last = malloc((n_species + n_reactions + 1) * sizeof *g.last)};
    rd_plan_free_dependents(p);
    p->product = malloc((n_reactions + 1) * sizeof *p->product);
    rd_plan_point(p);
    bool ok = g.first && g.at && g.last && p->product;
    for (int32_t r = 0; ok && r < w->reactions.n_reactions; r++)
        p->product[r] = mass_action_of(w, r);
    ok = ok && fill_lists(&g, w) && fill_affected(p, &g);
    free(g.first);
    free(g.at);
    free(g.last);
    free(g.dependent);
    return ok || rd_fail(e, "out of memory for %d reactions", w->reactions.n_reactions);
}
