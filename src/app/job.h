/* job - one run: from the question to the closed file. */
#ifndef RD_APP_JOB_H
#define RD_APP_JOB_H

#include "app/checkpoints.h"
#include "app/derived.h"
#include "base/progress.h"
#include "command_line/options.h"
#include "plan/forecast.h"
#include "result/read/result_reader.h"

/* Everything between the configuration's text and the plan. */
struct rd_asked {
    rd_config *config;
    struct rd_model model;
    struct rd_plan plan;
    struct rd_outlook outlook;
};

/* The configuration is text, named as o->file, or if that is NULL the file itself. To be freed in
   any case. */
bool rd_asked_make(struct rd_asked *a, const struct rd_options *o, const char *text,
                   struct rd_error *e);
void rd_asked_free(struct rd_asked *a);

/* Zero-initialised but for the first ones. */
struct rd_job {
    const struct rd_options *options;
    rd_warn *warn;
    char *command;    /* owned: the whole command line */
    const char *text; /* of the configuration; NULL: it is in the file */
    int64_t n_wanted; /* snapshots; 0: all */
    bool is_trial;    /* its result is not for keeping: no checkpoints are written */

    struct rd_asked asked;
    struct rd_batch batch;
    int64_t first_batch;  /* that this process simulated */
    struct rd_plan *plan; /* of the runs at hand */
    struct rd_sim sim;
    struct rd_recorder recorder;
    struct rd_checkpoints checkpoints;
    struct rd_progress progress;
    struct rd_facts derived, provenance, timing;
    char *effective, *inputs;
    enum rd_past past; /* of --resume */
    bool is_enough;    /* as many snapshots as are wanted */
    bool is_stopped;   /* before its end, */
    double stopped;    /* at this time */
};

/* Runs it; e->wrong says that nothing has run. With --resume there may be nothing to do: then
   nothing is, and past is RD_PAST_WHOLE. */
bool rd_job_run(struct rd_job *j, struct rd_error *e);
/* Whether runs faulted on the way of one that was run, or is whole: it is not what was asked for.
 */
bool rd_job_has_faults(const struct rd_job *j);
void rd_job_close(struct rd_job *j);

#endif
