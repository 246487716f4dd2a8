/* kinship - pairs the individuals that a reaction consumes with those that it produces. */
#include "model/kinship.h"

#include "model/equation.h"

#include <assert.h>
#include <string.h>

/* Copies the individual species among n terms in order of their names, and returns their number. */
static int sort_by_name(const struct rd_model *m, const struct rd_term *term, int n,
                        struct rd_term *sorted)
{
    int n_sorted = 0;
    for (int i = 0; i < n; i++) {
        if (!m->species[term[i].species].is_individual)
            continue;
        const char *const name = m->species[term[i].species].name;
        int at = n_sorted++;
        for (; at > 0 && strcmp(m->species[sorted[at - 1].species].name, name) > 0; at--)
            sorted[at] = sorted[at - 1];
        sorted[at] = term[i];
    }
    return n_sorted;
}

static int32_t smaller_number(int32_t a, int32_t b)
{
    return a < b ? a : b;
}

/* Returns how many individuals of a species the key `becomes` names as reactants, or as
   products. A pair of one species leaves its individual as it is. */
static int32_t n_named(const struct rd_reaction *r, int32_t species, bool is_reactant)
{
    int32_t n = 0;
    for (int i = 0; i < r->n_becomes; i++)
        n += r->becomes[i].from != r->becomes[i].to &&
             (is_reactant ? r->becomes[i].from : r->becomes[i].to) == species;
    return n;
}

/* Returns how many individuals of a species stay: as many as the reaction both consumes and
   produces besides those that `becomes` names. */
static int32_t n_staying(const struct rd_reaction *r, int32_t species)
{
    return smaller_number(
        rd_equation_number(r->reactant, r->n_reactants, species) - n_named(r, species, true),
        rd_equation_number(r->product, r->n_products, species) - n_named(r, species, false));
}

static void add_actor(struct rd_kinship *k, int32_t species, int32_t fate, int32_t becomes)
{
    assert(k->n_actors < RD_ACTORS_MOST);
    k->actor[k->n_actors++] =
        (struct rd_actor){.species = species, .fate = fate, .becomes = becomes};
}

/* Lists the individuals that the reaction consumes, those that `becomes` names first. Others that
   do not stay are marked as dying until add_newcomer pairs them. */
static void list_actors(struct rd_kinship *k, const struct rd_model *m, const struct rd_reaction *r)
{
    struct rd_term taken[RD_ACTORS_MOST];
    const int n = sort_by_name(m, r->reactant, r->n_reactants, taken);
    for (int i = 0; i < n; i++) {
        const int32_t species = taken[i].species, stay = n_staying(r, species);
        for (int j = 0; j < r->n_becomes; j++)
            if (r->becomes[j].from == species && r->becomes[j].to != species)
                add_actor(k, species, RD_FATE_BECOMES, r->becomes[j].to);
        for (int32_t j = n_named(r, species, true); j < taken[i].number - stay; j++)
            add_actor(k, species, RD_FATE_DIES, -1);
        for (int32_t j = 0; j < stay; j++)
            add_actor(k, species, RD_FATE_STAYS, -1);
    }
}

/* Returns the first actor that is marked as dying, or NULL. */
static struct rd_actor *next_gone(struct rd_kinship *k)
{
    for (int i = 0; i < k->n_actors; i++)
        if (k->actor[i].fate == RD_FATE_DIES)
            return &k->actor[i];
    return NULL;
}

static int32_t parent_of(const struct rd_kinship *k, int32_t species)
{
    for (int32_t i = 0; i < k->n_actors; i++)
        if (k->actor[i].species == species)
            return i;
    return k->n_actors > 0 ? 0 : -1;
}

static void add_newcomer(struct rd_kinship *k, int32_t species)
{
    struct rd_actor *const gone = next_gone(k);
    if (gone) {
        gone->fate = RD_FATE_BECOMES;
        gone->becomes = species;
        return;
    }
    assert(k->n_children < RD_CHILDREN_MOST);
    k->child[k->n_children++] =
        (struct rd_child){.species = species, .parent = parent_of(k, species)};
}

void rd_kinship_of(struct rd_kinship *k, const struct rd_model *m, const struct rd_reaction *r)
{
    struct rd_term given[RD_LISTS_MOST];
    *k = (struct rd_kinship){0};
    list_actors(k, m, r);
    const int n = sort_by_name(m, r->product, r->n_products, given);
    for (int i = 0; i < n; i++) {
        const int32_t species = given[i].species;
        for (int32_t j = n_staying(r, species) + n_named(r, species, false); j < given[i].number;
             j++)
            add_newcomer(k, species);
    }
}
