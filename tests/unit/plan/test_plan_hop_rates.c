/* test_plan_hop_rates - hop rates when diffusivity and drift depend on the position. */
#include "kernels/passes/movement/walk.h"
#include "plan/plan.h"
#include "stage.h"

#include <string.h>

#define LINE "plan/rates_on_a_line.cfg"

/* Checks hop rates for D = x - 1/4 at x = 1.25, 1.75, ...; B lives in the two voxels on the
   right. */
static void each_voxel_has_a_hop_rate(void **state)
{
    (void)state;
    struct stage s;
    stage_open(&s, "plan/rate_per_voxel.cfg", NULL, 0.01);
    const struct rd_transport *const a = &s.plan.transport[0], *const b = &s.plan.transport[1];
    assert_int_equal(a->kind, RD_MOVE_WALK);
    assert_int_equal(a->hop_rate_kind, RD_HOP_RATE_BY_SITE);
    assert_int_equal(b->hop_rate_kind, RD_HOP_RATE_BY_SITE);
    assert_int_equal(s.plan.world.movement.n_hop_rate, 12);
    assert_true(s.plan.world.movement.is_placed);
    for (int i = 0; i < 6; i++) {
        const struct rd_hop_rate *const here = rd_hop_rate_at(&s.plan.world, a, 0, i);
        assert_ptr_equal(here, s.plan.hop_rate + a->hop_rates + i);
        const double rate = (1 + 0.5 * i) / 0.25, x = 1.25 + 0.5 * i;
        assert_true(here->rate[0] == rate && here->rate[1] == rate && here->total == 2 * rate);
        assert_true(fabs(here->probability - (1 - exp(-2 * rate * 0.01))) < 1e-15);
        const struct rd_hop_rate *const of_b = rd_hop_rate_at(&s.plan.world, b, 0, i);
        assert_true(fabs(of_b->rate[0] - (i < 4 ? 0 : 36 + x)) < 1e-13);
        assert_true(fabs(of_b->total - (i < 4 ? 0 : 72)) < 1e-13);
    }
    assert_true(a->hop_rate.rate[0] == 14 && a->hop_rate.total == 28);
    stage_close(&s);
}

/* Checks that an expression with the same value in all voxels is treated as a number. */
static void equal_voxels_need_no_table(void **state)
{
    (void)state;
    struct stage s;
    stage_open(&s, LINE, SETS("species.A.diffusion=1 + (d - 1) * x"), 0.01);
    assert_int_equal(s.plan.transport[0].kind, RD_MOVE_DISPLACEMENTS);
    assert_int_equal(s.plan.world.movement.n_hop_rate, 0);
    struct rd_error e = {0};
    assert_true(rd_plan_rates(&s.plan, (const double[]){2}, &e));
    assert_int_equal(s.plan.transport[0].kind, RD_MOVE_WALK);
    assert_int_equal(s.plan.world.movement.n_hop_rate, 6);
    stage_close(&s);
}

/* Checks the number of voxels with numerical diffusion, and the voxel with most of it. */
static void numerical_diffusion_is_computed(void **state)
{
    (void)state;
    struct stage s;
    stage_open(&s, "plan/numerical_diffusion.cfg", NULL, 0.01);
    /* |v| h / 2 = |1 - x / 2| exceeds x / 5 at x = 1.25 and 3.75, of 1.25 ... 3.75. */
    const struct rd_excess a = rd_plan_excess(&s.plan, 0, 0, s.model.value);
    assert_true(a.n == 2 && a.of == 6 && a.at[0] == 0 && a.at[1] == 0);
    assert_true(fabs(a.configured - 0.25) < 1e-15 && fabs(a.actual - 0.375) < 1e-15);
    assert_int_equal(rd_plan_excess(&s.plan, 1, 0, s.model.value).n, 0);
    stage_close(&s);
}

/* Checks that the message names the first invalid voxel and its centre. */
static void impossible_rates_are_refused(void **state)
{
    (void)state;
    stage_refused(LINE, SETS("species.A.diffusion=2 - x"),
                  "plan/rates_on_a_line.cfg:11: species 'A': diffusion along x is -0.25 in voxel "
                  "2, at 2.25; give a number >= 0");
    stage_refused(LINE, SETS("species.A.drift=1 / (x - 2.75)"),
                  "plan/rates_on_a_line.cfg:11: species 'A': drift along x is inf in voxel 3, at "
                  "2.75; give a finite number");
    /* Values outside of the region of the species do not matter. */
    struct stage s;
    stage_open(&s, LINE, SETS("species.A.diffusion=3 - x", "species.A.in=left"), 0.01);
    stage_close(&s);
}

int test_plan_hop_rates(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_voxel_has_a_hop_rate),
        cmocka_unit_test(equal_voxels_need_no_table),
        cmocka_unit_test(numerical_diffusion_is_computed),
        cmocka_unit_test(impossible_rates_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
