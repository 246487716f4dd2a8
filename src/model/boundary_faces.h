/* boundary_faces - the faces of the boundaries of all regions, with their normals. Each boundary is
   measured once, when it is first needed; the masks of all regions are final then. */
#ifndef RD_MODEL_BOUNDARY_FACES_H
#define RD_MODEL_BOUNDARY_FACES_H

#include "model/model.h"

/* Holds |n_k| at the faces between a voxel and the next ones along the axes, n being the unit
   normal; 0: the boundary does not lie there. */
struct rd_boundary_face {
    int64_t site;
    double share[3];
};

/* Holds the faces of a region's boundary, by rising site. */
struct rd_boundary_faces {
    struct rd_boundary_face *face; /* NULL: not measured */
    int64_t n;
};

/* Holds what is known of the boundaries of all regions. */
struct rd_boundaries {
    int64_t *before; /* rising sites whose regions differ from those of the next one along an axis;
                        NULL: not listed */
    int64_t n_before;
    struct rd_boundary_faces of[RD_MAX_REGIONS];
};

/* Returns the boundaries of a model with masks. Lists the sites before faces at the first call;
   returns NULL with a message if there is no memory. */
const struct rd_boundaries *rd_boundary_faces_list(const struct rd_model *m, struct rd_error *e);
/* Returns the faces of the region's boundary. Measures them at the first call; returns NULL with a
   message if there is no memory. */
const struct rd_boundary_faces *rd_boundary_faces_of(const struct rd_model *m, int region,
                                                     struct rd_error *e);
void rd_boundary_faces_free(struct rd_boundaries *all);

/* Returns the sum of 1 - |n_k| over the faces of the region's boundary: 0 if it is a box along the
   grid, or if there is no memory. */
double rd_boundary_faces_steps(const struct rd_model *m, int region);

#endif
