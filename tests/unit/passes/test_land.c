/* test_land - tests that arrivals are added to the counts, and that too many give a fault and
   change no count. */
#include "kernels/passes/movement/walk.h"

#include "handmade.h"

static void open_two_voxels(struct handmade *h, int32_t *arrive)
{
    handmade_open(h, "land", (const int32_t[]){2, 1, 1}, 1);
    h->world.counts.arrive = arrive;
}

static void arrivals_are_added_to_counts(void **state)
{
    (void)state;
    int32_t arrive[HANDMADE_SPECIES * 2] = {3, 100, 0, 0, 7, INT32_MAX};
    struct handmade h;
    open_two_voxels(&h, arrive);
    handmade_put(&h, 'A', 0, 10);
    handmade_put(&h, 'B', 0, 5);
    rd_land(&h.world, 0);
    assert_int_equal(*handmade_count(&h, 0, 'A', 0), 13);
    assert_int_equal(*handmade_count(&h, 0, 'B', 0), 5);
    assert_int_equal(*handmade_count(&h, 0, 'C', 0), 7);
    assert_int_equal(*handmade_count(&h, 0, 'A', 1), 0);
    assert_true(arrive[0] == 0 && arrive[4] == 0 && arrive[1] == 100);
    rd_land(&h.world, 1);
    assert_int_equal(*handmade_count(&h, 0, 'C', 1), INT32_MAX);
    assert_int_equal(h.fault[RD_FAULT_OVERFLOW].number, 0);
    handmade_close(&h);
}

/* Tests a sum of 2^31, and arrivals that overflowed earlier and are negative. */
static void overflow_is_a_fault(void **state)
{
    (void)state;
    int32_t arrive[HANDMADE_SPECIES * 2] = {0, 0, 0, 1, INT32_MIN + 5, 0};
    struct handmade h;
    open_two_voxels(&h, arrive);
    handmade_put(&h, 'B', 1, INT32_MAX);
    handmade_put(&h, 'C', 0, 1);
    rd_land(&h.world, 1);
    assert_int_equal(h.fault[RD_FAULT_OVERFLOW].number, 1);
    assert_int_equal(rd_fault_voxel(&h.fault[RD_FAULT_OVERFLOW]), 1);
    assert_int_equal(rd_fault_what(&h.fault[RD_FAULT_OVERFLOW]), 1);
    rd_land(&h.world, 0);
    assert_int_equal(h.fault[RD_FAULT_OVERFLOW].number, 2);
    assert_int_equal(*handmade_count(&h, 0, 'B', 1), INT32_MAX);
    assert_int_equal(*handmade_count(&h, 0, 'C', 0), 1);
    handmade_close(&h);
}

int test_land(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arrivals_are_added_to_counts),
        cmocka_unit_test(overflow_is_a_fault),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
