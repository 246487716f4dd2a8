/* symbol - what the names in an expression stand for: values, functions, and the sentence about a
   name that stands for nothing, or may not stand here. */
#include "symbol.h"

#include "config.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

/* Values that need no declaration. */
static const struct constant {
    const char *name;
    struct rd_op op;
} constants[] = {
    {"x", {.code = RD_OP_X}},
    {"y", {.code = RD_OP_Y}},
    {"z", {.code = RD_OP_Z}},
    {"t", {.code = RD_OP_T}},
    {"volume", {.code = RD_OP_VOLUME}},
    {"pi", {.code = RD_OP_CONSTANT, .value = 3.14159265358979323846}},
    {"e", {.code = RD_OP_CONSTANT, .value = 2.71828182845904523536}},
};

static const struct rd_function functions[] = {
    {"abs", RD_FORM_VALUES, RD_OP_ABS, 1, 1},
    {"exp", RD_FORM_VALUES, RD_OP_EXP, 1, 1},
    {"log", RD_FORM_VALUES, RD_OP_LOG, 1, 1},
    {"log10", RD_FORM_VALUES, RD_OP_LOG10, 1, 1},
    {"sqrt", RD_FORM_VALUES, RD_OP_SQRT, 1, 1},
    {"sin", RD_FORM_VALUES, RD_OP_SIN, 1, 1},
    {"cos", RD_FORM_VALUES, RD_OP_COS, 1, 1},
    {"tanh", RD_FORM_VALUES, RD_OP_TANH, 1, 1},
    {"floor", RD_FORM_VALUES, RD_OP_FLOOR, 1, 1},
    {"pow", RD_FORM_VALUES, RD_OP_POWER, 2, 2},
    {"min", RD_FORM_VALUES, RD_OP_MIN, 2, INT_MAX},
    {"max", RD_FORM_VALUES, RD_OP_MAX, 2, INT_MAX},
    {"if", RD_FORM_IF, RD_OP_UNLESS, 3, 3},
    {"piecewise", RD_FORM_PIECEWISE, RD_OP_UNLESS, 1, INT_MAX},
    {"in", RD_FORM_REGION, RD_OP_IN, 1, 1},
    {"uniform", RD_FORM_VALUES, RD_OP_UNIFORM, 2, 2},
    {"normal", RD_FORM_VALUES, RD_OP_NORMAL, 2, 2},
    {"slope_x", RD_FORM_SLOPE, RD_OP_SLOPE_X, 1, 1},
    {"slope_y", RD_FORM_SLOPE, RD_OP_SLOPE_Y, 1, 1},
    {"slope_z", RD_FORM_SLOPE, RD_OP_SLOPE_Z, 1, 1},
    {"sum", RD_FORM_SUM, RD_OP_SUM, 1, 1},
};
enum {
    N_CONSTANTS = sizeof constants / sizeof *constants,
    N_FUNCTIONS = sizeof functions / sizeof *functions
};

static const char parent[] = "parent";

/* Neither values nor functions. */
static const char *const words[] = {"and", "or", "not", parent};

unsigned rd_symbol_uses(int32_t code)
{
    switch (code) {
    case RD_OP_PARAMETER:
        return RD_USES_PARAMETERS;
    case RD_OP_COUNT:
    case RD_OP_CONCENTRATION:
        return RD_USES_COUNTS;
    case RD_OP_X:
    case RD_OP_Y:
    case RD_OP_Z:
        return RD_USES_SPACE;
    case RD_OP_T:
        return RD_USES_TIME;
    case RD_OP_VOLUME:
        return RD_USES_VOLUME;
    case RD_OP_OWN:
        return RD_USES_OWN;
    case RD_OP_PARENT:
        return RD_USES_PARENT;
    case RD_OP_UNIFORM:
    case RD_OP_NORMAL:
        return RD_USES_CHANCE;
    case RD_OP_SUM:
    case RD_OP_OVER:
        return RD_USES_SUMS;
    case RD_OP_SLOPE_X:
    case RD_OP_SLOPE_Y:
    case RD_OP_SLOPE_Z:
        return RD_USES_SLOPES;
    case RD_OP_IN:
        return RD_USES_REGIONS;
    default:
        return 0;
    }
}

const char *rd_symbol_function_name(int i)
{
    return i < N_FUNCTIONS ? functions[i].name : NULL;
}

bool rd_symbol_is_kept(const char *name)
{
    for (int i = 0; i < N_CONSTANTS; i++)
        if (strcmp(name, constants[i].name) == 0)
            return true;
    for (int i = 0; i < N_FUNCTIONS; i++)
        if (strcmp(name, functions[i].name) == 0)
            return true;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(name, words[i]) == 0)
            return true;
    return false;
}

/* Adds a word to a list of words, as far as there is room. */
static void list_word(char *list, size_t size, const char *word)
{
    const size_t length = strlen(list);
    snprintf(list + length, size - length, "%s%s", length ? ", " : "", word);
}

/* Room for all kinds at once. */
enum { KINDS_BYTES = 192 };

/* Lists what may stand here: "parameters, t". */
static void list_allowed(unsigned allowed, char list[KINDS_BYTES])
{
    static const char *const kind[] = {"parameters",  "x, y, z",
                                       "t",           "species",
                                       "volume",      "attributes",
                                       "parent.NAME", "uniform(), normal()",
                                       "sum()",       "slope_x(), slope_y(), slope_z()",
                                       "in()"};
    snprintf(list, KINDS_BYTES, "%s", allowed ? "" : "numbers");
    for (unsigned i = 0; i < sizeof kind / sizeof *kind; i++)
        if (allowed >> i & 1)
            list_word(list, KINDS_BYTES, kind[i]);
}

/* Whether an operation for the name t may stand here. */
static bool check_allowed(const struct rd_source *s, const struct rd_token *t, unsigned allowed,
                          int32_t code)
{
    char kinds[KINDS_BYTES];
    if (!(rd_symbol_uses(code) & ~allowed))
        return true;
    list_allowed(allowed, kinds);
    return rd_token_fail(s, t, "the expression may not use '%.*s' here; only %s", t->length,
                         t->start, kinds);
}

/* The attributes of a species: none of bulk ones, or of species -1. */
static struct rd_names attributes_of(const struct rd_scope *scope, int32_t species)
{
    return scope->attributes && species >= 0 ? scope->attributes[species] : (struct rd_names){0};
}

/* NULL for what may not stand here: it is no help to suggest it. */
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
    const struct constant *const c = &constants[i - s->n_species];
    return rd_symbol_uses(c->op.code) & ~s->allowed ? NULL : c->name;
}

static const char *species_name(const void *scope, int i)
{
    return ((const struct rd_scope *)scope)->species[i];
}

static const char *region_name(const void *scope, int i)
{
    return ((const struct rd_scope *)scope)->region[i];
}

static const char *attribute_name(const void *names, int i)
{
    return ((const struct rd_names *)names)->name[i];
}

/* NULL for one that may not stand here. */
static const char *function_name(const void *scope, int i)
{
    const unsigned allowed = ((const struct rd_scope *)scope)->allowed;
    return rd_symbol_uses(functions[i].code) & ~allowed ? NULL : functions[i].name;
}

/* Says that there is none ("unknown species") of that name t, and what the user may have meant: the
   nearest of n names, or else what is possible. */
static bool fail_unknown(const struct rd_source *s, const struct rd_token *t, const char *none,
                         const char *possible, int n, const char *(*name)(const void *, int),
                         const void *list)
{
    char spelled[64];
    snprintf(spelled, sizeof spelled, "%.*s", t->length, t->start);
    const char *const near = rd_nearest(spelled, n, name, list);
    if (near)
        return rd_token_fail(s, t, "%s '%s'; did you mean '%s'?", none, spelled, near);
    return rd_token_fail(s, t, "%s '%s'; possible here: %s", none, spelled, possible);
}

static int find(const struct rd_token *t, char *const *name, int n)
{
    for (int i = 0; i < n; i++)
        if (rd_token_is(t, name[i]))
            return i;
    return -1;
}

static const struct rd_function *find_function(const struct rd_token *t)
{
    for (int i = 0; i < N_FUNCTIONS; i++)
        if (rd_token_is(t, functions[i].name))
            return &functions[i];
    return NULL;
}

static bool find_value(const struct rd_token *t, const struct rd_scope *scope, struct rd_op *op)
{
    const struct rd_names own = attributes_of(scope, scope->self - 1);
    const int attribute = find(t, own.name, own.n);
    if (attribute >= 0) {
        *op = (struct rd_op){.code = RD_OP_OWN, .index = attribute};
        return true;
    }
    const int parameter = find(t, scope->parameter, scope->n_parameters);
    if (parameter >= 0) {
        *op = (struct rd_op){.code = RD_OP_PARAMETER, .index = parameter};
        return true;
    }
    const int species = find(t, scope->species, scope->n_species);
    if (species >= 0) {
        *op = (struct rd_op){.code = RD_OP_COUNT, .index = species};
        return true;
    }
    for (int i = 0; i < N_CONSTANTS; i++) {
        if (rd_token_is(t, constants[i].name)) {
            *op = constants[i].op;
            return true;
        }
    }
    return false;
}

/* Whose attribute the name is, where `owner.name` may be meant; else NULL. */
static const char *owner_of(const struct rd_token *t, const struct rd_scope *scope)
{
    if ((scope->allowed & RD_USES_PARENT) && find(t, scope->parents.name, scope->parents.n) >= 0)
        return parent;
    if (!(scope->allowed & (RD_USES_OWN | RD_USES_SUMS)))
        return NULL;
    for (int32_t i = 0; i < scope->n_species; i++) {
        const struct rd_names names = attributes_of(scope, i);
        if (find(t, names.name, names.n) >= 0)
            return scope->species[i];
    }
    return NULL;
}

static bool fail_value(const struct rd_source *s, const struct rd_token *t,
                       const struct rd_scope *scope)
{
    if (find_function(t))
        return rd_token_fail(s, t, "'%.*s' is a function; expected '(' after it", t->length,
                             t->start);
    if (rd_token_is(t, parent))
        return rd_token_fail(s, t, "'parent' has no value; expected '.' and an attribute after it");
    const char *const owner = owner_of(t, scope);
    if (owner)
        return rd_token_fail(s, t, "unknown name '%.*s'; did you mean '%s.%.*s'?", t->length,
                             t->start, owner, t->length, t->start);
    const int n_own = attributes_of(scope, scope->self - 1).n;
    char possible[KINDS_BYTES];
    list_allowed(scope->allowed, possible);
    return fail_unknown(s, t, "unknown name", possible,
                        n_own + scope->n_parameters + scope->n_species + N_CONSTANTS, value_name,
                        scope);
}

bool rd_symbol_value(const struct rd_source *s, const struct rd_token *t,
                     const struct rd_scope *scope, struct rd_op *op)
{
    return find_value(t, scope, op) ? check_allowed(s, t, scope->allowed, op->code)
                                    : fail_value(s, t, scope);
}

bool rd_symbol_species(const struct rd_source *s, const struct rd_token *t,
                       const struct rd_scope *scope, int32_t *species)
{
    *species = find(t, scope->species, scope->n_species);
    return *species >= 0 || fail_unknown(s, t, "unknown species", "the declared species",
                                         scope->n_species, species_name, scope);
}

bool rd_symbol_region(const struct rd_source *s, const struct rd_token *t,
                      const struct rd_scope *scope, int32_t *region)
{
    *region = find(t, scope->region, scope->n_regions);
    return *region >= 0 ||
           fail_unknown(s, t, "unknown region",
                        scope->n_regions > 0 ? "the declared regions" : "none, as none is declared",
                        scope->n_regions, region_name, scope);
}

bool rd_symbol_concentration(const struct rd_source *s, const struct rd_token *t,
                             const struct rd_scope *scope, struct rd_op *op)
{
    *op = (struct rd_op){.code = RD_OP_CONCENTRATION};
    return rd_symbol_species(s, t, scope, &op->index) &&
           check_allowed(s, t, scope->allowed, op->code);
}

static bool find_attribute(const struct rd_source *s, const struct rd_token *whose,
                           const struct rd_token *name, const struct rd_names *names,
                           int32_t *attribute)
{
    char none[64], possible[128] = "";
    *attribute = find(name, names->name, names->n);
    if (*attribute >= 0)
        return true;
    snprintf(none, sizeof none, "'%.*s' has no attribute", whose->length, whose->start);
    for (int i = 0; i < names->n; i++)
        list_word(possible, sizeof possible, names->name[i]);
    return fail_unknown(s, name, none, names->n ? possible : "none", names->n, attribute_name,
                        names);
}

/* The attribute of a species, where an individual of it is looked at. */
static bool find_own(const struct rd_source *s, const struct rd_token *whose,
                     const struct rd_token *name, const struct rd_scope *scope, struct rd_op *op,
                     int32_t species)
{
    const struct rd_names names = attributes_of(scope, species);
    const struct rd_token both = {RD_TOKEN_NAME, whose->start,
                                  (int)(name->start + name->length - whose->start)};
    if (names.n == 0)
        return rd_token_fail(s, whose,
                             "'%.*s' has no attributes; only species of individuals have them",
                             whose->length, whose->start);
    if (!find_attribute(s, whose, name, &names, &op->index))
        return false;
    if ((scope->allowed & (RD_USES_OWN | RD_USES_SUMS)) == RD_USES_SUMS)
        return rd_token_fail(s, whose, "each individual here has its own '%.*s'; write sum(%.*s)",
                             both.length, both.start, both.length, both.start);
    return check_allowed(s, &both, scope->allowed, op->code);
}

bool rd_symbol_attribute(const struct rd_source *s, const struct rd_token *whose,
                         const struct rd_token *name, const struct rd_scope *scope,
                         struct rd_op *op, int32_t *species)
{
    if (!rd_token_is(whose, parent)) {
        *op = (struct rd_op){.code = RD_OP_OWN};
        return rd_symbol_species(s, whose, scope, species) &&
               find_own(s, whose, name, scope, op, *species);
    }
    *op = (struct rd_op){.code = RD_OP_PARENT};
    if (!(scope->allowed & RD_USES_PARENT))
        return rd_token_fail(s, whose, "there is no parent here; only birth rules have one");
    return find_attribute(s, whose, name, &scope->parents, &op->index);
}

static bool fail_function(const struct rd_source *s, const struct rd_token *t,
                          const struct rd_scope *scope)
{
    char possible[192] = "";
    for (int i = 0; i < N_FUNCTIONS; i++)
        if (function_name(scope, i))
            list_word(possible, sizeof possible, functions[i].name);
    return fail_unknown(s, t, "unknown function", possible, N_FUNCTIONS, function_name, scope);
}

const struct rd_function *rd_symbol_function(const struct rd_source *s, const struct rd_token *t,
                                             const struct rd_scope *scope)
{
    const struct rd_function *const f = find_function(t);
    struct rd_op value;
    if (!f && find_value(t, scope, &value))
        rd_token_fail(s, t, "'%.*s' is not a function; a product is written with *", t->length,
                      t->start);
    else if (!f)
        fail_function(s, t, scope);
    return f && check_allowed(s, t, scope->allowed, f->code) ? f : NULL;
}
