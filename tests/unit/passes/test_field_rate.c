/* test_field_rate - tests of fields that change in a voxel, of their gradients, and of sums for
   mean positions. */
#include "kernels/passes/reactions/field_rate.h"
#include "kernels/passes/totals/totals.h"
#include "stage.h"

#include <math.h>

static void phi_functions_have_their_values(void **state)
{
    (void)state;
    assert_true(rd_phi1(0) == 1 && rd_phi2(0) == 0.5);
    for (double z = -30; z < 3; z += 0.37) {
        assert_true(fabs(rd_phi1(z) * z - expm1(z)) < 1e-14 * (1 + exp(z)));
        assert_true(fabs(rd_phi2(z) * z - (rd_phi1(z) - 1)) < 1e-14 * (1 + exp(z)));
    }
    for (double z = 0x1.8p-11; z < 0x1.8p-9; z *= 1.03) { /* where the series ends */
        const double right = 0.5 + z / 6 + z * z / 24 + z * z * z / 120;
        const double left = 0.5 - z / 6 + z * z / 24 - z * z * z / 120;
        assert_true(fabs(rd_phi2(z) - right) < 1e-11 && fabs(rd_phi2(-z) - left) < 1e-11);
    }
}

/* Tests that gradients of changing fields equal those of constant fields, to the bit, at every wall
   and edge. */
static void gradients_of_changing_and_constant_fields_are_equal(void **state)
{
    (void)state;
    struct stage s;
    struct rd_error e = {0};
    stage_open(&s, "passes/gradients.cfg", NULL, 0.1);
    assert_true(rd_sim_begin_fields(&s.sim, &e));
    const struct rd_world *const w = &s.sim.world;
    const int32_t *const of = s.model.field_component_of;
    assert_int_equal(w->fields.n_varying, 8 * w->lattice.n_voxels);
    for (int field_component = 0; field_component < RD_FIELD_COMPONENTS; field_component++)
        for (int field = 0; field < 4; field += 2)
            for (int64_t voxel = 0; voxel < w->lattice.n_voxels; voxel++) {
                const double constant =
                    w->fields.field[of[RD_FIELD_COMPONENTS * field + field_component] *
                                        w->lattice.n_sites +
                                    voxel % w->lattice.n_sites];
                const double changing =
                    w->fields.varying[of[RD_FIELD_COMPONENTS * (field + 1) + field_component] *
                                          w->lattice.n_voxels +
                                      voxel];
                assert_true(constant == changing);
            }
    stage_close(&s);
}

/* Tests that a field does not change outside its region, although its rate is impossible there. */
static void fields_change_in_their_region_only(void **state)
{
    (void)state;
    struct stage s;
    struct rd_error e = {0};
    stage_open(&s, "passes/field_in_region.cfg", NULL, 0.5);
    assert_true(rd_sim_begin_fields(&s.sim, &e));
    stage_pass(&s, RD_CHANGE_FIELD, 0, 0.0, 0.5);
    assert_true(rd_sim_check(&s.sim, &e));
    const struct rd_world *const w = &s.sim.world;
    for (int64_t voxel = 0; voxel < w->lattice.n_voxels; voxel++) {
        const struct rd_place p = rd_place_of(&w->lattice, voxel);
        const bool is_in = w->lattice.mask[p.site] & 1;
        const double x = rd_centre(&w->lattice, 0, p.at[0]);
        const double v = is_in ? 1 + 0.5 * sqrt(2 - x) : 0;
        assert_true(fabs(w->fields.varying[voxel] - v) < 1e-15);
        assert_true(fabs(w->fields.varying[w->lattice.n_voxels + voxel] -
                         (x + 0.25 * ((is_in ? 1 : 0) + v))) < 1e-15);
    }
    stage_close(&s);
}

/* Tests two coupled fields with f' = g, g' = -f: both advance in both stages. */
static void coupled_fields_change_together(void **state)
{
    (void)state;
    double error[2];
    for (int k = 0; k < 2; k++) {
        struct stage s;
        struct rd_error e = {0};
        const double step = k == 0 ? 0.1 : 0.05;
        stage_open(&s, "passes/coupled_fields.cfg", NULL, step);
        assert_true(rd_sim_begin_fields(&s.sim, &e));
        for (int i = 0; i < (k == 0 ? 10 : 20); i++)
            stage_pass(&s, RD_CHANGE_FIELD, 0, i * step, step);
        const double *const f = s.sim.world.fields.varying;
        error[k] = fabs(f[3] - cos(1.0)) + fabs(f[s.sim.world.lattice.n_voxels + 3] + sin(1.0));
        stage_close(&s);
    }
    assert_true(error[0] < 5e-3 && error[0] / error[1] > 3.6 && error[0] / error[1] < 4.4);
}

static void infinite_field_is_a_fault(void **state)
{
    (void)state;
    struct stage s;
    struct rd_error e = {0};
    stage_open(&s, "passes/infinite_field.cfg", NULL, 0.5);
    assert_true(rd_sim_begin_fields(&s.sim, &e));
    for (int i = 0; i < 3; i++)
        stage_pass(&s, RD_CHANGE_FIELD, 0, 0.5 * i, 0.5);
    assert_false(rd_sim_check(&s.sim, &e));
    assert_contains(e.text, "passes/infinite_field.cfg:8: field 'wild' is infinite or not a number "
                            "in voxel (1, 0, 0) of run 0, before t = ");
    rd_error_free(&e);
    stage_close(&s);
}

/* Tests means over more than one portion of voxels, for each run, and that the sums are 0 again
   afterwards. */
static void mean_positions_are_exact(void **state)
{
    (void)state;
    struct stage s;
    stage_open(&s, "passes/mean_positions.cfg", NULL, 0.5);
    const struct rd_world *const w = &s.sim.world;
    assert_int_equal(w->positions.n_followed, 2); /* A and C */
    assert_int_equal(w->items.n_gathered, 2 * 4);
    *stage_count(&s, 0, 0, 0) = 3;
    *stage_count(&s, 0, 0, 215) = 1; /* (8, 7, 2) */
    *stage_count(&s, 1, 0, 100) = 2147483647;
    *stage_count(&s, 0, 1, 5) = 77; /* no expression uses the mean of this species */
    for (int again = 0; again < 2; again++) {
        stage_pass(&s, RD_GATHER, 0, 0.0, 0.5);
        stage_pass(&s, RD_AVERAGE, 0, 0.0, 0.5);
        static const double expected[2][3] = {{2.25, 2.25, -1},
                                              {1.75, 3.5, 0}}; /* 100: (1, 3, 1) */
        static const double middle[3] = {3.25, 4, 0};
        for (int run = 0; run < 2; run++)
            for (int axis = 0; axis < 3; axis++) {
                assert_true(w->positions.mean[(run * 3 + 0) * 3 + axis] == expected[run][axis]);
                assert_true(w->positions.mean[(run * 3 + 2) * 3 + axis] == middle[axis]);
            }
    }
    for (int64_t i = 0; i < w->positions.n_first_moments; i++) {
        assert_int_equal(w->positions.first_moments[i].low, 0);
        assert_int_equal(w->positions.first_moments[i].high, 0);
    }
    stage_close(&s);
}

int test_field_rate(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(phi_functions_have_their_values),
        cmocka_unit_test(gradients_of_changing_and_constant_fields_are_equal),
        cmocka_unit_test(fields_change_in_their_region_only),
        cmocka_unit_test(coupled_fields_change_together),
        cmocka_unit_test(infinite_field_is_a_fault),
        cmocka_unit_test(mean_positions_are_exact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
