/* test_arena - tests that pieces of an arena do not overlap, and that returned pieces can be taken
   again. */
#include "kernels/core/arena.h"

#include "handmade.h"

#include <string.h>

enum { CAPACITY = 40 * RD_ARENA_ALIGNED };
static char block[CAPACITY];

static struct rd_arena arena_of(size_t bytes)
{
    return (struct rd_arena){.at = block, .bytes = bytes};
}

static void padding_fits_into_capacity(void **state)
{
    (void)state;
    struct rd_arena a = arena_of(rd_arena_padded(1000) + rd_arena_padded(0) + rd_arena_padded(256));
    char *const one = rd_arena_take(&a, 1000), *const none = rd_arena_take(&a, 0),
                *const two = rd_arena_take(&a, 256);
    assert_true(one == block && none && two);
    assert_true(none >= one + 1000 && two > none && two + 256 <= block + a.bytes);
    assert_int_equal((none - block) % RD_ARENA_ALIGNED, 0);
    assert_int_equal((two - block) % RD_ARENA_ALIGNED, 0);
    assert_null(rd_arena_take(&a, 0));
}

static void gaps_are_reused(void **state)
{
    (void)state;
    struct rd_arena a = arena_of(CAPACITY);
    void *p[4];
    for (int i = 0; i < 4; i++)
        assert_non_null(p[i] = rd_arena_take(&a, CAPACITY / 4 - 1));
    assert_null(rd_arena_take(&a, 1));
    assert_true(rd_arena_give(&a, p[1]));
    assert_null(rd_arena_take(&a, CAPACITY / 4)); /* slightly more than is left */
    assert_ptr_equal(rd_arena_take(&a, CAPACITY / 4 - 1), p[1]);
    assert_true(rd_arena_give(&a, p[2]) && rd_arena_give(&a, p[1]));
    assert_ptr_equal(rd_arena_take(&a, CAPACITY / 2 - 1), p[1]); /* the room of both pieces */
    assert_int_equal(a.n, 3);
}

static void foreign_pieces_are_refused(void **state)
{
    (void)state;
    struct rd_arena a = arena_of(CAPACITY), empty = {0};
    char *const p = rd_arena_take(&a, 10);
    assert_false(rd_arena_give(&a, p + 1));
    assert_false(rd_arena_give(&a, block + CAPACITY));
    assert_true(rd_arena_give(&a, p));
    assert_false(rd_arena_give(&a, p));
    assert_null(rd_arena_take(&empty, 0));
    assert_null(rd_arena_take(&a, SIZE_MAX));
    assert_null(rd_arena_take(&a, CAPACITY));
    assert_false(rd_arena_give(&empty, p));
}

static void arena_is_full_without_free_records(void **state)
{
    (void)state;
    static char large[(RD_ARENA_MOST + 1) * RD_ARENA_ALIGNED];
    struct rd_arena a = {.at = large, .bytes = sizeof large};
    for (int i = 0; i < RD_ARENA_MOST; i++)
        assert_non_null(rd_arena_take(&a, 0));
    assert_null(rd_arena_take(&a, 0));
    assert_true(rd_arena_give(&a, large + RD_ARENA_ALIGNED));
    assert_ptr_equal(rd_arena_take(&a, 0), large + RD_ARENA_ALIGNED);
}

int test_arena(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(padding_fits_into_capacity),
        cmocka_unit_test(gaps_are_reused),
        cmocka_unit_test(foreign_pieces_are_refused),
        cmocka_unit_test(arena_is_full_without_free_records),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
