/* landscape - fields that change, on the machine. */
#ifndef RD_LANDSCAPE_H
#define RD_LANDSCAPE_H

#include "sim.h"

/* All runs have them as they begin. */
bool rd_landscape_begin(struct rd_sim *s, struct rd_error *e);

#endif
