/* reactions - the section `reactions`: equations, rates and propensities. It checks that products
   may live where they are made. */
#include "model/equation.h"
#include "model/individuals.h"
#include "model/names.h"
#include "model/sections.h"

#include <stdio.h>

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
        rd_reader_warn(r, group, "it can never happen: no voxel lies in all the regions it needs");
    for (int i = 0; happens && i < x->n_products; i++) {
        const struct rd_species *const s = &m->species[x->product[i].species];
        if (s->region < 0 || (everywhere >> s->region & 1))
            continue;
        const char *const domain = m->region[s->region].name;
        rd_reader_fail(r, group, "may make %s outside '%s', where %s does not live; %s in = \"%s\"",
                       s->name, domain, s->name, x->region < 0 ? "add" : "use", domain);
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

static void read_rate(struct rd_reader *r, const rd_node *group, struct rd_reaction *x)
{
    static const char *const key[] = {"rate", "propensity"};
    const unsigned all = RD_USES_PARAMETERS | RD_USES_SPACE | RD_USES_TIME | RD_USES_COUNTS |
                         RD_USES_VOLUME | RD_USES_SUMS | RD_USES_REGIONS | RD_USES_FIELDS |
                         RD_USES_VARYING | RD_USES_MEANS;
    const int which = rd_reader_one_of(r, group, 2, key);
    if (which < 0)
        return;
    x->has_propensity = which == 1;
    rd_reader_expr(r, rd_node_member(group, key[which]), key[which], all, RD_RANGE_NOT_NEGATIVE,
                   x->has_propensity ? &x->propensity : &x->rate);
}

static void read_reaction(struct rd_reader *r, const rd_node *group, struct rd_reaction *x)
{
    const rd_node *const equation = rd_node_member(group, "equation");
    rd_reader_about(r, "reaction '%.60s'", rd_node_text(equation));
    x->place = rd_reader_copy(r, rd_node_place(r->c, group));
    if (!x->place)
        return;
    const bool is_placed = rd_names_place(r, group, &x->region);
    read_rate(r, group, x);
    if (!rd_equation_read(x, rd_node_text(equation), r->m, rd_node_place(r->c, equation), r->e))
        return;
    rd_participants_read(r, group, x);
    rd_birth_rules_check(r, group, x);
    if (changes_nothing(x))
        rd_reader_warn(r, group, "it changes nothing");
    if (is_placed && rd_surfaces_reaction(r, group, x) && (x->surface < 0 || x->has_propensity))
        check_places(r, group, x);
}

void rd_reactions_read(struct rd_reader *r)
{
    const rd_node *const list = rd_node_member(rd_config_root(r->c), "reactions");
    const int n = rd_node_length(list);
    r->m->reaction = rd_reader_array(r, n, sizeof *r->m->reaction);
    r->m->n_reactions = r->m->reaction ? n : 0;
    for (int i = 0; i < r->m->n_reactions; i++)
        read_reaction(r, rd_node_at(list, i), &r->m->reaction[i]);
}
