/* conservation_laws - computes the null space of the net changes of all reactions, and chooses the
   basis that is easiest to read. */
#define _POSIX_C_SOURCE 200809L
#include "plan/conservation_laws.h"

#include "plan/nullspace.h"
#include "plan/semiflows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Largest number of entries that elimination may process, in about a second. Common models need a
   thousandth of it. */
#define WORK_MOST (INT64_C(1) << 28)

/* Net changes of the reactions, and memory for one number per species. */
struct network {
    const struct rd_model *model;
    struct rd_weighted_sums change;      /* of every reaction */
    struct rd_weighted_sums independent; /* a basis of the changes */
    struct rd_weighted_sums basis, ray;  /* laws: a basis, and those without negative weights */
    bool is_whole;
    int32_t *number; /* [species] */
    bool *may;       /* [species] */
};

static bool open_network(struct network *k, const struct rd_model *m, struct rd_error *e)
{
    *k = (struct network){.model = m, .is_whole = true};
    k->number = calloc((size_t)m->n_species + 1, sizeof *k->number);
    k->may = calloc((size_t)m->n_species + 1, sizeof *k->may);
    return (k->number && k->may) ||
           rd_fail(e, "out of memory for the conservation laws of %d species", m->n_species);
}

static void close_network(struct network *k)
{
    rd_weighted_sums_free(&k->change);
    rd_weighted_sums_free(&k->independent);
    rd_weighted_sums_free(&k->basis);
    rd_weighted_sums_free(&k->ray);
    free(k->number);
    free(k->may);
}

static bool take_changes(struct network *k, struct rd_error *e)
{
    const struct rd_model *const m = k->model;
    bool ok = true;
    for (int i = 0; ok && i < m->n_reactions; i++) {
        const struct rd_reaction *const r = &m->reaction[i];
        memset(k->number, 0, (size_t)m->n_species * sizeof *k->number);
        for (int t = 0; t < r->n_products; t++)
            k->number[r->product[t].species] += r->product[t].number;
        for (int t = 0; t < r->n_reactants; t++)
            k->number[r->reactant[t].species] -= r->reactant[t].number;
        ok = rd_weighted_sums_add(&k->change, k->number, m->n_species, e);
    }
    return ok;
}

static bool copy(struct network *k, struct rd_weighted_sums *to, const struct rd_weighted_sum *from,
                 struct rd_error *e)
{
    const int n = k->model->n_species;
    memset(k->number, 0, (size_t)n * sizeof *k->number);
    for (int i = 0; i < from->n; i++)
        k->number[from->term[i].species] = from->term[i].number;
    return rd_weighted_sums_add(to, k->number, n, e);
}

/* Computes a basis of the laws. If elimination would take too long, there is none. */
static bool take_basis(struct network *k, struct rd_error *e)
{
    rd_echelon *const c = rd_echelon_open(k->model->n_species, e);
    bool ok = c != NULL, is_new;
    for (int i = 0; ok && i < k->change.n && rd_echelon_work(c) < WORK_MOST; i++)
        ok = rd_echelon_take(c, &k->change.of[i], &is_new, e) &&
             (!is_new || copy(k, &k->independent, &k->change.of[i], e));
    k->is_whole = ok && rd_echelon_work(c) < WORK_MOST;
    if (ok && k->is_whole)
        ok = rd_nullspace(c, &k->change, &k->basis, &k->is_whole, e);
    rd_echelon_close(c);
    return ok;
}

/* Computes the laws without negative weights. Only species that occur in a law of the basis can
   occur in them. */
static bool take_semiflows(struct network *k, struct rd_error *e)
{
    bool has_all;
    for (int i = 0; i < k->basis.n; i++)
        for (int t = 0; t < k->basis.of[i].n; t++)
            k->may[k->basis.of[i].term[t].species] = true;
    return k->basis.n == 0 ||
           rd_semiflows(&k->independent, k->may, k->model->n_species, &k->ray, &has_all, e);
}

static int64_t weight_of(const struct rd_weighted_sum *law)
{
    int64_t sum = 0;
    for (int i = 0; i < law->n; i++)
        sum += llabs(law->term[i].number);
    return sum;
}

/* Compares laws: few species before many, small weights before large, then by the first species. */
static int compare(const void *one, const void *other)
{
    const struct rd_weighted_sum *const a = one, *const b = other;
    const int64_t by[] = {a->n - b->n, weight_of(a) - weight_of(b),
                          (int64_t)a->term[0].species - b->term[0].species};
    for (int i = 0; i < 3; i++)
        if (by[i] != 0)
            return by[i] < 0 ? -1 : 1;
    return 0;
}

/* Appends to law the candidates that are independent of those chosen before. */
static bool choose(struct network *k, struct rd_weighted_sums *law,
                   const struct rd_weighted_sums *from, rd_echelon *chosen, struct rd_error *e)
{
    bool ok = true;
    for (int i = 0; ok && i < from->n && law->n < k->basis.n; i++) {
        bool is_new;
        ok = rd_echelon_take(chosen, &from->of[i], &is_new, e) &&
             (!is_new || copy(k, law, &from->of[i], e));
    }
    return ok;
}

/* Makes the first weight of each law positive; the negative of a law is equivalent. */
static void turn(struct rd_weighted_sums *b)
{
    for (int i = 0; i < b->n; i++) {
        const struct rd_weighted_sum *const law = &b->of[i];
        const int32_t sign = law->term[0].number < 0 ? -1 : 1;
        for (int t = 0; t < law->n; t++)
            law->term[t].number *= sign;
    }
}

static void sort(struct rd_weighted_sums *b)
{
    if (b->n > 0)
        qsort(b->of, (size_t)b->n, sizeof *b->of, compare);
}

bool rd_conservation_find(struct rd_conserved *c, const struct rd_model *m, struct rd_error *e)
{
    struct network k;
    *c = (struct rd_conserved){0};
    bool ok =
        open_network(&k, m, e) && take_changes(&k, e) && take_basis(&k, e) && take_semiflows(&k, e);
    turn(&k.basis);
    sort(&k.basis);
    sort(&k.ray);
    rd_echelon *const chosen = ok ? rd_echelon_open(m->n_species, e) : NULL;
    ok = chosen && choose(&k, &c->law, &k.ray, chosen, e) &&
         choose(&k, &c->law, &k.basis, chosen, e);
    c->is_whole = k.is_whole;
    rd_echelon_close(chosen);
    close_network(&k);
    return ok;
}

void rd_conservation_free(struct rd_conserved *c)
{
    rd_weighted_sums_free(&c->law);
    *c = (struct rd_conserved){0};
}

char *rd_conservation_text(const struct rd_model *m, const struct rd_weighted_sum *law)
{
    char *text = NULL;
    size_t length = 0;
    FILE *const out = open_memstream(&text, &length);
    if (!out)
        return NULL;
    for (int i = 0; i < law->n; i++) {
        const int32_t number = law->term[i].number;
        fputs(i == 0 ? "" : number < 0 ? " - " : " + ", out);
        if (abs(number) != 1)
            fprintf(out, "%d ", (int)abs(number));
        fputs(m->species[law->term[i].species].name, out);
    }
    if (fclose(out) == 0)
        return text;
    free(text);
    return NULL;
}
