/* test_index - tests of the first entry of each voxel, and of counts from these, entry by entry. */
#include "kernels/passes/lists/update_lists.h"

#include "roll.h"

#include <string.h>

enum { VOXELS = 5, MOST = 6 };

/* Holds a list of its own, with numbers around it that must not change. */
struct lists {
    struct rd_list list[2];
    uint32_t key_next[2 * MOST];
    int32_t first[2 * (VOXELS + 1)];
    int32_t count[3 * VOXELS];
    int64_t live[2], coming[2], taken[2];
    struct rd_world world;
};

/* Opens the second of two lists, with n individuals in these voxels. */
static void open_lists(struct lists *s, const uint32_t *voxel, int64_t n)
{
    *s = (struct lists){
        .list = {{.species = 0}, {.species = 2, .column = 2, .base = MOST, .voxels = VOXELS + 1}}};
    memset(s->first, 0x11, sizeof s->first);
    memset(s->key_next, 0xff, sizeof s->key_next);
    if (n > 0)
        memcpy(s->key_next + MOST, voxel, (size_t)n * sizeof *voxel);
    s->coming[1] = n;
    s->world = (struct rd_world){.lattice.n_voxels = VOXELS,
                                 .lists.list = s->list,
                                 .lists.n_list = 2,
                                 .lists.at_list = 1,
                                 .lists.now = s->list[1],
                                 .lists.key_next = s->key_next,
                                 .lists.first = s->first,
                                 .counts.count = s->count,
                                 .lists.live = s->live,
                                 .lists.coming = s->coming,
                                 .lists.taken = s->taken};
}

static void assert_first(const uint32_t *voxel, int64_t n, const int32_t expected[VOXELS + 1])
{
    struct lists s;
    open_lists(&s, voxel, n);
    for (int64_t i = n; i >= 0; i--)
        rd_index(&s.world, i);
    assert_memory_equal(s.first + VOXELS + 1, expected, (VOXELS + 1) * sizeof *expected);
    for (int c = 0; c <= VOXELS; c++)
        assert_int_equal(s.first[c], 0x11111111);
}

static void index_holds_first_entry_of_each_voxel(void **state)
{
    (void)state;
    assert_first(NULL, 0, (const int32_t[]){0, 0, 0, 0, 0, 0});
    assert_first((const uint32_t[]){0}, 1, (const int32_t[]){0, 1, 1, 1, 1, 1});
    assert_first((const uint32_t[]){4}, 1, (const int32_t[]){0, 0, 0, 0, 0, 1});
    assert_first((const uint32_t[]){1, 1, 3}, 3, (const int32_t[]){0, 0, 2, 2, 3, 3});
    assert_first((const uint32_t[]){0, 1, 2, 3, 4, 4}, 6, (const int32_t[]){0, 1, 2, 3, 4, 6});
    assert_first((const uint32_t[]){2, 2, 2, 2, 2, 2}, 6, (const int32_t[]){0, 0, 0, 6, 6, 6});
}

static void index_of_the_example(void **state)
{
    (void)state;
    struct stage s;
    roll_example_open(&s);
    const struct rd_world *const w = &s.sim.world;
    memcpy(w->lists.key_next, roll_example.key, sizeof roll_example.key);
    w->lists.coming[0] = ROLL_THEN;
    for (int64_t i = 0; i <= ROLL_THEN; i++)
        rd_index(w, i);
    assert_memory_equal(w->lists.first, roll_example.first_then, sizeof roll_example.first_then);
    stage_close(&s);
}

/* Tests the new first entries, which come from the old ones without the new list. */
static void index_after_births_and_deaths(void **state)
{
    (void)state;
    struct stage s;
    roll_example_open(&s);
    roll_example_scan(&s);
    const struct rd_world *const w = &s.sim.world;
    for (int64_t voxel = 0; voxel <= ROLL_VOXELS; voxel++)
        rd_reindex(w, voxel);
    assert_memory_equal(w->lists.first, roll_example.first_then, sizeof roll_example.first_then);
    stage_close(&s);
}

static void lists_are_committed_separately(void **state)
{
    (void)state;
    struct lists s;
    open_lists(&s, NULL, 0);
    s.live[0] = s.live[1] = 3;
    s.coming[0] = 7;
    s.coming[1] = 5;
    s.taken[0] = s.taken[1] = 2;
    rd_commit_lists(&s.world, 1);
    assert_true(s.live[0] == 3 && s.live[1] == 5);
    assert_true(s.taken[0] == 2 && s.taken[1] == 0);
}

/* Tests species 0 and 2, which have lists, and species 1, which is bulk. */
static void counts_are_computed_from_lists(void **state)
{
    (void)state;
    const int32_t first[] = {0, 2, 2, 2, 3, 3, 0, 0, 0, 4, 4, 5};
    struct lists s;
    open_lists(&s, NULL, 0);
    memcpy(s.first, first, sizeof first);
    for (int i = 0; i < 3 * VOXELS; i++)
        s.count[i] = 9;
    for (int64_t voxel = 0; voxel < VOXELS - 1; voxel++)
        rd_tally(&s.world, voxel);
    const int32_t expected[] = {2, 0, 0, 1, 9, 9, 9, 9, 9, 9, 0, 0, 4, 0, 9};
    assert_memory_equal(s.count, expected, sizeof expected);
}

int test_index(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(index_holds_first_entry_of_each_voxel),
        cmocka_unit_test(index_of_the_example),
        cmocka_unit_test(index_after_births_and_deaths),
        cmocka_unit_test(lists_are_committed_separately),
        cmocka_unit_test(counts_are_computed_from_lists),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
