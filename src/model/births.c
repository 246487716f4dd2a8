/* births - checks the rules of attributes of individuals that reactions make. */
#include "model/equation.h"
#include "model/kinship.h"
#include "model/reader.h"

#include <string.h>

static int64_t count_individuals(const struct rd_model *m, const struct rd_term *side, int n)
{
    int64_t number = 0;
    for (int i = 0; i < n; i++)
        if (m->species[side[i].species].is_individual)
            number += side[i].number;
    return number;
}

/* Checks that struct rd_kinship has room for the individuals that the reaction takes and makes. */
static bool check_number_of_individuals(struct rd_reader *r, const rd_node *group,
                                        const struct rd_reaction *x)
{
    const int64_t taken = count_individuals(r->m, x->reactant, x->n_reactants);
    const int64_t made = count_individuals(r->m, x->product, x->n_products);
    if (taken > RD_ACTORS_MOST)
        return rd_reader_fail(r, group, "takes %lld individuals; take at most %d", (long long)taken,
                              RD_ACTORS_MOST);
    return made <= RD_CHILDREN_MOST ||
           rd_reader_fail(r, group, "makes %lld individuals; make at most %d", (long long)made,
                          RD_CHILDREN_MOST);
}

static void check_orphan(struct rd_reader *r, const rd_node *group, const struct rd_species *s)
{
    for (int k = 0; k < s->n_attributes; k++) {
        const struct rd_attribute *const a = &s->attribute[k];
        if ((a->birth.uses & RD_USES_PARENT) && !a->has_orphan)
            rd_reader_fail(r, group,
                           "makes %s without a parent, but birth of its attribute '%s' uses one; "
                           "give '%s' an orphan = ...",
                           s->name, a->name, a->name);
    }
}

/* Checks that the parent, of species p, has the attributes that the birth rule of an attribute of
   species s uses. */
static void check_birth(struct rd_reader *r, const rd_node *group, const struct rd_species *s,
                        const struct rd_attribute *a, int32_t p)
{
    const struct rd_model *const m = r->m;
    for (int32_t i = 0; i < a->birth.n; i++) {
        if (a->birth.op[i].code != RD_OP_PARENT)
            continue;
        const char *const name = m->inherited.name[a->birth.op[i].index];
        if (rd_names_attribute(m, p, name) < 0)
            rd_reader_fail(r, group,
                           "makes %s, whose birth of '%s' uses parent.%s, but the parent %s has no "
                           "attribute '%s'; give it one",
                           s->name, a->name, name, m->species[p].name, name);
    }
}

/* Checks all rules of a newborn or transformed individual. If keeps, it keeps the attributes that
   both species have, and their rules are not used. */
static void check_heir(struct rd_reader *r, const rd_node *group, int32_t species, int32_t parent,
                       bool keeps)
{
    const struct rd_species *const s = &r->m->species[species];
    for (int k = 0; k < s->n_attributes; k++)
        if (!keeps || rd_names_attribute(r->m, parent, s->attribute[k].name) < 0)
            check_birth(r, group, s, &s->attribute[k], parent);
}

void rd_births_check(struct rd_reader *r, const rd_node *group, const struct rd_reaction *x)
{
    struct rd_kinship k;
    if (!check_number_of_individuals(r, group, x))
        return;
    rd_kinship_of(&k, r->m, x);
    for (int i = 0; i < k.n_actors; i++)
        if (k.actor[i].fate == RD_FATE_BECOMES)
            check_heir(r, group, k.actor[i].becomes, k.actor[i].species, true);
    for (int i = 0; i < k.n_children; i++) {
        const struct rd_child *const child = &k.child[i];
        if (child->parent < 0)
            check_orphan(r, group, &r->m->species[child->species]);
        else
            check_heir(r, group, child->species, k.actor[child->parent].species, false);
    }
}

/* ---- rules that no reaction uses ---- */

/* Describes what reactions do with the rule `birth` of an attribute. */
struct rule_use {
    bool is_used;
    int32_t kept_of; /* a species whose individuals become this one and keep their attribute of the
                       same name; or -1 */
};

/* Adds what the reaction does with the rule of attribute k of species s. */
static void add_use(struct rule_use *u, const struct rd_model *m, const struct rd_reaction *x,
                    int32_t s, int k)
{
    struct rd_kinship all;
    rd_kinship_of(&all, m, x);
    for (int i = 0; i < all.n_children; i++)
        u->is_used = u->is_used || all.child[i].species == s;
    for (int i = 0; i < all.n_actors; i++) {
        const struct rd_actor *const a = &all.actor[i];
        if (a->fate != RD_FATE_BECOMES || a->becomes != s)
            continue;
        if (rd_names_attribute(m, a->species, m->attributes[s].name[k]) < 0)
            u->is_used = true;
        else
            u->kept_of = a->species;
    }
}

/* Returns whether a rule of birth copies the parent's attribute of its own name. */
static bool is_copy(const struct rd_model *m, const struct rd_attribute *a)
{
    return a->birth.n == 1 && a->birth.op[0].code == RD_OP_PARENT &&
           strcmp(m->inherited.name[a->birth.op[0].index], a->name) == 0;
}

/* Warns if every individual that reactions make of species s keeps the value of attribute k. */
static void warn_unused_birth(struct rd_reader *r, const rd_node *birth, int32_t s, int k)
{
    const struct rd_model *const m = r->m;
    struct rule_use use = {.kept_of = -1};
    for (int i = 0; i < m->n_reactions && !use.is_used; i++)
        if (rd_equation_number(m->reaction[i].product, m->reaction[i].n_products, s) > 0)
            add_use(&use, m, &m->reaction[i], s, k);
    if (use.is_used || use.kept_of < 0)
        return;
    const char *const name = m->species[s].name, *const attribute = m->attributes[s].name[k];
    rd_reader_about(r, "species '%.40s', attribute '%.30s'", name, attribute);
    rd_reader_warn(r, birth,
                   "no reaction uses its birth: '%s' becomes '%s' and keeps its own '%s'; give the "
                   "attribute another name in one of them, or leave birth out",
                   m->species[use.kept_of].name, name, attribute);
}

void rd_births_warn_unused(struct rd_reader *r)
{
    const rd_node *const list = rd_node_member(rd_config_root(r->c), "species");
    for (int s = 0; r->e->n == 0 && s < r->m->n_species; s++) {
        const rd_node *const group = rd_node_member(rd_node_at(list, s), "individuals");
        const rd_node *const attribute = rd_node_member(group, "attributes");
        for (int k = 0; group && k < r->m->species[s].n_attributes; k++) {
            const rd_node *const birth = rd_node_member(rd_node_at(attribute, k), "birth");
            if (birth && !is_copy(r->m, &r->m->species[s].attribute[k]))
                warn_unused_birth(r, birth, s, k);
        }
    }
}
