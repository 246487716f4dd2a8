/* idle - reactions of a model that can never happen. Numbers do not matter: a species is there or
   not. */
#include "modes/idle.h"

#include <stdlib.h>

/* Returns whether an amount may put molecules down: all but a number that is 0. */
static bool is_some(const struct rd_model *m, const struct rd_amount *a)
{
    const struct rd_eval_context at = {.parameter = m->value};
    return a->kind == RD_AMOUNT_FROM || (a->much.uses & ~(unsigned)RD_USES_PARAMETERS) != 0 ||
           rd_expr_value(&a->much, &at) != 0;
}

static void take_amounts(const struct rd_model *m, const struct rd_amount *a, int n, bool *is_there)
{
    for (int i = 0; i < n; i++)
        for (int s = 0; s < m->n_species; s++)
            if ((a[i].species < 0 || a[i].species == s) && is_some(m, &a[i]))
                is_there[s] = true;
}

/* Marks what the start, events and reservoirs put down. An event that changes parameters may change
   any amount. */
static void take_start(const struct rd_model *m, bool *is_there)
{
    take_amounts(m, m->initial, m->n_initial, is_there);
    for (int i = 0; i < m->n_events; i++)
        for (int k = 0; k < m->event[i].n_add; k++)
            for (int s = 0; s < m->n_species; s++)
                if (m->event[i].add[k].species < 0 || m->event[i].add[k].species == s)
                    is_there[s] = true;
    for (int i = 0; i < m->n_events; i++)
        for (int k = 0; k < m->event[i].n_take; k++)
            if (m->event[i].take[k].becomes >= 0)
                is_there[m->event[i].take[k].becomes] = true;
    for (int s = 0; s < m->n_species; s++)
        for (int face = 0; face < RD_FACES; face++)
            if (m->species[s].wall[face].kind == RD_WALL_RESERVOIR)
                is_there[s] = true;
}

/* Returns the first reactant that is not there, -1 if all are. */
static int missing(const struct rd_reaction *x, const bool *is_there)
{
    for (int i = 0; i < x->n_reactants; i++)
        if (!is_there[x->reactant[i].species])
            return x->reactant[i].species;
    return -1;
}

/* Marks what reactions make of what is there. */
static void spread(const struct rd_model *m, bool *is_there)
{
    for (bool is_changed = true; is_changed;) {
        is_changed = false;
        for (int r = 0; r < m->n_reactions; r++) {
            const struct rd_reaction *const x = &m->reaction[r];
            for (int i = 0; i < x->n_products && missing(x, is_there) < 0; i++) {
                is_changed = is_changed || !is_there[x->product[i].species];
                is_there[x->product[i].species] = true;
            }
        }
    }
}

/* Sets cause[species] of each species that is missing to another one that is missing, which a
   reaction that would make it needs; -1 if there is none. */
static void find_causes(const struct rd_model *m, const bool *is_there, int *cause)
{
    for (int s = 0; s < m->n_species; s++)
        cause[s] = -1;
    for (int r = m->n_reactions - 1; r >= 0; r--) {
        const struct rd_reaction *const x = &m->reaction[r];
        const int needed = missing(x, is_there);
        for (int i = 0; i < x->n_products && needed >= 0; i++)
            if (x->product[i].species != needed)
                cause[x->product[i].species] = needed;
    }
}

/* Returns the species at the end of the causes of one; if they are a circle, its first species. */
static int root_of(const int *cause, int n_species, int s)
{
    for (int i = 0; i < n_species && cause[s] >= 0; i++) /* then it is in the circle */
        s = cause[s];
    int first = s;
    for (int at = cause[s]; at >= 0 && at != s; at = cause[at])
        first = at < first ? at : first;
    return first;
}

/* The reactions that cannot happen because of one species. */
struct idle {
    int n, first;
};

/* Counts the reactions that cannot happen, each at its root. */
static void count_idle(const struct rd_model *m, const bool *is_there, const int *cause,
                       struct idle *idle)
{
    for (int r = m->n_reactions - 1; r >= 0; r--) {
        const int s = missing(&m->reaction[r], is_there);
        if (s < 0)
            continue;
        struct idle *const x = &idle[root_of(cause, m->n_species, s)];
        x->n++;
        x->first = r;
    }
}

static void print_root(FILE *out, const struct rd_model *m, const struct idle *x, int root,
                       bool is_circle)
{
    const struct rd_reaction *const r = &m->reaction[x->first];
    fprintf(out, "warning     %s: '%s'", r->place, r->equation);
    if (x->n > 1)
        fprintf(out, " and %d more reaction%s", x->n - 1, x->n == 2 ? "" : "s");
    fprintf(out,
            " can never happen: %s is not there at the start, and %s makes it; add it to initial, "
            "or remove the reaction%s\n",
            m->species[root].name, is_circle ? "no reaction that can happen" : "nothing",
            x->n == 1 ? "" : "s");
}

bool rd_idle_print(FILE *out, const struct rd_model *m, struct rd_error *e)
{
    bool *const is_there = calloc((size_t)m->n_species + 1, sizeof *is_there);
    int *const cause = malloc(((size_t)m->n_species + 1) * sizeof *cause);
    struct idle *const idle = calloc((size_t)m->n_species + 1, sizeof *idle);
    const bool ok = is_there && cause && idle;
    if (ok) {
        take_start(m, is_there);
        spread(m, is_there);
        find_causes(m, is_there, cause);
        count_idle(m, is_there, cause, idle);
    }
    for (int s = 0; ok && s < m->n_species; s++)
        if (idle[s].n > 0)
            print_root(out, m, &idle[s], s, cause[s] >= 0);
    free(is_there);
    free(cause);
    free(idle);
    return ok || rd_fail(e, "there is no memory for the report");
}
