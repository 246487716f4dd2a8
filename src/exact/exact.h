/* exact - the exact solver: next-subvolume simulation of counted species on the CPU, one event
   after another. It samples the reaction-diffusion master equation without splitting. */
#ifndef RD_EXACT_EXACT_H
#define RD_EXACT_EXACT_H

#include "base/error.h"
#include "exact/sparse_voxels.h"
#include "kernels/core/world.h"

#include <stddef.h>

typedef struct rd_exact rd_exact;

/* Allocates memory to simulate the runs of w, one per thread at a time. The caller closes *x with
   rd_exact_close. */
bool rd_exact_open(rd_exact **x, const struct rd_world *w, int threads, struct rd_error *e);
void rd_exact_close(rd_exact *x);

/* Returns the bytes that rd_exact_open allocates. */
size_t rd_exact_memory(const struct rd_world *w, int threads);

/* Simulates every run from its counts for the time w->dt, with expressions evaluated at
   w->step_clock->time; in one voxel at every moment, together with the variables of ODEs. The
   result depends only on w, whose sizes must be those at open. A run ends early at a fault. With
   goes_on it simulates only the rest of the step in runs that a condition interrupted. If it stops
   at steps, it also ends with the event that meets its condition. */
void rd_exact_run(rd_exact *x, const struct rd_world *w, bool goes_on);

/* Returns the rows of all runs after rd_exact_run, [run], which does not write them to the world;
   NULL if they have not changed or no species is in rows, or with *is_short if memory was missing.
 */
const struct rd_packed_run *rd_exact_rows(const rd_exact *x, bool *is_short);

#endif
