/* birth_rules - checks that the rules of birth find what they use in a reaction: a parent and its
   attributes. */
#include "model/individuals.h"
#include "model/kinship.h"
#include "model/names.h"

/* Checks that struct rd_kinship has room for the individuals that the reaction makes. */
static bool check_number(struct rd_reader *r, const rd_node *group, const struct rd_reaction *x)
{
    int64_t n = 0;
    for (int i = 0; i < x->n_products; i++)
        if (r->m->species[x->product[i].species].is_individual)
            n += x->product[i].number;
    return n <= RD_CHILDREN_MOST ||
           rd_reader_fail(r, group, "makes %lld individuals at once; at most %d are possible",
                          (long long)n, RD_CHILDREN_MOST);
}

static void check_orphan(struct rd_reader *r, const rd_node *group, const struct rd_species *s)
{
    for (int k = 0; k < s->n_attributes; k++) {
        const struct rd_attribute *const a = &s->attribute[k];
        if ((a->birth.uses & RD_USES_PARENT) && !a->has_orphan)
            rd_reader_fail(r, group,
                           "makes %s without a parent, which the birth of its attribute '%s' "
                           "uses; give '%s' an orphan = ..., for those without",
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
                           "makes %s, whose birth of '%s' uses parent.%s, of %s, which has no "
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

void rd_birth_rules_check(struct rd_reader *r, const rd_node *group, const struct rd_reaction *x)
{
    struct rd_kinship k;
    if (!check_number(r, group, x))
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
