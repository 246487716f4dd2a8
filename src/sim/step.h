/* step - one time step, top to bottom. */
#ifndef RD_SIM_STEP_H
#define RD_SIM_STEP_H

#include "sim/sim.h"

/* The lists of individuals follow the dead that are marked and the newborn that are stored. */
void rd_step_settle(struct rd_sim *s);

/* Runs whose condition is met now stand still from here on. */
void rd_step_stop(struct rd_sim *s, double now);

/* Step number j of the stretch, 0 <= j < n_steps. */
void rd_step(struct rd_sim *s, const struct rd_stretch *stretch, int64_t j);

#endif
