/* symbol - resolves the names in an expression (values, functions), and reports names that are
   unknown or not allowed. */
#include "expr/symbol.h"

#include "base/text.h"
#include "expr/builtins.h"

#include <stdio.h>
#include <string.h>

/* Adds a word to a list of words if there is room. */
static void list_word(char *list, size_t size, const char *word)
{
    const size_t length = strlen(list);
    snprintf(list + length, size - length, "%s%s", length ? ", " : "", word);
}

/* Sets the bytes of a list of all kinds. */
enum { KINDS_BYTES = 384 };

/* Lists what is allowed: "parameters, t". */
static void list_allowed(unsigned allowed, char list[KINDS_BYTES])
{
    static const char *const kind[] = {"parameters",  "x, y, z",
                                       "t",           "species",
                                       "volume",      "attributes",
                                       "parent.NAME", "uniform(), normal()",
                                       "sum()",       "slope_x(), slope_y(), slope_z()",
                                       "in()",        "fields without rate",
                                       "fields",      "mean_x(), mean_y(), mean_z()",
                                       "total()"};
    if (allowed & RD_USES_VARYING)
        allowed &= ~(unsigned)RD_USES_FIELDS; /* "fields" includes those without rate */
    snprintf(list, KINDS_BYTES, "%s", allowed ? "" : "numbers");
    for (unsigned i = 0; i < sizeof kind / sizeof *kind; i++)
        if (allowed >> i & 1)
            list_word(list, KINDS_BYTES, kind[i]);
}

bool rd_symbol_check_allowed(const struct rd_expr_source *s, const struct rd_token *t,
                             unsigned allowed, int32_t code)
{
    char kinds[KINDS_BYTES];
    if (!(rd_builtins_uses(code) & ~allowed))
        return true;
    list_allowed(allowed, kinds);
    if (code == RD_OP_COUNT && (allowed & RD_USES_TOTALS))
        return rd_token_fail(s, t, "'%.*s' is not allowed here; write total(%.*s), or use only %s",
                             t->length, t->start, t->length, t->start, kinds);
    return rd_token_fail(s, t, "'%.*s' is not allowed here; use only %s", t->length, t->start,
                         kinds);
}

/* Returns the attributes of a species; none for counted species or species -1. */
static struct rd_names attributes_of(const struct rd_scope *scope, int32_t species)
{
    return scope->attributes && species >= 0 ? scope->attributes[species] : (struct rd_names){0};
}

/* Returns the name of value i, or NULL if it is not allowed here, so that it is not suggested. */
static const char *value_name(const void *scope, int i)
{
    const struct rd_scope *const s = scope;
    const struct rd_names own = attributes_of(s, s->self - 1);
    if (i < own.n)
        return s->allowed & RD_USES_OWN ? own.name[i] : NULL;
    i -= own.n;
    if (i < s->n_parameters)
        return s->allowed & RD_USES_PARAMETERS ? s->parameter[i] : NULL;
    i -= s->n_parameters;
    if (i < s->n_species)
        return s->allowed & RD_USES_COUNTS ? s->species[i] : NULL;
    i -= s->n_species;
    if (i < s->n_fields)
        return s->allowed & RD_USES_FIELDS ? s->field[i] : NULL;
    const struct rd_constant *const c = rd_builtins_constant(i - s->n_fields);
    return rd_builtins_uses(c->op.code) & ~s->allowed ? NULL : c->name;
}

/* Returns the name of function i, or NULL if it is not allowed here. */
static const char *function_name(const void *scope, int i)
{
    const struct rd_scope *const s = scope;
    const struct rd_function *const f = rd_builtins_function(i);
    const bool is_there = f->form != RD_FORM_LOOK || s->n_tables > 0;
    return !is_there || (rd_builtins_uses(f->code) & ~s->allowed) ? NULL : f->name;
}

static int find_name(const struct rd_token *t, char *const *name, int n)
{
    for (int i = 0; i < n; i++)
        if (rd_token_is(t, name[i]))
            return i;
    return -1;
}

static int find_parameter(const struct rd_token *t, const struct rd_scope *scope)
{
    return scope->parameter_index
               ? rd_name_index_find(scope->parameter_index, t->start, (size_t)t->length)
               : find_name(t, scope->parameter, scope->n_parameters);
}

static int find_scope_species(const struct rd_token *t, const struct rd_scope *scope)
{
    return scope->species_index
               ? rd_name_index_find(scope->species_index, t->start, (size_t)t->length)
               : find_name(t, scope->species, scope->n_species);
}

/* Returns what the name is elsewhere ("a parameter"); NULL: nothing. */
static const char *kind_of_name(const struct rd_token *t, const struct rd_scope *scope)
{
    if (find_parameter(t, scope) >= 0)
        return "a parameter";
    if (find_scope_species(t, scope) >= 0)
        return "a species";
    if (find_name(t, scope->field, scope->n_fields) >= 0)
        return "a field";
    return find_name(t, scope->region, scope->n_regions) >= 0 ? "a region" : NULL;
}

/* Reports `none` ("unknown species") for the name t, and suggests the nearest of n names, or else
   what is possible; NULL: the name must be declared. */
static bool fail_unknown(const struct rd_expr_source *s, const struct rd_token *t, const char *none,
                         const char *possible, int n, const char *(*name)(const void *, int),
                         const void *list)
{
    char spelled[64];
    snprintf(spelled, sizeof spelled, "%.*s", t->length, t->start);
    const char *const near = rd_text_nearest(spelled, n, name, list);
    if (near)
        return rd_token_fail(s, t, "%s '%s'; did you mean '%s'?", none, spelled, near);
    return possible ? rd_token_fail(s, t, "%s '%s'; use %s", none, spelled, possible)
                    : rd_token_fail(s, t, "%s '%s'; declare it", none, spelled);
}

static const struct rd_function *find_function(const struct rd_token *t)
{
    const struct rd_function *f;
    for (int i = 0; (f = rd_builtins_function(i)) && !rd_token_is(t, f->name); i++)
        ;
    return f;
}

/* Reports that t is not the name of a kind, of which n names exist. If t is something else, says
   what it is. */
static bool fail_kind(const struct rd_expr_source *s, const struct rd_token *t,
                      const struct rd_scope *scope, const char *kind, int n, char *const *names)
{
    const char *const other = kind_of_name(t, scope);
    char none[32], possible[32];
    snprintf(none, sizeof none, "unknown %s", kind);
    snprintf(possible, sizeof possible, "a declared %s", kind);
    return other ? rd_token_fail(s, t, "'%.*s' is %s; expected the name of a %s", t->length,
                                 t->start, other, kind)
                 : fail_unknown(s, t, none, n > 0 ? possible : NULL, n, rd_text_of, names);
}

static struct rd_op field_component_of(const struct rd_scope *scope, int field, int field_component)
{
    const bool varies = field >= 0 && scope->field_varies && scope->field_varies[field];
    return (struct rd_op){.code = varies ? RD_OP_VARYING : RD_OP_FIELD,
                          .index = RD_FIELD_COMPONENTS * field + field_component};
}

static bool find_scope_value(const struct rd_token *t, const struct rd_scope *scope,
                             struct rd_op *op)
{
    const struct rd_names own = attributes_of(scope, scope->self - 1);
    const int attribute = find_name(t, own.name, own.n);
    if (attribute >= 0) {
        *op = (struct rd_op){.code = RD_OP_OWN, .index = attribute};
        return true;
    }
    const int parameter = find_parameter(t, scope);
    if (parameter >= 0) {
        *op = (struct rd_op){.code = RD_OP_PARAMETER, .index = parameter};
        return true;
    }
    const int species = find_scope_species(t, scope);
    if (species >= 0) {
        *op = (struct rd_op){.code = RD_OP_COUNT, .index = species};
        return true;
    }
    const int field = find_name(t, scope->field, scope->n_fields);
    if (field >= 0) {
        *op = field_component_of(scope, field, RD_FIELD_COMPONENT_VALUE);
        return true;
    }
    const struct rd_constant *c;
    for (int i = 0; (c = rd_builtins_constant(i)) && !rd_token_is(t, c->name); i++)
        ;
    if (c)
        *op = c->op;
    return c != NULL;
}

/* Returns the owner of an attribute for the suggestion `owner.name`; else NULL. */
static const char *owner_of(const struct rd_token *t, const struct rd_scope *scope)
{
    if ((scope->allowed & RD_USES_PARENT) &&
        find_name(t, scope->parents.name, scope->parents.n) >= 0)
        return rd_builtins_parent;
    if (!(scope->allowed & (RD_USES_OWN | RD_USES_SUMS)))
        return NULL;
    for (int32_t i = 0; i < scope->n_species; i++) {
        const struct rd_names names = attributes_of(scope, i);
        if (find_name(t, names.name, names.n) >= 0)
            return scope->species[i];
    }
    return NULL;
}

static bool fail_value(const struct rd_expr_source *s, const struct rd_token *t,
                       const struct rd_scope *scope)
{
    if (find_function(t))
        return rd_token_fail(s, t, "'%.*s' is a function; expected '(' after it", t->length,
                             t->start);
    if (rd_token_is(t, rd_builtins_parent))
        return rd_token_fail(s, t, "'parent' has no value; expected '.' and an attribute after it");
    const char *const owner = owner_of(t, scope);
    if (owner)
        return rd_token_fail(s, t, "unknown name '%.*s'; did you mean '%s.%.*s'?", t->length,
                             t->start, owner, t->length, t->start);
    const int n_own = attributes_of(scope, scope->self - 1).n;
    char possible[KINDS_BYTES];
    list_allowed(scope->allowed, possible);
    return fail_unknown(s, t, "unknown name", possible,
                        n_own + scope->n_parameters + scope->n_species + scope->n_fields +
                            rd_builtins_n_constants(),
                        value_name, scope);
}

/* Returns whether the field of the operation already has values; reports it if not. */
static bool check_field(const struct rd_expr_source *s, const struct rd_token *t,
                        const struct rd_scope *scope, const struct rd_op *op)
{
    return !(rd_builtins_uses(op->code) & (RD_USES_FIELDS | RD_USES_VARYING)) ||
           op->index < RD_FIELD_COMPONENTS * scope->n_fields_here ||
           rd_token_fail(s, t,
                         "the field '%.*s' has no values yet; use only fields that stand before it",
                         t->length, t->start);
}

bool rd_expr_allows(const struct rd_scope *scope, const char *name, size_t length)
{
    const struct rd_token t = {RD_TOKEN_NAME, name, (int)length};
    struct rd_op op;
    return find_scope_value(&t, scope, &op) && !(rd_builtins_uses(op.code) & ~scope->allowed);
}

/* Reports the name of a species that is also that of another value, such as x. */
static bool check_single(const struct rd_expr_source *s, const struct rd_token *t,
                         const struct rd_scope *scope, const struct rd_op *op)
{
    return op->code != RD_OP_COUNT || !rd_builtins_is_value(scope->species[op->index]) ||
           rd_token_fail(s, t,
                         "'%.*s' is a species and a name of expressions; write [%.*s] or "
                         "total(%.*s), or rename the species",
                         t->length, t->start, t->length, t->start, t->length, t->start);
}

bool rd_symbol_value(const struct rd_expr_source *s, const struct rd_token *t,
                     const struct rd_scope *scope, struct rd_op *op)
{
    return find_scope_value(t, scope, op)
               ? check_single(s, t, scope, op) &&
                     rd_symbol_check_allowed(s, t, scope->allowed, op->code) &&
                     check_field(s, t, scope, op)
               : fail_value(s, t, scope);
}

bool rd_symbol_species(const struct rd_expr_source *s, const struct rd_token *t,
                       const struct rd_scope *scope, int32_t *species)
{
    *species = find_scope_species(t, scope);
    return *species >= 0 || fail_kind(s, t, scope, "species", scope->n_species, scope->species);
}

bool rd_symbol_region(const struct rd_expr_source *s, const struct rd_token *t,
                      const struct rd_scope *scope, int32_t *region)
{
    *region = find_name(t, scope->region, scope->n_regions);
    return *region >= 0 || fail_kind(s, t, scope, "region", scope->n_regions, scope->region);
}

bool rd_symbol_is_species(const struct rd_token *t, const struct rd_scope *scope)
{
    return find_scope_species(t, scope) >= 0;
}

static bool fail_extent(const struct rd_expr_source *s, const struct rd_token *t, bool is_surface)
{
    return is_surface ? rd_token_fail(s, t,
                                      "'%.*s' is a surface, which has an area and no volume; use "
                                      "area(%.*s)",
                                      t->length, t->start, t->length, t->start)
                      : rd_token_fail(s, t,
                                      "'%.*s' is no surface, so it has no area; use the name of a "
                                      "surface",
                                      t->length, t->start);
}

bool rd_symbol_extent(const struct rd_expr_source *s, const struct rd_token *t,
                      const struct rd_scope *scope, enum rd_form form, struct rd_op *op)
{
    int32_t region;
    if (!rd_symbol_region(s, t, scope, &region))
        return false;
    if (!scope->extent)
        return rd_token_fail(
            s, t,
            "the size of '%.*s' is not known yet when this is computed: regions and "
            "the grid are made first; use a number, or a parameter that needs no "
            "region",
            t->length, t->start);
    const struct rd_extent *const x = &scope->extent[region];
    *op = form == RD_FORM_VOXELS
              ? (struct rd_op){.code = RD_OP_CONSTANT, .value = x->voxels}
              : (struct rd_op){.code = RD_OP_CONSTANT, .index = x->axes, .value = x->size};
    return form == RD_FORM_VOXELS || x->is_surface == (form == RD_FORM_AREA) ||
           fail_extent(s, t, x->is_surface);
}

bool rd_symbol_table(const struct rd_expr_source *s, const struct rd_token *t,
                     const struct rd_scope *scope, int32_t *table)
{
    for (*table = 0; *table < scope->n_tables; ++*table)
        if (rd_token_is(t, scope->table[*table].name))
            return true;
    return rd_token_fail(s, t, "table '%.*s' is not declared; declare it in 'tables'", t->length,
                         t->start);
}

bool rd_symbol_field(const struct rd_expr_source *s, const struct rd_token *t,
                     const struct rd_scope *scope, int field_component, struct rd_op *op)
{
    const int field = find_name(t, scope->field, scope->n_fields);
    *op = field_component_of(scope, field, field_component);
    if (field >= 0)
        return rd_symbol_check_allowed(s, t, scope->allowed, op->code) &&
               check_field(s, t, scope, op);
    return fail_kind(s, t, scope, "field", scope->n_fields, scope->field);
}

bool rd_symbol_concentration(const struct rd_expr_source *s, const struct rd_token *t,
                             const struct rd_scope *scope, struct rd_op *op)
{
    *op = (struct rd_op){.code = RD_OP_CONCENTRATION};
    return rd_symbol_species(s, t, scope, &op->index) &&
           rd_symbol_check_allowed(s, t, scope->allowed, op->code);
}

static bool find_attribute(const struct rd_expr_source *s, const struct rd_token *whose,
                           const struct rd_token *name, const struct rd_names *names,
                           int32_t *attribute)
{
    char none[64], possible[128] = "";
    *attribute = find_name(name, names->name, names->n);
    if (*attribute >= 0)
        return true;
    snprintf(none, sizeof none, "'%.*s' has no attribute", whose->length, whose->start);
    for (int i = 0; i < names->n; i++)
        list_word(possible, sizeof possible, names->name[i]);
    return fail_unknown(s, name, none, names->n > 0 ? possible : NULL, names->n, rd_text_of,
                        names->name);
}

/* Finds the attribute of a species, for an individual of it that is in scope. */
static bool find_own(const struct rd_expr_source *s, const struct rd_token *whose,
                     const struct rd_token *name, const struct rd_scope *scope, struct rd_op *op,
                     int32_t species)
{
    const struct rd_names names = attributes_of(scope, species);
    const struct rd_token both = {RD_TOKEN_NAME, whose->start,
                                  (int)(name->start + name->length - whose->start)};
    if (names.n == 0)
        return rd_token_fail(s, whose, "'%.*s' has no attributes; use a species of individuals",
                             whose->length, whose->start);
    if (!find_attribute(s, whose, name, &names, &op->index))
        return false;
    if ((scope->allowed & (RD_USES_OWN | RD_USES_SUMS)) == RD_USES_SUMS)
        return rd_token_fail(s, whose, "each individual here has its own '%.*s'; write sum(%.*s)",
                             both.length, both.start, both.length, both.start);
    return rd_symbol_check_allowed(s, &both, scope->allowed, op->code);
}

bool rd_symbol_attribute(const struct rd_expr_source *s, const struct rd_token *whose,
                         const struct rd_token *name, const struct rd_scope *scope,
                         struct rd_op *op, int32_t *species)
{
    if (!rd_token_is(whose, rd_builtins_parent)) {
        *op = (struct rd_op){.code = RD_OP_OWN};
        return rd_symbol_species(s, whose, scope, species) &&
               find_own(s, whose, name, scope, op, *species);
    }
    *op = (struct rd_op){.code = RD_OP_PARENT};
    if (!(scope->allowed & RD_USES_PARENT))
        return rd_token_fail(s, whose, "there is no parent here; use parent only in birth rules");
    return find_attribute(s, whose, name, &scope->parents, &op->index);
}

static bool fail_symbol(const struct rd_expr_source *s, const struct rd_token *t,
                        const struct rd_scope *scope)
{
    char possible[KINDS_BYTES] = "";
    const int n = rd_builtins_n_functions();
    for (int i = 0; i < n; i++)
        if (function_name(scope, i))
            list_word(possible, sizeof possible, rd_builtins_function(i)->name);
    return fail_unknown(s, t, "unknown function", possible, n, function_name, scope);
}

const struct rd_function *rd_symbol_function(const struct rd_expr_source *s,
                                             const struct rd_token *t, const struct rd_scope *scope)
{
    const struct rd_function *const f = find_function(t);
    struct rd_op value;
    if (!f && find_scope_value(t, scope, &value))
        rd_token_fail(s, t, "'%.*s' is not a function; write a product with *", t->length,
                      t->start);
    else if (!f)
        fail_symbol(s, t, scope);
    return f && rd_symbol_check_allowed(s, t, scope->allowed, f->code) ? f : NULL;
}
