/* laws - which weighted sums of species no reaction of a network changes. */
#include "modes/laws.h"

#include "modes/pathways.h"
#include "plan/conservation_laws.h"

#include <stdlib.h>
#include <string.h>

/* Makes room for n laws, all 0. */
static bool open_laws(struct rd_laws *l, const struct rd_network *n, int64_t n_laws,
                      struct rd_error *e)
{
    *l = (struct rd_laws){.n_species = n->n_species, .n = n_laws, .is_whole = true};
    l->weight = calloc((size_t)n_laws * (size_t)n->n_species + 1, sizeof *l->weight);
    return l->weight || rd_fail(e, "there is no memory for %lld laws", (long long)n_laws);
}

/* Multiplies the weights of a law by the species' scales and divides by what they share. */
static bool settle(const struct rd_laws *l, int64_t law, const struct rd_network *n,
                   struct rd_error *e)
{
    int64_t *const weight = l->weight + law * l->n_species;
    bool fits = true;
    for (int i = 0; i < l->n_species; i++)
        fits = !__builtin_mul_overflow(weight[i], n->scale[i], &weight[i]) && fits;
    rd_sparse_reduce(weight, l->n_species);
    return fits || rd_fail(e, "the weights of a law do not fit into 64 bits; scale the network");
}

/* Makes the terms of one sign of a reaction; false if a number does not fit into 32 bits. */
static bool take_terms(const struct rd_sparse *net, int64_t content, int sign, struct rd_term *term,
                       int *n)
{
    *n = 0;
    for (int i = 0; i < net->n; i++) {
        const int64_t number = sign * (net->entry[i].value / content);
        if (number > INT32_MAX)
            return false;
        if (number > 0)
            term[(*n)++] = (struct rd_term){net->entry[i].at, (int32_t)number};
    }
    return true;
}

/* Gives the reactions of a network to the analysis of models, which looks at nothing else. */
static bool take_model(struct rd_model *m, const struct rd_network *n, struct rd_error *e)
{
    *m = (struct rd_model){.n_species = n->n_species};
    m->reaction = calloc((size_t)n->n_reactions + 1, sizeof *m->reaction);
    bool ok = m->reaction || rd_fail(e, "there is no memory for the laws");
    for (int i = 0; ok && i < n->n_reactions; i++) {
        const struct rd_sparse *const net = &n->reaction[i].net;
        struct rd_reaction *const x = &m->reaction[m->n_reactions++];
        const int64_t content = net->n > 0 ? rd_sparse_content(net) : 1;
        x->product = malloc(((size_t)net->n + 1) * sizeof *x->product);
        x->reactant = malloc(((size_t)net->n + 1) * sizeof *x->reactant);
        if (!x->product || !x->reactant)
            ok = rd_fail(e, "there is no memory for the laws");
        else if (!take_terms(net, content, 1, x->product, &x->n_products) ||
                 !take_terms(net, content, -1, x->reactant, &x->n_reactants))
            ok = rd_fail(e, "%s: coefficients differ too much for the laws; use fewer digits",
                         n->reaction[i].name);
    }
    return ok;
}

static void free_model(struct rd_model *m)
{
    for (int i = 0; i < m->n_reactions; i++) {
        free(m->reaction[i].product);
        free(m->reaction[i].reactant);
    }
    free(m->reaction);
}

/* Returns whether a law has an external species, which nothing balances. */
static bool is_outside(const struct rd_weighted_sum *law, const struct rd_network *n)
{
    for (int i = 0; i < law->n; i++)
        if (n->is_external[law->term[i].species])
            return true;
    return false;
}

bool rd_laws_find(struct rd_laws *l, const struct rd_network *n, struct rd_error *e)
{
    struct rd_model m = {0};
    struct rd_conserved c = {0};
    bool ok =
        take_model(&m, n, e) && rd_conservation_find(&c, &m, e) && open_laws(l, n, c.law.n, e);
    l->n = 0;
    for (int i = 0; ok && i < c.law.n; i++) {
        const struct rd_weighted_sum *const law = &c.law.of[i];
        if (is_outside(law, n))
            continue;
        for (int k = 0; k < law->n; k++)
            l->weight[l->n * l->n_species + law->term[k].species] = law->term[k].number;
        ok = settle(l, l->n++, n, e);
    }
    l->is_whole = c.is_whole;
    rd_conservation_free(&c);
    free_model(&m);
    return ok;
}

/* Makes the transposed network: a one-way reaction for each internal species, a species for each
   reaction. Names are borrowed. */
static bool transpose(struct rd_network *t, const struct rd_network *n, int *species)
{
    int *const count = calloc((size_t)n->n_species + 1, sizeof *count);
    *t = (struct rd_network){.n_species = n->n_reactions};
    t->reaction = calloc((size_t)n->n_species + 1, sizeof *t->reaction);
    t->is_external = calloc((size_t)n->n_reactions + 1, sizeof *t->is_external);
    bool ok = count && t->reaction && t->is_external;
    for (int j = 0; ok && j < n->n_reactions; j++)
        for (int k = 0; k < n->reaction[j].net.n; k++)
            count[n->reaction[j].net.entry[k].at]++;
    for (int i = 0; ok && i < n->n_species; i++) {
        if (n->is_external[i])
            continue;
        species[t->n_reactions] = i;
        struct rd_sparse *const net = &t->reaction[t->n_reactions++].net;
        net->entry = malloc(((size_t)count[i] + 1) * sizeof *net->entry);
        ok = net->entry != NULL;
        count[i] = t->n_reactions - 1;
    }
    for (int j = 0; ok && j < n->n_reactions; j++)
        for (int k = 0; k < n->reaction[j].net.n; k++) {
            const struct rd_entry *const x = &n->reaction[j].net.entry[k];
            struct rd_sparse *const net = &t->reaction[count[x->at]].net;
            net->entry[net->n++] = (struct rd_entry){j, x->value};
        }
    free(count);
    return ok;
}

bool rd_laws_semiflows(struct rd_laws *l, const struct rd_network *n,
                       const struct rd_engine_options *o, struct rd_error *e)
{
    struct rd_network t = {0};
    struct rd_pathways p = {0};
    int *const species = malloc(((size_t)n->n_species + 1) * sizeof *species);
    int64_t *const flux = malloc(((size_t)n->n_species + 1) * sizeof *flux);
    bool ok = (species && flux && transpose(&t, n, species)) ||
              rd_fail(e, "there is no memory for the laws");
    ok = ok && rd_pathways_find(&p, &t, o, e) && open_laws(l, n, p.modes.n, e);
    for (int64_t i = 0; ok && i < p.modes.n; i++) {
        ok = rd_pathways_flux(&p, i, flux, e);
        for (int k = 0; ok && k < t.n_reactions; k++)
            l->weight[i * l->n_species + species[k]] = flux[k];
        ok = ok && settle(l, i, n, e);
    }
    l->is_whole = !p.is_partial;
    rd_pathways_free(&p);
    rd_network_free(&t);
    free(species);
    free(flux);
    return ok;
}

void rd_laws_print(const struct rd_laws *l, int64_t law, const struct rd_network *n, FILE *out)
{
    bool is_first = true;
    for (int i = 0; i < l->n_species; i++) {
        const int64_t weight = l->weight[law * l->n_species + i];
        if (weight == 0)
            continue;
        fputs(is_first ? (weight < 0 ? "-" : "") : weight < 0 ? " - " : " + ", out);
        is_first = false;
        if (weight != 1 && weight != -1)
            fprintf(out, "%lld ", llabs(weight));
        fputs(n->species[i], out);
    }
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

void rd_laws_free(struct rd_laws *l)
{
    free(l->weight);
    *l = (struct rd_laws){0};
}
