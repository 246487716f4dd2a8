/* region - which cells lie in a named shape. A cell belongs if its centre does. */
#ifndef RD_REGION_H
#define RD_REGION_H

#include "model.h"

/* Regions are made for at most so many cells: 32 GiB of masks. */
#define RD_REGION_SITES_MOST (INT64_C(1) << 32)

/* Whether the cell (i, j, k) of the grid belongs to the region. */
bool rd_region_has(const struct rd_region *r, const struct rd_grid *g, const int32_t cell[3]);

/* Bit r of mask[site] says whether the site belongs to region r; the caller frees. NULL with a
   sentence when memory is gone. A region without a cell is a fault. */
uint64_t *rd_region_masks(const struct rd_model *m, struct rd_error *e);

/* The different masks alone, n of them; for the rest as above, but without memory for each site. */
uint64_t *rd_region_overlaps(const struct rd_model *m, int *n, struct rd_error *e);

#endif
