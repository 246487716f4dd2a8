/* timeline - divides the time of a run at every output, at every event, at the times at which a
   program takes control and at the end, and each stretch into equal steps. It does not depend on
   wall-clock time or on the state. */
#ifndef RD_PLAN_TIMELINE_H
#define RD_PLAN_TIMELINE_H

#include "model/model.h"

/* Describes a part of the timeline between two divisions, in equal steps. */
struct rd_stretch {
    double from, to;
    int64_t n_steps;
    double step; /* (to - from) / n_steps without its last bits, so that stretches of equal length
                    agree */
};

struct rd_timeline {
    const struct rd_model *model;
    double now;
    int64_t n_recorded; /* number of past outputs */
    int64_t *n_past;    /* [event]: number of past occurrences; owned */
    double *earliest;   /* binary tree: earliest[1] is the minimum over all events, earliest[k] that
                           of its children 2 k and 2 k + 1; owned */
    int n_leaves;       /* a power of 2: earliest[n_leaves + i] is the next time of event i */
};

bool rd_timeline_open(struct rd_timeline *t, const struct rd_model *m, struct rd_error *e);
void rd_timeline_close(struct rd_timeline *t);

/* Computes the next times of all events from n_past, after that was changed. */
void rd_timeline_find_times(struct rd_timeline *t);
/* Sets *event to the first event in the order of the file that is due now, and counts it as past;
   returns false if none is due. Call it until it returns false. */
bool rd_timeline_event(struct rd_timeline *t, int *event);
/* Returns whether an output is due now, and counts it as past. Call it until it returns false. */
bool rd_timeline_output(struct rd_timeline *t);
/* Returns whether a program takes control now: at the start, the end, and the times of
   `time.control`. */
bool rd_timeline_control(const struct rd_timeline *t);
/* Returns whether the end is reached. */
bool rd_timeline_is_over(const struct rd_timeline *t);
/* Finds the stretch from now to the next division, in steps of at most longest, halved as often as
   the model says, and advances now to its end; returns false at the end of the run. */
bool rd_timeline_next(struct rd_timeline *t, double longest, struct rd_stretch *stretch);

/* Returns the time at which step j of the stretch begins, and the one before it ends. */
double rd_stretch_time(const struct rd_stretch *stretch, int64_t j);

/* Returns a copy of the parameters' values, which the caller frees; NULL with a message. */
double *rd_parameters_copy(const struct rd_model *m, const double *value, struct rd_error *e);
/* Computes the parameters' values after the event at time t, except those of a run. */
bool rd_event_set(const struct rd_model *m, const struct rd_event *event, double t, double *value,
                  struct rd_error *e);

/* Computes the values of one run that the event sets, from the context before it, into
   next[parameter]; other entries stay. */
bool rd_event_set_run(const struct rd_model *m, const struct rd_event *event,
                      const struct rd_eval_context *at, double *next, struct rd_error *e);

#endif
