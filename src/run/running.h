/* running - the state of a simulation that runs, and the events in it: shared by run.c and
   events.c. */
#ifndef RD_RUN_RUNNING_H
#define RD_RUN_RUNNING_H

#include "run/run.h"

struct running {
    struct rd_plan *p;
    struct rd_sim *s;
    const struct rd_watch *watch;
    struct rd_run_position now;
    double longest;         /* longest allowed step */
    double stopped;         /* time at which go_on stopped the run; NAN: not yet */
    int64_t check_interval; /* steps until the next check, if a check takes time */
    double last_check;      /* clock at the last check, or when steps began after it */
    double check_seconds;   /* seconds from then to the check */
    struct rd_error *e;
};

/* Computes the rates for new parameters. The next stretch makes new tables. */
bool rd_running_rates(struct running *r);
/* Places the initial molecules. If that is impossible in any run, the configuration is at fault,
   and e->wrong is set. */
bool rd_running_start(struct running *r);
/* Applies the events that are due now, first those at set times, then those on conditions. */
bool rd_running_events(struct running *r);
/* Applies the events whose conditions became true in step j of the stretch, and all that follow
   from them at the same time. In the exact solver also completes the steps that they
   interrupted. */
bool rd_running_conditions(struct running *r, int64_t j);

#endif
