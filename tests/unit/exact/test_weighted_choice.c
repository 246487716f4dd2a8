/* test_weighted_choice - how often items are drawn, after their weights have changed in every
   way. */
#include "exact/weighted_choice.h"

#include "kernels/core/real.h"
#include "probability.h"

#include <stdlib.h>

enum { N_ITEMS = 24, N_DRAWS = 200000 };

struct box {
    struct rd_weighted_choice weighted_choice;
    int32_t *memory;
    double weight[N_ITEMS];
};

static void box_open(struct box *b, double finest)
{
    *b = (struct box){.memory = malloc(rd_weighted_choice_memory(N_ITEMS))};
    assert_non_null(b->memory);
    rd_weighted_choice_place(&b->weighted_choice, N_ITEMS, b->memory);
    rd_weighted_choice_clear(&b->weighted_choice, finest);
}

static void box_weigh(struct box *b, int32_t item, double weight)
{
    assert_true(rd_weighted_choice_weigh(&b->weighted_choice, item, weight));
    b->weight[item] = weight;
}

/* Draws an item by weight; rejected draws are repeated. */
static int32_t box_draw(const struct box *b, struct rd_stream *s)
{
    for (;;) {
        double bound;
        const int32_t item = rd_weighted_choice_draw(
            &b->weighted_choice, rd_uniform(s) * b->weighted_choice.total, &bound);
        assert_true(item >= 0 && bound > b->weight[item]);
        if (rd_uniform(s) * bound < b->weight[item])
            return item;
    }
}

static void assert_drawn_by_weight(const struct box *b, const char *name)
{
    struct rd_stream s = stream_of(name, 1);
    int64_t seen[N_ITEMS] = {0}, counted[N_ITEMS];
    double sum = 0, expected[N_ITEMS];
    for (int i = 0; i < N_DRAWS; i++)
        seen[box_draw(b, &s)]++;
    for (int i = 0; i < N_ITEMS; i++)
        sum += b->weight[i];
    int n = 0;
    for (int i = 0; i < N_ITEMS; i++) {
        counted[n] = seen[i];
        expected[n] = N_DRAWS * b->weight[i] / sum;
        if (b->weight[i] == 0)
            assert_int_equal(seen[i], 0);
        else
            n++;
    }
    assert_deviation(name, chi_square_deviate(counted, expected, n));
}

/* Checks the frequencies of items. Weights span four powers of ten and include zeros; they change
   many times, by large and small amounts. */
static void test_items_are_drawn_by_weight_after_many_changes(void **state)
{
    (void)state;
    const char *const name = "test_items_are_drawn_by_weight_after_many_changes";
    struct rd_stream s = stream_of(name, 0);
    struct box b;
    box_open(&b, 1e-3);
    for (int i = 0; i < 5000; i++) {
        const int32_t item = (int32_t)(rd_word(&s) % N_ITEMS);
        const double factor = rd_word(&s) % 2 ? 1000 : 1.2;
        box_weigh(&b, item, rd_word(&s) % 4 ? rd_uniform(&s) * factor : 0);
    }
    for (int32_t i = 0; i < N_ITEMS; i++) /* rare items would distort chi-square */
        box_weigh(&b, i, i % 5 ? rd_uniform(&s) * (i % 2 ? 10 : 100) + 1 : 0);
    assert_drawn_by_weight(&b, name);
    free(b.memory);
}

static void test_weights_below_the_finest_are_drawn(void **state)
{
    (void)state;
    struct box b;
    box_open(&b, 4.0);
    for (int32_t i = 0; i < N_ITEMS; i++)
        box_weigh(&b, i, 0.1 * (i + 1));
    assert_drawn_by_weight(&b, "test_weights_below_the_finest_are_drawn");
    free(b.memory);
}

static void test_total_of_zero_weights_is_zero(void **state)
{
    (void)state;
    struct box b;
    box_open(&b, 1.0);
    for (int32_t i = 0; i < N_ITEMS; i++)
        box_weigh(&b, i, 7.0 * i);
    for (int32_t i = N_ITEMS - 1; i >= 0; i--)
        box_weigh(&b, i, 0);
    assert_true(b.weighted_choice.total == 0);
    double bound;
    assert_int_equal(rd_weighted_choice_draw(&b.weighted_choice, 0, &bound), -1);
    box_weigh(&b, 3, 0.5);
    assert_int_equal(rd_weighted_choice_draw(&b.weighted_choice, 0, &bound), 3);
    free(b.memory);
}

/* Checks that the total equals that of a fresh choice after any history: rounding errors do not
   accumulate. */
static void test_total_does_not_depend_on_history(void **state)
{
    (void)state;
    struct rd_stream s = stream_of("test_total_does_not_depend_on_history", 0);
    struct box b, fresh;
    box_open(&b, 1e-9);
    box_open(&fresh, 1e-9);
    for (int i = 0; i < 5000; i++)
        box_weigh(&b, (int32_t)(rd_word(&s) % N_ITEMS), rd_exp(20 * rd_uniform(&s)));
    for (int32_t i = 0; i < N_ITEMS; i++)
        box_weigh(&fresh, i, b.weight[i]);
    assert_true(b.weighted_choice.total == fresh.weighted_choice.total);
    free(b.memory);
    free(fresh.memory);
}

/* Tests that the share of a group ends where that of the next one begins. */
static void shares_of_groups_do_not_overlap(void **state)
{
    (void)state;
    struct box b;
    double bound, share;
    box_open(&b, 1.0);
    box_weigh(&b, 0, 5.0);
    box_weigh(&b, 1, 1000.0);
    assert_int_equal(rd_weighted_choice_draw(&b.weighted_choice, 0.0, &share), 1);
    assert_true(share > 1000.0 && share <= 2000.0);
    assert_int_equal(rd_weighted_choice_draw(&b.weighted_choice, nextafter(share, 0.0), &bound), 1);
    assert_int_equal(rd_weighted_choice_draw(&b.weighted_choice, share, &bound), 0);
    assert_true(bound > 5.0 && bound <= 10.0);
    free(b.memory);
}

static void test_weights_out_of_range_are_refused(void **state)
{
    (void)state;
    struct box b;
    box_open(&b, 1.0);
    box_weigh(&b, 2, 5.0);
    const double total = b.weighted_choice.total;
    assert_false(rd_weighted_choice_weigh(&b.weighted_choice, 2, 0x1p64));
    assert_false(rd_weighted_choice_weigh(&b.weighted_choice, 2, INFINITY));
    assert_false(rd_weighted_choice_weigh(&b.weighted_choice, 2, (double)NAN));
    assert_false(rd_weighted_choice_weigh(&b.weighted_choice, 2, -1.0));
    assert_true(b.weighted_choice.total == total);
    box_weigh(&b, 2, 0x1.fp62);
    free(b.memory);
}

int test_weighted_choice(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_items_are_drawn_by_weight_after_many_changes),
        cmocka_unit_test(test_weights_below_the_finest_are_drawn),
        cmocka_unit_test(test_total_of_zero_weights_is_zero),
        cmocka_unit_test(shares_of_groups_do_not_overlap),
        cmocka_unit_test(test_total_does_not_depend_on_history),
        cmocka_unit_test(test_weights_out_of_range_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
