/* plan_order - the canonical order of species and reactions: by their names, and by what they
   consume and produce. Results do not depend on the order in which the configuration lists them. */
#define _POSIX_C_SOURCE 200809L
#include "plan/plan.h"

#include <stdio.h>
#include <stdlib.h>

struct sort_key {
    const char *name;
    int32_t number;
};

static int order_sort_keys(const void *a, const void *b)
{
    const struct sort_key *const x = a, *const y = b;
    const int order = strcmp(x->name, y->name);
    return order ? order : (x->number > y->number) - (x->number < y->number);
}

static bool order_species(struct rd_plan *p, struct rd_error *e)
{
    const struct rd_model *const m = p->model;
    struct sort_key *const list = calloc((size_t)m->n_species, sizeof *list);
    if (!list)
        return rd_fail(e, "out of memory for %d species", m->n_species);
    for (int32_t s = 0; s < m->n_species; s++)
        list[s] = (struct sort_key){.name = m->species[s].name, .number = s};
    qsort(list, (size_t)m->n_species, sizeof *list, order_sort_keys);
    for (int32_t s = 0; s < m->n_species; s++) {
        p->species_of[s] = list[s].number;
        p->species_at[list[s].number] = s;
    }
    free(list);
    return true;
}

/* Prints a side of a reaction in canonical order: " 2 #3" for two molecules of species 3. Sides
   have few terms, so that each one is searched for. */
static void print_canonical_side(FILE *out, const struct rd_plan *p, const struct rd_term *term,
                                 int n)
{
    int32_t last = -1;
    for (int printed = 0; printed < n;) {
        int32_t next = INT32_MAX;
        for (int i = 0; i < n; i++) {
            const int32_t at = p->species_at[term[i].species];
            next = at > last && at < next ? at : next;
        }
        for (int i = 0; i < n; i++)
            if (p->species_at[term[i].species] == next) {
                fprintf(out, " %d #%05d", term[i].number, next);
                printed++;
            }
        last = next;
    }
}

/* Prints a text that identifies the reaction, independent of the order in which it is written. */
static void print_reaction_key(FILE *out, const struct rd_plan *p, const struct rd_reaction *r)
{
    print_canonical_side(out, p, r->reactant, r->n_reactants);
    fprintf(out, " ->");
    print_canonical_side(out, p, r->product, r->n_products);
    if (r->lands)
        fprintf(out, " in %llx", (unsigned long long)r->lands);
    fprintf(out, " | %s %s | %s", r->has_propensity ? "propensity" : "rate",
            r->has_propensity ? r->propensity.text : r->rate.text,
            r->region < 0 ? "" : p->model->region[r->region].name);
    if (r->has_weight)
        fprintf(out, " | %s", r->weight.text);
    if (r->is_microscopic)
        fprintf(out, " | microscopic %s", r->radius.text);
    fprintf(out, "%s", r->is_instant ? " | instant" : "");
}

/* Returns the texts of all reactions, one after the other, each with its 0 at the end. The caller
   frees them; NULL if there is no memory. */
static char *reaction_keys(const struct rd_plan *p)
{
    char *text = NULL;
    size_t length = 0;
    FILE *const out = open_memstream(&text, &length);
    if (!out)
        return NULL;
    for (int32_t r = 0; r < p->model->n_reactions; r++) {
        print_reaction_key(out, p, &p->model->reaction[r]);
        fputc(0, out);
    }
    const bool failed = ferror(out);
    if (fclose(out) == 0 && !failed)
        return text;
    free(text);
    return NULL;
}

static bool order_reactions(struct rd_plan *p, struct rd_error *e)
{
    const int32_t n = p->model->n_reactions;
    struct sort_key *const list = calloc((size_t)n + 1, sizeof *list);
    char *const keys = reaction_keys(p);
    const bool ok = list && keys;
    const char *key = keys;
    for (int32_t r = 0; ok && r < n; r++, key += strlen(key) + 1)
        list[r] = (struct sort_key){.name = key, .number = r};
    if (ok)
        qsort(list, (size_t)n, sizeof *list, order_sort_keys);
    for (int32_t r = 0; ok && r < n; r++)
        p->reaction_of[r] = list[r].number;
    free(list);
    free(keys);
    return ok || rd_fail(e, "out of memory for %d reactions", n);
}

bool rd_plan_order(struct rd_plan *p, struct rd_error *e)
{
    return order_species(p, e) && order_reactions(p, e);
}
