/* run - the whole of a simulation: events when they are due, recording when it is due, steps. */
#ifndef RD_RUN_RUN_H
#define RD_RUN_RUN_H

#include "plan/timeline.h"
#include "sim/sim.h"

/* Where a run is between two steps; all else that matters is in the simulator. Steps of a stretch
   that are merged go on from here as they are: nothing is cut. */
struct rd_run_position {
    struct rd_timeline t;
    double *value; /* of the parameters, now; owned */
    struct rd_stretch stretch;
    int64_t n_done; /* of its steps */
};

/* Told after each step how far the run is: whether it goes on, or saves its state and goes on, or
   saves its state and stops. NULL is possible. */
enum rd_run_request { RD_GO_ON, RD_SAVE, RD_STOP };
typedef enum rd_run_request rd_go_on(void *to, double time, int64_t n_steps);
/* The state at an output time. */
typedef bool rd_record(void *to, struct rd_sim *sim, double time, struct rd_error *e);
/* Births and deaths wait to be stored. */
typedef bool rd_live(void *to, struct rd_sim *sim, struct rd_error *e);
/* The state now is to be saved; false ends the run. */
typedef bool rd_save(void *to, struct rd_sim *sim, struct rd_run_position *now, struct rd_error *e);
/* Makes the state what was saved. */
typedef bool rd_load(void *from, struct rd_sim *sim, struct rd_run_position *now,
                     struct rd_error *e);

struct rd_watch {
    rd_record *record;
    rd_live *live; /* or NULL; to record_to */
    void *record_to;
    rd_go_on *go_on;
    void *go_on_to;
    rd_save *save; /* or NULL */
    rd_load *load; /* NULL: begins at the start */
    void *save_to; /* of both */
};

/* Runs the plan (rates not yet set) from start to end on the simulator, which is open. True also
   if go_on stopped it: then *stopped says at which time, else it is NAN. */
bool rd_run(struct rd_plan *p, struct rd_sim *s, const struct rd_watch *watch, double *stopped,
            struct rd_error *e);

#endif
