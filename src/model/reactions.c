/* reactions - the section `reactions`: equations, rates and propensities; which individuals react,
   and whether products may live where they are made and find the parents of their rules. */
#include "model/equation.h"
#include "model/kinship.h"
#include "model/microscopic.h"
#include "model/reader.h"

#include <string.h>

/* ---- which individuals of a voxel react: drawn by a weight, or by the summand of a rate or
   propensity ---- */

/* Returns the species of individuals among the reactants if it is the only one, else -1. Sets *n to
   their number. */
static int32_t only_species(const struct rd_model *m, const struct rd_reaction *x, int *n)
{
    int32_t found = -1;
    *n = 0;
    for (int i = 0; i < x->n_reactants; i++)
        if (m->species[x->reactant[i].species].is_individual) {
            found = x->reactant[i].species;
            ++*n;
        }
    return *n == 1 ? found : -1;
}

static bool read_weight(struct rd_reader *r, const rd_node *node, struct rd_reaction *x)
{
    struct rd_scope scope =
        rd_model_scope(r->m, RD_INDIVIDUAL_USES | RD_USES_VARYING | RD_USES_MEANS);
    int n_kinds;
    scope.self = only_species(r->m, x, &n_kinds) + 1;
    x->has_weight = true;
    if (n_kinds == 0)
        return rd_reader_fail(r, node,
                              "has a weight, but no reactant with individuals; leave it out");
    if (!rd_reader_within(r, node, "weight", &scope, RD_RANGE_NOT_NEGATIVE, &x->weight))
        return false;
    if (!(x->weight.uses & RD_USES_OWN))
        return rd_reader_fail(r, node,
                              "weight uses no attribute, so all individuals are equal; leave it "
                              "out, or use an attribute of a reactant");
    return rd_equation_number(x->reactant, x->n_reactants, x->weight.of) > 0 ||
           rd_reader_fail(r, node,
                          "weight uses an attribute of %s, which is no reactant; use an attribute "
                          "of a reactant",
                          r->m->species[x->weight.of].name);
}

/* A sum over the individuals of a species in an expression. */
struct sum {
    int32_t species, n;
    const struct rd_op *op;
};

static int list_sums(const struct rd_expr *x, struct sum sum[RD_SUMS_MOST])
{
    int k = 0;
    while (k < RD_SUMS_MOST && rd_expr_sums(x, k, &sum[k].species, &sum[k].op, &sum[k].n))
        k++;
    return k;
}

static bool is_same(const struct sum *a, const struct sum *b)
{
    return a->species == b->species && a->n == b->n &&
           memcmp(a->op, b->op, (size_t)a->n * sizeof *a->op) == 0;
}

/* Checks that a summed species is a factor of mass action, since the sum replaces its number. */
static void check_factor(struct rd_reader *r, const rd_node *node, const struct rd_reaction *x,
                         int32_t species)
{
    const char *const name = r->m->species[species].name;
    const int32_t number = rd_equation_number(x->reactant, x->n_reactants, species);
    if (number == 0)
        rd_reader_fail(r, node,
                       "rate sums over %s, which is no reactant; write a propensity, which may sum "
                       "over any individuals",
                       name);
    else if (number > 1)
        rd_reader_fail(r, node,
                       "rate sums over %s, of which %d react, but a sum stands for one of them; "
                       "write a propensity",
                       name, (int)number);
}

/* Returns the key that gives the speed of the reaction. */
static const char *speed_key_of(const rd_node *group)
{
    return rd_node_member(group, "rate")         ? "rate"
           : rd_node_member(group, "propensity") ? "propensity"
                                                 : "rate_law";
}

/* Checks that the individuals that react are drawn either by one summand or by a weight. */
static void check_drawn(struct rd_reader *r, const rd_node *group, const struct rd_reaction *x,
                        const struct sum *sum, int n)
{
    const char *const key = speed_key_of(group);
    const rd_node *const node = rd_node_member(group, key);
    const struct sum *const first = sum;
    const char *const name = r->m->species[first->species].name;
    const bool is_weighed = x->has_weight && x->weight.of == first->species;
    bool differ = false;
    if (rd_equation_number(x->reactant, x->n_reactants, first->species) == 0)
        return;
    for (int k = 1; k < n; k++)
        differ |= sum[k].species == first->species && !is_same(&sum[k], first);
    if (is_weighed && !differ)
        rd_reader_fail(r, node,
                       "has a weight, but which %s react is drawn by the summand of its %s; leave "
                       "the weight out",
                       name, key);
    else if (!is_weighed && differ)
        rd_reader_fail(r, node,
                       "%s has different sums over %s, so it is not clear which of them react; add "
                       "a weight of attributes of %s",
                       key, name, name);
}

/* Reads the weight of the reaction at group, whose equation, rate and propensity are read. Checks
   that no more than one rule draws the individuals that react. */
static void read_participants(struct rd_reader *r, const rd_node *group, struct rd_reaction *x)
{
    const rd_node *const weight = rd_node_member(group, "weight");
    const rd_node *const rate = rd_node_member(group, speed_key_of(group));
    struct sum sum[RD_SUMS_MOST];
    const int n = list_sums(x->has_propensity ? &x->propensity : &x->rate, sum);
    const bool is_right = !weight || read_weight(r, weight, x);
    for (int k = 0; k < n; k++) {
        if (!x->has_propensity)
            check_factor(r, rate, x, sum[k].species);
        bool is_reported = false;
        for (int j = 0; j < k; j++)
            is_reported |= sum[j].species == sum[k].species;
        if (is_right && !is_reported)
            check_drawn(r, group, x, &sum[k], n - k);
    }
}

/* ---- rules of birth ---- */

/* Checks that struct rd_kinship has room for the individuals that the reaction makes. */
static bool check_number(struct rd_reader *r, const rd_node *group, const struct rd_reaction *x)
{
    int64_t n = 0;
    for (int i = 0; i < x->n_products; i++)
        if (r->m->species[x->product[i].species].is_individual)
            n += x->product[i].number;
    return n <= RD_CHILDREN_MOST ||
           rd_reader_fail(r, group, "makes %lld individuals; make at most %d", (long long)n,
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

/* Checks that rules of birth find the parent and the attributes that they use in the reaction at
   group. */
static void check_births(struct rd_reader *r, const rd_node *group, const struct rd_reaction *x)
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

/* ---- the section ---- */

/* Returns the regions, as bits, in which a voxel must lie for the reaction to happen there. */
static uint64_t needed_by(const struct rd_model *m, const struct rd_reaction *x)
{
    uint64_t needed = x->region < 0 ? 0 : UINT64_C(1) << x->region;
    for (int i = 0; i < x->n_reactants; i++) {
        const int domain = m->species[x->reactant[i].species].region;
        needed |= domain < 0 ? 0 : UINT64_C(1) << domain;
    }
    return needed;
}

/* Checks that all products may live wherever the reaction can happen. */
static void check_places(struct rd_reader *r, const rd_node *group, const struct rd_reaction *x)
{
    const struct rd_model *const m = r->m;
    const uint64_t needed = needed_by(m, x);
    uint64_t everywhere = UINT64_MAX; /* regions common to all voxels where it can happen */
    bool happens = false;
    for (int i = 0; i < r->n_overlaps; i++)
        if ((r->overlap[i] & needed) == needed) {
            everywhere &= r->overlap[i];
            happens = true;
        }
    if (r->n_overlaps > 0 && !happens)
        rd_reader_warn(
            r, group,
            "it never happens, since no voxel lies in all its regions; change them, or remove it");
    for (int i = 0; happens && i < x->n_products; i++) {
        const struct rd_species *const s = &m->species[x->product[i].species];
        if (s->region < 0 || (everywhere >> s->region & 1))
            continue;
        const char *const domain = m->region[s->region].name;
        rd_reader_fail(r, group, "may make %s outside of its region '%s'; %s in = \"%s\"", s->name,
                       domain, x->region < 0 ? "add" : "use", domain);
    }
}

static bool changes_nothing(const struct rd_reaction *x)
{
    if (x->n_reactants != x->n_products)
        return false;
    for (int i = 0; i < x->n_products; i++)
        if (rd_equation_number(x->reactant, x->n_reactants, x->product[i].species) !=
            x->product[i].number)
            return false;
    return true;
}

/* Reads the one of three keys that gives the speed of the reaction. A rate law becomes a
   propensity, as it is multiplied by the volume of a voxel. */
static void read_rate(struct rd_reader *r, const rd_node *group, struct rd_reaction *x)
{
    static const char *const key[] = {"rate", "propensity", "rate_law"};
    const unsigned all = RD_USES_PARAMETERS | RD_USES_SPACE | RD_USES_TIME | RD_USES_COUNTS |
                         RD_USES_VOLUME | RD_USES_SUMS | RD_USES_REGIONS | RD_USES_FIELDS |
                         RD_USES_VARYING | RD_USES_MEANS;
    const int which = rd_reader_one_of(r, group, 3, key);
    if (which < 0)
        return;
    x->has_propensity = which > 0;
    const bool is_read =
        rd_reader_expr(r, rd_node_member(group, key[which]), key[which], all, RD_RANGE_NOT_NEGATIVE,
                       x->has_propensity ? &x->propensity : &x->rate);
    if (is_read && which == 2)
        rd_expr_times_volume(&x->propensity, r->e);
}

/* Warns if a rate has one of the reactants as a factor: mass action multiplies by it once more. */
static void check_mass_action(struct rd_reader *r, const rd_node *group,
                              const struct rd_reaction *x)
{
    for (int i = 0; i < x->n_reactants; i++)
        if (rd_expr_has_factor(&x->rate, x->reactant[i].species)) {
            rd_reader_warn(
                r, group,
                "rate = \"%.100s\" has the reactant %s as a factor, and mass action "
                "multiplies by it once more; write the rate constant alone, or all of it "
                "as rate_law (concentration per time) or propensity (events per time in "
                "a voxel)",
                x->rate.text, r->m->species[x->reactant[i].species].name);
            return;
        }
}

static void read_reaction(struct rd_reader *r, const rd_node *group, struct rd_reaction *x)
{
    const rd_node *const equation = rd_node_member(group, "equation");
    rd_reader_about(r, "reaction '%.60s'", rd_node_text(equation));
    x->place = rd_reader_copy(r, rd_node_place(r->c, group));
    x->corrected_by = -1;
    if (!x->place)
        return;
    const bool is_placed = rd_names_place(r, group, &x->region);
    read_rate(r, group, x);
    if (!rd_equation_read(x, rd_node_text(equation), r->m, rd_node_place(r->c, equation), r->e))
        return;
    check_mass_action(r, group, x);
    rd_microscopic_read(r, group, x);
    read_participants(r, group, x);
    check_births(r, group, x);
    if (changes_nothing(x))
        rd_reader_warn(r, group, "it changes nothing; remove it");
    if (is_placed && rd_surfaces_reaction(r, group, x) && (x->surface < 0 || x->has_propensity))
        check_places(r, group, x);
    if (!x->has_propensity)
        rd_quantities_rate(r, rd_node_member(group, "rate"), x);
}

void rd_reactions_read(struct rd_reader *r)
{
    const rd_node *const list = rd_node_member(rd_config_root(r->c), "reactions");
    const int n = rd_node_length(list);
    r->m->reaction = rd_reader_array(r, n, sizeof *r->m->reaction);
    r->m->n_reactions = r->m->reaction ? n : 0;
    for (int i = 0; i < r->m->n_reactions; i++)
        read_reaction(r, rd_node_at(list, i), &r->m->reaction[i]);
    for (int i = 0; i < r->m->n_reactions; i++)
        rd_microscopic_pair(r, rd_node_at(list, i), i);
}
