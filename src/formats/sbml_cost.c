/* sbml_cost - estimates whether libSBML's general checks of a model would take long. For circles of
   rules it collects all pairs of symbols of which one needs the other, in time that grows with the
   square of the pairs; for names in math it searches the list of reactions. */
#include "formats/sbml_document.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

enum { REACTIONS_MOST = 4000, PAIRS_MOST = 1000 };

/* Describes a symbol that math computes. */
struct computed {
    const char *id;
    const ASTNode_t *math;
    size_t seen_from; /* 1 + the index of the symbol whose needs are being counted */
};

struct all_computed {
    struct computed *one; /* in the order of their ids */
    size_t n, n_pairs;
};

static int order_cost_ids(const void *a, const void *b)
{
    return strcmp(((const struct computed *)a)->id, ((const struct computed *)b)->id);
}

/* Counts the symbols that math needs, directly or through others, up to PAIRS_MOST. */
static void count_needs(struct all_computed *all, const ASTNode_t *math, size_t from)
{
    const char *const name = math ? ASTNode_getName(math) : NULL;
    const struct computed key = {.id = name};
    struct computed *const x =
        name ? bsearch(&key, all->one, all->n, sizeof key, order_cost_ids) : NULL;
    if (all->n_pairs > PAIRS_MOST || !math)
        return;
    if (x && x->seen_from != from) {
        x->seen_from = from;
        all->n_pairs++;
        count_needs(all, x->math, from);
    }
    for (unsigned i = 0; i < ASTNode_getNumChildren(math); i++)
        count_needs(all, ASTNode_getChild(math, i), from);
}

/* Returns whether symbols that others need form more than PAIRS_MOST pairs, or cannot be counted
   for lack of memory. */
static bool has_many_pairs(Model_t *m)
{
    const unsigned n_rules = Model_getNumRules(m), n_starts = Model_getNumInitialAssignments(m);
    const size_t most = (size_t)n_rules + n_starts + 1;
    struct all_computed all = {.one = rd_memory_guard(calloc(most, sizeof(struct computed)))};
    if (!all.one)
        return true;
    for (unsigned i = 0; i < n_rules; i++) {
        const Rule_t *const rule = Model_getRule(m, i);
        if (Rule_isAssignment(rule) && Rule_getVariable(rule))
            all.one[all.n++] = (struct computed){Rule_getVariable(rule), Rule_getMath(rule), 0};
    }
    for (unsigned i = 0; i < n_starts; i++) {
        InitialAssignment_t *const a = Model_getInitialAssignment(m, i);
        if (InitialAssignment_getSymbol(a))
            all.one[all.n++] =
                (struct computed){InitialAssignment_getSymbol(a), InitialAssignment_getMath(a), 0};
    }
    qsort(all.one, all.n, sizeof *all.one, order_cost_ids);
    for (size_t i = 0; i < all.n && all.n_pairs <= PAIRS_MOST; i++)
        count_needs(&all, all.one[i].math, i + 1);
    free(all.one);
    return all.n_pairs > PAIRS_MOST;
}

bool rd_sbml_is_large(const char *text, Model_t *m)
{
    const size_t n_reactions = Model_getNumReactions(m), most = 100000000;
    size_t n_names = 0;
    for (const char *at = text; (at = strstr(at, "<ci")); at += 3)
        n_names++;
    return n_reactions > REACTIONS_MOST || n_reactions * n_names > most || has_many_pairs(m);
}
