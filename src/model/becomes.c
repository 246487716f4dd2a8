/* becomes - the key `becomes` of a reaction: which product is the same individual as which
   reactant. */
#include "model/equation.h"
#include "model/reader.h"

#include <stdlib.h>
#include <string.h>

/* Checks that a species is one of individuals and stands on its side of the reaction at least
   `named` times. */
static bool check_partner(struct rd_reader *r, const rd_node *node, const struct rd_reaction *x,
                          int32_t species, bool is_reactant, int32_t named)
{
    const char *const name = r->m->species[species].name;
    const int32_t number = is_reactant ? rd_equation_number(x->reactant, x->n_reactants, species)
                                       : rd_equation_number(x->product, x->n_products, species);
    if (number == 0)
        return rd_reader_fail(r, node, "becomes: '%s' is no %s; name one of the equation '%s'",
                              name, is_reactant ? "reactant" : "product", x->equation);
    if (!r->m->species[species].is_individual)
        return rd_reader_fail(r, node,
                              "becomes: '%s' is a counted species, whose molecules have no "
                              "identity; name species with individuals",
                              name);
    return named <= number ||
           rd_reader_fail(r, node,
                          "becomes: '%s' is named %d times as a %s, but the equation has %d; leave "
                          "pairs out",
                          name, (int)named, is_reactant ? "reactant" : "product", (int)number);
}

/* Reads one pair, "A -> B" or "2 A -> 2 B". Returns their number, or 0 with a message. */
static int32_t read_pair(struct rd_reader *r, const rd_node *node, struct rd_successor *pair)
{
    struct rd_reaction x = {0};
    bool is_reversible = false;
    int32_t n = 0;
    if (rd_equation_read(&x, rd_node_text(node), r->m, rd_node_place(r->c, node), &is_reversible,
                         r->e)) {
        if (is_reversible || x.n_reactants != 1 || x.n_products != 1 ||
            x.reactant->number != x.product->number)
            rd_reader_fail(r, node,
                           "becomes: \"%.80s\" is no pair; write one reactant and one product, as "
                           "in \"A -> B\"",
                           rd_node_text(node));
        else {
            *pair = (struct rd_successor){x.reactant->species, x.product->species};
            n = x.reactant->number;
        }
    }
    free(x.equation);
    free(x.reactant);
    free(x.product);
    return n;
}

/* Adds n equal pairs, in the order of the names of products. */
static bool add_pairs(struct rd_reader *r, struct rd_reaction *x, struct rd_successor pair,
                      int32_t n)
{
    const struct rd_model *const m = r->m;
    struct rd_successor *const more =
        realloc(x->becomes, (size_t)(x->n_becomes + n) * sizeof *more);
    if (!more)
        return rd_fail(r->e, "out of memory for the pairs of a reaction");
    x->becomes = more;
    for (int32_t k = 0; k < n; k++) {
        int at = x->n_becomes++;
        for (; at > 0 && strcmp(m->species[more[at - 1].to].name, m->species[pair.to].name) > 0;
             at--)
            more[at] = more[at - 1];
        more[at] = pair;
    }
    return true;
}

/* Returns how often the pairs name a species, and n times more. */
static int32_t count_named(const struct rd_reaction *x, int32_t species, bool is_reactant,
                           int32_t n)
{
    for (int i = 0; i < x->n_becomes; i++)
        n += (is_reactant ? x->becomes[i].from : x->becomes[i].to) == species;
    return n;
}

bool rd_becomes_read(struct rd_reader *r, const rd_node *group, struct rd_reaction *x)
{
    const rd_node *const list = rd_node_member(group, "becomes");
    for (int i = 0; list && i < rd_reader_many(list); i++) {
        const rd_node *const node = rd_reader_each(list, i);
        struct rd_successor pair;
        const int32_t n = read_pair(r, node, &pair);
        if (n == 0 ||
            !check_partner(r, node, x, pair.from, true, count_named(x, pair.from, true, n)) ||
            !check_partner(r, node, x, pair.to, false, count_named(x, pair.to, false, n)) ||
            !add_pairs(r, x, pair, n))
            return false;
    }
    return true;
}

bool rd_becomes_turn(struct rd_reader *r, const struct rd_reaction *x, struct rd_reaction *back)
{
    for (int i = 0; i < x->n_becomes; i++)
        if (!add_pairs(r, back, (struct rd_successor){x->becomes[i].to, x->becomes[i].from}, 1))
            return false;
    return true;
}
