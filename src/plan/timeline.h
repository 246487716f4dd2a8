/* timeline - cuts the time at every output, event and the end, and each stretch into equal steps.
   Nothing that depends on the wall clock or on the state cuts it. */
#ifndef RD_PLAN_TIMELINE_H
#define RD_PLAN_TIMELINE_H

#include "model/model.h"

/* A piece of the timeline between two cuts, in equal steps. */
struct rd_stretch {
    double from, to;
    int64_t n_steps;
    double step; /* (to - from) / n_steps but for its last bits, so that like stretches agree */
};

struct rd_timeline {
    const struct rd_model *model;
    double now;
    int64_t n_recorded; /* outputs that are past */
    int64_t *n_past;    /* of each event; owned */
};

bool rd_timeline_open(struct rd_timeline *t, const struct rd_model *m, struct rd_error *e);
void rd_timeline_close(struct rd_timeline *t);

/* Whether event i is due now: then it is counted as past. Ask until it is not. */
bool rd_timeline_event(struct rd_timeline *t, int i);
/* Whether something is to be recorded now: then it is counted as past. Ask until it is not. */
bool rd_timeline_output(struct rd_timeline *t);
/* The stretch from now to the next cut in steps of at most longest; false at the end. */
bool rd_timeline_next(struct rd_timeline *t, double longest, struct rd_stretch *stretch);

/* When step j of the stretch begins, and the one before it ends. */
double rd_stretch_time(const struct rd_stretch *stretch, int64_t j);

/* The parameters' values after event number i at time t. */
bool rd_event_set(const struct rd_model *m, int i, double t, double *value, struct rd_error *e);

#endif
