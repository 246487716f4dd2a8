/* lists - arrays of individuals between passes: sizes, and the selected list. */
#ifndef RD_SIM_LISTS_H
#define RD_SIM_LISTS_H

#include "sim/sim.h"

/* Sets the number of entries that each array of the lists has at first. */
void rd_lists_size(const struct rd_plan *p, struct rd_world *w);
/* Puts all slots into the pools. Returns false with a message on failure. */
bool rd_lists_open(struct rd_sim *s, struct rd_error *e);

/* Selects list number i for the passes that follow. */
void rd_lists_choose(struct rd_sim *s, int64_t i);
/* Swaps the present lists with the next ones. */
void rd_lists_swap(struct rd_sim *s);

#endif
