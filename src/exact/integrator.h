/* integrator - integrates ODEs and propensities of one run between two of its events, in the exact
   solver. Numbers of molecules are constant there, so that the variables of ODEs and the integral
   of all propensities follow ordinary differential equations. */
#ifndef RD_EXACT_INTEGRATOR_H
#define RD_EXACT_INTEGRATOR_H

#include "exact/replica.h"

enum { RD_INTEGRATOR_STAGES = 7 };

struct rd_integrator {
    struct rd_replica *p; /* valid while a run is loaded */
    int32_t n;            /* entries of a state: the variables, then the integral of propensities */
    double *memory;       /* owned; the pointers below point into it */
    double *state, *next; /* [n] */
    double *trial;        /* [n] */
    double *stage[RD_INTEGRATOR_STAGES]; /* [n]: derivatives in the step from state to next */
    double step;                         /* length that the next step tries */
    double entering;                     /* propensity of what the replica does not contain */
    bool has_conditions;                 /* conditions of events are evaluated */
};

/* Gives what ends an interval without an event. */
enum rd_interval_end {
    RD_INTERVAL_EVENT,     /* the integral of propensities has grown by the wait */
    RD_INTERVAL_CONDITION, /* an event on a condition would fire */
    RD_INTERVAL_TIME,      /* the pass is over */
    RD_INTERVAL_FAULT,     /* the run has stopped with a fault */
};

/* Returns false if there is no memory. */
bool rd_integrator_open(struct rd_integrator *x, const struct rd_world *w);
void rd_integrator_close(struct rd_integrator *x);
size_t rd_integrator_memory(const struct rd_world *w);

/* Prepares the integration of the loaded run. */
void rd_integrator_begin(struct rd_integrator *x, struct rd_replica *p);

/* Advances variables, propensities and `left`, the rest of the pass, to the next end of an
   interval. */
enum rd_interval_end rd_integrator_advance(struct rd_integrator *x, double wait, double *left);

#endif
