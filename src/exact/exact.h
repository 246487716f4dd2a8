/* exact - the model without splitting: one event after another, each where and when the master
   equation has it (next-subvolume simulation of bulk species, on the CPU). */
#ifndef RD_EXACT_EXACT_H
#define RD_EXACT_EXACT_H

#include "base/error.h"
#include "kernels/core/world.h"

#include <stddef.h>

typedef struct rd_exact rd_exact;

/* Room to simulate w's runs, as many at a time as there are threads. */
bool rd_exact_open(rd_exact **x, const struct rd_world *w, int threads, struct rd_error *e);
void rd_exact_close(rd_exact *x);

/* Bytes that rd_exact_open takes. */
size_t rd_exact_memory(const struct rd_world *w, int threads);

/* Every run goes from its counts through the time w->dt, with laws evaluated at w->beat->time. What
   is in w is all that the result depends on; it has the sizes that it had at open. A run ends early
   at a fault, and, if it stops at steps, with the event that meets its condition. */
void rd_exact_run(rd_exact *x, const struct rd_world *w);

#endif
