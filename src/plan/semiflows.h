/* semiflows - the sums of species with no negative weight that no reaction changes: conserved
   numbers of things that the species are made of. */
#ifndef RD_PLAN_SEMIFLOWS_H
#define RD_PLAN_SEMIFLOWS_H

#include "plan/weighted_sums.h"

/* The extreme rays of the cone { y >= 0, y . change = 0 for every change }: those of which all
   others are sums, each divided by what its weights have in common. Species that may[s] leaves out
   have weight 0. A cone may have very many: then, or if a weight grows too large, *is_whole is
   false and there are none. */
bool rd_rays(const struct rd_balances *change, const bool *may, int n_species,
             struct rd_balances *ray, bool *is_whole, struct rd_error *e);

#endif
