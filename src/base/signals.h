/* signals - handles the signals that a run receives: write a checkpoint, or stop. It ends the
   process when a step does not end in time. Only signals.c installs handlers for a run. */
#ifndef RD_BASE_SIGNALS_H
#define RD_BASE_SIGNALS_H

#include <stdbool.h>
#include <stdint.h>

/* Holds the position of a run, at present or at its last checkpoint. */
struct rd_reached {
    double time;   /* time of the simulation */
    int64_t steps; /* since the start, over all batches */
    int64_t batch; /* counted from 1 */
};

/* Sets how a run reacts to signals. The pointers must stay valid until the process ends. */
struct rd_signals_options {
    double grace;     /* seconds that a step may take after the signal */
    const char *path; /* the result */
    bool is_trial;    /* there are no checkpoints, and --resume cannot continue it */
    /* Removes the files of a trial; called before the process is ended. */
    void (*clean)(const char *path);
};

/* Blocks SIGUSR1 in this process and, after execv, in the next program. */
void rd_signals_hold(void);
/* Installs a handler of SIGUSR1, which requests a checkpoint, and unblocks the signal. */
void rd_signals_begin(void);
/* Makes SIGINT, SIGTERM, SIGPIPE, SIGXCPU and, when the terminal closes, SIGHUP request a stop. A
   second signal (but for SIGPIPE and SIGXCPU) ends the process immediately. If the run does not
   stop within the grace, a thread ends the process with status 75 (1 for a trial) and a message
   about what is lost. A signal that the parent process ignored stays ignored. */
void rd_signals_listen(const struct rd_signals_options *options);
/* Returns whether the process ignores SIGHUP, as after nohup. */
bool rd_signals_outlive_terminals(void);

/* Returns whether a signal requested a stop. */
bool rd_signals_is_stop_requested(void);
/* Returns whether a checkpoint was requested since the last call, and clears the request. */
bool rd_signals_take_save(void);

/* Records the present position of the run. */
void rd_signals_reach(const struct rd_reached *now);
/* Records that a checkpoint of this position exists; NULL: one exists at an unknown position. */
void rd_signals_keep(const struct rd_reached *saved);
/* Keeps the thread from ending the process while a file is written, until rd_signals_continue. */
void rd_signals_suspend(void);
void rd_signals_continue(void);

#endif
