/* test_first_moments - tests of mean positions from sums of 128 bits: carries, and sums beyond 64
   bits. */
#include "kernels/passes/totals/totals.h"

#include "handmade.h"

#include <math.h>

static bool is_wide(struct rd_wide v, uint64_t high, uint64_t low)
{
    return v.high == high && v.low == low;
}

/* Tests that the sum carries each overflow once, in any order of its terms. */
static void overflow_is_carried_once(void **state)
{
    (void)state;
    const struct rd_wide part[] = {{UINT64_MAX, 0}, {1, 0}, {UINT64_MAX, 7}, {UINT64_MAX, 0}};
    for (int first = 0; first < 4; first++) {
        struct rd_wide sum = {0, 0};
        for (int i = 0; i < 4; i++)
            rd_add_wide(&sum, part[(first + i) % 4]);
        assert_true(is_wide(sum, 9, UINT64_MAX - 1));
    }
}

static void values_are_rounded(void **state)
{
    (void)state;
    assert_true(rd_wide_value((struct rd_wide){INT64_MAX, 0}) == (double)INT64_MAX);
    assert_true(rd_wide_value((struct rd_wide){12345, 0}) == 12345.0);
    assert_true(rd_wide_value((struct rd_wide){0, 3}) == 3 * 0x1p64);
    assert_true(rd_wide_value((struct rd_wide){UINT64_C(1) << 63, 1}) == 0x1.8p64);
}

/* Tests the greatest count in every voxel: along a long row of voxels, the sum of the positions
   exceeds 2^64. */
static void mean_of_full_voxels_is_the_middle(void **state)
{
    (void)state;
    static const int32_t size[][3] = {{300001, 1, 1}, {3, 300001, 1}, {63, 1, 2}};
    for (int i = 0; i < 3; i++) {
        struct handmade h;
        struct rd_wide moment[2 * 4] = {{0, 0}};
        double mean[2 * HANDMADE_SPECIES * 3];
        const int32_t followed = 1;
        handmade_open(&h, "mean_of_full_voxels_is_the_middle", size[i], 2);
        struct rd_world *const w = &h.world;
        w->positions.followed = &followed;
        w->positions.n_followed = 1;
        w->positions.first_moments = moment;
        w->positions.mean = mean;
        for (int64_t voxel = 0; voxel < w->lattice.n_voxels; voxel++)
            w->counts.count[w->lattice.n_voxels + voxel] =
                INT32_MAX - (int32_t)(voxel / w->lattice.n_sites);
        for (int64_t k = 0; k < w->lattice.n_runs * rd_n_portions_gathered(&w->lattice); k++)
            rd_gather(w, k);
        for (int64_t run = 0; run < w->lattice.n_runs; run++) {
            rd_average(w, run);
            for (int axis = 0; axis < 3; axis++)
                assert_true(
                    fabs(mean[(run * HANDMADE_SPECIES + 1) * 3 + axis] / (0.5 * size[i][axis]) -
                         1.0) < 1e-15);
        }
        for (int k = 0; k < 8; k++)
            assert_true(is_wide(moment[k], 0, 0));
        handmade_close(&h);
    }
}

int test_first_moments(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(overflow_is_carried_once),
        cmocka_unit_test(values_are_rounded),
        cmocka_unit_test(mean_of_full_voxels_is_the_middle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
