/* region - the voxels in a shape, and the faces between two regions. A voxel belongs to a shape
   that contains its centre. */
#ifndef RD_MODEL_REGION_H
#define RD_MODEL_REGION_H

#include "model/model.h"

/* Returns 1 if the voxel (i, j, k) of the grid lies in the region, else 0. The region must be a
   geometric shape or a condition, not labels or made of others. The condition `where` is evaluated
   with these parameters; if it is not a finite number, NAN is returned. */
double rd_region_has(const struct rd_region *r, const struct rd_grid *g, const double *parameter,
                     const int32_t voxel[3]);

/* Returns 1 if the region contains the point, which may lie outside of the grid, else 0. NAN if it
   depends on labels or on voxels that touch, or if a condition is not a finite number. */
double rd_region_has_point(const struct rd_model *m, const struct rd_region *r,
                           const double point[3]);

/* Returns whether a hop between two voxels crosses from region a into region b. `from` and `to` are
   the regions of the voxels (bit r: it lies in region r). The first voxel must lie in a, the second
   in b, and not both in both; so either region may contain the other. */
bool rd_region_crosses(uint64_t from, uint64_t to, int a, int b);

/* Writes a description of the shape: "a sphere at (2, 3), radius 0.25". */
void rd_region_describe(const struct rd_model *m, const struct rd_region *r, char *text,
                        size_t bytes);

#endif
