/* worker - one task of a sweep as a process of its own, and what became of it. */
#ifndef RD_SWEEP_WORKER_H
#define RD_SWEEP_WORKER_H

#include "result/files/run_state.h"
#include "sweep/sweep.h"

#include <stdio.h>
#include <sys/types.h>

/* How tasks are run. */
struct rd_scheduler_run {
    const char *backend;
    int device, threads;
    double timeout;  /* seconds for each task; 0: none */
    double grace;    /* seconds that a step of a task may take after a signal */
    int64_t at_once; /* runs of a task that are simulated at once; 0: as many as fit */
    bool retry;      /* those that failed too */
    bool strict;     /* a task ends with its first run that faults */
    bool is_quiet;   /* what tasks say is kept for later, not told at once */
    bool says_stop;  /* after a signal the sweep prints how it continues */
};

/* What a task has come to: as its result says, and why it failed. */
struct rd_standing {
    enum rd_state state;
    double until;
    bool can_resume;
    char *reason; /* owned; of RD_STATE_FAILED and RD_STATE_FOREIGN, else NULL */
};
void rd_task_look(struct rd_standing *is, const struct rd_task *t, const struct rd_sweep *s);
void rd_standing_free(struct rd_standing *is);

/* Signals that a sweep passes on to its tasks. */
enum { RD_PASSED_ON = 4 };
extern const int rd_passed_on[RD_PASSED_ON];

struct rd_worker {
    struct rd_task task; /* the job's own */
    pid_t process;
    int signal_pipe; /* what it says is heard here */
    double begun;    /* rd_clock */
    double asked;    /* when it was asked to stop; 0: it was not */
    char *said;      /* owned */
    size_t n_said;
    bool is_quiet;
};

/* Takes the task over in any case. can_resume, as it was looked up: there is a checkpoint. */
bool rd_worker_start(struct rd_worker *j, struct rd_task *task, const struct rd_sweep *s,
                     const struct rd_scheduler_run *how, bool can_resume, struct rd_error *e);
/* Hears what it says; false at the end. */
bool rd_worker_read_pipe(struct rd_worker *j);
/* Passes a signal on. */
void rd_worker_signal(struct rd_worker *j, int signal_number);
/* Waits for the end, and keeps why it failed beside the result. Gives the exit status: 0 done, 75
   stopped after a checkpoint, 1 or 2 failed, -1 killed. */
int rd_worker_end(struct rd_worker *j, const struct rd_sweep *s);

#endif
