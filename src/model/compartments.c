/* compartments - the section `compartments`: well-mixed volumes beside the lattice, the species in
   them, and the reactions of these.

   The numbers of all compartments stand in voxel RD_MIXED_SITE, in the rows of their species,
   so that reactions among them are those of one voxel. A reaction whose reactants are all in one
   compartment has its volume in the place of a voxel's. */
#include "kernels/core/entries.h"
#include "model/reader.h"

#include <stdlib.h>

static const char *name_of_compartment(const struct rd_model *m, int compartment)
{
    return m->region[m->compartment[compartment].region].name;
}

/* Returns the compartment whose region this is, or -1. */
static int compartment_of_region(const struct rd_model *m, int region)
{
    return region >= rd_model_n_places(m) ? region - rd_model_n_places(m) : -1;
}

bool rd_compartments_read(struct rd_reader *r)
{
    struct rd_model *const m = r->m;
    const rd_node *const list = rd_node_member(rd_config_root(r->c), "compartments");
    bool read = true;
    for (int i = 0; i < m->n_compartments; i++) {
        struct rd_compartment *const x = &m->compartment[i];
        const rd_node *const volume = rd_node_member(rd_node_at(list, i), "volume");
        rd_reader_about(r, "compartment '%s'", name_of_compartment(m, i));
        read = rd_reader_number(r, volume, "volume", RD_RANGE_POSITIVE, &x->volume) && read;
        if (m->mask)
            m->mask[RD_MIXED_SITE] |= UINT64_C(1) << x->region;
    }
    return read;
}

void rd_compartments_note(struct rd_model *m, const rd_node *list)
{
    for (int s = 0; s < m->n_species; s++) {
        const rd_node *const in = rd_node_member(rd_node_at(list, s), "in");
        const int i =
            in && rd_node_is_text(in)
                ? rd_names_find(m, RD_NAME_REGION, rd_node_text(in)) - rd_model_n_places(m)
                : -1;
        m->species[s].compartment = i < 0 ? -1 : i;
    }
}

int rd_compartments_region(struct rd_reader *r, const rd_node *node)
{
    const int region = rd_names_look(r, node, RD_NAME_REGION, rd_node_text(node));
    if (region < 0 || compartment_of_region(r->m, region) < 0)
        return region;
    rd_reader_fail(r, node, "'%s' is a compartment, which has no voxels; name a region",
                   rd_node_text(node));
    return -1;
}

/* ---- species ---- */

bool rd_compartments_species(struct rd_reader *r, const rd_node *group, struct rd_species *x)
{
    static const char *const key[] = {"diffusion", "drift", "walls", "individuals", "on"};
    static const char *const why[] = {"does not move", "does not move", "meets no wall",
                                      "is only counted", "is on no surface"};
    if (x->compartment < 0)
        return false;
    x->region = r->m->compartment[x->compartment].region;
    for (int i = 0; i < 5; i++) {
        const rd_node *const node = rd_node_member(group, key[i]);
        const bool is_zero = node && rd_node_is_number(node) && rd_node_number(node) == 0.0;
        if (node && !is_zero)
            rd_reader_fail(
                r, node,
                "'%s' is in the compartment '%s', which is well mixed and has no places: "
                "it %s; remove '%s', or use a region of the lattice",
                x->name, name_of_compartment(r->m, x->compartment), why[i], key[i]);
    }
    return true;
}

/* ---- expressions ---- */

/* Returns the species that the operation reads in a voxel, or -1. */
static int32_t read_by(const struct rd_op *op)
{
    switch (op->code) {
    case RD_OP_COUNT:
    case RD_OP_CONCENTRATION:
    case RD_OP_SLOPE_X:
    case RD_OP_SLOPE_Y:
    case RD_OP_SLOPE_Z:
    case RD_OP_MEAN_X:
    case RD_OP_MEAN_Y:
    case RD_OP_MEAN_Z:
        return op->index;
    default:
        return -1;
    }
}

bool rd_compartments_check_in(struct rd_reader *r, const rd_node *node, const char *key,
                              const struct rd_expr *x)
{
    for (int32_t i = 0; i < x->n; i++)
        if (x->op[i].code == RD_OP_IN && compartment_of_region(r->m, x->op[i].index) >= 0)
            return rd_reader_fail(r, node,
                                  "%s uses in(%s), but this is a compartment, which has no "
                                  "voxels; name a region",
                                  key, r->m->region[x->op[i].index].name);
    return true;
}

bool rd_compartments_check_voxel(struct rd_reader *r, const rd_node *node, const char *key,
                                 const struct rd_expr *x)
{
    for (int32_t i = 0; i < x->n; i++) {
        const int32_t s = read_by(&x->op[i]);
        const int at = s < 0 ? -1 : r->m->species[s].compartment;
        if (at >= 0)
            return rd_reader_fail(r, node,
                                  "%s reads '%s', which is in the compartment '%s' and has no "
                                  "number in a voxel; write total(%s), or make it a reactant of "
                                  "the equation (and a product, if it stays)",
                                  key, r->m->species[s].name, name_of_compartment(r->m, at),
                                  r->m->species[s].name);
    }
    return true;
}

/* Checks that an expression of a compartment reads nothing of the lattice. */
static bool check_mixed(struct rd_reader *r, const rd_node *node, const char *key, int compartment,
                        const struct rd_expr *x)
{
    const unsigned of_places = RD_USES_SPACE | RD_USES_REGIONS | RD_USES_FIELDS | RD_USES_VARYING |
                               RD_USES_MEANS | RD_USES_SLOPES | RD_USES_SUMS;
    if (x->uses & of_places)
        return rd_reader_fail(r, node,
                              "%s uses %s, but it is for the compartment '%s', which has no "
                              "places; use parameters, t, volume and species in compartments",
                              key,
                              x->uses & RD_USES_SPACE     ? "x, y or z"
                              : x->uses & RD_USES_REGIONS ? "in()"
                              : x->uses & RD_USES_MEANS   ? "a mean position"
                              : x->uses & RD_USES_SUMS    ? "a sum over individuals"
                                                          : "a field or a slope",
                              name_of_compartment(r->m, compartment));
    for (int32_t i = 0; i < x->n; i++) {
        const int32_t s = read_by(&x->op[i]);
        if (s >= 0 && r->m->species[s].compartment < 0)
            return rd_reader_fail(r, node,
                                  "%s reads '%s', which is in voxels of the lattice, but it is for "
                                  "the compartment '%s'; write total(%s), or make it a reactant "
                                  "of the equation (and a product, if it stays)",
                                  key, r->m->species[s].name,
                                  name_of_compartment(r->m, compartment), r->m->species[s].name);
    }
    return true;
}

/* Replaces the volume of a voxel by those of the compartments. */
static void set_volumes(const struct rd_model *m, int compartment, struct rd_expr *x)
{
    for (int32_t i = 0; i < x->n; i++) {
        struct rd_op *const op = &x->op[i];
        if (op->code == RD_OP_VOLUME)
            *op =
                (struct rd_op){.code = RD_OP_CONSTANT, .value = m->compartment[compartment].volume};
        if (op->code == RD_OP_CONCENTRATION)
            *op = (struct rd_op){.code = RD_OP_DENSITY,
                                 .index = op->index,
                                 .value = m->compartment[m->species[op->index].compartment].volume};
    }
    x->uses &= ~(unsigned)RD_USES_VOLUME;
}

bool rd_compartments_amount(struct rd_reader *r, const rd_node *group, struct rd_amount *a)
{
    const struct rd_model *const m = r->m;
    const int at = a->species < 0 ? -1 : m->species[a->species].compartment;
    const int in = compartment_of_region(m, a->region);
    if (at < 0)
        return in < 0 || a->species < 0 ||
               rd_reader_fail(r, group,
                              "'%s' is in voxels of the lattice, not in the compartment "
                              "'%s'; name a region, or leave out 'in'",
                              m->species[a->species].name, name_of_compartment(m, in));
    const bool is_placed = a->is_at || a->site;
    if (is_placed || (a->region >= 0 && in != at))
        return rd_reader_fail(r, group,
                              "'%s' is in the compartment '%s', which has no voxels; leave out %s",
                              m->species[a->species].name, name_of_compartment(m, at),
                              is_placed ? "at, voxel and voxels" : "in");
    if (a->kind == RD_AMOUNT_VALUE)
        return rd_reader_fail(r, group,
                              "'%s' is in the compartment '%s', which has no voxels; give a count "
                              "or a density instead of a value",
                              m->species[a->species].name, name_of_compartment(m, at));
    if (a->kind != RD_AMOUNT_DENSITY || a->much.n == 0)
        return true;
    if (!check_mixed(r, group, "density", at, &a->much) || !rd_expr_times_volume(&a->much, r->e))
        return false;
    set_volumes(m, at, &a->much);
    a->kind = RD_AMOUNT_VALUE; /* of its only voxel */
    return true;
}

/* ---- reactions ---- */

/* Describes the species of a reaction by their places. */
struct exchange_sides {
    int mixed[2], placed[2]; /* [reactants, products]: entries in compartments, and in voxels */
    int compartment[2];      /* of the first entry in a compartment, or -1 */
    int other[2];            /* another compartment than that, or -1 */
    int32_t lattice;         /* a species in voxels; -1: none */
};

static struct exchange_sides sides_of(const struct rd_model *m, const struct rd_reaction *x)
{
    struct exchange_sides s = {.compartment = {-1, -1}, .other = {-1, -1}, .lattice = -1};
    for (int i = 0; i < x->n_reactants + x->n_products; i++) {
        const int side = i >= x->n_reactants;
        const int32_t species =
            side ? x->product[i - x->n_reactants].species : x->reactant[i].species;
        const int at = m->species[species].compartment;
        if (at < 0) {
            s.placed[side]++;
            s.lattice = species;
            continue;
        }
        if (s.mixed[side]++ == 0)
            s.compartment[side] = at;
        else if (at != s.compartment[side])
            s.other[side] = at;
    }
    return s;
}

/* Finds the compartment in which the reaction happens; -1: in voxels. Returns false with a message
   if that is not clear. */
static bool find_reaction_place(struct rd_reader *r, const rd_node *group, struct rd_reaction *x,
                                const struct exchange_sides *s)
{
    const struct rd_model *const m = r->m;
    const int in = compartment_of_region(m, x->region);
    const bool has_reactants = x->n_reactants > 0;
    const int side = has_reactants ? 0 : 1;
    x->compartment = -1;
    if (has_reactants ? s->placed[0] > 0 : s->placed[1] > 0 && in < 0 && x->region >= 0)
        return in < 0 ||
               rd_reader_fail(r, group,
                              "it happens in voxels, since %s is there, not in the compartment "
                              "'%s'; name a region, or leave out 'in'",
                              m->species[s->lattice].name, name_of_compartment(m, in));
    if (!has_reactants && s->placed[1] > 0 && in < 0)
        return rd_reader_fail(
            r, group,
            "it makes molecules in a compartment and in voxels, and has no "
            "reactant; give it 'in', a compartment or a region, where it happens");
    if (s->other[side] >= 0 && in < 0 && !rd_node_member(group, "propensity"))
        return rd_reader_fail(r, group,
                              "its %s are in two compartments, '%s' and '%s', so it has no volume; "
                              "%s",
                              has_reactants ? "reactants" : "products",
                              name_of_compartment(m, s->compartment[side]),
                              name_of_compartment(m, s->other[side]),
                              has_reactants ? "write a propensity" : "say which by 'in'");
    if (in >= 0 && has_reactants && in != s->compartment[0])
        return rd_reader_fail(r, group,
                              "its reactants are in the compartment '%s', not in '%s'; leave out "
                              "'in'",
                              name_of_compartment(m, s->compartment[0]),
                              name_of_compartment(m, in));
    if (in < 0 && x->region >= 0 && s->placed[1] == 0)
        return rd_reader_fail(r, group,
                              "it happens in the compartment '%s', so the region '%s' has no "
                              "effect; leave out 'in'",
                              name_of_compartment(m, s->compartment[side]),
                              m->region[x->region].name);
    x->compartment = in >= 0 ? in : s->compartment[side];
    return true;
}

/* Checks that some voxel lies in all regions of the products in voxels, and notes these regions. */
static bool find_landing(struct rd_reader *r, const rd_node *group, struct rd_reaction *x)
{
    const struct rd_model *const m = r->m;
    int surface = -1;
    x->lands =
        x->region < 0 || compartment_of_region(m, x->region) >= 0 ? 0 : UINT64_C(1) << x->region;
    for (int i = 0; i < x->n_products; i++) {
        const struct rd_species *const p = &m->species[x->product[i].species];
        if (p->compartment >= 0)
            continue;
        if (p->surface >= 0 && surface >= 0 && p->surface != surface)
            return rd_reader_fail(r, group,
                                  "it makes molecules on two surfaces; a reaction can "
                                  "have one");
        surface = p->surface >= 0 ? p->surface : surface;
        x->lands |= p->region < 0 ? 0 : UINT64_C(1) << p->region;
    }
    for (int i = 0; i < r->n_overlaps; i++)
        if ((r->overlap[i] & x->lands) == x->lands)
            return true;
    return r->n_overlaps == 0 ||
           rd_reader_fail(r, group,
                          "it can never happen: no voxel lies in all regions of its "
                          "products; change 'in'");
}

/* Completes a reaction that happens in a compartment. */
static bool take_mixed(struct rd_reader *r, const rd_node *group, struct rd_reaction *x)
{
    struct rd_expr *const speed = x->has_propensity ? &x->propensity : &x->rate;
    const char *const key = x->has_propensity ? "propensity" : "rate";
    if (!check_mixed(r, group, key, x->compartment, speed) ||
        (x->is_exchange && !find_landing(r, group, x)))
        return false;
    set_volumes(r->m, x->compartment, speed);
    x->given = compartment_of_region(r->m, x->region) >= 0 ? -1 : x->region;
    x->region = r->m->compartment[x->compartment].region;
    return true;
}

/* Completes a reaction that happens in voxels, with species in compartments. */
static bool take_placed(struct rd_reader *r, const rd_node *group, struct rd_reaction *x,
                        const struct exchange_sides *s)
{
    const struct rd_model *const m = r->m;
    x->per_volume = 1.0;
    for (int i = 0; i < x->n_reactants; i++)
        for (int k = 0; k < x->reactant[i].number; k++)
            if (m->species[x->reactant[i].species].compartment >= 0)
                x->per_volume /=
                    m->compartment[m->species[x->reactant[i].species].compartment].volume;
    if (x->has_propensity && s->mixed[0] > 0)
        return rd_reader_fail(
            r, group,
            "a voxel has no number of the reactants in the compartment '%s', so "
            "it can have no propensity or rate_law; write a rate, which may be an "
            "expression of the voxel",
            name_of_compartment(m, s->compartment[0]));
    return true;
}

/* Marks the species of a reaction between voxels and compartments. */
static void mark_exchanged(struct rd_model *m, const struct rd_reaction *x)
{
    for (int i = 0; i < x->n_reactants; i++)
        m->species[x->reactant[i].species].is_exchanged = true;
    for (int i = 0; i < x->n_products; i++)
        m->species[x->product[i].species].is_exchanged = true;
}

bool rd_compartments_reaction(struct rd_reader *r, const rd_node *group, struct rd_reaction *x)
{
    const struct rd_model *const m = r->m;
    const struct exchange_sides s = sides_of(m, x);
    const int in = compartment_of_region(m, x->region);
    const bool is_mixed = s.mixed[0] + s.mixed[1] > 0;
    x->compartment = -1;
    if (!is_mixed && in >= 0)
        return rd_reader_fail(r, group,
                              "its species are in voxels, not in the compartment '%s'; leave out "
                              "'in', or put the species into the compartment",
                              name_of_compartment(m, in));
    if (!is_mixed)
        return rd_compartments_check_voxel(r, group, x->has_propensity ? "propensity" : "rate",
                                           x->has_propensity ? &x->propensity : &x->rate);
    if (x->is_microscopic)
        return rd_reader_fail(r, group,
                              "molecules in a compartment do not diffuse, so the rate "
                              "cannot be microscopic; leave out rate_model");
    for (int i = 0; i < x->n_reactants + x->n_products; i++) {
        const int32_t one =
            i < x->n_reactants ? x->reactant[i].species : x->product[i - x->n_reactants].species;
        if (m->species[one].is_individual)
            return rd_reader_fail(r, group,
                                  "'%s' has individuals, and a reaction with species in a "
                                  "compartment can take and make counted molecules only; leave "
                                  "individuals out",
                                  m->species[one].name);
    }
    x->is_exchange = s.placed[0] + s.placed[1] > 0;
    if (x->is_exchange)
        mark_exchanged(r->m, x);
    if (!find_reaction_place(r, group, x, &s))
        return false;
    if (x->compartment >= 0)
        return take_mixed(r, group, x);
    return rd_compartments_check_voxel(r, group, x->has_propensity ? "propensity" : "rate",
                                       x->has_propensity ? &x->propensity : &x->rate) &&
           take_placed(r, group, x, &s);
}

/* Checks one direction of a pair that is mixed in each step. */
static bool check_instant(struct rd_reader *r, const rd_node *group, const struct rd_reaction *x)
{
    const unsigned constant = RD_USES_PARAMETERS | RD_USES_VOLUME;
    if (!x->is_exchange || x->n_reactants != 1 || x->n_products != 1 ||
        x->reactant[0].number != 1 || x->product[0].number != 1)
        return rd_reader_fail(r, group,
                              "rate_model is \"instant\", which is for one molecule in voxels and "
                              "one in a compartment, as in 'A <-> P'; leave it out");
    if (x->has_propensity || (x->rate.uses & ~constant))
        return rd_reader_fail(r, group,
                              "rate_model is \"instant\", whose rates are constants, since only "
                              "their ratio matters; give rate and back by parameters only");
    return true;
}

/* Returns an earlier reaction that mixes one of the species of x; NULL if there is none. */
static const struct rd_reaction *find_instant(const struct rd_model *m, const struct rd_reaction *x)
{
    for (const struct rd_reaction *one = m->reaction; one < x; one++)
        if (one->is_instant && (one->reactant[0].species == x->reactant[0].species ||
                                one->reactant[0].species == x->product[0].species ||
                                one->product[0].species == x->reactant[0].species ||
                                one->product[0].species == x->product[0].species))
            return one;
    return NULL;
}

void rd_compartments_instant(struct rd_reader *r, const rd_node *group, struct rd_reaction *x,
                             bool is_reversible)
{
    static const char *const model[] = {"mass_action", "microscopic", "instant"};
    const rd_node *const node = rd_node_member(group, "rate_model");
    if (!node || rd_reader_word(node, 3, model) < 2)
        return;
    if (!is_reversible) {
        rd_reader_fail(r, group,
                       "rate_model is \"instant\", and its arrow leads one way; write '<->' with "
                       "rate and back");
        return;
    }
    if (!check_instant(r, group, x) || !check_instant(r, group, x + 1))
        return;
    const struct rd_reaction *const earlier = find_instant(r->m, x);
    if (earlier) {
        rd_reader_fail(r, group,
                       "rate_model is \"instant\", and '%s' mixes one of its species, too; a "
                       "species can be in one such reaction",
                       earlier->equation);
        return;
    }
    const int index = (int)(x - r->m->reaction);
    x[0].is_instant = x[1].is_instant = true;
    x[0].turned = index + 1;
    x[1].turned = index;
}
