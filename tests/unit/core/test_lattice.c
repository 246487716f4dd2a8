/* test_lattice - tests of numbers and positions of voxels, also beyond 2^32 voxels, and of regions,
   sums and faults. */
#include "kernels/passes/movement/substep_hop.h"

#include "probability.h"

static struct rd_world world_of(int32_t nx, int32_t ny, int32_t nz, int64_t runs)
{
    struct rd_world w = {
        .lattice.size = {nx, ny, nz}, .lattice.edge = {1, 1, 1}, .lattice.n_runs = runs};
    w.lattice.n_sites = (int64_t)nx * ny * nz;
    w.lattice.n_voxels = w.lattice.n_sites * runs;
    return w;
}

static void assert_place(const struct rd_world *w, int64_t voxel, int64_t run, int32_t x, int32_t y,
                         int32_t z)
{
    const struct rd_place p = rd_place_of(&w->lattice, voxel);
    assert_int_equal(p.voxel, voxel);
    assert_int_equal(p.run, run);
    assert_int_equal(p.site, voxel - run * w->lattice.n_sites);
    assert_int_equal(p.at[0], x);
    assert_int_equal(p.at[1], y);
    assert_int_equal(p.at[2], z);
    assert_int_equal(rd_site_number(&w->lattice, p.at), p.site);
}

static void voxels_are_numbered_by_x_y_z_and_run(void **state)
{
    (void)state;
    const struct rd_world w = world_of(3, 5, 7, 4);
    int64_t voxel = 0;
    for (int64_t run = 0; run < 4; run++)
        for (int32_t z = 0; z < 7; z++)
            for (int32_t y = 0; y < 5; y++)
                for (int32_t x = 0; x < 3; x++)
                    assert_place(&w, voxel++, run, x, y, z);
    assert_int_equal(voxel, w.lattice.n_voxels);
}

static void one_voxel_is_a_lattice(void **state)
{
    (void)state;
    const struct rd_world w = world_of(1, 1, 1, 10000);
    assert_place(&w, 0, 0, 0, 0, 0);
    assert_place(&w, 9999, 9999, 0, 0, 0);
}

/* Tests voxel numbers near 2^32: 65535 x 65537 = 2^32 - 1 voxels are the most that 32 bits can
   number; 2^32 need more. */
static void numbers_cross_32_bits(void **state)
{
    (void)state;
    const struct rd_world below = world_of(65535, 65537, 1, 3);
    assert_place(&below, UINT32_MAX - INT64_C(1), 0, 65534, 65536, 0);
    assert_place(&below, INT64_C(2) * UINT32_MAX, 2, 0, 0, 0);
    const struct rd_world at = world_of(65536, 1, 65536, 1);
    assert_place(&at, UINT32_MAX, 0, 65535, 0, 65535);
    const struct rd_world just_above = world_of(65537, 65536, 1, 1);
    assert_place(&just_above, just_above.lattice.n_voxels - 1, 0, 65536, 65535, 0);
    const struct rd_world above = world_of(65537, 65539, 5, 2);
    assert_place(&above, above.lattice.n_voxels - 1, 1, 65536, 65538, 4);
    assert_place(&above, INT64_C(3) * 65537 * 65539 + INT64_C(60001) * 65537 + 7, 0, 7, 60001, 3);
    const struct rd_world line = world_of(INT32_MAX, 2, 16, 1);
    assert_place(&line, line.lattice.n_voxels - 1, 0, INT32_MAX - 1, 1, 15);
}

static void centres_are_between_the_faces(void **state)
{
    (void)state;
    struct rd_world w = world_of(4, 4, 4, 1);
    w.lattice.origin[1] = -2.0;
    w.lattice.edge[1] = 0.5;
    assert_true(rd_centre(&w.lattice, 0, 3) == 3.5);
    assert_true(rd_centre(&w.lattice, 1, 0) == -1.75 && rd_centre(&w.lattice, 1, 3) == -0.25);
}

static void regions_are_bits_of_the_mask(void **state)
{
    (void)state;
    const uint64_t mask[] = {0, 1, UINT64_C(1) << 63, 5};
    struct rd_world w = world_of(4, 1, 1, 1);
    assert_true(rd_is_in(&w.lattice, -1, 3)); /* -1 means everywhere, and no mask is read */
    w.lattice.mask = mask;
    assert_true(rd_is_in(&w.lattice, -1, 0));
    assert_false(rd_is_in(&w.lattice, 0, 0));
    assert_true(rd_is_in(&w.lattice, 0, 1) && rd_is_in(&w.lattice, 0, 3) &&
                rd_is_in(&w.lattice, 2, 3));
    assert_true(rd_is_in(&w.lattice, 63, 2));
    assert_false(rd_is_in(&w.lattice, 62, 2) || rd_is_in(&w.lattice, 63, 3));
}

static void sums_are_kept_by_stripe_and_run(void **state)
{
    (void)state;
    struct rd_world w = world_of(10, 1, 1, 3);
    w.lattice.stripe_shift = 2;
    assert_int_equal(rd_sums_of(&w.lattice, 0, 3), 0);
    assert_int_equal(rd_sums_of(&w.lattice, 2, 3), 2);
    assert_int_equal(rd_sums_of(&w.lattice, 0, 4), 3);
    assert_int_equal(rd_sums_of(&w.lattice, 2, 9), 2 * 3 + 2);
}

static void faults_are_counted_and_the_first_voxel_is_kept(void **state)
{
    (void)state;
    struct rd_fault fault[RD_N_FAULTS];
    for (int kind = 0; kind < RD_N_FAULTS; kind++)
        fault[kind] = (struct rd_fault){0, INT64_MAX};
    const struct rd_world w = {.runs.fault = fault};
    rd_fault_at(&w, RD_FAULT_PROPENSITY, INT64_C(1) << 40, 2);
    rd_fault_at(&w, RD_FAULT_PROPENSITY, 17, 5);
    rd_fault_at(&w, RD_FAULT_PROPENSITY, 18, 3);
    assert_int_equal(fault[RD_FAULT_PROPENSITY].number, 3);
    assert_int_equal(rd_fault_voxel(&fault[RD_FAULT_PROPENSITY]), 17);
    assert_int_equal(rd_fault_what(&fault[RD_FAULT_PROPENSITY]), 5); /* the reaction */
    assert_int_equal(fault[RD_FAULT_NEGATIVE].number, 0);
    assert_int_equal(fault[RD_FAULT_NEGATIVE].first, INT64_MAX);
}

/* Tests that capacity is still counted after a fault if voxels were left for lack of it: these
   voxels may have faults that come first. */
static void capacity_is_counted_after_a_fault_if_voxels_lacked_it(void **state)
{
    (void)state;
    struct rd_need need = {.from = 10, .guessed = 101};
    struct rd_step_clock step_clock = {.pass = 12};
    int64_t first_faulting_pass = 11;
    struct rd_world w = {.lists.need = &need,
                         .runs.first_faulting_pass = &first_faulting_pass,
                         .pass.step_clock = &step_clock,
                         .runs.n_first_faulting_pass = 1,
                         .lists.n_list = 2};
    w.lists.n_newborn = 100;
    w.reactions.has_attribute_rates = 1;
    assert_true(rd_is_due(&w, RD_CHECK_CAPACITY));
    assert_false(rd_is_due(&w, RD_MAINTAIN));
    step_clock.pass = 13; /* the pass of the second list */
    assert_true(rd_is_due(&w, RD_CHECK_CAPACITY));
    step_clock.pass = 14; /* a pass of a later step, which did not count */
    assert_false(rd_is_due(&w, RD_CHECK_CAPACITY));
    step_clock.pass = 12;
    need.guessed = 100;
    assert_false(rd_is_due(&w, RD_CHECK_CAPACITY));
    need.guessed = 101;
    first_faulting_pass = 9; /* the fault came before the counting */
    assert_false(rd_is_due(&w, RD_CHECK_CAPACITY));
}

/* Tests that each run keeps the first fault of its first faulting pass, and no later one. Among
   passes that are fused, the first one counts. */
static void first_fault_of_each_run_is_kept(void **state)
{
    (void)state;
    struct rd_fault fault[RD_N_FAULTS] = {{0}};
    struct rd_run_fault run_fault[3];
    struct rd_step_clock step_clock[] = {
        {.pass = 8, .time = 1.0}, {.pass = 9, .time = 1.5}, {.pass = 10}};
    uint8_t frozen[3] = {0, 0, RD_FROZEN_FAULTED};
    int64_t first_faulting_pass = INT64_MAX;
    struct rd_world w = {.runs.fault = fault,
                         .runs.run_fault = run_fault,
                         .runs.n_run_fault = 3,
                         .lattice.n_runs = 3};
    for (int run = 0; run < 3; run++)
        run_fault[run] = (struct rd_run_fault){INT64_MAX, INT64_MAX, INT64_MAX};
    w.lattice.n_sites = 10;
    w.runs.first_faulting_pass = &first_faulting_pass;
    w.runs.n_first_faulting_pass = w.runs.faults_are_separate = 1;
    w.runs.frozen = frozen;
    w.runs.n_frozen = 3;
    w.pass.dt = 0.5;
    w.pass.fused_step = w.pass.step_clock = &step_clock[0];
    assert_false(rd_has_run_fault(&w, 1));
    w.pass.step_clock = &step_clock[1]; /* fused with that pass, but after it */
    w.pass.fused_step_place = 1;
    rd_fault_at(&w, RD_FAULT_OVERFLOW, 12, 3);
    w.pass.step_clock = &step_clock[0];
    w.pass.fused_step_place = 0;
    rd_fault_at(&w, RD_FAULT_PROPENSITY, 17, 5);
    rd_fault_at(&w, RD_FAULT_PROPENSITY, 18, 1);
    w.pass.fused_step = NULL;
    w.pass.step_clock = &step_clock[2];
    rd_fault_at(&w, RD_FAULT_OVERFLOW, 11, 0);
    rd_fault_at(&w, RD_FAULT_OVERFLOW, 21, 0); /* this run has its fault already */
    assert_int_equal(run_fault[1].since, 8);
    assert_int_equal(rd_run_fault_kind(&run_fault[1]), RD_FAULT_PROPENSITY);
    const struct rd_fault first = rd_run_fault_of(&w.lattice, 1, &run_fault[1]);
    assert_int_equal(rd_fault_voxel(&first), 17);
    assert_int_equal(rd_fault_what(&first), 5);
    assert_true(rd_real_of((uint64_t)run_fault[1].until) == 1.25);
    assert_true(rd_has_run_fault(&w, 1) && !rd_has_run_fault(&w, 0) && !rd_has_run_fault(&w, 2));
    assert_int_equal(fault[RD_FAULT_OVERFLOW].number, 1);
    assert_int_equal(first_faulting_pass, INT64_MAX);
    w.runs.faults_are_separate = 0;
    rd_fault_at(&w, RD_FAULT_OVERFLOW, 1, 0);
    assert_int_equal(first_faulting_pass, 10);
}

/* Tests that a fault stores reactions up to number 10^6, on the largest grid, in the last of
   several runs. */
static void faults_store_large_numbers(void **state)
{
    (void)state;
    enum { LAST = (1 << 20) - 1 };
    const int64_t sites = INT64_C(1) << 36, voxel = 3 * sites - 1;
    struct rd_fault fault[RD_N_FAULTS] = {{0}};
    struct rd_run_fault run_fault[3];
    const struct rd_step_clock step_clock = {.pass = 1};
    struct rd_world w = {.runs.fault = fault,
                         .pass.step_clock = &step_clock,
                         .lattice.n_runs = 3,
                         .lattice.n_sites = sites};
    const int kind = RD_N_FAULTS - 1;
    fault[kind].first = INT64_MAX;
    rd_fault_at(&w, kind, voxel, LAST);
    rd_fault_at(&w, kind, voxel, 65536 + 7);
    assert_int_equal(rd_fault_voxel(&fault[kind]), voxel);
    assert_int_equal(rd_fault_what(&fault[kind]), 65536 + 7);
    w.runs.run_fault = run_fault;
    w.runs.n_run_fault = 3;
    w.pass.fused_step_place = 2;
    for (int run = 0; run < 3; run++)
        run_fault[run] = (struct rd_run_fault){INT64_MAX, INT64_MAX, INT64_MAX};
    rd_fault_at(&w, kind, voxel, LAST);
    const struct rd_fault first = rd_run_fault_of(&w.lattice, 2, &run_fault[2]);
    assert_int_equal(rd_run_fault_kind(&run_fault[2]), kind);
    assert_int_equal(rd_fault_voxel(&first), voxel);
    assert_int_equal(rd_fault_what(&first), LAST);
}

/* Tests that a faulted run stops moving: its hop rates may be impossible. */
static void faulted_run_takes_no_substeps(void **state)
{
    (void)state;
    struct rd_run_fault run_fault[2] = {{INT64_MAX, INT64_MAX, INT64_MAX}, {4, 0, 0}};
    struct rd_substep stride[2];
    uint8_t frozen[2] = {0, RD_FROZEN_STOPPED};
    const struct rd_step_clock step_clock = {.pass = 5};
    struct rd_world w = {.runs.run_fault = run_fault,
                         .runs.n_run_fault = 2,
                         .lattice.n_runs = 2,
                         .movement.substep = stride,
                         .pass.step_clock = &step_clock};
    w.pass.dt = 0.5;
    for (int64_t run = 0; run < 2; run++) {
        rd_substep_begin(&w, run);
        assert_true(stride[run].left == 0.5);
        rd_choose_substep(&w, run);
        assert_true(stride[run].left == 0.0 && stride[run].dt == (run == 0 ? 0.5 : 0.0));
    }
    w.runs.frozen = frozen;
    w.runs.n_frozen = 2;
    rd_substep_begin(&w, 1);
    assert_true(stride[1].left == 0.0);
}

int test_lattice(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(voxels_are_numbered_by_x_y_z_and_run),
        cmocka_unit_test(one_voxel_is_a_lattice),
        cmocka_unit_test(numbers_cross_32_bits),
        cmocka_unit_test(centres_are_between_the_faces),
        cmocka_unit_test(regions_are_bits_of_the_mask),
        cmocka_unit_test(sums_are_kept_by_stripe_and_run),
        cmocka_unit_test(faults_are_counted_and_the_first_voxel_is_kept),
        cmocka_unit_test(first_fault_of_each_run_is_kept),
        cmocka_unit_test(faults_store_large_numbers),
        cmocka_unit_test(capacity_is_counted_after_a_fault_if_voxels_lacked_it),
        cmocka_unit_test(faulted_run_takes_no_substeps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
