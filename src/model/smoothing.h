/* smoothing - a region as numbers: 1 in its voxels and 0 outside, smoothed by a normal density
   whose standard deviation is the longest edge. */
#ifndef RD_MODEL_SMOOTHING_H
#define RD_MODEL_SMOOTHING_H

#include "model/grid.h"

#include <stddef.h>

/* Sets the edge of a brick in voxels. Values are computed in bricks near the boundary only. */
enum { RD_BRICK = 8 };

struct rd_smoothing {
    const struct rd_grid *g;
    const uint64_t *mask;
    int region;
    double whole;  /* value far inside the region */
    double *value; /* [site]; 0: see rd_smoothing_at */
    int32_t n_bricks[3];
    uint8_t *is_mixed; /* [brick]: voxels of both kinds may be in reach, so it has values */
};

/* Smooths the region. `before_face`: n sites, which include all that lie before a face of the
   region's boundary. The masks must remain as long as the smoothing. Returns false if there is no
   memory. The caller frees it in both cases. */
bool rd_smoothing_make(struct rd_smoothing *s, const struct rd_grid *g, const uint64_t *mask,
                       int region, const int64_t *before_face, int64_t n);

void rd_smoothing_free(struct rd_smoothing *s);

static inline bool rd_smoothing_is_inside(const struct rd_smoothing *s, int64_t site)
{
    return s->mask[site] >> s->region & 1;
}

/* Returns the value at the centre of the voxel. A voxel of the region has a value above 0, so that
   0 there means that none is stored. */
static inline double rd_smoothing_at(const struct rd_smoothing *s, int64_t site)
{
    const double value = s->value[site];
    return value != 0.0 ? value : rd_smoothing_is_inside(s, site) ? s->whole : 0.0;
}

/* Returns the value at a point, between the centres of voxels. */
double rd_smoothing_point(const struct rd_smoothing *s, const double point[3]);

/* Returns whether the brick of the voxel has values. */
bool rd_smoothing_is_mixed(const struct rd_smoothing *s, const int32_t at[3]);

#endif
