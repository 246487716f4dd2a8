/* sbml_laws - kinetic laws as rates of mass action or propensities, in one direction or two. */
#include "formats/sbml_laws.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- factors ---- */

enum { FACTORS_MOST = 128, REPEATED_MOST = 64 };

/* Describes a formula as a quotient of two products. */
struct factors {
    rd_formula over[FACTORS_MOST], under[FACTORS_MOST];
    int n_over, n_under;
    bool is_too_long;
};

static void add_factor(struct factors *q, rd_formula f, bool is_under)
{
    int *const n = is_under ? &q->n_under : &q->n_over;
    if (*n == FACTORS_MOST)
        q->is_too_long = true;
    else
        (is_under ? q->under : q->over)[(*n)++] = f;
}

/* Returns the exponent of a power that stands for repeated factors, or 0. */
static int repeats(rd_formula f)
{
    const double n = f->kind == RD_FORMULA_POWER && f->part[1]->kind == RD_FORMULA_NUMBER
                         ? f->part[1]->number
                         : 0.0;
    return n >= 1.0 && n <= REPEATED_MOST && n == floor(n) ? (int)n : 0;
}

static void find_factors(struct factors *q, rd_formula f, bool is_under)
{
    const int n = repeats(f);
    if (f->kind == RD_FORMULA_PRODUCT) {
        for (int i = 0; i < f->n; i++)
            find_factors(q, f->part[i], is_under);
    } else if (f->kind == RD_FORMULA_QUOTIENT) {
        find_factors(q, f->part[0], is_under);
        find_factors(q, f->part[1], !is_under);
    } else if (n > 0) {
        for (int i = 0; i < n; i++)
            find_factors(q, f->part[0], is_under);
    } else {
        add_factor(q, f, is_under);
    }
}

static rd_formula product_of_factors(struct rd_sbml *s, const rd_formula *factor, int n)
{
    return rd_formula_of(&s->pool, RD_FORMULA_PRODUCT, NULL, factor, n);
}

/* Returns whether the name stands for a number of molecules, if it is that of a species: a
   concentration does where the size is 1. */
static bool is_number_of_molecules(struct rd_sbml *s, rd_formula name)
{
    const struct rd_sbml_symbol *const x = rd_sbml_named(s, name);
    return name->kind == RD_FORMULA_NAME || x->is_bracketed ||
           rd_sbml_number(s, rd_sbml_start(s, rd_sbml_compartment(s, x))) == 1.0;
}

/* Returns whether the factor is the number of molecules less k, or for k = 0 the concentration. */
static bool is_falling(struct rd_sbml *s, rd_formula f, const char *name, int k)
{
    return rd_formula_is_less(f, name, k) && (k == 0 || is_number_of_molecules(s, f->part[0]));
}

/* Removes the factor n - k of the species; returns false if there is none. */
static bool take_falling(struct rd_sbml *s, struct factors *q, const char *name, int k,
                         int *n_concentrations)
{
    for (int i = 0; i < q->n_over; i++)
        if (is_falling(s, q->over[i], name, k)) {
            *n_concentrations += q->over[i]->kind == RD_FORMULA_CONCENTRATION;
            q->over[i] = q->over[--q->n_over];
            return true;
        }
    return false;
}

/* Removes all factors `volume`; returns their number. */
static int take_volumes(rd_formula *factor, int *n)
{
    int taken = 0, kept = 0;
    for (int i = 0; i < *n; i++) {
        const bool is =
            factor[i]->kind == RD_FORMULA_NAME && strcmp(factor[i]->name, "volume") == 0;
        taken += is;
        if (!is)
            factor[kept++] = factor[i];
    }
    *n = kept;
    return taken;
}

/* Removes names that are factors of both products. */
static void cancel_names(struct factors *q)
{
    for (int i = 0; i < q->n_over; i++)
        for (int k = 0; k < q->n_under && i >= 0; k++)
            if (q->over[i]->kind == RD_FORMULA_NAME && q->under[k]->kind == RD_FORMULA_NAME &&
                strcmp(q->over[i]->name, q->under[k]->name) == 0) {
                q->over[i] = q->over[--q->n_over];
                q->under[k] = q->under[--q->n_under];
                i = -1; /* the factors have moved: begin again */
            }
}

static bool is_variable(const void *of, rd_formula name)
{
    const struct rd_sbml_symbol *const x = rd_sbml_named(of, name);
    return (!x && strcmp(name->name, "t") == 0) ||
           (x && (x->role == RD_SBML_IS_COUNT || x->role == RD_SBML_IS_ODE));
}

static bool has_variables(const struct rd_sbml *s, const rd_formula *factor, int n)
{
    bool has = false;
    for (int i = 0; i < n; i++)
        has = has || rd_formula_any(factor[i], is_variable, s);
    return has;
}

/* Adds the factor volume^power. */
static void add_volume(struct rd_sbml *s, struct factors *q, int power)
{
    if (power == 0)
        return;
    const rd_formula volume = rd_formula_name(&s->pool, RD_FORMULA_NAME, "volume");
    const rd_formula size = rd_formula_number(&s->pool, abs(power));
    add_factor(q, rd_formula_pair(&s->pool, RD_FORMULA_POWER, volume, size), power < 0);
}

/* Returns whether all reactants are in the compartment in which the reaction happens. */
static bool is_at_home(const struct rd_sbml *s, const struct rd_sbml_direction *d)
{
    bool is = true;
    for (int i = 0; i < d->n_reactants; i++)
        is = is && rd_sbml_compartment(s, d->reactant[i].species) == d->home;
    return is;
}

rd_formula rd_sbml_mass_action(struct rd_sbml *s, const struct rd_sbml_direction *d)
{
    enum { ORDER_MOST = 100 }; /* of mass action (docs/keys.md) */
    struct factors q = {0};
    if (s->has_mixed && !is_at_home(s, d))
        return NULL;
    int order = 0, n_concentrations = 0;
    find_factors(&q, d->propensity, false);
    for (int i = 0; i < d->n_reactants && order <= ORDER_MOST; i++)
        for (int k = 0; k < d->reactant[i].number; k++, order++)
            if (!take_falling(s, &q, d->reactant[i].species->name, k, &n_concentrations))
                return NULL;
    if (order > ORDER_MOST || has_variables(s, q.over, q.n_over) ||
        has_variables(s, q.under, q.n_under))
        return NULL;
    if (s->voxel >= 0 || d->home) {
        const int own = take_volumes(q.over, &q.n_over) - take_volumes(q.under, &q.n_under);
        add_volume(s, &q, order - 1 - n_concentrations + own);
    }
    cancel_names(&q);
    if (q.is_too_long)
        return NULL;
    return rd_formula_pair(&s->pool, RD_FORMULA_QUOTIENT, product_of_factors(s, q.over, q.n_over),
                           product_of_factors(s, q.under, q.n_under));
}

/* ---- too few molecules ---- */

/* Returns how many of the species the terms have. */
static int number_of(const struct rd_sbml_term *term, int n, const struct rd_sbml_symbol *species)
{
    int number = 0;
    for (int i = 0; i < n; i++)
        number += term[i].species == species ? term[i].number : 0;
    return number;
}

/* Returns whether the propensity is 0 as long as there are fewer than n molecules: it has the
   factors of 0, 1, ... n - 1 molecules, or such a condition. */
static bool is_zero_below(struct rd_sbml *s, const struct rd_sbml_direction *d,
                          const struct rd_sbml_symbol *x, int n)
{
    struct factors q = {0};
    int n_concentrations = 0;
    const rd_formula f = rd_formula_below(d->propensity, rd_sbml_count(s, x), n);
    if (!f)
        return true;
    find_factors(&q, f, false);
    for (int k = 0; k < n; k++)
        if (!take_falling(s, &q, x->name, k, &n_concentrations))
            return false;
    for (int i = 0; i < q.n_under; i++)
        if (is_falling(s, q.under[i], x->name, 0))
            return false; /* 0 / 0 */
    return true;
}

/* Copies terms to `to`, with `less` of the species fewer; returns how many terms are left. */
static int copy_less(struct rd_sbml_term *to, const struct rd_sbml_term *term, int n,
                     const struct rd_sbml_symbol *species, int less)
{
    int kept = 0;
    for (int i = 0; i < n; i++) {
        to[kept] = term[i];
        to[kept].number -= term[i].species == species ? less : 0;
        kept += to[kept].number > 0;
    }
    return kept;
}

void rd_sbml_drop_catalysts(struct rd_sbml *s, struct rd_sbml_direction *d)
{
    for (int i = d->n_reactants; i-- > 0;) {
        const struct rd_sbml_symbol *const x = d->reactant[i].species;
        const int number = d->reactant[i].number, made = number_of(d->product, d->n_products, x),
                  most = number < made ? number : made;
        int less = 0;
        while (less < most && !is_zero_below(s, d, x, number - less))
            less++;
        d->n_reactants = copy_less(d->reactant, d->reactant, d->n_reactants, x, less);
        d->n_products = copy_less(d->product, d->product, d->n_products, x, less);
    }
}

rd_formula rd_sbml_guarded(struct rd_sbml *s, const struct rd_sbml_direction *d)
{
    rd_formula all = NULL;
    for (int i = 0; i < d->n_reactants; i++) {
        const struct rd_sbml_symbol *const x = d->reactant[i].species;
        const int loss = d->reactant[i].number - number_of(d->product, d->n_products, x);
        if (loss <= 0 || is_zero_below(s, d, x, loss))
            continue;
        const rd_formula one = rd_formula_compared(&s->pool, rd_sbml_count(s, x),
                                                   ">=", rd_formula_number(&s->pool, loss));
        all = all ? rd_formula_pair(&s->pool, RD_FORMULA_AND, all, one) : one;
    }
    return all ? rd_formula_if(&s->pool, all, d->propensity, rd_formula_number(&s->pool, 0.0))
               : d->propensity;
}

/* ---- signs ---- */

static bool are_never_negative(struct rd_sbml *s, rd_formula f, int from, int step)
{
    bool are = true;
    for (int i = from; i < f->n && are; i += step)
        are = rd_sbml_is_never_negative(s, f->part[i]);
    return are;
}

static bool is_call_never_negative(struct rd_sbml *s, rd_formula f)
{
    static const char *const always[] = {"exp", "abs", "sqrt"};
    for (size_t i = 0; i < sizeof always / sizeof *always; i++)
        if (strcmp(f->name, always[i]) == 0)
            return true;
    if (strcmp(f->name, "if") == 0)
        return are_never_negative(s, f, 1, 1);
    if (strcmp(f->name, "piecewise") == 0)
        return are_never_negative(s, f, 0, 2);
    return (strcmp(f->name, "min") == 0 || strcmp(f->name, "max") == 0 ||
            strcmp(f->name, "floor") == 0 || strcmp(f->name, "tanh") == 0) &&
           are_never_negative(s, f, 0, 1);
}

/* Returns whether a name is a number of molecules, the time, the volume, or a parameter or variable
   of a rate rule that is not negative at the start. If it becomes negative, the run ends by a
   fault. */
static bool is_name_never_negative(struct rd_sbml *s, rd_formula f)
{
    const struct rd_sbml_symbol *const x = rd_sbml_named(s, f);
    return (x && x->role == RD_SBML_IS_COUNT) || strcmp(f->name, "t") == 0 ||
           strcmp(f->name, "volume") == 0 || rd_sbml_number(s, f) >= 0.0;
}

/* Returns whether all factors are never negative. Falling factorials n (n - 1) ... are not. */
static bool is_product_never_negative(struct rd_sbml *s, rd_formula f)
{
    struct factors q = {0};
    int n_concentrations = 0;
    find_factors(&q, f, false);
    for (int i = 0; i < q.n_over; i++) {
        const rd_formula first = q.over[i];
        if ((first->kind != RD_FORMULA_NAME && first->kind != RD_FORMULA_CONCENTRATION) ||
            !is_variable(s, first))
            continue;
        for (int k = 1; take_falling(s, &q, first->name, k, &n_concentrations); k++)
            i = -1; /* the factors have moved */
    }
    bool are = !q.is_too_long;
    for (int i = 0; i < q.n_over && are; i++)
        are = rd_sbml_is_never_negative(s, q.over[i]);
    for (int i = 0; i < q.n_under && are; i++)
        are = rd_sbml_is_never_negative(s, q.under[i]);
    return are;
}

bool rd_sbml_is_never_negative(struct rd_sbml *s, rd_formula f)
{
    switch (f->kind) {
    case RD_FORMULA_NUMBER:
        return f->number >= 0.0;
    case RD_FORMULA_NAME:
    case RD_FORMULA_CONCENTRATION:
        return is_name_never_negative(s, f);
    case RD_FORMULA_CALL:
        return is_call_never_negative(s, f);
    case RD_FORMULA_SUM:
        return are_never_negative(s, f, 0, 1);
    case RD_FORMULA_PRODUCT:
    case RD_FORMULA_QUOTIENT:
        return is_product_never_negative(s, f);
    case RD_FORMULA_POWER:
        return rd_sbml_is_never_negative(s, f->part[0]) ||
               (f->part[1]->kind == RD_FORMULA_NUMBER && fmod(f->part[1]->number, 2.0) == 0.0);
    case RD_FORMULA_OR:
    case RD_FORMULA_AND:
    case RD_FORMULA_NOT:
    case RD_FORMULA_COMPARISON:
        return true;
    default:
        return false;
    }
}

/* ---- two directions ---- */

static bool split_sum(struct rd_sbml *s, rd_formula f, rd_formula *forward, rd_formula *back)
{
    *forward = *back = rd_formula_number(&s->pool, 0.0);
    for (int i = 0; i < f->n; i++) {
        rd_formula plus, minus;
        if (!rd_sbml_split(s, f->part[i], &plus, &minus))
            return false;
        *forward = rd_formula_pair(&s->pool, RD_FORMULA_SUM, *forward, plus);
        *back = rd_formula_pair(&s->pool, RD_FORMULA_SUM, *back, minus);
    }
    return true;
}

static bool split_difference(struct rd_sbml *s, rd_formula f, rd_formula *forward, rd_formula *back)
{
    rd_formula plus[2], minus[2];
    for (int i = 0; i < 2; i++)
        if (!rd_sbml_split(s, f->part[i], &plus[i], &minus[i]))
            return false;
    *forward = rd_formula_pair(&s->pool, RD_FORMULA_SUM, plus[0], minus[1]);
    *back = rd_formula_pair(&s->pool, RD_FORMULA_SUM, minus[0], plus[1]);
    return true;
}

/* Splits the one factor that may be negative, and multiplies both parts by the others. */
static bool split_product(struct rd_sbml *s, rd_formula f, rd_formula *forward, rd_formula *back)
{
    int which = -1;
    for (int i = 0; i < f->n; i++)
        if (!rd_sbml_is_never_negative(s, f->part[i])) {
            if (which >= 0)
                return false;
            which = i;
        }
    if (which < 0 || f->n > FACTORS_MOST)
        return false;
    rd_formula factor[FACTORS_MOST], plus, minus;
    memcpy(factor, f->part, (size_t)f->n * sizeof *factor);
    if (!rd_sbml_split(s, f->part[which], &plus, &minus))
        return false;
    factor[which] = plus;
    *forward = product_of_factors(s, factor, f->n);
    factor[which] = minus;
    *back = product_of_factors(s, factor, f->n);
    return true;
}

static bool split_quotient(struct rd_sbml *s, rd_formula f, rd_formula *forward, rd_formula *back)
{
    rd_formula plus, minus;
    if (!rd_sbml_is_never_negative(s, f->part[1]) || !rd_sbml_split(s, f->part[0], &plus, &minus))
        return false;
    *forward = rd_formula_pair(&s->pool, RD_FORMULA_QUOTIENT, plus, f->part[1]);
    *back = rd_formula_pair(&s->pool, RD_FORMULA_QUOTIENT, minus, f->part[1]);
    return true;
}

bool rd_sbml_split(struct rd_sbml *s, rd_formula f, rd_formula *forward, rd_formula *back)
{
    if (rd_sbml_is_never_negative(s, f)) {
        *forward = f;
        *back = rd_formula_number(&s->pool, 0.0);
        return true;
    }
    switch (f->kind) {
    case RD_FORMULA_NUMBER:
        *forward = rd_formula_number(&s->pool, 0.0);
        *back = rd_formula_number(&s->pool, -f->number);
        return f->number < 0.0;
    case RD_FORMULA_NEGATIVE:
        return rd_sbml_split(s, f->part[0], back, forward);
    case RD_FORMULA_SUM:
        return split_sum(s, f, forward, back);
    case RD_FORMULA_DIFFERENCE:
        return split_difference(s, f, forward, back);
    case RD_FORMULA_PRODUCT:
        return split_product(s, f, forward, back);
    case RD_FORMULA_QUOTIENT:
        return split_quotient(s, f, forward, back);
    default:
        return false;
    }
}
