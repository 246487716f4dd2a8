/* test_modes - elementary flux modes of random networks, compared with a search through all sets of
   reactions, and of networks with a known number of modes. */
#define _POSIX_C_SOURCE 200809L
#include "kernels/core/draw.h"
#include "modes/pathways.h"
#include "probability.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REACTIONS = 10, SPECIES = 7, NETWORKS = 1000 };

/* Describes a network as numbers: change[reaction][species] in units of 1 / divisor[species]. */
struct random_network {
    int n_reactions, n_species;
    int64_t change[REACTIONS][SPECIES];
    bool is_reversible[REACTIONS];
};

static int below(struct rd_stream *s, int most)
{
    return (int)rd_below(s, (uint32_t)most);
}

/* Draws a network; some reactions are multiples of an earlier one, its reverse, or empty. */
static struct random_network draw_network(struct rd_stream *s)
{
    struct random_network k = {.n_reactions = 2 + below(s, REACTIONS - 1),
                               .n_species = 1 + below(s, SPECIES)};
    for (int r = 0; r < k.n_reactions; r++) {
        const int kind = below(s, 12), other = r > 0 ? below(s, r) : 0;
        k.is_reversible[r] = below(s, 4) == 0;
        for (int i = 0; i < k.n_species; i++) {
            const int number = below(s, 5) - 2;
            k.change[r][i] = below(s, 2) ? number : 0;
            if (kind < 2 && r > 0)
                k.change[r][i] = k.change[other][i] * (kind == 0 ? 3 : -1);
            else if (kind == 2)
                k.change[r][i] = 0;
        }
    }
    return k;
}

/* Writes one side of a reaction, with the species in ORDER and coefficients as words in SCALED, or
   as numbers if SCALED is NULL. */
static void write_side(FILE *out, const struct random_network *k, int r, int sign, const int *order,
                       const char *const *scaled)
{
    bool is_first = true;
    for (int i = 0; i < k->n_species; i++) {
        const int64_t number = sign * k->change[r][order[i]];
        if (number <= 0)
            continue;
        fputs(is_first ? "" : " + ", out);
        if (scaled)
            fprintf(out, "%s S%d", scaled[number], order[i]);
        else
            fprintf(out, "%lld S%d", (long long)number, order[i]);
        is_first = false;
    }
}

/* Returns the .net text of a random_network with its reactions in the given order; the caller frees
 * it. */
static char *text_of(const struct random_network *k, const int *reactions, const int *species,
                     const char *const *scaled)
{
    char *text = NULL;
    size_t length = 0;
    FILE *const out = open_memstream(&text, &length);
    for (int i = 0; i < k->n_reactions; i++) {
        const int r = reactions[i];
        fprintf(out, "R%d : ", r);
        write_side(out, k, r, -1, species, scaled);
        fputs(k->is_reversible[r] ? " <=> " : " => ", out);
        write_side(out, k, r, 1, species, scaled);
        fputc('\n', out);
    }
    fclose(out);
    return text;
}

static const char *const scaled_numbers[] = {"0", "3.8e-6", "7.6e-6", "0.0000114"};
static const int in_order[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};

/* Finds the only solution of the columns of a set, as integers. Returns false if there is not
   exactly one solution or if it has a zero. It is Gaussian elimination without fractions. */
static bool solve(const struct random_network *k, unsigned set, int64_t *flux)
{
    int column[REACTIONS], n = 0, pivot[SPECIES], rank = 0;
    int64_t m[SPECIES][REACTIONS];
    for (int r = 0; r < k->n_reactions; r++)
        if (set >> r & 1)
            column[n++] = r;
    for (int i = 0; i < k->n_species; i++)
        for (int c = 0; c < n; c++)
            m[i][c] = k->change[column[c]][i];
    for (int c = 0; c < n && rank < k->n_species; c++) {
        int best = rank;
        while (best < k->n_species && m[best][c] == 0)
            best++;
        if (best == k->n_species)
            continue;
        for (int j = 0; j < n; j++) {
            const int64_t value = m[best][j];
            m[best][j] = m[rank][j];
            m[rank][j] = value;
        }
        for (int i = 0; i < k->n_species; i++) {
            const int64_t factor = m[i][c], times = m[rank][c];
            int64_t common = 0;
            for (int j = 0; j < n && i != rank; j++) {
                m[i][j] = m[i][j] * times - m[rank][j] * factor;
                common = rd_sparse_gcd(common, m[i][j]);
            }
            for (int j = 0; j < n && common > 1; j++)
                m[i][j] /= common;
        }
        pivot[rank++] = c;
    }
    if (rank != n - 1)
        return false;
    int one = 0;
    while (one < rank && pivot[one] == one)
        one++;
    int64_t least = 1;
    for (int i = 0; i < rank; i++)
        least *= llabs(m[i][pivot[i]]) / rd_sparse_gcd(least, m[i][pivot[i]]);
    memset(flux, 0, REACTIONS * sizeof *flux);
    flux[column[one]] = least;
    for (int i = 0; i < rank; i++)
        flux[column[pivot[i]]] = -m[i][one] * (least / m[i][pivot[i]]);
    for (int c = 0; c < n; c++)
        if (flux[column[c]] == 0)
            return false;
    return true;
}

/* Divides a flux by the greatest common divisor and orients it so that it can run. Returns false if
   it cannot run in either direction. */
static bool normalise(const struct random_network *k, int64_t *flux)
{
    bool can_forward = true, can_backward = true;
    int64_t common = 0, sign = 0;
    for (int r = 0; r < k->n_reactions; r++) {
        common = rd_sparse_gcd(common, flux[r]);
        sign = sign == 0 ? (flux[r] > 0) - (flux[r] < 0) : sign;
        can_forward = can_forward && (k->is_reversible[r] || flux[r] >= 0);
        can_backward = can_backward && (k->is_reversible[r] || flux[r] <= 0);
    }
    const int64_t divisor = can_forward && can_backward ? sign * common
                            : can_forward               ? common
                                                        : -common;
    for (int r = 0; r < k->n_reactions; r++)
        flux[r] /= divisor;
    return can_forward || can_backward;
}

static struct rd_network parse(const char *text)
{
    struct rd_network n;
    struct rd_error e = {0};
    if (!rd_network_parse(&n, "random.net", text, NULL, &e))
        fail_msg("%s\n%s", e.text, text);
    return n;
}

static struct rd_pathways find(const struct rd_network *n, const struct rd_engine_options *o)
{
    struct rd_pathways p;
    struct rd_error e = {0};
    if (!rd_pathways_find(&p, n, o, &e))
        fail_msg("%s", e.text);
    return p;
}

/* Fails unless the modes are those of a search through all sets, with the same coefficients. */
static void compare(const struct random_network *k, const struct rd_pathways *p, const char *text,
                    const char *how)
{
    struct rd_error e = {0};
    int64_t n_modes = 0, expected[REACTIONS], flux[REACTIONS];
    for (unsigned set = 1; set < 1u << k->n_reactions; set++) {
        if (!solve(k, set, expected) || !normalise(k, expected))
            continue;
        n_modes++;
        bool is_found = false;
        for (int64_t i = 0; i < p->modes.support.n && !is_found; i++) {
            is_found = rd_elementary_value(&p->modes, i, flux, &e);
            for (int r = 0; r < k->n_reactions && is_found; r++)
                is_found = flux[rd_network_find(p->network, (char[]){'R', (char)('0' + r), 0})] ==
                           expected[r];
        }
        if (!is_found)
            fail_msg("%s: the mode of set %x is missing%s%s\n%s", how, set, e.n ? ": " : "",
                     e.n ? e.text : "", text);
    }
    if (n_modes != p->modes.support.n)
        fail_msg("%s: %lld modes, and %lld by trying all sets\n%s", how,
                 (long long)p->modes.support.n, (long long)n_modes, text);
}

static void compare_one(const struct random_network *k, const char *text, bool is_plain,
                        const char *how)
{
    struct rd_error e = {0};
    struct rd_network n = parse(text);
    struct rd_pathways p;
    const struct rd_engine_options o = {.n_threads = 1};
    if (is_plain && !rd_pathways_find_plain(&p, &n, NULL, &e))
        fail_msg("%s", e.text);
    if (!is_plain)
        p = find(&n, &o);
    compare(k, &p, text, how);
    rd_pathways_free(&p);
    rd_network_free(&n);
}

static void shuffle(struct rd_stream *s, int *order, int n)
{
    memcpy(order, in_order, (size_t)n * sizeof *order);
    for (int i = n - 1; i > 0; i--) {
        const int k = below(s, i + 1), was = order[i];
        order[i] = order[k];
        order[k] = was;
    }
}

static void random_networks_have_all_modes(void **state)
{
    (void)state;
    for (int i = 0; i < NETWORKS; i++) {
        struct rd_stream s = stream_of("random_networks_have_all_modes", i);
        const struct random_network k = draw_network(&s);
        char *const text = text_of(&k, in_order, in_order, NULL);
        compare_one(&k, text, false, "fast");
        compare_one(&k, text, true, "plain");
        free(text);
    }
}

/* Checks that the order of reactions and species and the units of species do not change the
   modes. */
static void order_and_units_change_nothing(void **state)
{
    (void)state;
    for (int i = 0; i < NETWORKS / 4; i++) {
        struct rd_stream s = stream_of("order_and_units_change_nothing", i);
        struct random_network k = draw_network(&s);
        int reactions[REACTIONS], species[SPECIES];
        bool is_small = true;
        for (int r = 0; r < k.n_reactions; r++)
            for (int c = 0; c < k.n_species; c++)
                is_small = is_small && llabs(k.change[r][c]) < 4;
        shuffle(&s, reactions, k.n_reactions);
        shuffle(&s, species, k.n_species);
        if (!is_small)
            continue;
        /* If all reactions are reversible, the orientation of a mode depends on the order. */
        for (int r = 0; r < k.n_reactions; r++)
            k.is_reversible[r] = false;
        char *const text = text_of(&k, reactions, species, scaled_numbers);
        compare_one(&k, text, false, "shuffled");
        free(text);
    }
}

/* Returns a network of one species with N_SOURCES sources and N_DRAINS drains, which compression
   cannot simplify. */
static char *star(int n_sources, int n_drains)
{
    char *text = NULL;
    size_t length = 0;
    FILE *const out = open_memstream(&text, &length);
    for (int i = 0; i < n_sources; i++)
        fprintf(out, "in%d : => %d H\n", i, i % 3 + 1);
    for (int i = 0; i < n_drains; i++)
        fprintf(out, "out%d : %d H =>\n", i, i % 5 + 1);
    fclose(out);
    return text;
}

static void sets_of_many_words(void **state)
{
    (void)state;
    static const int sizes[][2] = {{32, 32}, {32, 33}, {64, 65}, {300, 300}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        char *const text = star(sizes[i][0], sizes[i][1]);
        struct rd_network n = parse(text);
        const struct rd_engine_options o = {.n_threads = 2};
        struct rd_pathways p = find(&n, &o);
        assert_int_equal(p.modes.support.n, sizes[i][0] * sizes[i][1]);
        rd_pathways_free(&p);
        rd_network_free(&n);
        free(text);
    }
}

/* Two layers of large and coprime coefficients. */
static const char large[] =
    "a : => 3804597 A\nb : => 0.000001 A\nc : 7919 A => 104729 B\nd : 1.5 A => 0.3 B\n"
    "e : 65537 B =>\nf : 7 B => C\ng : 13 C =>\nh : C => 3 A\n";

static void overflow_is_repeated_in_128_bits(void **state)
{
    (void)state;
    struct rd_error e = {0};
    struct rd_network n = parse(large);
    const struct rd_engine_options wide = {.n_threads = 1, .narrow_limit = 1 << 15}, narrow = {0};
    struct rd_pathways p = find(&n, &wide), q = find(&n, &narrow);
    int64_t flux[8];
    assert_true(p.modes.is_wide && !q.modes.is_wide);
    assert_true(p.modes.support.n > 4 && p.modes.support.n == q.modes.support.n);
    assert_true(rd_supports_hash(&p.modes.support) == rd_supports_hash(&q.modes.support));
    for (int64_t i = 0; i < p.modes.support.n; i++)
        if (!rd_elementary_value(&p.modes, i, flux, &e))
            fail_msg("%s", e.text);
    rd_pathways_free(&p);
    rd_pathways_free(&q);
    rd_network_free(&n);
}

/* Reads a network of tests/networks. Skips the test if RDSIM_SOURCE does not give the directory. */
static struct rd_network network_of(const char *name)
{
    struct rd_network n;
    struct rd_error e = {0};
    char path[512];
    if (!getenv("RDSIM_SOURCE"))
        skip();
    snprintf(path, sizeof path, "%s/tests/networks/%s.net", getenv("RDSIM_SOURCE"), name);
    if (!rd_network_read(&n, path, NULL, NULL, &e))
        fail_msg("%s", e.text);
    return n;
}

/* Checks coefficients that are 0 modulo the first prime of the rank test, the second one, or both:
   what both reject is checked again exactly. */
static void rejections_of_both_primes_are_checked_exactly(void **state)
{
    (void)state;
    const struct rd_engine_options o = {.n_threads = 1};
    const int64_t prime[] = {2147483647, 2147483629};
    for (int i = 1; i < 4; i++) {
        const long long number = (i & 1 ? prime[0] : 1) * (i & 2 ? prime[1] : 1);
        char text[240];
        snprintf(text, sizeof text,
                 "d : 3 H =>\na : => %lld H\nb : => H\nc : %lld H =>\ne : %lld H => H\n", number,
                 number, 2 * number);
        struct rd_network n = parse(text);
        struct rd_pathways p = find(&n, &o);
        assert_int_equal(p.modes.support.n, 6);
        rd_pathways_free(&p);
        rd_network_free(&n);
    }
}

/* Checks that the modes found with too little memory are some of all modes. */
static void partial_modes_are_modes(void **state)
{
    (void)state;
    struct rd_error e = {0};
    struct rd_network n = network_of("ecoli-rev-compressed");
    const struct rd_engine_options o = {.n_threads = 1, .memory = 1 << 20}, all = {0};
    struct rd_pathways p = find(&n, &o), q = find(&n, &all);
    int64_t *const flux = malloc((size_t)n.n_reactions * sizeof *flux), n_found = 0;
    assert_true(p.modes.is_partial && p.modes.rows_needed > 0 && !q.modes.is_partial &&
                p.modes.support.n > 0);
    for (int64_t i = 0, k = 0; i < p.modes.support.n; i++) {
        assert_true(rd_elementary_value(&p.modes, i, flux, &e));
        const size_t bytes = 2 * (size_t)p.modes.support.n_words * sizeof *p.modes.support.set;
        while (k < q.modes.support.n &&
               memcmp(q.modes.support.set + 2 * k * q.modes.support.n_words,
                      p.modes.support.set + 2 * i * p.modes.support.n_words, bytes) != 0)
            k++;
        n_found += k < q.modes.support.n;
    }
    assert_int_equal(n_found, p.modes.support.n);
    free(flux);
    rd_pathways_free(&p);
    rd_pathways_free(&q);
    rd_network_free(&n);
}

/* Checks that a limit of rows, or of effort, ends the search where a table would exceed it, with
   any number of threads. */
static void limits_end_the_search(void **state)
{
    (void)state;
    struct rd_network n = network_of("ecoli-rev-compressed");
    const int64_t n_modes = 40693;
    const struct {
        struct rd_engine_options o;
        bool is_partial;
    } trial[] = {{{.n_threads = 1, .rows = n_modes}, false},
                 {{.n_threads = 1, .rows = n_modes - 1}, true},
                 {{.n_threads = 3, .rows = n_modes - 1}, true},
                 {{.n_threads = 1, .effort = INT64_MAX}, false},
                 {{.n_threads = 1, .effort = 1000000}, true}};
    int64_t n_found[5];
    for (int i = 0; i < 5; i++) {
        struct rd_pathways p = find(&n, &trial[i].o);
        n_found[i] = p.modes.support.n;
        assert_int_equal(p.modes.is_partial, trial[i].is_partial);
        rd_pathways_free(&p);
    }
    assert_int_equal(n_found[0], n_modes);
    assert_int_equal(n_found[3], n_modes);
    assert_int_equal(n_found[1], n_found[2]);
    rd_network_free(&n);
}

static void published_counts(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int64_t n;
    } known[] = {{"ecoli-irrev", 840},
                 {"ecoli-irrev-compressed", 840},
                 {"ecoli-rev-compressed", 40693},
                 {"ecoli-etoh-compressed", 33220}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        struct rd_network n = network_of(known[i].name);
        const struct rd_engine_options one = {.n_threads = 1}, three = {.n_threads = 3};
        struct rd_pathways p = find(&n, &one);
        assert_int_equal(p.modes.support.n, known[i].n);
        struct rd_pathways q = known[i].n < 1000 ? find(&n, &three) : find(&n, &one);
        assert_true(rd_supports_hash(&p.modes.support) == rd_supports_hash(&q.modes.support));
        rd_pathways_free(&p);
        rd_pathways_free(&q);
        rd_network_free(&n);
    }
}

static void plain_equals_fast(void **state)
{
    (void)state;
    static const char *const name[] = {"ecoli-irrev", "ecoli-irrev-compressed"};
    for (int i = 0; i < 2; i++) {
        struct rd_error e = {0};
        struct rd_network n = network_of(name[i]);
        const struct rd_engine_options o = {.n_threads = 1};
        struct rd_pathways p = find(&n, &o), q;
        if (!rd_pathways_find_plain(&q, &n, NULL, &e))
            fail_msg("%s", e.text);
        assert_true(p.modes.support.n == q.modes.support.n &&
                    rd_supports_hash(&p.modes.support) == rd_supports_hash(&q.modes.support));
        rd_pathways_free(&p);
        rd_pathways_free(&q);
        rd_network_free(&n);
    }
}

int test_modes(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_networks_have_all_modes),
        cmocka_unit_test(order_and_units_change_nothing),
        cmocka_unit_test(sets_of_many_words),
        cmocka_unit_test(overflow_is_repeated_in_128_bits),
        cmocka_unit_test(rejections_of_both_primes_are_checked_exactly),
        cmocka_unit_test(partial_modes_are_modes),
        cmocka_unit_test(limits_end_the_search),
        cmocka_unit_test(published_counts),
        cmocka_unit_test(plain_equals_fast),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
