/* run_state - the state of a run, from the file that it writes. */
#ifndef RD_RESULT_FILES_RUN_STATE_H
#define RD_RESULT_FILES_RUN_STATE_H

#include "base/error.h"

#include <stdint.h>

enum rd_state {
    RD_STATE_NONE,        /* there is no result */
    RD_STATE_RUNNING,     /* a living process writes it */
    RD_STATE_COMPLETE,    /* to the end */
    RD_STATE_FAULTED,     /* to the end, but some runs faulted */
    RD_STATE_INTERRUPTED, /* by a signal, a kill, a power cut: it ends too early */
    RD_STATE_FAILED,      /* after a fault that was reported */
    RD_STATE_FOREIGN,     /* a file, but no result */
    RD_N_STATES
};

struct rd_state_of {
    enum rd_state state;
    double until;    /* time of the last snapshot; NAN: there is none */
    int64_t seed;    /* -1: the file does not state it */
    bool can_resume; /* there is a checkpoint */
};

/* Returns the state of the result at path; changes nothing. The process that writes the result
   must not call it. */
struct rd_state_of rd_store_state(const char *path);
/* Returns whether the file is the result of a run that failed and that holds only its start: no
   snapshot after t = 0, no birth and no death. Reads only this file, not OUT.parts. */
bool rd_result_is_void(const char *path);
/* Returns whether the file may be a noun ("configuration"); if it is an HDF5 file, false with a
   message. */
bool rd_result_is_not(const char *path, const char *noun, struct rd_error *e);
/* Returns whether the file is a result of format 1, with old names of keys; then with a message. */
bool rd_result_has_old_names(const char *path, struct rd_error *e);
/* Returns the printed name of a state: "running", "complete" ... */
const char *rd_state_name(enum rd_state state);
/* Returns whether a state in a file means that the run came to its end. */
bool rd_state_is_whole(const char *state);

#endif
