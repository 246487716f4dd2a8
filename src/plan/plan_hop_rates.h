/* plan_hop_rates - the hop rates of a species, from its diffusivity and drift. They may be equal
   everywhere, or differ between zones or between voxels. */
#ifndef RD_PLAN_PLAN_HOP_RATES_H
#define RD_PLAN_PLAN_HOP_RATES_H

#include "plan/plan.h"

/* Returns what the hop rates of the species depend on. */
enum rd_motion rd_motion_of(const struct rd_species *s);

/* Allocates memory for the hop rates of all zones and voxels. */
bool rd_plan_take_hop_rates(struct rd_plan *p, struct rd_error *e);
/* Sets the hop rates of the species with this canonical number: one for all voxels, or one for each
   zone or site in which it lives. Its walls must be set. */
bool rd_plan_hop_rate(struct rd_plan *p, int32_t species, const double *value, struct rd_error *e);
/* Makes the programs for motion that is evaluated in substeps; call it after
   rd_plan_individuals. */
bool rd_plan_substepped(struct rd_plan *p, const double *value, struct rd_error *e);
/* Computes probabilities of a hop for movements of this length. */
void rd_plan_hop_rate_steps(struct rd_plan *p, double time);

/* Makes tables for movements of this length, for species with few different hop rates
   (plan_walks.c). */
bool rd_plan_uniformised_walks(struct rd_plan *p, double time, struct rd_error *e);

/* Voxels in which the drift along an axis makes the diffusivity of the lattice larger than
   configured. Hop rates cannot be negative, so that |drift| h / 2 is the least diffusivity with the
   right mean. */
struct rd_excess {
    int64_t n, of;      /* n of the `of` voxels in which the species lives */
    double asked, made; /* diffusivities where the difference is largest */
    int32_t at[3];      /* that voxel */
};
struct rd_excess rd_plan_excess(const struct rd_plan *p, int32_t species, int axis,
                                const double *value);

#endif
