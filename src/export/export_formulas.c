/* export_formulas - compiled expressions as formulas in the identifiers of an SBML document.

   The postfix program is read from left to right with a stack of formulas. The two branches of a
   choice are programs of their own. Everything that depends on the place is a number, since there
   is one voxel. */
#include "export/export_model.h"

#include <math.h>

/* ---- values ---- */

double rd_export_value(const struct rd_model *m, const struct rd_expr *from)
{
    double centre[3] = {0};
    rd_grid_centre(&m->grid, (const int32_t[3]){0}, centre);
    const struct rd_eval_context at = {.x = centre[0],
                                       .y = centre[1],
                                       .z = centre[2],
                                       .volume = m->grid.volume,
                                       .parameter = m->value};
    return rd_expr_value(from, &at);
}

double rd_export_start(const struct rd_model *m, int species)
{
    double sum = 0.0;
    for (int i = 0; i < m->n_initial; i++) {
        const struct rd_amount *const a = &m->initial[i];
        const double per = a->kind == RD_AMOUNT_DENSITY ? m->grid.volume : 1.0;
        if (a->species == species)
            sum += floor(rd_export_value(m, &a->much) * per + 0.5);
    }
    return sum;
}

bool rd_export_is_set(const struct rd_model *m, int parameter)
{
    bool is = false;
    for (int i = 0; i < m->n_events; i++)
        for (int k = 0; k < m->event[i].n_set; k++)
            is = is || m->event[i].set[k].parameter == parameter;
    for (int k = 0; k < m->n_odes; k++)
        is = is || m->ode[k].parameter == parameter;
    return is;
}

bool rd_export_is_fixed(const struct rd_model *m, const struct rd_expr *from)
{
    bool is = !(from->uses & ~(unsigned)(RD_USES_PARAMETERS | RD_USES_SPACE | RD_USES_VOLUME));
    for (int32_t i = 0; i < from->n; i++)
        if (from->op[i].code == RD_OP_PARAMETER)
            is = is && !rd_export_is_set(m, from->op[i].index);
    return is;
}

/* ---- leaves ---- */

static rd_formula name(struct rd_export *x, const char *id)
{
    return rd_formula_name(&x->pool, RD_FORMULA_NAME, id);
}

static rd_formula volume(struct rd_export *x)
{
    return x->voxel ? name(x, x->voxel) : rd_formula_number(&x->pool, x->model->grid.volume);
}

static rd_formula export_quotient(struct rd_export *x, rd_formula a, rd_formula b)
{
    return rd_formula_pair(&x->pool, RD_FORMULA_QUOTIENT, a, b);
}

/* Returns the concentration in the compartment of the species. */
static rd_formula density(struct rd_export *x, const struct rd_op *op)
{
    const int at = x->model->species[op->index].compartment;
    const bool is_own = at >= 0 && x->model->compartment[at].volume == op->value;
    return export_quotient(x, name(x, x->species[op->index]),
                           is_own ? name(x, x->compartment[at])
                                  : rd_formula_number(&x->pool, op->value));
}

static rd_formula build(struct rd_export *x, const struct rd_op *op, int32_t n);

/* Returns a parameter, or the value to which the event of x->after has set it. */
static rd_formula export_parameter(struct rd_export *x, int32_t index)
{
    const struct rd_event *const after = x->after;
    rd_formula value = NULL;
    for (int k = 0; after && k < after->n_set && !value; k++) {
        if (after->set[k].parameter != index)
            continue;
        x->after = NULL; /* it is computed from the values before the event */
        value = build(x, after->set[k].value.op, after->set[k].value.n);
        x->after = after;
    }
    return value ? value : name(x, x->parameter[index]);
}

static rd_formula export_leaf(struct rd_export *x, const struct rd_op *op)
{
    double centre[3] = {0};
    rd_grid_centre(&x->model->grid, (const int32_t[3]){0}, centre);
    switch (op->code) {
    case RD_OP_CONSTANT:
        return rd_formula_number(&x->pool, op->value);
    case RD_OP_PARAMETER:
        return export_parameter(x, op->index);
    case RD_OP_COUNT:
        return name(x, x->species[op->index]);
    case RD_OP_CONCENTRATION:
        return export_quotient(x, name(x, x->species[op->index]), volume(x));
    case RD_OP_DENSITY:
        return density(x, op);
    case RD_OP_TOTAL:
        return name(x, x->species[x->model->total[op->index].species]);
    case RD_OP_T:
        return rd_formula_of(&x->pool, RD_FORMULA_CALL, "time", NULL, 0);
    case RD_OP_VOLUME:
        return volume(x);
    case RD_OP_X:
    case RD_OP_Y:
    case RD_OP_Z:
        return rd_formula_number(&x->pool, centre[op->code - RD_OP_X]);
    case RD_OP_MEAN_X:
    case RD_OP_MEAN_Y:
    case RD_OP_MEAN_Z:
        return rd_formula_number(&x->pool, centre[op->code - RD_OP_MEAN_X]);
    default:
        return rd_formula_number(
            &x->pool, 0.0); /* of regions, fields and individuals, which rd_export_check refuses */
    }
}

/* ---- operations ---- */

bool rd_export_is_boolean(rd_formula f)
{
    return f->kind == RD_FORMULA_OR || f->kind == RD_FORMULA_AND || f->kind == RD_FORMULA_NOT ||
           f->kind == RD_FORMULA_COMPARISON;
}

static rd_formula truth(struct rd_export *x, rd_formula a)
{
    return rd_export_is_boolean(a)
               ? a
               : rd_formula_compared(&x->pool, a, "!=", rd_formula_number(&x->pool, 0.0));
}

static rd_formula export_unary(struct rd_export *x, int32_t code, rd_formula a)
{
    static const char *const function[] = {
        [RD_OP_ABS] = "abs",   [RD_OP_EXP] = "exp",     [RD_OP_LOG] = "ln",
        [RD_OP_SQRT] = "sqrt", [RD_OP_SIN] = "sin",     [RD_OP_COS] = "cos",
        [RD_OP_TANH] = "tanh", [RD_OP_FLOOR] = "floor", [RD_OP_LOG10] = "log10"};
    if (code == RD_OP_NEGATE)
        return rd_formula_negative(&x->pool, a);
    if (code == RD_OP_NOT)
        return rd_formula_not(&x->pool, a);
    return code == RD_OP_TRUTH ? truth(x, a) : rd_formula_call(&x->pool, function[code], a);
}

static rd_formula export_binary(struct rd_export *x, int32_t code, rd_formula a, rd_formula b)
{
    static const enum rd_formula_kind kind[] = {[RD_OP_ADD] = RD_FORMULA_SUM,
                                                [RD_OP_SUBTRACT] = RD_FORMULA_DIFFERENCE,
                                                [RD_OP_MULTIPLY] = RD_FORMULA_PRODUCT,
                                                [RD_OP_DIVIDE] = RD_FORMULA_QUOTIENT,
                                                [RD_OP_POWER] = RD_FORMULA_POWER};
    static const char *const operator[] = {
        [RD_OP_LESS] = "<",           [RD_OP_LESS_OR_EQUAL] = "<=", [RD_OP_MORE] = ">",
        [RD_OP_MORE_OR_EQUAL] = ">=", [RD_OP_EQUAL] = "==",         [RD_OP_UNEQUAL] = "!="};
    const rd_formula part[] = {a, b};
    if (code >= RD_OP_LESS && code <= RD_OP_UNEQUAL)
        return rd_formula_compared(&x->pool, a, operator[code], b);
    if (code == RD_OP_MIN || code == RD_OP_MAX) {
        *(code == RD_OP_MIN ? &x->uses_least : &x->uses_most) = true;
        return rd_formula_of(&x->pool, RD_FORMULA_CALL, code == RD_OP_MIN ? "min" : "max", part, 2);
    }
    if (code == RD_OP_UNIFORM || code == RD_OP_NORMAL)
        return rd_formula_number(&x->pool,
                                 0.0); /* of individuals only, which rd_export_check refuses */
    return rd_formula_pair(&x->pool, kind[code], a, b);
}

/* Returns a choice; `a and b` is if(a, b != 0, 0), and `a or b` is if(a, 1, b != 0). */
static rd_formula export_choice(struct rd_export *x, rd_formula condition, rd_formula a,
                                rd_formula b)
{
    const rd_formula part[] = {condition, a, b};
    if (rd_export_is_boolean(a) && rd_formula_is_number(b, 0.0))
        return rd_formula_pair(&x->pool, RD_FORMULA_AND, condition, a);
    if (rd_formula_is_number(a, 1.0) && rd_export_is_boolean(b))
        return rd_formula_pair(&x->pool, RD_FORMULA_OR, condition, b);
    return rd_formula_of(&x->pool, RD_FORMULA_CALL, "if", part, 3);
}

static rd_formula build(struct rd_export *x, const struct rd_op *op, int32_t n)
{
    rd_formula stack[RD_EVAL_DEPTH + 1] = {0};
    int k = 0;
    for (int32_t i = 0; i < n; i++) {
        const int32_t code = op[i].code;
        if (code == RD_OP_UNLESS) {
            const int32_t jump = i + op[i].index, end = jump + 1 + op[jump].index;
            const rd_formula a = build(x, op + i + 1, jump - i - 1);
            const rd_formula b = build(x, op + jump + 1, end - jump - 1);
            stack[k - 1] = export_choice(x, stack[k - 1], a, b);
            i = end - 1;
        } else if (code == RD_OP_SUM) {
            stack[k++] = rd_formula_number(&x->pool, 0.0); /* of individuals */
            i += (int32_t)op[i].value;
        } else if (code == RD_OP_LOOK) {
            stack[k - 1] = rd_formula_number(&x->pool, 0.0); /* of tables */
            i += op[i].index;
        } else if (code < RD_OP_NEGATE) {
            stack[k++] = export_leaf(x, &op[i]);
        } else if (code < RD_OP_ADD) {
            stack[k - 1] = export_unary(x, code, stack[k - 1]);
        } else {
            stack[k - 2] = export_binary(x, code, stack[k - 2], stack[k - 1]);
            k--;
        }
    }
    return k > 0 ? stack[0] : rd_formula_number(&x->pool, 0.0);
}

rd_formula rd_export_formula(struct rd_export *x, const struct rd_expr *from)
{
    return build(x, from->op, from->n);
}
