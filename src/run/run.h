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
    int64_t n_done;   /* steps of the stretch that are done; 0 in a checkpoint: it has not begun */
    uint32_t n_edits; /* edits so far; their random numbers depend on it */
};

/* Returns how the run continues: it goes on, saves its state and goes on, returns control with its
   state kept in memory, or saves its state and stops. Called after each step, and when a paused run
   goes on, with the time and the number of steps done. May be NULL. A run that is to pause after
   the last step of a stretch pauses after the events and outputs that follow. */
enum rd_run_request { RD_GO_ON, RD_SAVE, RD_PAUSE, RD_STOP };
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

/* Describes a run that returns control between its steps. A zero-initialised struct is closed. */
struct rd_running {
    struct rd_plan *p;
    struct rd_sim *s;
    struct rd_watch watch;
    struct rd_run_position now;
    bool is_within;           /* a stretch has begun and is not complete */
    bool is_paused;           /* control has returned to the caller */
    bool is_over;             /* the end is reached */
    bool is_broken;           /* a failure has left an undefined state */
    double longest;           /* longest allowed step */
    double stopped;           /* time at which go_on stopped the run; NAN: not yet */
    int64_t check_interval;   /* steps until the next check, if a check takes time */
    int64_t n_unchecked;      /* steps since the last check */
    double last_check;        /* clock at the last check, or when steps began after it */
    double unchecked_seconds; /* from then to a pause before the next check */
    double check_seconds;     /* seconds from then to the check */
    int32_t *mirror; /* owned: counts of a device, of which edits use those of their voxels */
    struct rd_error *e;
};

/* Begins a run of the plan (rates not set yet) on an open simulator: places the initial molecules,
   and does the events and outputs of time 0; or restores a saved state. The watch is copied.
   Returns false with a message on failure. rd_run_close must be called in any case. */
bool rd_run_open(struct rd_running *r, struct rd_plan *p, struct rd_sim *s,
                 const struct rd_watch *watch, struct rd_error *e);
/* Runs until go_on pauses or stops the run, until the next time of `time.control`, or to the end.
   It may pause before a device has completed the steps; rd_run_finish_steps then waits for them.
   Returns false with a message on failure; the run cannot go on then. */
bool rd_run_advance(struct rd_running *r, struct rd_error *e);
/* Checks the steps after which the run paused without waiting for them. Returns false with a
   message if one of them failed. */
bool rd_run_finish_steps(struct rd_running *r, struct rd_error *e);
/* Saves the state of a run that is paused. Returns false with a message on failure. */
bool rd_run_save(struct rd_running *r, struct rd_error *e);
/* Applies an edit now: what the event sets, removes, converts and adds. `is_out` marks runs that
   take no part, or is NULL. Returns false with a message if the edit is impossible; the state is
   then as before, unless is_broken is set. */
bool rd_run_edit(struct rd_running *r, const struct rd_event *edit, const uint8_t *is_out,
                 struct rd_error *e);
/* Returns the time that the run has reached. */
double rd_run_time(const struct rd_running *r);
void rd_run_close(struct rd_running *r);

/* Runs the plan (rates not set yet) from start to end on an open simulator. Returns true also if
   go_on stopped it: *stopped is then the time of the stop, else NAN. */
bool rd_run(struct rd_plan *p, struct rd_sim *s, const struct rd_watch *watch, double *stopped,
            struct rd_error *e);

#endif
