/* job - one simulation, from the options of the command line to the closed file. */
#ifndef RD_APP_JOB_H
#define RD_APP_JOB_H

#include "app/checkpoints.h"
#include "app/derived.h"
#include "app/device_shares.h"
#include "base/progress.h"
#include "base/shared_text.h"
#include "command_line/options.h"
#include "model/edits.h"
#include "plan/step_limit.h"
#include "result/read/result_reader.h"

/* Describes everything from the text of the configuration to the plan. */
struct rd_setup {
    rd_config *config;
    struct rd_model model;
    struct rd_plan plan;
    struct rd_forecast forecast;
};

/* Makes the model, plan and forecast of the configuration in `text`, which is named o->file. If
   text is NULL, reads the file o->file. rd_setup_free must be called in any case. Returns false
   with a message on failure. */
bool rd_setup_make(struct rd_setup *a, const struct rd_options *o, const char *text,
                   struct rd_error *e);
/* Adds to the warnings of the model what is known of the step: that it is too long for molecules,
   or may be. */
void rd_setup_warn_of_step(struct rd_setup *a);
void rd_setup_free(struct rd_setup *a);

/* Holds the moments at which control returns to the caller, besides those of `time.control`. */
struct rd_job_pause {
    bool has_time;
    double time;  /* the first step that ends at this time or later */
    int64_t step; /* after so many steps */
    double clock; /* when the clock shows this; 0: never */
};

/* Holds one job: the model, its run and its result. The caller sets the first members and
   zero-initialises the others. */
struct rd_job {
    const struct rd_options *options;
    rd_warn *warn;
    void *warn_to;
    char *command;                       /* owned: the whole command line */
    char *const *argv;                   /* its words, for other processes (--devices); or NULL */
    const struct rd_device_share *share; /* of a process that --devices started; or NULL */
    const char *text;                    /* text of the configuration; NULL: it is in the file */
    int64_t n_wanted;                    /* number of snapshots; 0: all */
    bool is_trial;                       /* the result is temporary: no checkpoints are written */
    bool is_embedded;                    /* a part of another program, which handles signals */
    const char *edits_text;  /* journal of an earlier run, whose edits are repeated; or NULL */
    rd_shared_text *journal; /* owned: edits of this run; NULL: they are not kept */

    struct rd_setup setup; /* of the caller if it is made already */
    struct rd_running running;
    struct rd_job_pause pause;
    struct rd_edits edits; /* of the earlier run */
    int n_replayed;        /* of them */
    struct rd_batch batch;
    struct rd_device_shares shares; /* processes that share the batches */
    int64_t first_batch;            /* first one of this process since it began, among its own */
    struct rd_plan *plan;           /* plan of the current batch */
    struct rd_sim sim;
    struct rd_recorder recorder;
    struct rd_checkpoints checkpoints;
    struct rd_progress progress;
    double began; /* clock when the job began */
    struct rd_job_times {
        double setup, steps, waited, rest; /* seconds; setup includes placing */
    } times;
    struct rd_facts derived, provenance, timing;
    char *effective, *inputs;
    enum rd_past past; /* state of the earlier result, with --resume */
    bool is_open;      /* the result is open */
    bool is_over;      /* nothing is left to run */
    bool is_failed;
    bool is_midway;  /* the caller's last advance has not come to its end */
    bool is_enough;  /* n_wanted snapshots are recorded */
    bool is_stopped; /* the run was stopped before its end */
    double stopped;  /* time of the stop; NAN: none */
};

/* Begins the simulation: does what comes before the first step. Returns false with a message on
   failure; e->wrong is true if nothing has run. rd_job_close must be called in any case. */
bool rd_job_begin(struct rd_job *j, struct rd_error *e);
/* Runs until j->pause or `time.control` returns control, or to the end (is_over). Returns false
   with a message on failure. */
bool rd_job_advance(struct rd_job *j, struct rd_error *e);
/* Waits for the steps of an advance that has returned before them. Returns false with a message if
   one of them failed. */
bool rd_job_finish_steps(struct rd_job *j, struct rd_error *e);
/* Applies an edit now: `text` has the keys of an entry of the journal but step and time. `here` has
   the voxels of what names no place, or is NULL. Adds the edit to the journal. Returns false with a
   message if it is impossible; the state is as before then, unless is_failed is set. */
bool rd_job_edit(struct rd_job *j, const char *text, const struct rd_voxel_list *here,
                 struct rd_error *e);
/* Writes a checkpoint of a run that has returned control. Returns false with a message on failure.
 */
bool rd_job_save(struct rd_job *j, struct rd_error *e);
/* Closes the result. A run that is not over is interrupted; if it is midway, with a checkpoint.
   Returns false with a message on
   failure. */
bool rd_job_end(struct rd_job *j, struct rd_error *e);
/* Does all of these. Returns false with a message on failure; e->wrong is true if nothing has
   run. If the earlier result is complete, --resume leaves nothing to do, and past is
   RD_PAST_WHOLE. */
bool rd_job_run(struct rd_job *j, struct rd_error *e);
/* Returns whether runs faulted, in this process or in the complete result of an earlier one. */
bool rd_job_has_faults(const struct rd_job *j);
void rd_job_close(struct rd_job *j);

#endif
