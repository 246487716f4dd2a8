/* sbml - converts SBML models: reads the document by libSBML, reports its errors, and writes the
   sections of a configuration. A build without libSBML refuses every model. */
#define _POSIX_C_SOURCE 200809L
#include "formats/sbml.h"

#include "base/text.h"

#include <stdio.h>
#include <string.h>

/* Returns the text after a byte order mark and blanks, which libSBML does not accept. */
static const char *content_of(const char *text)
{
    const char *const begin = rd_text_after_mark(text);
    return begin + strspn(begin, " \t\r\n");
}

bool rd_sbml_is(const char *text)
{
    enum { LOOKED_AT = 4096 };
    char start[LOOKED_AT + 1] = "";
    strncat(start, content_of(text), LOOKED_AT);
    return *start == '<' && (strstr(start, "<sbml") || strstr(start, ":sbml"));
}

#ifdef RD_HAS_SBML

#include "formats/sbml_counted.h"
#include "formats/sbml_document.h"
#include "formats/sbml_events.h"
#include "formats/sbml_network.h"
#include "formats/sbml_reactions.h"

#include <math.h>
#include <stdlib.h>

/* ---- numbers of molecules at the start ---- */

static bool can_change(const struct rd_sbml_symbol *x)
{
    return x->is_set_by_event ||
           (!Species_getBoundaryCondition(x->object) && !Species_getConstant(x->object));
}

/* Finds the molecules of a species at the start. A species that never changes is a parameter if
   they are no whole number. */
static void find_start_count(struct rd_sbml *s, struct rd_sbml_symbol *x)
{
    rd_sbml_about(s, SBase_getLine(x->object), "species '%.60s'", x->id);
    x->count = rd_sbml_number(s, rd_sbml_molecules(s, x, rd_sbml_start(s, x), true));
    const double whole = floor(x->count + 0.5);
    const bool is_whole = fabs(x->count - whole) <= 1e-9 * whole;
    if (!is_whole && x->count >= 0.0 && !can_change(x))
        x->role = RD_SBML_IS_PARAMETER;
    else if (!(x->count >= 0.0))
        rd_sbml_fail(s, "begins with %g molecules; give it an amount from 0 on", x->count);
    else if (whole > INT32_MAX)
        rd_sbml_fail(s,
                     "begins with %.4g molecules, and a voxel holds at most %d; give it less, its "
                     "compartment a smaller size, or check the unit of substance",
                     x->count, INT32_MAX);
    else if (!is_whole)
        rd_sbml_note(s, "begins with %.9g molecules; rounded to %.0f", x->count, whole);
}

static void count_all(struct rd_sbml *s)
{
    for (unsigned i = 0; i < Model_getNumSpecies(s->model); i++) {
        struct rd_sbml_symbol *const x =
            rd_sbml_find(s, Species_getId(Model_getSpecies(s->model, i)));
        if (x->role == RD_SBML_IS_COUNT && x->compartment >= 0)
            find_start_count(s, x);
    }
}

/* ---- sections ---- */

static void write_sbml_head(const struct rd_sbml *s, FILE *out)
{
    const char *const name =
        Model_isSetName(s->model) ? Model_getName(s->model) : Model_getId(s->model);
    fprintf(out, "# SBML level %d version %d. Numbers of species are molecules.\n", s->level,
            s->version);
    int length;
    for (const char *at = NULL; (at = rd_error_next(s->notes, at, &length));)
        fprintf(out, "# Note: %.*s\n", length, at);
    fputc('\n', out);
    if (name && *name) {
        fputs("title = ", out);
        rd_text_quote(out, name);
        fputs(";\n", out);
    }
}

/* Writes the value of a key: a number, or an expression in quotes. */
static void write_sbml_value(FILE *out, rd_formula f)
{
    if (f->kind == RD_FORMULA_NUMBER) {
        rd_sbml_write_number(out, f->number);
        return;
    }
    fputc('"', out);
    rd_formula_write(out, f);
    fputc('"', out);
}

/* Writes the name of the unit that the model gives for the size of a compartment. */
static void write_compartment_unit(const struct rd_sbml_symbol *compartment, FILE *out)
{
    if (Compartment_isSetUnits(compartment->object))
        fprintf(out, " # unit: %s", Compartment_getUnits(compartment->object));
}

static void write_compartments(struct rd_sbml *s, FILE *out)
{
    const unsigned n = Model_getNumCompartments(s->model);
    fputs("compartments = (\n", out);
    for (unsigned i = 0; i < n; i++) {
        const struct rd_sbml_symbol *const x =
            rd_sbml_find(s, Compartment_getId(Model_getCompartment(s->model, i)));
        fprintf(out, "    { name = \"%s\"; volume = \"%s\"; }%s", x->name, x->name,
                i + 1 < n ? "," : "");
        write_compartment_unit(x, out);
        fputc('\n', out);
    }
    fputs(");\n", out);
}

static void write_grid(struct rd_sbml *s, FILE *out)
{
    struct rd_sbml_symbol *const voxel = s->voxel < 0 ? NULL : &s->symbol[s->voxel];
    if (voxel)
        fprintf(out,
                "# The compartment %s is one voxel; its edge is its size, in the model's unit "
                "of volume.\n",
                voxel->id);
    else if (s->has_mixed)
        fputs("# All species are in well-mixed compartments; the grid is unused.\n", out);
    else
        fputs("# All compartments share one voxel of volume 1; their sizes are parameters.\n", out);
    fputs("grid = { voxels = (1); edge = ", out);
    rd_sbml_write_number(out, voxel ? rd_sbml_number(s, rd_sbml_start(s, voxel)) : 1.0);
    fputs("; };", out);
    if (voxel)
        write_compartment_unit(voxel, out);
    fputc('\n', out);
    if (s->has_mixed)
        write_compartments(s, out);
}

static void write_sbml_parameters(struct rd_sbml *s, FILE *out)
{
    static const char opening[] = "parameters = {\n";
    const char *before = opening;
    for (int i = 0; i < s->n_symbols; i++) {
        struct rd_sbml_symbol *const x = &s->symbol[i];
        if (x->role != RD_SBML_IS_PARAMETER)
            continue;
        rd_sbml_start(s, x);
        fprintf(out, "%s    %s = ", before, x->name);
        write_sbml_value(out, x->start.formula);
        fprintf(out, ";%s%s\n", strcmp(x->name, x->id) != 0 ? " # in the model: " : "",
                strcmp(x->name, x->id) != 0 ? x->id : "");
        before = "";
    }
    for (int i = 0; i < s->n_constants; i++) {
        fprintf(out, "%s    %s = ", before, s->constant[i].name);
        rd_sbml_write_number(out, s->constant[i].value);
        fputs(";\n", out);
        before = "";
    }
    fputs(before == opening ? "" : "};\n", out);
}

static void write_odes(struct rd_sbml *s, FILE *out)
{
    const char *separator = "# Rate rules.\nodes = (\n";
    for (int i = 0; i < s->n_symbols; i++) {
        struct rd_sbml_symbol *const x = &s->symbol[i];
        if (x->role != RD_SBML_IS_ODE)
            continue;
        rd_sbml_about(s, SBase_getLine((const SBase_t *)x->rule), "rate rule of '%.60s'", x->id);
        fputs(separator, out);
        if (strcmp(x->name, x->id) != 0)
            fprintf(out, "    # in the model: %s\n", x->id);
        fprintf(out, "    { name = \"%s\"; value = ", x->name);
        write_sbml_value(out, rd_sbml_start(s, x));
        fputs("; rate = ", out);
        write_sbml_value(out,
                         rd_sbml_of_run(s, rd_sbml_math(s, Rule_getMath(x->rule), false, NULL)));
        fputs("; }", out);
        separator = ",\n";
    }
    fputs(strcmp(separator, ",\n") == 0 ? "\n);\n" : "", out);
}

static bool is_sbml_species(const struct rd_sbml_symbol *x)
{
    return x->role == RD_SBML_IS_COUNT || (x->is_counted && x->kind == RD_SBML_SPECIES);
}

static struct rd_sbml_symbol *sbml_species_at(const struct rd_sbml *s, unsigned i)
{
    return rd_sbml_find(s, Species_getId(Model_getSpecies(s->model, i)));
}

/* Returns the names that the model gives its species, sorted; NULL without memory. The names are
   not copied. */
static const char **sort_names(const struct rd_sbml *s, size_t *n)
{
    const unsigned n_species = Model_getNumSpecies(s->model);
    const char **const name = calloc((size_t)n_species + 1, sizeof *name);
    *n = 0;
    for (unsigned i = 0; name && i < n_species; i++) {
        name[*n] = Species_getName(Model_getSpecies(s->model, i));
        *n += name[*n] != NULL;
    }
    if (name)
        qsort(name, *n, sizeof *name, rd_text_order);
    return name;
}

/* Writes the name that the model gives the species as its label, unless another has it; `sorted`
   are the n names of all. */
static void write_label(const Species_t *species, const char *const *sorted, size_t n, FILE *out)
{
    const char *const name = Species_getName(species);
    if (!name || !*name || strcmp(name, Species_getId(species)) == 0)
        return;
    const char *const *const at = bsearch(&name, sorted, n, sizeof *sorted, rd_text_order);
    const bool is_shared = (at > sorted && strcmp(at[-1], name) == 0) ||
                           (at + 1 < sorted + n && strcmp(at[1], name) == 0);
    if (is_shared)
        return;
    fputs("label = ", out);
    rd_text_quote(out, name);
    fputs("; ", out);
}

static void write_sbml_species(struct rd_sbml *s, FILE *out)
{
    const char *separator = "";
    size_t n_names;
    const char **const name = sort_names(s, &n_names);
    if (!name)
        rd_fail(s->e, "%s: out of memory for the names of its species", s->path);
    fputs("species = (\n", out);
    for (unsigned i = 0; name && i < Model_getNumSpecies(s->model); i++) {
        const struct rd_sbml_symbol *const x = sbml_species_at(s, i);
        if (!is_sbml_species(x))
            continue;
        fprintf(out, "%s    { name = \"%s\"; ", separator, x->name);
        write_label(x->object, name, n_names, out);
        if (s->has_mixed)
            fprintf(out, "in = \"%s\"; ", rd_sbml_compartment(s, x)->name);
        fputc('}', out);
        separator = ",\n";
    }
    fputs("\n);\n", out);
    free(name);
    if (name && !*separator)
        rd_fail(s->e,
                "%s:1: rules give all its species, and none is counted; a stochastic "
                "simulation needs one that reactions change",
                s->path);
}

static void write_sum(const struct rd_sbml *s, const struct rd_sbml_counted_rule *r, FILE *out)
{
    const char *plus = "";
    fputs("sum = \"", out);
    for (int k = 0; k < s->n_symbols; k++) {
        if (r->weight[k] == 0)
            continue;
        fputs(plus, out);
        if (r->weight[k] > 1)
            fprintf(out, "%d ", r->weight[k]);
        fputs(s->symbol[k].name, out);
        plus = " + ";
    }
    fputc('"', out);
}

/* Returns the sum that an assignment rule gives a parameter; NULL if it is none. */
static const struct rd_sbml_counted_rule *sum_of_rule(const struct rd_sbml_counted *c,
                                                      const struct rd_sbml_symbol *x)
{
    for (int i = 0; i < c->n_observables; i++)
        if (c->observable[i].species == x)
            return &c->observable[i];
    return NULL;
}

/* Returns whether a symbol changes, and neither species nor ODEs of the configuration show it. */
static bool is_observed(const struct rd_sbml_symbol *x)
{
    const bool is_ruled = x->solved || (x->rule && Rule_isAssignment(x->rule));
    return (is_ruled && !(x->is_counted && x->kind == RD_SBML_SPECIES)) ||
           (x->role == RD_SBML_IS_PARAMETER && x->is_set_by_event);
}

/* Returns the name that the result has for a symbol: the model's, which expressions may reserve. */
static const char *name_in_result(const struct rd_sbml_symbol *x)
{
    return x->id[0] == '_' ? x->name : x->id;
}

static void write_observables(struct rd_sbml *s, const struct rd_sbml_counted *c, FILE *out)
{
    const char *separator = "observables = (\n";
    for (int i = 0; i < s->n_symbols; i++) {
        struct rd_sbml_symbol *const x = &s->symbol[i];
        const struct rd_sbml_counted_rule *const sum = sum_of_rule(c, x);
        if (!sum && !is_observed(x))
            continue;
        fprintf(out, "%s    { name = \"%s\"; ", separator, name_in_result(x));
        if (sum) {
            write_sum(s, sum, out);
        } else {
            fputs("value = \"", out);
            rd_formula_write(out, rd_sbml_of_run(s, rd_sbml_now(s, x)));
            fputc('"', out);
        }
        fputs("; }", out);
        separator = ",\n";
    }
    fputs(strcmp(separator, ",\n") == 0 ? "\n);\n" : "", out);
}

/* Writes the count at the start: an expression if it depends on parameters. */
static void write_sbml_count(struct rd_sbml *s, struct rd_sbml_symbol *x, FILE *out)
{
    const rd_formula exact = x->initial ? rd_sbml_molecules(s, x, rd_sbml_start(s, x), true) : NULL;
    const double whole = floor(x->count + 0.5);
    if (!exact || exact->kind == RD_FORMULA_NUMBER) {
        fprintf(out, "%.0f", whole);
        return;
    }
    const rd_formula half = rd_formula_number(&s->pool, 0.5);
    write_sbml_value(out, rd_formula_call(&s->pool, "floor",
                                          rd_formula_pair(&s->pool, RD_FORMULA_SUM, exact, half)));
}

static void write_sbml_initial(struct rd_sbml *s, FILE *out)
{
    const char *separator = "initial = (\n";
    for (unsigned i = 0; i < Model_getNumSpecies(s->model); i++) {
        struct rd_sbml_symbol *const x = sbml_species_at(s, i);
        if (!is_sbml_species(x))
            continue;
        fprintf(out, "%s    { name = \"%s\"; species = \"%s\"; count = ", separator, x->name,
                x->name);
        write_sbml_count(s, x, out);
        fputs("; }", out);
        separator = ",\n";
    }
    fputs(strcmp(separator, ",\n") == 0 ? "\n);\n" : "", out);
}

static void write_end(FILE *out)
{
    fputs("solver = \"exact\";\n", out);
    fputs("\n# SBML has no end of the simulation: add time = { end = 50.0; };\n", out);
}

static void note_rest(struct rd_sbml *s)
{
    for (unsigned i = 0; i < Model_getNumConstraints(s->model); i++) {
        rd_sbml_about(s, SBase_getLine((SBase_t *)Model_getConstraint(s->model, i)), "constraint");
        rd_sbml_note(s, "is not checked during the simulation");
    }
}

static void write_sections(struct rd_sbml *s, const struct rd_sbml_counted *counted, FILE *out)
{
    write_grid(s, out);
    write_odes(s, out);
    write_sbml_species(s, out);
    write_observables(s, counted, out);
    rd_sbml_write_reactions(s, counted, out);
    write_sbml_initial(s, out);
    rd_sbml_write_events(s, counted, out);
    write_end(out);
}

/* Writes the sections, of which the first needs what the others have found. Returns the text. */
static char *write_sbml_sections(struct rd_sbml *s)
{
    struct rd_sbml_counted counted = {0};
    char *head = NULL, *rest = NULL, *text = NULL;
    size_t n;
    const int before = s->e->n;
    FILE *const first = open_memstream(&head, &n), *const second = open_memstream(&rest, &n);
    if (first && second) {
        count_all(s);
        rd_sbml_counted_find(s, &counted);
        note_rest(s);
        write_sections(s, &counted, second);
        write_sbml_head(s, first);
        write_sbml_parameters(s, first);
    }
    const bool is_written = first && fclose(first) == 0 && second && fclose(second) == 0;
    if (is_written && !s->pool.is_full && s->e->n == before)
        text = rd_text_format("%s%s", head, rest);
    if (!text && (s->e->n == before || s->pool.is_full))
        rd_fail(s->e, "%s: out of memory for the configuration", s->path);
    rd_sbml_counted_free(&counted);
    free(head);
    free(rest);
    return text;
}

/* Writes the configuration of a document. */
static char *write_configuration(const char *path, SBMLDocument_t *d, struct rd_error *notes,
                                 struct rd_error *e)
{
    struct rd_sbml s = {.path = path, .notes = notes, .e = e};
    char *const made = rd_sbml_open(&s, d) ? write_sbml_sections(&s) : NULL;
    rd_sbml_close(&s);
    return made;
}

/* Reads and checks a document, and writes it as a configuration or a network. */
static char *convert_sbml(const char *path, const char *text, bool is_network,
                          struct rd_error *notes, struct rd_error *e)
{
    if (!rd_sbml_check_text(path, text, e) || !rd_sbml_library_load(path, e))
        return NULL;
    SBMLDocument_t *const d = rd_sbml_read(path, content_of(text), notes, e);
    if (!d)
        return NULL;
    char *const made = is_network ? rd_sbml_write_network(path, SBMLDocument_getModel(d), notes, e)
                                  : write_configuration(path, d, notes, e);
    SBMLDocument_free(d);
    return made;
}

#else

static char *convert_sbml(const char *path, const char *text, bool is_network,
                          struct rd_error *notes, struct rd_error *e)
{
    (void)text;
    (void)is_network;
    (void)notes;
    rd_fail(e,
            "%s: is an SBML model, and this build of rdsim has no libSBML; install the package "
            "libsbml5-dev, and build rdsim again",
            path);
    return NULL;
}

#endif

char *rd_sbml_import(const char *path, const char *text, struct rd_error *notes, struct rd_error *e)
{
    return convert_sbml(path, text, false, notes, e);
}

char *rd_sbml_network(const char *path, const char *text, struct rd_error *notes,
                      struct rd_error *e)
{
    return convert_sbml(path, text, true, notes, e);
}
