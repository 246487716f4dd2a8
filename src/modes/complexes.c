/* complexes - the graph of a network whose nodes are the two sides of its reactions. */
#include "modes/complexes.h"

#include <stdlib.h>
#include <string.h>

/* Describes an arrow of the graph. */
struct arrow {
    int from, to;
};

struct complex_graph {
    const struct rd_sparse **side; /* [n]: one of those that are this complex */
    struct arrow *arrow;
    int n, n_arrows;
    int *mark, *stack;
    const bool *is_external; /* [species] */
};

/* Returns the first place from here on at which a side has an internal species. */
static int skip_external(const struct complex_graph *g, const struct rd_sparse *side, int at)
{
    while (at < side->n && g->is_external[side->entry[at].at])
        at++;
    return at;
}

/* Returns whether two sides have the same internal species. */
static bool is_same_complex(const struct complex_graph *g, const struct rd_sparse *a,
                            const struct rd_sparse *b)
{
    int i = skip_external(g, a, 0), k = skip_external(g, b, 0);
    while (i < a->n && k < b->n && a->entry[i].at == b->entry[k].at &&
           a->entry[i].value == b->entry[k].value) {
        i = skip_external(g, a, i + 1);
        k = skip_external(g, b, k + 1);
    }
    return i == a->n && k == b->n;
}

static int find_side(struct complex_graph *g, const struct rd_sparse *side)
{
    int at = 0;
    while (at < g->n && !is_same_complex(g, g->side[at], side))
        at++;
    if (at == g->n)
        g->side[g->n++] = side;
    return at;
}

static void fill_graph(struct complex_graph *g, const struct rd_network *n)
{
    for (int i = 0; i < n->n_reactions; i++) {
        const int left = find_side(g, &n->reaction[i].left);
        const int right = find_side(g, &n->reaction[i].right);
        g->arrow[g->n_arrows++] = (struct arrow){left, right};
        if (n->reaction[i].is_reversible)
            g->arrow[g->n_arrows++] = (struct arrow){right, left};
    }
}

/* Marks all complexes that can be reached from one; both_ways: arrows lead back too. */
static void reach_complexes(struct complex_graph *g, int from, int mark, bool both_ways)
{
    int n = 0;
    g->mark[from] = mark;
    g->stack[n++] = from;
    while (n > 0) {
        const int at = g->stack[--n];
        for (int i = 0; i < g->n_arrows; i++) {
            const struct arrow a = g->arrow[i];
            const int next = a.from == at ? a.to : both_ways && a.to == at ? a.from : -1;
            if (next < 0 || g->mark[next] == mark)
                continue;
            g->mark[next] = mark;
            g->stack[n++] = next;
        }
    }
}

static void judge(struct complex_graph *g, struct rd_complexes *c)
{
    int mark = 1;
    c->n = g->n;
    for (int i = 0; i < g->n; i++)
        if (g->mark[i] == 0) {
            reach_complexes(g, i, mark, true);
            c->n_linkage++;
        }
    c->is_weakly_reversible = true;
    for (int i = 0; i < g->n_arrows && c->is_weakly_reversible; i++) {
        reach_complexes(g, g->arrow[i].to, ++mark, false);
        c->is_weakly_reversible = g->mark[g->arrow[i].from] == mark;
    }
}

bool rd_complexes_count(struct rd_complexes *c, const struct rd_network *n, struct rd_error *e)
{
    const size_t size = 2 * (size_t)n->n_reactions + 1;
    struct complex_graph g = {.side = malloc(size * sizeof *g.side),
                              .arrow = malloc(size * sizeof *g.arrow),
                              .mark = calloc(size, sizeof *g.mark),
                              .stack = malloc(size * sizeof *g.stack),
                              .is_external = n->is_external};
    const bool ok = g.side && g.arrow && g.mark && g.stack;
    *c = (struct rd_complexes){0};
    if (ok) {
        fill_graph(&g, n);
        judge(&g, c);
    }
    free(g.side);
    free(g.arrow);
    free(g.mark);
    free(g.stack);
    return ok || rd_fail_memory(e, "out of memory for the complexes");
}
