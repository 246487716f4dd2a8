/* fields - fields that change, on the machine. */
#ifndef RD_SIM_FIELDS_H
#define RD_SIM_FIELDS_H

#include "sim/sim.h"

/* All runs have them as they begin. */
bool rd_landscape_begin(struct rd_sim *s, struct rd_error *e);

#endif
