/* dimension - the dimension of a compiled expression in which some parameters are quantities.

   It runs the program with measures in place of numbers. Only quantities can be wrong: a number or
   a parameter without a unit may carry any unit, so an expression without quantities always fits. A
   number as written is pure beside quantities: 2 * k has the dimension of k. */
#include "expr/dimension.h"

#include "expr/builtins.h"
#include "expr/dimension_text.h"

#include <math.h>
#include <stdio.h>

/* Holds a value of the stack: its measure, and its number if that is constant, else NAN. */
struct value {
    struct rd_value_dimension measure;
    double number;
};

struct analysis {
    const struct rd_op *op;
    const struct rd_measures *of;
    struct value stack[2 * RD_EVAL_DEPTH]; /* a summand has as much again */
    int height;
    char *why;
    size_t bytes;
};

static struct value value_of_measure(enum rd_measure_kind kind, double length, double time)
{
    return (struct value){{kind, {length, time}}, NAN};
}

static bool has_dimension(const struct value *v)
{
    return v->measure.kind >= RD_MEASURE_NATURAL;
}

static bool is_quantity(const struct value *v)
{
    return v->measure.kind == RD_MEASURE_QUANTITY;
}

static bool is_pure(const struct value *v)
{
    return rd_dimension_is_same(v->measure.dimension, (struct rd_dimension){0, 0});
}

static struct value analyse_leaf(const struct analysis *a, const struct rd_op *op)
{
    const double axes = a->of->axes;
    struct value v = value_of_measure(RD_MEASURE_OPEN, 0, 0);
    switch (op->code) {
    case RD_OP_CONSTANT:
        v = value_of_measure(op->index ? RD_MEASURE_NATURAL : RD_MEASURE_NUMBER, op->index, 0);
        v.number = op->value;
        return v;
    case RD_OP_PARAMETER:
        return (struct value){a->of->parameter[op->index], a->of->value[op->index]};
    case RD_OP_IN:
        return value_of_measure(RD_MEASURE_NUMBER, 0, 0);
    case RD_OP_COUNT:
    case RD_OP_TOTAL:
        return value_of_measure(RD_MEASURE_NATURAL, 0, 0);
    case RD_OP_CONCENTRATION:
        return value_of_measure(RD_MEASURE_NATURAL, -axes, 0);
    case RD_OP_VOLUME:
        return value_of_measure(RD_MEASURE_NATURAL, axes, 0);
    case RD_OP_X:
    case RD_OP_Y:
    case RD_OP_Z:
    case RD_OP_MEAN_X:
    case RD_OP_MEAN_Y:
    case RD_OP_MEAN_Z:
        return value_of_measure(RD_MEASURE_NATURAL, 1, 0);
    case RD_OP_SLOPE_X:
    case RD_OP_SLOPE_Y:
    case RD_OP_SLOPE_Z:
        return value_of_measure(RD_MEASURE_NATURAL, -1, 0);
    case RD_OP_T:
        return value_of_measure(RD_MEASURE_NATURAL, 0, 1);
    default:
        return v;
    }
}

static const char *words(const struct value *v, char text[64])
{
    rd_dimension_words(v->measure.dimension, text, 64);
    return text;
}

/* Writes that two values of different dimensions meet. */
static bool fail_pair(const struct analysis *a, const struct value *x, const struct value *y)
{
    char one[64], other[64];
    const struct value *const density = is_pure(x) ? y : x, *const count = is_pure(x) ? x : y;
    const bool is_count = count->measure.kind == RD_MEASURE_NATURAL && is_pure(count) &&
                          density->measure.dimension.length == -a->of->axes;
    snprintf(a->why, a->bytes,
             is_count ? "adds or compares %s and %s; write [A] for the density of A, or divide "
                        "by volume"
                      : "adds or compares %s and %s; give both the same dimension",
             words(x, one), words(y, other));
    return false;
}

/* Joins values that are added or compared, or of which one is chosen. */
static bool join_dimensions(const struct analysis *a, const struct value *x, const struct value *y,
                            struct value *to)
{
    const bool both = has_dimension(x) && has_dimension(y);
    const bool is_same = rd_dimension_is_same(x->measure.dimension, y->measure.dimension);
    if (both && !is_same && (is_quantity(x) || is_quantity(y)))
        return fail_pair(a, x, y);
    const struct value *const more = x->measure.kind > y->measure.kind ? x : y;
    const bool is_open = x->measure.kind == RD_MEASURE_OPEN || y->measure.kind == RD_MEASURE_OPEN;
    *to = *more;
    if ((both && !is_same) || (is_open && !has_dimension(more)))
        *to = value_of_measure(RD_MEASURE_OPEN, 0, 0);
    to->number = NAN;
    return true;
}

/* Returns x times y^sign. */
static struct value multiply_dimensions(const struct value *x, const struct value *y, double sign)
{
    const struct rd_dimension a = x->measure.dimension, b = y->measure.dimension;
    const bool is_open = x->measure.kind == RD_MEASURE_OPEN || y->measure.kind == RD_MEASURE_OPEN;
    const struct value *const more = x->measure.kind > y->measure.kind ? x : y;
    const bool has_number =
        x->measure.kind == RD_MEASURE_NUMBER || y->measure.kind == RD_MEASURE_NUMBER;
    if (is_open)
        return value_of_measure(RD_MEASURE_OPEN, 0, 0);
    if (has_number && more->measure.kind == RD_MEASURE_NATURAL) /* 0.1 * A, or x / 10 */
        return value_of_measure(is_pure(more) ? RD_MEASURE_NUMBER : RD_MEASURE_OPEN, 0, 0);
    return value_of_measure(more->measure.kind, a.length + sign * b.length, a.time + sign * b.time);
}

static bool fail_dimension(const struct analysis *a, const struct value *v, const char *what)
{
    char text[64];
    snprintf(a->why, a->bytes,
             "has %s as %s, which must be a pure number; divide it by such a "
             "quantity",
             words(v, text), what);
    return false;
}

static bool power(const struct analysis *a, const struct value *x, const struct value *y,
                  struct value *to)
{
    const double n = y->number;
    if (is_quantity(y) && !is_pure(y))
        return fail_dimension(a, y, "an exponent");
    *to = *x;
    if (has_dimension(x) && !is_pure(x))
        *to = isnan(n) ? value_of_measure(RD_MEASURE_OPEN, 0, 0)
                       : value_of_measure(x->measure.kind, n * x->measure.dimension.length,
                                          n * x->measure.dimension.time);
    return true;
}

static bool analyse_unary(struct analysis *a, const struct rd_op *op, const struct value *x,
                          struct value *to)
{
    const struct value half = {.measure = {RD_MEASURE_NUMBER, {0, 0}}, .number = 0.5};
    switch (op->code) {
    case RD_OP_NEGATE:
    case RD_OP_ABS:
        *to = *x;
        return true;
    case RD_OP_SQRT:
        return power(a, x, &half, to);
    case RD_OP_NOT:
    case RD_OP_TRUTH:
        *to = value_of_measure(RD_MEASURE_NUMBER, 0, 0);
        return true;
    default:
        *to = value_of_measure(RD_MEASURE_NUMBER, 0, 0);
        return !is_quantity(x) || is_pure(x) || fail_dimension(a, x, "the argument of a function");
    }
}

static bool analyse_binary(struct analysis *a, const struct rd_op *op, const struct value *x,
                           const struct value *y, struct value *to)
{
    switch (op->code) {
    case RD_OP_MULTIPLY:
    case RD_OP_DIVIDE:
        *to = multiply_dimensions(x, y, op->code == RD_OP_MULTIPLY ? 1.0 : -1.0);
        return true;
    case RD_OP_POWER:
        return power(a, x, y, to);
    case RD_OP_LESS:
    case RD_OP_LESS_OR_EQUAL:
    case RD_OP_MORE:
    case RD_OP_MORE_OR_EQUAL:
    case RD_OP_EQUAL:
    case RD_OP_UNEQUAL:
        if (!join_dimensions(a, x, y, to))
            return false;
        *to = value_of_measure(RD_MEASURE_NUMBER, 0, 0);
        return true;
    default:
        return join_dimensions(a, x, y, to);
    }
}

/* Sets the number of a result whose operands are constant. */
static void compute(const struct rd_op *op, double x, double y, bool is_binary, struct value *to)
{
    const struct rd_op program[] = {{.code = RD_OP_CONSTANT, .value = x},
                                    is_binary ? (struct rd_op){.code = RD_OP_CONSTANT, .value = y}
                                              : *op,
                                    *op};
    to->number = NAN;
    if (!rd_builtins_uses(op->code) && !isnan(x) && !(is_binary && isnan(y)))
        to->number = rd_eval(program, is_binary ? 3 : 2, &(struct rd_eval_context){0});
}

static bool one(struct analysis *a, const struct rd_op *op)
{
    const int32_t change = rd_op_height(op->code);
    if (change == 1) {
        a->stack[a->height++] = analyse_leaf(a, op);
        return true;
    }
    a->height += change;
    struct value *const x = &a->stack[a->height - 1], to = {.number = NAN};
    const struct value *const y = x + 1;
    if (!(change ? analyse_binary(a, op, x, y, &to) : analyse_unary(a, op, x, &to)))
        return false;
    compute(op, x->number, change ? y->number : NAN, change != 0, &to);
    *x = to;
    return true;
}

/* Replaces the index by a value of the table, which has any dimension unless the table has a
   unit. */
static bool measure_look(struct analysis *a, const struct rd_op *look)
{
    struct value *const top = &a->stack[a->height - 1];
    const struct rd_lookup *const table =
        a->of->table ? &a->of->table[(int32_t)look->value / 2] : NULL;
    if (is_quantity(top) && !is_pure(top))
        return fail_dimension(a, top, "the index of a table");
    *top = value_of_measure(RD_MEASURE_OPEN, 0, 0);
    if (table && table->unit)
        top->measure = (struct rd_value_dimension){RD_MEASURE_QUANTITY, table->dimension};
    return true;
}

static bool range(struct analysis *a, int32_t i, int32_t end);

/* Analyses the choice whose UNLESS is op[unless]; sets *end. */
static bool analyse_choice(struct analysis *a, int32_t unless, int32_t *end)
{
    const int32_t jump = unless + a->op[unless].index;
    *end = jump + 1 + a->op[jump].index;
    a->height--;
    if (!range(a, unless + 1, jump))
        return false;
    const struct value first = a->stack[--a->height];
    if (!range(a, jump + 1, *end))
        return false;
    struct value *const second = &a->stack[a->height - 1], to;
    if (!join_dimensions(a, &first, second, &to))
        return false;
    *second = to;
    return true;
}

static bool range(struct analysis *a, int32_t i, int32_t end)
{
    bool fits = true;
    while (fits && i < end) {
        const struct rd_op *const op = &a->op[i];
        if (op->code == RD_OP_UNLESS) {
            fits = analyse_choice(a, i, &i);
        } else if (op->code == RD_OP_SUM) { /* the summand follows; a sum has its dimension */
            const int32_t after = i + 1 + (int32_t)op->value;
            fits = range(a, i + 2, after);
            i = after;
        } else if (op->code == RD_OP_LOOK) { /* the values follow */
            fits = measure_look(a, op);
            i += 1 + op->index;
        } else {
            fits = one(a, op);
            i++;
        }
    }
    return fits;
}

bool rd_expr_measure(const struct rd_expr *x, const struct rd_measures *of,
                     struct rd_value_dimension *measure, char *why, size_t bytes)
{
    struct analysis a = {.op = x->op, .of = of, .why = why, .bytes = bytes};
    *measure = (struct rd_value_dimension){RD_MEASURE_NUMBER, {0, 0}};
    if (x->is_quantity) {
        *measure = (struct rd_value_dimension){RD_MEASURE_QUANTITY, x->dimension};
        return true;
    }
    const bool fits = range(&a, 0, x->n);
    if (fits && a.height > 0)
        *measure = a.stack[0].measure;
    return fits;
}
