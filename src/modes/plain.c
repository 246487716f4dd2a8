/* plain - the reference algorithm for elementary flux modes. A row is a set of reactions and their
   sum, reversible reactions are there twice, and each step combines all rows that consume a species
   with all that produce it. Slow and short: fast results are compared with it. */
#include "modes/plain.h"

#include <stdlib.h>
#include <string.h>

/* Holds rows of n_words words, bits of 2 * reaction + (1: backward), and n_species coefficients. */
struct row_table {
    int n_words, n_species;
    int64_t n, capacity;
    uint64_t *set;
    int64_t *net;
};

struct superset_search {
    struct row_table table, next;
    bool *is_done; /* [species] */
    struct rd_error *e;
};

static bool extend_row_table(struct row_table *t, struct rd_error *e)
{
    if (t->n < t->capacity)
        return true;
    const int64_t capacity = 2 * t->capacity + 64;
    uint64_t *const set = realloc(t->set, (size_t)(capacity * t->n_words) * sizeof *set);
    if (!set)
        return rd_fail_memory(e, "out of memory for %lld rows", (long long)capacity);
    t->set = set;
    int64_t *const net = realloc(t->net, (size_t)(capacity * t->n_species + 1) * sizeof *net);
    if (!net)
        return rd_fail_memory(e, "out of memory for %lld rows", (long long)capacity);
    t->net = net;
    t->capacity = capacity;
    return true;
}

static uint64_t *set_of_row(const struct row_table *t, int64_t row)
{
    return t->set + row * t->n_words;
}

static int64_t *net_of(const struct row_table *t, int64_t row)
{
    return t->net + row * t->n_species;
}

/* Returns in how many directions a reaction may run. */
static int ways_of(const struct rd_conversion *x)
{
    return x->is_excluded ? 0 : x->is_reversible ? 2 : 1;
}

/* Begins with the reactions, reversible ones twice. */
static bool begin_superset(struct superset_search *s, const struct rd_network *n)
{
    struct row_table *const t = &s->table;
    for (int r = 0; r < n->n_reactions; r++)
        for (int way = 0; way < ways_of(&n->reaction[r]); way++) {
            if (!extend_row_table(t, s->e))
                return false;
            const int bit = 2 * r + way;
            memset(set_of_row(t, t->n), 0, (size_t)t->n_words * sizeof *t->set);
            memset(net_of(t, t->n), 0, (size_t)t->n_species * sizeof *t->net);
            set_of_row(t, t->n)[bit / 64] |= UINT64_C(1) << (bit % 64);
            const struct rd_sparse *const net = &n->reaction[r].net;
            for (int i = 0; i < net->n; i++)
                net_of(t, t->n)[net->entry[i].at] = (1 - 2 * way) * net->entry[i].value;
            t->n++;
        }
    return true;
}

/* Returns the species with the fewest combinations, the first of several; -1 if none is left. */
static int choose_next_species(const struct superset_search *s, int64_t *n_consume,
                               int64_t *n_produce)
{
    int best = -1;
    for (int i = 0; i < s->table.n_species; i++) {
        int64_t consume = 0, produce = 0;
        for (int64_t row = 0; row < s->table.n && !s->is_done[i]; row++) {
            consume += net_of(&s->table, row)[i] < 0;
            produce += net_of(&s->table, row)[i] > 0;
        }
        if (s->is_done[i] || (best >= 0 && consume * produce >= *n_consume * *n_produce))
            continue;
        best = i;
        *n_consume = consume;
        *n_produce = produce;
    }
    return best;
}

/* Returns whether a set contains that of a row of the table other than its parents. */
static bool is_redundant(const struct row_table *t, const uint64_t *set, int64_t a, int64_t b)
{
    for (int64_t row = 0; row < t->n; row++) {
        bool contains = row != a && row != b;
        for (int w = 0; contains && w < t->n_words; w++)
            contains = (set_of_row(t, row)[w] & ~set[w]) == 0;
        if (contains)
            return true;
    }
    return false;
}

/* Adds the combination of two rows in which the species cancels, unless it is redundant. */
static bool combine_rows(struct superset_search *s, int species, int64_t a, int64_t b)
{
    const struct row_table *const t = &s->table;
    struct row_table *const next = &s->next;
    if (!extend_row_table(next, s->e))
        return false;
    uint64_t *const set = set_of_row(next, next->n);
    for (int w = 0; w < t->n_words; w++)
        set[w] = set_of_row(t, a)[w] | set_of_row(t, b)[w];
    if (is_redundant(t, set, a, b))
        return true;
    const rd_int128 times_a = net_of(t, b)[species], times_b = -net_of(t, a)[species];
    rd_int128 common = 0;
    for (int i = 0; i < t->n_species; i++)
        common = rd_sparse_gcd128(common, times_a * net_of(t, a)[i] + times_b * net_of(t, b)[i]);
    for (int i = 0; i < t->n_species && common != 0; i++) {
        const rd_int128 value = (times_a * net_of(t, a)[i] + times_b * net_of(t, b)[i]) / common;
        if (!rd_sparse_fits(value))
            return rd_fail(s->e, "a coefficient does not fit into 64 bits; use fewer digits");
        net_of(next, next->n)[i] = (int64_t)value;
    }
    if (common == 0)
        memset(net_of(next, next->n), 0, (size_t)t->n_species * sizeof *t->net);
    next->n++;
    return true;
}

static bool keep_others(struct superset_search *s, int species)
{
    const struct row_table *const t = &s->table;
    struct row_table *const next = &s->next;
    next->n = 0;
    for (int64_t row = 0; row < t->n; row++) {
        if (net_of(t, row)[species] != 0)
            continue;
        if (!extend_row_table(next, s->e))
            return false;
        memcpy(set_of_row(next, next->n), set_of_row(t, row), (size_t)t->n_words * sizeof *t->set);
        memcpy(net_of(next, next->n), net_of(t, row), (size_t)t->n_species * sizeof *t->net);
        next->n++;
    }
    return true;
}

static bool eliminate_species(struct superset_search *s, int species)
{
    const struct row_table *const t = &s->table;
    if (!keep_others(s, species))
        return false;
    for (int64_t a = 0; a < t->n; a++)
        for (int64_t b = 0; b < t->n && net_of(t, a)[species] < 0; b++)
            if (net_of(t, b)[species] > 0 && !combine_rows(s, species, a, b))
                return false;
    const struct row_table old = s->table;
    s->table = s->next;
    s->next = old;
    s->is_done[species] = true;
    return true;
}

/* Adds the rows that are modes: not a reaction and its own reverse, and of a mode and its reverse
   one. */
static bool take_modes(struct rd_supports *m, const struct superset_search *s,
                       const struct rd_network *n)
{
    bool *const is_reversible = calloc((size_t)n->n_reactions + 1, sizeof *is_reversible);
    bool ok = is_reversible || rd_fail_memory(s->e, "out of memory for the modes");
    for (int r = 0; ok && r < n->n_reactions; r++)
        is_reversible[r] = n->reaction[r].is_reversible;
    for (int64_t row = 0; ok && row < s->table.n; row++) {
        bool has_both = false;
        uint64_t *const set = rd_supports_add(m, s->e);
        ok = set != NULL;
        for (int r = 0; ok && r < n->n_reactions; r++) {
            const unsigned ways = set_of_row(&s->table, row)[2 * r / 64] >> (2 * r % 64) & 3;
            has_both = has_both || ways == 3;
            if (ways != 0)
                rd_supports_put(m, set, r, ways == 2);
        }
        if (ok && has_both)
            m->n--;
        else if (ok)
            rd_supports_turn(m, set, is_reversible);
    }
    free(is_reversible);
    return ok;
}

bool rd_plain_find(struct rd_supports *m, const struct rd_network *n, FILE *steps,
                   struct rd_error *e)
{
    struct superset_search s = {.e = e};
    s.table.n_words = s.next.n_words = (2 * n->n_reactions + 63) / 64;
    s.table.n_species = s.next.n_species = n->n_species;
    s.is_done = calloc((size_t)n->n_species + 1, sizeof *s.is_done);
    rd_supports_begin(m, n->n_reactions);
    bool ok =
        (s.is_done || rd_fail_memory(e, "out of memory for the network")) && begin_superset(&s, n);
    for (int i = 0; ok && i < n->n_species; i++)
        s.is_done[i] = n->is_external[i];
    int64_t n_consume = 0, n_produce = 0;
    for (int i; ok && (i = choose_next_species(&s, &n_consume, &n_produce)) >= 0;) {
        const int64_t n_others = s.table.n - n_consume - n_produce;
        ok = eliminate_species(&s, i);
        if (ok && steps)
            fprintf(steps, "%s %lld %lld %lld %lld %lld %lld\n", n->species[i],
                    (long long)n_consume, (long long)n_produce, (long long)n_others,
                    (long long)(n_consume * n_produce), (long long)(s.table.n - n_others),
                    (long long)s.table.n);
    }
    ok = ok && take_modes(m, &s, n);
    struct row_table *const tables[] = {&s.table, &s.next};
    for (int i = 0; i < 2; i++) {
        free(tables[i]->set);
        free(tables[i]->net);
    }
    free(s.is_done);
    return ok;
}
