/* microscopic - the rate constant of voxels for two molecules that react when they touch. */
#ifndef RD_PLAN_MICROSCOPIC_H
#define RD_PLAN_MICROSCOPIC_H

#include "plan/plan.h"

/* In the convention of the configuration: k of 2 A -> B means d[A]/dt = -2 k [A]^2. */
struct rd_microscopic {
    double intrinsic, radius; /* k_r and s, as configured */
    double ratio;             /* k / k_r, k being the rate constant of the voxels */
    double smallest;          /* h*: voxels of an edge up to this have no such constant */
    double continuum;         /* rate constant of Collins and Kimball, without voxels */
};

/* Computes it for a reaction with rate_model = "microscopic" and these values of the parameters.
   Returns false with a message if diffusion is not isotropic, both molecules rest, or voxels are
   too small. */
bool rd_plan_microscopic(const struct rd_plan *p, const struct rd_reaction *r, const double *value,
                         struct rd_microscopic *q, struct rd_error *e);

#endif
