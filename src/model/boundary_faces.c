/* boundary_faces - measures the faces of the boundaries of regions, each boundary once. */
#include "model/boundary_faces.h"

#include "base/memory.h"
#include "model/boundary.h"

#include <stdlib.h>

const struct rd_boundaries *rd_boundary_faces_list(const struct rd_model *m, struct rd_error *e)
{
    struct rd_boundaries *const all = m->boundaries;
    if (!all->before)
        all->before = rd_boundary_list(m, UINT64_MAX, &all->n_before);
    if (all->before)
        return all;
    rd_fail(e, "out of memory for the boundaries of regions");
    return NULL;
}

/* Returns the sites before faces of the region's boundary, and sets *n; the caller frees them. */
static int64_t *list_region(const struct rd_model *m, int region, int64_t *n, struct rd_error *e)
{
    const struct rd_boundaries *const all = rd_boundary_faces_list(m, e);
    int64_t *const site = all ? malloc(((size_t)all->n_before + 1) * sizeof *site) : NULL;
    *n = 0;
    if (all && !site)
        rd_fail(e, "out of memory for the boundary of region '%s'", m->region[region].name);
    for (int64_t i = 0; site && i < all->n_before; i++) {
        const int64_t here = all->before[i];
        uint64_t other = 0;
        for (int face = 1; face < 2 * m->grid.dim; face += 2)
            other |= m->mask[here] ^ m->mask[rd_boundary_beside(&m->grid, here, face)];
        if (other >> region & 1)
            site[(*n)++] = here;
    }
    return site;
}

/* Copies the faces of a boundary that is measured; there are at most `most` sites before them. */
static bool copy_faces(const struct rd_boundary *k, int64_t most, struct rd_boundary_faces *faces,
                       struct rd_error *e)
{
    faces->face = calloc((size_t)most + 1, sizeof *faces->face);
    if (!faces->face)
        return rd_fail(e, "out of memory for the boundary of region '%s'", k->of->name);
    for (int64_t i = 0; i < k->n_near; i++) {
        struct rd_boundary_face f = {.site = k->near[i].site};
        for (int face = 1; k->near[i].steps == 0 && face < 2 * k->g->dim; face += 2)
            f.share[face / 2] = rd_boundary_share(k, &k->near[i], face);
        if (f.share[0] + f.share[1] + f.share[2] > 0.0)
            faces->face[faces->n++] = f;
    }
    return true;
}

const struct rd_boundary_faces *rd_boundary_faces_of(const struct rd_model *m, int region,
                                                     struct rd_error *e)
{
    struct rd_boundary_faces *const faces = &m->boundaries->of[region];
    if (faces->face)
        return faces;
    struct rd_boundary k = {0};
    int64_t n;
    int64_t *const before = list_region(m, region, &n, e);
    const bool ok = before && rd_boundary_make_faces(&k, m, region, before, n, e) &&
                    copy_faces(&k, n, faces, e);
    free(before);
    rd_boundary_free(&k);
    return ok ? faces : NULL;
}

void rd_boundary_faces_free(struct rd_boundaries *all)
{
    for (int r = 0; all && r < RD_MAX_REGIONS; r++)
        free(all->of[r].face);
    if (all)
        free(all->before);
    free(all);
}

double rd_boundary_faces_steps(const struct rd_model *m, int region)
{
    struct rd_error ignored = {0};
    const struct rd_boundary_faces *const faces = rd_boundary_faces_of(m, region, &ignored);
    double sum = 0.0;
    if (!faces)
        rd_memory_guard(NULL);
    for (int64_t i = 0; faces && i < faces->n; i++)
        for (int axis = 0; axis < m->grid.dim; axis++) {
            const double share = faces->face[i].share[axis];
            sum += share > 0.0 ? 1.0 - share : 0.0;
        }
    rd_error_free(&ignored);
    return sum;
}
