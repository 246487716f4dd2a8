/* test_field_rate - tests of fields that change in a voxel, of their gradients, and of sums for
   mean positions. */
#include "kernels/passes/reactions/field_rate.h"
#include "kernels/passes/totals/totals.h"
#include "stage.h"

#include <math.h>

static void phis_are_what_they_say(void **state)
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

#define BOX                                                                                        \
    "grid = { voxels = (5, 4, 3); edge = (0.5, 0.7, 1.1); walls = { y = \"periodic\"; }; };"       \
    "time = { end = 1.0; }; run = { runs = 2; };"                                                  \
    "regions = ( { name = \"r\"; where = \"x < 2 and x + y < 3.5\"; } );"

/* Tests that gradients of changing fields equal those of constant fields, to the bit, at every wall
   and edge. */
static void slopes_are_those_of_fields_that_stay(void **state)
{
    (void)state;
    struct stage s;
    struct rd_error e = {0};
    stage_open(
        &s,
        BOX "fields = ( { name = \"f\"; value = \"sin(x) + y * z\"; },"
            "           { name = \"g\"; value = \"f\"; rate = 1; },"
            "           { name = \"u\"; in = \"r\"; value = \"cos(y) * x + z\"; },"
            "           { name = \"v\"; in = \"r\"; value = \"u\"; rate = 1; } );"
            "species = ( { name = \"A\"; } ); reactions = ( { equation = \"0 -> A\"; propensity = "
            "\"abs(gradient_x(f) + gradient_y(f) + gradient_z(f)) + abs(gradient_x(u) + "
            "gradient_y(u) + gradient_z(u))\"; }, { equation = \"A -> 0\"; propensity = "
            "\"abs(gradient_z(v) + gradient_y(v) + gradient_x(v)) + abs(gradient_x(g) + "
            "gradient_y(g) + gradient_z(g))\"; } );",
        0.1);
    assert_true(rd_sim_begin_fields(&s.sim, &e));
    const struct rd_world *const w = &s.sim.world;
    const int32_t *const of = s.model.field_component_of;
    assert_int_equal(w->n_varying, 8 * w->n_voxels);
    for (int field_component = 0; field_component < RD_FIELD_COMPONENTS; field_component++)
        for (int field = 0; field < 4; field += 2)
            for (int64_t voxel = 0; voxel < w->n_voxels; voxel++) {
                const double stays =
                    w->field[of[RD_FIELD_COMPONENTS * field + field_component] * w->n_sites +
                             voxel % w->n_sites];
                const double changes =
                    w->varying[of[RD_FIELD_COMPONENTS * (field + 1) + field_component] *
                                   w->n_voxels +
                               voxel];
                assert_true(stays == changes);
            }
    stage_close(&s);
}

/* Tests that a field does not change outside its region, although its rate is impossible there. */
static void fields_change_where_they_are(void **state)
{
    (void)state;
    struct stage s;
    struct rd_error e = {0};
    stage_open(&s,
               BOX "fields = ( { name = \"v\"; in = \"r\"; value = 1.0; rate = \"sqrt(2 - x)\"; },"
                   "           { name = \"w\"; value = \"x\"; rate = \"v\"; } );"
                   "species = ( { name = \"A\"; } );",
               0.5);
    assert_true(rd_sim_begin_fields(&s.sim, &e));
    rd_sim_pass(&s.sim, RD_CHANGE_FIELD, 0, 0.0, 0.5);
    assert_true(rd_sim_check(&s.sim, &e));
    const struct rd_world *const w = &s.sim.world;
    for (int64_t voxel = 0; voxel < w->n_voxels; voxel++) {
        const struct rd_place p = rd_place_of(w, voxel);
        const bool is_in = w->mask[p.site] & 1;
        const double x = rd_centre(w, 0, p.at[0]);
        const double v = is_in ? 1 + 0.5 * sqrt(2 - x) : 0;
        assert_true(fabs(w->varying[voxel] - v) < 1e-15);
        assert_true(fabs(w->varying[w->n_voxels + voxel] - (x + 0.25 * ((is_in ? 1 : 0) + v))) <
                    1e-15);
    }
    stage_close(&s);
}

/* Tests two coupled fields with f' = g, g' = -f: both advance in both stages. */
static void fields_change_together(void **state)
{
    (void)state;
    double error[2];
    for (int k = 0; k < 2; k++) {
        struct stage s;
        struct rd_error e = {0};
        const double step = k == 0 ? 0.1 : 0.05;
        stage_open(&s,
                   BOX "fields = ( { name = \"f\"; value = 1.0; rate = \"g\"; },"
                       "           { name = \"g\"; value = 0.0; rate = \"-f\"; } );"
                       "species = ( { name = \"A\"; } );",
                   step);
        assert_true(rd_sim_begin_fields(&s.sim, &e));
        for (int i = 0; i < (k == 0 ? 10 : 20); i++)
            rd_sim_pass(&s.sim, RD_CHANGE_FIELD, 0, i * step, step);
        const double *const f = s.sim.world.varying;
        error[k] = fabs(f[3] - cos(1.0)) + fabs(f[s.sim.world.n_voxels + 3] + sin(1.0));
        stage_close(&s);
    }
    assert_true(error[0] < 5e-3 && error[0] / error[1] > 3.6 && error[0] / error[1] < 4.4);
}

static void a_field_without_end_is_a_fault(void **state)
{
    (void)state;
    struct stage s;
    struct rd_error e = {0};
    stage_open(
        &s,
        BOX "fields = ( { name = \"calm\"; value = 1.0; rate = 0; },\n"
            "           { name = \"wild\"; value = \"x == 0.75\"; rate = \"1e200 * wild^2\"; } );"
            "species = ( { name = \"A\"; } );",
        0.5);
    assert_true(rd_sim_begin_fields(&s.sim, &e));
    for (int i = 0; i < 3; i++)
        rd_sim_pass(&s.sim, RD_CHANGE_FIELD, 0, 0.5 * i, 0.5);
    assert_false(rd_sim_check(&s.sim, &e));
    assert_said(e.text, "stage.cfg:2: field 'wild' is infinite or not a number in voxel (1, 0, 0) "
                        "of run 0, before t = ");
    rd_error_free(&e);
    stage_close(&s);
}

/* Tests means over more than one portion of voxels, for each run, and that the sums are 0 again
   afterwards. */
static void means_of_known_clouds(void **state)
{
    (void)state;
    struct stage s;
    stage_open(
        &s,
        "grid = { voxels = (9, 8, 3); edge = (0.5, 1.0, 2.0); origin = (1, 0, -3); };"
        "time = { end = 1.0; }; run = { runs = 2; };"
        "species = ( { name = \"B\"; }, { name = \"A\"; }, { name = \"C\"; } );"
        "reactions = ( { equation = \"0 -> A\"; propensity = \"mean_x(A) + mean_z(C)\"; } );",
        0.5);
    const struct rd_world *const w = &s.sim.world;
    assert_int_equal(w->n_followed, 2); /* A and C */
    assert_int_equal(w->n_gathered, 2 * 4);
    *stage_count(&s, 0, 0, 0) = 3;
    *stage_count(&s, 0, 0, 215) = 1; /* (8, 7, 2) */
    *stage_count(&s, 1, 0, 100) = 2147483647;
    *stage_count(&s, 0, 1, 5) = 77; /* no expression uses the mean of this species */
    for (int again = 0; again < 2; again++) {
        rd_sim_pass(&s.sim, RD_GATHER, 0, 0.0, 0.5);
        rd_sim_pass(&s.sim, RD_AVERAGE, 0, 0.0, 0.5);
        static const double expected[2][3] = {{2.25, 2.25, -1},
                                              {1.75, 3.5, 0}}; /* 100: (1, 3, 1) */
        static const double middle[3] = {3.25, 4, 0};
        for (int run = 0; run < 2; run++)
            for (int axis = 0; axis < 3; axis++) {
                assert_true(w->mean[(run * 3 + 0) * 3 + axis] == expected[run][axis]);
                assert_true(w->mean[(run * 3 + 2) * 3 + axis] == middle[axis]);
            }
    }
    for (int64_t i = 0; i < w->n_first_moments; i++) {
        assert_int_equal(w->first_moments[i].low, 0);
        assert_int_equal(w->first_moments[i].high, 0);
    }
    stage_close(&s);
}

int test_field_rate(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(phis_are_what_they_say),
        cmocka_unit_test(slopes_are_those_of_fields_that_stay),
        cmocka_unit_test(fields_change_where_they_are),
        cmocka_unit_test(fields_change_together),
        cmocka_unit_test(a_field_without_end_is_a_fault),
        cmocka_unit_test(means_of_known_clouds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
