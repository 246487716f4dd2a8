/* sbml_counted - assignment rules that give a whole number of molecules. */
#include "formats/sbml_counted.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Returns whether the value of a name changes in another way than the count of a species does. */
static bool changes_otherwise(const struct rd_sbml *s, rd_formula name)
{
    const struct rd_sbml_symbol *const x = rd_sbml_named(s, name);
    return (!x && strcmp(name->name, "t") == 0) ||
           (x &&
            (x->role == RD_SBML_IS_ODE || (x->is_set_by_event && x->role == RD_SBML_IS_PARAMETER)));
}

static int larger(int a, int b)
{
    return a > b ? a : b;
}

/* Returns the degree of a formula as a polynomial in the counts: 0, 1, or 2 for all others. */
static int degree_of(const struct rd_sbml *s, rd_formula f)
{
    const bool is_name = f->kind == RD_FORMULA_NAME || f->kind == RD_FORMULA_CONCENTRATION;
    const struct rd_sbml_symbol *const x = is_name ? rd_sbml_named(s, f) : NULL;
    if (is_name)
        return changes_otherwise(s, f) ? 2 : x && x->role == RD_SBML_IS_COUNT;
    int most = 0, sum = 0;
    for (int i = 0; i < f->n; i++) {
        const int degree = degree_of(s, f->part[i]);
        most = larger(most, degree);
        sum += degree;
    }
    switch (f->kind) {
    case RD_FORMULA_SUM:
    case RD_FORMULA_DIFFERENCE:
    case RD_FORMULA_NEGATIVE:
        return most;
    case RD_FORMULA_PRODUCT:
        return sum < 2 ? sum : 2;
    case RD_FORMULA_QUOTIENT:
        return degree_of(s, f->part[1]) == 0 ? most : 2;
    default:
        return most == 0 ? 0 : 2;
    }
}

/* Describes one molecule of one species, or none. */
struct probe {
    struct rd_sbml *s;
    const struct rd_sbml_symbol *one;
};

static double value_of_constant(void *of, rd_formula name)
{
    struct probe *const p = of;
    const struct rd_sbml_symbol *const x = rd_sbml_named(p->s, name);
    if (!x || x->role != RD_SBML_IS_COUNT)
        return rd_sbml_number(p->s, name);
    if (x != p->one || name->kind != RD_FORMULA_CONCENTRATION || x->is_bracketed)
        return x == p->one;
    return 1.0 / rd_sbml_number(p->s, rd_sbml_start(p->s, rd_sbml_compartment(p->s, x)));
}

/* Returns the nearest whole number from 0 on, or -1 if it is not near. */
static int nearest_whole(double value)
{
    const double near = floor(value + 0.5);
    return near >= 0.0 && near <= INT32_MAX && fabs(value - near) <= 1e-9 * (1.0 + near) ? (int)near
                                                                                         : -1;
}

/* Finds the weights and the constant; returns false if one of them is not a whole number. */
static bool find_weights(struct rd_sbml *s, rd_formula f, struct rd_sbml_counted_rule *r)
{
    struct probe p = {s, NULL};
    const double at_none = rd_formula_value(f, value_of_constant, &p);
    bool ok = (r->constant = nearest_whole(at_none)) >= 0;
    for (int i = 0; i < s->n_symbols && ok; i++) {
        p.one = &s->symbol[i];
        if (p.one->role != RD_SBML_IS_COUNT || !rd_formula_has(f, p.one->name))
            continue;
        r->weight[i] = nearest_whole(rd_formula_value(f, value_of_constant, &p) - at_none);
        ok = r->weight[i] >= 0;
    }
    return ok;
}

static double count_at_start(const struct rd_sbml *s, const struct rd_sbml_counted_rule *r)
{
    double count = r->constant;
    for (int i = 0; i < s->n_symbols; i++)
        if (r->weight[i] > 0)
            count += r->weight[i] * floor(s->symbol[i].count + 0.5);
    return count;
}

/* Finds the rule of a symbol; returns false if it gives no whole number of molecules. The caller
   frees its weights. */
static bool find_rule(struct rd_sbml *s, struct rd_sbml_symbol *x, struct rd_sbml_counted_rule *r)
{
    const rd_formula now = rd_sbml_now(s, x);
    const rd_formula f = x->kind == RD_SBML_SPECIES ? rd_sbml_molecules(s, x, now, false) : now;
    *r = (struct rd_sbml_counted_rule){.species = x,
                                       .weight = calloc((size_t)s->n_symbols, sizeof(int))};
    s->pool.is_full = s->pool.is_full || !r->weight;
    return r->weight && degree_of(s, f) <= 1 && find_weights(s, f, r);
}

/* Appends a rule to a list, which owns it then. */
static bool append_rule(struct rd_sbml_counted_rule **list, int *n,
                        const struct rd_sbml_counted_rule *r)
{
    struct rd_sbml_counted_rule *const more = realloc(*list, (size_t)(*n + 1) * sizeof *more);
    if (!more)
        return false;
    *list = more;
    more[(*n)++] = *r;
    return true;
}

/* Returns whether the rule is a sum of species, without a constant. */
static bool is_sum(const struct rd_sbml *s, const struct rd_sbml_counted_rule *r)
{
    bool has_any = false;
    for (int i = 0; i < s->n_symbols; i++)
        has_any = has_any || r->weight[i] > 0;
    return has_any && r->constant == 0;
}

/* Adds the rule of a species or parameter. */
static void add_counted_rule(struct rd_sbml *s, struct rd_sbml_counted *c, struct rd_sbml_symbol *x)
{
    struct rd_sbml_counted_rule r;
    const bool is_species = x->kind == RD_SBML_SPECIES;
    const bool is_found = find_rule(s, x, &r) && (is_species || is_sum(s, &r));
    const bool is_kept =
        is_found && (is_species ? append_rule(&c->rule, &c->n, &r)
                                : append_rule(&c->observable, &c->n_observables, &r));
    if (!is_kept)
        free(r.weight);
    s->pool.is_full = s->pool.is_full || (is_found && !is_kept);
    x->is_counted = is_kept;
    if (is_kept && is_species)
        x->count = count_at_start(s, &r);
}

void rd_sbml_counted_find(struct rd_sbml *s, struct rd_sbml_counted *c)
{
    for (int i = 0; i < s->n_symbols; i++) {
        struct rd_sbml_symbol *const x = &s->symbol[i];
        const bool is_placed = x->kind != RD_SBML_SPECIES || x->compartment >= 0;
        if (x->role == RD_SBML_IS_FORMULA && x->rule && !x->solved && is_placed)
            add_counted_rule(s, c, x);
    }
}

static void free_rules(struct rd_sbml_counted_rule *rule, int n)
{
    for (int i = 0; i < n; i++)
        free(rule[i].weight);
    free(rule);
}

void rd_sbml_counted_free(struct rd_sbml_counted *c)
{
    free_rules(c->rule, c->n);
    free_rules(c->observable, c->n_observables);
}

int rd_sbml_counted_weight(const struct rd_sbml *s, const struct rd_sbml_counted_rule *r,
                           const struct rd_sbml_symbol *x)
{
    return r->weight[x - s->symbol];
}
