/* test_region - which cells lie in boxes, spheres, cylinders and capsules, in 1 to 3 dimensions. */
#include "region.h"

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

static int cells_in(const struct rd_region *r, const struct rd_grid *g)
{
    int n = 0;
    for (int32_t k = 0; k < g->size[2]; k++)
        for (int32_t j = 0; j < g->size[1]; j++)
            for (int32_t i = 0; i < g->size[0]; i++)
                n += rd_region_has(r, g, (const int32_t[]){i, j, k});
    return n;
}

static void box_is_half_open(void **state)
{
    (void)state;
    const struct rd_grid g = grid_of(2, 6, 4, 1);
    const struct rd_region r = {.shape = RD_SHAPE_BOX, .from = {0.5, 1}, .to = {2.5, 4}};
    assert_true(rd_region_has(&r, &g, (const int32_t[]){0, 1, 0}));  /* centre on from */
    assert_false(rd_region_has(&r, &g, (const int32_t[]){2, 1, 0})); /* centre on to */
    assert_false(rd_region_has(&r, &g, (const int32_t[]){0, 0, 0}));
    assert_int_equal(cells_in(&r, &g), 2 * 3);
}

static void sphere_of_nineteen_cells(void **state)
{
    (void)state;
    const struct rd_grid g = grid_of(3, 5, 6, 7);
    const struct rd_region r = {.shape = RD_SHAPE_SPHERE, .from = {2.5, 2.5, 3.5}, .radius = 1.5};
    assert_int_equal(cells_in(&r, &g), 1 + 6 + 12); /* at distances 0, 1 and sqrt 2 */
}

static void disc_ignores_z(void **state)
{
    (void)state;
    const struct rd_grid g = grid_of(2, 5, 5, 1);
    const struct rd_region r = {.shape = RD_SHAPE_SPHERE, .from = {2.5, 2.5, 100}, .radius = 1};
    assert_int_equal(cells_in(&r, &g), 5);
    const struct rd_grid layer = grid_of(3, 5, 5, 1);
    assert_int_equal(cells_in(&r, &layer), 0);
}

static void ends_are_flat_or_round(void **state)
{
    (void)state;
    const struct rd_grid g = grid_of(2, 8, 5, 1);
    struct rd_region r = {
        .shape = RD_SHAPE_CYLINDER, .from = {2, 2.5}, .to = {6, 2.5}, .radius = 1};
    assert_int_equal(cells_in(&r, &g), 4 * 3);
    r.shape = RD_SHAPE_CAPSULE;
    assert_int_equal(cells_in(&r, &g), 4 * 3 + 2);
}

static void line_has_intervals(void **state)
{
    (void)state;
    const struct rd_grid g = grid_of(1, 20, 1, 1);
    struct rd_region r = {.shape = RD_SHAPE_SPHERE, .from = {5, 9, 9}, .radius = 2};
    assert_int_equal(cells_in(&r, &g), 4);
    r = (struct rd_region){.shape = RD_SHAPE_CAPSULE, .from = {5}, .to = {8}, .radius = 2};
    assert_int_equal(cells_in(&r, &g), 7);
    r.shape = RD_SHAPE_CYLINDER;
    assert_int_equal(cells_in(&r, &g), 3);
}

/* A slanting tube, mirrored by exchanging the axes and its ends, holds the mirrored cells. */
static void shapes_are_the_same_along_all_axes(void **state)
{
    (void)state;
    const struct rd_grid g = grid_of(3, 7, 8, 9), h = grid_of(3, 9, 7, 8);
    for (enum rd_shape shape = RD_SHAPE_CYLINDER; shape <= RD_SHAPE_CAPSULE; shape++) {
        const struct rd_region r = {
            .shape = shape, .from = {1, 2, 3}, .to = {6, 5, 4.25}, .radius = 1.8};
        const struct rd_region s = {
            .shape = shape, .from = {4.25, 6, 5}, .to = {3, 1, 2}, .radius = 1.8};
        assert_in_range(cells_in(&r, &g), 20, 7 * 8 * 9 / 2);
        for (int32_t k = 0; k < 9; k++)
            for (int32_t j = 0; j < 8; j++)
                for (int32_t i = 0; i < 7; i++)
                    assert_int_equal(rd_region_has(&r, &g, (const int32_t[]){i, j, k}),
                                     rd_region_has(&s, &h, (const int32_t[]){k, i, j}));
    }
}

static void origin_and_edges_count(void **state)
{
    (void)state;
    struct rd_grid g = grid_of(2, 10, 10, 1);
    g.edge[0] = 0.5;
    g.edge[1] = 2;
    g.origin[0] = -2.5;
    g.origin[1] = 100;
    const struct rd_region r = {.shape = RD_SHAPE_BOX, .from = {-1, 104}, .to = {1, 108}};
    assert_int_equal(cells_in(&r, &g), 4 * 2);
    assert_true(rd_region_has(&r, &g, (const int32_t[]){3, 2, 0}));
}

/* Two overlapping boxes on a line of six: .AA#BB with # in both. */
static struct rd_region two_boxes[] = {
    {.name = (char *)"A", .place = (char *)"m:1", .from = {1}, .to = {4}},
    {.name = (char *)"B", .place = (char *)"m:2", .from = {3}, .to = {6}},
};

static void masks_have_a_bit_per_region(void **state)
{
    (void)state;
    const struct rd_model m = {.grid = grid_of(1, 6, 1, 1), .region = two_boxes, .n_regions = 2};
    struct rd_error e = {0};
    uint64_t *const mask = rd_region_masks(&m, &e);
    assert_non_null(mask);
    const uint64_t expected[] = {0, 1, 1, 3, 2, 2};
    assert_memory_equal(mask, expected, sizeof expected);
    free(mask);
    int n;
    uint64_t *const overlap = rd_region_overlaps(&m, &n, &e);
    assert_int_equal(n, 4);
    assert_int_equal(overlap[0] | overlap[1] << 4 | overlap[2] << 8 | overlap[3] << 12, 0x2310);
    free(overlap);
}

static void sites_run_along_x_first(void **state)
{
    (void)state;
    struct rd_region one = {.name = (char *)"one",
                            .place = (char *)"m:1",
                            .shape = RD_SHAPE_SPHERE,
                            .from = {1.5, 2.5, 3.5},
                            .radius = 0.1};
    const struct rd_model m = {.grid = grid_of(3, 4, 5, 6), .region = &one, .n_regions = 1};
    struct rd_error e = {0};
    uint64_t *const mask = rd_region_masks(&m, &e);
    assert_non_null(mask);
    for (int64_t site = 0; site < m.grid.n_sites; site++)
        assert_int_equal(mask[site], site == (3 * 5 + 2) * 4 + 1);
    free(mask);
}

static void region_without_cells_is_a_fault(void **state)
{
    (void)state;
    struct rd_region small = {.name = (char *)"dot",
                              .place = (char *)"m.cfg:7",
                              .shape = RD_SHAPE_SPHERE,
                              .from = {2, 3},
                              .radius = 0.25};
    const struct rd_model m = {.grid = grid_of(2, 6, 6, 1), .region = &small, .n_regions = 1};
    struct rd_error e = {0};
    int n;
    assert_null(rd_region_masks(&m, &e));
    assert_null(rd_region_overlaps(&m, &n, &e));
    assert_int_equal(e.n, 1); /* the same sentence */
    assert_string_equal(e.text, "m.cfg:7: region 'dot' holds no cell's centre (a sphere at (2, 3), "
                                "radius 0.25; cells measure (1, 1)); make it larger or move it "
                                "into the grid");
    rd_error_free(&e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(box_is_half_open),
        cmocka_unit_test(sphere_of_nineteen_cells),
        cmocka_unit_test(disc_ignores_z),
        cmocka_unit_test(ends_are_flat_or_round),
        cmocka_unit_test(line_has_intervals),
        cmocka_unit_test(shapes_are_the_same_along_all_axes),
        cmocka_unit_test(origin_and_edges_count),
        cmocka_unit_test(masks_have_a_bit_per_region),
        cmocka_unit_test(sites_run_along_x_first),
        cmocka_unit_test(region_without_cells_is_a_fault),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
