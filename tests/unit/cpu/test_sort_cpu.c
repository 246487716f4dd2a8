/* test_sort_cpu - tests of one sorting pass in shares, which run in any order, and of the choice of
   one pass. */
#include "kernels/cpu/sort_cpu.h"

#include "probability.h"

#include <string.h>

enum { N = 20000, VOXELS = 5000, ROW = 50 };

struct sort_list {
    uint32_t key[N], value[N];
};

/* Fills a list with individuals spread evenly over the voxels, then moves each by some hops. */
static void walk(struct sort_list *l, const char *name, uint32_t hops)
{
    struct rd_stream s = stream_of(name, 0);
    for (uint32_t i = 0; i < N; i++) {
        uint32_t voxel = i / (N / VOXELS);
        for (uint32_t hop = 0; hop < hops; hop++)
            voxel += (const uint32_t[]){1, VOXELS - 1, ROW, VOXELS - ROW, 0}[rd_word(&s) % 5];
        l->key[i] = voxel % VOXELS;
        l->value[i] = i;
    }
}

static void shuffle(struct sort_list *l, const char *name)
{
    struct rd_stream s = stream_of(name, 1);
    for (uint32_t i = 0; i < N; i++) {
        l->key[i] = rd_word(&s) % VOXELS;
        l->value[i] = i;
    }
}

/* Checks that the list is sorted by voxel, and equal voxels by their old place, which is the
   value. */
static void assert_sorted(const struct sort_list *l)
{
    for (int i = 1; i < N; i++)
        assert_true(l->key[i - 1] < l->key[i] ||
                    (l->key[i - 1] == l->key[i] && l->value[i - 1] < l->value[i]));
}

/* Sorts in shares, from the last share to the first: no share may depend on another. */
static void sort_in_shares(struct sort_list *to, struct sort_list *from, int n_shares)
{
    static struct rd_sort_chunk chunk[RD_SORT_CHUNKS];
    static uint32_t place[1 << 13];
    struct rd_sort_share share[8];
    struct rd_sort s = {.from = {from->key, from->value}, .to = {to->key, to->value}, .n = N};
    s.place = place;
    s.chunk = chunk;
    memset(place, 0xff, sizeof place);
    rd_sort_open(&s, 0, 13, n_shares);
    for (int64_t c = rd_sort_chunks(&s) - 1; c >= 0; c--)
        rd_sort_look(&s, c);
    rd_sort_divide(&s, share, n_shares);
    for (int k = n_shares - 1; k >= 0; k--)
        rd_sort_count(&s, &share[k]);
    int64_t start = N;
    for (int k = n_shares - 1; k >= 0; k--) {
        start -= share[k].n;
        rd_sort_put(&s, &share[k], start);
    }
    assert_int_equal(start, 0); /* every pair belongs to one share */
}

static void shares_are_sorted_separately(void **state)
{
    (void)state;
    static struct sort_list from, to;
    for (int n_shares = 1; n_shares <= 8; n_shares++) {
        walk(&from, "shares_are_sorted_separately", 3);
        sort_in_shares(&to, &from, n_shares);
        assert_sorted(&to);
        shuffle(&from, "shares_are_sorted_separately");
        sort_in_shares(&to, &from, n_shares);
        assert_sorted(&to);
    }
}

static void shares_of_a_sorted_list_are_equal(void **state)
{
    (void)state;
    static struct sort_list from;
    static struct rd_sort_chunk chunk[RD_SORT_CHUNKS];
    static uint32_t place[1 << 13];
    struct rd_sort_share share[4];
    struct rd_sort s = {.from = {from.key, from.value}, .n = N, .place = place, .chunk = chunk};
    walk(&from, "shares_of_a_sorted_list_are_equal", 0);
    rd_sort_open(&s, 0, 13, 4);
    assert_true(rd_sort_chunks(&s) > 4);
    for (int64_t c = 0; c < rd_sort_chunks(&s); c++)
        rd_sort_look(&s, c);
    assert_int_equal(chunk[0].low, 0);
    assert_int_equal(chunk[1].low, chunk[0].high + 1);
    rd_sort_divide(&s, share, 4);
    for (int k = 0; k < 4; k++) {
        rd_sort_count(&s, &share[k]);
        assert_int_equal(share[k].n, N / 4);
    }
}

static void order_and_density_select_the_passes(void **state)
{
    (void)state;
    static struct sort_list l;
    walk(&l, "passes", 1);
    assert_true(rd_sort_suits_one_pass(l.key, N, 13, 1));
    assert_true(rd_sort_suits_one_pass(l.key, N, 16, 1));
    assert_false(rd_sort_suits_one_pass(l.key, N, 17, 1)); /* the table would be too large */
    assert_true(rd_sort_suits_one_pass(l.key, N, 17, 2));
    assert_false(rd_sort_suits_one_pass(l.key, N, 32, 8));
    shuffle(&l, "passes");
    assert_false(rd_sort_suits_one_pass(l.key, N, 13, 1));
}

int test_sort_cpu(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shares_are_sorted_separately),
        cmocka_unit_test(shares_of_a_sorted_list_are_equal),
        cmocka_unit_test(order_and_density_select_the_passes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
