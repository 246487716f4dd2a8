/* region - which voxels lie in a shape, and which faces lie between two regions. A voxel belongs if
   its centre does. */
#ifndef RD_MODEL_REGION_H
#define RD_MODEL_REGION_H

#include "model/model.h"

/* Whether the voxel (i, j, k) of the grid lies in the region, if that is a shape of its own: not
   made of others, nor of labels. `where` is valued with these parameters; NAN if it is no number.
   Else 1 or 0. */
double rd_region_has(const struct rd_region *r, const struct rd_grid *g, const double *parameter,
                     const int32_t voxel[3]);

/* Whether a hop from a voxel of the regions `from` (bit r: it lies in region r) to one of `to` is
   one from region a into region b: from a voxel of a to a voxel of b, unless both lie in both. So
   either may contain the other. */
bool rd_region_crosses(uint64_t from, uint64_t to, int a, int b);

/* The shape in words: "a sphere at (2, 3), radius 0.25". */
void rd_region_describe(const struct rd_model *m, const struct rd_region *r, char *text,
                        size_t bytes);

#endif
