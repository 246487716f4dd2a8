/* run - a whole simulation: events and outputs at their times, and the steps between them. */
#ifndef RD_RUN_RUN_H
#define RD_RUN_RUN_H

#include "plan/timeline.h"
#include "sim/sim.h"

/* Holds the position of a run between two steps; the rest of the state is in the simulator. A
   stretch continues from here with its merged half steps, as if it were not interrupted. */
struct rd_run_position {
    struct rd_timeline t;
    double *value; /* [parameter]: present values; owned */
    struct rd_stretch stretch;
    int64_t n_done; /* steps of the stretch that are done */
};

/* Returns how the run continues: it goes on, saves its state and goes on, or saves its state and
   stops. Called after each step with the time and the number of steps done. May be NULL. */
enum rd_run_request { RD_GO_ON, RD_SAVE, RD_STOP };
typedef enum rd_run_request rd_go_on(void *to, double time, int64_t n_steps);
/* Records the state at an output time. */
typedef bool rd_record(void *to, struct rd_sim *sim, double time, struct rd_error *e);
/* Stores births and deaths that wait in memory. */
typedef bool rd_live(void *to, struct rd_sim *sim, struct rd_error *e);
/* Saves the present state; false ends the run. */
typedef bool rd_save(void *to, struct rd_sim *sim, struct rd_run_position *now, struct rd_error *e);
/* Restores a saved state. */
typedef bool rd_load(void *from, struct rd_sim *sim, struct rd_run_position *now,
                     struct rd_error *e);

struct rd_watch {
    rd_record *record;
    rd_live *live; /* or NULL; called with record_to */
    void *record_to;
    rd_go_on *go_on;
    void *go_on_to;
    rd_save *save; /* or NULL */
    rd_load *load; /* NULL: begin at the start */
    void *save_to; /* argument of save and load */
};

/* Runs the plan (rates not set yet) from start to end on an open simulator. Returns true also if
   go_on stopped it: *stopped is then the time of the stop, else NAN. */
bool rd_run(struct rd_plan *p, struct rd_sim *s, const struct rd_watch *watch, double *stopped,
            struct rd_error *e);

#endif
