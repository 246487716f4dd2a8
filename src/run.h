/* run - the whole of a simulation: events when they are due, recording when it is due, steps. */
#ifndef RD_RUN_H
#define RD_RUN_H

#include "sim.h"

/* Told after each stretch, and now and then within; NULL is possible. */
typedef void rd_progress(void *to, double time, int64_t steps);
/* The state at an output time. */
typedef bool rd_record(void *to, struct rd_sim *sim, double time, struct rd_error *e);

struct rd_watch {
    rd_record *record;
    rd_progress *progress;
    void *to;
};

/* Runs the plan (rates not yet set) from start to end on the simulator, which is open. */
bool rd_run(struct rd_plan *p, struct rd_sim *s, const struct rd_watch *watch,
            struct rd_error *e);

/* The parameters' values after event number i at time t. */
bool rd_run_set(const struct rd_model *m, int i, double t, double *value, struct rd_error *e);

#endif
