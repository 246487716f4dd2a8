/* test_structure - semiflows, siphons and complexes of networks: random networks compared with
   other searches, and some with answers from textbooks. */
#define _POSIX_C_SOURCE 200809L
#include "kernels/core/draw.h"
#include "modes/complexes.h"
#include "modes/laws.h"
#include "modes/pathways.h"
#include "modes/siphons.h"
#include "probability.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SPECIES = 7, REACTIONS = 6 };

static struct rd_network parse(const char *text)
{
    struct rd_network n;
    struct rd_error e = {0};
    if (!rd_network_parse(&n, "test.net", text, NULL, &e))
        fail_msg("%s\n%s", e.text, text);
    return n;
}

/* Draws a network that declares each species in order; the caller frees the text. */
static char *draw_text(struct rd_stream *s, int n_reactions)
{
    char *text = NULL;
    size_t length = 0;
    FILE *const out = open_memstream(&text, &length);
    fputs("all : ", out);
    for (int i = 0; i < SPECIES; i++)
        fprintf(out, "%sS%d", i ? " + " : "", i);
    fputs(" => ", out);
    for (int i = 0; i < SPECIES; i++)
        fprintf(out, "%sS%d", i ? " + " : "", i);
    for (int r = 0; r < n_reactions; r++) {
        fprintf(out, "\nr%d : ", r);
        for (int side = 0; side < 2; side++) {
            bool is_first = true;
            for (int i = 0; i < SPECIES; i++) {
                if (rd_below(s, 4) != 0)
                    continue;
                fprintf(out, "%s%d S%d", is_first ? "" : " + ", (int)rd_below(s, 3) + 1, i);
                is_first = false;
            }
            fputs(side ? "" : rd_below(s, 4) ? " => " : " <=> ", out);
        }
    }
    fputc('\n', out);
    fclose(out);
    return text;
}

/* Writes one side of a species of the transposed network. */
static void write_changes(FILE *out, const struct rd_network *n, int species, int sign)
{
    bool is_first = true;
    for (int r = 0; r < n->n_reactions; r++) {
        const int64_t number = sign * rd_sparse_at(&n->reaction[r].net, species);
        if (number <= 0)
            continue;
        fprintf(out, "%s%lld R%d", is_first ? "" : " + ", (long long)number, r);
        is_first = false;
    }
}

/* Returns the network in which species run and reactions are balanced. */
static struct rd_network transpose(const struct rd_network *n)
{
    char *text = NULL;
    size_t length = 0;
    FILE *const out = open_memstream(&text, &length);
    for (int i = 0; i < n->n_species; i++) {
        fprintf(out, "S%d : ", i);
        write_changes(out, n, i, -1);
        fputs(" => ", out);
        write_changes(out, n, i, 1);
        fputc('\n', out);
    }
    fclose(out);
    const struct rd_network t = parse(text);
    free(text);
    return t;
}

static bool has_weights(const struct rd_sparse *law, const int64_t *weight)
{
    bool is_same = true;
    for (int i = 0; i < SPECIES; i++)
        is_same = is_same && rd_sparse_at(law, i) == weight[i];
    return is_same;
}

/* Checks that the reference algorithm finds the same conservation laws without negative weights as
   modes of the transposed network. */
static void semiflows_are_modes_of_the_transposed_network(void **state)
{
    (void)state;
    struct rd_error e = {0};
    int64_t n_laws = 0;
    for (int i = 0; i < 300; i++) {
        struct rd_stream s = stream_of("semiflows_are_rays", i);
        char *const text = draw_text(&s, 1 + i % 4);
        struct rd_network n = parse(text), t = transpose(&n);
        struct rd_pathways p;
        struct rd_laws l;
        int64_t weight[SPECIES];
        const struct rd_engine_options o = {.n_threads = 1};
        assert_true(rd_pathways_find_plain(&p, &t, NULL, &e));
        assert_true(rd_laws_semiflows(&l, &n, &o, &e) && l.n_missing == 0);
        assert_int_equal(l.law.n, p.modes.support.n);
        for (int k = 0; k < l.law.n; k++) {
            bool is_found = false;
            assert_true(rd_elementary_value(&p.modes, k, weight, &e));
            for (int law = 0; law < l.law.n && !is_found; law++)
                is_found = has_weights(&l.law.of[law], weight);
            if (!is_found)
                fail_msg("mode %d of the transposed network is no semiflow of\n%s", k, text);
        }
        n_laws += l.law.n;
        rd_laws_free(&l);
        rd_pathways_free(&p);
        rd_network_free(&t);
        rd_network_free(&n);
        free(text);
    }
    assert_true(n_laws > 500);
}

static bool has_one(const struct rd_sparse *side, unsigned set)
{
    for (int i = 0; i < side->n; i++)
        if (set >> side->entry[i].at & 1)
            return true;
    return false;
}

/* Returns whether each reaction that makes a species of the set also consumes one of the set. */
static bool is_siphon(const struct rd_network *n, unsigned set)
{
    for (int r = 0; r < n->n_reactions; r++) {
        const struct rd_conversion *const x = &n->reaction[r];
        if ((has_one(&x->right, set) && !has_one(&x->left, set)) ||
            (x->is_reversible && has_one(&x->left, set) && !has_one(&x->right, set)))
            return false;
    }
    return set != 0;
}

static void all_minimal_siphons_are_found(void **state)
{
    (void)state;
    struct rd_error e = {0};
    int n_siphons = 0;
    for (int i = 0; i < 500; i++) {
        struct rd_stream s = stream_of("all_minimal_siphons_are_found", i);
        char *const text = draw_text(&s, 1 + i % REACTIONS);
        struct rd_network n = parse(text);
        struct rd_siphons f;
        int expected = 0;
        assert_true(rd_siphons_find(&f, &n, &e) && f.is_whole);
        for (unsigned set = 1; set < 1u << SPECIES; set++) {
            bool is_minimal = is_siphon(&n, set), is_found = false;
            for (unsigned part = (set - 1) & set; part && is_minimal; part = (part - 1) & set)
                is_minimal = !is_siphon(&n, part);
            for (int k = 0; k < f.n && is_minimal && !is_found; k++) {
                unsigned found = 0;
                for (int64_t c = f.begin[k]; c < f.begin[k + 1]; c++)
                    found |= 1u << f.member[c];
                is_found = found == set;
            }
            if (is_minimal && !is_found)
                fail_msg("siphon %x is missing of\n%s", set, text);
            expected += is_minimal;
        }
        if (f.n != expected)
            fail_msg("%d siphons and %d minimal ones of\n%s", f.n, expected, text);
        n_siphons += f.n;
        rd_siphons_free(&f);
        rd_network_free(&n);
        free(text);
    }
    assert_true(n_siphons > 1000);
}

/* Returns how many of the species marked in set remain in the largest siphon within them; the
   others are unmarked. */
static int largest_siphon(const struct rd_network *n, bool *set)
{
    int left = 0;
    for (bool is_changed = true; is_changed;) {
        is_changed = false;
        for (int r = 0; r < n->n_reactions; r++) {
            const struct rd_sparse *const from = &n->reaction[r].left, *to = &n->reaction[r].right;
            bool consumes = false;
            for (int i = 0; i < from->n; i++)
                consumes = consumes || set[from->entry[i].at];
            for (int i = 0; i < to->n && !consumes; i++) {
                is_changed = is_changed || set[to->entry[i].at];
                set[to->entry[i].at] = false;
            }
        }
    }
    for (int i = 0; i < n->n_species; i++)
        left += set[i];
    return left;
}

/* Returns the text of a network of n species in which two make two others; the caller frees it. */
static char *draw_dense(struct rd_stream *s, int n_species, int n_reactions)
{
    char *text = NULL;
    size_t length = 0;
    FILE *const out = open_memstream(&text, &length);
    for (int r = 0; r < n_reactions; r++) {
        int at[4];
        for (int i = 0; i < 4; i++)
            at[i] = (int)rd_below(s, (uint32_t)n_species);
        fprintf(out, "r%d : S%d + S%d => S%d + S%d\n", r, at[0], at[1], at[2], at[3]);
    }
    fclose(out);
    return text;
}

/* Checks that siphons are minimal and in the order of their sizes, also if the search is cut. */
static void siphons_of_large_networks_are_minimal(void **state)
{
    (void)state;
    static const struct {
        int n_species, n_reactions;
        bool is_whole;
    } size[] = {{20, 60, true}, {45, 120, false}, {100, 300, false}};
    for (int k = 0; k < 3; k++) {
        struct rd_error e = {0};
        struct rd_stream s = stream_of("siphons_of_large_networks_are_minimal", k);
        char *const text = draw_dense(&s, size[k].n_species, size[k].n_reactions);
        struct rd_network n = parse(text);
        struct rd_siphons f;
        bool set[100];
        assert_true(rd_siphons_find(&f, &n, &e));
        assert_true(f.n > 5 && f.is_whole == size[k].is_whole && f.least > 10);
        for (int64_t c = 1; c < f.begin[1]; c++)
            assert_true(f.member[c] > f.member[c - 1]);
        for (int i = 0; i < f.n; i++)
            for (int64_t out = f.begin[i] - 1; out < f.begin[i + 1]; out++) {
                memset(set, 0, sizeof set);
                for (int64_t c = f.begin[i]; c < f.begin[i + 1]; c++)
                    set[f.member[c]] = c != out;
                const int64_t left = largest_siphon(&n, set), length = f.begin[i + 1] - f.begin[i];
                assert_int_equal(left, out < f.begin[i] ? length : 0);
                assert_true(f.is_whole || i + 1 == f.n || length < f.least ||
                            f.begin[i + 2] - f.begin[i + 1] >= f.least);
            }
        rd_siphons_free(&f);
        rd_network_free(&n);
        free(text);
    }
}

/* Checks that the linear programs find the reactions of all modes, and no others. */
static void feasible_reactions_are_those_of_modes(void **state)
{
    (void)state;
    struct rd_error e = {0};
    int64_t n_used = 0, n_idle = 0, n_hidden = 0, n_open = 0;
    for (int i = 0; i < 1000; i++) {
        struct rd_stream s = stream_of("feasible_reactions_are_those_of_modes", i);
        char *const text = draw_text(&s, 4 + i % 14);
        struct rd_network n = parse(text);
        struct rd_pathways p;
        enum rd_feasible found[32];
        const struct rd_engine_options o = {.n_threads = 1};
        assert_true(rd_pathways_find(&p, &n, &o, &e));
        assert_true(rd_elementary_feasible(&p.modes, found, INT64_MAX, &e));
        for (int r = 0; r < n.n_reactions; r++) {
            bool is_used = false;
            for (int64_t k = 0; k < p.modes.support.n; k++)
                is_used = is_used || rd_supports_has(&p.modes.support, k, r);
            if (found[r] != (is_used ? RD_FEASIBLE_YES : RD_FEASIBLE_NO))
                fail_msg("reaction %d is %s mode, but was decided as %d, in\n%s", r,
                         is_used ? "in a" : "in no", (int)found[r], text);
            n_used += is_used;
            n_idle += !is_used;
            n_hidden += !is_used && p.modes.core.block[r].reason == RD_BLOCK_NOT;
        }
        enum rd_feasible without_steps[32];
        assert_true(rd_elementary_feasible(&p.modes, without_steps, 0, &e));
        for (int r = 0; r < n.n_reactions; r++) {
            n_open += without_steps[r] == RD_FEASIBLE_OPEN;
            if (without_steps[r] != RD_FEASIBLE_OPEN)
                assert_int_equal(without_steps[r], found[r]);
        }
        rd_pathways_free(&p);
        rd_network_free(&n);
        free(text);
    }
    assert_true(n_used > 1000 && n_idle > 1000 && n_hidden > 100 && n_open > 1000);
}

/* Checks complexes of Feinberg's examples and of networks with one species. */
static void complexes_are_counted(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int n, n_linkage;
        bool is_weakly_reversible;
    } known[] = {
        {"a : A <=> 2 B\nb : A + C <=> D\nc : D => B + E\nd : B + E => A + C\n", 5, 2, true},
        {"a : A <=> 2 B\nb : A + C <=> D\nc : D => B + E\n", 5, 2, false},
        {"a : => A\nb : A =>\n", 2, 1, true},
        {"a : => A\nb : 2 A =>\n", 3, 1, false},
        {"# external: X Y\na : X => A\nb : X + A => 2 Y\n", 2, 1, true},
        {"# external: X Z\na : A + X + B => Z + C\nb : C => A + B + Z\nc : A + 2 B => X\n", 4, 2,
         false},
        {"a : A => B\nb : B => C\nc : C => A\n", 3, 1, true},
        {"a : A => 2 A\nb : 2 A => A\nc : A + B => 2 B\nd : B =>\n", 6, 3, false},
    };
    struct rd_error e = {0};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        struct rd_network n = parse(known[i].text);
        struct rd_complexes c;
        assert_true(rd_complexes_count(&c, &n, &e));
        assert_int_equal(c.n, known[i].n);
        assert_int_equal(c.n_linkage, known[i].n_linkage);
        assert_true(c.is_weakly_reversible == known[i].is_weakly_reversible);
        rd_network_free(&n);
    }
}

/* Returns whether two sides of a network without external species are the same complex. */
static bool is_same_side(const struct rd_sparse *a, const struct rd_sparse *b)
{
    bool is = a->n == b->n;
    for (int i = 0; is && i < a->n; i++)
        is = a->entry[i].at == b->entry[i].at && a->entry[i].value == b->entry[i].value;
    return is;
}

static const struct rd_sparse *side_at(const struct rd_network *n, int side)
{
    return side % 2 ? &n->reaction[side / 2].right : &n->reaction[side / 2].left;
}

enum { SIDES = 2 * (REACTIONS + 1) };

/* Sets leads[a][b] to whether arrows lead from side a to side b of the reactions, in any number of
   steps; both_ways: along arrows or against them. */
static void find_ways(const struct rd_network *n, bool leads[SIDES][SIDES], bool both_ways)
{
    const int n_sides = 2 * n->n_reactions;
    for (int a = 0; a < n_sides; a++)
        for (int b = 0; b < n_sides; b++)
            leads[a][b] =
                is_same_side(side_at(n, a), side_at(n, b)) ||
                (a / 2 == b / 2 && (a % 2 == 0 || both_ways || n->reaction[a / 2].is_reversible));
    for (int via = 0; via < n_sides; via++)
        for (int a = 0; a < n_sides; a++)
            for (int b = 0; b < n_sides; b++)
                leads[a][b] = leads[a][b] || (leads[a][via] && leads[via][b]);
}

/* Counts complexes and their linkage by all ways between two sides. */
static struct rd_complexes count_by_ways(const struct rd_network *n)
{
    struct rd_complexes c = {.is_weakly_reversible = true};
    bool leads[SIDES][SIDES], is_linked[SIDES][SIDES];
    find_ways(n, leads, false);
    find_ways(n, is_linked, true);
    for (int a = 0; a < 2 * n->n_reactions; a++) {
        bool is_first = true, is_first_linked = true;
        for (int b = 0; b < 2 * n->n_reactions; b++) {
            is_first = is_first && (b >= a || !is_same_side(side_at(n, a), side_at(n, b)));
            is_first_linked = is_first_linked && (b >= a || !is_linked[a][b]);
            c.is_weakly_reversible = c.is_weakly_reversible && leads[a][b] == is_linked[a][b];
        }
        c.n += is_first;
        c.n_linkage += is_first_linked;
    }
    return c;
}

static void complexes_agree_with_all_ways(void **state)
{
    (void)state;
    int n_weakly = 0, n_several = 0;
    for (int i = 0; i < 500; i++) {
        struct rd_error e = {0};
        struct rd_stream s = stream_of("complexes_agree_with_all_ways", i);
        char *text = NULL;
        size_t length = 0;
        FILE *const out = open_memstream(&text, &length);
        for (int r = 0; r < 1 + i % REACTIONS; r++)
            fprintf(out, "r%d : S%d%s %s S%d\n", r, (int)rd_below(&s, 4),
                    rd_below(&s, 4) ? "" : " + S1", rd_below(&s, 3) ? "=>" : "<=>",
                    (int)rd_below(&s, 4));
        fclose(out);
        struct rd_network n = parse(text);
        const struct rd_complexes expected = count_by_ways(&n);
        struct rd_complexes c;
        assert_true(rd_complexes_count(&c, &n, &e));
        if (c.n != expected.n || c.n_linkage != expected.n_linkage ||
            c.is_weakly_reversible != expected.is_weakly_reversible)
            fail_msg("%d complexes in %d classes instead of %d in %d, in\n%s", c.n, c.n_linkage,
                     expected.n, expected.n_linkage, text);
        n_weakly += c.is_weakly_reversible;
        n_several += c.n_linkage > 1;
        rd_network_free(&n);
        free(text);
    }
    assert_true(n_weakly > 20 && n_several > 50);
}

/* Returns a chain of so many reversible reactions. */
static struct rd_network long_chain(int n_reactions)
{
    char *text = NULL;
    size_t length = 0;
    FILE *const out = open_memstream(&text, &length);
    for (int i = 0; i < n_reactions; i++)
        fprintf(out, ": S%d <=> S%d\n", i, i + 1);
    fclose(out);
    const struct rd_network n = parse(text);
    free(text);
    return n;
}

/* Checks that the time grows in proportion to a network. */
static void complexes_of_a_long_chain(void **state)
{
    (void)state;
    enum { LENGTH = 20000 };
    struct rd_error e = {0};
    struct rd_network n = long_chain(LENGTH);
    struct rd_complexes c;
    const clock_t begin = clock();
    assert_true(rd_complexes_count(&c, &n, &e));
    assert_true(c.n == LENGTH + 1 && c.n_linkage == 1 && c.is_weakly_reversible);
    assert_true((double)(clock() - begin) / CLOCKS_PER_SEC < 2);
    rd_network_free(&n);
}

/* Checks that a siphon is found at once if all of it follows from one species. */
static void siphon_of_a_long_chain(void **state)
{
    (void)state;
    enum { LENGTH = 8000 };
    struct rd_error e = {0};
    struct rd_network n = long_chain(LENGTH);
    struct rd_siphons f;
    assert_true(rd_siphons_find(&f, &n, &e));
    assert_true(f.n == 1 && f.is_whole && f.begin[1] == LENGTH + 1);
    rd_siphons_free(&f);
    rd_network_free(&n);
}

int test_structure(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(semiflows_are_modes_of_the_transposed_network),
        cmocka_unit_test(all_minimal_siphons_are_found),
        cmocka_unit_test(siphons_of_large_networks_are_minimal),
        cmocka_unit_test(feasible_reactions_are_those_of_modes),
        cmocka_unit_test(complexes_are_counted),
        cmocka_unit_test(complexes_agree_with_all_ways),
        cmocka_unit_test(complexes_of_a_long_chain),
        cmocka_unit_test(siphon_of_a_long_chain)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
