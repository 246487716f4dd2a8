/* test_fields - tests of the values of fields in every voxel, from expressions and from files, and
   of their gradients. */
#include "config_messages.h"
#include "make_model.h"
#include "write_set.h"

#include <math.h>

/* All results are exact, since the edges are powers of two. */
#define MAP       "model/field_from_file.cfg"
#define IN_REGION "fields.m.in=r"

static double at(const struct rd_model *m, int field_component, int x, int y, int z)
{
    assert_true(m->field_component_of[field_component] >= 0);
    const double *const value =
        m->field_component + m->field_component_of[field_component] * m->grid.n_sites;
    return value[(z * m->grid.size[1] + y) * m->grid.size[0] + x];
}

static void test_values_at_centres(void **state)
{
    (void)state;
    struct rd_model m = model_from("model/field_values.cfg", NULL);
    assert_int_equal(m.n_fields, 3);
    for (int z = 0; z < 3; z++)
        for (int y = 0; y < 4; y++)
            for (int x = 0; x < 5; x++) {
                const double f = 0.5 * x + 0.25 + 10 * (y + 0.5) + 200 * (2 * z + 1);
                assert_true(at(&m, 0, x, y, z) == f);
                assert_true(at(&m, RD_FIELD_COMPONENTS, x, y, z) == f * f + 1);
                assert_true(at(&m, 2 * RD_FIELD_COMPONENTS, x, y, z) == -0.125);
            }
    rd_model_free(&m);
}

/* Tests that central differences are exact for a square; they are one-sided at walls; y is
   periodic. */
static void test_gradients_of_a_square(void **state)
{
    (void)state;
    static const double gradient_y[] = {-5, 3, 5, -3};
    struct rd_model m = model_from("model/field_gradients.cfg", NULL);
    for (int z = 0; z < 3; z++)
        for (int y = 0; y < 4; y++)
            for (int x = 0; x < 5; x++) {
                const double cx = 0.5 * x + 0.25, cz = 2 * z + 1;
                const double end_x = x == 0 ? 0.5 : x == 4 ? -0.5 : 0;
                const double end_z = z == 0 ? -6 : z == 2 ? 6 : 0;
                assert_true(at(&m, 1, x, y, z) == 2 * cx + cz + end_x);
                assert_true(at(&m, 2, x, y, z) == gradient_y[y]);
                assert_true(at(&m, 3, x, y, z) == -6 * cz + cx + end_z);
            }
    rd_model_free(&m);
}

/* Tests that unused field components are not stored, and that shared ones are stored once. */
static void test_only_used_components_are_stored(void **state)
{
    (void)state;
    struct rd_model m = model_from("model/field_components.cfg", NULL);
    assert_int_equal(m.n_field_components, 4);
    assert_true(m.field_component_of[1] >= 0 && m.field_component_of[RD_FIELD_COMPONENTS + 2] >= 0);
    assert_true(m.field_component_of[2] < 0 && m.field_component_of[RD_FIELD_COMPONENTS + 1] < 0);
    assert_true(at(&m, RD_FIELD_COMPONENTS, 0, 0, 0) == 1 &&
                at(&m, RD_FIELD_COMPONENTS, 2, 1, 2) == 1);
    rd_model_free(&m);
}

/* Tests that a field is 0 outside its region, whatever its expression, and that its gradients use
   no voxel there. */
static void test_field_in_a_region(void **state)
{
    (void)state;
    static const double gradient_x[] = {0, 2, 2.5, 3, 0};
    struct rd_model m = model_from("model/field_in_region.cfg", NULL);
    for (int y = 0; y < 4; y++)
        for (int x = 0; x < 5; x++) {
            const bool is_in = x > 0 && x < 4 && y < 2;
            const double cx = 0.5 * x + 0.25;
            assert_true(at(&m, 0, x, y, 1) == (is_in ? cx * cx + 3 * (y + 0.5) : 0));
            assert_true(at(&m, 1, x, y, 1) == (is_in ? gradient_x[x] : 0));
            assert_true(at(&m, 2, x, y, 1) == (is_in ? 3 : 0));
        }
    rd_model_free(&m);
}

/* Tests one expression for all axes, and expressions with field components in the numbering of the
   model. */
static void test_drift_along_a_gradient(void **state)
{
    (void)state;
    struct rd_model m = model_from("model/field_drift.cfg", NULL);
    const int64_t site = 27; /* (2, 1, 1) */
    const struct rd_eval_context here = {
        .parameter = m.value, .field = m.field_component + site, .field_stride = m.grid.n_sites};
    static const double slope[] = {1, 0, 2};
    for (int axis = 0; axis < 3; axis++) {
        assert_true(rd_expr_value(&m.species[0].drift[axis], &here) == 2 * slope[axis]);
        assert_true(rd_expr_value(&m.species[0].diffusion[axis], &here) == 1.25 + 6);
    }
    rd_model_free(&m);
}

static void test_maps_of_hdf5(void **state)
{
    (void)state;
    static const float real[12] = {0.5F, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, -2.5F};
    static const int8_t whole[12] = {0, -1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
    write_set("map.h5", "map", H5T_NATIVE_FLOAT, 3, (const hsize_t[]){2, 2, 3}, real);
    struct rd_model m = model_from(MAP, NULL);
    assert_true(at(&m, 0, 0, 0, 0) == 0.5 && at(&m, 0, 1, 1, 0) == 4 && at(&m, 0, 2, 1, 1) == -2.5);
    rd_model_free(&m);
    write_set("map.h5", "map", H5T_NATIVE_INT8, 3, (const hsize_t[]){2, 2, 3}, whole);
    m = model_from(MAP, SETS(IN_REGION));
    assert_true(at(&m, 0, 1, 0, 0) == -1 && at(&m, 0, 2, 0, 0) == 0 && at(&m, 0, 0, 1, 1) == 9);
    rd_model_free(&m);
}

static void test_invalid_maps(void **state)
{
    (void)state;
    static const char letters[12] = {0};
    double value[12] = {[7] = NAN};
    write_set("map.h5", "map", H5T_NATIVE_DOUBLE, 3, (const hsize_t[]){3, 2, 2}, value);
    assert_model_refused(MAP, NULL,
                         "model/field_from_file.cfg:5: field 'm': /map in map.h5 has the shape (3, "
                         "2, 2); give it that of the grid, (nz, ny, nx) = (2, 2, 3)");
    write_set("map.h5", "map", H5T_NATIVE_DOUBLE, 3, (const hsize_t[]){2, 2, 3}, value);
    assert_model_refused(MAP, NULL,
                         "model/field_from_file.cfg:5: field 'm': is nan in voxel (1, 0, 1); give "
                         "a finite number everywhere");
    assert_model_refused(MAP, SETS(IN_REGION),
                         "is nan in voxel (1, 0, 1); give a finite number wherever the field is");
    value[7] = 0;
    value[8] = INFINITY;
    write_set("map.h5", "map", H5T_NATIVE_DOUBLE, 3, (const hsize_t[]){2, 2, 3}, value);
    assert_model_refused(MAP, NULL, "is inf in voxel (2, 0, 1)");
    /* Infinite values outside the region do not matter. */
    struct rd_model m = model_from(MAP, SETS(IN_REGION));
    assert_true(at(&m, 0, 2, 0, 1) == 0);
    rd_model_free(&m);
    write_set("map.h5", "map", H5T_C_S1, 3, (const hsize_t[]){2, 2, 3}, letters);
    assert_model_refused(MAP, NULL,
                         "field 'm': /map in map.h5 has no numbers; name another data set");
}

/* Tests that large integers are taken if a double holds them exactly; the others are refused, not
   rounded. */
static void test_large_integers_of_maps(void **state)
{
    (void)state;
    static const int64_t odd[12] = {[7] = (INT64_C(1) << 53) + 1};
    static const uint64_t most[12] = {[7] = UINT64_MAX}, even[12] = {[7] = UINT64_C(1) << 63};
    write_set("map.h5", "map", H5T_NATIVE_INT64, 3, (const hsize_t[]){2, 2, 3}, odd);
    assert_model_refused(MAP, NULL,
                         "model/field_from_file.cfg:5: field 'm': /map in map.h5 has "
                         "9007199254740993 in voxel (1, 0, 1)");
    write_set("map.h5", "map", H5T_NATIVE_UINT64, 3, (const hsize_t[]){2, 2, 3}, most);
    assert_model_refused(MAP, NULL, "/map in map.h5 has 18446744073709551615 in voxel (1, 0, 1)");
    write_set("map.h5", "map", H5T_NATIVE_UINT64, 3, (const hsize_t[]){2, 2, 3}, even);
    struct rd_model m = model_from(MAP, NULL);
    assert_true(at(&m, 0, 1, 0, 1) == 0x1p63);
    rd_model_free(&m);
}

/* Tests that a field whose values cannot be made gives a message, and that fields that depend on it
   are not made. */
static void test_fields_without_values(void **state)
{
    (void)state;
    static const char *const messages[] = {"field 'f', value: 'x +, y', column 4",
                                           "field 'h': is inf in voxel (0, 0, 0)"};
    char *const text = model_text("model/invalid_fields.cfg");
    messages_are(text, messages, 2);
    free(text);
}

int test_fields(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values_at_centres),
        cmocka_unit_test(test_gradients_of_a_square),
        cmocka_unit_test(test_only_used_components_are_stored),
        cmocka_unit_test(test_field_in_a_region),
        cmocka_unit_test(test_drift_along_a_gradient),
        cmocka_unit_test(test_maps_of_hdf5),
        cmocka_unit_test(test_invalid_maps),
        cmocka_unit_test(test_large_integers_of_maps),
        cmocka_unit_test(test_fields_without_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
