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

bool rd_idle_print(FILE *out, const struct rd_model *m, struct rd_error *e)
{
    bool *const is_there = calloc((size_t)m->n_species + 1, sizeof *is_there);
    if (!is_there)
        return rd_fail(e, "there is no memory for the report");
    take_start(m, is_there);
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
    for (int r = 0; r < m->n_reactions; r++) {
        const int s = missing(&m->reaction[r], is_there);
        if (s >= 0)
            fprintf(out,
                    "warning     %s: '%s' can never happen: %s is not there at the start, and "
                    "nothing makes it; add it to initial, or remove the reaction\n",
                    m->reaction[r].place, m->reaction[r].equation, m->species[s].name);
    }
    free(is_there);
    return true;
}
