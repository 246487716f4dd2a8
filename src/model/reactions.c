/* reactions - the section `reactions`: equations, rates and propensities; which individuals react,
   and whether products may live where they are made and find the parents of their rules. */
#include "model/equation.h"
#include "model/microscopic.h"
#include "model/reader.h"

#include <stdlib.h>
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
        rd_model_scope(r->m, RD_INDIVIDUAL_USES | RD_USES_VARYING | RD_USES_MEANS | RD_USES_TOTALS);
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

/* Holds a sum over the individuals of a species in an expression. */
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

static bool is_same_sum(const struct sum *a, const struct sum *b)
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

/* Returns the key that gives the speed of the reaction at group. */
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
        differ |= sum[k].species == first->species && !is_same_sum(&sum[k], first);
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

/* Reads the weight, NULL: none, of the reaction at group, whose equation, rate and propensity are
   read. Checks that no more than one rule draws the individuals that react. */
static void read_participants(struct rd_reader *r, const rd_node *group, const rd_node *weight,
                              struct rd_reaction *x)
{
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

/* ---- the section ---- */

/* Returns the regions, as bits, in which a voxel must lie for the reaction to happen there. */
static uint64_t needed_by(const struct rd_model *m, const struct rd_reaction *x)
{
    uint64_t needed = x->region < 0 ? 0 : UINT64_C(1) << x->region;
    for (int i = 0; i < x->n_reactants; i++) {
        const struct rd_species *const s = &m->species[x->reactant[i].species];
        needed |= s->region < 0 || s->compartment >= 0 ? 0 : UINT64_C(1) << s->region;
    }
    return needed;
}

/* Checks that all products may live wherever the reaction can happen. */
static void check_product_places(struct rd_reader *r, const rd_node *group,
                                 const struct rd_reaction *x)
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
        if (s->region < 0 || s->compartment >= 0)
            continue;
        if (everywhere >> s->region & 1) {
            if (rd_surfaces_may_strand(m, x, x->product[i].species, needed, NULL))
                rd_reader_fail(r, group,
                               "may make '%s', which does not move, where '%s' exchanges no "
                               "molecules; give a rate instead, or '%s' a diffusion above 0",
                               s->name, m->region[s->region].name, s->name);
            continue;
        }
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

/* Lists the keys that give the speed of a reaction; `back` has the form of the one that is
   given. */
enum { RATE, PROPENSITY, RATE_LAW, N_SPEEDS };
static const char *const speed_key[N_SPEEDS] = {"rate", "propensity", "rate_law"};

/* Reads a speed under a key. A rate law becomes a propensity, as it is multiplied by the volume of
   a voxel. */
static void read_speed(struct rd_reader *r, const rd_node *node, const char *key, int which,
                       struct rd_reaction *x)
{
    const unsigned all = RD_USES_PARAMETERS | RD_USES_SPACE | RD_USES_TIME | RD_USES_COUNTS |
                         RD_USES_VOLUME | RD_USES_SUMS | RD_USES_REGIONS | RD_USES_FIELDS |
                         RD_USES_VARYING | RD_USES_MEANS | RD_USES_TOTALS;
    x->has_propensity = which != RATE;
    r->is_rate = !x->has_propensity;
    const bool is_read = rd_reader_expr(r, node, key, all, RD_RANGE_NOT_NEGATIVE,
                                        x->has_propensity ? &x->propensity : &x->rate);
    r->is_rate = false;
    if (is_read && x->has_propensity) /* as `back` it has no unit of its own in the table */
        rd_quantities_fit(r, node, key, &x->propensity,
                          which == RATE_LAW ? "1/(volume time)" : "1/time");
    if (is_read && which == RATE_LAW)
        rd_expr_times_volume(&x->propensity, r->e);
}

/* Warns if a rate has one of the reactants as a factor: mass action multiplies by it once more. */
static void check_mass_action(struct rd_reader *r, const rd_node *group, const char *key,
                              const struct rd_reaction *x)
{
    for (int i = 0; i < x->n_reactants; i++)
        if (rd_expr_has_factor(&x->rate, x->reactant[i].species)) {
            rd_reader_warn(
                r, group,
                "%s = \"%.100s\" has the reactant %s as a factor, and mass action "
                "multiplies by it once more; write the rate constant alone, or all of it "
                "as rate_law (concentration per time) or propensity (events per time in "
                "a voxel)",
                key, x->rate.text, r->m->species[x->reactant[i].species].name);
            return;
        }
}

/* Reads what depends on the equation of a reaction, which has its speed by a key, and its region.
 */
static void read_rest(struct rd_reader *r, const rd_node *group, const char *key,
                      const rd_node *weight, bool is_placed, struct rd_reaction *x)
{
    check_mass_action(r, group, key, x);
    read_participants(r, group, weight, x);
    rd_births_check(r, group, x);
    if (changes_nothing(x))
        rd_reader_warn(r, group, "it changes nothing; remove it");
    if (!is_placed || !rd_compartments_reaction(r, group, x) || !rd_surfaces_reaction(r, group, x))
        return;
    if (x->compartment < 0 && (x->surface < 0 || x->has_propensity))
        check_product_places(r, group, x);
    if (!x->has_propensity)
        rd_quantities_rate(r, rd_node_member(group, key), key, x);
}

/* Reads the reverse of a reaction, whose speed is `back`, of the form of that of x. */
static void read_back(struct rd_reader *r, const rd_node *group, bool is_placed, int which,
                      const struct rd_reaction *x, struct rd_reaction *back)
{
    const rd_node *const node = rd_node_member(group, "back");
    back->place = rd_reader_copy(r, rd_node_place(r->c, group));
    back->region = x->compartment >= 0 ? x->given : x->region;
    back->corrected_by = x->corrected_by;
    if (!back->place || !node || which < 0)
        return;
    read_speed(r, node, "back", which, back);
    if (!rd_equation_turn(back, x))
        rd_reader_fail(r, group, "out of memory for the reverse reaction");
    else if (rd_becomes_turn(r, x, back))
        read_rest(r, group, "back", NULL, is_placed, back);
}

/* Checks the keys that only one of both kinds of reactions has. */
static void check_directions(struct rd_reader *r, const rd_node *group, bool is_reversible)
{
    static const char *const one_way[] = {"weight", "reverse"};
    if (!is_reversible && rd_node_member(group, "back"))
        rd_reader_fail(r, group,
                       "has back, but its arrow leads one way; write '<->', or leave "
                       "back out");
    if (is_reversible && !rd_node_member(group, "back"))
        rd_reader_fail(r, group,
                       "leads both ways, and back is missing; give the speed of the "
                       "reverse reaction");
    for (int i = 0; is_reversible && i < 2; i++)
        if (rd_node_member(group, one_way[i]))
            rd_reader_fail(r, group,
                           "leads both ways and has %s, which is for one direction; leave it out, "
                           "or write two reactions",
                           one_way[i]);
}

/* Reads the entry at group into x and, if its arrow leads both ways, into x[1]. Returns the number
   of reactions. */
static int read_reaction(struct rd_reader *r, const rd_node *group, struct rd_reaction *x)
{
    const rd_node *const equation = rd_node_member(group, "equation");
    bool is_reversible = false;
    rd_reader_about(r, "reaction '%.60s'", rd_node_text(equation));
    x->place = rd_reader_copy(r, rd_node_place(r->c, group));
    x->corrected_by = -1;
    if (!x->place)
        return 1;
    const bool is_placed = rd_region_names_place(r, group, &x->region);
    const int which = rd_reader_one_of(r, group, N_SPEEDS, speed_key);
    if (which >= 0)
        read_speed(r, rd_node_member(group, speed_key[which]), speed_key[which], which, x);
    if (!rd_equation_read(x, rd_node_text(equation), r->m, rd_node_place(r->c, equation),
                          &is_reversible, r->e))
        return 1 + is_reversible;
    check_directions(r, group, is_reversible);
    rd_microscopic_read(r, group, x);
    rd_becomes_read(r, group, x);
    read_rest(r, group, "rate", rd_node_member(group, "weight"), is_placed, x);
    if (is_reversible)
        read_back(r, group, is_placed, which, x, x + 1);
    rd_compartments_instant(r, group, x, is_reversible);
    return 1 + is_reversible;
}

/* Returns the number of reactions that an entry has: two if its arrow leads both ways. */
static int count_directions(const rd_node *group)
{
    bool is_reversible = false;
    const char *at = rd_node_text(rd_node_member(group, "equation"));
    while (*at && rd_equation_arrow(at, &is_reversible) == 0)
        at++;
    return 1 + is_reversible;
}

/* Makes the label of a reaction, which may have the name at a node: that name, or its equation. */
static char *make_label(struct rd_reader *r, const rd_node *name, const struct rd_reaction *x,
                        bool is_back)
{
    char *const label = name ? rd_text_format("%s%s", rd_node_text(name), is_back ? ", back" : "")
                             : rd_text_format("%s", x->equation ? x->equation : "");
    rd_reader_about(r, "%s", "");
    if (name && !is_back)
        rd_names_spelled(r, name, "reaction", rd_node_text(name));
    if (!label)
        rd_fail(r->e, "%s: out of memory for its label", x->place);
    return label;
}

static int by_label(const void *one, const void *other)
{
    const struct rd_reaction *const a = *(struct rd_reaction *const *)one,
                                    *const b = *(struct rd_reaction *const *)other;
    const int order = strcmp(a->label, b->label);
    return order != 0 ? order : (a > b) - (a < b);
}

/* Numbers equal equations in the order of the file, and reports equal names. */
static bool separate_labels(struct rd_reader *r)
{
    struct rd_model *const m = r->m;
    struct rd_reaction **const sorted = rd_reader_array(r, m->n_reactions, sizeof *sorted);
    bool ok = sorted != NULL;
    for (int i = 0; ok && i < m->n_reactions; i++) {
        sorted[i] = &m->reaction[i];
        ok = sorted[i]->label != NULL;
    }
    if (ok)
        qsort(sorted, (size_t)m->n_reactions, sizeof *sorted, by_label);
    const char *first = ok && m->n_reactions > 0 ? sorted[0]->label : NULL;
    for (int i = 1, n = 1; ok && i < m->n_reactions; i++) {
        const bool is_equal = strcmp(sorted[i]->label, first) == 0;
        n = is_equal ? n + 1 : 1;
        first = is_equal ? first : sorted[i]->label;
        if (is_equal && !strstr(first, " -> ")) {
            ok = rd_fail(r->e, "%s: reaction '%.60s' is declared twice; rename one of them",
                         sorted[i]->place, first);
        } else if (is_equal) {
            free(sorted[i]->label);
            sorted[i]->label = rd_text_format("%s #%d", first, n);
            ok = sorted[i]->label != NULL;
        }
    }
    free(sorted);
    return ok;
}

void rd_reactions_read(struct rd_reader *r)
{
    const rd_node *const list = rd_node_member(rd_config_root(r->c), "reactions");
    struct rd_model *const m = r->m;
    int n = 0;
    for (int i = 0; i < rd_node_length(list); i++)
        n += count_directions(rd_node_at(list, i));
    if (n > RD_MAX_REACTIONS) {
        rd_fail(r->e, "%s: there are %d reactions; use at most %d", rd_node_place(r->c, list), n,
                RD_MAX_REACTIONS);
        return;
    }
    m->reaction = rd_reader_array(r, n, sizeof *m->reaction);
    for (int i = 0; m->reaction && i < rd_node_length(list); i++)
        m->n_reactions += read_reaction(r, rd_node_at(list, i), &m->reaction[m->n_reactions]);
    for (int i = 0, k = 0; m->reaction && i < rd_node_length(list); i++) {
        const rd_node *const group = rd_node_at(list, i);
        rd_microscopic_pair(r, group, k);
        for (int ways = count_directions(group), way = 0; way < ways && k < m->n_reactions;
             way++, k++)
            m->reaction[k].label =
                make_label(r, rd_node_member(group, "name"), &m->reaction[k], way > 0);
    }
    if (m->reaction)
        separate_labels(r);
}
