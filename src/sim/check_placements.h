/* check_placements - computes the attributes of individuals before they are placed, so that an
   impossible one changes nothing. */
#ifndef RD_SIM_CHECK_PLACEMENTS_H
#define RD_SIM_CHECK_PLACEMENTS_H

#include "sim/place.h"
#include "sim/sim.h"

/* Computes the attributes of all placed individuals, and refuses the runs in which one is
   impossible. Changes no list. Does nothing if runs do not fail separately, except before an edit:
   the program that makes it may continue the run. */
bool rd_check_placements(struct rd_sim *s, struct rd_placements *placements,
                         const struct rd_occasion *o, struct rd_host_counts *counts,
                         struct rd_error *e);

#endif
