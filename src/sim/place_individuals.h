/* place_individuals - individuals that are placed or removed at the start and at events.

   It chooses the individuals that are removed, and computes the attributes of those that are
   placed. This is done on the host, so that all back ends begin with the same bytes. */
#ifndef RD_SIM_PLACE_INDIVIDUALS_H
#define RD_SIM_PLACE_INDIVIDUALS_H

#include "sim/place.h"
#include "sim/sim.h"

/* Updates the lists by the placements of an occasion, which fit into them; `counts` are those
   afterwards. Returns false with a message on failure. */
bool rd_place_individuals(struct rd_sim *s, const struct rd_placements *placements,
                          const struct rd_occasion *o, struct rd_host_counts *counts,
                          struct rd_error *e);

#endif
