/* test_host_counts - counts on the host: arrays of species that have lists, and what is read of
   them. */
#include "sim/host_counts.h"

#include "stage.h"

#include <stdlib.h>
#include <string.h>

enum { A, B, C, SITES = 2000, VOXELS = 2 * SITES, BLOCKS = VOXELS / RD_TOUCHED_BLOCK + 1 };

struct counted {
    struct stage s;
    struct rd_host_counts counts;
    struct rd_error e;
};

static void open_counts(struct counted *c)
{
    *c = (struct counted){0};
    stage_plan(&c->s, "sim/host_counts.cfg", NULL);
    assert_true(rd_host_counts_open(&c->counts, &c->s.plan, NULL, &c->e));
}

static void close_counts(struct counted *c)
{
    rd_host_counts_close(&c->counts);
    rd_error_free(&c->e);
    stage_close(&c->s);
}

/* Returns the open array of a species, and the marks of its blocks if wanted. */
static int32_t *array_of(struct counted *c, int32_t species, uint8_t **touched)
{
    int32_t *const count = rd_host_counts_array(&c->counts, species, touched, &c->e);
    assert_non_null(count);
    return count;
}

static void set_touched(struct counted *c, int32_t species, int64_t voxel, int32_t n)
{
    uint8_t *touched;
    int32_t *const count = array_of(c, species, &touched);
    count[voxel] = n;
    touched[voxel / RD_TOUCHED_BLOCK] = 1;
}

/* Asserts the entries of a species' list: voxel and count of each. */
static void assert_list(struct counted *c, int32_t species, int n, const int64_t (*entry)[2])
{
    assert_true(rd_host_counts_commit(&c->counts, &c->e));
    const struct rd_host_list *const list = &c->counts.list[species];
    assert_int_equal(list->n, n);
    for (int i = 0; i < n; i++) {
        assert_int_equal(list->entry[i].voxel, entry[i][0]);
        assert_int_equal(list->entry[i].count, entry[i][1]);
    }
}

static void lists_hold_what_arrays_held(void **state)
{
    static const int64_t b[][2] = {{3, 7}, {511, 1}, {512, 2}, {VOXELS - 1, 9}}, c[][2] = {{4, 5}};
    struct counted x;
    (void)state;
    open_counts(&x);
    for (int i = 3; i >= 0; i--)
        set_touched(&x, B, b[i][0], (int32_t)b[i][1]);
    set_touched(&x, C, 4, 5);
    assert_list(&x, B, 4, b);
    assert_list(&x, C, 1, c);
    assert_int_equal(array_of(&x, B, NULL)[512], 2);
    assert_int_equal(array_of(&x, C, NULL)[512], 0);
    assert_list(&x, B, 4, b);
    close_counts(&x);
}

static void only_touched_blocks_are_read(void **state)
{
    struct counted x;
    uint8_t *touched;
    (void)state;
    open_counts(&x);
    set_touched(&x, B, 5, 1);
    set_touched(&x, B, VOXELS - 1, 1);
    assert_true(rd_host_counts_commit(&x.counts, &x.e));
    for (int i = 0; i < 3; i++) { /* the two arrays take turns */
        array_of(&x, i < 2 ? C : B, &touched);
        for (int block = 0; block < BLOCKS; block++)
            assert_int_equal(touched[block], i == 2 && (block == 0 || block == BLOCKS - 1));
        assert_true(rd_host_counts_commit(&x.counts, &x.e));
    }
    array_of(&x, C, &touched)[RD_TOUCHED_BLOCK] = 3; /* not marked, and so not read */
    assert_list(&x, C, 0, NULL);
    close_counts(&x);
}

static void the_two_latest_arrays_stay_open(void **state)
{
    struct counted x;
    (void)state;
    open_counts(&x);
    int32_t *const b = array_of(&x, B, NULL), *const c = array_of(&x, C, NULL);
    b[1] = 11;
    c[1] = 12;
    assert_ptr_equal(array_of(&x, B, NULL), b);
    assert_ptr_equal(array_of(&x, C, NULL), c);
    assert_ptr_equal(array_of(&x, A, NULL), x.counts.array);
    assert_int_equal(b[1], 11);
    assert_int_equal(c[1], 12);
    close_counts(&x);
}

static void assert_sums(struct counted *c, int32_t species, uint64_t first, uint64_t second)
{
    uint64_t sum[2] = {100, 200};
    assert_true(rd_host_counts_sum(&c->counts, species, sum, &c->e));
    assert_int_equal(sum[0], 100 + first);
    assert_int_equal(sum[1], 200 + second);
}

static void sums_and_clears_each_run(void **state)
{
    static const int64_t left[][2] = {{0, 1}, {SITES - 1, 2}};
    struct counted x;
    (void)state;
    open_counts(&x);
    for (int32_t species = A; species <= B; species++) {
        int32_t *const count = array_of(&x, species, NULL);
        count[0] = 1;
        count[SITES - 1] = 2;
        count[SITES] = 4;
        count[VOXELS - 1] = INT32_MAX;
        assert_sums(&x, species, 3, UINT64_C(4) + INT32_MAX);
    }
    assert_true(rd_host_counts_clear_run(&x.counts, 1, &x.e));
    assert_sums(&x, A, 3, 0);
    assert_sums(&x, B, 3, 0);
    assert_list(&x, B, 2, left);
    assert_true(rd_host_counts_clear_run(&x.counts, 0, &x.e));
    assert_sums(&x, A, 0, 0);
    assert_list(&x, B, 0, NULL);
    close_counts(&x);
}

int test_host_counts(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_hold_what_arrays_held),
        cmocka_unit_test(only_touched_blocks_are_read),
        cmocka_unit_test(the_two_latest_arrays_stay_open),
        cmocka_unit_test(sums_and_clears_each_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
