/* sbml_math - converts the math of an SBML model to formulas, with functions, assignment rules and
   rates of reactions put in. */
#include "formats/formula_functions.h"
#include "formats/sbml_model.h"

#include <math.h>
#include <string.h>

enum { DEPTH_MOST = 200, PARTS_MOST = 4096 };

/* Describes the context in which math is converted. */
struct context {
    struct rd_sbml *s;
    struct rd_formula_pool *pool;      /* that of s */
    bool is_start;                     /* symbols have their values of the start */
    const struct rd_sbml_local *local; /* the arguments of the function; or NULL */
};

static rd_formula convert_math(const struct context *c, const ASTNode_t *math);

static rd_formula nothing(struct rd_sbml *s)
{
    return rd_formula_number(&s->pool, 0.0);
}

/* ---- parts of math ---- */

static rd_formula child(const struct context *c, const ASTNode_t *math, unsigned i)
{
    if (i < ASTNode_getNumChildren(math))
        return convert_math(c, ASTNode_getChild(math, i));
    rd_sbml_fail(c->s, "its math has an operation without an operand; add it");
    return nothing(c->s);
}

/* Converts the children from number `from` on into `part`, which has n; returns the new number. */
static int append_children(const struct context *c, const ASTNode_t *math, unsigned from, int n,
                           rd_formula part[PARTS_MOST])
{
    for (unsigned i = from; i < ASTNode_getNumChildren(math); i++) {
        if (n == PARTS_MOST) {
            rd_sbml_fail(c->s, "its math has an operation on more than %d parts; use fewer", n);
            break;
        }
        part[n++] = convert_math(c, ASTNode_getChild(math, i));
    }
    return n;
}

/* Returns the operation `level` levels down along first operands; NULL if it is another. */
static const ASTNode_t *first_down(const ASTNode_t *math, int level)
{
    const ASTNode_t *a = math;
    for (int k = 0; a && k < level; k++)
        a = ASTNode_getNumChildren(a) > 0 ? ASTNode_getChild(a, 0) : NULL;
    return a && ASTNode_getType(a) == ASTNode_getType(math) ? a : NULL;
}

/* Converts the operands of a sum, product, `and` or `or`. libSBML reads a + b + c as (a + b) + c,
   and a sum of hundreds of species would be nested as deep. */
static int operands(const struct context *c, const ASTNode_t *math, rd_formula part[PARTS_MOST])
{
    int level = 0;
    while (level < PARTS_MOST && first_down(math, level + 1))
        level++;
    int n = append_children(c, first_down(math, level), 0, 0, part);
    while (--level >= 0)
        n = append_children(c, first_down(math, level), 1, n, part);
    return n;
}

static rd_formula series(const struct context *c, const ASTNode_t *math, enum rd_formula_kind kind,
                         const char *name)
{
    rd_formula part[PARTS_MOST];
    const int n =
        kind == RD_FORMULA_CALL ? append_children(c, math, 0, 0, part) : operands(c, math, part);
    if (n == 1 && kind != RD_FORMULA_CALL)
        return part[0];
    if (n == 0)
        return rd_formula_number(c->pool,
                                 kind == RD_FORMULA_PRODUCT || kind == RD_FORMULA_AND ? 1.0 : 0.0);
    return rd_formula_of(c->pool, kind, name, part, n);
}

/* Converts max or min, of which one value is that value. */
static rd_formula extremum(const struct context *c, const ASTNode_t *math, const char *name)
{
    return ASTNode_getNumChildren(math) == 1 ? child(c, math, 0)
                                             : series(c, math, RD_FORMULA_CALL, name);
}

/* Converts a < b < c to a < b and b < c. */
static rd_formula comparison(const struct context *c, const ASTNode_t *math, const char *operator)
{
    const unsigned n = ASTNode_getNumChildren(math);
    rd_formula all = NULL;
    for (unsigned i = 0; i + 1 < n; i++) {
        const rd_formula one =
            rd_formula_compared(c->pool, child(c, math, i), operator, child(c, math, i + 1));
        all = all ? rd_formula_pair(c->pool, RD_FORMULA_AND, all, one) : one;
    }
    return all ? all : rd_formula_number(c->pool, 1.0);
}

static rd_formula exclusive_or(const struct context *c, const ASTNode_t *math)
{
    rd_formula any = rd_formula_number(c->pool, 0.0);
    for (unsigned i = 0; i < ASTNode_getNumChildren(math); i++) {
        const rd_formula one = child(c, math, i);
        any = i == 0 ? one
                     : rd_formula_compared(
                           c->pool, rd_formula_not(c->pool, rd_formula_not(c->pool, any)),
                           "!=", rd_formula_not(c->pool, rd_formula_not(c->pool, one)));
    }
    return any;
}

static rd_formula math_piecewise(const struct context *c, const ASTNode_t *math)
{
    rd_formula part[PARTS_MOST + 1];
    int n = append_children(c, math, 0, 0, part);
    if (n == 1)
        return part[0];
    if (n > 0 && n % 2 == 0) {
        part[n] = part[n - 2];
        n++;
        rd_sbml_note(c->s, "has a piecewise without otherwise; its last value is taken where no "
                           "condition is true");
    }
    return n == 3 ? rd_formula_if(c->pool, part[1], part[0], part[2])
                  : rd_formula_of(c->pool, RD_FORMULA_CALL, "piecewise", part, n);
}

static rd_formula root(const struct context *c, const ASTNode_t *math)
{
    if (ASTNode_getNumChildren(math) == 1)
        return rd_formula_call(c->pool, "sqrt", child(c, math, 0));
    const rd_formula degree = child(c, math, 0), a = child(c, math, 1);
    return rd_formula_is_number(degree, 2.0)
               ? rd_formula_call(c->pool, "sqrt", a)
               : rd_formula_pair(c->pool, RD_FORMULA_POWER, a,
                                 rd_formula_pair(c->pool, RD_FORMULA_QUOTIENT,
                                                 rd_formula_number(c->pool, 1.0), degree));
}

static rd_formula logarithm(const struct context *c, const ASTNode_t *math)
{
    if (ASTNode_getNumChildren(math) == 1)
        return rd_formula_call(c->pool, "log10", child(c, math, 0));
    const rd_formula base = child(c, math, 0), a = child(c, math, 1);
    return rd_formula_is_number(base, 10.0)
               ? rd_formula_call(c->pool, "log10", a)
               : rd_formula_pair(c->pool, RD_FORMULA_QUOTIENT, rd_formula_call(c->pool, "log", a),
                                 rd_formula_call(c->pool, "log", base));
}

/* Converts the quotient rounded towards 0, or the remainder of it. */
static rd_formula division(const struct context *c, const ASTNode_t *math, bool is_remainder)
{
    const rd_formula a = child(c, math, 0), b = child(c, math, 1),
                     ratio = rd_formula_pair(c->pool, RD_FORMULA_QUOTIENT, a, b);
    const rd_formula cut = rd_formula_if(
        c->pool, rd_formula_compared(c->pool, ratio, "<", rd_formula_number(c->pool, 0.0)),
        rd_formula_negative(c->pool,
                            rd_formula_call(c->pool, "floor", rd_formula_negative(c->pool, ratio))),
        rd_formula_call(c->pool, "floor", ratio));
    return is_remainder ? rd_formula_pair(c->pool, RD_FORMULA_DIFFERENCE, a,
                                          rd_formula_pair(c->pool, RD_FORMULA_PRODUCT, b, cut))
                        : cut;
}

static rd_formula factorial(const struct context *c, const ASTNode_t *math)
{
    const rd_formula of = child(c, math, 0);
    double product = 1.0;
    if (of->kind != RD_FORMULA_NUMBER || of->number < 0.0 || of->number > 170.0 ||
        of->number != floor(of->number)) {
        rd_sbml_fail(c->s, "takes the factorial of a quantity; write it as a product");
        return nothing(c->s);
    }
    for (int i = 2; i <= (int)of->number; i++)
        product *= i;
    return rd_formula_number(c->pool, product);
}

/* ---- names ---- */

static rd_formula look_up_symbol(const struct context *c, const char *id)
{
    for (const struct rd_sbml_local *l = c->local; l; l = l->next)
        if (strcmp(l->id, id) == 0)
            return l->value;
    struct rd_sbml_symbol *const x = rd_sbml_find(c->s, id);
    if (x)
        return c->is_start ? rd_sbml_start(c->s, x) : rd_sbml_now(c->s, x);
    rd_sbml_fail(c->s, "uses '%.60s', which the model does not declare; declare it", id);
    return nothing(c->s);
}

/* Puts in a function of the model. */
static rd_formula apply_function(const struct context *c, const ASTNode_t *math)
{
    enum { ARGUMENTS_MOST = 64 };
    const char *const id = ASTNode_getName(math);
    FunctionDefinition_t *const f = Model_getFunctionDefinitionById(c->s->model, id);
    const unsigned n = ASTNode_getNumChildren(math);
    struct rd_sbml_local local[ARGUMENTS_MOST];
    if (!f || !FunctionDefinition_getBody(f)) {
        rd_sbml_fail(c->s, "calls the function '%.60s', which is not defined; define it",
                     id ? id : "");
        return nothing(c->s);
    }
    if (n != FunctionDefinition_getNumArguments(f)) {
        rd_sbml_fail(c->s, "calls '%.60s' with %u arguments, but it has %u; give it as many", id, n,
                     FunctionDefinition_getNumArguments(f));
        return nothing(c->s);
    }
    if (n > ARGUMENTS_MOST) {
        rd_sbml_fail(c->s, "calls '%.60s' with %u arguments; use at most %d", id, n,
                     ARGUMENTS_MOST);
        return nothing(c->s);
    }
    for (unsigned i = 0; i < n; i++)
        local[i] =
            (struct rd_sbml_local){.id = ASTNode_getName(FunctionDefinition_getArgument(f, i)),
                                   .value = child(c, math, i),
                                   .next = i > 0 ? &local[i - 1] : NULL};
    const struct context inside = {c->s, c->pool, c->is_start, n > 0 ? &local[n - 1] : NULL};
    return convert_math(&inside, FunctionDefinition_getBody(f));
}

static rd_formula math_constant(const struct context *c, double value)
{
    if (isfinite(value))
        return rd_formula_number(c->pool, value);
    rd_sbml_fail(c->s, "has a number that is not finite; write a finite one");
    return nothing(c->s);
}

/* ---- all of it ---- */

static rd_formula refuse_math(const struct context *c, const ASTNode_t *math)
{
    const ASTNodeType_t type = ASTNode_getType(math);
    const char *const name = ASTNode_getName(math);
    if (type == AST_FUNCTION_DELAY)
        rd_sbml_fail(c->s, "uses delay(), and a stochastic simulation keeps no past; remove it");
    else if (type >= AST_DISTRIB_FUNCTION_NORMAL && type <= AST_DISTRIB_FUNCTION_RAYLEIGH)
        rd_sbml_fail(c->s, "draws from a distribution (package distrib), which is not supported; "
                           "write a number");
    else if (type == AST_FUNCTION_RATE_OF)
        rd_sbml_fail(c->s, "uses rateOf, which no stochastic simulation has; write the rate");
    else
        rd_sbml_fail(c->s,
                     "uses %.60s, which has no counterpart in expressions; write it by other "
                     "functions",
                     name ? name : "a function");
    return nothing(c->s);
}

static rd_formula convert_trigonometric(const struct context *c, const ASTNode_t *math)
{
    const rd_formula a = child(c, math, 0), one = rd_formula_number(c->pool, 1.0);
    switch (ASTNode_getType(math)) {
    case AST_FUNCTION_TAN:
        return rd_formula_tan(c->pool, a);
    case AST_FUNCTION_COT:
        return rd_formula_pair(c->pool, RD_FORMULA_QUOTIENT, rd_formula_call(c->pool, "cos", a),
                               rd_formula_call(c->pool, "sin", a));
    case AST_FUNCTION_SEC:
        return rd_formula_pair(c->pool, RD_FORMULA_QUOTIENT, one,
                               rd_formula_call(c->pool, "cos", a));
    case AST_FUNCTION_CSC:
        return rd_formula_pair(c->pool, RD_FORMULA_QUOTIENT, one,
                               rd_formula_call(c->pool, "sin", a));
    case AST_FUNCTION_SINH:
        return rd_formula_sinh(c->pool, a);
    case AST_FUNCTION_COSH:
        return rd_formula_cosh(c->pool, a);
    case AST_FUNCTION_COTH:
        return rd_formula_pair(c->pool, RD_FORMULA_QUOTIENT, one,
                               rd_formula_call(c->pool, "tanh", a));
    case AST_FUNCTION_SECH:
        return rd_formula_pair(c->pool, RD_FORMULA_QUOTIENT, one, rd_formula_cosh(c->pool, a));
    case AST_FUNCTION_CSCH:
        return rd_formula_pair(c->pool, RD_FORMULA_QUOTIENT, one, rd_formula_sinh(c->pool, a));
    case AST_FUNCTION_ARCSINH:
        return rd_formula_asinh(c->pool, a);
    case AST_FUNCTION_ARCCOSH:
        return rd_formula_acosh(c->pool, a);
    case AST_FUNCTION_ARCTANH:
        return rd_formula_atanh(c->pool, a);
    default:
        return refuse_math(c, math);
    }
}

static rd_formula convert_function(const struct context *c, const ASTNode_t *math)
{
    switch (ASTNode_getType(math)) {
    case AST_FUNCTION:
        return apply_function(c, math);
    case AST_FUNCTION_ABS:
        return rd_formula_call(c->pool, "abs", child(c, math, 0));
    case AST_FUNCTION_EXP:
        return rd_formula_call(c->pool, "exp", child(c, math, 0));
    case AST_FUNCTION_LN:
        return rd_formula_call(c->pool, "log", child(c, math, 0));
    case AST_FUNCTION_SIN:
        return rd_formula_call(c->pool, "sin", child(c, math, 0));
    case AST_FUNCTION_COS:
        return rd_formula_call(c->pool, "cos", child(c, math, 0));
    case AST_FUNCTION_TANH:
        return rd_formula_call(c->pool, "tanh", child(c, math, 0));
    case AST_FUNCTION_FLOOR:
        return rd_formula_call(c->pool, "floor", child(c, math, 0));
    case AST_FUNCTION_CEILING:
        return rd_formula_negative(
            c->pool,
            rd_formula_call(c->pool, "floor", rd_formula_negative(c->pool, child(c, math, 0))));
    case AST_FUNCTION_LOG:
        return logarithm(c, math);
    case AST_FUNCTION_ROOT:
        return root(c, math);
    case AST_FUNCTION_FACTORIAL:
        return factorial(c, math);
    case AST_FUNCTION_PIECEWISE:
        return math_piecewise(c, math);
    case AST_FUNCTION_MAX:
        return extremum(c, math, "max");
    case AST_FUNCTION_MIN:
        return extremum(c, math, "min");
    case AST_FUNCTION_QUOTIENT:
        return division(c, math, false);
    case AST_FUNCTION_REM:
        return division(c, math, true);
    default:
        return convert_trigonometric(c, math);
    }
}

static rd_formula convert_logical(const struct context *c, const ASTNode_t *math)
{
    switch (ASTNode_getType(math)) {
    case AST_LOGICAL_AND:
        return series(c, math, RD_FORMULA_AND, NULL);
    case AST_LOGICAL_OR:
        return series(c, math, RD_FORMULA_OR, NULL);
    case AST_LOGICAL_XOR:
        return exclusive_or(c, math);
    case AST_LOGICAL_NOT:
        return rd_formula_not(c->pool, child(c, math, 0));
    case AST_LOGICAL_IMPLIES:
        return rd_formula_pair(c->pool, RD_FORMULA_OR, rd_formula_not(c->pool, child(c, math, 0)),
                               child(c, math, 1));
    case AST_RELATIONAL_EQ:
        return comparison(c, math, "==");
    case AST_RELATIONAL_NEQ:
        return rd_formula_compared(c->pool, child(c, math, 0), "!=", child(c, math, 1));
    case AST_RELATIONAL_LT:
        return comparison(c, math, "<");
    case AST_RELATIONAL_LEQ:
        return comparison(c, math, "<=");
    case AST_RELATIONAL_GT:
        return comparison(c, math, ">");
    case AST_RELATIONAL_GEQ:
        return comparison(c, math, ">=");
    default:
        return convert_function(c, math);
    }
}

static rd_formula convert_operation(const struct context *c, const ASTNode_t *math)
{
    switch (ASTNode_getType(math)) {
    case AST_PLUS:
        return series(c, math, RD_FORMULA_SUM, NULL);
    case AST_TIMES:
        return series(c, math, RD_FORMULA_PRODUCT, NULL);
    case AST_MINUS:
        return ASTNode_getNumChildren(math) == 1
                   ? rd_formula_negative(c->pool, child(c, math, 0))
                   : rd_formula_pair(c->pool, RD_FORMULA_DIFFERENCE, child(c, math, 0),
                                     child(c, math, 1));
    case AST_DIVIDE:
        return rd_formula_pair(c->pool, RD_FORMULA_QUOTIENT, child(c, math, 0), child(c, math, 1));
    case AST_POWER:
    case AST_FUNCTION_POWER:
        return rd_formula_pair(c->pool, RD_FORMULA_POWER, child(c, math, 0), child(c, math, 1));
    default:
        return convert_logical(c, math);
    }
}

static rd_formula convert_leaf(const struct context *c, const ASTNode_t *math)
{
    switch (ASTNode_getType(math)) {
    case AST_INTEGER:
        return math_constant(c, (double)ASTNode_getInteger(math));
    case AST_REAL:
    case AST_REAL_E:
    case AST_RATIONAL:
        return math_constant(c, ASTNode_getReal(math));
    case AST_NAME:
        return look_up_symbol(c, ASTNode_getName(math));
    case AST_NAME_TIME:
        return c->is_start ? rd_formula_number(c->pool, 0.0)
                           : rd_formula_name(c->pool, RD_FORMULA_NAME, "t");
    case AST_NAME_AVOGADRO:
        return rd_formula_number(c->pool, RD_SBML_AVOGADRO);
    case AST_CONSTANT_E:
        return rd_formula_number(c->pool, 2.71828182845904523536);
    case AST_CONSTANT_PI:
        return rd_formula_number(c->pool, 3.14159265358979323846);
    case AST_CONSTANT_TRUE:
        return rd_formula_number(c->pool, 1.0);
    case AST_CONSTANT_FALSE:
        return rd_formula_number(c->pool, 0.0);
    default:
        return convert_operation(c, math);
    }
}

static rd_formula convert_math(const struct context *c, const ASTNode_t *math)
{
    if (!math) {
        rd_sbml_fail(c->s, "has no math; write it");
        return nothing(c->s);
    }
    if (c->s->depth >= DEPTH_MOST) {
        rd_sbml_fail(c->s,
                     "its math is nested more than %d times, with functions and rules put "
                     "in; make it simpler",
                     DEPTH_MOST);
        return nothing(c->s);
    }
    c->s->depth++;
    const rd_formula f = convert_leaf(c, math);
    c->s->depth--;
    return f;
}

rd_formula rd_sbml_math(struct rd_sbml *s, const ASTNode_t *math, bool is_start,
                        const struct rd_sbml_local *local)
{
    const struct context c = {s, &s->pool, is_start, local};
    const int before = s->e->n;
    const rd_formula f = convert_math(&c, math);
    if (s->e->n == before && f->kind == RD_FORMULA_NUMBER && isnan(f->number))
        rd_sbml_fail(s,
                     "its math has more than %d operations, with functions and rules put in; "
                     "make it simpler",
                     RD_FORMULA_MOST);
    return f;
}
