/* test_pairs - adjacent pairs of a table with sets of several words: the search finds each pair
   once, and a sample of pairs predicts about how many there are. */
#include "cone/pairs.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { POSITIVE = 110, NEGATIVE = 90, ROWS = POSITIVE + NEGATIVE, WORDS = 4 };

/* Holds a table at its first step: row i has basis column i alone, and is positive or negative in
   the column that is processed. Every second positive row has two more bits, so that its pairs have
   too many. All other pairs are adjacent. */
struct pair_table {
    int basis[ROWS], basis_of[ROWS + 1], bit[ROWS + 1];
    rd_int128 value[(ROWS + 1) * ROWS], denominator[ROWS + 1];
    bool is_reversible[ROWS + 1];
    uint64_t set[ROWS * WORDS], forward[WORDS], plane[RD_PAIR_PLANES * WORDS];
    struct rd_kernel kernel;
    struct rd_rank_test rank;
    struct rd_pair_search search;
    uint32_t row[ROWS];
};

static struct pair_table *open_table(void)
{
    struct pair_table *const t = calloc(1, sizeof *t);
    assert_non_null(t);
    for (int i = 0; i <= ROWS; i++) {
        t->bit[i] = i;
        t->denominator[i] = 1;
        t->basis_of[i] = i < ROWS ? i : -1;
    }
    for (int i = 0; i < ROWS; i++) {
        t->basis[i] = i;
        t->row[i] = (uint32_t)i;
        t->value[i * ROWS + i] = 1;
        t->value[ROWS * ROWS + i] = i < POSITIVE ? 1 : -1;
        t->set[i * WORDS + i / 64] = UINT64_C(1) << (i % 64);
        if (i < POSITIVE && i % 2 == 1)
            t->set[i * WORDS + WORDS - 1] |= UINT64_C(3) << 60;
    }
    t->kernel = (struct rd_kernel){ROWS + 1, ROWS, t->basis, t->basis_of, t->value, t->denominator};
    assert_true(rd_rank_test_open(&t->rank, &t->kernel, t->bit, t->is_reversible, WORDS));
    t->rank.current = ROWS;
    t->search = (struct rd_pair_search){.rank = &t->rank,
                                        .forward = t->forward,
                                        .most = 2,
                                        .plane = t->plane,
                                        .pairs_most = INT64_MAX};
    return t;
}

static void close_table(struct pair_table *t)
{
    rd_rank_test_close(&t->rank);
    free(t);
}

/* Makes the tree of some rows. */
static struct rd_bit_tree tree_of(const struct pair_table *t, int from, int n)
{
    struct rd_bit_tree tree;
    uint32_t *const row = malloc((size_t)n * sizeof *row);
    assert_non_null(row);
    memcpy(row, t->row + from, (size_t)n * sizeof *row);
    assert_true(rd_bit_tree_make(&tree, row, n, t->set, WORDS));
    return tree;
}

static struct rd_adjacent_pairs find(struct pair_table *t, int n_threads, int64_t pairs_most)
{
    struct rd_adjacent_pairs p;
    struct rd_bit_tree tree[3] = {tree_of(t, 0, POSITIVE), tree_of(t, POSITIVE, NEGATIVE),
                                  tree_of(t, 0, ROWS)};
    t->search.positive = &tree[0];
    t->search.negative = &tree[1];
    t->search.all = &tree[2];
    t->search.n_threads = n_threads;
    t->search.pairs_most = pairs_most;
    rd_pairs_find(&p, &t->search);
    for (int i = 0; i < 3; i++)
        rd_bit_tree_free(&tree[i]);
    return p;
}

static void each_adjacent_pair_is_found_once(void **state)
{
    (void)state;
    struct pair_table *const t = open_table();
    struct rd_adjacent_pairs one = find(t, 1, INT64_MAX), three = find(t, 3, INT64_MAX);
    struct rd_adjacent_pairs few = find(t, 2, one.n - 1);
    static bool is_found[POSITIVE][NEGATIVE];
    assert_int_equal(one.n, POSITIVE / 2 * NEGATIVE);
    for (int64_t i = 0; i < one.n; i++) {
        const uint32_t a = one.pair[i].positive, b = one.pair[i].negative - POSITIVE;
        assert_true(a < POSITIVE && a % 2 == 0 && b < NEGATIVE && !is_found[a][b]);
        is_found[a][b] = true;
    }
    assert_int_equal(three.n, one.n);
    assert_memory_equal(one.pair, three.pair, (size_t)one.n * sizeof *one.pair);
    assert_true(few.is_full && !one.is_full && !three.is_full);
    rd_pairs_free(&one);
    rd_pairs_free(&three);
    rd_pairs_free(&few);
    close_table(t);
}

/* Tests that a sample of S pairs of N, of which the share q is adjacent, has the standard error N
   sqrt(q (1 - q) / S). */
static void a_sample_predicts_the_number_of_pairs(void **state)
{
    (void)state;
    struct pair_table *const t = open_table();
    for (int n = 30; n <= POSITIVE; n += 40) {
        const double n_pairs = (double)n * NEGATIVE;
        const double samples = (double)rd_pairs_samples(n, NEGATIVE);
        const double found =
            rd_pairs_estimate(&t->search, t->set, t->row, n, t->row + POSITIVE, NEGATIVE);
        assert_true(samples <= n_pairs && samples > 1000);
        assert_true(fabs(found - n_pairs / 2) < 4 * n_pairs * 0.5 / sqrt(samples));
    }
    close_table(t);
}

int test_pairs(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_adjacent_pair_is_found_once),
                                       cmocka_unit_test(a_sample_predicts_the_number_of_pairs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
