/* fields - initial values of the fields that change, on the machine. */
#ifndef RD_SIM_FIELDS_H
#define RD_SIM_FIELDS_H

#include "sim/sim.h"

/* Sets these fields and their gradients to their initial values in all runs. Returns false with a
   message on failure. */
bool rd_fields_begin(struct rd_sim *s, struct rd_error *e);

#endif
