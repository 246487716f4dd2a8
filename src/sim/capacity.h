/* capacity - room for newborn individuals, for lineage records and for the living.

   Capacity is reserved for many steps. If a step needs more, the passes pause: they do nothing
   until the host synchronises, makes room and repeats the steps since the last mark. Passes that
   were done before the pause are only counted in the repetition, so that the simulation continues
   at the pause. */
#ifndef RD_SIM_CAPACITY_H
#define RD_SIM_CAPACITY_H

#include "sim/sim.h"

/* Keeps the reason of a failure for the next check. Until then all passes do nothing. */
void rd_capacity_keep(struct rd_sim *s, const struct rd_error *why);

/* Compares the capacity that the current step needs with the capacity that there is, for each
   list. */
void rd_capacity_check(struct rd_sim *s);
/* Returns whether the passes paused. If they did, there is capacity now, and the events of the step
   must be counted again. Returns false unless the back end shares the host's memory. */
bool rd_capacity_lacked(struct rd_sim *s);
/* Returns whether no event happens to individuals in the current step; false unless the back end
   shares the host's memory. */
bool rd_capacity_is_idle(const struct rd_sim *s);

/* Sets *pass to the first pass that is repeated for lack of capacity, or to INT64_MAX if none is.
   Must be called before rd_capacity_renew. Returns false with a message on failure. */
bool rd_capacity_again(struct rd_sim *s, int64_t *pass, struct rd_error *e);
/* Sets a new mark, or goes back to the last one and makes capacity if the passes paused; see
   rd_sim_check. Moves lineage records from the machine to the host. Returns false with a message on
   failure. */
bool rd_capacity_renew(struct rd_sim *s, struct rd_error *e);

/* Moves lineage records from the machine to the host after a fault that ended all runs, without
   those of the reactions or the movement of the fault. Returns false with a message on failure. */
bool rd_capacity_drain(struct rd_sim *s, struct rd_error *e);

/* Makes capacity for at least n_newborn newborn and n_notes lineage records in one step. Returns
   false with a message on failure. */
bool rd_capacity_reserve(struct rd_sim *s, int64_t n_newborn, int64_t n_notes, struct rd_error *e);
/* Makes capacity for n more rows of the lineage on the host. Returns false with a message on
   failure. */
bool rd_capacity_for_lives(struct rd_sim *s, int64_t n, struct rd_error *e);

#endif
