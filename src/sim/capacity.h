/* capacity - for the newborn, for lines of the lineage and for the living. It is granted for many
   steps; where a step needs more there is a pause: nothing happens any more until the host looks,
   makes room, and goes through the steps since it looked last once more. What happened before the
   pause is but counted then, so that it all goes on where it stopped. */
#ifndef RD_SIM_CAPACITY_H
#define RD_SIM_CAPACITY_H

#include "sim/sim.h"

/* What was counted for the step at hand is held against the room there is. */
void rd_capacity_grant(struct rd_sim *s);
/* The next two look at once where that costs nothing; else they say no. Whether there was a pause:
   then there is room now, and the step's events are to be counted again. */
bool rd_capacity_lacked(struct rd_sim *s);
/* Whether nothing happens to individuals in the step at hand. */
bool rd_capacity_is_idle(const struct rd_sim *s);

/* From which pass on all is gone through once more, for lack of room; INT64_MAX: from none. To be
   asked before the next. */
bool rd_capacity_again(struct rd_sim *s, int64_t *pass, struct rd_error *e);
/* What happened since the last look: see rd_sim_check. Lines of the lineage leave the machine. */
bool rd_capacity_look(struct rd_sim *s, struct rd_error *e);

/* Room for at least so many newborn and notes. False with a sentence. */
bool rd_capacity_reserve(struct rd_sim *s, int64_t n_newborn, int64_t n_notes, struct rd_error *e);
/* Room for n more rows of the lineage on the host. False with a sentence. */
bool rd_capacity_for_lives(struct rd_sim *s, int64_t n, struct rd_error *e);

#endif
