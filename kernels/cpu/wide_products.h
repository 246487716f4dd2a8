/* wide_products - the events of one voxel with at most four blocks of reactions, whose propensities
   are products of at most two counts, on processors with AVX-512. The counts stay in registers, and
   all propensities are computed again before each event. */
#ifndef RD_CPU_WIDE_PRODUCTS_H
#define RD_CPU_WIDE_PRODUCTS_H

#include "kernels/cpu/event_draws.h"

struct rd_wide_products;

/* Returns whether this version suits the world and the processor. */
bool rd_wide_products_suit(const struct rd_world *w);
/* Returns the tables for the reactions of the world, or NULL if it does not suit or there is no
   memory. */
struct rd_wide_products *rd_wide_products_open(const struct rd_world *w);
void rd_wide_products_close(struct rd_wide_products *x);

/* Simulates the events of a voxel until the end of the pass; changes its counts, and adds to
   fired[reaction]. Returns false before an event that is left to the plain body. */
bool rd_wide_products_react(struct rd_wide_products *x, struct rd_event_draws *draws,
                            int32_t *count, int64_t *fired);

#endif
