/* laws - which weighted sums of species no reaction of a network changes. */
#include "modes/laws.h"

#include "base/memory.h"
#include "plan/conservation_laws.h"

#include <stdlib.h>
#include <string.h>

/* Limits the coefficients that are visited to decide which species are in a semiflow: about a
   second. */
static const int64_t VISITS_MOST = INT64_C(100000000);

/* Makes room for n laws, all 0. */
static bool open_laws(struct rd_laws *l, const struct rd_network *n, int64_t n_laws,
                      struct rd_error *e)
{
    *l = (struct rd_laws){.n_species = n->n_species, .n = n_laws, .is_whole = true};
    l->weight = calloc((size_t)n_laws * (size_t)n->n_species + 1, sizeof *l->weight);
    return l->weight || rd_fail_memory(e, "out of memory for %lld laws", (long long)n_laws);
}

/* Multiplies the weights of a law by the species' scales and divides by what they share. */
static bool scale_weights(int64_t *weight, const struct rd_network *n, struct rd_error *e)
{
    bool fits = true;
    for (int i = 0; i < n->n_species; i++)
        fits = !__builtin_mul_overflow(weight[i], n->scale[i], &weight[i]) && fits;
    rd_sparse_reduce(weight, n->n_species);
    return fits || rd_fail(e, "the weights of a law do not fit into 64 bits; use fewer digits");
}

/* Prints a law: "A + 2 B - C". */
static void print_weights(const int64_t *weights, const struct rd_network *n, FILE *out)
{
    bool is_first = true;
    for (int i = 0; i < n->n_species; i++) {
        const int64_t weight = weights[i];
        if (weight == 0)
            continue;
        fputs(is_first ? (weight < 0 ? "-" : "") : weight < 0 ? " - " : " + ", out);
        is_first = false;
        if (weight != 1 && weight != -1)
            fprintf(out, "%lld ", llabs(weight));
        fputs(n->species[i], out);
    }
}

/* Returns the net changes of all reactions, which stay those of the network; the caller frees the
   list. Returns NULL with a message. */
static struct rd_sparse *take_changes(const struct rd_network *n, struct rd_error *e)
{
    struct rd_sparse *const change = malloc(((size_t)n->n_reactions + 1) * sizeof *change);
    for (int i = 0; change && i < n->n_reactions; i++)
        change[i] = n->reaction[i].net;
    if (!change)
        rd_fail_memory(e, "out of memory for the laws");
    return change;
}

/* Returns whether a law has an external species, which nothing balances. */
static bool is_outside(const struct rd_sparse *law, const struct rd_network *n)
{
    for (int i = 0; i < law->n; i++)
        if (n->is_external[law->entry[i].at])
            return true;
    return false;
}

bool rd_laws_find(struct rd_laws *l, const struct rd_network *n, struct rd_error *e)
{
    struct rd_conserved c = {0};
    struct rd_sparse *const change = take_changes(n, e);
    bool ok = change && rd_conservation_of_changes(&c, change, n->n_reactions, n->n_species, e) &&
              open_laws(l, n, c.law.n, e);
    l->n = 0;
    for (int i = 0; ok && i < c.law.n; i++) {
        const struct rd_sparse *const law = &c.law.of[i];
        if (is_outside(law, n))
            continue;
        for (int k = 0; k < law->n; k++)
            l->weight[l->n * l->n_species + law->entry[k].at] = law->entry[k].value;
        ok = scale_weights(l->weight + l->n++ * l->n_species, n, e);
    }
    l->is_whole = c.is_whole;
    rd_conservation_free(&c);
    free(change);
    return ok;
}

/* Finds the elementary vectors that are the semiflows of a network. */
static bool find_vectors(struct rd_elementary *v, const struct rd_network *n,
                         const struct rd_engine_options *o, struct rd_error *e)
{
    struct rd_sparse *const change = take_changes(n, e);
    bool *const is_internal = malloc((size_t)n->n_species + 1);
    bool ok = change && (is_internal || rd_fail_memory(e, "out of memory for the laws"));
    for (int i = 0; ok && i < n->n_species; i++)
        is_internal[i] = !n->is_external[i];
    ok =
        ok && rd_conservation_semiflows(v, change, n->n_reactions, is_internal, n->n_species, o, e);
    free(is_internal);
    free(change);
    return ok;
}

bool rd_laws_semiflows(struct rd_laws *l, const struct rd_network *n,
                       const struct rd_engine_options *o, struct rd_error *e)
{
    struct rd_elementary v = {0};
    bool ok = find_vectors(&v, n, o, e) && open_laws(l, n, v.support.n, e);
    for (int64_t i = 0; ok && i < v.support.n; i++)
        ok = rd_elementary_value(&v, i, l->weight + i * l->n_species, e) &&
             scale_weights(l->weight + i * l->n_species, n, e);
    if (ok && v.lacks_memory)
        ok = rd_fail_memory(e, "out of memory for the semiflows");
    l->is_whole = !v.is_partial;
    if (ok && v.is_partial) {
        l->has = malloc(((size_t)n->n_species + 1) * sizeof *l->has);
        ok = (l->has || rd_fail_memory(e, "out of memory for the laws")) &&
             rd_elementary_feasible(&v, l->has, VISITS_MOST, e);
    }
    rd_elementary_free(&v);
    return ok;
}

/* Returns how many species are in some vector. */
static int count_law_species(const struct rd_supports *s)
{
    int n = 0;
    for (int i = 0; i < s->n_columns; i++) {
        int64_t at = 0;
        while (at < s->n && !rd_supports_has(s, at, i))
            at++;
        n += at < s->n;
    }
    return n;
}

bool rd_laws_print_semiflows(const struct rd_network *n, const struct rd_engine_options *o,
                             FILE *out, int64_t *rows_needed, struct rd_error *e)
{
    struct rd_elementary v = {0};
    int64_t *const weight = malloc(((size_t)n->n_species + 1) * sizeof *weight);
    bool ok =
        (weight || rd_fail_memory(e, "out of memory for the laws")) && find_vectors(&v, n, o, e);
    if (ok)
        fprintf(out, "# %lld semiflow%s over %d species%s\n", (long long)v.support.n,
                v.support.n == 1 ? "" : "s", count_law_species(&v.support),
                v.is_partial ? ", partial: there was no memory for more" : "");
    for (int64_t i = 0; ok && i < v.support.n; i++) {
        ok = rd_elementary_value(&v, i, weight, e) && scale_weights(weight, n, e);
        if (ok)
            print_weights(weight, n, out);
        if (ok)
            fputc('\n', out);
    }
    *rows_needed = !v.is_partial ? 0 : v.rows_needed > 0 ? v.rows_needed : 1;
    rd_elementary_free(&v);
    free(weight);
    return ok;
}

void rd_laws_print(const struct rd_laws *l, int64_t law, const struct rd_network *n, FILE *out)
{
    print_weights(l->weight + law * l->n_species, n, out);
}

int rd_laws_species(const struct rd_laws *l)
{
    int n_species = 0;
    for (int i = 0; i < l->n_species; i++) {
        bool is_there = false;
        for (int64_t law = 0; law < l->n; law++)
            is_there = is_there || l->weight[law * l->n_species + i] != 0;
        n_species += is_there;
    }
    return n_species;
}

bool rd_laws_followers(const struct rd_laws *l, bool *follows, struct rd_error *e)
{
    const int n = l->n_species;
    const int64_t n_laws = l->n;
    rd_int128 *const m = rd_memory_need(malloc(((size_t)n_laws * (size_t)n + 1) * sizeof *m));
    bool fits = true;
    for (int64_t i = 0; i < n_laws * n; i++)
        m[i] = l->weight[i];
    for (int64_t law = 0; fits && law < n_laws; law++) {
        int pivot = n - 1;
        while (pivot >= 0 && m[law * n + pivot] == 0)
            pivot--;
        if (pivot < 0)
            continue;
        follows[pivot] = true;
        for (int64_t row = law + 1; row < n_laws; row++) {
            const rd_int128 factor = m[row * n + pivot], times = m[law * n + pivot];
            rd_int128 common = 0;
            for (int i = 0; fits && factor != 0 && i < n; i++) {
                rd_int128 one, two;
                fits = !__builtin_mul_overflow(m[row * n + i], times, &one) &&
                       !__builtin_mul_overflow(m[law * n + i], factor, &two) &&
                       !__builtin_sub_overflow(one, two, &m[row * n + i]);
                common = rd_sparse_gcd128(common, m[row * n + i]);
            }
            for (int i = 0; fits && common > 1 && i < n; i++)
                m[row * n + i] /= common;
        }
    }
    free(m);
    return fits ||
           rd_fail(e, "the laws do not fit into 128 bits; use coefficients with fewer digits");
}

void rd_laws_free(struct rd_laws *l)
{
    free(l->weight);
    free(l->has);
    *l = (struct rd_laws){0};
}
