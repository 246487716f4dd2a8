/* sbml_model - the symbols of an SBML model, and their names in the configuration. */
#include "formats/sbml_model.h"

#include "formats/sbml_rates.h"

#include "base/text.h"
#include "expr/builtins.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* ---- messages ---- */

void rd_sbml_about(struct rd_sbml *s, unsigned line, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vsnprintf(s->about, sizeof s->about, format, list);
    va_end(list);
    s->line = line;
}

void rd_sbml_about_event(struct rd_sbml *s, unsigned line, const Event_t *event)
{
    const char *const id = Event_getId(event);
    if (id && *id)
        rd_sbml_about(s, line, "event '%.60s'", id);
    else
        rd_sbml_about(s, line, "event");
}

static void add_sbml_message(const struct rd_sbml *s, struct rd_error *to, const char *format,
                             va_list list)
{
    char *const fact = rd_text_format_list(format, list);
    rd_fail(to, "%s:%u: %s%s%s", s->path, s->line, s->about, *s->about ? ": " : "",
            fact ? fact : "out of memory");
    free(fact);
}

bool rd_sbml_fail(struct rd_sbml *s, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    add_sbml_message(s, s->e, format, list);
    va_end(list);
    return false;
}

void rd_sbml_note(struct rd_sbml *s, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    add_sbml_message(s, s->notes, format, list);
    va_end(list);
}

/* ---- names ---- */

static int order_symbol_ids(const void *a, const void *b)
{
    return strcmp(((const struct rd_sbml_symbol *)a)->id, ((const struct rd_sbml_symbol *)b)->id);
}

struct rd_sbml_symbol *rd_sbml_find(const struct rd_sbml *s, const char *id)
{
    const struct rd_sbml_symbol key = {.id = id};
    return id ? bsearch(&key, s->symbol, (size_t)s->n_symbols, sizeof key, order_symbol_ids) : NULL;
}

struct rd_sbml_symbol *rd_sbml_named(const struct rd_sbml *s, rd_formula name)
{
    struct rd_sbml_symbol *const same = rd_sbml_find(s, name->name);
    const bool is_plain = name->kind == RD_FORMULA_NAME;
    if (same && strcmp(same->name, name->name) == 0)
        return is_plain && same->is_bracketed ? NULL : same;
    for (int i = 0; i < s->n_symbols && s->n_renamed > 0; i++)
        if (s->symbol[i].name && strcmp(s->symbol[i].name, name->name) == 0)
            return &s->symbol[i];
    return NULL;
}

/* Returns whether the name cannot be used for something new. */
static bool is_taken(const struct rd_sbml *s, const char *name)
{
    bool is = rd_builtins_is_kept(name) || rd_sbml_find(s, name);
    for (int i = 0; i < s->n_constants && !is; i++)
        is = strcmp(s->constant[i].name, name) == 0;
    return is;
}

const char *rd_sbml_new_name(struct rd_sbml *s, const char *wanted)
{
    while (*wanted == '_')
        wanted++;
    char *name = rd_text_format("%s", *wanted ? wanted : "name");
    for (int i = 1; name && is_taken(s, name); i++) {
        free(name);
        name = rd_text_format("%s_%d", *wanted ? wanted : "name", i);
    }
    const char *const kept = rd_formula_text(&s->pool, name ? name : "");
    free(name);
    return kept;
}

static bool has_rate_rule(const struct rd_sbml_symbol *x)
{
    return x->rule && Rule_isRate(x->rule);
}

/* Gives every symbol its name: the id, unless that has a meaning in expressions. A species keeps
   the name of a value, such as x: expressions write it as [x]. */
static void name_symbols(struct rd_sbml *s)
{
    for (int i = 0; i < s->n_symbols; i++) {
        struct rd_sbml_symbol *const x = &s->symbol[i];
        x->name = x->id;
        x->is_bracketed = x->kind == RD_SBML_SPECIES && !has_rate_rule(x) &&
                          rd_builtins_is_value(x->id) &&
                          strcmp(x->id, "t") != 0; /* the time must stay expressible */
        s->has_bracketed = s->has_bracketed || x->is_bracketed;
        if (x->is_bracketed || (!rd_builtins_is_kept(x->id) && x->id[0] != '_'))
            continue;
        x->name = rd_sbml_new_name(s, x->id);
        s->n_renamed++;
    }
}

/* ---- constants ---- */

static rd_formula add_constant(struct rd_sbml *s, const char *name, double value, bool is_local)
{
    struct rd_sbml_constant *const more =
        realloc(s->constant, (size_t)(s->n_constants + 1) * sizeof *more);
    if (!more) {
        s->pool.is_full = true;
        return rd_formula_number(&s->pool, value);
    }
    s->constant = more;
    more[s->n_constants++] = (struct rd_sbml_constant){name, value, is_local, false};
    return rd_formula_name(&s->pool, RD_FORMULA_NAME, name);
}

rd_formula rd_sbml_factor(struct rd_sbml *s, double items)
{
    if (items == 1.0)
        return rd_formula_number(&s->pool, 1.0);
    for (int i = 0; i < s->n_constants; i++)
        if (!s->constant[i].is_local && s->constant[i].value == items)
            return rd_formula_name(&s->pool, RD_FORMULA_NAME, s->constant[i].name);
    return add_constant(
        s, rd_sbml_new_name(s, items == RD_AVOGADRO ? "molecules_per_mole" : "molecules_per_unit"),
        items, false);
}

Parameter_t *rd_sbml_local_parameter(const struct rd_sbml *s, KineticLaw_t *law, unsigned i)
{
    if (s->level < 3)
        return i < KineticLaw_getNumParameters(law) ? KineticLaw_getParameter(law, i) : NULL;
    return i < KineticLaw_getNumLocalParameters(law)
               ? (Parameter_t *)KineticLaw_getLocalParameter(law, i)
               : NULL;
}

rd_formula rd_sbml_new_parameter(struct rd_sbml *s, const char *wanted, double value)
{
    const rd_formula name = add_constant(s, rd_sbml_new_name(s, wanted), value, true);
    if (!s->pool.is_full)
        s->constant[s->n_constants - 1].is_set = true;
    return name;
}

/* Makes parameters of the parameters of a kinetic law. */
static void add_locals(struct rd_sbml *s, Reaction_t *r)
{
    KineticLaw_t *const law = Reaction_getKineticLaw(r);
    Parameter_t *p;
    for (unsigned i = 0; law && (p = rd_sbml_local_parameter(s, law, i)); i++) {
        const char *const id = Parameter_getId(p);
        char *const wanted = is_taken(s, id) ? rd_text_format("%s_%s", Reaction_getId(r), id)
                                             : rd_text_format("%s", id);
        rd_sbml_about(s, SBase_getLine((SBase_t *)p), "reaction '%.60s', parameter '%.60s'",
                      Reaction_getId(r), id);
        if (!Parameter_isSetValue(p) || !isfinite(Parameter_getValue(p)))
            rd_sbml_fail(s, "has no value that is a number; give it one");
        const char *const name = rd_sbml_new_name(s, wanted ? wanted : id);
        add_constant(s, name, Parameter_getValue(p), true);
        SBase_setUserData((SBase_t *)p, (void *)name);
        free(wanted);
    }
}

/* ---- symbols ---- */

static struct rd_sbml_symbol *add_symbol(struct rd_sbml *s, enum rd_sbml_kind kind, const char *id,
                                         void *object)
{
    struct rd_sbml_symbol *const x = &s->symbol[s->n_symbols];
    if (!id || !*id)
        return NULL;
    *x = (struct rd_sbml_symbol){.id = id, .kind = kind, .object = object};
    s->n_symbols++;
    return x;
}

static void add_references(struct rd_sbml *s, Reaction_t *r)
{
    for (unsigned i = 0; i < Reaction_getNumReactants(r); i++) {
        SpeciesReference_t *const x = Reaction_getReactant(r, i);
        add_symbol(s, RD_SBML_REFERENCE, SpeciesReference_getId(x), x);
    }
    for (unsigned i = 0; i < Reaction_getNumProducts(r); i++) {
        SpeciesReference_t *const x = Reaction_getProduct(r, i);
        add_symbol(s, RD_SBML_REFERENCE, SpeciesReference_getId(x), x);
    }
}

static bool collect_symbols(struct rd_sbml *s)
{
    Model_t *const m = s->model;
    size_t n = Model_getNumCompartments(m) + Model_getNumSpecies(m) + Model_getNumParameters(m) +
               Model_getNumReactions(m);
    for (unsigned i = 0; i < Model_getNumReactions(m); i++)
        n += Reaction_getNumReactants(Model_getReaction(m, i)) +
             Reaction_getNumProducts(Model_getReaction(m, i));
    s->symbol = calloc(n + 1, sizeof *s->symbol);
    if (!s->symbol)
        return rd_fail(s->e, "%s: out of memory for its symbols", s->path);
    for (unsigned i = 0; i < Model_getNumCompartments(m); i++)
        add_symbol(s, RD_SBML_COMPARTMENT, Compartment_getId(Model_getCompartment(m, i)),
                   Model_getCompartment(m, i));
    for (unsigned i = 0; i < Model_getNumSpecies(m); i++)
        add_symbol(s, RD_SBML_SPECIES, Species_getId(Model_getSpecies(m, i)),
                   Model_getSpecies(m, i));
    for (unsigned i = 0; i < Model_getNumParameters(m); i++)
        add_symbol(s, RD_SBML_PARAMETER, Parameter_getId(Model_getParameter(m, i)),
                   Model_getParameter(m, i));
    for (unsigned i = 0; i < Model_getNumReactions(m); i++) {
        Reaction_t *const r = Model_getReaction(m, i);
        add_symbol(s, RD_SBML_REACTION, Reaction_getId(r), r);
        add_references(s, r);
    }
    qsort(s->symbol, (size_t)s->n_symbols, sizeof *s->symbol, order_symbol_ids);
    return true;
}

static void note_rules(struct rd_sbml *s)
{
    Model_t *const m = s->model;
    for (unsigned i = 0; i < Model_getNumRules(m); i++) {
        const Rule_t *const rule = Model_getRule(m, i);
        const unsigned line = SBase_getLine((const SBase_t *)rule);
        struct rd_sbml_symbol *const x = rd_sbml_find(s, Rule_getVariable(rule));
        rd_sbml_about(s, line, "rule");
        if (Rule_isAlgebraic(rule))
            rd_sbml_fail(s, "is algebraic, and a stochastic simulation solves no equations; write "
                            "an assignment rule");
        else if (!x)
            rd_sbml_fail(s, "is for '%.60s', which the model does not declare; declare it",
                         Rule_getVariable(rule));
        else
            x->rule = rule;
    }
    for (unsigned i = 0; i < Model_getNumInitialAssignments(m); i++) {
        InitialAssignment_t *const a = Model_getInitialAssignment(m, i);
        struct rd_sbml_symbol *const x = rd_sbml_find(s, InitialAssignment_getSymbol(a));
        rd_sbml_about(s, SBase_getLine((SBase_t *)a), "initial assignment");
        if (!x)
            rd_sbml_fail(s, "is for '%.60s', which the model does not declare; declare it",
                         InitialAssignment_getSymbol(a));
        else if (x->initial)
            rd_sbml_fail(s, "is the second one for '%.60s'; keep one of them", x->id);
        else
            x->initial = a;
    }
}

static void note_events(struct rd_sbml *s)
{
    for (unsigned i = 0; i < Model_getNumEvents(s->model); i++) {
        Event_t *const event = Model_getEvent(s->model, i);
        for (unsigned k = 0; k < Event_getNumEventAssignments(event); k++) {
            const EventAssignment_t *const a = Event_getEventAssignment(event, k);
            struct rd_sbml_symbol *const x = rd_sbml_find(s, EventAssignment_getVariable(a));
            rd_sbml_about_event(s, SBase_getLine((const SBase_t *)a), event);
            if (x)
                x->is_set_by_event = true;
            else
                rd_sbml_fail(s, "sets '%.60s', which the model does not declare; declare it",
                             EventAssignment_getVariable(a));
        }
    }
}

/* Returns whether concentrations of a species have another unit of size than its compartment. */
static bool has_own_size_units(const Species_t *species, const Compartment_t *c)
{
    const char *const units = Compartment_isSetUnits(c) ? Compartment_getUnits(c) : "volume";
    return Species_isSetSpatialSizeUnits(species) &&
           strcmp(Species_getSpatialSizeUnits(species), units) != 0;
}

/* Completes the symbol of a species by its compartment and units. */
static void place_species(struct rd_sbml *s, struct rd_sbml_symbol *x, double items)
{
    const Species_t *const species = x->object;
    struct rd_sbml_symbol *const c = rd_sbml_find(s, Species_getCompartment(species));
    rd_sbml_about(s, SBase_getLine(x->object), "species '%.60s'", x->id);
    x->compartment = -1;
    if (!c || c->kind != RD_SBML_COMPARTMENT) {
        rd_sbml_fail(s, "its compartment '%.60s' is not declared; declare it",
                     Species_getCompartment(species));
        return;
    }
    x->compartment = (int)(c - s->symbol);
    x->is_concentration = !Species_getHasOnlySubstanceUnits(species) &&
                          Compartment_getSpatialDimensionsAsDouble(c->object) != 0.0;
    x->items = Species_isSetSubstanceUnits(species)
                   ? rd_sbml_items_per_unit(s, Species_getSubstanceUnits(species))
                   : items;
    if (!(x->items > 0.0))
        x->items = items; /* level 2: "substance" without a definition */
    if (x->is_concentration && has_own_size_units(species, c->object))
        rd_sbml_fail(s, "has spatialSizeUnits other than the units of its compartment, which only "
                        "level 2 versions 1 and 2 have; give its amounts, and "
                        "hasOnlySubstanceUnits=\"true\"");
}

/* Determines how values come about, after rules and events are noted. */
static void assign_role(struct rd_sbml *s, struct rd_sbml_symbol *x)
{
    if (has_rate_rule(x))
        x->role = RD_SBML_IS_ODE;
    else if (x->rule || x->kind == RD_SBML_REACTION || x->kind == RD_SBML_REFERENCE)
        x->role = RD_SBML_IS_FORMULA;
    else if (x->kind == RD_SBML_COMPARTMENT && s->voxel == x - s->symbol)
        x->role = RD_SBML_IS_VOLUME;
    else if (x->kind == RD_SBML_SPECIES)
        x->role = RD_SBML_IS_COUNT;
}

/* A single compartment of constant size is the voxel. With species that stand in brackets the
   voxel's volume is 1, so that these are numbers. */
static void choose_voxel(struct rd_sbml *s)
{
    s->voxel = -1;
    if (Model_getNumCompartments(s->model) != 1 || s->has_bracketed)
        return;
    const struct rd_sbml_symbol *const c =
        rd_sbml_find(s, Compartment_getId(Model_getCompartment(s->model, 0)));
    const double size = Compartment_isSetSize(c->object) ? Compartment_getSize(c->object) : 1.0;
    if (!c->rule && !c->initial && !c->is_set_by_event && size > 0.0 &&
        Compartment_getSpatialDimensionsAsDouble(c->object) != 0.0)
        s->voxel = (int)(c - s->symbol);
}

/* Returns whether the compartment can be one of the configuration: its size is constant. */
static bool is_steady(struct rd_sbml *s, struct rd_sbml_symbol *c)
{
    const int before = s->e->n;
    return c->role == RD_SBML_IS_PARAMETER && !c->is_set_by_event &&
           rd_sbml_number(s, rd_sbml_start(s, c)) > 0.0 && s->e->n == before;
}

/* Makes several compartments of constant size well-mixed ones. Species in brackets are numbers only
   where the volume is 1. */
static void choose_mixed(struct rd_sbml *s)
{
    enum { MOST = 32 }; /* of 64 regions and compartments, so that including files have room */
    const unsigned n = Model_getNumCompartments(s->model);
    s->has_mixed = n > 1 && n <= MOST && !s->has_bracketed;
    for (int i = 0; i < s->n_symbols && s->has_mixed; i++) {
        struct rd_sbml_symbol *const x = &s->symbol[i];
        s->has_mixed = x->kind != RD_SBML_COMPARTMENT || is_steady(s, x);
    }
}

bool rd_sbml_open(struct rd_sbml *s, SBMLDocument_t *document)
{
    s->model = SBMLDocument_getModel(document);
    s->level = (int)SBMLDocument_getLevel(document);
    s->version = (int)SBMLDocument_getVersion(document);
    s->voxel = -1;
    if (!collect_symbols(s))
        return false;
    const int before = s->e->n;
    note_rules(s);
    name_symbols(s);
    note_events(s);
    rd_sbml_about(s, SBase_getLine((SBase_t *)s->model), "model");
    const double items = rd_sbml_default_items(s, Model_getSubstanceUnits(s->model));
    s->extent = s->level >= 3 && Model_isSetExtentUnits(s->model)
                    ? rd_sbml_default_items(s, Model_getExtentUnits(s->model))
                    : items;
    choose_voxel(s);
    for (int i = 0; i < s->n_symbols; i++) {
        if (s->symbol[i].kind == RD_SBML_SPECIES)
            place_species(s, &s->symbol[i], items);
        assign_role(s, &s->symbol[i]);
    }
    for (unsigned i = 0; i < Model_getNumReactions(s->model); i++) {
        rd_sbml_check_units_of_law(s, Model_getReaction(s->model, i));
        add_locals(s, Model_getReaction(s->model, i));
    }
    if (s->e->n == before)
        rd_sbml_solve_rates(s);
    if (s->e->n == before)
        choose_mixed(s);
    return s->e->n == before;
}

void rd_sbml_close(struct rd_sbml *s)
{
    rd_formula_pool_free(&s->pool);
    free(s->symbol);
    free(s->constant);
}
