/* idle - reactions of a model that can never happen. Numbers do not matter: a species is there or
   not. */
#include "modes/idle.h"

#include "modes/number_lists.h"

#include <stdlib.h>

/* Returns whether an amount may put molecules down: all but a number that is 0 in all runs. */
static bool is_some(const struct rd_model *m, const struct rd_amount *a)
{
    const struct rd_eval_context at = {.parameter = m->value};
    return a->kind == RD_AMOUNT_FROM || (a->much.uses & ~(unsigned)RD_USES_PARAMETERS) != 0 ||
           rd_theta_may_change(&m->theta, &a->much) || rd_expr_value(&a->much, &at) != 0;
}

/* Marks the species of an amount, or all if it has none of its own. */
static void mark_amount_species(const struct rd_model *m, const struct rd_amount *a, bool *is_there)
{
    const int first = a->species < 0 ? 0 : a->species;
    const int end = a->species < 0 ? m->n_species : first + 1;
    for (int s = first; s < end; s++)
        is_there[s] = true;
}

/* Marks what the start, events and reservoirs put down. An event that changes parameters may change
   any amount. */
static void take_start(const struct rd_model *m, bool *is_there)
{
    for (int i = 0; i < m->n_initial; i++)
        if (is_some(m, &m->initial[i]))
            mark_amount_species(m, &m->initial[i], is_there);
    for (int i = 0; i < m->n_events; i++)
        for (int k = 0; k < m->event[i].n_add; k++)
            mark_amount_species(m, &m->event[i].add[k], is_there);
    for (int i = 0; i < m->n_events; i++)
        for (int k = 0; k < m->event[i].n_take; k++)
            if (m->event[i].take[k].becomes >= 0)
                is_there[m->event[i].take[k].becomes] = true;
    for (int s = 0; s < m->n_species; s++)
        if (rd_species_has_wall(&m->species[s], RD_WALL_RESERVOIR))
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

/* Lists the reactions that take each species. Returns false without memory. */
static bool list_takers(const struct rd_model *m, struct rd_number_lists *takers)
{
    struct rd_number_lists taken = {0};
    int64_t n = 0;
    for (int r = 0; r < m->n_reactions; r++)
        n += m->reaction[r].n_reactants;
    bool ok = rd_number_lists_open(&taken, m->n_reactions, n);
    for (int r = 0; ok && r < m->n_reactions; r++) {
        const struct rd_reaction *const x = &m->reaction[r];
        taken.begin[r + 1] = taken.begin[r] + x->n_reactants;
        for (int i = 0; i < x->n_reactants; i++)
            taken.of[taken.begin[r] + i] = x->reactant[i].species;
    }
    ok = ok && rd_number_lists_invert(takers, m->n_species, &taken, m->n_reactions);
    rd_number_lists_free(&taken);
    return ok;
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
static bool spread_presence(const struct rd_model *m, const struct rd_number_lists *takers,
                            bool *is_there)
{
    int *const queue = malloc(((size_t)m->n_species + 1) * sizeof *queue);
    const bool ok = queue != NULL;
    int n = 0;
    for (int r = 0; ok && r < m->n_reactions; r++)
        make_products(&m->reaction[r], is_there, queue, &n);
    for (int i = 0; ok && i < n; i++)
        for (int64_t k = takers->begin[queue[i]]; k < takers->begin[queue[i] + 1]; k++)
            make_products(&m->reaction[takers->of[k]], is_there, queue, &n);
    free(queue);
    return ok;
}

/* Describes the species that are missing, with a way from one to another if a reaction needs the
   first and makes the second. */
struct needs {
    const struct rd_model *model;
    const bool *is_there;
    const struct rd_number_lists *takers;
    int64_t *at;   /* [species], owned: how far a search is in its takers */
    int *product;  /* [species], owned: and in the products of that reaction */
    int32_t *list; /* [3 * species], owned: a search's stack, and the orders in which two end */
    int *root;     /* [species], owned: where the search that found it began */
    bool *is_made; /* [species], owned: by a reaction that needs another missing species */
};

static bool open_needs(struct needs *g)
{
    const size_t n = (size_t)g->model->n_species + 1;
    g->at = malloc(n * sizeof *g->at);
    g->product = malloc(n * sizeof *g->product);
    g->list = malloc(3 * n * sizeof *g->list);
    g->root = malloc(n * sizeof *g->root);
    g->is_made = calloc(n, sizeof *g->is_made);
    return g->at && g->product && g->list && g->root && g->is_made;
}

static void close_needs(struct needs *g)
{
    free(g->at);
    free(g->product);
    free(g->list);
    free(g->root);
    free(g->is_made);
}

/* Begins a search: no species is visited. */
static void begin_search(struct needs *g)
{
    for (int s = 0; s < g->model->n_species; s++) {
        g->at[s] = -1;
        g->product[s] = 0;
    }
}

/* Returns the next species behind one that is missing and not visited, -1 if there is none. */
static int32_t next_behind(struct needs *g, int32_t s)
{
    for (; g->at[s] < g->takers->begin[s + 1]; g->at[s]++, g->product[s] = 0) {
        const struct rd_reaction *const x = &g->model->reaction[g->takers->of[g->at[s]]];
        while (g->product[s] < x->n_products) {
            const int32_t p = x->product[g->product[s]++].species;
            if (!g->is_there[p] && g->at[p] < 0)
                return p;
        }
    }
    return -1;
}

/* Visits a species and all behind it, of which it becomes the root. Adds each to order when all
   behind it are visited. */
static void visit(struct needs *g, int32_t start, int32_t *order, int *n_order)
{
    int32_t *const stack = g->list;
    int n = 0;
    stack[n++] = start;
    g->at[start] = g->takers->begin[start];
    while (n > 0) {
        const int32_t next = next_behind(g, stack[n - 1]);
        if (next < 0) {
            g->root[stack[n - 1]] = start;
            order[(*n_order)++] = stack[--n];
        } else {
            g->at[next] = g->takers->begin[next];
            stack[n++] = next;
        }
    }
}

/* Finds the root of each species that is missing: one that is missing without cause, or the first
   of a circle. Of the species that a search leaves last, none is behind one that it left before,
   unless both are in a circle (Kosaraju). So a second search, which begins at the last ones, begins
   at roots alone. */
static void find_roots(struct needs *g)
{
    const int n_species = g->model->n_species;
    int32_t *const order = g->list + n_species;
    int n_order = 0, n_found = 0;
    begin_search(g);
    for (int32_t s = 0; s < n_species; s++)
        if (!g->is_there[s] && g->at[s] < 0)
            visit(g, s, order, &n_order);
    begin_search(g);
    for (int i = n_order - 1; i >= 0; i--)
        if (g->at[order[i]] < 0)
            visit(g, order[i], order + n_species, &n_found);
}

/* Marks the species that are missing and made by a reaction that needs another one. */
static void mark_made(struct needs *g)
{
    for (int r = 0; r < g->model->n_reactions; r++) {
        const struct rd_reaction *const x = &g->model->reaction[r];
        const int needed = missing(x, g->is_there);
        for (int i = 0; i < x->n_products && needed >= 0; i++)
            if (x->product[i].species != needed)
                g->is_made[x->product[i].species] = true;
    }
}

/* Describes the reactions that cannot happen because of one species. */
struct idle {
    int n, first;
};

/* Counts the reactions that cannot happen, each at the root of the first species that it lacks. */
static void count_idle(const struct needs *g, struct idle *idle)
{
    for (int r = g->model->n_reactions - 1; r >= 0; r--) {
        const int s = missing(&g->model->reaction[r], g->is_there);
        if (s < 0)
            continue;
        struct idle *const x = &idle[g->root[s]];
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
    struct idle *const idle = calloc((size_t)m->n_species + 1, sizeof *idle);
    struct rd_number_lists takers = {0};
    struct needs g = {.model = m, .is_there = is_there, .takers = &takers};
    bool ok = is_there && idle && list_takers(m, &takers) && open_needs(&g);
    if (ok)
        take_start(m, is_there);
    ok = ok && spread_presence(m, &takers, is_there);
    if (ok) {
        find_roots(&g);
        mark_made(&g);
        count_idle(&g, idle);
    }
    for (int s = 0; ok && s < m->n_species; s++)
        if (idle[s].n > 0)
            print_root(out, m, &idle[s], s, g.is_made[s]);
    close_needs(&g);
    rd_number_lists_free(&takers);
    free(is_there);
    free(idle);
    return ok || rd_fail_memory(e, "out of memory for the report");
}
