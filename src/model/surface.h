/* surface - the boundary of a region as a smooth surface: the voxels near it, the area that each
   holds, and the rates of hops between them. */
#ifndef RD_MODEL_SURFACE_H
#define RD_MODEL_SURFACE_H

#include "model/model.h"

/* Finds the voxels of the surface and their areas; the masks of all regions must exist. Returns
   false with a message if the region has no boundary, or if there is no memory. */
bool rd_surface_make(const struct rd_model *m, struct rd_surface *s, struct rd_error *e);

/* Returns the voxel of the surface at the site; NULL if there is none. */
const struct rd_surface_voxel *rd_surface_at(const struct rd_surface *s, int64_t site);

/* Returns the voxel of the surface beyond a face of another one; NULL if there is none. */
const struct rd_surface_voxel *rd_surface_beside(const struct rd_model *m,
                                                 const struct rd_surface *s,
                                                 const struct rd_surface_voxel *from, int face);

/* Computes the rates of hops from a voxel of the surface towards the six faces, for diffusivity
   1. */
void rd_surface_rates(const struct rd_model *m, const struct rd_surface *s,
                      const struct rd_surface_voxel *from, double rate[RD_FACES]);

/* Returns the sum of the areas, or of the exchange areas on one side. */
double rd_surface_area(const struct rd_surface *s);

/* Returns T, a length squared: at diffusivity D a molecule leaves the surface by T / D later than
   it would if all voxels of the band exchanged molecules (surface_delay.c). side[0]: it leaves to
   the outside, side[1]: to the inside. 0 if there is no memory. */
double rd_surface_delay(const struct rd_model *m, const struct rd_surface *s, const bool side[2]);

/* Returns whether the species moves: with diffusivity 0 at the start, it stays in the voxels that
   exchange molecules. */
bool rd_surface_is_mobile(const struct rd_model *m, const struct rd_species *species);

/* Returns the part of the surface that a voxel offers to the species: its area for a species that
   moves, else its exchange area, divided by the number of sides. */
double rd_surface_measure(const struct rd_model *m, const struct rd_species *species, int64_t site);

/* Returns whether molecules of the species may be in the voxel, which lies in its region: on a
   surface only if the voxel offers a part of it. Elsewhere their reactions would never happen. */
bool rd_surface_holds(const struct rd_model *m, const struct rd_species *species, int64_t site);

#endif
