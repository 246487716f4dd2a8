/* export - writes a model as SBML: identifiers, units, compartments, species, parameters and
   observables. */
#define _POSIX_C_SOURCE 200809L
#include "export/export.h"

#include "base/text.h"
#include "export/export_model.h"

#include <stdlib.h>
#include <string.h>

/* ---- identifiers ---- */

static const char *region_name(const struct rd_model *m, int region)
{
    return m->region[region].name;
}

/* Returns an array of n identifiers, which the pool owns. */
static const char **make_ids(struct rd_export *x, int n)
{
    rd_formula *const room = rd_formula_list(&x->pool, (size_t)n);
    const char **const id = (const char **)room;
    for (int i = 0; id && i < n; i++)
        id[i] = NULL;
    return id;
}

/* Names reactions and events: by their names, or by numbers. */
static void name_changes(struct rd_export *x)
{
    const struct rd_model *const m = x->model;
    char number[32];
    for (int i = 0; i < m->n_reactions; i++) {
        const char *const label = m->reaction[i].label;
        snprintf(number, sizeof number, "R%d", i + 1);
        x->reaction[i] = rd_identifiers_new(&x->ids, strstr(label, "->") ? number : label);
    }
    for (int i = 0; i < m->n_events; i++) {
        snprintf(number, sizeof number, "E%d", i + 1);
        const char *const name = m->event[i].name ? m->event[i].name : number;
        x->event[i] = rd_identifiers_new(&x->ids, name);
        char *const counter =
            rd_export_has_counter(&m->event[i]) ? rd_text_format("%s_count", name) : NULL;
        x->counter[i] = counter ? rd_identifiers_new(&x->ids, counter) : NULL;
        free(counter);
    }
}

/* Returns the parameter that is the size of the compartment: it has its name and value; or -1. */
static int size_parameter(const struct rd_model *m, int compartment)
{
    const struct rd_compartment *const c = &m->compartment[compartment];
    for (int p = 0; p < m->n_parameters; p++)
        if (strcmp(m->parameter[p], region_name(m, c->region)) == 0 && m->value[p] == c->volume &&
            !rd_export_is_set(m, p))
            return p;
    return -1;
}

/* Returns whether the parameter is the size of a compartment, whose symbol stands for it. */
static bool is_size(const struct rd_export *x, int parameter)
{
    bool is = false;
    for (int i = 0; i < x->model->n_compartments; i++)
        is = is || x->compartment[i] == x->parameter[parameter];
    return is;
}

/* Returns whether the result shows the parameter of the same name. */
static bool is_shown_parameter(const struct rd_model *m, const struct rd_named_value *v)
{
    return v->value.n == 1 && v->value.op[0].code == RD_OP_PARAMETER &&
           strcmp(m->parameter[v->value.op[0].index], v->name) == 0;
}

/* Names the parts of the model. Species and parameters come first: they keep their names. */
static void name_parts(struct rd_export *x)
{
    const struct rd_model *const m = x->model;
    for (int s = 0; s < m->n_species; s++)
        x->species[s] = rd_identifiers_new(&x->ids, m->species[s].name);
    for (int p = 0; p < m->n_parameters; p++)
        x->parameter[p] = rd_identifiers_new(&x->ids, m->parameter[p]);
    for (int i = 0; i < m->n_compartments; i++) {
        const int size = size_parameter(m, i);
        x->compartment[i] =
            size >= 0 ? x->parameter[size]
                      : rd_identifiers_new(&x->ids, region_name(m, m->compartment[i].region));
    }
    for (int s = 0; s < m->n_species && !x->voxel; s++)
        if (m->species[s].compartment < 0)
            x->voxel = rd_identifiers_new(&x->ids, "voxel");
    for (int i = 0; i < m->n_observables; i++)
        x->observable[i] = rd_identifiers_new(&x->ids, m->observable[i].name);
    for (int i = 0; i < m->n_named_values; i++)
        if (!is_shown_parameter(m, &m->named_value[i]))
            x->value[i] = rd_identifiers_new(&x->ids, m->named_value[i].name);
    name_changes(x);
    x->least = rd_identifiers_new(&x->ids, "least_of");
    x->most = rd_identifiers_new(&x->ids, "most_of");
}

static bool open_export(struct rd_export *x)
{
    const struct rd_model *const m = x->model;
    x->species = make_ids(x, m->n_species);
    x->parameter = make_ids(x, m->n_parameters);
    x->compartment = make_ids(x, m->n_compartments);
    x->observable = make_ids(x, m->n_observables);
    x->value = make_ids(x, m->n_named_values);
    x->reaction = make_ids(x, m->n_reactions);
    x->event = make_ids(x, m->n_events);
    x->counter = make_ids(x, m->n_events);
    if (!x->pool.is_full)
        name_parts(x);
    return !x->pool.is_full && !x->ids.is_full;
}

/* ---- texts ---- */

/* Writes one character of UTF-8, or what stands for it in XML. */
static void write_character(FILE *out, const char *c, int bytes)
{
    static const char *const entity[] = {
        ['<'] = "&lt;", ['>'] = "&gt;", ['&'] = "&amp;", ['"'] = "&quot;"};
    const unsigned char first = (unsigned char)*c;
    if (bytes == 0 || first < ' ' || first == 127)
        fputc(bytes == 0 ? '?' : ' ', out);
    else if (first < sizeof entity / sizeof *entity && entity[first])
        fputs(entity[first], out);
    else
        fprintf(out, "%.*s", bytes, c);
}

void rd_export_name(FILE *out, const char *text)
{
    if (!text)
        return;
    fputs(" name=\"", out);
    for (const char *c = text; *c;) {
        const int bytes = rd_text_character(c);
        write_character(out, c, bytes);
        c += bytes > 0 ? bytes : 1;
    }
    fputc('"', out);
}

static void export_value(FILE *out, const char *attribute, double value)
{
    char text[RD_NUMBER_BYTES];
    rd_text_number(value, text);
    fprintf(out, " %s=\"%s\"", attribute, text);
}

/* ---- units ---- */

static void export_unit(FILE *out, const char *id, const char *kind, int exponent,
                        const struct rd_scale *scale)
{
    fprintf(out,
            "      <unitDefinition id=\"%s\"><listOfUnits><unit kind=\"%s\" exponent=\"%d\" "
            "scale=\"%d\"",
            id, kind, exponent, scale->power);
    export_value(out, "multiplier", scale->numerator / scale->denominator);
    fputs("/></listOfUnits></unitDefinition>\n", out);
}

static void write_units(const struct rd_units *u, FILE *out)
{
    if (!u->are_known)
        return;
    fputs("    <listOfUnitDefinitions>\n", out);
    export_unit(out, "length", "metre", 1, &u->length);
    export_unit(out, "area", "metre", 2, &u->length);
    export_unit(out, "volume", "metre", 3, &u->length);
    export_unit(out, "time", "second", 1, &u->time);
    fputs("    </listOfUnitDefinitions>\n", out);
}

/* ---- compartments and species ---- */

static void write_compartment(FILE *out, const char *id, int dimension, double size)
{
    fprintf(out, "      <compartment id=\"%s\" spatialDimensions=\"%d\"", id, dimension);
    export_value(out, "size", size);
    fputs(" constant=\"true\"/>\n", out);
}

static void export_compartments(struct rd_export *x, FILE *out)
{
    const struct rd_model *const m = x->model;
    fputs("    <listOfCompartments>\n", out);
    if (x->voxel)
        write_compartment(out, x->voxel, m->grid.dim, m->grid.volume);
    for (int i = 0; i < m->n_compartments; i++)
        write_compartment(out, x->compartment[i], m->grid.dim, m->compartment[i].volume);
    fputs("    </listOfCompartments>\n", out);
}

static void export_species(struct rd_export *x, FILE *out)
{
    const struct rd_model *const m = x->model;
    fputs("    <listOfSpecies>\n", out);
    for (int s = 0; s < m->n_species; s++) {
        const int at = m->species[s].compartment;
        fprintf(out, "      <species id=\"%s\"", x->species[s]);
        rd_export_name(out, m->species[s].label);
        fprintf(out, " compartment=\"%s\"", at < 0 ? x->voxel : x->compartment[at]);
        export_value(out, "initialAmount", rd_export_start(m, s));
        fputs(" hasOnlySubstanceUnits=\"true\" boundaryCondition=\"false\" constant=\"false\"/>\n",
              out);
    }
    fputs("    </listOfSpecies>\n", out);
}

/* ---- parameters ---- */

static void write_parameter(FILE *out, const char *id, const char *name, const double *value,
                            bool is_constant)
{
    fprintf(out, "      <parameter id=\"%s\"", id);
    rd_export_name(out, name);
    if (value)
        export_value(out, "value", *value);
    fprintf(out, " constant=\"%s\"/>\n", is_constant ? "true" : "false");
}

static void export_parameters(struct rd_export *x, FILE *out)
{
    const struct rd_model *const m = x->model;
    const double none = 0.0;
    int n = m->n_observables;
    for (int p = 0; p < m->n_parameters; p++)
        n += !is_size(x, p);
    for (int i = 0; i < m->n_named_values; i++)
        n += x->value[i] != NULL;
    for (int i = 0; i < m->n_events; i++)
        n += x->counter[i] != NULL;
    fputs(n > 0 ? "    <listOfParameters>\n" : "", out);
    for (int p = 0; p < m->n_parameters; p++)
        if (!is_size(x, p))
            write_parameter(out, x->parameter[p], NULL, &m->value[p], !rd_export_is_set(m, p));
    for (int i = 0; i < m->n_observables; i++)
        write_parameter(out, x->observable[i], m->observable[i].name, NULL, false);
    for (int i = 0; i < m->n_named_values; i++)
        if (x->value[i])
            write_parameter(out, x->value[i], m->named_value[i].name, NULL, false);
    for (int i = 0; i < m->n_events; i++)
        if (x->counter[i])
            write_parameter(out, x->counter[i], NULL, &none, false);
    fputs(n > 0 ? "    </listOfParameters>\n" : "", out);
}

/* ---- initial assignments ---- */

static void write_rule_assignment(struct rd_export *x, FILE *out, const char *symbol,
                                  rd_formula value, int *n)
{
    fputs((*n)++ == 0 ? "    <listOfInitialAssignments>\n" : "", out);
    fprintf(out, "      <initialAssignment symbol=\"%s\">", symbol);
    rd_mathml_write(x, out, value);
    fputs("</initialAssignment>\n", out);
}

/* Writes the expression at a node of the configuration, if it is computed from parameters. */
static void assign_node(struct rd_export *x, FILE *out, const char *symbol, const rd_node *node,
                        int *n)
{
    const struct rd_scope scope = rd_model_scope(x->model, RD_USES_PARAMETERS);
    struct rd_error ignored = {0}; /* of a quantity, which is no expression */
    struct rd_expr from = {0};
    if (node && rd_node_is_text(node) &&
        rd_expr_compile(&from, rd_node_text(node), &scope, "", &ignored) &&
        (from.uses & RD_USES_PARAMETERS))
        write_rule_assignment(x, out, symbol, rd_export_formula(x, &from), n);
    rd_expr_free(&from);
    rd_error_free(&ignored);
}

/* Writes the number of molecules at the start if it is computed from parameters. */
static void assign_species(struct rd_export *x, FILE *out, int s, int *n)
{
    const struct rd_model *const m = x->model;
    bool has_parameters = false, are_counts = true;
    rd_formula sum = rd_formula_number(&x->pool, 0.0);
    for (int i = 0; i < m->n_initial; i++) {
        const struct rd_amount *const a = &m->initial[i];
        if (a->species != s)
            continue;
        has_parameters = has_parameters || (a->much.uses & RD_USES_PARAMETERS);
        are_counts = are_counts && a->kind == RD_AMOUNT_COUNT;
        sum = rd_formula_pair(&x->pool, RD_FORMULA_SUM, sum, rd_export_formula(x, &a->much));
    }
    if (has_parameters && are_counts)
        write_rule_assignment(x, out, x->species[s], sum, n);
}

static void write_rule_assignments(struct rd_export *x, FILE *out)
{
    const rd_node *const root = rd_config_root(x->config);
    const rd_node *const parameters = rd_node_member(root, "parameters");
    const rd_node *const compartments = rd_node_member(root, "compartments");
    int n = 0;
    const int n_given = x->model->n_parameters - x->model->n_odes;
    for (int p = 0; p < n_given; p++)
        assign_node(x, out, x->parameter[p], rd_node_at(parameters, p), &n);
    for (int k = 0; k < x->model->n_odes; k++)
        assign_node(x, out, x->parameter[n_given + k],
                    rd_node_member(rd_node_at(rd_node_member(root, "odes"), k), "value"), &n);
    for (int i = 0; i < x->model->n_compartments; i++)
        if (size_parameter(x->model, i) < 0)
            assign_node(x, out, x->compartment[i],
                        rd_node_member(rd_node_at(compartments, i), "volume"), &n);
    for (int s = 0; s < x->model->n_species; s++)
        assign_species(x, out, s, &n);
    fputs(n > 0 ? "    </listOfInitialAssignments>\n" : "", out);
}

/* ---- rules ---- */

static rd_formula sum_of_observable(struct rd_export *x, const struct rd_observable *o)
{
    rd_formula sum = rd_formula_number(&x->pool, 0.0);
    for (int k = 0; k < o->n_terms; k++) {
        const rd_formula term[] = {
            rd_formula_number(&x->pool, o->term[k].number),
            rd_formula_name(&x->pool, RD_FORMULA_NAME, x->species[o->term[k].species])};
        sum = rd_formula_pair(&x->pool, RD_FORMULA_SUM, sum,
                              rd_formula_pair(&x->pool, RD_FORMULA_PRODUCT, term[0], term[1]));
    }
    return sum;
}

static void write_rule(struct rd_export *x, FILE *out, const char *kind, const char *id,
                       rd_formula value)
{
    fprintf(out, "      <%s variable=\"%s\">", kind, id);
    rd_mathml_write(x, out, value);
    fprintf(out, "</%s>\n", kind);
}

static void write_rules(struct rd_export *x, FILE *out)
{
    const struct rd_model *const m = x->model;
    bool has_any = m->n_observables + m->n_odes > 0;
    for (int i = 0; i < m->n_named_values; i++)
        has_any = has_any || x->value[i];
    fputs(has_any ? "    <listOfRules>\n" : "", out);
    for (int k = 0; k < m->n_odes; k++)
        write_rule(x, out, "rateRule", x->parameter[m->ode[k].parameter],
                   rd_export_formula(x, &m->ode[k].rate));
    for (int i = 0; i < m->n_observables; i++)
        write_rule(x, out, "assignmentRule", x->observable[i],
                   sum_of_observable(x, &m->observable[i]));
    for (int i = 0; i < m->n_named_values; i++)
        if (x->value[i])
            write_rule(x, out, "assignmentRule", x->value[i],
                       rd_export_formula(x, &m->named_value[i].value));
    fputs(has_any ? "    </listOfRules>\n" : "", out);
}

/* ---- the document ---- */

static void write_functions(const struct rd_export *x, FILE *out)
{
    const bool has_any = x->uses_least || x->uses_most;
    fputs(has_any ? "    <listOfFunctionDefinitions>\n" : "", out);
    if (x->uses_least)
        rd_mathml_define(out, x->least, "lt");
    if (x->uses_most)
        rd_mathml_define(out, x->most, "gt");
    fputs(has_any ? "    </listOfFunctionDefinitions>\n" : "", out);
}

static void write_export_head(const struct rd_export *x, const struct rd_units *u, FILE *out)
{
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
          "<sbml xmlns=\"http://www.sbml.org/sbml/level3/version1/core\" level=\"3\" "
          "version=\"1\">\n  <model",
          out);
    rd_export_name(out, *x->model->title ? x->model->title : NULL);
    fputs(" substanceUnits=\"item\" extentUnits=\"item\"", out);
    if (u->are_known)
        fputs(" timeUnits=\"time\" lengthUnits=\"length\" areaUnits=\"area\" "
              "volumeUnits=\"volume\"",
              out);
    fputs(">\n", out);
}

static void write_body(struct rd_export *x, FILE *out)
{
    export_compartments(x, out);
    export_species(x, out);
    export_parameters(x, out);
    write_rule_assignments(x, out);
    write_rules(x, out);
    rd_export_reactions(x, out);
    rd_export_events(x, out);
}

/* Returns the document, of which the first part needs what the rest has found. */
static char *write_document(struct rd_export *x)
{
    const struct rd_units units = rd_config_units(x->config);
    char *body = NULL, *text = NULL;
    size_t n;
    FILE *out = open_memstream(&body, &n);
    if (out)
        write_body(x, out);
    bool ok = out && fclose(out) == 0;
    out = open_memstream(&text, &n);
    if (out && ok) {
        write_export_head(x, &units, out);
        write_functions(x, out);
        write_units(&units, out);
        fprintf(out, "%s  </model>\n</sbml>\n", body);
    }
    ok = out && fclose(out) == 0 && ok && !x->pool.is_full && !x->ids.is_full;
    if (!ok)
        rd_fail(x->e, "%s: out of memory for the SBML document", rd_config_name(x->config));
    free(body);
    if (ok)
        return text;
    free(text);
    return NULL;
}

char *rd_export_sbml(const struct rd_model *m, const rd_config *c, struct rd_error *notes,
                     struct rd_error *e)
{
    struct rd_export x = {.model = m, .config = c, .notes = notes, .e = e};
    char *text = NULL;
    if (!open_export(&x))
        rd_fail(e, "%s: out of memory for the SBML document", rd_config_name(c));
    else if (rd_export_check(&x))
        text = write_document(&x);
    rd_identifiers_free(&x.ids);
    rd_formula_pool_free(&x.pool);
    return text;
}
