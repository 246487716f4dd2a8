/* complexes - the graph of a network whose nodes are the two sides of its reactions. */
#include "modes/complexes.h"

#include "base/hash.h"

#include <stdlib.h>
#include <string.h>

/* Describes the arrows at the complexes on one of their ends: a list for each complex. */
struct arrow_lists {
    int *first; /* [complex]: its first arrow, -1: none */
    int *next;  /* [arrow], -1: none */
    int *to;    /* [arrow]: the complex on the other end */
};

enum direction { FORWARD, BACKWARD, DIRECTIONS };

struct complex_graph {
    const struct rd_sparse **side; /* [n]: one of those that are this complex */
    int n, n_arrows;
    int *slot, n_slots; /* hash table of complexes, -1: free */
    struct arrow_lists arrow[DIRECTIONS];
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

static uint64_t hash_complex(const struct complex_graph *g, const struct rd_sparse *side)
{
    uint64_t hash = RD_HASH_OF_NOTHING;
    for (int i = skip_external(g, side, 0); i < side->n; i = skip_external(g, side, i + 1)) {
        hash = rd_hash_on(hash, &side->entry[i].at, sizeof side->entry[i].at);
        hash = rd_hash_on(hash, &side->entry[i].value, sizeof side->entry[i].value);
    }
    return hash;
}

/* Returns the complex that a side is; a new one has no arrows. */
static int find_complex(struct complex_graph *g, const struct rd_sparse *side)
{
    int at = (int)(hash_complex(g, side) % (uint64_t)g->n_slots);
    while (g->slot[at] >= 0 && !is_same_complex(g, g->side[g->slot[at]], side))
        at = (at + 1) % g->n_slots;
    if (g->slot[at] < 0) {
        g->arrow[FORWARD].first[g->n] = g->arrow[BACKWARD].first[g->n] = -1;
        g->side[g->n] = side;
        g->slot[at] = g->n++;
    }
    return g->slot[at];
}

static void list_arrow(struct arrow_lists *l, int arrow, int from, int to)
{
    l->to[arrow] = to;
    l->next[arrow] = l->first[from];
    l->first[from] = arrow;
}

static void add_arrow(struct complex_graph *g, int from, int to)
{
    list_arrow(&g->arrow[FORWARD], g->n_arrows, from, to);
    list_arrow(&g->arrow[BACKWARD], g->n_arrows++, to, from);
}

static void fill_graph(struct complex_graph *g, const struct rd_network *n)
{
    memset(g->slot, -1, (size_t)g->n_slots * sizeof *g->slot);
    for (int i = 0; i < n->n_reactions; i++) {
        const int left = find_complex(g, &n->reaction[i].left);
        const int right = find_complex(g, &n->reaction[i].right);
        add_arrow(g, left, right);
        if (n->reaction[i].is_reversible)
            add_arrow(g, right, left);
    }
}

/* Marks the complexes that can be reached from one along arrows of these directions, whose bits are
   set in `ways`. Returns how many there are. */
static int reach_complexes(struct complex_graph *g, int from, int mark, unsigned ways)
{
    int n = 0, n_reached = 1;
    g->mark[from] = mark;
    g->stack[n++] = from;
    while (n > 0) {
        const int at = g->stack[--n];
        for (int way = 0; way < DIRECTIONS; way++) {
            const struct arrow_lists *const l = &g->arrow[way];
            for (int i = ways >> way & 1 ? l->first[at] : -1; i >= 0; i = l->next[i]) {
                if (g->mark[l->to[i]] == mark)
                    continue;
                g->mark[l->to[i]] = mark;
                g->stack[n++] = l->to[i];
                n_reached++;
            }
        }
    }
    return n_reached;
}

/* Counts the linkage classes. One of them is strongly connected if all of it can be reached from
   one complex along arrows, and against them. */
static void judge(struct complex_graph *g, struct rd_complexes *c)
{
    int mark = 0;
    *c = (struct rd_complexes){.n = g->n, .is_weakly_reversible = true};
    for (int i = 0; i < g->n; i++) {
        if (g->mark[i] != 0)
            continue;
        const int n_forward = reach_complexes(g, i, ++mark, 1u << FORWARD);
        const int n_backward = reach_complexes(g, i, ++mark, 1u << BACKWARD);
        const int n_linked = reach_complexes(g, i, ++mark, 1u << FORWARD | 1u << BACKWARD);
        c->n_linkage++;
        c->is_weakly_reversible =
            c->is_weakly_reversible && n_forward == n_linked && n_backward == n_linked;
    }
}

static bool open_graph(struct complex_graph *g, const struct rd_network *n)
{
    const size_t size = 2 * (size_t)n->n_reactions + 1;
    *g = (struct complex_graph){.n_slots = (int)(2 * size), .is_external = n->is_external};
    g->side = malloc(size * sizeof *g->side);
    g->slot = malloc(2 * size * sizeof *g->slot);
    g->mark = calloc(size, sizeof *g->mark);
    g->stack = malloc(size * sizeof *g->stack);
    bool ok = g->side && g->slot && g->mark && g->stack;
    for (int way = 0; way < DIRECTIONS; way++) {
        struct arrow_lists *const l = &g->arrow[way];
        l->first = malloc(size * sizeof *l->first);
        l->next = malloc(size * sizeof *l->next);
        l->to = malloc(size * sizeof *l->to);
        ok = ok && l->first && l->next && l->to;
    }
    return ok;
}

static void close_graph(struct complex_graph *g)
{
    for (int way = 0; way < DIRECTIONS; way++) {
        free(g->arrow[way].first);
        free(g->arrow[way].next);
        free(g->arrow[way].to);
    }
    free(g->side);
    free(g->slot);
    free(g->mark);
    free(g->stack);
}

bool rd_complexes_count(struct rd_complexes *c, const struct rd_network *n, struct rd_error *e)
{
    struct complex_graph g;
    const bool ok = open_graph(&g, n);
    *c = (struct rd_complexes){0};
    if (ok) {
        fill_graph(&g, n);
        judge(&g, c);
    }
    close_graph(&g);
    return ok || rd_fail_memory(e, "out of memory for the complexes");
}
