/* borders - which hops a border limits, and where it lies. */
#ifndef RD_MODEL_BORDERS_H
#define RD_MODEL_BORDERS_H

#include "model/model.h"

/* Describes the transmission probability of hops between two regions, or its permeability. */
struct rd_border {
    int from, to;                /* indices into region */
    bool is_mutual;              /* the border acts in both directions */
    int32_t *species, n_species; /* species to which it applies; n_species = 0: all */
    uint64_t along;              /* bit of a surface: it does not limit hops on that surface */
    struct rd_expr pass; /* probability that a hop succeeds, or permeability; may use parameters */
    bool is_permeability;
    int normal_of; /* region whose boundary has the normals of the border, if its share is known */
    char *place;
};

/* Returns whether the border limits hops of the species. */
bool rd_borders_limit(const struct rd_model *m, const struct rd_border *b, int32_t species);

/* Returns whether a hop between voxels with these regions crosses the border. */
bool rd_borders_cross(const struct rd_border *b, uint64_t from, uint64_t to);

/* Holds the area of a border as that of a smooth surface, and as that of the faces of its voxels.
 */
struct rd_border_area {
    double smooth, faces;
};

/* Returns the area of the border; 0 if the grid has one axis, or if there is no memory. */
struct rd_border_area rd_borders_area(const struct rd_model *m, const struct rd_border *b);

/* Returns |n_k| at the face between the site and the next one along the axis k, n being the normal
   of the border; 1 if it is not known. */
double rd_borders_share(const struct rd_model *m, const struct rd_border *b, int64_t site,
                        int axis);

#endif
