/* check_regions - what `rdsim check` prints about regions, and about species confined to them. */
#ifndef RD_APP_CHECK_REGIONS_H
#define RD_APP_CHECK_REGIONS_H

#include "plan/plan.h"

#include <stdio.h>

/* Prints each region: how many voxels it has, and its shape. */
void rd_check_regions(FILE *out, const struct rd_model *m);

/* Prints each surface: its area, its voxels and its pieces, and the highest hop rate. */
void rd_check_surfaces(FILE *out, const struct rd_model *m);

/* Warns about surfaces whose area is not certain, and about each region of several pieces to which a moving species is confined: hops lead across
   common faces of voxels, so no molecule goes from one piece to another. */
void rd_check_pieces(FILE *out, const struct rd_plan *p);

#endif
