/* step - one time step, top to bottom. */
#ifndef RD_SIM_STEP_H
#define RD_SIM_STEP_H

#include "sim/sim.h"

/* Updates the lists of individuals by the marked deaths and the stored newborn. */
void rd_step_update_lists(struct rd_sim *s);

/* Freezes the runs whose stop condition holds at time `now`. */
void rd_step_stop(struct rd_sim *s, double now);

/* Does step number j of the stretch, 0 <= j < n_steps. */
void rd_step(struct rd_sim *s, const struct rd_stretch *stretch, int64_t j);

/* Evaluates the conditions of events in all runs. */
void rd_step_test_events(struct rd_sim *s, double now);
/* Computes the totals of all runs. */
void rd_step_totals(struct rd_sim *s);

#endif
