/* axis - the values that one key of a sweep takes: listed, in a series, or drawn. */
#ifndef RD_SWEEP_AXIS_H
#define RD_SWEEP_AXIS_H

#include "sweep/sweep.h"

/* Reads element number i of `vary`. Drawn numbers depend only on seed and i. */
bool rd_axis_read(struct rd_sweep_axis *a, const rd_config *c, const rd_node *node, int i,
                  uint64_t seed, struct rd_error *e);
void rd_axis_free(struct rd_sweep_axis *a);

#endif
