/* conservation_laws - computes the nullspace of the net changes of all reactions and the laws
   without negative weights, and chooses the basis that is easiest to read. */
#define _POSIX_C_SOURCE 200809L
#include "plan/conservation_laws.h"

#include "plan/nullspace.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Sets the largest number of entries that elimination may process, in a quarter of a second. Common
   models need less than a hundredth of it. */
#define WORK_MOST (INT64_C(1) << 26)

/* Sets the same for the rank, which is computed modulo several primes: about a second. */
#define RANK_WORK_MOST (4 * WORK_MOST)

/* Limits the memory that the search for semiflows may take, about a second. Networks of hundreds
   of species stay far below. */
#define MEMORY_MOST (INT64_C(1) << 24)

/* Sets the largest product of species and independent changes for which semiflows are searched: the
   search looks up each species in each change, in a quarter of a second. */
#define PAIRS_MOST (INT64_C(1) << 25)

/* Holds net changes of the reactions, and memory for one number per species. */
struct network {
    const struct rd_sparse *change; /* of every reaction */
    int n_changes, n_species;
    struct rd_weighted_sums independent; /* a basis of the changes */
    struct rd_weighted_sums basis, ray;  /* laws: a basis, and those without negative weights */
    bool is_whole;
    int64_t *number; /* [species] */
    bool *changes;   /* [species]: some reaction changes its number */
    bool *may;       /* [species] */
};

static bool open_network(struct network *k, struct rd_error *e)
{
    k->number = calloc((size_t)k->n_species + 1, sizeof *k->number);
    k->changes = calloc((size_t)k->n_species + 1, sizeof *k->changes);
    k->may = calloc((size_t)k->n_species + 1, sizeof *k->may);
    if (!k->number || !k->changes || !k->may)
        return rd_fail(e, "out of memory for the conservation laws of %d species", k->n_species);
    for (int i = 0; i < k->n_changes; i++)
        for (int t = 0; t < k->change[i].n; t++)
            k->changes[k->change[i].entry[t].at] = true;
    return true;
}

static void close_network(struct network *k)
{
    rd_weighted_sums_free(&k->independent);
    rd_weighted_sums_free(&k->basis);
    rd_weighted_sums_free(&k->ray);
    free(k->number);
    free(k->changes);
    free(k->may);
}

static bool copy_sum(struct rd_weighted_sums *to, const struct rd_sparse *from, struct rd_error *e)
{
    return rd_weighted_sums_add_entries(to, from->entry, from->n, e);
}

/* Lists the changes of few species before those of many: rows of few entries first keep the others
   sparse. Returns their numbers, owned by the caller; NULL with a message without memory. */
static int *order_changes(const struct network *k, struct rd_error *e)
{
    int longest = 0, n = 0;
    int *const order = malloc(((size_t)k->n_changes + 1) * sizeof *order);
    for (int i = 0; i < k->n_changes; i++)
        longest = k->change[i].n > longest ? k->change[i].n : longest;
    int *const at = calloc((size_t)longest + 2, sizeof *at);
    for (int i = 0; at && i < k->n_changes; i++)
        at[k->change[i].n + 1]++;
    for (int length = 0; at && length <= longest; length++)
        at[length] = n += at[length];
    for (int i = 0; order && at && i < k->n_changes; i++)
        order[at[k->change[i].n]++] = i;
    const bool ok = order && at;
    free(at);
    if (ok)
        return order;
    free(order);
    rd_fail(e, "out of memory for the conservation laws of %d reactions", k->n_changes);
    return NULL;
}

/* Computes a basis of the laws. If elimination would take too long, there is none. */
static bool compute_law_basis(struct network *k, struct rd_error *e)
{
    int *const order = order_changes(k, e);
    rd_echelon *const c = rd_echelon_open(k->n_species, 0, e);
    bool ok = c && order, is_new;
    for (int i = 0; ok && i < k->n_changes && rd_echelon_work(c) < WORK_MOST; i++)
        ok = rd_echelon_take(c, &k->change[order[i]], &is_new, e) &&
             (!is_new || copy_sum(&k->independent, &k->change[order[i]], e));
    k->is_whole = ok && rd_echelon_work(c) < WORK_MOST;
    if (ok && k->is_whole)
        ok = rd_nullspace(c, k->change, k->n_changes, 2 * WORK_MOST, &k->basis, &k->is_whole, e);
    rd_echelon_close(c);
    free(order);
    return ok;
}

bool rd_conservation_semiflows(struct rd_elementary *v, const struct rd_sparse *change,
                               int n_changes, const bool *may, int n_species,
                               const struct rd_engine_options *o, struct rd_error *e)
{
    struct rd_system s = {0};
    bool ok = rd_system_transpose(&s, change, n_changes, n_species, e);
    for (int i = 0; ok && i < n_species; i++)
        s.column[i].is_excluded = !may[i];
    ok = ok && rd_elementary_find(v, &s, o, e);
    rd_system_free(&s);
    return ok;
}

/* Marks the species that change and occur in a law of the basis. Returns their number. */
static int64_t mark_law_species(struct network *k)
{
    int64_t n = 0;
    for (int i = 0; i < k->basis.n; i++)
        for (int t = 0; t < k->basis.of[i].n; t++) {
            const int species = k->basis.of[i].entry[t].at;
            n += k->changes[species] && !k->may[species];
            k->may[species] = k->changes[species];
        }
    return n;
}

/* Adds the law of each species that no reaction changes: its number stays the same. */
static bool add_constant_species(struct network *k, struct rd_error *e)
{
    bool ok = true;
    for (int s = 0; ok && s < k->n_species; s++) {
        const struct rd_entry one = {s, 1};
        ok = k->changes[s] || rd_weighted_sums_add_entries(&k->ray, &one, 1, e);
    }
    return ok;
}

/* Computes the laws without negative weights of species that change. Only species that occur in a
   law of the basis can occur in them. If there are too many, or a weight does not fit, there is
   none. */
static bool take_semiflows(struct network *k, struct rd_error *e)
{
    struct rd_elementary found = {0};
    struct rd_error too_large = {0};
    const struct rd_engine_options o = {.n_threads = 1, .memory = MEMORY_MOST};
    const int64_t n = mark_law_species(k);
    bool is_whole = n > 0 && n * (k->independent.n + 1) <= PAIRS_MOST &&
                    rd_conservation_semiflows(&found, k->independent.of, k->independent.n, k->may,
                                              k->n_species, &o, &too_large) &&
                    !found.is_partial;
    if (found.lacks_memory)
        rd_fail_memory(&too_large, "out of memory for the conservation laws");
    bool ok = !too_large.lacks_memory;
    for (int64_t i = 0; ok && is_whole && i < found.support.n; i++) {
        is_whole = rd_elementary_value(&found, i, k->number, &too_large);
        ok = !is_whole || rd_weighted_sums_add(&k->ray, k->number, k->n_species, e);
    }
    ok = ok && !too_large.lacks_memory;
    if (too_large.lacks_memory)
        rd_error_add(e, &too_large);
    if (!is_whole)
        rd_weighted_sums_free(&k->ray);
    rd_elementary_free(&found);
    rd_error_free(&too_large);
    return ok;
}

static int64_t weight_of(const struct rd_sparse *law)
{
    int64_t sum = 0;
    for (int i = 0; i < law->n; i++)
        sum += llabs(law->entry[i].value);
    return sum;
}

/* Compares laws: few species before many, small weights before large, then by the first species and
   weight that differ. */
static int compare_laws(const void *one, const void *other)
{
    const struct rd_sparse *const a = one, *const b = other;
    int64_t by = a->n != b->n ? a->n - b->n : weight_of(a) - weight_of(b);
    for (int i = 0; by == 0 && i < a->n; i++)
        by = a->entry[i].at != b->entry[i].at ? a->entry[i].at - b->entry[i].at
                                              : a->entry[i].value - b->entry[i].value;
    return (by > 0) - (by < 0);
}

/* Appends to law the candidates that are independent of those chosen before, until it takes too
   long. */
static bool choose_laws(struct network *k, struct rd_weighted_sums *law,
                        const struct rd_weighted_sums *from, rd_echelon *chosen, struct rd_error *e)
{
    bool ok = true;
    for (int i = 0; ok && i < from->n && law->n < k->basis.n; i++) {
        bool is_new;
        if (rd_echelon_work(chosen) >= WORK_MOST) {
            k->is_whole = false;
            break;
        }
        ok = rd_echelon_take(chosen, &from->of[i], &is_new, e) &&
             (!is_new || copy_sum(law, &from->of[i], e));
    }
    return ok;
}

/* Makes the first weight of each law positive; the negative of a law is equivalent. */
static void turn_positive(struct rd_weighted_sums *b)
{
    for (int i = 0; i < b->n; i++) {
        const struct rd_sparse *const law = &b->of[i];
        const int64_t sign = law->entry[0].value < 0 ? -1 : 1;
        for (int t = 0; t < law->n; t++)
            law->entry[t].value *= sign;
    }
}

static void sort(struct rd_weighted_sums *b)
{
    if (b->n > 0)
        qsort(b->of, (size_t)b->n, sizeof *b->of, compare_laws);
}

bool rd_conservation_of_changes(struct rd_conserved *c, const struct rd_sparse *change,
                                int n_changes, int n_species, struct rd_error *e)
{
    struct network k = {
        .change = change, .n_changes = n_changes, .n_species = n_species, .is_whole = true};
    *c = (struct rd_conserved){0};
    bool ok = open_network(&k, e) && compute_law_basis(&k, e) && take_semiflows(&k, e) &&
              add_constant_species(&k, e);
    turn_positive(&k.basis);
    sort(&k.basis);
    sort(&k.ray);
    rd_echelon *const chosen = ok ? rd_echelon_open(n_species, 0, e) : NULL;
    ok = chosen && choose_laws(&k, &c->law, &k.ray, chosen, e) &&
         choose_laws(&k, &c->law, &k.basis, chosen, e);
    c->is_whole = k.is_whole;
    rd_echelon_close(chosen);
    close_network(&k);
    return ok;
}

/* Returns twice the binary logarithm of a number that the length of a change does not exceed. */
static int half_bits_of(const struct rd_sparse *change)
{
    double square = 0.0;
    int bits;
    for (int t = 0; t < change->n; t++)
        square += (double)change->entry[t].value * (double)change->entry[t].value;
    frexp(square, &bits);
    return bits;
}

/* Holds what is computed modulo a prime. */
struct rank_estimate {
    int rank;          /* -1: that would take too long */
    int64_t half_bits; /* twice the logarithm of what no minor of one change more exceeds: by
                          Hadamard's inequality, the product of the lengths of its changes */
};

/* Counts independent changes modulo a prime. Returns false with a message. */
static bool estimate_rank(const struct network *k, const int *order, int prime,
                          struct rank_estimate *x, int64_t *work, struct rd_error *e)
{
    rd_echelon *const c = rd_echelon_open(k->n_species, prime, e);
    bool ok = c != NULL;
    int longest = 0;
    *x = (struct rank_estimate){0};
    for (int i = 0; ok && x->rank >= 0 && i < k->n_changes; i++) {
        const struct rd_sparse *const change = &k->change[order[i]];
        const int half_bits = half_bits_of(change);
        bool is_new = false;
        ok = rd_echelon_take(c, change, &is_new, e);
        x->rank = rd_echelon_work(c) < *work ? x->rank + is_new : -1;
        x->half_bits += is_new ? half_bits : 0;
        longest = half_bits > longest ? half_bits : longest;
    }
    x->half_bits += longest;
    *work -= ok ? rd_echelon_work(c) : 0;
    rd_echelon_close(c);
    return ok;
}

bool rd_conservation_rank(int *rank, const struct rd_sparse *change, int n_changes, int n_species,
                          int most, struct rd_error *e)
{
    const struct network k = {.change = change, .n_changes = n_changes, .n_species = n_species};
    int *const order = order_changes(&k, e);
    bool ok = order != NULL, is_proved = false;
    struct rank_estimate best = {0}, found = {0};
    int64_t work = RANK_WORK_MOST;
    for (int prime = 0; ok && !is_proved && found.rank >= 0 && prime < RD_ECHELON_PRIMES; prime++) {
        ok = estimate_rank(&k, order, prime, &found, &work, e);
        best = found.rank >= best.rank ? found : best;
        is_proved = best.rank == most ||
                    (found.rank >= 0 && 2 * RD_ECHELON_BITS * (prime + 1) > best.half_bits);
    }
    *rank = is_proved ? best.rank : -1;
    free(order);
    return ok;
}

/* Adds so many molecules of a species to n entries, which rise by species. Returns their number. */
static int add_molecules(struct rd_entry *entry, int n, int species, int64_t number)
{
    int at = n;
    while (at > 0 && entry[at - 1].at > species)
        at--;
    if (at > 0 && entry[at - 1].at == species) {
        entry[at - 1].value += number;
        return n;
    }
    memmove(entry + at + 1, entry + at, (size_t)(n - at) * sizeof *entry);
    entry[at] = (struct rd_entry){species, number};
    return n + 1;
}

/* Adds the net change of a reaction; entry[] has room for all its terms. */
static bool add_change(struct rd_weighted_sums *change, const struct rd_reaction *r,
                       struct rd_entry *entry, struct rd_error *e)
{
    int n = 0, kept = 0;
    for (int t = 0; t < r->n_products; t++)
        n = add_molecules(entry, n, r->product[t].species, r->product[t].number);
    for (int t = 0; t < r->n_reactants; t++)
        n = add_molecules(entry, n, r->reactant[t].species, -(int64_t)r->reactant[t].number);
    for (int i = 0; i < n; i++)
        if (entry[i].value != 0)
            entry[kept++] = entry[i];
    return rd_weighted_sums_add_entries(change, entry, kept, e);
}

bool rd_conservation_find(struct rd_conserved *c, const struct rd_model *m, struct rd_error *e)
{
    struct rd_weighted_sums change = {0};
    int most = 0;
    for (int i = 0; i < m->n_reactions; i++) {
        const int n = m->reaction[i].n_products + m->reaction[i].n_reactants;
        most = n > most ? n : most;
    }
    struct rd_entry *const entry = malloc(((size_t)most + 1) * sizeof *entry);
    bool ok = entry || rd_fail(e, "out of memory for conservation laws");
    *c = (struct rd_conserved){0};
    for (int i = 0; ok && i < m->n_reactions; i++)
        ok = add_change(&change, &m->reaction[i], entry, e);
    ok = ok && rd_conservation_of_changes(c, change.of, change.n, m->n_species, e);
    rd_weighted_sums_free(&change);
    free(entry);
    return ok;
}

void rd_conservation_free(struct rd_conserved *c)
{
    rd_weighted_sums_free(&c->law);
    *c = (struct rd_conserved){0};
}

char *rd_conservation_text(const struct rd_model *m, const struct rd_sparse *law)
{
    char *text = NULL;
    size_t length = 0;
    FILE *const out = open_memstream(&text, &length);
    if (!out)
        return NULL;
    rd_weighted_sums_print(law, m->species_name, out);
    if (fclose(out) == 0)
        return text;
    free(text);
    return NULL;
}
