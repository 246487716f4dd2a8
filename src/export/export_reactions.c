/* export_reactions - writes reactions, each with its propensity as kinetic law.

   Mass action of n molecules of A is k A (A - 1) ... (A - n + 1): a law without a factor 1 / n!, as
   in docs/theory.md. A reaction of several molecules divides by the volume once less than it has
   reactants. */
#include "export/export_model.h"

#include <stdlib.h>

/* Holds the factors of a law, above and under its fraction bar. */
struct kinetic_law {
    rd_formula over, under;
};

static void multiply_product(struct rd_export *x, rd_formula *product, rd_formula factor)
{
    *product = rd_formula_pair(&x->pool, RD_FORMULA_PRODUCT, *product, factor);
}

/* Multiplies by A (A - 1) ... for each reactant. */
static void multiply_reactants(struct rd_export *x, const struct rd_reaction *r,
                               struct kinetic_law *law)
{
    for (int i = 0; i < r->n_reactants; i++) {
        const rd_formula a =
            rd_formula_name(&x->pool, RD_FORMULA_NAME, x->species[r->reactant[i].species]);
        for (int k = 0; k < r->reactant[i].number; k++) {
            const rd_formula less = rd_formula_number(&x->pool, k);
            multiply_product(x, &law->over,
                             rd_formula_pair(&x->pool, RD_FORMULA_DIFFERENCE, a, less));
        }
    }
}

/* Multiplies by the volume to the power 1 - n, for the n reactants in the place where it happens,
   and divides by the volume of each other reactant. */
static void multiply_volumes(struct rd_export *x, const struct rd_reaction *r,
                             struct kinetic_law *law)
{
    const char *const id = r->compartment >= 0 ? x->compartment[r->compartment] : x->voxel;
    const rd_formula volume = rd_formula_name(&x->pool, RD_FORMULA_NAME, id);
    int n_here = 0;
    for (int i = 0; i < r->n_reactants; i++)
        for (int k = 0; k < r->reactant[i].number; k++) {
            const int at = x->model->species[r->reactant[i].species].compartment;
            if (at != r->compartment)
                multiply_product(x, &law->under,
                                 rd_formula_name(&x->pool, RD_FORMULA_NAME, x->compartment[at]));
            else if (n_here++ > 0)
                multiply_product(x, &law->under, volume);
        }
    if (n_here == 0)
        multiply_product(x, &law->over, volume);
}

/* Returns whether the formula has the factor A - k of the species, or A for k = 0. */
static bool has_factor(rd_formula f, const char *species, int k)
{
    if (f->kind == RD_FORMULA_PRODUCT) {
        bool has = false;
        for (int i = 0; i < f->n && !has; i++)
            has = has_factor(f->part[i], species, k);
        return has;
    }
    if (f->kind == RD_FORMULA_QUOTIENT)
        return has_factor(f->part[0], species, k);
    return rd_formula_is_less(f, species, k);
}

/* Returns whether the law is 0 where there are fewer than n of the species, as its form shows. */
static bool vanishes_below(rd_formula law, rd_formula species, int n)
{
    const rd_formula f = rd_formula_below(law, species, n);
    bool is = true;
    for (int k = 0; f && k < n && is; k++)
        is = has_factor(f, species->name, k);
    return is;
}

/* Returns a propensity as 0 where a reactant is missing, as it is in a run. */
static rd_formula require_reactants(struct rd_export *x, const struct rd_reaction *r,
                                    rd_formula law)
{
    rd_formula all = NULL;
    for (int i = 0; i < r->n_reactants; i++) {
        const int number = r->reactant[i].number;
        const rd_formula a =
            rd_formula_name(&x->pool, RD_FORMULA_NAME, x->species[r->reactant[i].species]);
        if (vanishes_below(law, a, number))
            continue;
        const rd_formula enough =
            rd_formula_compared(&x->pool, a, ">=", rd_formula_number(&x->pool, number));
        all = all ? rd_formula_pair(&x->pool, RD_FORMULA_AND, all, enough) : enough;
    }
    return all ? rd_formula_if(&x->pool, all, law, rd_formula_number(&x->pool, 0.0)) : law;
}

static rd_formula law_of(struct rd_export *x, const struct rd_reaction *r)
{
    if (r->has_propensity)
        return require_reactants(x, r, rd_export_formula(x, &r->propensity));
    struct kinetic_law law = {.over = rd_export_formula(x, &r->rate),
                              .under = rd_formula_number(&x->pool, 1.0)};
    multiply_reactants(x, r, &law);
    multiply_volumes(x, r, &law);
    return rd_formula_pair(&x->pool, RD_FORMULA_QUOTIENT, law.over, law.under);
}

static void export_side(struct rd_export *x, FILE *out, const char *list,
                        const struct rd_term *term, int n)
{
    if (n > 0)
        fprintf(out, "        <%s>\n", list);
    for (int i = 0; i < n; i++)
        fprintf(out,
                "          <speciesReference species=\"%s\" stoichiometry=\"%d\" "
                "constant=\"true\"/>\n",
                x->species[term[i].species], term[i].number);
    if (n > 0)
        fprintf(out, "        </%s>\n", list);
}

/* Returns the species that the operation reads, or -1. */
static int32_t species_read_by(const struct rd_model *m, const struct rd_op *op)
{
    switch (op->code) {
    case RD_OP_COUNT:
    case RD_OP_CONCENTRATION:
    case RD_OP_DENSITY:
        return op->index;
    case RD_OP_TOTAL:
        return m->total[op->index].species;
    default:
        return -1;
    }
}

/* Writes the species that the law reads and that are not reactants or products. `is_named` marks
   those that need no mention any more; it is all false before and afterwards. */
static void write_modifiers(struct rd_export *x, FILE *out, const struct rd_reaction *r,
                            bool *is_named)
{
    const struct rd_expr *const from = r->has_propensity ? &r->propensity : &r->rate;
    bool has_any = false;
    for (int way = 0; way < 2; way++) {
        for (int i = 0; i < r->n_reactants; i++)
            is_named[r->reactant[i].species] = way == 0;
        for (int i = 0; i < r->n_products; i++)
            is_named[r->product[i].species] = way == 0;
        for (int32_t i = 0; i < from->n; i++) {
            const int32_t s = species_read_by(x->model, &from->op[i]);
            if (s >= 0 && way == 0 && !is_named[s])
                fprintf(out, "%s          <modifierSpeciesReference species=\"%s\"/>\n",
                        has_any ? "" : "        <listOfModifiers>\n", x->species[s]);
            has_any = has_any || (s >= 0 && way == 0 && !is_named[s]);
            if (s >= 0)
                is_named[s] = way == 0;
        }
    }
    fputs(has_any ? "        </listOfModifiers>\n" : "", out);
}

static void export_reaction(struct rd_export *x, FILE *out, int i, bool *is_named)
{
    const struct rd_reaction *const r = &x->model->reaction[i];
    fprintf(out, "      <reaction id=\"%s\"", x->reaction[i]);
    rd_export_name(out, r->label);
    fputs(" reversible=\"false\" fast=\"false\">\n", out);
    export_side(x, out, "listOfReactants", r->reactant, r->n_reactants);
    export_side(x, out, "listOfProducts", r->product, r->n_products);
    write_modifiers(x, out, r, is_named);
    fputs("        <kineticLaw>", out);
    rd_mathml_write(x, out, law_of(x, r));
    fputs("</kineticLaw>\n      </reaction>\n", out);
}

bool rd_export_has_sides(const struct rd_reaction *r)
{
    return r->n_reactants + r->n_products > 0;
}

void rd_export_reactions(struct rd_export *x, FILE *out)
{
    const struct rd_model *const m = x->model;
    bool *const is_named = calloc((size_t)m->n_species + 1, sizeof *is_named);
    bool has_any = false;
    x->pool.is_full = x->pool.is_full || !is_named;
    for (int i = 0; is_named && i < m->n_reactions; i++)
        if (rd_export_has_sides(&m->reaction[i])) {
            fputs(has_any ? "" : "    <listOfReactions>\n", out);
            export_reaction(x, out, i, is_named);
            has_any = true;
        }
    fputs(has_any ? "    </listOfReactions>\n" : "", out);
    free(is_named);
}
