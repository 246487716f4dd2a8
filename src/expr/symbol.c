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
};
enum {
    N_CONSTANTS = sizeof constants / sizeof *constants,
    N_FUNCTIONS = sizeof functions / sizeof *functions
};

static const char *const operators[] = {"and", "or", "not"};

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
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++)
        if (strcmp(name, operators[i]) == 0)
            return true;
    return false;
}

/* Adds a word to a list of words, as far as there is room. */
static void list_word(char *list, size_t size, const char *word)
{
    const size_t length = strlen(list);
    snprintf(list + length, size - length, "%s%s", length ? ", " : "", word);
}

/* Lists what may stand here: "parameters, t". */
static void list_allowed(unsigned allowed, char list[64])
{
    static const char *const kind[] = {"parameters", "x, y, z", "t", "species", "volume"};
    snprintf(list, 64, "%s", allowed ? "" : "numbers");
    for (unsigned i = 0; i < sizeof kind / sizeof *kind; i++)
        if (allowed >> i & 1)
            list_word(list, 64, kind[i]);
}

/* Whether an operation for the name t may stand here. */
static bool check_allowed(const struct rd_source *s, const struct rd_token *t, unsigned allowed,
                          int32_t code)
{
    char kinds[64];
    if (!(rd_symbol_uses(code) & ~allowed))
        return true;
    list_allowed(allowed, kinds);
    return rd_token_fail(s, t, "the expression may not use '%.*s' here; only %s", t->length,
                         t->start, kinds);
}

/* NULL for what may not stand here: it is no help to suggest it. */
static const char *value_name(const void *scope, int i)
{
    const struct rd_scope *const s = scope;
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

static const char *function_name(const void *table, int i)
{
    return ((const struct rd_function *)table)[i].name;
}

/* What the user may have meant by t: the nearest of n names, or else what is possible. */
static bool fail_unknown(const struct rd_source *s, const struct rd_token *t, const char *kind,
                         const char *possible, int n, const char *(*name)(const void *, int),
                         const void *list)
{
    char spelled[64];
    snprintf(spelled, sizeof spelled, "%.*s", t->length, t->start);
    const char *const near = rd_nearest(spelled, n, name, list);
    if (near)
        return rd_token_fail(s, t, "unknown %s '%s'; did you mean '%s'?", kind, spelled, near);
    return rd_token_fail(s, t, "unknown %s '%s'; possible here: %s", kind, spelled, possible);
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

bool rd_symbol_value(const struct rd_source *s, const struct rd_token *t,
                     const struct rd_scope *scope, struct rd_op *op)
{
    if (find_value(t, scope, op))
        return check_allowed(s, t, scope->allowed, op->code);
    if (find_function(t))
        return rd_token_fail(s, t, "'%.*s' is a function; expected '(' after it", t->length,
                             t->start);
    char possible[64];
    list_allowed(scope->allowed, possible);
    return fail_unknown(s, t, "name", possible,
                        scope->n_parameters + scope->n_species + N_CONSTANTS, value_name, scope);
}

bool rd_symbol_concentration(const struct rd_source *s, const struct rd_token *t,
                             const struct rd_scope *scope, struct rd_op *op)
{
    *op = (struct rd_op){.code = RD_OP_CONCENTRATION,
                         .index = find(t, scope->species, scope->n_species)};
    if (op->index < 0)
        return fail_unknown(s, t, "species", "the declared species", scope->n_species, species_name,
                            scope);
    return check_allowed(s, t, scope->allowed, op->code);
}

static bool fail_function(const struct rd_source *s, const struct rd_token *t)
{
    char possible[128] = "";
    for (int i = 0; i < N_FUNCTIONS; i++)
        list_word(possible, sizeof possible, functions[i].name);
    return fail_unknown(s, t, "function", possible, N_FUNCTIONS, function_name, functions);
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
        fail_function(s, t);
    return f;
}
