/* checkpoints - saves the state of a run from time to time and at signals, and restores it. */
#ifndef RD_APP_CHECKPOINTS_H
#define RD_APP_CHECKPOINTS_H

#include "app/batches.h"
#include "base/shared_text.h"
#include "config/config.h"
#include "record/record.h"
#include "result/read/result_reader.h"
#include "run/run.h"

/* Prints or keeps messages while the run goes on. */
typedef void rd_warn(void *to, const struct rd_error *messages);

struct rd_checkpoints {
    double every;        /* seconds of wall time between two checkpoints */
    double grace;        /* seconds that a step may take after a signal */
    int64_t batch_steps; /* steps of one batch of runs */
    rd_warn *warn;
    void *warn_to;
    struct rd_recorder *recorder;
    struct rd_batch *batch;  /* the current one; on resuming, that of the checkpoint */
    double seconds;          /* wall time of all checkpoints */
    double save_seconds;     /* wall time of the last one */
    double saved;            /* clock at the last one, or at the beginning */
    bool is_first_reported;  /* a failure to write one was reported; that is done once */
    bool is_saved;           /* the last one was written */
    bool can_resume;         /* a checkpoint was written, and is there */
    int64_t n_steps;         /* number of steps before this process resumed the run */
    char *identity;          /* owned */
    rd_shared_text *journal; /* edits of the program that steps the run; NULL: there is none */
    double target;           /* time at which the program takes control; NAN: of time.control */
    bool loads;              /* the run continues from checkpoint_file */
    struct rd_checkpoint_file checkpoint_file;
};

/* Returns the state of an earlier run's result at path, for --resume. Adds a message if it is
   complete, or only begun, and of another configuration. */
enum rd_past rd_checkpoints_past(const rd_config *c, const char *path, struct rd_error *e);
/* Opens the recorder's store: a new one, or on resuming the one that was left. Sets
   record->identity. The data that record points to must live as long as the store. Returns false
   with a message on failure. */
bool rd_checkpoints_open(struct rd_checkpoints *k, const rd_config *c, struct rd_record_of *record,
                         bool is_resuming, bool force, struct rd_error *e);
void rd_checkpoints_close(struct rd_checkpoints *k);

/* Returns whether to go on, to save or to stop. The run is at that time, after n_steps; the next
   step takes about step_seconds of wall time (0: unknown). */
enum rd_run_request rd_checkpoints_request(const struct rd_checkpoints *k, double time,
                                           int64_t n_steps, double step_seconds);
/* Sets the callbacks of the watch that save and load; their argument save_to is k. */
void rd_checkpoints_join(struct rd_checkpoints *k, struct rd_watch *watch);

#endif
