/* test_conservation_laws - conservation laws of networks known from textbooks, of random networks
   compared with a search through all small weights, and of large networks. */
#define _POSIX_C_SOURCE 200809L
#include "kernels/core/draw.h"
#include "model/equation.h"
#include "plan/conservation_laws.h"
#include "plan/nullspace.h"
#include "probability.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

/* Describes a hand-written network: names separated by spaces, equations separated by
   semicolons. */
struct net {
    struct rd_model model;
    char *names, *equations;
};

static void net_make(struct net *n, const char *names, const char *equations)
{
    struct rd_error e = {0};
    char *rest;
    *n = (struct net){.names = strdup(names), .equations = strdup(equations)};
    struct rd_model *const m = &n->model;
    bool is_reversible;
    m->species = calloc(strlen(names) + 1, sizeof *m->species);
    m->species_name = calloc(strlen(names) + 1, sizeof *m->species_name);
    m->reaction = calloc(strlen(equations) + 1, sizeof *m->reaction);
    for (char *at = strtok_r(n->names, " ", &rest); at; at = strtok_r(NULL, " ", &rest)) {
        m->species_name[m->n_species] = at;
        m->species[m->n_species++].name = at;
    }
    for (char *at = strtok_r(n->equations, ";", &rest); at; at = strtok_r(NULL, ";", &rest))
        if (!rd_equation_read(&m->reaction[m->n_reactions++], at, m, "m.cfg:1", &is_reversible, &e))
            fail_msg("%s", e.text);
}

static void net_free(struct net *n)
{
    for (int i = 0; i < n->model.n_reactions; i++) {
        free(n->model.reaction[i].equation);
        free(n->model.reaction[i].reactant);
        free(n->model.reaction[i].product);
    }
    free(n->model.reaction);
    free(n->model.species);
    free(n->model.species_name);
    free(n->names);
    free(n->equations);
}

static struct rd_conserved conserved(const struct rd_model *m)
{
    struct rd_conserved c;
    struct rd_error e = {0};
    if (!rd_conservation_find(&c, m, &e))
        fail_msg("%s", e.text);
    return c;
}

static void assert_laws(const char *names, const char *equations, const char *laws)
{
    struct net n;
    char all[1024] = "";
    net_make(&n, names, equations);
    struct rd_conserved c = conserved(&n.model);
    assert_true(c.is_whole);
    for (int i = 0; i < c.law.n; i++) {
        char *const text = rd_conservation_text(&n.model, &c.law.of[i]);
        strcat(strcat(all, i ? "; " : ""), text);
        free(text);
    }
    if (strcmp(all, laws) != 0)
        fail_msg("%s: '%s' instead of '%s'", equations, all, laws);
    rd_conservation_free(&c);
    net_free(&n);
}

static void textbook_networks(void **state)
{
    (void)state;
    assert_laws("A B C", "A + B -> C", "A + C; B + C");
    assert_laws("A B", "A -> B; B -> A", "A + B");
    assert_laws("A B", "2 A -> B; B -> 2 A", "A + 2 B");
    assert_laws("A", "A + A -> 0", "");
    assert_laws("E S ES P", "E + S -> ES; ES -> E + S; ES -> E + P", "E + ES; S + ES + P");
    /* A futile cycle: two enzymes, and a substrate that is modified and restored. */
    assert_laws("E F S P ES FP",
                "E + S -> ES; ES -> E + S; ES -> E + P; F + P -> FP; FP -> F + P; "
                "FP -> F + S",
                "E + ES; F + FP; S + P + ES + FP");
    assert_laws("prey hunter", "prey -> 2 prey; prey + hunter -> 2 hunter; hunter -> 0", "");
    assert_laws("S I R", "S + I -> 2 I; I -> R", "S + I + R");
}

/* Checks coefficients other than 1, and a conserved sum that needs a negative weight. */
static void coefficients_and_signs(void **state)
{
    (void)state;
    assert_laws("A B", "A + B -> 0", "A - B");
    assert_laws("A B C", "2 A + 3 B -> C", "A + 2 C; B + 3 C");
    assert_laws("A B", "6 A -> 4 B", "2 A + 3 B");
    assert_laws("H O W", "2 H + O -> 2 W; 2 W -> 2 H + O", "H + W; 2 O + W");
    assert_laws("A B C D", "A -> 7 B; B -> 5 C; C -> 3 D", "105 A + 15 B + 3 C + D");
    assert_laws("A B C", "A + B -> 0; C -> C", "C; A - B");
    assert_laws("B A C", "A + B -> 0; C -> C", "C; B - A");
}

/* Checks that laws with small weights are chosen: three of the four rays are independent. */
static void simplest_laws_are_chosen(void **state)
{
    (void)state;
    assert_laws("A B C D", "A + B -> C + D", "A + C; A + D; B + C");
    assert_laws("A B C D", "2 A + B -> C + D", "B + C; B + D; A + 2 C");
}

static void species_without_reactions_and_with_sources(void **state)
{
    (void)state;
    assert_laws("A B", "", "A; B");
    assert_laws("A B E", "A + E -> B + E", "E; A + B");
    assert_laws("A B C", "A -> B; 0 -> A", "C");
    assert_laws("A B C", "A -> B; B -> C; C -> A; 0 -> B; B -> 0", "");
    assert_laws("A B C D", "A -> B; B -> A; C -> D", "A + B; C + D");
}

/* Checks that the order of species and reactions does not change the laws. */
static void order_does_not_matter(void **state)
{
    (void)state;
    assert_laws("C B A", "A + B -> C", "C + B; C + A");
    assert_laws("ES P E S", "ES -> E + P; ES -> E + S; E + S -> ES", "ES + E; ES + P + S");
}

/* Returns the number of independent sums; with ONLY_POSITIVE, sums with a negative weight are left
   out. */
static int rank_of(const struct rd_weighted_sums *b, int n_species, bool only_positive)
{
    struct rd_error e = {0};
    rd_echelon *const c = rd_echelon_open(n_species, 0, &e);
    int rank = 0;
    for (int i = 0; i < b->n; i++) {
        bool is_new = false, has_negative = false;
        for (int t = 0; t < b->of[i].n; t++)
            has_negative = has_negative || b->of[i].entry[t].value < 0;
        if (!only_positive || !has_negative)
            assert_true(rd_echelon_take(c, &b->of[i], &is_new, &e));
        rank += is_new;
    }
    rd_echelon_close(c);
    return rank;
}

static int32_t net_change(const struct rd_reaction *r, int32_t species)
{
    return rd_equation_number(r->product, r->n_products, species) -
           rd_equation_number(r->reactant, r->n_reactants, species);
}

static bool is_law(const struct rd_model *m, const int64_t *weight)
{
    for (int r = 0; r < m->n_reactions; r++) {
        int64_t sum = 0;
        for (int32_t s = 0; s < m->n_species; s++)
            sum += weight[s] * net_change(&m->reaction[r], s);
        if (sum != 0)
            return false;
    }
    return true;
}

enum { FEW = 4, LEAST = -3, MOST = 3 };

/* Finds all laws with weights from LEAST (or 0) to MOST. */
static void search(const struct rd_model *m, bool only_positive, struct rd_weighted_sums *found)
{
    int64_t weight[FEW];
    struct rd_error e = {0};
    const int64_t least = only_positive ? 0 : LEAST;
    for (weight[0] = least; weight[0] <= MOST; weight[0]++)
        for (weight[1] = least; weight[1] <= MOST; weight[1]++)
            for (weight[2] = least; weight[2] <= MOST; weight[2]++)
                for (weight[3] = least; weight[3] <= MOST; weight[3]++)
                    if (is_law(m, weight))
                        assert_true(rd_weighted_sums_add(found, weight, FEW, &e));
}

static void random_equation(char *text, struct rd_stream *s)
{
    for (int side = 0; side < 2; side++) {
        const int n = (int)rd_below(s, 3);
        for (int i = 0; i < n; i++)
            sprintf(text + strlen(text), "%s%d %c", i ? " + " : "", 1 + (int)rd_below(s, 2),
                    "ABCD"[rd_below(s, FEW)]);
        strcat(text, n ? "" : "0");
        strcat(text, side ? ";" : " -> ");
    }
}

/* Checks that the results are laws, that they are independent, and that they are as many as a
   search finds; the same for those without negative weights. */
static void agree_with_search(const struct rd_model *m)
{
    struct rd_conserved c = conserved(m);
    struct rd_weighted_sums any = {0}, positive = {0};
    for (int i = 0; i < c.law.n; i++) {
        int64_t weight[FEW] = {0};
        for (int t = 0; t < c.law.of[i].n; t++)
            weight[c.law.of[i].entry[t].at] = c.law.of[i].entry[t].value;
        assert_true(is_law(m, weight));
    }
    search(m, false, &any);
    search(m, true, &positive);
    assert_true(c.is_whole);
    assert_int_equal(rank_of(&c.law, FEW, false), c.law.n);
    assert_true(c.law.n >= rank_of(&any, FEW, false));
    assert_true(rank_of(&c.law, FEW, true) >= rank_of(&positive, FEW, true));
    rd_weighted_sums_free(&any);
    rd_weighted_sums_free(&positive);
    rd_conservation_free(&c);
}

static void random_networks(void **state)
{
    (void)state;
    for (int i = 0; i < 200; i++) {
        struct rd_stream s = stream_of("random_networks", i);
        char text[256] = "";
        struct net n;
        for (uint64_t r = 1 + rd_below(&s, 4); r > 0; r--)
            random_equation(text, &s);
        net_make(&n, "A B C D", text);
        agree_with_search(&n.model);
        net_free(&n);
    }
}

enum { MANY = 200 };

/* Returns the names S0 S1 ...; the caller frees them. */
static char *many_names(int n)
{
    char *const text = calloc((size_t)n, 8);
    for (int i = 0; i < n; i++)
        sprintf(text + strlen(text), "S%d ", i);
    return text;
}

/* Returns the conserved sums; fails if they take more processor time than this, whatever else the
   machine does. */
static struct rd_conserved conserved_within(const struct rd_model *m, double seconds)
{
    const clock_t begin = clock();
    struct rd_conserved c = conserved(m);
    const double used = (double)(clock() - begin) / CLOCKS_PER_SEC;
    if (used > seconds)
        fail_msg("%d species took %g s", m->n_species, used);
    return c;
}

/* Checks 50 proteins with four states each, which convert into each other; neighbours bind and
   dissociate. */
static void large_network_with_laws(void **state)
{
    (void)state;
    char *const names = many_names(MANY + MANY / 4 - 1), *const text = calloc(MANY, 128);
    char *end = text;
    struct net n;
    for (int i = 0; i < MANY; i += 4) {
        for (int k = 0; k < 4; k++)
            end += sprintf(end, "S%d -> S%d;", i + k, i + (k + 1) % 4);
        if (i > 0)
            end += sprintf(end, "S%d + S%d -> S%d;S%d -> S%d + S%d;", i, i - 4, MANY + i / 4 - 1,
                           MANY + i / 4 - 1, i + 1, i - 3);
    }
    net_make(&n, names, text);
    struct rd_conserved c = conserved_within(&n.model, 2);
    assert_true(c.is_whole);
    assert_int_equal(c.law.n, MANY / 4);
    assert_int_equal(rank_of(&c.law, n.model.n_species, true), MANY / 4);
    for (int i = 0; i < c.law.n; i++) /* each law has four states and one or two complexes */
        assert_true(c.law.of[i].n == 5 || c.law.of[i].n == 6);
    rd_conservation_free(&c);
    net_free(&n);
    free(names);
    free(text);
}

/* Checks a random network without laws; integers of elimination would grow to hundreds of
   digits. */
static void large_random_network_without_laws(void **state)
{
    (void)state;
    char *const names = many_names(MANY), *const text = calloc(3 * MANY, 64);
    char *end = text;
    struct net n;
    struct rd_stream s = stream_of("large_networks", 0);
    for (int i = 0; i < 3 * MANY; i++)
        end += sprintf(end, "%d S%d + S%d -> %d S%d + S%d;", 1 + (int)rd_below(&s, 3),
                       (int)rd_below(&s, MANY), (int)rd_below(&s, MANY), 1 + (int)rd_below(&s, 9),
                       (int)rd_below(&s, MANY), (int)rd_below(&s, MANY));
    net_make(&n, names, text);
    struct rd_conserved c = conserved_within(&n.model, 2);
    assert_true(c.is_whole);
    assert_int_equal(c.law.n, 0);
    rd_conservation_free(&c);
    net_free(&n);
    free(names);
    free(text);
}

/* Checks that a basis is returned if there are too many semiflows: this cone has 2^50 rays. */
static void too_many_semiflows_give_a_basis(void **state)
{
    (void)state;
    char *const names = many_names(2 * 50), *const text = calloc(50, 64);
    char *end = text;
    struct net n;
    for (int i = 0; i < 50; i++)
        end += sprintf(end, "S%d + S%d -> S%d + S%d;", 2 * i, 2 * i + 1, (2 * i + 2) % 100,
                       (2 * i + 3) % 100);
    net_make(&n, names, text);
    struct rd_conserved c = conserved_within(&n.model, 5);
    assert_true(c.is_whole);
    assert_int_equal(c.law.n, 100 - 49);
    assert_int_equal(rank_of(&c.law, 100, false), 100 - 49);
    rd_conservation_free(&c);
    net_free(&n);
    free(names);
    free(text);
}

/* Checks many species that no reaction changes: each is a law by itself. */
static void many_constant_species(void **state)
{
    (void)state;
    enum { CONSTANT = 30000 };
    char *const names = many_names(CONSTANT + 2);
    struct net n;
    net_make(&n, names, "S0 -> S1");
    struct rd_conserved c = conserved_within(&n.model, 2);
    assert_true(c.is_whole);
    assert_int_equal(c.law.n, CONSTANT + 1);
    for (int i = 0; i < CONSTANT; i++)
        assert_true(c.law.of[i].n == 1 && c.law.of[i].entry[0].at == i + 2);
    assert_int_equal(c.law.of[CONSTANT].n, 2);
    rd_conservation_free(&c);
    net_free(&n);
    free(names);
}

/* Checks that weights of 2^29 and more are left out and that the result is marked as incomplete.
   Small fractions with the same residue must not replace them. */
static void too_large_weights_are_left_out(void **state)
{
    (void)state;
    for (int weight = 500000000; weight < 500000010; weight++) {
        char text[128];
        struct net n;
        sprintf(text, "A -> %d B + 7 C; B -> %d C; D -> E", weight, weight);
        net_make(&n, "A B C D E", text);
        struct rd_conserved c = conserved(&n.model);
        assert_false(c.is_whole);
        assert_int_equal(c.law.n, 1);
        rd_conservation_free(&c);
        net_free(&n);
    }
}

int test_conservation_laws(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(textbook_networks),
        cmocka_unit_test(coefficients_and_signs),
        cmocka_unit_test(simplest_laws_are_chosen),
        cmocka_unit_test(species_without_reactions_and_with_sources),
        cmocka_unit_test(order_does_not_matter),
        cmocka_unit_test(random_networks),
        cmocka_unit_test(large_network_with_laws),
        cmocka_unit_test(large_random_network_without_laws),
        cmocka_unit_test(too_many_semiflows_give_a_basis),
        cmocka_unit_test(many_constant_species),
        cmocka_unit_test(too_large_weights_are_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
