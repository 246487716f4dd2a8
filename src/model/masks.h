/* masks - the regions of every voxel, one bit each. */
#ifndef RD_MODEL_MASKS_H
#define RD_MODEL_MASKS_H

#include "model/model.h"

/* Sets the most voxels of a lattice with regions: 32 GiB of masks. */
#define RD_MASKS_SITES_MOST (INT64_C(1) << 32)

/* Returns the masks: bit r of mask[site] is set if the site belongs to region r. The caller frees
   them. Returns NULL with messages if regions are made of each other in a circle, contain no voxel,
   or have labels that cannot be read. */
uint64_t *rd_masks_make(const struct rd_model *m, struct rd_error *e);

/* Returns the distinct masks of n sites; the caller frees them. Returns NULL if there is no
   memory. */
uint64_t *rd_masks_overlaps(const uint64_t *mask, int64_t n, int *n_overlaps);

/* Returns whether any voxel of the region lies at the face of the lattice. */
bool rd_masks_reach(const struct rd_model *m, int region, int face);

#endif
