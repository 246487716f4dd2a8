/* sbml_network - the reactions of an SBML model as a network text. */
#define _POSIX_C_SOURCE 200809L
#include "formats/sbml_network.h"

#include "base/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Describes a model while it is written. */
struct writer {
    Model_t *model;
    FILE *out;
    unsigned line; /* of the text */
    const char *path;
    struct rd_error *notes, *e;
};

/* Returns whether an initial assignment or a rule computes the symbol. */
static bool is_computed(Model_t *m, const char *id)
{
    bool is = false;
    for (unsigned i = 0; id && *id && !is && i < Model_getNumInitialAssignments(m); i++)
        is = strcmp(InitialAssignment_getSymbol(Model_getInitialAssignment(m, i)), id) == 0;
    for (unsigned i = 0; id && *id && !is && i < Model_getNumRules(m); i++) {
        const char *const variable = Rule_getVariable(Model_getRule(m, i));
        is = variable && strcmp(variable, id) == 0;
    }
    return is;
}

/* Returns a stoichiometry that is written as a number; NAN with a message. */
static double stoichiometry_of(const struct writer *w, Reaction_t *r, SpeciesReference_t *x)
{
    const unsigned line = SBase_getLine((SBase_t *)r);
    const char *const id = Reaction_getId(r), *const species = SpeciesReference_getSpecies(x);
    if (SpeciesReference_isSetStoichiometryMath(x) ||
        is_computed(w->model, SpeciesReference_getId(x))) {
        rd_fail(w->e,
                "%s:%u: reaction '%.60s': the stoichiometry of '%.60s' is computed; write a number",
                w->path, line, id, species);
        return NAN;
    }
    if (!SpeciesReference_isSetStoichiometry(x)) {
        if (SBase_getLevel((SBase_t *)x) >= 3) /* level 2: it is 1 by definition */
            rd_fail(w->notes,
                    "%s:%u: reaction '%.60s': a stoichiometry of '%.60s' is not given; it is 1",
                    w->path, line, id, species);
        return 1.0;
    }
    const double number = SpeciesReference_getStoichiometry(x);
    if (number >= 0.0 && number < INFINITY)
        return number;
    rd_fail(w->e, "%s:%u: reaction '%.60s': the stoichiometry of '%.60s' is %g; give 0 or more",
            w->path, line, id, species, number);
    return NAN;
}

/* Writes the shortest decimal that stands for a number. */
static void write_decimal(double number, FILE *out)
{
    char text[40];
    int digits = 1;
    do
        snprintf(text, sizeof text, "%.*g", digits, number);
    while (digits++ < 17 && strtod(text, NULL) != number);
    fprintf(out, "%s ", text);
}

static bool write_network_side(struct writer *w, Reaction_t *r, bool is_left)
{
    const unsigned n = is_left ? Reaction_getNumReactants(r) : Reaction_getNumProducts(r);
    const char *separator = "";
    bool ok = true;
    for (unsigned i = 0; i < n; i++) {
        SpeciesReference_t *const x =
            is_left ? Reaction_getReactant(r, i) : Reaction_getProduct(r, i);
        const double number = stoichiometry_of(w, r, x);
        ok = ok && !isnan(number);
        if (isnan(number) || number == 0.0)
            continue;
        fputs(separator, w->out);
        write_decimal(number, w->out);
        fputs(SpeciesReference_getSpecies(x), w->out);
        separator = " + ";
    }
    return ok;
}

/* Returns the ids of the species that reactions use, sorted; the caller frees the list. Returns
   NULL if there is no memory. */
static const char **list_used(Model_t *m, size_t *n)
{
    *n = 0;
    for (unsigned i = 0; i < Model_getNumReactions(m); i++)
        *n += Reaction_getNumReactants(Model_getReaction(m, i)) +
              Reaction_getNumProducts(Model_getReaction(m, i));
    const char **const id = malloc((*n + 1) * sizeof *id);
    size_t at = 0;
    for (unsigned i = 0; id && i < Model_getNumReactions(m); i++) {
        Reaction_t *const r = Model_getReaction(m, i);
        for (unsigned k = 0; k < Reaction_getNumReactants(r); k++)
            id[at++] = SpeciesReference_getSpecies(Reaction_getReactant(r, k));
        for (unsigned k = 0; k < Reaction_getNumProducts(r); k++)
            id[at++] = SpeciesReference_getSpecies(Reaction_getProduct(r, k));
    }
    if (id)
        qsort(id, at, sizeof *id, rd_text_order);
    return id;
}

/* Names the species that no reaction changes, of those that reactions use. */
static bool write_external(const struct writer *w)
{
    size_t n;
    const char **const used = list_used(w->model, &n);
    fputs("# external:", w->out);
    for (unsigned i = 0; used && i < Model_getNumSpecies(w->model); i++) {
        Species_t *const x = Model_getSpecies(w->model, i);
        const char *const id = Species_getId(x);
        if ((Species_getBoundaryCondition(x) || Species_getConstant(x)) &&
            bsearch(&id, used, n, sizeof *used, rd_text_order))
            fprintf(w->out, " %s", id);
    }
    free(used);
    return used != NULL;
}

static bool write_network_reactions(struct writer *w)
{
    bool ok = true;
    for (unsigned i = 0; i < Model_getNumReactions(w->model); i++) {
        Reaction_t *const r = Model_getReaction(w->model, i);
        do
            fputc('\n', w->out);
        while (++w->line < SBase_getLine((SBase_t *)r));
        fprintf(w->out, "%s : ", Reaction_getId(r));
        ok = write_network_side(w, r, true) && ok;
        fputs(Reaction_getReversible(r) ? " <=> " : " => ", w->out);
        ok = write_network_side(w, r, false) && ok;
    }
    fputc('\n', w->out);
    return ok;
}

char *rd_sbml_write_network(const char *path, Model_t *m, struct rd_error *notes,
                            struct rd_error *e)
{
    char *text = NULL;
    size_t length;
    const int before = e->n;
    struct writer w = {.model = m, .line = 1, .path = path, .notes = notes, .e = e};
    w.out = open_memstream(&text, &length);
    bool ok = w.out && write_external(&w) && write_network_reactions(&w);
    ok = w.out && fclose(w.out) == 0 && ok;
    if (ok)
        return text;
    if (e->n == before)
        rd_fail(e, "%s: out of memory for the network", path);
    free(text);
    return NULL;
}
