/* test_boundary - tests that values near the boundary of a region have the bits of those that are
   computed in all voxels. */
#include "make_model.h"

#include "kernels/core/real.h"
#include "model/boundary.h"
#include "model/boundary_faces.h"

#define ROUND "model/round_region.cfg"

enum { WEIGHTS = 1024 };

/* Changes the grid: edges of several lengths, and periodic walls whose last bricks are cut. */
static const char *const *const grids[] = {
    NULL,
    SETS("grid.voxels=(21,30,27)", "grid.edge=(0.1,0.02,0.07)", "grid.walls.y=periodic",
         "regions.in.sphere.centre=(0.2,0.3,1.0)"),
    SETS("grid.voxels=(40,41,9)", "grid.edge=(0.05,0.1,0.3)", "grid.walls.z=periodic"),
    SETS("grid.voxels=(45,20,20)"),
};
enum { N_GRIDS = sizeof grids / sizeof *grids };

/* Returns the weights of one axis, and sets how many there are to each side. */
static int weights_of(const struct rd_grid *g, int axis, double weight[WEIGHTS])
{
    double longest = 0.0, sum = 0.0;
    for (int a = 0; a < g->dim; a++)
        longest = g->edge[a] > longest ? g->edge[a] : longest;
    const double width = longest / g->edge[axis];
    const int n = (int)(6.0 * width + 1.0);
    for (int i = 0; i <= n; i++) {
        weight[i] = rd_exp(-0.5 * ((double)i / width) * ((double)i / width));
        sum += i == 0 ? weight[i] : 2.0 * weight[i];
    }
    for (int i = 0; i <= n; i++)
        weight[i] /= sum;
    return n;
}

/* Returns the site some voxels further along an axis. */
static int64_t site_along(const struct rd_grid *g, int64_t site, int axis, int n)
{
    for (; n != 0; n -= n < 0 ? -1 : 1)
        site = rd_boundary_beside(g, site, 2 * axis + (n > 0));
    return site;
}

/* Returns the region smoothed in all voxels, one axis after the other. */
static double *smooth_everywhere(const struct rd_model *m, int region)
{
    const size_t n = (size_t)m->grid.n_sites;
    double *const value = calloc(n, sizeof *value), *const before = calloc(n, sizeof *before);
    double weight[WEIGHTS];
    assert_true(value && before);
    for (size_t i = 0; i < n; i++)
        value[i] = (double)(m->mask[i] >> region & 1);
    for (int axis = 0; axis < m->grid.dim; axis++) {
        const int reach = weights_of(&m->grid, axis, weight);
        memcpy(before, value, n * sizeof *value);
        for (int64_t site = 0; site < m->grid.n_sites; site++) {
            int64_t ahead = site, behind = site;
            value[site] = weight[0] * before[site];
            for (int i = 1; i <= reach; i++) {
                ahead = site_along(&m->grid, ahead, axis, 1);
                behind = site_along(&m->grid, behind, axis, -1);
                value[site] += weight[i] * (before[ahead] + before[behind]);
            }
        }
    }
    free(before);
    return value;
}

/* Compares the boundary of a region of the grid with that of all voxels. */
typedef void compare_region(const struct rd_model *m, int grid, int region,
                            const struct rd_boundary *k);

/* Compares the boundaries of all regions of all grids. */
static void compare_all(compare_region *compare)
{
    for (int i = 0; i < N_GRIDS; i++) {
        struct rd_model m = model_from(ROUND, grids[i]);
        for (int r = 0; r < m.n_regions; r++) {
            struct rd_error e = {0};
            struct rd_boundary k;
            assert_true(rd_boundary_make(&k, &m, r, &e));
            compare(&m, i, r, &k);
            rd_boundary_free(&k);
        }
        rd_model_free(&m);
    }
}

static void compare_smoothing(const struct rd_model *m, int grid, int region,
                              const struct rd_boundary *k)
{
    double *const value = smooth_everywhere(m, region);
    for (int64_t site = 0; site < m->grid.n_sites; site++) {
        const double smoothed = rd_smoothing_at(&k->smooth, site);
        if (smoothed != value[site])
            fail_msg("grid %d, region %d, site %d: %a instead of %a", grid, region, (int)site,
                     smoothed, value[site]);
    }
    free(value);
}

static void smoothing_has_the_bits_of_all_voxels(void **state)
{
    (void)state;
    compare_all(compare_smoothing);
}

/* Returns |n_k| at the face behind the voxel, as the list of faces has it. */
static double listed_share(const struct rd_boundary_faces *faces, int64_t site, int axis)
{
    const struct rd_boundary_face *const f =
        rd_boundary_find(faces->face, faces->n, sizeof *f, site);
    return f ? f->share[axis] : 0.0;
}

static void compare_faces(const struct rd_model *m, int grid, int region,
                          const struct rd_boundary *k)
{
    (void)grid;
    struct rd_error e = {0};
    const struct rd_boundary_faces *const faces = rd_boundary_faces_of(m, region, &e);
    int n = 0;
    assert_non_null(faces);
    for (int64_t j = 0; j < k->n_near; j++)
        for (int axis = 0; axis < m->grid.dim; axis++) {
            const double share = rd_boundary_share(k, &k->near[j], 2 * axis + 1);
            n += share > 0.0;
            assert_true(listed_share(faces, k->near[j].site, axis) == share);
        }
    assert_true(n > 0);
    assert_ptr_equal(rd_boundary_faces_of(m, region, &e), faces);
}

static void faces_have_the_bits_of_all_voxels(void **state)
{
    (void)state;
    compare_all(compare_faces);
}

int test_boundary(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(smoothing_has_the_bits_of_all_voxels),
        cmocka_unit_test(faces_have_the_bits_of_all_voxels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
