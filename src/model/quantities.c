/* quantities - reads texts such as "50 nM", and checks the dimensions of keys that use them.

   Nothing is checked in a configuration without quantities: plain numbers fit everywhere. */
#include "expr/dimension_text.h"
#include "model/reader.h"

#include <stdio.h>
#include <string.h>

/* Returns whether every name in the text is a value that the scope allows: "10 / M" where M is a
   species is an expression. */
static bool is_expression(const char *text, const struct rd_scope *scope)
{
    double ignored;
    size_t length;
    const char *at = rd_quantity_number(text, &ignored);
    if (*at != '/')
        return false;
    for (const char *name; (name = rd_quantity_name(&at, &length));)
        if (!rd_expr_allows(scope, name, length))
            return false;
    return true;
}

static bool is_quantity_word(const char *name, size_t length, const char *word)
{
    return length == strlen(word) && strncmp(name, word, length) == 0;
}

/* Returns whether the first name after the number is a value of the model, as k in "2 k". */
static bool names_value(const char *text, const struct rd_scope *scope)
{
    double ignored;
    size_t length;
    const char *const first = rd_quantity_number(text, &ignored);
    const char *at = first;
    const char *const name = rd_quantity_name(&at, &length);
    return name == first &&
           (rd_expr_allows(scope, name, length) || is_quantity_word(name, length, "or") ||
            is_quantity_word(name, length, "and"));
}

static bool fail_unknown_units(struct rd_reader *r, const rd_node *node)
{
    const rd_node *const units = rd_node_member(rd_config_root(r->c), "units");
    const char *const length = rd_node_text(rd_node_member(units, "length"));
    const char *const time = rd_node_text(rd_node_member(units, "time"));
    return rd_reader_fail(r, node,
                          "\"%.60s\" is a quantity, which cannot be converted, since units.length "
                          "is \"%.20s\" and units.time is \"%.20s\"; give a plain number, or units "
                          "of the table in docs/units.md, as \"um\" and \"s\"",
                          rd_node_text(node), length ? length : "", time ? time : "");
}

/* Checks that a quantity can be converted in this configuration. */
static bool check_quantity(struct rd_reader *r, const rd_node *node, const struct rd_quantity *q)
{
    const char *const text = rd_node_text(node);
    if (!r->units.are_known)
        return fail_unknown_units(r, node);
    if (q->is_molar && q->dimension.length != 0 && r->axes != 3) {
        char words[64], example[64];
        const struct rd_dimension density = {-r->axes, 0};
        rd_dimension_words(density, words, sizeof words);
        rd_dimension_example(&r->units, density, example, sizeof example);
        return rd_reader_fail(r, node,
                              "\"%.60s\" has concentrations, which need three dimensions, and the "
                              "grid has %d; densities here are %s, as %s",
                              text, r->axes, words, example);
    }
    return true;
}

enum rd_quantity_kind rd_quantities_read(struct rd_reader *r, const rd_node *node, const char *key,
                                         const struct rd_scope *scope, struct rd_expr *x)
{
    const char *const text = rd_node_text(node);
    struct rd_quantity q;
    const enum rd_quantity_kind kind = rd_quantity_read(text, &r->units, &q);
    if (kind == RD_QUANTITY_NONE || is_expression(text, scope))
        return RD_QUANTITY_NONE;
    if (kind == RD_QUANTITY_WRONG && (names_value(text, scope) || !r->units.are_known))
        return RD_QUANTITY_NONE; /* the compiler reports it */
    if (kind == RD_QUANTITY_WRONG) {
        rd_reader_fail(r, node,
                       "%s is \"%.60s\", and '%s' is not a unit; use units of the table in "
                       "docs/units.md, as in \"0.5 um^2/s\" or \"50 nM\"",
                       key, text, q.wrong);
        return RD_QUANTITY_WRONG;
    }
    if (!check_quantity(r, node, &q) || !rd_expr_constant(x, q.value, r->e))
        return RD_QUANTITY_WRONG;
    x->is_quantity = true;
    x->dimension = q.dimension;
    return RD_QUANTITY_RIGHT;
}

bool rd_quantities_convert(struct rd_reader *r, const rd_node *unit, double *value, int64_t n,
                           struct rd_dimension *dimension)
{
    char text[160];
    struct rd_quantity q = {0};
    for (int64_t i = -1; i < n; i++) { /* the first time for the unit alone */
        snprintf(text, sizeof text, "%.17g %.80s", i < 0 ? 1.0 : value[i], rd_node_text(unit));
        if (rd_quantity_read(text, &r->units, &q) != RD_QUANTITY_RIGHT)
            return rd_reader_fail(r, unit,
                                  "unit is \"%.60s\", which is none; use units of the table in "
                                  "docs/units.md, as in \"1/s\" or \"um^2/s\"",
                                  rd_node_text(unit));
        if (!check_quantity(r, unit, &q))
            return false;
        if (i >= 0)
            value[i] = q.value;
    }
    *dimension = q.dimension;
    r->has_quantities = true;
    return true;
}

/* Finds the measure of x, and reports quantities that do not fit together. */
static bool find_measure(struct rd_reader *r, const rd_node *node, const char *key,
                         const struct rd_expr *x, struct rd_value_dimension *measure)
{
    const struct rd_measures of = {r->measure, r->m->value, r->axes, r->m->table};
    char why[256];
    return rd_expr_measure(x, &of, measure, why, sizeof why) ||
           rd_reader_fail(r, node, "%s: \"%.80s\" %s", key, x->text, why);
}

static bool has_look(const struct rd_expr *x)
{
    bool has = false;
    for (int32_t i = 0; i < x->n && !has; i++)
        has = x->op[i].code == RD_OP_LOOK;
    return has;
}

/* Returns whether measures are needed: a quantity takes part. */
static bool is_measured(const struct rd_reader *r, const struct rd_expr *x)
{
    return x->is_quantity || (r->has_quantities && ((x->uses & RD_USES_PARAMETERS) || has_look(x)));
}

/* Reports a measure of another dimension than `needed`. */
static bool check_fits(struct rd_reader *r, const rd_node *node, const char *key,
                       struct rd_value_dimension measure, struct rd_dimension needed)
{
    char is[64], must[64], example[64];
    if (measure.kind != RD_MEASURE_QUANTITY || rd_dimension_is_same(measure.dimension, needed))
        return true;
    rd_dimension_words(measure.dimension, is, sizeof is);
    rd_dimension_words(needed, must, sizeof must);
    rd_dimension_example(&r->units, needed, example, sizeof example);
    return rd_reader_fail(r, node, "\"%.80s\" is %s; %s is %s, as %s", rd_node_text(node), is, key,
                          must, example);
}

bool rd_quantities_check(struct rd_reader *r, const rd_node *node, const char *key,
                         const struct rd_expr *x)
{
    struct rd_value_dimension measure;
    struct rd_dimension needed;
    if (!is_measured(r, x))
        return true;
    if (!find_measure(r, node, key, x, &measure))
        return false;
    return !rd_dimension_of_key(rd_node_unit(node), r->axes - r->is_on_surface, &needed) ||
           check_fits(r, node, key, measure, needed);
}

bool rd_quantities_fit(struct rd_reader *r, const rd_node *node, const char *key,
                       const struct rd_expr *x, const char *unit)
{
    const struct rd_measures of = {r->measure, r->m->value, r->axes, r->m->table};
    struct rd_value_dimension measure;
    struct rd_dimension needed;
    char why[256]; /* is reported already */
    return !is_measured(r, x) || !rd_expr_measure(x, &of, &measure, why, sizeof why) ||
           !rd_dimension_of_key(unit, r->axes, &needed) ||
           check_fits(r, node, key, measure, needed);
}

void rd_quantities_parameter(struct rd_reader *r, const rd_node *node, int p,
                             const struct rd_expr *x)
{
    struct rd_value_dimension measure;
    if (is_measured(r, x) && find_measure(r, node, "value", x, &measure) &&
        measure.kind == RD_MEASURE_QUANTITY) {
        r->measure[p] = measure;
        r->has_quantities = true;
    }
}

bool rd_quantities_set(struct rd_reader *r, const rd_node *node, int p, const struct rd_expr *x)
{
    struct rd_value_dimension measure;
    return !is_measured(r, x) || r->measure[p].kind != RD_MEASURE_QUANTITY ||
           !find_measure(r, node, rd_node_name(node), x, &measure) ||
           check_fits(r, node, rd_node_name(node), measure, r->measure[p].dimension);
}

struct rd_dimension rd_model_rate_dimension(const struct rd_model *m, const struct rd_reaction *x)
{
    int length = (x->surface >= 0) - m->grid.dim; /* per volume, or per area */
    for (int i = 0; i < x->n_reactants; i++)
        length += x->reactant[i].number *
                  (m->grid.dim - (m->species[x->reactant[i].species].surface >= 0));
    return (struct rd_dimension){length, -1};
}

bool rd_quantities_rate(struct rd_reader *r, const rd_node *node, const char *key,
                        const struct rd_reaction *x)
{
    const struct rd_measures of = {r->measure, r->m->value, r->axes, r->m->table};
    struct rd_value_dimension measure;
    char why[256]; /* is reported already */
    if (!is_measured(r, &x->rate) || !rd_expr_measure(&x->rate, &of, &measure, why, sizeof why))
        return true;
    return r->m->grid.dim == 0 ||
           check_fits(r, node, key, measure, rd_model_rate_dimension(r->m, x));
}

bool rd_quantities_name(struct rd_reader *r, const rd_node *node, const char *name)
{
    return !r->units.are_known || !rd_units_has(name) ||
           rd_reader_fail(r, node,
                          "parameter '%s': has the name of a unit, which stands for that in "
                          "quantities as \"2 %s\"; choose another name",
                          name, name);
}
