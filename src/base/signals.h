/* signals - what signals ask of a run: a checkpoint, or its end. Ends the process when a step does
   not end in time. Only keeper.c and signals.c handle signals of a run. */
#ifndef RD_BASE_SIGNALS_H
#define RD_BASE_SIGNALS_H

#include <stdbool.h>
#include <stdint.h>

/* How far a run is, or was when its last checkpoint was written. */
struct rd_reached {
    double time;   /* of the simulation */
    int64_t steps; /* since the start, over all batches */
    int64_t batch; /* counted from 1 */
};

/* How a run answers SIGINT, SIGTERM, SIGPIPE and SIGHUP. The pointers must stay valid until the
   process ends. */
struct rd_signals_options {
    double grace;     /* seconds that a step may take after the signal */
    const char *path; /* the result */
    bool is_trial;    /* there are no checkpoints, and --resume does not go on */
    /* Removes what a trial leaves; called before the process is ended. */
    void (*clean)(const char *path);
};

/* Blocks SIGUSR1 in this process and, after execv, in the next program. */
void rd_signals_hold(void);
/* Handles SIGUSR1 from now on, without ending the process, and lets it through. */
void rd_signals_begin(void);
/* From now on SIGINT, SIGTERM, SIGPIPE and, when the terminal goes, SIGHUP ask the run to stop; a
   second one ends the process at once. If the run does not stop within the grace, a thread ends the
   process with status 75 (1 for a trial) and a message about what is lost. A signal that the parent
   process had ignored stays ignored. */
void rd_signals_listen(const struct rd_signals_options *options);
/* True if the process was started by nohup or the like. */
bool rd_signals_outlive_terminals(void);

/* True once a signal asked for the end. */
bool rd_signals_is_stop_asked(void);
/* True if a checkpoint was asked for since the last call. */
bool rd_signals_take_save(void);

/* Notes how far the run is. */
void rd_signals_reach(const struct rd_reached *now);
/* Notes that a checkpoint of this moment is there; NULL: one is there whose moment is not known. */
void rd_signals_keep(const struct rd_reached *saved);
/* While something is written that should not be torn, the process is not ended. */
void rd_signals_suspend(void);
void rd_signals_continue(void);

#endif
