/* lists - arrays of individuals between passes: their sizes, and the scans and the sort of the list
   update. */
#ifndef RD_SIM_LISTS_H
#define RD_SIM_LISTS_H

#include "sim/sim.h"

/* Sets the number of entries that each array of the lists has at first. */
void rd_lists_size(const struct rd_plan *p, struct rd_world *w);
/* Puts all slots into the pools. Returns false with a message on failure. */
bool rd_lists_open(struct rd_sim *s, struct rd_error *e);

/* Selects list number i for the passes, scans and sorts that follow. */
void rd_lists_choose(struct rd_sim *s, int64_t i);
/* Scans over the voxels: sums up the room before the first individual of each occupied voxel, and
   the ranks of the newborn. */
void rd_lists_scan_births(struct rd_sim *s);
/* Scans over the entries: computes how far each entry moves. */
void rd_lists_scan_offsets(struct rd_sim *s);
/* Sorts the selected list by voxel, stably; individuals that a wall removed come last. */
void rd_lists_sort(struct rd_sim *s);
/* Swaps the present lists with the next ones. */
void rd_lists_swap(struct rd_sim *s);

#endif
