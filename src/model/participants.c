/* participants - which individuals of a voxel react: they are drawn by a weight, or by the summand
   of a rate or propensity. */
#include "model/equation.h"
#include "model/individuals.h"

#include <string.h>

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
                              "weight uses no attribute, so all are equal; leave it out, or use "
                              "one of a reactant's");
    return rd_equation_number(x->reactant, x->n_reactants, x->weight.of) > 0 ||
           rd_reader_fail(r, node,
                          "weight uses an attribute of %s, which is no reactant; use one of a "
                          "reactant's",
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
                       "rate sums over %s, which is no reactant; a propensity may sum over any "
                       "individuals",
                       name);
    else if (number > 1)
        rd_reader_fail(r, node,
                       "rate sums over %s, of which %d react; a sum stands instead of the number "
                       "of one, so write a propensity",
                       name, (int)number);
}

/* Returns the key that gives the speed of the reaction. */
static const char *key_of(const rd_node *group)
{
    return rd_node_member(group, "rate")         ? "rate"
           : rd_node_member(group, "propensity") ? "propensity"
                                                 : "rate_law";
}

/* Checks that the individuals that react are drawn either by one summand or by a weight. */
static void check_drawn(struct rd_reader *r, const rd_node *group, const struct rd_reaction *x,
                        const struct sum *sum, int n)
{
    const char *const key = key_of(group);
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
                       "has a weight, but who of %s reacts is drawn by the summand of its %s; "
                       "leave the weight out",
                       name, key);
    else if (!is_weighed && differ)
        rd_reader_fail(r, node,
                       "%s has different sums over %s, so it is not clear who reacts; add a "
                       "weight of attributes of %s",
                       key, name, name);
}

void rd_participants_read(struct rd_reader *r, const rd_node *group, struct rd_reaction *x)
{
    const rd_node *const weight = rd_node_member(group, "weight");
    const rd_node *const rate = rd_node_member(group, key_of(group));
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
