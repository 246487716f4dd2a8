/* builtins - the predefined names of expressions (constants, functions, words), and what each of
   them reads. */
#include "expr/builtins.h"

#include <limits.h>
#include <string.h>

/* Lists the values that need no declaration. */
static const struct rd_constant constants[] = {
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
    {"ln", RD_FORM_VALUES, RD_OP_LOG, 1, 1},
    {"log10", RD_FORM_VALUES, RD_OP_LOG10, 1, 1},
    {"sqrt", RD_FORM_VALUES, RD_OP_SQRT, 1, 1},
    {"sin", RD_FORM_VALUES, RD_OP_SIN, 1, 1},
    {"cos", RD_FORM_VALUES, RD_OP_COS, 1, 1},
    {"tanh", RD_FORM_VALUES, RD_OP_TANH, 1, 1},
    {"floor", RD_FORM_VALUES, RD_OP_FLOOR, 1, 1},
    {"pow", RD_FORM_VALUES, RD_OP_POWER, 2, 2},
    {"min", RD_FORM_VALUES, RD_OP_MIN, 2, INT_MAX},
    {"max", RD_FORM_VALUES, RD_OP_MAX, 2, INT_MAX},
    {"if", RD_FORM_IF, .code = RD_OP_UNLESS},
    {"piecewise", RD_FORM_PIECEWISE, .code = RD_OP_UNLESS},
    {"in", RD_FORM_REGION, .code = RD_OP_IN},
    {"uniform", RD_FORM_VALUES, RD_OP_UNIFORM, 2, 2},
    {"normal", RD_FORM_VALUES, RD_OP_NORMAL, 2, 2},
    {"slope_x", RD_FORM_SLOPE, .code = RD_OP_SLOPE_X},
    {"slope_y", RD_FORM_SLOPE, .code = RD_OP_SLOPE_Y},
    {"slope_z", RD_FORM_SLOPE, .code = RD_OP_SLOPE_Z},
    {"sum", RD_FORM_SUM, .code = RD_OP_SUM},
    {"gradient", RD_FORM_GRADIENT, .code = RD_OP_FIELD},
    {"gradient_x", RD_FORM_GRADIENT_X, .code = RD_OP_FIELD},
    {"gradient_y", RD_FORM_GRADIENT_Y, .code = RD_OP_FIELD},
    {"gradient_z", RD_FORM_GRADIENT_Z, .code = RD_OP_FIELD},
    {"mean_x", RD_FORM_SPECIES, .code = RD_OP_MEAN_X},
    {"mean_y", RD_FORM_SPECIES, .code = RD_OP_MEAN_Y},
    {"mean_z", RD_FORM_SPECIES, .code = RD_OP_MEAN_Z},
    {"total", RD_FORM_TOTAL, .code = RD_OP_TOTAL},
    {"voxels", RD_FORM_VOXELS, .code = RD_OP_CONSTANT},
    {"volume", RD_FORM_VOLUME, .code = RD_OP_CONSTANT},
    {"area", RD_FORM_AREA, .code = RD_OP_CONSTANT},
    {"look", RD_FORM_LOOK, .code = RD_OP_LOOK},
};
enum {
    N_CONSTANTS = sizeof constants / sizeof *constants,
    N_FUNCTIONS = sizeof functions / sizeof *functions
};

const char rd_builtins_parent[] = "parent";

/* Lists the reserved words that are neither values nor functions. */
static const char *const words[] = {"and", "or", "not", rd_builtins_parent};

unsigned rd_builtins_uses(int32_t code)
{
    switch (code) {
    case RD_OP_PARAMETER:
        return RD_USES_PARAMETERS;
    case RD_OP_COUNT:
    case RD_OP_CONCENTRATION:
    case RD_OP_DENSITY:
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
        return RD_USES_RANDOM;
    case RD_OP_SUM:
    case RD_OP_OVER:
        return RD_USES_SUMS;
    case RD_OP_SLOPE_X:
    case RD_OP_SLOPE_Y:
    case RD_OP_SLOPE_Z:
        return RD_USES_SLOPES;
    case RD_OP_IN:
        return RD_USES_REGIONS;
    case RD_OP_FIELD:
        return RD_USES_FIELDS;
    case RD_OP_VARYING:
        return RD_USES_VARYING;
    case RD_OP_MEAN_X:
    case RD_OP_MEAN_Y:
    case RD_OP_MEAN_Z:
        return RD_USES_MEANS;
    case RD_OP_TOTAL:
        return RD_USES_TOTALS;
    default:
        return 0;
    }
}

const struct rd_function *rd_builtins_function(int i)
{
    return i < N_FUNCTIONS ? &functions[i] : NULL;
}

int rd_builtins_n_functions(void)
{
    return N_FUNCTIONS;
}

int rd_builtins_n_constants(void)
{
    return N_CONSTANTS;
}

const struct rd_constant *rd_builtins_constant(int i)
{
    return i < N_CONSTANTS ? &constants[i] : NULL;
}

bool rd_builtins_is_value(const char *name)
{
    bool is = false;
    for (int i = 0; i < N_CONSTANTS; i++)
        is = is || strcmp(name, constants[i].name) == 0;
    return is;
}

bool rd_builtins_is_kept(const char *name)
{
    if (rd_builtins_is_value(name))
        return true;
    for (int i = 0; i < N_FUNCTIONS; i++)
        if (strcmp(name, functions[i].name) == 0 && functions[i].form < RD_FORM_TOTAL)
            return true;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(name, words[i]) == 0)
            return true;
    return false;
}
