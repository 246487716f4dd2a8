/* test_block_sums - tests the order in which the propensities of a voxel are added, and the choice
   of a reaction by these sums. */
#include "kernels/passes/reactions/row_propensities.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

/* Returns the sum of the members begin ... end - 1 of a node of so many reactions, by its
   definition. */
static double sum_of_node(const double *a, int32_t begin, int32_t end, int32_t size)
{
    double sum = 0;
    if (size == 1)
        return a[begin];
    for (int32_t at = begin; at < end; at += size / 32)
        sum += sum_of_node(a, at, end < at + size / 32 ? end : at + size / 32, size / 32);
    return sum;
}

static double *draw_propensities(int32_t n, int zeros)
{
    double *const a = calloc((size_t)n, sizeof *a);
    uint32_t x = 7;
    for (int32_t i = 0; i < n; i++) {
        x = x * 1664525u + 1013904223u;
        a[i] = (int)(x >> 20) % 100 < zeros ? 0 : exp(x * 0x1p-30);
    }
    return a;
}

/* Tests sums of all reactions, of those that are not 0, and block by block. */
static void sums_follow_the_tree(void **state)
{
    (void)state;
    static const int32_t sizes[] = {1, 31, 32, 33, 1024, 1025, 5000, 32768, 70000, 1048576};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int zeros = 0; zeros < 100; zeros += 49) {
            const int32_t n = sizes[i];
            double *const a = draw_propensities(n, zeros);
            const double expected = sum_of_node(a, 0, n, 1 << 20);
            struct rd_block_sums all = rd_block_sums_begin(0), some = all, blocks = all;
            for (int32_t r = 0; r < n; r++) {
                rd_block_sums_add(&all, r, a[r]);
                if (a[r] > 0)
                    rd_block_sums_add(&some, r, a[r]);
            }
            for (int32_t r = 0; r < n; r += 32)
                rd_block_sums_add(&blocks, r, sum_of_node(a, r, rd_block_end(r, 1, n), 32));
            assert_true(rd_block_sums_end(&all) == expected);
            assert_true(rd_block_sums_end(&some) == expected);
            assert_true(rd_block_sums_end(&blocks) == expected);
            free(a);
        }
}

/* Tests that up to 32 reactions are added one after another. */
static void few_are_added_in_order(void **state)
{
    (void)state;
    double *const a = draw_propensities(32, 0);
    struct rd_block_sums tree = rd_block_sums_begin(0);
    double sum = 0;
    for (int32_t r = 0; r < 32; r++) {
        rd_block_sums_add(&tree, r, a[r]);
        sum += a[r];
    }
    assert_true(rd_block_sums_end(&tree) == sum);
    free(a);
}

/* Returns the reaction that aim selects among all n, by the definition: from the root down the
   first node at which the sum over its siblings exceeds aim. */
static int32_t chosen_of_all(const double *a, int32_t n, double aim)
{
    int32_t begin = 0, end = n;
    for (int32_t size = 1 << 20; size >= 32; size /= 32) {
        const int32_t part = size / 32;
        double before = 0;
        for (; begin < end; begin += part) {
            const double sum = sum_of_node(a, begin, end < begin + part ? end : begin + part, part);
            if (before + sum > aim) {
                aim = rd_aim_below(aim - before, sum);
                end = end < begin + part ? end : begin + part;
                break;
            }
            before += sum;
        }
        if (begin >= end)
            return n;
    }
    return begin;
}

/* Inserts the possible reactions, in an order that is not canonical. */
static void insert_all(struct rd_row_possible *possible, const double *a, int32_t n)
{
    for (int32_t k = 0; k < 7; k++)
        for (int32_t r = 6 - k; r < n; r += 7)
            if (a[r] != 0)
                assert_true(rd_insert_possible(possible, r, a[r]));
    if (possible->n == RD_ROW_POSSIBLE)
        assert_false(rd_insert_possible(possible, n, 1));
}

/* Tests the choice from a list of the possible reactions, with as many as it holds. */
static void choice_follows_the_tree(void **state)
{
    (void)state;
    static const int32_t sizes[] = {1, 20, 33, 1025, 5000, 70000};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const int32_t n = sizes[i], zeros = 100 - (n < 20 ? 100 : 1800 / n);
        double *const a = draw_propensities(n, zeros < 99 ? zeros : 99);
        struct rd_row_possible possible = {.n = 0};
        struct rd_block_sums tree = rd_block_sums_begin(0);
        for (int32_t r = 0, n_possible = 0; r < n; r++) {
            a[r] = n_possible < RD_ROW_POSSIBLE ? a[r] : 0;
            n_possible += a[r] != 0;
            rd_block_sums_add(&tree, r, a[r]);
        }
        insert_all(&possible, a, n);
        const double all = rd_block_sums_end(&tree);
        assert_true(possible.n > 0 && possible.n <= RD_ROW_POSSIBLE);
        for (int k = 0; k <= 1000; k++) {
            const double aim = rd_aim_below(all * k / 1000, all);
            assert_int_equal(rd_choose_possible(&possible, n, aim), chosen_of_all(a, n, aim));
        }
        assert_int_equal(rd_choose_possible(&possible, n, 2 * all), n);
        free(a);
    }
}

static void levels_cover_all_reactions(void **state)
{
    (void)state;
    assert_int_equal(rd_block_level(32), 0);
    assert_int_equal(rd_block_level(33), 1);
    assert_int_equal(rd_block_level(1024), 1);
    assert_int_equal(rd_block_level(1025), 2);
    assert_int_equal(rd_block_level(1 << 20), 3);
    assert_int_equal(rd_block_end(1024, 2, 1500), 1500);
    assert_int_equal(rd_block_end(1024, 1, 1500), 1056);
}

int test_block_sums(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_follow_the_tree),
        cmocka_unit_test(choice_follows_the_tree),
        cmocka_unit_test(few_are_added_in_order),
        cmocka_unit_test(levels_cover_all_reactions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
