/* start_counts - what a configuration says of the species of its network. */
#include "modes/start_counts.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

static bool is_closed(const struct rd_model *m)
{
    bool passes = m->n_events > 0;
    for (int s = 0; s < m->n_species; s++)
        passes = passes || rd_species_has_wall(&m->species[s], RD_WALL_ABSORB) ||
                 rd_species_has_wall(&m->species[s], RD_WALL_RESERVOIR);
    return !passes;
}

/* Returns the species of a network that has the name of one of a model, -1 if there is none. */
static int network_species_of(const struct rd_network *n, const struct rd_model *m, int species)
{
    const char *const name = m->species[species].name;
    if (species < n->n_species && strcmp(n->species[species], name) == 0)
        return species;
    int i = 0;
    while (i < n->n_species && strcmp(n->species[i], name) != 0)
        i++;
    return i < n->n_species ? i : -1;
}

/* Adds what an entry of `initial` puts down to the number of a species. It is not known if rows of
   parameters may change it. */
static void add_amount(struct rd_start_counts *s, const struct rd_network *n,
                       const struct rd_model *m, const struct rd_amount *a, int species)
{
    const struct rd_eval_context at = {.parameter = m->value};
    const int i = network_species_of(n, m, species);
    const bool is_number =
        a->kind == RD_AMOUNT_COUNT && a->species >= 0 && !rd_theta_may_change(&m->theta, &a->much);
    const double number = is_number ? rd_expr_value(&a->much, &at) : -1;
    if (i < 0)
        return;
    if (!(number >= 0 && number < 9e15) || s->number[i] < 0)
        s->number[i] = -1;
    else
        s->number[i] += (int64_t)number;
}

/* Adds up what `initial` puts down, where that is a number. */
static void count_start(struct rd_start_counts *s, const struct rd_network *n,
                        const struct rd_model *m)
{
    for (int k = 0; k < m->n_species; k++)
        if (network_species_of(n, m, k) >= 0)
            s->number[network_species_of(n, m, k)] = 0;
    for (int i = 0; i < m->n_initial; i++) {
        const struct rd_amount *const a = &m->initial[i];
        for (int k = a->species < 0 ? 0 : a->species;
             k < (a->species < 0 ? m->n_species : a->species + 1); k++)
            add_amount(s, n, m, a, k);
    }
}

/* Returns whether an event or a reservoir brings molecules of a species of the model. */
static bool is_supplied(const struct rd_model *m, int species)
{
    bool is = false;
    for (int i = 0; i < m->n_events; i++) {
        for (int k = 0; k < m->event[i].n_add; k++)
            is = is || m->event[i].add[k].species < 0 || m->event[i].add[k].species == species;
        for (int k = 0; k < m->event[i].n_take; k++)
            is = is || m->event[i].take[k].becomes == species;
    }
    return is || rd_species_has_wall(&m->species[species], RD_WALL_RESERVOIR);
}

void rd_start_counts_read(struct rd_start_counts *s, const struct rd_network *n,
                          const struct rd_model *m)
{
    const size_t size = (size_t)n->n_species + 1;
    s->number = rd_memory_need(malloc(size * sizeof *s->number));
    s->is_supplied = rd_memory_need(calloc(size, sizeof *s->is_supplied));
    s->is_closed = m && is_closed(m);
    for (int i = 0; i < n->n_species; i++)
        s->number[i] = -1;
    if (s->is_closed)
        count_start(s, n, m);
    for (int k = 0; m && k < m->n_species; k++)
        if (network_species_of(n, m, k) >= 0)
            s->is_supplied[network_species_of(n, m, k)] = is_supplied(m, k);
}

void rd_start_counts_free(struct rd_start_counts *s)
{
    free(s->number);
    free(s->is_supplied);
    *s = (struct rd_start_counts){0};
}
