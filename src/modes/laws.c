/* laws - which weighted sums of species no reaction of a network changes. */
#include "modes/laws.h"

#include "plan/conservation_laws.h"
#include "plan/nullspace.h"

#include <stdlib.h>
#include <string.h>

/* Limits the coefficients that are visited to decide which species are in a semiflow: about a
   second. */
static const int64_t VISITS_MOST = INT64_C(100000000);

/* Multiplies the weights of a law by the species' scales and divides by what they share. */
static bool scale_weights(struct rd_sparse *law, const struct rd_network *n, struct rd_error *e)
{
    bool fits = true;
    for (int i = 0; i < law->n; i++) {
        struct rd_entry *const x = &law->entry[i];
        fits = !__builtin_mul_overflow(x->value, n->scale[x->at], &x->value) && fits;
    }
    if (!fits)
        return rd_fail(e, "the weights of a law do not fit into 64 bits; use fewer digits");
    rd_sparse_divide(law, rd_sparse_content(law));
    return true;
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

/* Counts the laws of a basis that were not found: the laws and the independent changes are together
   as many as the species that are balanced. */
static bool count_missing(struct rd_laws *l, const struct rd_network *n,
                          const struct rd_sparse *change, struct rd_error *e)
{
    int most = -l->law.n, rank;
    for (int i = 0; i < n->n_species; i++)
        most += !n->is_external[i];
    const bool ok = rd_conservation_rank(&rank, change, n->n_reactions, n->n_species, most, e);
    l->n_missing = rank < 0 ? -1 : most - rank;
    return ok;
}

bool rd_laws_find(struct rd_laws *l, const struct rd_network *n, struct rd_error *e)
{
    struct rd_conserved c = {0};
    struct rd_sparse *const change = take_changes(n, e);
    *l = (struct rd_laws){0};
    bool ok = change && rd_conservation_of_changes(&c, change, n->n_reactions, n->n_species, e);
    for (int i = 0; ok && i < c.law.n; i++)
        ok = is_outside(&c.law.of[i], n) ||
             (scale_weights(&c.law.of[i], n, e) &&
              rd_weighted_sums_add_entries(&l->law, c.law.of[i].entry, c.law.of[i].n, e));
    ok = ok && (c.is_whole || count_missing(l, n, change, e));
    rd_conservation_free(&c);
    free(change);
    return ok;
}

void rd_laws_print_missing(const struct rd_laws *l, FILE *out)
{
    if (l->n_missing < 0)
        fputs("there may be more: " RD_CONSERVATION_LIMITS, out);
    else
        fprintf(out, "%d more %s not found: " RD_CONSERVATION_LIMITS, l->n_missing,
                l->n_missing == 1 ? "was" : "were");
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

/* Holds memory for one semiflow. */
struct semiflow {
    int64_t *weight;      /* [species], owned */
    struct rd_sparse law; /* with room for all species */
};

static bool open_semiflow(struct semiflow *s, const struct rd_network *n, struct rd_error *e)
{
    s->weight = malloc(((size_t)n->n_species + 1) * sizeof *s->weight);
    s->law.entry = malloc(((size_t)n->n_species + 1) * sizeof *s->law.entry);
    return (s->weight && s->law.entry) || rd_fail_memory(e, "out of memory for the semiflows");
}

static void close_semiflow(struct semiflow *s)
{
    free(s->weight);
    rd_sparse_free(&s->law);
}

/* Reads a semiflow from the vectors, if its weights fit into 64 bits. Returns false with a message
   if there is no memory. */
static bool read_semiflow(struct semiflow *s, const struct rd_elementary *v, int64_t vector,
                          const struct rd_network *n, bool *fits, struct rd_error *e)
{
    struct rd_error own = {0};
    *fits = rd_elementary_value(v, vector, s->weight, &own);
    s->law.n = 0;
    for (int i = 0; *fits && i < n->n_species; i++)
        if (s->weight[i] != 0)
            s->law.entry[s->law.n++] = (struct rd_entry){i, s->weight[i]};
    *fits = *fits && scale_weights(&s->law, n, &own);
    const bool ok = !own.lacks_memory || rd_fail_memory(e, "out of memory for the semiflows");
    rd_error_free(&own);
    return ok;
}

/* Lists the semiflows that were found. Those whose weights do not fit into 64 bits are missing. */
static bool list_semiflows(struct rd_laws *l, const struct rd_elementary *v,
                           const struct rd_network *n, struct rd_error *e)
{
    struct semiflow s = {0};
    bool ok = open_semiflow(&s, n, e);
    for (int64_t i = 0; ok && i < v->support.n; i++) {
        bool fits;
        ok = read_semiflow(&s, v, i, n, &fits, e) &&
             (!fits || rd_weighted_sums_add_entries(&l->law, s.law.entry, s.law.n, e));
        l->n_missing += !fits;
    }
    close_semiflow(&s);
    return ok;
}

bool rd_laws_semiflows(struct rd_laws *l, const struct rd_network *n,
                       const struct rd_engine_options *o, struct rd_error *e)
{
    struct rd_elementary v = {0};
    *l = (struct rd_laws){0};
    bool ok = find_vectors(&v, n, o, e) && list_semiflows(l, &v, n, e);
    if (ok && v.lacks_memory)
        ok = rd_fail_memory(e, "out of memory for the semiflows");
    l->n_missing = v.is_partial ? -1 : l->n_missing;
    if (ok && l->n_missing != 0) {
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
    struct semiflow s = {0};
    int64_t n_large = 0;
    bool ok = open_semiflow(&s, n, e) && find_vectors(&v, n, o, e);
    if (ok)
        fprintf(out, "# %lld semiflow%s over %d species%s\n", (long long)v.support.n,
                v.support.n == 1 ? "" : "s", count_law_species(&v.support),
                v.is_partial ? ", partial: there was no memory for more" : "");
    for (int64_t i = 0; ok && i < v.support.n; i++) {
        bool fits;
        ok = read_semiflow(&s, &v, i, n, &fits, e);
        n_large += !fits;
        if (fits) {
            rd_weighted_sums_print(&s.law, n->species, out);
            fputc('\n', out);
        }
    }
    if (ok && n_large > 0)
        ok = rd_fail(e,
                     "%lld semiflow%s not printed: the weights do not fit into 64 bits; use fewer "
                     "digits",
                     (long long)n_large, n_large == 1 ? " is" : "s are");
    *rows_needed = !v.is_partial ? 0 : v.rows_needed > 0 ? v.rows_needed : 1;
    rd_elementary_free(&v);
    close_semiflow(&s);
    return ok;
}

/* Makes the equations of the laws of n species alone: a column for each of them, a row for each
   reaction that changes one. */
static bool restrict_system(struct rd_system *s, const struct rd_network *network,
                            const int32_t *species, int n, struct rd_error *e)
{
    struct rd_weighted_sums change = {0};
    int32_t *const place = calloc((size_t)network->n_species + 1, sizeof *place);
    struct rd_entry *const entry = malloc(((size_t)n + 1) * sizeof *entry);
    bool ok = (place && entry) || rd_fail_memory(e, "out of memory for the laws");
    for (int i = 0; ok && i < n; i++)
        place[species[i]] = i + 1;
    for (int r = 0; ok && r < network->n_reactions; r++) {
        const struct rd_sparse *const net = &network->reaction[r].net;
        int n_changed = 0;
        for (int k = 0; k < net->n; k++)
            if (place[net->entry[k].at] > 0)
                entry[n_changed++] =
                    (struct rd_entry){place[net->entry[k].at] - 1, net->entry[k].value};
        ok = n_changed == 0 || rd_weighted_sums_add_entries(&change, entry, n_changed, e);
    }
    ok = ok && rd_system_transpose(s, change.of, change.n, n, e);
    rd_weighted_sums_free(&change);
    free(place);
    free(entry);
    return ok;
}

bool rd_laws_conserve(enum rd_feasible *is, const struct rd_network *network,
                      const int32_t *species, int n, struct rd_error *e)
{
    struct rd_system s = {0};
    struct rd_elementary v = {0};
    struct rd_error too_large = {0};
    enum rd_feasible *const has = malloc(((size_t)n + 1) * sizeof *has);
    bool ok = (has || rd_fail_memory(e, "out of memory for the laws")) &&
              restrict_system(&s, network, species, n, e);
    const bool is_decided = ok && rd_elementary_begin(&v, &s, &too_large) &&
                            rd_elementary_feasible(&v, has, VISITS_MOST, &too_large);
    *is = is_decided ? RD_FEASIBLE_NO : RD_FEASIBLE_OPEN;
    for (int i = 0; is_decided && i < n; i++)
        *is = has[i] > *is ? has[i] : *is;
    if (too_large.lacks_memory)
        ok = rd_fail_memory(e, "out of memory for the laws");
    rd_system_free(&s);
    rd_elementary_free(&v);
    rd_error_free(&too_large);
    free(has);
    return ok;
}

int rd_laws_species(const struct rd_laws *l, int n_species, struct rd_error *e)
{
    bool *const is_there = calloc((size_t)n_species + 1, sizeof *is_there);
    int n = 0;
    if (!is_there) {
        rd_fail_memory(e, "out of memory for the laws");
        return -1;
    }
    for (int law = 0; law < l->law.n; law++)
        for (int i = 0; i < l->law.of[law].n; i++) {
            bool *const is = &is_there[l->law.of[law].entry[i].at];
            n += !*is;
            *is = true;
        }
    free(is_there);
    return n;
}

/* Adds a law to the echelon form of laws whose species have the opposite order. */
static bool take_turned(rd_echelon *c, const struct rd_sparse *law, struct rd_entry *entry,
                        int n_species, struct rd_error *e)
{
    const struct rd_sparse turned = {entry, law->n};
    bool is_new;
    for (int i = 0; i < law->n; i++)
        entry[i] = (struct rd_entry){n_species - 1 - law->entry[law->n - 1 - i].at,
                                     law->entry[law->n - 1 - i].value};
    return rd_echelon_take(c, &turned, &is_new, e);
}

bool rd_laws_followers(const struct rd_laws *l, int n_species, bool *follows, struct rd_error *e)
{
    struct rd_entry *const entry = malloc(((size_t)n_species + 1) * sizeof *entry);
    rd_echelon *const c = rd_echelon_open(n_species, 0, e);
    bool ok = c && (entry || rd_fail_memory(e, "out of memory for the laws"));
    for (int i = 0; ok && i < l->law.n; i++)
        ok = take_turned(c, &l->law.of[i], entry, n_species, e);
    for (int i = 0; ok && i < n_species; i++)
        follows[i] = rd_echelon_is_first(c, n_species - 1 - i);
    rd_echelon_close(c);
    free(entry);
    return ok;
}

void rd_laws_free(struct rd_laws *l)
{
    rd_weighted_sums_free(&l->law);
    free(l->has);
    *l = (struct rd_laws){0};
}
