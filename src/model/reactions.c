/* reactions - the section `reactions`: equations, rates and propensities. It checks that products
   may live where they are made. */
#include "model/equation.h"
#include "model/individuals.h"
#include "model/microscopic.h"
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
    rd_participants_read(r, group, x);
    rd_birth_rules_check(r, group, x);
    if (changes_nothing(x))
        rd_reader_warn(r, group, "it changes nothing");
    if (is_placed)
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
    for (int i = 0; i < r->m->n_reactions; i++)
        rd_microscopic_pair(r, rd_node_at(list, i), i);
}
