/* plan_hop_rates - how often the molecules of a species hop: from its diffusivity and drift, which
   may be the same everywhere, in each zone, or in each voxel. */
#ifndef RD_PLAN_PLAN_HOP_RATES_H
#define RD_PLAN_PLAN_HOP_RATES_H

#include "plan/plan.h"

/* Whether each individual has a diffusivity or drift of its own, here and now. */
bool rd_plan_has_own_motion(const struct rd_species *s);
/* Whether molecules move differently in different zones, or in different voxels, but always alike.
 */
bool rd_plan_is_zoned(const struct rd_species *s);
bool rd_plan_is_placed(const struct rd_species *s);

/* Whether how molecules move changes, with the time or with counts. */
bool rd_plan_is_changing(const struct rd_species *s);

/* Room for the paces of all zones and voxels. */
bool rd_plan_take_hop_rates(struct rd_plan *p, struct rd_error *e);
/* The pace of the species by canonical number, whose walls are known: everywhere, or of each zone
   or site where it lives. */
bool rd_plan_hop_rate(struct rd_plan *p, int32_t species, const double *value, struct rd_error *e);
/* Programs for those that are not known before they are needed; after the individuals'. */
bool rd_plan_roamers(struct rd_plan *p, const double *value, struct rd_error *e);
/* Probabilities for movements of this length. */
void rd_plan_hop_rate_steps(struct rd_plan *p, double time);

/* plan_tours.c: tables for movements of this length of those whose paces are few. */
bool rd_plan_uniformised_walks(struct rd_plan *p, double time, struct rd_error *e);

/* Where the drift along an axis is so strong that the lattice makes the diffusivity larger than was
   asked for, to keep the mean right. */
struct rd_excess {
    int64_t n, of;      /* in how many voxels of those where the species lives */
    double asked, made; /* the diffusivity where it is made most */
    int32_t at[3];      /* that voxel */
};
struct rd_excess rd_plan_excess(const struct rd_plan *p, int32_t species, int axis,
                                const double *value);

#endif
