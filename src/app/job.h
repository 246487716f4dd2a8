/* job - one simulation, from the options of the command line to the closed file. */
#ifndef RD_APP_JOB_H
#define RD_APP_JOB_H

#include "app/checkpoints.h"
#include "app/derived.h"
#include "base/progress.h"
#include "command_line/options.h"
#include "plan/step_limit.h"
#include "result/read/result_reader.h"

/* Everything from the text of the configuration to the plan. */
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
void rd_setup_free(struct rd_setup *a);

/* The caller sets the first members and zero-initialises the others. */
struct rd_job {
    const struct rd_options *options;
    rd_warn *warn;
    char *command;    /* owned: the whole command line */
    const char *text; /* text of the configuration; NULL: it is in the file */
    int64_t n_wanted; /* number of snapshots; 0: all */
    bool is_trial;    /* the result is temporary: no checkpoints are written */

    struct rd_setup setup;
    struct rd_batch batch;
    int64_t first_batch;  /* first one that this process simulated */
    struct rd_plan *plan; /* plan of the current batch */
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
    bool is_enough;    /* n_wanted snapshots are recorded */
    bool is_stopped;   /* the run was stopped before its end */
    double stopped;    /* time of the stop; NAN: none */
};

/* Runs the simulation. Returns false with a message on failure; e->wrong is true if nothing has
   run. If the earlier result is complete, --resume leaves nothing to do, and past is
   RD_PAST_WHOLE. */
bool rd_job_run(struct rd_job *j, struct rd_error *e);
/* Returns whether runs faulted, in this process or in the complete result of an earlier one. */
bool rd_job_has_faults(const struct rd_job *j);
void rd_job_close(struct rd_job *j);

#endif
