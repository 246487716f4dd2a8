/* worker - runs one task of a sweep as a process of its own, and determines the state of a task. */
#ifndef RD_SWEEP_WORKER_H
#define RD_SWEEP_WORKER_H

#include "base/process.h"
#include "command_line/device_list.h"
#include "result/files/run_state.h"
#include "sweep/sweep.h"

/* Sets how tasks are run. */
struct rd_scheduler_options {
    const char *backend;
    struct rd_device_list devices; /* the GPUs; tasks are divided among them */
    int threads;
    double timeout;  /* seconds for each task; 0: none */
    double grace;    /* seconds that a step of a task may take after a signal */
    int64_t at_once; /* runs of a task that are simulated simultaneously; 0: as many as fit */
    bool retry;      /* failed tasks are run again */
    bool strict;     /* a task ends with its first faulted run */
    bool is_quiet;   /* messages of tasks are stored, not printed immediately */
    bool says_stop;  /* after a signal the sweep prints how to continue it */
};

/* Holds the state of a task according to its result, and the reason of a failure. */
struct rd_task_status {
    enum rd_state state;
    double until;
    bool can_resume;
    char *reason; /* owned; set for RD_STATE_FAILED, RD_STATE_FAULTED and RD_STATE_FOREIGN, else
                     NULL */
};
void rd_task_status_get(struct rd_task_status *is, const struct rd_task *t,
                        const struct rd_sweep *s);
void rd_task_status_free(struct rd_task_status *is);

struct rd_worker {
    struct rd_task task; /* owned */
    struct rd_process process;
    int device;     /* index in the list of GPUs */
    double begun;   /* start, by rd_clock */
    double stopped; /* time at which the timeout sent SIGTERM, by rd_clock; 0: it did not */
    bool is_quiet;
};

/* Starts a process for the task on the GPU with this index in how->devices, and takes ownership of
   the task in any case. can_resume: rd_task_status_get found a checkpoint. */
bool rd_worker_start(struct rd_worker *j, struct rd_task *task, int device,
                     const struct rd_sweep *s, const struct rd_scheduler_options *how,
                     bool can_resume, struct rd_error *e);
/* Reads what the task printed; false at the end of its output. */
bool rd_worker_read_pipe(struct rd_worker *j);
/* Waits for the end of the process, and writes the reason of a failure to RESULT.failed. Returns
   the exit status: 0 done, 75 stopped after a checkpoint, 1 or 2 failed, -1 killed. */
int rd_worker_end(struct rd_worker *j, const struct rd_sweep *s);

#endif
