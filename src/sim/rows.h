/* rows - the memory of rows, and their passes, which repeat where memory was missing; copies of
   counts between the machine and the host for both kinds of storage. */
#ifndef RD_SIM_ROWS_H
#define RD_SIM_ROWS_H

#include "sim/sim.h"

/* Sets the numbers of entries of rows. */
void rd_rows_size(const struct rd_plan *p, struct rd_world *w);

/* Returns whether some species are in rows. */
bool rd_rows_exist(const struct rd_sim *s);
/* Does the reactions in each voxel; the interval is set. A failure is kept for the next check. */
void rd_rows_react(struct rd_sim *s);
/* Does one movement of counted species; the interval is set. A failure is kept likewise. */
void rd_rows_move(struct rd_sim *s);

/* Copies counts as rd_sim_put_counts and rd_sim_get_counts do, for all runs, or for runs begin ...
   end - 1. Returns false with a message on failure. */
bool rd_rows_put(struct rd_sim *s, const int32_t *count, struct rd_error *e);
bool rd_rows_get(struct rd_sim *s, int32_t *count, int64_t begin, int64_t end, struct rd_error *e);
/* Removes all molecules of the run. */
bool rd_rows_clear(struct rd_sim *s, int64_t run, struct rd_error *e);

#endif
