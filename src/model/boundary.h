/* boundary - the boundary of a region between its voxels and others: the voxels near it, their
   distances from it, and its normals. Surfaces and borders are made of them. */
#ifndef RD_MODEL_BOUNDARY_H
#define RD_MODEL_BOUNDARY_H

#include "model/model.h"
#include "model/smoothing.h"

#include <stddef.h>

/* Describes a voxel near the boundary. */
struct rd_near {
    int64_t site;
    double distance;  /* negative outside of the region; INFINITY: the boundary is too far */
    double normal[3]; /* into the region, of any length; 0 beyond the dimension */
    int steps;        /* from the faces of the boundary; 0 if all voxels near it are listed */
};

/* Describes the boundary of a region. */
struct rd_boundary {
    const struct rd_model *m;
    const struct rd_grid *g;
    const struct rd_region *of;
    int region;     /* its index */
    double longest; /* edge */
    struct rd_smoothing smooth;
    int32_t *at;          /* [site]: 1 + index into near[], or 0 */
    struct rd_near *near; /* by rising site */
    int64_t n_near;
};

/* Finds the voxels near the boundary of the region; the masks of all regions must exist. Returns
   false with a message if there is no memory. The caller frees it in both cases. */
bool rd_boundary_make(struct rd_boundary *k, const struct rd_model *m, int region,
                      struct rd_error *e);

/* Does the same with the voxels at faces of the boundary, and with those that decide on their
   normals. before: n sites that include all that lie before its faces. */
bool rd_boundary_make_faces(struct rd_boundary *k, const struct rd_model *m, int region,
                            const int64_t *before, int64_t n, struct rd_error *e);

void rd_boundary_free(struct rd_boundary *k);

/* Returns the sites, by rising number, that differ in one of these regions (bits) from the next one
   along an axis, and sets *n. The caller frees them. Returns NULL if there is no memory. */
int64_t *rd_boundary_list(const struct rd_model *m, uint64_t regions, int64_t *n);

bool rd_boundary_is_inside(const struct rd_boundary *k, int64_t site);

/* Returns the site beside another one, or that site itself at a wall that is not periodic. */
int64_t rd_boundary_beside(const struct rd_grid *g, int64_t site, int face);

/* Returns |n_k|, n being the unit normal between the voxel and the one beyond the face, and k the
   axis of the face; 0 if the boundary does not lie between them. A plane crosses |n_k| / (h h)
   faces of axis k per area, so that the shares times the areas of the faces add up to its area. */
double rd_boundary_share(const struct rd_boundary *k, const struct rd_near *n, int face);

/* Returns the one of n structures that is of the site, or NULL. Each begins with its site, and the
   sites rise. */
const void *rd_boundary_find(const void *list, int64_t n, size_t size, int64_t site);

#endif
