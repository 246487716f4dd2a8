/* test_region - tests of the voxels in boxes, spheres, cylinders, capsules, half-spaces and
   ellipsoids, in 1 to 3 dimensions, and of hops that cross the border of two regions. */
#include "model/region.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct rd_grid grid_of(int dim, int32_t nx, int32_t ny, int32_t nz)
{
    return (struct rd_grid){.dim = dim,
                            .size = {nx, ny, nz},
                            .edge = {1, 1, 1},
                            .n_sites = (int64_t)nx * ny * nz,
                            .volume = 1};
}

static bool has(const struct rd_region *r, const struct rd_grid *g, int32_t i, int32_t j, int32_t k)
{
    return rd_region_has(r, g, NULL, (const int32_t[]){i, j, k}) != 0;
}

static int voxels_in(const struct rd_region *r, const struct rd_grid *g)
{
    int n = 0;
    for (int32_t k = 0; k < g->size[2]; k++)
        for (int32_t j = 0; j < g->size[1]; j++)
            for (int32_t i = 0; i < g->size[0]; i++)
                n += has(r, g, i, j, k);
    return n;
}

static void box_is_half_open(void **state)
{
    (void)state;
    const struct rd_grid g = grid_of(2, 6, 4, 1);
    const struct rd_region r = {.shape = RD_SHAPE_BOX, .from = {0.5, 1}, .to = {2.5, 4}};
    assert_true(has(&r, &g, 0, 1, 0));  /* the centre lies on `from` */
    assert_false(has(&r, &g, 2, 1, 0)); /* the centre lies on `to` */
    assert_false(has(&r, &g, 0, 0, 0));
    assert_int_equal(voxels_in(&r, &g), 2 * 3);
}

static void sphere_has_nineteen_voxels(void **state)
{
    (void)state;
    const struct rd_grid g = grid_of(3, 5, 6, 7);
    const struct rd_region r = {.shape = RD_SHAPE_SPHERE, .from = {2.5, 2.5, 3.5}, .radius = 1.5};
    assert_int_equal(voxels_in(&r, &g), 1 + 6 + 12); /* at distances 0, 1 and sqrt 2 */
}

static void disc_ignores_z(void **state)
{
    (void)state;
    const struct rd_grid g = grid_of(2, 5, 5, 1);
    const struct rd_region r = {.shape = RD_SHAPE_SPHERE, .from = {2.5, 2.5, 100}, .radius = 1};
    assert_int_equal(voxels_in(&r, &g), 5);
    const struct rd_grid layer = grid_of(3, 5, 5, 1);
    assert_int_equal(voxels_in(&r, &layer), 0);
}

static void ends_are_flat_or_round(void **state)
{
    (void)state;
    const struct rd_grid g = grid_of(2, 8, 5, 1);
    struct rd_region r = {
        .shape = RD_SHAPE_CYLINDER, .from = {2, 2.5}, .to = {6, 2.5}, .radius = 1};
    assert_int_equal(voxels_in(&r, &g), 4 * 3);
    r.shape = RD_SHAPE_CAPSULE;
    assert_int_equal(voxels_in(&r, &g), 4 * 3 + 2);
}

static void line_has_intervals(void **state)
{
    (void)state;
    const struct rd_grid g = grid_of(1, 20, 1, 1);
    struct rd_region r = {.shape = RD_SHAPE_SPHERE, .from = {5, 9, 9}, .radius = 2};
    assert_int_equal(voxels_in(&r, &g), 4);
    r = (struct rd_region){.shape = RD_SHAPE_CAPSULE, .from = {5}, .to = {8}, .radius = 2};
    assert_int_equal(voxels_in(&r, &g), 7);
    r.shape = RD_SHAPE_CYLINDER;
    assert_int_equal(voxels_in(&r, &g), 3);
}

/* Tests that a slanting tube, mirrored by swapping the axes and its ends, holds the mirrored
   voxels. */
static void shapes_are_equal_along_all_axes(void **state)
{
    (void)state;
    const struct rd_grid g = grid_of(3, 7, 8, 9), h = grid_of(3, 9, 7, 8);
    for (enum rd_shape shape = RD_SHAPE_CYLINDER; shape <= RD_SHAPE_CAPSULE; shape++) {
        const struct rd_region r = {
            .shape = shape, .from = {1, 2, 3}, .to = {6, 5, 4.25}, .radius = 1.8};
        const struct rd_region s = {
            .shape = shape, .from = {4.25, 6, 5}, .to = {3, 1, 2}, .radius = 1.8};
        assert_in_range(voxels_in(&r, &g), 20, 7 * 8 * 9 / 2);
        for (int32_t k = 0; k < 9; k++)
            for (int32_t j = 0; j < 8; j++)
                for (int32_t i = 0; i < 7; i++)
                    assert_int_equal(has(&r, &g, i, j, k), has(&s, &h, k, i, j));
    }
}

static void origin_and_edges_are_used(void **state)
{
    (void)state;
    struct rd_grid g = grid_of(2, 10, 10, 1);
    g.edge[0] = 0.5;
    g.edge[1] = 2;
    g.origin[0] = -2.5;
    g.origin[1] = 100;
    const struct rd_region r = {.shape = RD_SHAPE_BOX, .from = {-1, 104}, .to = {1, 108}};
    assert_int_equal(voxels_in(&r, &g), 4 * 2);
    assert_true(has(&r, &g, 3, 2, 0));
}

static void half_space_includes_its_face(void **state)
{
    (void)state;
    const struct rd_grid g = grid_of(2, 6, 4, 1);
    struct rd_region r = {.shape = RD_SHAPE_HALF_SPACE, .from = {2.5, 99}, .to = {-3, 0}};
    assert_int_equal(voxels_in(&r, &g), 3 * 4); /* x <= 2.5 */
    assert_true(has(&r, &g, 2, 0, 0));
    assert_false(has(&r, &g, 3, 0, 0));
    r = (struct rd_region){.shape = RD_SHAPE_HALF_SPACE, .to = {1, -1}};
    assert_true(has(&r, &g, 3, 3, 0)); /* on the oblique face */
    assert_false(has(&r, &g, 2, 3, 0));
    assert_int_equal(voxels_in(&r, &g), 6 + 5 + 4 + 3);
}

static void ellipsoid_has_radii(void **state)
{
    (void)state;
    const struct rd_grid g = grid_of(3, 9, 7, 5);
    const struct rd_region r = {
        .shape = RD_SHAPE_ELLIPSOID, .from = {4.5, 3.5, 2.5}, .to = {3, 2, 0.5}};
    /* rows y = 1.5 to 5.5 have 1, 5, 7, 5, 1 voxels: x^2 / 9 + y^2 / 4 <= 1 */
    assert_int_equal(voxels_in(&r, &g), 1 + 5 + 7 + 5 + 1);
    assert_true(has(&r, &g, 1, 3, 2) && has(&r, &g, 4, 1, 2));
    assert_false(has(&r, &g, 4, 3, 3));
    const struct rd_region ball = {
        .shape = RD_SHAPE_ELLIPSOID, .from = {4.5, 3.5, 2.5}, .to = {2, 2, 2}};
    struct rd_region sphere = ball;
    sphere.shape = RD_SHAPE_SPHERE;
    sphere.radius = 2;
    assert_int_equal(voxels_in(&ball, &g), voxels_in(&sphere, &g));
}

/* Tests that centres on a surface belong to the shape, whatever the rounding of edge * (i +
   1/2). */
static void centres_on_a_surface_are_inside(void **state)
{
    (void)state;
    struct rd_grid g = grid_of(1, 40, 1, 1);
    g.edge[0] = 0.3; /* centre 4 is 1.3499999999999999, centre 7 is 2.25, centre 11 is below 3.45 */
    const struct rd_region box = {.shape = RD_SHAPE_BOX, .from = {1.35}, .to = {3.45}};
    assert_true(has(&box, &g, 4, 0, 0) && has(&box, &g, 10, 0, 0));
    assert_false(has(&box, &g, 3, 0, 0) || has(&box, &g, 11, 0, 0));
    const struct rd_region half = {.shape = RD_SHAPE_HALF_SPACE, .from = {1.35}, .to = {2}};
    assert_true(has(&half, &g, 4, 0, 0) && !has(&half, &g, 3, 0, 0));
    const struct rd_region tube = {
        .shape = RD_SHAPE_CYLINDER, .from = {1.35}, .to = {2.25}, .radius = 1};
    assert_int_equal(voxels_in(&tube, &g), 4);
    g.edge[0] = 0.1; /* symmetric about 0.55: voxels 2 to 8 */
    struct rd_region ball = {.shape = RD_SHAPE_SPHERE, .from = {0.55}, .radius = 0.3};
    assert_true(has(&ball, &g, 2, 0, 0) && has(&ball, &g, 8, 0, 0));
    assert_int_equal(voxels_in(&ball, &g), 7);
    ball = (struct rd_region){.shape = RD_SHAPE_ELLIPSOID, .from = {0.55}, .to = {0.3}};
    assert_int_equal(voxels_in(&ball, &g), 7);
}

/* Tests faces between two regions that are disjoint, that overlap, or of which one contains the
   other. */
static void faces_between_regions(void **state)
{
    (void)state;
    enum { A = 1, B = 2, BOTH = 3 };
    static const struct {
        uint64_t from, to;
        bool crosses; /* from region 0 into region 1 */
    } hop[] = {{A, B, true},     {B, A, false},    {A, A, false},       {B, B, false},
               {A, BOTH, true},  {BOTH, A, false}, {BOTH, B, true},     {B, BOTH, false},
               {0, B, false},    {A, 0, false},    {BOTH, BOTH, false}, {0, BOTH, false},
               {A | 4, B, true}, {A, B | 4, true}};
    for (size_t i = 0; i < sizeof hop / sizeof *hop; i++)
        assert_int_equal(rd_region_crosses(hop[i].from, hop[i].to, 0, 1), hop[i].crosses);
}

/* Returns what is known of a point in a region that is made of regions 0 to 2: from 0 to 2 and from
   1 to 4 along x, and voxels with a label, which are not known. */
static double has_point(enum rd_shape shape, int whole, uint64_t parts, double x)
{
    struct rd_region region[] = {{.shape = RD_SHAPE_BOX, .to = {2}, .whole = -1},
                                 {.shape = RD_SHAPE_BOX, .from = {1}, .to = {4}, .whole = -1},
                                 {.shape = RD_SHAPE_LABELS, .whole = -1},
                                 {.shape = shape, .whole = whole, .parts = parts}};
    const struct rd_model m = {.grid = grid_of(1, 6, 1, 1), .region = region, .n_regions = 3};
    return rd_region_has_point(&m, &region[3], (const double[]){x, 0, 0});
}

static void points_are_in_parts_of_regions(void **state)
{
    (void)state;
    enum { LEFT = 1, RIGHT = 2, BOTH = 3, UNKNOWN = 4 };
    static const struct {
        enum rd_shape shape;
        int whole;
        uint64_t parts;
        int has[4]; /* at 0.5, 1.5, 3 and 5; -1: not known */
    } made[] = {{RD_SHAPE_UNION, -1, BOTH, {1, 1, 1, 0}},
                {RD_SHAPE_INTERSECTION, -1, BOTH, {0, 1, 0, 0}},
                {RD_SHAPE_DIFFERENCE, 0, RIGHT, {1, 0, 0, 0}},
                {RD_SHAPE_DIFFERENCE, 1, LEFT, {0, 0, 1, 0}},
                {RD_SHAPE_COMPLEMENT, -1, LEFT, {0, 0, 1, 1}},
                {RD_SHAPE_COMPLEMENT, -1, BOTH, {0, 0, 0, 1}},
                {RD_SHAPE_COMPLEMENT, -1, UNKNOWN, {-1, -1, -1, -1}},
                {RD_SHAPE_DIFFERENCE, 2, LEFT, {-1, -1, -1, -1}},
                {RD_SHAPE_TOUCHING, 0, RIGHT, {-1, -1, -1, -1}}};
    static const double at[] = {0.5, 1.5, 3, 5};
    for (size_t i = 0; i < sizeof made / sizeof *made; i++)
        for (int k = 0; k < 4; k++) {
            const double found = has_point(made[i].shape, made[i].whole, made[i].parts, at[k]);
            assert_true(made[i].has[k] < 0 ? found != found : found == made[i].has[k]);
        }
}

int test_region(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(box_is_half_open),
        cmocka_unit_test(sphere_has_nineteen_voxels),
        cmocka_unit_test(disc_ignores_z),
        cmocka_unit_test(ends_are_flat_or_round),
        cmocka_unit_test(line_has_intervals),
        cmocka_unit_test(shapes_are_equal_along_all_axes),
        cmocka_unit_test(origin_and_edges_are_used),
        cmocka_unit_test(half_space_includes_its_face),
        cmocka_unit_test(ellipsoid_has_radii),
        cmocka_unit_test(centres_on_a_surface_are_inside),
        cmocka_unit_test(faces_between_regions),
        cmocka_unit_test(points_are_in_parts_of_regions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
