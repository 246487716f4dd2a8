/* microscopic - reads reactions whose rate is that of two molecules which touch, and finds their
   reverse reactions. plan/microscopic.c computes the rates. */
#include "model/microscopic.h"

#include "model/equation.h"

#include <stdlib.h>

/* Variables of which a rate or a diffusivity may be made that is the same everywhere and always,
   while no event changes parameters. */
static const unsigned constant = RD_USES_PARAMETERS | RD_USES_VOLUME;

static bool is_cubic(const struct rd_grid *g)
{
    return g->dim == 3 && g->size[0] > 1 && g->size[1] > 1 && g->size[2] > 1 &&
           g->edge[0] == g->edge[1] && g->edge[0] == g->edge[2];
}

static int64_t order_of_pair(const struct rd_reaction *x)
{
    int64_t order = 0;
    for (int i = 0; i < x->n_reactants; i++)
        order += x->reactant[i].number;
    return order;
}

/* Checks that the rate is that of two molecules, and the same everywhere and always. */
static bool check_microscopic_rate(struct rd_reader *r, const rd_node *group,
                                   const struct rd_reaction *x)
{
    if (x->has_propensity)
        return rd_reader_fail(r, group,
                              "rate_model is \"microscopic\", which has no propensity and no "
                              "rate_law; give the intrinsic rate as rate");
    if (order_of_pair(x) != 2)
        return rd_reader_fail(r, group,
                              "rate_model is \"microscopic\", which is for two molecules that "
                              "meet, not %lld; leave it out",
                              (long long)order_of_pair(x));
    if (x->rate.uses & ~constant)
        return rd_reader_fail(r, group,
                              "rate_model is \"microscopic\", whose rate is a constant, not "
                              "\"%.60s\"; use parameters only, or leave rate_model out",
                              x->rate.text);
    return true;
}

static bool check_space(struct rd_reader *r, const rd_node *group, const struct rd_reaction *x)
{
    const struct rd_model *const m = r->m;
    if (m->grid.n_sites > 0 && !is_cubic(&m->grid))
        return rd_reader_fail(r, group,
                              "rate_model is \"microscopic\", which is for cubes in three "
                              "dimensions; take such a grid, or give the rate constant of the "
                              "voxels and leave rate_model out");
    int region = x->region;
    for (int i = 0; i < x->n_reactants; i++)
        if (m->species[x->reactant[i].species].surface >= 0)
            region = m->species[x->reactant[i].species].region;
    if (region >= rd_model_n_shapes(m) && region < rd_model_n_places(m))
        return rd_reader_fail(r, group,
                              "rate_model is \"microscopic\", which is for two molecules in a "
                              "volume, not on the surface '%s'; leave rate_model out",
                              m->region[region].name);
    for (int i = 0; i < x->n_reactants; i++) {
        const struct rd_species *const s = &m->species[x->reactant[i].species];
        if (rd_model_motion_uses(s) & ~constant)
            return rd_reader_fail(r, group,
                                  "rate_model is \"microscopic\", but the movement of %s is not "
                                  "the same everywhere and always; make it constant, or leave "
                                  "rate_model out",
                                  s->name);
    }
    return true;
}

void rd_microscopic_read(struct rd_reader *r, const rd_node *group, struct rd_reaction *x)
{
    static const char *const model[] = {"mass_action", "microscopic", "instant"};
    static const char *const own[] = {"radius", "reverse"};
    const rd_node *const node = rd_node_member(group, "rate_model");
    const rd_node *const radius = rd_node_member(group, "radius");
    if (!node || rd_reader_word(node, 3, model) != 1) {
        for (int i = 0; i < 2; i++)
            if (rd_node_member(group, own[i]))
                rd_reader_fail(r, group,
                               "has %s, which belongs to rate_model = \"microscopic\"; add that, "
                               "or leave %s out",
                               own[i], own[i]);
        return;
    }
    if (!radius) {
        rd_reader_fail(r, group,
                       "rate_model is \"microscopic\", and radius is missing; give the distance "
                       "at which the two molecules touch");
        return;
    }
    x->is_microscopic =
        rd_reader_expr(r, radius, "radius", RD_USES_PARAMETERS, RD_RANGE_POSITIVE, &x->radius) &&
        check_microscopic_rate(r, group, x) && check_space(r, group, x);
    if (x->is_microscopic)
        x->corrected_by = (int)(x - r->m->reaction);
}

static bool is_same_side(const struct rd_term *a, int n_a, const struct rd_term *b, int n_b)
{
    bool is_same = n_a == n_b;
    for (int i = 0; is_same && i < n_a; i++)
        is_same = rd_equation_number(b, n_b, a[i].species) == a[i].number;
    return is_same;
}

static bool is_same_equation(const struct rd_reaction *a, const struct rd_reaction *b)
{
    return is_same_side(a->reactant, a->n_reactants, b->reactant, b->n_reactants) &&
           is_same_side(a->product, a->n_products, b->product, b->n_products);
}

static bool is_reverse(const struct rd_reaction *a, const struct rd_reaction *b)
{
    return is_same_side(a->reactant, a->n_reactants, b->product, b->n_products) &&
           is_same_side(a->product, a->n_products, b->reactant, b->n_reactants);
}

/* Finds the only reaction with the equation of `wanted`, which is the reverse of reaction i. */
static bool find_reverse(struct rd_reader *r, const rd_node *node, const struct rd_reaction *wanted,
                         int i)
{
    struct rd_model *const m = r->m;
    struct rd_reaction *found = NULL;
    int n = 0;
    if (!is_reverse(wanted, &m->reaction[i]))
        return rd_reader_fail(r, node,
                              "reverse is '%s', which does not lead back; write its products, then "
                              "'->', then its reactants",
                              wanted->equation);
    for (int k = 0; k < m->n_reactions; k++)
        if (is_same_equation(&m->reaction[k], wanted)) {
            found = &m->reaction[k];
            n++;
        }
    if (n != 1)
        return rd_reader_fail(r, node,
                              "reverse is '%s', and there are %d such reactions; there must be "
                              "one, or leave reverse out",
                              wanted->equation, n);
    if (found->has_propensity || found->corrected_by >= 0)
        return rd_reader_fail(
            r, node, "reverse is '%s', which %s; give it a rate constant of its own",
            wanted->equation, found->has_propensity ? "has no rate" : "is corrected otherwise");
    found->corrected_by = i;
    return true;
}

void rd_microscopic_pair(struct rd_reader *r, const rd_node *group, int i)
{
    const rd_node *const node = rd_node_member(group, "reverse");
    struct rd_reaction wanted = {0};
    if (!node || !r->m->reaction[i].is_microscopic)
        return;
    rd_reader_about(r, "reaction '%.60s'", r->m->reaction[i].equation);
    bool is_reversible = false;
    if (rd_equation_read(&wanted, rd_node_text(node), r->m, rd_node_place(r->c, node),
                         &is_reversible, r->e))
        find_reverse(r, node, &wanted, i);
    free(wanted.reactant);
    free(wanted.product);
    free(wanted.equation);
}
