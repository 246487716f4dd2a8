/* masks - the regions of every voxel. */
#ifndef RD_MODEL_MASKS_H
#define RD_MODEL_MASKS_H

#include "model/model.h"

/* Regions are made for at most so many voxels: 32 GiB of masks. */
#define RD_MASKS_SITES_MOST (INT64_C(1) << 32)

/* Bit r of mask[site] says whether the site belongs to region r; the caller frees. NULL with
   sentences: regions made of each other in a circle, without a voxel, or of labels that cannot be
   read. */
uint64_t *rd_masks_make(const struct rd_model *m, struct rd_error *e);

/* The different masks of n sites, each once; the caller frees. NULL without memory. */
uint64_t *rd_masks_overlaps(const uint64_t *mask, int64_t n, int *n_overlaps);

/* Whether some hop leads from region a across the border into region b. */
bool rd_masks_touch(const struct rd_model *m, int a, int b);
/* Whether some voxel of the region lies at the face of the box. */
bool rd_masks_reach(const struct rd_model *m, int region, int face);

#endif
