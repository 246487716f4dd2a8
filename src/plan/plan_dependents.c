/* plan_dependents - the dependency graph (Gibson and Bruck, J. Phys. Chem. A 104, 1876, 2000):
   which propensities depend on which counts; and propensities as products. */
#include "plan/plan.h"

#include "kernels/cpu/direct_method.h"

#include <stdlib.h>

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

/* Collects pairs of a species and a reaction that depends on it, reaction by reaction. In the first
   round it counts them for each species, in the second one it writes them. */
struct collector {
    int32_t *at;   /* [species]: number of its dependents; then the place of the next one */
    int32_t *last; /* [species]: the reaction that was noted last, or -1 */
    struct rd_mass_action *dependent; /* NULL in the first round */
};

static void note_dependent(struct collector *x, const struct rd_world *w, int32_t species,
                           int32_t reaction)
{
    if (x->last[species] == reaction)
        return;
    x->last[species] = reaction;
    if (x->dependent)
        x->dependent[x->at[species]] = w->reactions.product[reaction];
    x->at[species]++;
}

/* Notes the species on which the propensity depends: its reactants, and those that its expression
   reads. */
static void note_reaction(struct collector *x, const struct rd_world *w, int32_t reaction)
{
    const struct rd_channel *const c = &w->reactions.channel[reaction];
    for (int32_t i = 0; i < c->n_reactants; i++)
        note_dependent(x, w, w->reactions.reactant[c->reactant + i].species, reaction);
    for (int32_t i = 0; i < c->n_required; i++)
        note_dependent(x, w, w->reactions.reactant[c->required + i].species, reaction);
    for (int32_t i = 0; i < c->n_program; i++) {
        const struct rd_op *const o = &w->expressions.program[c->program + i];
        if (o->code == RD_OP_COUNT || o->code == RD_OP_CONCENTRATION || o->code == RD_OP_DENSITY)
            note_dependent(x, w, o->index, reaction);
    }
}

static void note_all(struct collector *x, const struct rd_world *w)
{
    for (int32_t s = 0; s < w->counts.n_species; s++)
        x->last[s] = -1;
    for (int32_t r = 0; r < w->reactions.n_reactions; r++)
        note_reaction(x, w, r);
}

/* Fills the tables, whose memory is there except that of dependent[]. */
static bool fill_dependents(struct rd_plan *p, struct collector *x)
{
    const int32_t n_species = p->world.counts.n_species;
    for (int32_t r = 0; r < p->world.reactions.n_reactions; r++)
        p->product[r] = mass_action_of(&p->world, r);
    note_all(x, &p->world);
    for (int32_t s = 0; s < n_species; s++) {
        p->first_dependent[s + 1] = p->first_dependent[s] + x->at[s];
        x->at[s] = p->first_dependent[s];
    }
    p->world.reactions.n_dependent = p->first_dependent[n_species];
    p->dependent = x->dependent =
        malloc(((size_t)p->first_dependent[n_species] + 1) * sizeof *p->dependent);
    if (x->dependent)
        note_all(x, &p->world);
    return x->dependent != NULL;
}

bool rd_plan_dependents(struct rd_plan *p, struct rd_error *e)
{
    const size_t n_species = (size_t)p->world.counts.n_species;
    struct collector x = {calloc(n_species + 1, sizeof *x.at),
                          malloc((n_species + 1) * sizeof *x.last), NULL};
    free(p->product);
    free(p->first_dependent);
    free(p->dependent);
    p->dependent = NULL;
    p->product = malloc(((size_t)p->world.reactions.n_reactions + 1) * sizeof *p->product);
    p->first_dependent = calloc(n_species + 1, sizeof *p->first_dependent);
    rd_plan_point(p);
    const bool ok = x.at && x.last && p->product && p->first_dependent && fill_dependents(p, &x);
    free(x.at);
    free(x.last);
    return ok || rd_fail(e, "out of memory for %d reactions", p->world.reactions.n_reactions);
}
