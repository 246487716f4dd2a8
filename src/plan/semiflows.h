/* semiflows - the conserved sums of species without negative weights (P-semiflows): conserved
   numbers of the parts of which species are made. */
#ifndef RD_PLAN_SEMIFLOWS_H
#define RD_PLAN_SEMIFLOWS_H

#include "plan/weighted_sums.h"

/* Computes the extreme rays of the cone { y >= 0, y . change = 0 for every change }, of which all
   other vectors are sums. Each is divided by the common divisor of its weights. Species with may[s]
   false have weight 0. If there are too many rays, or a weight grows too large, *is_whole is false
   and no ray is returned. */
bool rd_semiflows(const struct rd_weighted_sums *change, const bool *may, int n_species,
                  struct rd_weighted_sums *ray, bool *is_whole, struct rd_error *e);

#endif
