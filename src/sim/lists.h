/* lists - the individuals of a simulation between its passes: how large their arrays are, and the
   scans and the sort that stages are made of. */
#ifndef RD_SIM_LISTS_H
#define RD_SIM_LISTS_H

#include "sim/sim.h"

/* How many entries each array of the lists has, at first. */
void rd_lists_size(const struct rd_plan *p, struct rd_world *w);
/* All slots in the pools. */
bool rd_lists_open(struct rd_sim *s, struct rd_error *e);

/* The passes and verbs that follow are for list number i. */
void rd_lists_choose(struct rd_sim *s, int64_t i);
/* Over the voxels: the room before each occupied one's first individual, and ranks of the newborn.
 */
void rd_lists_scan_births(struct rd_sim *s);
/* Over the entries: how far each one moves on. */
void rd_lists_scan_offsets(struct rd_sim *s);
/* Whether the list at hand is one that REGROUP is good for: walls take none of it. */
bool rd_lists_are_nearly_sorted(const struct rd_sim *s);
/* Whether WANDER does: it is near, and moves by rows that are the same everywhere. */
bool rd_lists_move_and_sort(const struct rd_sim *s);
/* By voxel, stably; those that a wall took go behind the others. */
void rd_lists_sort(struct rd_sim *s);
/* The lists as they will be are the lists now. */
void rd_lists_swap(struct rd_sim *s);

#endif
