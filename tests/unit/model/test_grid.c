/* test_grid - tests of the sizes of the lattice, as numbers and as expressions of parameters. */
#include "kernels/core/backend.h"
#include "model/model.h"
#include "model_file.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Makes the model with these settings; writes messages, if any, to messages. */
static bool make(struct rd_model *m, const char *const *sets, char messages[256])
{
    struct rd_error e = {0};
    rd_config *c = NULL;
    const bool made = model_read(&c, "model/grid.cfg", sets, &e) && rd_model_make(m, c, &e);
    snprintf(messages, 256, "%s", e.text ? e.text : "");
    rd_config_free(c);
    rd_error_free(&e);
    return made;
}

static void sizes_may_be_expressions(void **state)
{
    (void)state;
    struct rd_model m = {0};
    char messages[256];
    assert_true(make(&m, SETS("grid.voxels=(\"n\", 5, \"n / 4\")"), messages));
    assert_int_equal(m.grid.dim, 3);
    assert_int_equal(m.grid.size[0], 12);
    assert_int_equal(m.grid.size[1], 5);
    assert_int_equal(m.grid.size[2], 3);
    assert_int_equal(m.grid.n_sites, 180);
    rd_model_free(&m);
}

static void invalid_sizes_are_refused(void **state)
{
    (void)state;
    const char *const wrong[][2] = {
        {"grid.voxels=n / 5", "grid: voxels is 2.4; give an integer from 1 to 2147483647"},
        {"grid.voxels=(3, \"n - 12\")", "grid: voxels is 0; give an integer from 1"},
        {"grid.voxels=n ^ 9", "grid: voxels is 5.15978e+09; give an integer from 1"},
        {"grid.voxels=1 / 0", "grid: voxels is inf"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct rd_model m = {0};
        char messages[256];
        assert_false(make(&m, SETS(wrong[i][0]), messages));
        if (!strstr(messages, wrong[i][1]))
            fail_msg("'%s' is not in '%s'", wrong[i][1], messages);
        rd_model_free(&m);
    }
}

/* Tests 2^32 voxels with a region, which need 34 GB; the test is skipped on machines that have more
   memory. */
static void regions_above_memory_are_refused(void **state)
{
    (void)state;
    if (rd_backend_cpu.memory(NULL) > INT64_C(34) << 30)
        skip();
    struct rd_model m = {0};
    char messages[256];
    assert_false(
        make(&m,
             SETS("grid.voxels=(65536, 65536)",
                  "regions=( { name = \"b\"; sphere = { centre = (5, 5); radius = 3; }; } )"),
             messages));
    assert_non_null(strstr(messages, "regions of 4294967296 voxels need 34.4 GB, and"));
    rd_model_free(&m);
}

static void positions_are_printed_as_in_the_file(void **state)
{
    (void)state;
    static const struct {
        const char *voxels, *voxel, *point;
    } grid[] = {{"grid.voxels=9", "3", "0.5"},
                {"grid.voxels=(9, 9)", "(3, 4)", "(0.5, 1e+06)"},
                {"grid.voxels=(9, 9, 1)", "(3, 4, 0)", "(0.5, 1e+06, -2)"}};
    for (int i = 0; i < 3; i++) {
        struct rd_model m = {0};
        char messages[256];
        assert_true(make(&m, SETS(grid[i].voxels), messages));
        assert_string_equal(rd_grid_voxel(&m.grid, (int32_t[]){3, 4, 0}).text, grid[i].voxel);
        assert_string_equal(rd_grid_point(&m.grid, (double[]){0.5, 1e6, -2.0}).text, grid[i].point);
        rd_model_free(&m);
    }
}

/* Tests that a position on a face belongs to the upper voxel, and on the high face of the grid to
   the last voxel. This also holds if edge times number differs from the intended decimal. */
static void positions_on_faces_belong_to_the_upper_voxel(void **state)
{
    (void)state;
    static const double edges[] = {0.1, 0.2, 0.3, 0.7, 1e-3, 1.0 / 3.0, 12.5};
    static const double origins[] = {0, -0.3, 1e4};
    for (size_t i = 0; i < sizeof edges / sizeof *edges; i++)
        for (size_t k = 0; k < sizeof origins / sizeof *origins; k++) {
            const double edge = edges[i], low = origins[k];
            const struct rd_grid g = {
                .dim = 1, .size = {30, 1, 1}, .edge = {edge, 1, 1}, .origin = {low}};
            for (int32_t n = 0; n <= 30; n++)
                for (int side = -1; side <= 1; side++) {
                    char text[64];
                    snprintf(text, sizeof text, "%.15g", low + n * edge);
                    const double face = strtod(text, NULL) + 0.5e-9 * side * edge;
                    int32_t voxel = -1;
                    if (!rd_grid_find(&g, 0, face, &voxel) || voxel != (n < 30 ? n : 29))
                        fail_msg("face %d at %.17g is in voxel %d", (int)n, face, (int)voxel);
                }
            int32_t voxel;
            assert_true(rd_grid_find(&g, 0, low + 2.9 * edge, &voxel) && voxel == 2);
            assert_true(rd_grid_find(&g, 0, low + (3 - 1e-6) * edge, &voxel) && voxel == 2);
            assert_false(rd_grid_find(&g, 0, low - 1e-6 * edge, &voxel));
            assert_false(rd_grid_find(&g, 0, low + (30 + 1e-6) * edge, &voxel));
            assert_false(rd_grid_find(&g, 0, NAN, &voxel));
        }
}

int test_grid(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_may_be_expressions), cmocka_unit_test(invalid_sizes_are_refused),
        cmocka_unit_test(regions_above_memory_are_refused),
        cmocka_unit_test(positions_are_printed_as_in_the_file),
        cmocka_unit_test(positions_on_faces_belong_to_the_upper_voxel)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
