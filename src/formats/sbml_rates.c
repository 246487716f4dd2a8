/* sbml_rates - rate rules with an exact solution: x' = a + b x, where a and b are constant. The
   variable is then an expression of the time, and nothing is integrated in steps. */
#include "formats/sbml_rates.h"

#include "base/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Describes the rate a + b x of a variable x; NULL stands for 0. */
struct linear {
    rd_formula a, b;
};

static rd_formula add_linear(struct rd_sbml *s, rd_formula one, rd_formula other)
{
    return !one ? other : !other ? one : rd_formula_pair(&s->pool, RD_FORMULA_SUM, one, other);
}

static rd_formula negate_linear(struct rd_sbml *s, rd_formula f)
{
    return f ? rd_formula_negative(&s->pool, f) : NULL;
}

static bool find_linear(struct rd_sbml *s, rd_formula f, const char *x, struct linear *l);

static bool linear_sum(struct rd_sbml *s, rd_formula f, const char *x, struct linear *l)
{
    *l = (struct linear){0};
    for (int i = 0; i < f->n; i++) {
        const bool is_subtracted = f->kind == RD_FORMULA_DIFFERENCE && i > 0;
        struct linear part;
        if (!find_linear(s, f->part[i], x, &part))
            return false;
        l->a = add_linear(s, l->a, is_subtracted ? negate_linear(s, part.a) : part.a);
        l->b = add_linear(s, l->b, is_subtracted ? negate_linear(s, part.b) : part.b);
    }
    return true;
}

/* Multiplies the one factor that has x by the others. */
static bool linear_product(struct rd_sbml *s, rd_formula f, const char *x, struct linear *l)
{
    rd_formula others = rd_formula_number(&s->pool, 1.0);
    int which = -1;
    for (int i = 0; i < f->n; i++) {
        const bool has = rd_formula_has(f->part[i], x);
        if (has && which >= 0)
            return false;
        which = has ? i : which;
        others = has ? others : rd_formula_pair(&s->pool, RD_FORMULA_PRODUCT, others, f->part[i]);
    }
    if (which < 0 || !find_linear(s, f->part[which], x, l))
        return false;
    l->a = l->a ? rd_formula_pair(&s->pool, RD_FORMULA_PRODUCT, others, l->a) : NULL;
    l->b = l->b ? rd_formula_pair(&s->pool, RD_FORMULA_PRODUCT, others, l->b) : NULL;
    return true;
}

static bool linear_quotient(struct rd_sbml *s, rd_formula f, const char *x, struct linear *l)
{
    if (rd_formula_has(f->part[1], x) || !find_linear(s, f->part[0], x, l))
        return false;
    l->a = l->a ? rd_formula_pair(&s->pool, RD_FORMULA_QUOTIENT, l->a, f->part[1]) : NULL;
    l->b = l->b ? rd_formula_pair(&s->pool, RD_FORMULA_QUOTIENT, l->b, f->part[1]) : NULL;
    return true;
}

/* Writes a formula as a + b x; returns false if its form does not show how. */
static bool find_linear(struct rd_sbml *s, rd_formula f, const char *x, struct linear *l)
{
    *l = (struct linear){.a = rd_formula_is_number(f, 0.0) ? NULL : f};
    if (!rd_formula_has(f, x))
        return true;
    switch (f->kind) {
    case RD_FORMULA_NAME:
        *l = (struct linear){.b = rd_formula_number(&s->pool, 1.0)};
        return true;
    case RD_FORMULA_NEGATIVE:
        if (!find_linear(s, f->part[0], x, l))
            return false;
        *l = (struct linear){negate_linear(s, l->a), negate_linear(s, l->b)};
        return true;
    case RD_FORMULA_SUM:
    case RD_FORMULA_DIFFERENCE:
        return linear_sum(s, f, x, l);
    case RD_FORMULA_PRODUCT:
        return linear_product(s, f, x, l);
    case RD_FORMULA_QUOTIENT:
        return linear_quotient(s, f, x, l);
    default:
        return false;
    }
}

static rd_formula multiply_linear(struct rd_sbml *s, rd_formula one, rd_formula other)
{
    return rd_formula_pair(&s->pool, RD_FORMULA_PRODUCT, one, other);
}

static rd_formula parameter_of_rate(struct rd_sbml *s, const struct rd_sbml_symbol *x,
                                    const char *ending, double value)
{
    char *const wanted = rd_text_format("%s_%s", x->id, ending);
    const rd_formula name = rd_sbml_new_parameter(s, wanted ? wanted : x->id, value);
    s->constant[s->n_constants - 1].is_set = x->is_set_by_event;
    free(wanted);
    return name;
}

/* Returns x(t): from + a u without b, else from exp(b u) + a (exp(b u) - 1) / b, where u is the
   time since the start, or since an event has set x. */
static rd_formula solution(struct rd_sbml *s, struct rd_sbml_symbol *x, const struct linear *l)
{
    rd_formula u = rd_formula_name(&s->pool, RD_FORMULA_NAME, "t");
    x->from = parameter_of_rate(s, x, "start", rd_sbml_number(s, rd_sbml_start(s, x)));
    if (x->is_set_by_event)
        x->since = parameter_of_rate(s, x, "since", 0.0);
    if (x->since)
        u = rd_formula_pair(&s->pool, RD_FORMULA_DIFFERENCE, u, x->since);
    if (!l->b)
        return l->a ? add_linear(s, x->from, multiply_linear(s, l->a, u)) : x->from;
    const rd_formula grown = rd_formula_call(&s->pool, "exp", multiply_linear(s, l->b, u));
    const rd_formula own = multiply_linear(s, x->from, grown);
    if (!l->a)
        return own;
    const rd_formula more =
        rd_formula_pair(&s->pool, RD_FORMULA_DIFFERENCE, grown, rd_formula_number(&s->pool, 1.0));
    return add_linear(
        s, own,
        rd_formula_pair(&s->pool, RD_FORMULA_QUOTIENT, multiply_linear(s, l->a, more), l->b));
}

/* Solves the rate rule of x, if its coefficients are constant. */
static void solve_rate_rule(struct rd_sbml *s, struct rd_sbml_symbol *x)
{
    struct linear l;
    const rd_formula rate = rd_sbml_math(s, Rule_getMath(x->rule), false, NULL);
    if (!find_linear(s, rate, x->name, &l) || (l.a && rd_formula_any(l.a, rd_sbml_varies, s)) ||
        (l.b && rd_formula_any(l.b, rd_sbml_varies, s)))
        return;
    if (l.a && l.b && rd_sbml_number(s, l.b) == 0.0)
        return;
    const rd_formula solved = solution(s, x, &l);
    if (!s->pool.is_full)
        x->solved = solved;
}

void rd_sbml_solve_rates(struct rd_sbml *s)
{
    const int before = s->e->n;
    for (int i = 0; i < s->n_symbols; i++) {
        struct rd_sbml_symbol *const x = &s->symbol[i];
        if (x->role != RD_SBML_IS_ODE)
            continue;
        rd_sbml_about(s, SBase_getLine((const SBase_t *)x->rule), "rate rule of '%.60s'", x->id);
        solve_rate_rule(s, x);
        if (s->e->n > before)
            return;
    }
    for (int i = 0; i < s->n_symbols; i++) {
        struct rd_sbml_symbol *const x = &s->symbol[i];
        x->now = (struct rd_sbml_value){0}; /* may name a variable that is now an expression */
        x->role = x->solved ? RD_SBML_IS_FORMULA : x->role;
    }
}
