/* checkpoints - sees to it that a run can go on: when its state is saved (now and then, and when a
   signal asks for it), where, and how it comes back. */
#ifndef RD_APP_CHECKPOINTS_H
#define RD_APP_CHECKPOINTS_H

#include "app/batches.h"
#include "config/config.h"
#include "record/record.h"
#include "result/read/result_reader.h"
#include "run/run.h"

/* What is told while the run goes on. */
typedef void rd_warn(const struct rd_error *messages);

struct rd_checkpoints {
    double every;        /* seconds of the wall clock between two checkpoints */
    double grace;        /* seconds that a step may take after a signal */
    int64_t batch_steps; /* in one batch of runs */
    rd_warn *warn;
    struct rd_recorder *recorder;
    struct rd_batch *batch; /* at hand; on resuming, that of the checkpoint */
    double seconds;         /* that the simulation stood still for checkpoints */
    double save_seconds;    /* that the last of them took */
    double saved;           /* when, the last time, or the beginning */
    bool is_first_reported; /* that a checkpoint could not be written is told once */
    bool is_saved;          /* the last one could; */
    bool can_resume;        /* one of them could, and is there */
    int64_t n_steps;        /* that were done when this process took the run up */
    char *identity;         /* owned */
    bool loads;             /* the run goes on from */
    struct rd_checkpoint_file checkpoint_file;
};

/* What there is to do about an earlier run's result at path with --resume. Where it is whole, or
   has only begun, it must be of this configuration. */
enum rd_past rd_checkpoints_past(const rd_config *c, const char *path, struct rd_error *e);
/* Opens the recorder's store: a new one, or, resuming, the one that was left. record must live as
   long; what it points to, and the identity, are the keeper's to complete. */
bool rd_checkpoints_open(struct rd_checkpoints *k, const rd_config *c, struct rd_record_of *record,
                         bool is_resuming, bool force, struct rd_error *e);
void rd_checkpoints_close(struct rd_checkpoints *k);

/* Returns whether it is time to save, or to stop. The run is at that time, after n_steps; the next
   step takes about step_seconds of the wall clock (0: not known). */
enum rd_run_request rd_checkpoints_request(const struct rd_checkpoints *k, double time,
                                           int64_t n_steps, double step_seconds);
/* What a run needs of it: k is the watch's save_to. */
void rd_checkpoints_join(struct rd_checkpoints *k, struct rd_watch *watch);

#endif
