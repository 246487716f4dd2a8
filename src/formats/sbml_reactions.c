/* sbml_reactions - the reactions of an SBML model as lines of a configuration. A kinetic law is
   substance per time: that of mass action becomes a rate, any other a propensity, as it stands. */
#include "formats/sbml_reactions.h"

#include "base/text.h"
#include "formats/sbml_counted.h"
#include "formats/sbml_laws.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Describes the sides of a reaction, each species once per side. */
struct law_sides {
    struct rd_sbml_term *reactant, *product;
    int n_reactants, n_products;
};

/* Describes the section while it is written. */
struct reaction_writing {
    struct rd_sbml *s;
    FILE *out;
    bool has_any;
};

/* ---- stoichiometry ---- */

/* Returns the number that a species is multiplied by when extent becomes substance. */
static double conversion_factor(struct rd_sbml *s, const struct rd_sbml_symbol *x)
{
    const char *const id =
        Species_isSetConversionFactor(x->object) ? Species_getConversionFactor(x->object)
        : Model_isSetConversionFactor(s->model)  ? Model_getConversionFactor(s->model)
                                                 : NULL;
    struct rd_sbml_symbol *const factor = rd_sbml_find(s, id);
    return factor ? rd_sbml_number(s, rd_sbml_start(s, factor)) : 1.0;
}

/* Returns the molecules per event of the reference, a whole number; -1 with a message. */
static int molecules_of(struct rd_sbml *s, SpeciesReference_t *r, const struct rd_sbml_symbol *x)
{
    const double given = rd_sbml_stoichiometry(s, r);
    const double exact = given * conversion_factor(s, x) * x->items / s->extent;
    const double whole = floor(exact + 0.5);
    if (isnan(given))
        return -1;
    if (!(fabs(exact - whole) <= 1e-6 * fabs(exact)) || whole < 0.0 || whole > INT32_MAX) {
        rd_sbml_fail(s,
                     "an event changes '%.60s' by %.6g molecules, and a stochastic simulation "
                     "needs a whole number from 0 to %d; multiply the stoichiometry",
                     x->id, exact, INT32_MAX);
        return -1;
    }
    return (int)whole;
}

/* Returns whether reactions change the species: its molecules are counted, and neither a boundary
   nor constant. */
static bool is_changed(const struct rd_sbml_symbol *x)
{
    return x->role == RD_SBML_IS_COUNT && !Species_getBoundaryCondition(x->object) &&
           !Species_getConstant(x->object);
}

static bool add_reference_term(struct rd_sbml *s, SpeciesReference_t *r, struct rd_sbml_term *term,
                               int *n)
{
    const char *const id = SpeciesReference_getSpecies(r);
    struct rd_sbml_symbol *const x = rd_sbml_find(s, id);
    if (!x || x->kind != RD_SBML_SPECIES)
        return rd_sbml_fail(s, "the species '%.60s' is not declared; declare it", id ? id : "");
    if (!is_changed(x))
        return true;
    const int number = molecules_of(s, r, x);
    if (number <= 0)
        return number == 0;
    for (int i = 0; i < *n; i++)
        if (term[i].species == x) {
            if (term[i].number > INT32_MAX - number)
                return rd_sbml_fail(s, "has too many '%.60s'; use fewer", x->id);
            term[i].number += number;
            return true;
        }
    term[(*n)++] = (struct rd_sbml_term){x, number};
    return true;
}

static bool read_sides(struct rd_sbml *s, Reaction_t *r, struct law_sides *sides)
{
    const unsigned n[] = {Reaction_getNumReactants(r), Reaction_getNumProducts(r)};
    sides->reactant = calloc(n[0] + 1, sizeof *sides->reactant);
    sides->product = calloc(n[1] + 1, sizeof *sides->product);
    if (!sides->reactant || !sides->product)
        return rd_sbml_fail(s, "out of memory");
    bool ok = true;
    for (unsigned i = 0; i < n[0]; i++)
        ok = add_reference_term(s, Reaction_getReactant(r, i), sides->reactant,
                                &sides->n_reactants) &&
             ok;
    for (unsigned i = 0; i < n[1]; i++)
        ok = add_reference_term(s, Reaction_getProduct(r, i), sides->product, &sides->n_products) &&
             ok;
    return ok;
}

static void free_sides(struct law_sides *sides)
{
    free(sides->reactant);
    free(sides->product);
}

/* ---- lines ---- */

static void write_term(FILE *out, int number, const char *name, bool *is_first)
{
    fputs(*is_first ? "" : " + ", out);
    if (number != 1)
        fprintf(out, "%d ", number);
    fputs(name, out);
    *is_first = false;
}

/* Writes a side; counted rules that lose, or gain, molecules are part of it. */
static void write_sbml_side(FILE *out, const struct rd_sbml_term *term, int n,
                            const struct rd_sbml_counted *counted, const int *change, int sign)
{
    bool is_first = true;
    for (int i = 0; i < n; i++)
        write_term(out, term[i].number, term[i].species->name, &is_first);
    for (int i = 0; i < counted->n; i++)
        if (sign * change[i] > 0)
            write_term(out, sign * change[i], counted->rule[i].species->name, &is_first);
    fputs(is_first ? "0" : "", out);
}

/* Computes the changes of the counted rules; returns whether one of them loses molecules. */
static bool change_counted(const struct rd_sbml *s, const struct rd_sbml_counted *counted,
                           const struct rd_sbml_direction *d, int *change)
{
    bool loses = false;
    for (int i = 0; i < counted->n; i++) {
        change[i] = 0;
        for (int k = 0; k < d->n_reactants; k++)
            change[i] -= d->reactant[k].number *
                         rd_sbml_counted_weight(s, &counted->rule[i], d->reactant[k].species);
        for (int k = 0; k < d->n_products; k++)
            change[i] += d->product[k].number *
                         rd_sbml_counted_weight(s, &counted->rule[i], d->product[k].species);
        loses = loses || change[i] < 0;
    }
    return loses;
}

/* Finds the compartment in which the reaction happens: that of the first reactant, or of the first
   product. There `volume` is its size. One that changes nothing happens in the voxel, where the
   species of compartments are totals. */
static void find_compartment(struct rd_sbml *s, struct rd_sbml_direction *d)
{
    const struct rd_sbml_term *const first = d->n_reactants > 0  ? d->reactant
                                             : d->n_products > 0 ? d->product
                                                                 : NULL;
    if (!s->has_mixed)
        return;
    if (!first) {
        d->propensity = rd_sbml_of_run(s, d->propensity);
        return;
    }
    d->home = rd_sbml_compartment(s, first->species);
    d->propensity = rd_formula_replace(&s->pool, d->propensity, d->home->name,
                                       rd_formula_name(&s->pool, RD_FORMULA_NAME, "volume"));
}

/* Returns the constant of mass action, or NULL. What is left of the size of the compartment in it
   is that of the model, so that the constant is the same in the voxels of a finer grid. */
static rd_formula constant_of(struct rd_sbml *s, const struct rd_sbml_direction *d)
{
    const rd_formula rate = rd_sbml_mass_action(s, d);
    if (!rate || (!d->home && s->voxel < 0))
        return rate;
    const rd_formula size =
        d->home ? rd_sbml_now(s, d->home) : rd_formula_number(&s->pool, rd_sbml_voxel_size(s));
    return rd_formula_replace(&s->pool, rate, "volume", size);
}

/* Writes one direction as an entry of the list. change: room for those of the counted rules. */
static void write_one_way(struct reaction_writing *w, const char *name, struct rd_sbml_direction *d,
                          const struct rd_sbml_counted *counted, int *change)
{
    rd_sbml_drop_catalysts(w->s, d);
    find_compartment(w->s, d);
    /* A counted rule on the left would be a factor of mass action. */
    const bool loses = change_counted(w->s, counted, d, change);
    const rd_formula rate = loses ? NULL : constant_of(w->s, d);
    fprintf(w->out, "%s    { name = \"%s\"; equation = \"", w->has_any ? ",\n" : "", name);
    write_sbml_side(w->out, d->reactant, d->n_reactants, counted, change, -1);
    fputs(" -> ", w->out);
    write_sbml_side(w->out, d->product, d->n_products, counted, change, 1);
    fprintf(w->out, "\"; %s = \"", rate ? "rate" : "propensity");
    rd_formula_write(w->out, rate ? rate : rd_sbml_guarded(w->s, d));
    fputs("\"; ", w->out);
    if (d->home && d->n_reactants == 0)
        fprintf(w->out, "in = \"%s\"; ", d->home->name);
    fputc('}', w->out);
    w->has_any = true;
}

static struct rd_sbml_term *copy_terms(const struct rd_sbml_term *term, int n)
{
    struct rd_sbml_term *const copy = calloc((size_t)n + 1, sizeof *copy);
    if (copy)
        memcpy(copy, term, (size_t)n * sizeof *copy);
    return copy;
}

/* Writes one direction, whose sides both directions share. */
static void write_direction(struct reaction_writing *w, const char *name,
                            const struct rd_sbml_direction *shared,
                            const struct rd_sbml_counted *counted)
{
    struct rd_sbml_direction d = *shared;
    int *const change = calloc((size_t)counted->n + 1, sizeof *change);
    d.reactant = copy_terms(shared->reactant, shared->n_reactants);
    d.product = copy_terms(shared->product, shared->n_products);
    if (change && d.reactant && d.product)
        write_one_way(w, name, &d, counted, change);
    else
        rd_sbml_fail(w->s, "out of memory");
    free(change);
    free(d.reactant);
    free(d.product);
}

/* ---- directions ---- */

static bool is_product(const void *of, rd_formula name)
{
    const struct law_sides *const sides = of;
    for (int i = 0; i < sides->n_products; i++)
        if (strcmp(sides->product[i].species->name, name->name) == 0)
            return true;
    return false;
}

/* Splits the law of a reversible reaction. The part that is subtracted must use a product, since
   otherwise it is not the rate of the reverse reaction. */
static bool split_law(struct rd_sbml *s, rd_formula law, const struct law_sides *sides,
                      rd_formula *forward, rd_formula *back)
{
    if (!rd_sbml_split(s, law, forward, back))
        return rd_sbml_fail(s, "is reversible, but its law is not the difference of two terms that "
                               "are never negative; write two reactions");
    if (sides->n_products > 0 && !rd_formula_is_number(*back, 0.0) &&
        !rd_formula_any(*back, is_product, sides))
        return rd_sbml_fail(s, "is reversible, but the subtracted term of its law uses no product; "
                               "write two reactions, or set reversible=\"false\"");
    return true;
}

/* Writes the reverse direction, whose name ends in _back. */
static void write_back(struct reaction_writing *w, const char *name,
                       const struct rd_sbml_direction *d, const struct rd_sbml_counted *counted)
{
    char *const wanted = rd_text_format("%s_back", name);
    write_direction(w, rd_sbml_new_name(w->s, wanted ? wanted : name), d, counted);
    free(wanted);
}

static void write_sbml_reaction(struct reaction_writing *w, Reaction_t *r,
                                const struct rd_sbml_counted *counted)
{
    struct rd_sbml *const s = w->s;
    struct rd_sbml_symbol *const x = rd_sbml_find(s, Reaction_getId(r));
    struct law_sides sides = {0};
    rd_sbml_about(s, SBase_getLine((SBase_t *)r), "reaction '%.60s'", Reaction_getId(r));
    if (Reaction_getFast(r))
        rd_sbml_fail(s, "is fast, and a stochastic simulation has no instant equilibrium; set "
                        "fast=\"false\"");
    if (read_sides(s, r, &sides)) {
        const rd_formula law = rd_formula_pair(&s->pool, RD_FORMULA_PRODUCT,
                                               rd_sbml_factor(s, s->extent), rd_sbml_now(s, x));
        struct rd_sbml_direction d = {sides.reactant,   sides.product, sides.n_reactants,
                                      sides.n_products, law,           NULL};
        rd_formula back = rd_formula_number(&s->pool, 0.0);
        const bool is_split = Reaction_getReversible(r);
        rd_sbml_about(s, SBase_getLine((SBase_t *)r), "reaction '%.60s'", Reaction_getId(r));
        if (!is_split || split_law(s, law, &sides, &d.propensity, &back))
            write_direction(w, x->name, &d, counted);
        d = (struct rd_sbml_direction){sides.product,     sides.reactant, sides.n_products,
                                       sides.n_reactants, back,           NULL};
        if (!rd_formula_is_number(back, 0.0))
            write_back(w, x->name, &d, counted);
    }
    free_sides(&sides);
}

void rd_sbml_write_reactions(struct rd_sbml *s, const struct rd_sbml_counted *counted, FILE *out)
{
    struct reaction_writing w = {s, out, false};
    if (Model_getNumReactions(s->model) == 0)
        return;
    fputs("reactions = (\n", out);
    for (unsigned i = 0; i < Model_getNumReactions(s->model); i++)
        write_sbml_reaction(&w, Model_getReaction(s->model, i), counted);
    fputs("\n);\n", out);
}
