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
    for (int i = 0; i < n; i++) {
        const int first = a[i].species < 0 ? 0 : a[i].species;
        const int end = a[i].species < 0 ? m->n_species : first + 1;
        for (int s = first; is_some(m, &a[i]) && s < end; s++)
            is_there[s] = true;
    }
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

/* The reactions that take each species: those of species s are reaction[first[s]] to
   reaction[first[s + 1] - 1]. */
struct takers {
    int64_t *first;
    int *reaction;
};

/* Lists the reactions by reactants. Returns false without memory. */
static bool list_takers(const struct rd_model *m, struct takers *x)
{
    x->first = calloc((size_t)m->n_species + 3, sizeof *x->first);
    int64_t n = 0;
    for (int r = 0; r < m->n_reactions; r++)
        n += m->reaction[r].n_reactants;
    x->reaction = malloc(((size_t)n + 1) * sizeof *x->reaction);
    if (!x->first || !x->reaction)
        return false;
    for (int r = 0; r < m->n_reactions; r++)
        for (int i = 0; i < m->reaction[r].n_reactants; i++)
            x->first[m->reaction[r].reactant[i].species + 2]++;
    for (int s = 0; s < m->n_species; s++)
        x->first[s + 2] += x->first[s + 1];
    for (int r = 0; r < m->n_reactions; r++)
        for (int i = 0; i < m->reaction[r].n_reactants; i++)
            x->reaction[x->first[m->reaction[r].reactant[i].species + 1]++] = r;
    return true;
}

/* Marks the products of a reaction whose reactants are all there, and appends the new ones to
   queue[*n], the species whose takers are still to be visited. */
static void make_products(const struct rd_reaction *x, bool *is_there, int *queue, int *n)
{
    if (missing(x, is_there) >= 0)
        return;
    for (int i = 0; i < x->n_products; i++)
        if (!is_there[x->product[i].species]) {
            is_there[x->product[i].species] = true;
            queue[(*n)++] = x->product[i].species;
        }
}

/* Marks what reactions make of what is there. Returns false without memory. */
static bool spread(const struct rd_model *m, bool *is_there)
{
    struct takers takers = {0};
    int *const queue = malloc(((size_t)m->n_species + 1) * sizeof *queue);
    const bool ok = list_takers(m, &takers) && queue;
    int n = 0;
    for (int r = 0; ok && r < m->n_reactions; r++)
        make_products(&m->reaction[r], is_there, queue, &n);
    for (int i = 0; ok && i < n; i++)
        for (int64_t k = takers.first[queue[i]]; k < takers.first[queue[i] + 1]; k++)
            make_products(&m->reaction[takers.reaction[k]], is_there, queue, &n);
    free(takers.first);
    free(takers.reaction);
    free(queue);
    return ok;
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

/* Returns the species at the end of the causes of one; if they are a circle, its first species.
   root[species] has the results so far, or -1. */
static int root_of(const int *cause, int *root, int s)
{
    enum { VISITED = -2 };
    int at = s;
    for (; root[at] == -1 && cause[at] >= 0; at = cause[at])
        root[at] = VISITED;
    int found = root[at] >= 0 ? root[at] : at;
    if (root[at] == VISITED) /* a circle, whose species are visited once more */
        for (int other = cause[at]; other != at; other = cause[other])
            found = other < found ? other : found;
    for (at = s; root[at] == VISITED; at = cause[at])
        root[at] = found;
    return root[s] = found;
}

/* The reactions that cannot happen because of one species. */
struct idle {
    int n, first;
};

/* Counts the reactions that cannot happen, each at its root. */
static void count_idle(const struct rd_model *m, const bool *is_there, const int *cause, int *root,
                       struct idle *idle)
{
    for (int s = 0; s < m->n_species; s++)
        root[s] = -1;
    for (int r = m->n_reactions - 1; r >= 0; r--) {
        const int s = missing(&m->reaction[r], is_there);
        if (s < 0)
            continue;
        struct idle *const x = &idle[root_of(cause, root, s)];
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
    int *const root = malloc(((size_t)m->n_species + 1) * sizeof *root);
    struct idle *const idle = calloc((size_t)m->n_species + 1, sizeof *idle);
    bool ok = is_there && cause && root && idle;
    if (ok)
        take_start(m, is_there);
    ok = ok && spread(m, is_there);
    if (ok) {
        find_causes(m, is_there, cause);
        count_idle(m, is_there, cause, root, idle);
    }
    for (int s = 0; ok && s < m->n_species; s++)
        if (idle[s].n > 0)
            print_root(out, m, &idle[s], s, cause[s] >= 0);
    free(is_there);
    free(cause);
    free(root);
    free(idle);
    return ok || rd_fail(e, "there is no memory for the report");
}
