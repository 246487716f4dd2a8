/* place_individuals - individuals that are placed and removed at the start and at events: who is
   removed, and the attributes of those placed. On the host, so that both back ends begin with the
   same bytes. */
#ifndef RD_SIM_PLACE_INDIVIDUALS_H
#define RD_SIM_PLACE_INDIVIDUALS_H

#include "sim/place.h"
#include "sim/sim.h"

/* Where runs fault alone: finds those in which somebody's attributes could not be, before anything
   is done. */
bool rd_place_individuals_rehearse(struct rd_sim *s, struct rd_roster *roster, const double *value,
                                   const int32_t *count, double t, struct rd_error *e);
/* The lists follow the roster of an event at time t (number >= 0) or of the start (-1), which fits;
   count has what there is afterwards. */
bool rd_place_individuals(struct rd_sim *s, const struct rd_roster *roster, const double *value,
                          const int32_t *count, int event, double t, struct rd_error *e);

#endif
